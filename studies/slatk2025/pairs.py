"""Users and items known by their pairs alone, as SL@K splits them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from attop.extending import Ints
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.catalogue import Kind, Stage
from attop_bench.data.files.opening import BROKEN, open_member
from attop_bench.data.parameters import Count, Share, checked

#: In place of an item: some other one, which the user has no pair with and no row of the same part names.
OTHER = -1


@checked("dataset pairs")
def user_pairs(
    path: str | os.PathLike[str], *, n_others: Count = 20, validation: Share = 0.1, seed: int
) -> Dataset:
    """Return the pairs of ``train.tsv`` and ``test.tsv`` in a zip file as lists of users, which are groups.

    A row is a user and an item by their codes: positive where it is a pair, negative where the item is
    `OTHER`. A model scores that as the best of the items it has not seen, so that the top of a list is that
    of all items; k places need `n_others` of k. Part 0 trains, part 1, a share `validation` of the training
    pairs drawn at random, validates, part 2 tests. The first pair of each user and item is in part 0.
    """
    try:
        train, test = _read(path, "train.tsv"), _read(path, "test.tsv")
    except (OSError, KeyError, ValueError, *BROKEN) as error:
        raise DatasetError(
            f"dataset {path}: no zip file with train.tsv and test.tsv, user and item in each line: {error}; "
            "download the file again"
        ) from None
    free = np.ones(len(train), bool)
    for codes in train.T:
        free[np.unique(codes, return_index=True)[1]] = False
    order = np.random.default_rng(seed).permutation(np.flatnonzero(free))
    held = np.isin(np.arange(len(train)), order[: round(len(train) * validation)])
    facts = {"title": "Users and items", "positive": "the user has a pair with the item"}
    return lists_of("pairs", [train[~held], train[held], test], n_others, facts)


def lists_of(name: str, parts: Sequence[Ints], n_others: int, facts: dict[str, Any]) -> Dataset:
    """Return pairs, by part, as lists of users: with one row of another item in part 0, `n_others` later."""
    rows = [_rows(pairs, n_others if number else 1) for number, pairs in enumerate(parts)]
    X, part = np.vstack(rows), np.repeat(range(len(rows)), [len(its) for its in rows])
    return Dataset(name, X.astype(np.float64), (X[:, 1] != OTHER).astype(np.int64), X[:, 0], facts, part)


def _read(path: str | os.PathLike[str], member: str) -> Ints:
    with open_member(path, member) as file:
        return np.loadtxt(file, dtype=np.int64, delimiter="\t", skiprows=1, ndmin=2)


def _rows(pairs: Ints, n_others: int) -> Ints:
    """Return the pairs, and for each of their users rows of other items."""
    users = np.repeat(np.unique(pairs[:, 0]), n_others)
    return np.vstack([pairs, np.column_stack([users, np.full(len(users), OTHER)])])


PAIRS = Kind("pairs", (Stage("dataset", user_pairs),), ("path",))
