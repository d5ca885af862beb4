"""The kinds of data set, and the stages each is built in.

A stage is a function from arrays to arrays, the last one returns a `Dataset`. Each stage writes one file
and reads the file of the stage before, so a workflow can make a rule of it and run again only what
changed. Arrays and parameters of earlier stages travel along in the file.
"""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from attop.datasets.base import (
    Dataset,
    DatasetError,
    Unavailable,
    load_arrays,
    save_arrays,
    save_unavailable,
)
from attop.datasets.builder_parameters import complete
from attop.datasets.fetch.receipt import read_receipt
from attop.datasets.kinds import (
    behance,
    bundled,
    citation,
    images,
    kddcup,
    movielens,
    ratings,
    simulation,
    table,
)
from attop.seeds import derive_seed
from attop.suggestions import did_you_mean

__all__ = [
    "KINDS",
    "Kind",
    "Stage",
    "build",
    "check_facts",
    "input_files",
    "kind_of",
    "make",
    "stage_parameters",
]


@dataclass(frozen=True)
class Stage:
    """One step of preparing a data set.

    Attributes
    ----------
    name : str
    function : callable
        Returns a dict of arrays, or a `Dataset` if it is the last stage. A parameter called `seed` is
        given a seed of its own.
    inputs : tuple of str
        Parameters of `function` that are arrays of earlier stages; the others come from the
        configuration.
    """

    name: str
    function: Callable[..., Any]
    inputs: tuple[str, ...] = ()

    @property
    def seeded(self) -> bool:
        """Whether the function takes a seed."""
        return "seed" in inspect.signature(self.function).parameters

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the parameters a configuration may give."""
        return tuple(
            n for n in inspect.signature(self.function).parameters if n not in (*self.inputs, "seed")
        )


@dataclass(frozen=True)
class Kind:
    """A kind of data set.

    Attributes
    ----------
    name : str
    steps : tuple of Stage
        In order; the last is called ``"dataset"`` and returns a `Dataset`.
    files : tuple of str
        Options that are paths of files to read.
    """

    name: str
    steps: tuple[Stage, ...]
    files: tuple[str, ...] = ()

    @property
    def stages(self) -> tuple[str, ...]:
        """Names of the stages, in order."""
        return tuple(step.name for step in self.steps)

    def step(self, stage: str) -> Stage:
        """Return the stage of this name, or raise `DatasetError`."""
        for step in self.steps:
            if step.name == stage:
                return step
        raise DatasetError(
            f"data of kind {self.name!r} has no stage {stage!r}; {did_you_mean(stage, self.stages)}"
        )


def _single(name: str, function: Callable[..., Dataset], files: tuple[str, ...] = ()) -> Kind:
    return Kind(name, (Stage("dataset", function),), files)


#: Kinds of data sets by name: what `kind` in a configuration may be.
KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        _single("wdbc", bundled.wdbc),
        _single("digit", bundled.digit),
        _single("simulation", simulation.simulation),
        Kind(
            "images",
            (
                Stage("source", images.digit_images),
                Stage("umap", images.embed_images, ("pixels",)),
                Stage("dataset", images.image_recommendation, ("item_features", "digit")),
            ),
        ),
        Kind(
            "ratings",
            (
                Stage("source", ratings.simulate_ratings),
                Stage("factorise", ratings.factorise, ("user", "item", "rating", "time")),
                Stage(
                    "dataset",
                    ratings.rating_recommendation,
                    ("user", "item", "rating", "first", "user_factors", "item_factors", "objective"),
                ),
            ),
        ),
        Kind(
            "movielens",
            (
                Stage("source", movielens.read_ratings),
                Stage("factorise", ratings.factorise, ("user", "item", "rating", "time")),
                Stage(
                    "dataset",
                    movielens.movie_recommendation,
                    ("user", "item", "rating", "first", "user_factors", "item_factors", "objective"),
                ),
            ),
            ("path",),
        ),
        Kind(
            "behance",
            (
                Stage("source", behance.read_behance),
                Stage("umap", behance.embed_items, ("projected",)),
                Stage("dataset", behance.behance_recommendation, ("user", "item", "item_features")),
            ),
            ("appreciations", "features"),
        ),
        _single("citation", citation.citation_recommendation, ("archive",)),
        _single("kddcup08", kddcup.kdd_cup, ("info", "features")),
        _single("file", table.file_table, ("path", "validation", "test")),
    )
}


def kind_of(kind: str) -> Kind:
    """Return a kind by its name, or import one.

    Parameters
    ----------
    kind : str
        A key of `KINDS`, or the dotted path of a `Kind` or of a function that returns a `Dataset`.

    Raises
    ------
    DatasetError
        If it is unknown or cannot be imported.
    """
    module, _, name = kind.rpartition(".")
    if not module:
        if kind not in KINDS:
            raise DatasetError(f"unknown kind of data {kind!r}; {did_you_mean(kind, KINDS)}")
        return KINDS[kind]
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise DatasetError(
            f"cannot import the kind of data {kind!r}: {error}; give the dotted path of a Kind or of a "
            "function that returns a Dataset, and have its package on the Python path"
        ) from error
    if isinstance(found, Kind):
        return found
    if not callable(found):
        raise DatasetError(f"{kind!r} is {found!r}: name a Kind or a function that returns a Dataset")
    return _single(kind, found)


def stage_parameters(kind: str, stage: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of one stage out of those of the data set, defaults filled in.

    A workflow that gives each rule these alone runs a stage again only when its own parameters change.

    Raises
    ------
    DatasetError
        If `kind` or `stage` is unknown, a parameter is unknown to every stage, or one is missing.
    """
    found = kind_of(kind)
    step = found.step(stage)
    known = [name for s in found.steps for name in s.options]
    for name in params:
        if name not in known:
            raise DatasetError(
                f"data of kind {kind!r}: unknown parameter {name!r}; {did_you_mean(name, known)}"
            )
    own = {name: value for name, value in params.items() if name in step.options}
    return complete(step.function, own, f"data of kind {kind!r}", reserved=(*step.inputs, "seed"))


