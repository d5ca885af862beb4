"""A block of folds as one job, which keeps those that it had finished when it was killed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from attop_bench.files import StrPath, read_json, write_json
from attop_bench.run.blocks import BEGUN, RECORD, SCORES
from attop_bench.run.job import Run
from attop_bench.run.parameters import plain
from attop_bench.run.record import digest_of


def train_folds(
    runs: Sequence[Run],
    train: Callable[[Run], None],
    *,
    done: Path,
    params: object,
    files: Callable[[Run], Iterable[str]],
    digest: str,
) -> None:
    """Call `train` for each of `runs` that is not done, then write what came of all to `done`.

    Snakemake knows of `done` alone. The folder of a run is removed, unless it was made with the same `params`
    (the fingerprint of the code is among them) and the same content of its `files`. SystemExit: some runs
    have no results; the others were tried nevertheless.
    """
    root, digest_of_file = done.parents[3], cache(_digest)
    keys = {run: _key(params, [digest_of_file(file) for file in files(run)]) for run in runs}
    _keep_the_same(done.with_suffix(BEGUN), root, keys)
    results: dict[str, list[str]] = {}
    broken = []
    for run in runs:
        pair = [run.folder(root) / name for name in (SCORES, RECORD)]
        try:
            if digest_of(pair[1]) != digest or not pair[0].exists():
                train(run)
            results[pair[0].parent.name] = list(map(_digest, pair))
        except SystemExit:
            broken.append(f"repeat {run.repeat}, fold {run.fold}")
    if broken:
        raise SystemExit(f"without results: {'; '.join(broken)}: see their logs")
    write_json(done, results)


def _keep_the_same(note: Path, root: Path, keys: dict[Run, str]) -> None:
    """Remove the folder of each run whose key is not the one in the `note`; then write the note."""
    before: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError):
        before = dict(read_json(note))
    folders = {run.folder(root): key for run, key in keys.items()}
    for folder, key in folders.items():
        if before.get(folder.name) != key:
            shutil.rmtree(folder, ignore_errors=True)
    write_json(note, {folder.name: key for folder, key in folders.items()})


def _key(params: object, digests: Iterable[str]) -> str:
    """Return a digest of the parameters and files of a run."""
    return hashlib.sha256(json.dumps([plain(params), *digests]).encode()).hexdigest()


def _digest(file: StrPath) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()
