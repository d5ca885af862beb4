"""All folds of a method as one job, which keeps those that it had finished when it was killed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from attop._core.files import StrPath, read_json, write_json
from attop_bench.run.job import Run
from attop_bench.run.parameters import plain
from attop_bench.run.record import digest_of


def train_folds(
    runs: Iterable[Run],
    train: Callable[[Run], None],
    *,
    done: Path,
    params: object,
    files: Iterable[StrPath],
    digest: str,
) -> None:
    """Call `train` for each of `runs` that is not done, then write what came of all to `done`.

    Snakemake knows of `done` alone. What lies beside it is removed, unless it was made with the same `params`
    (the fingerprint of the code is among them) and the same content of `files`. SystemExit: some runs have no
    results; the others were tried nevertheless.
    """
    state = hashlib.sha256(json.dumps(plain(params)).encode())
    for file in files:
        state.update(Path(file).read_bytes())
    key, begun, root = {"key": state.hexdigest()}, done.with_name("begun.json"), done.parents[3]
    same = False
    with contextlib.suppress(OSError, ValueError):
        same = read_json(begun) == key
    if not same:
        shutil.rmtree(done.parent, ignore_errors=True)
        write_json(begun, key)
    results: dict[str, list[str]] = {}
    broken = []
    for run in runs:
        pair = [run.folder(root) / name for name in ("scores.npz", "record.json")]
        try:
            if digest_of(pair[1]) != digest or not pair[0].exists():
                train(run)
            results[pair[0].parent.name] = [hashlib.sha256(file.read_bytes()).hexdigest() for file in pair]
        except SystemExit:
            broken.append(f"repeat {run.repeat}, fold {run.fold}")
    if broken:
        raise SystemExit(f"without results: {'; '.join(broken)}: see their logs")
    write_json(done, results)