def input_files(kind: str, params: Mapping[str, Any]) -> list[str]:
    """Return the paths of the files the first stage reads."""
    return [str(params[name]) for name in kind_of(kind).files if params.get(name) is not None]


def build(
    spec: Mapping[str, Any], stage: str, previous: str | os.PathLike[str] | None, out: str | os.PathLike[str]
) -> None:
    """Run one stage from file to file.

    Parameters
    ----------
    spec : mapping
        ``id``, which becomes the name of the data set; ``kind`` (see `kind_of`); ``params`` of the data
        set, of which a stage picks its own; ``seed``, from which each stage derives its own; ``expect``
        (see `check_facts`). Other entries are ignored.
    stage : str
    previous : path or None
        File of the stage before. For the first the receipt of the files that were fetched (see
        `fetch_files`), or None if there are none.
    out : path
        File to write; of the last stage, to be read by `Dataset.load`. If the data cannot be had it holds
        the reason alone, which `Dataset.load` raises.

    Raises
    ------
    DatasetError
        If something is unknown, `previous` is not the file of the stage before, or the data are unusable
        or not what was expected.
    """
    try:
        _build(spec, stage, previous, out)
    except Unavailable as error:
        save_unavailable(out, spec["id"], error)


def check_facts(dataset: Dataset, expect: Mapping[str, int | None]) -> None:
    """Compare the counts of a data set with what they must be.

    Parameters
    ----------
    dataset : Dataset
    expect : mapping
        Any of ``items``, ``features``, ``positives`` and ``groups``; None is not compared.

    Raises
    ------
    DatasetError
        With every count that differs.
    """
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


def _build(
    spec: Mapping[str, Any], stage: str, previous: str | os.PathLike[str] | None, out: str | os.PathLike[str]
) -> None:
    kind, seed = spec["kind"], spec["seed"]
    order = kind_of(kind).stages
    kind_of(kind).step(stage)
    arrays: dict[str, Any] = {}
    done: dict[str, Any] = {}
    files: Mapping[str, str] = {}
    if stage != order[0]:
        arrays, done = _read(kind, stage, order[order.index(stage) - 1], previous)
    elif previous is not None:
        if not kind_of(kind).files:
            raise DatasetError(f"stage {stage!r} is the first of {kind!r}, it takes no file, got {previous}")
        files = read_receipt(previous)
    result, done = _run(kind, stage, arrays, done, spec.get("params", {}), seed, files)
    if isinstance(result, Dataset):
        dataset = replace(result, name=spec["id"])
        check_facts(dataset, spec.get("expect") or {})
        dataset.save(out)
    else:
        save_arrays(out, result, {"kind": kind, "stage": stage, "parameters": done})


def make(kind: str, seed: int = 0, **params: Any) -> Dataset:
    """Build a data set in memory: all stages in a row, the same data as `build` gives.

    Examples
    --------
    >>> make("digit", digit=3).X.shape
    (1797, 64)
    """
    state: Any = {}
    done: dict[str, Any] = {}
    for stage in kind_of(kind).stages:
        state, done = _run(kind, stage, state, done, params, seed, {})
    return state


def _run(
    kind: str,
    stage: str,
    arrays: Mapping[str, Any],
    done: Mapping[str, Any],
    params: Mapping[str, Any],
    seed: int,
    files: Mapping[str, str],
) -> tuple[Any, dict[str, Any]]:
    """Return the arrays so far, or the data set, and the parameters so far.

    `files` are the paths of what was fetched; the parameters keep the names these have everywhere.
    """
    found = kind_of(kind)
    step = found.step(stage)
    own = stage_parameters(kind, stage, params)
    done = {**done, **{n: os.fspath(v) if isinstance(v, os.PathLike) else v for n, v in own.items()}}
    own.update({name: arrays[name] for name in step.inputs})
    own.update(files)
    if step.seeded:
        own["seed"] = derive_seed(seed, "data", kind, stage)
    result = step.function(**own)
    if stage != found.stages[-1]:
        return {**arrays, **result}, done
    if not isinstance(result, Dataset):
        raise DatasetError(f"data of kind {kind!r}: its last stage must return a Dataset, got {type(result)}")
    facts = {**result.facts, "kind": kind, "parameters": done}
    if any(s.seeded for s in found.steps):
        facts["seed"] = seed
    if files:
        facts["source"] = ", ".join(str(done[name]) for name in files)
    return replace(result, facts=facts), done


def _read(
    kind: str, stage: str, before: str, previous: str | os.PathLike[str] | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return arrays and parameters from the file of the stage before."""
    wanted = f"stage {stage!r} of {kind!r} reads the file of stage {before!r}"
    if previous is None:
        raise DatasetError(f"{wanted}, got none: build {before!r} first")
    try:
        arrays, meta = load_arrays(previous)
    except Unavailable:
        raise
    except (OSError, KeyError, ValueError) as error:
        raise DatasetError(
            f"{wanted}, and cannot read {previous}: {error}; build {before!r} again"
        ) from error
    if (meta.get("kind"), meta.get("stage")) != (kind, before):
        raise DatasetError(
            f"{wanted}, but {previous} is of stage {meta.get('stage')!r} of {meta.get('kind')!r}: "
            f"build {before!r} first"
        )
    return arrays, meta["parameters"]
