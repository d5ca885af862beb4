"""Folds on disk, cut once from a prepared data set.

A file holds one repeat, so that one more leaves the others as they are: for each fold and inner split a row
of flags, an item trains (1), is scored (2), both or neither.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from attop.experiment import Fold
from attop.extending import Ints
from attop_bench.data.base import Dataset, DatasetError, load_arrays, save_arrays
from attop_bench.data.ledger import LedgerError
from attop_bench.files import JsonObject, StrPath

_TRAINS, _SCORED = 1, 2


def write_folds(
    path: StrPath,
    folds: Sequence[Fold],
    dataset: Dataset,
    split: Mapping[str, object],
) -> None:
    """Write the folds of one repeat, cut from `dataset` as `split` says; see `Job.split`."""
    n = len(dataset.y)
    rows = [_rows_in(fold, n) for fold in folds]
    arrays = {
        str(i): np.array(
            [_roles(n, *pair) for pair in ((fold.train, fold.test), *fold.inner)]
        )
        for i, fold in enumerate(folds)
    }
    note: JsonObject = {
        "split": dict(split),
        "data": _digest(dataset),
        "rows": rows,
    }
    note["refit"] = [fold.refit for fold in folds]
    save_arrays(path, arrays, note)


def read_folds(
    path: StrPath, dataset: Dataset, split: Mapping[str, object]
) -> list[Fold]:
    """Read the folds of a file; refuse those of other data or another split."""
    arrays, note = load_arrays(path)
    for what, expected in (
        ("split", json.loads(json.dumps(split))),
        ("data", _digest(dataset)),
    ):
        if (recorded := note.get(what)) != expected:
            raise DatasetError(
                f"{path} holds folds of another {what}, {recorded}, not {expected}: run snakemake, which "
                "makes it again"
            )
    return [_fold(arrays[str(i)], again) for i, again in enumerate(note["refit"])]


def _rows_in(fold: Fold, n: int) -> dict[str, int]:
    """Count how many of `n` rows train, are scored, both or neither; each row counts once."""
    counts = np.bincount(_roles(n, fold.train, fold.test), minlength=4)
    rows = dict(
        zip(("neither", "train", "scored", "both"), map(int, counts), strict=True)
    )
    if rows["both"] + n - rows["neither"] != len(fold.train) + len(fold.test):
        raise LedgerError(
            f"rows of a fold do not add up: {len(fold.train):,} to train on and {len(fold.test):,} to "
            f"score of {n:,}, but {rows}: a row may come once in each"
        )
    return rows


def _roles(n: int, train: Ints, scored: Ints) -> NDArray[np.uint8]:
    roles = np.zeros(n, np.uint8)
    roles[train] |= _TRAINS
    roles[scored] |= _SCORED
    return roles


def _fold(roles: NDArray[np.uint8], refit: bool) -> Fold:
    (train, test), *inner = (
        (np.flatnonzero(row & _TRAINS), np.flatnonzero(row & _SCORED))
        for row in roles
    )
    return Fold(train, test, inner, refit)


def _digest(dataset: Dataset) -> str:
    """Digest all that a split depends on: everything except the features."""
    digest = hashlib.sha256(dataset.name.encode())
    for field in fields(dataset):
        column = getattr(dataset, field.name)
        if isinstance(column, np.ndarray) and field.name != "X":
            digest.update(field.name.encode() + column.tobytes())
    return digest.hexdigest()[:16]
