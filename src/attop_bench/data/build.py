"""Building a data set stage by stage, from file to file or in memory.

A stage reads the file of the stage before, with the arrays and parameters of all before, and writes one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from copy import copy
from typing import Any

from numpy.typing import NDArray

from attop.extending import derive_seed
from attop_bench.data.base import (
    Dataset,
    load_arrays,
    save_arrays,
    save_unavailable,
)
from attop_bench.data.catalogue import kind_of, stage_parameters
from attop_bench.data.errors import DatasetError, Unavailable
from attop_bench.data.files.fetch import read_receipt
from attop_bench.files import StrPath


def build(
    spec: Mapping[str, Any], stage: str, previous: StrPath | None, out: StrPath
) -> None:
    """Run one stage from file to file.

    `spec` has ``id``, the name of the data set; ``kind`` (see `kind_of`); ``params`` of all stages; ``seed``,
    from which each stage derives its own; ``expect`` (see `check_facts`). `previous` is the file of the stage
    before, for the first the receipt of the files that were fetched (see `fetch_files`), if any. `out` is for
    the next stage, after the last for `Dataset.load`; if the data are unavailable it holds the reason.
    """
    kind = spec["kind"]
    order = kind_of(kind).stages
    kind_of(kind).step(stage)
    arrays: Mapping[str, NDArray] = {}
    done: dict[str, object] = {}
    files: Mapping[str, str] = {}
    try:
        if stage != order[0]:
            arrays, done = _read(
                kind, stage, order[order.index(stage) - 1], previous
            )
        elif previous is not None:
            if not kind_of(kind).files:
                raise DatasetError(
                    f"stage {stage!r} is the first of {kind!r}, with no file, got {previous}"
                )
            files = read_receipt(previous)
        result, done = _run(
            kind, stage, arrays, done, spec.get("params", {}), spec["seed"], files
        )
    except Unavailable as error:
        save_unavailable(out, spec["id"], error)
        return
    if isinstance(result, Dataset):
        dataset = _described(result, name=spec["id"])
        check_facts(dataset, spec.get("expect") or {})
        dataset.save(out)
    else:
        save_arrays(out, result, {"kind": kind, "stage": stage, "parameters": done})


def check_facts(dataset: Dataset, expect: Mapping[str, int | None]) -> None:
    """Refuse counts (``items``, ``features``, ``positives``, ``groups``) other than those in `expect`."""
    counts = dataset.summary()
    wrong = [
        f"{name}: got {counts.get(name, 'none')}, expected {count}"
        for name, count in expect.items()
        if count is not None and counts.get(name) != count
    ]
    if wrong:
        raise DatasetError(
            f"dataset {dataset.name}: not the data that were expected: {'; '.join(wrong)}: "
            "check the file and the parameters, or correct expect"
        )


def make(kind: str, seed: int = 0, **params: object) -> Dataset:
    """Build a data set in memory, all stages in a row.

    Examples
    --------
    >>> make("digit", digit=3).X.shape
    (1797, 64)
    """
    result: Any = {}
    done: dict[str, object] = {}
    for stage in kind_of(kind).stages:
        result, done = _run(kind, stage, result, done, params, seed, {})
    return result


def _run(
    kind: str,
    stage: str,
    arrays: Mapping[str, NDArray],
    done: Mapping[str, object],
    params: Mapping[str, object],
    seed: int,
    files: Mapping[str, str],
) -> tuple[Any, dict[str, object]]:
    """Run a stage; return the arrays so far, or the data set, and the parameters so far.

    `files` are the paths of files that were fetched; the parameters keep the names these have everywhere.
    """
    data_kind = kind_of(kind)
    step = data_kind.step(stage)
    own = stage_parameters(kind, stage, params)
    done = {
        **done,
        **{
            n: os.fspath(v) if isinstance(v, os.PathLike) else v
            for n, v in own.items()
        },
    }
    own.update({name: arrays[name] for name in step.inputs})
    own.update(files)
    if step.seeded:
        own["seed"] = derive_seed(seed, "data", kind, stage)
    result = step.function(**own)
    if stage != data_kind.stages[-1]:
        return {**arrays, **result}, done
    if not isinstance(result, Dataset):
        raise DatasetError(
            f"data of kind {kind!r}: its last stage must return a Dataset, got {type(result)}"
        )
    facts = {**result.facts, "kind": kind, "parameters": done}
    if any(s.seeded for s in data_kind.steps):
        facts["seed"] = seed
    if files:
        facts["source"] = ", ".join(str(done[name]) for name in files)
    return _described(result, facts=facts), done


def _described(dataset: Dataset, **words: object) -> Dataset:
    """Give a data set another name or other facts; its arrays, which were checked, are not checked again."""
    new = copy(dataset)
    vars(new).update(words)
    return new


def _read(
    kind: str, stage: str, before: str, previous: StrPath | None
) -> tuple[dict[str, NDArray], dict[str, object]]:
    """Read the arrays and the parameters from the file of the stage before."""
    wanted = f"stage {stage!r} of {kind!r} reads the file of stage {before!r}"
    if previous is None:
        raise DatasetError(f"{wanted}, got none: build {before!r} first")
    arrays, meta = load_arrays(previous)
    if (meta.get("kind"), meta.get("stage")) != (kind, before):
        raise DatasetError(
            f"{wanted}, but {previous} is of stage {meta.get('stage')!r} of {meta.get('kind')!r}: "
            f"build {before!r} first"
        )
    return arrays, meta["parameters"]
