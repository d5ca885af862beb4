"""Splits that look at groups, or at the parts the data come in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop_bench.data.base import DatasetError
from attop_bench.data.builder_parameters import integer
from attop_bench.data.splits.folds import Fold, deal, require, shuffled, strata_of
from attop.core.sample import check_groups, check_labels
from attop.core.typing import Ints

__all__ = ["given", "whole_groups", "within_groups"]


def within_groups(
    y: ArrayLike,
    groups: ArrayLike,
    *,
    fractions: Sequence[float] = (0.6, 0.2, 0.2),
    stratify: bool = True,
    seed: int,
) -> list[Fold]:
    """Split the rows of each user at random into a training, a validation and a test part (PAP).

    The model trained on the training part that does best on the validation part is tested as it is:
    `refit` is False.

    Parameters
    ----------
    y : array-like of shape (n,)
        Binary labels.
    groups : array-like of shape (n,)
        User of each row.
    fractions : three positive numbers that sum to 1
        Share of each part in every user's rows.
    stratify : bool
        Split the positives and the negatives of each user apart.
    seed : int

    Returns
    -------
    folds : list of one Fold
        In every stratum (a user, or either class of a user) a part has its share of the rows, rounded
        down or up at random such that the share is exact on average.

    Raises
    ------
    DatasetError
        If `fractions` are not as above, or a part is without positives or negatives altogether.

    Notes
    -----
    A user without a positive in the test part has no pAp@k and drops out of the mean. Splitting rows
    regardless of labels, a user with 10 positives has none in a test part of 20% in about one of ten
    splits, so each split averages over other users. With `stratify` these users keep two in every
    split; the expected share of each part is the same. Users with less than ``1 / fraction`` positives
    can still miss a part.

    Differences from the paper: it does not describe the split; its authors draw rows regardless of
    labels, which is ``stratify=False``.

    References
    ----------
    Hiranandani et al. (2020), section 7.3.
    """
    share = np.asarray(fractions, dtype=np.float64)
    if share.shape != (3,) or not (share > 0).all() or abs(share.sum() - 1) > 1e-9:
        raise DatasetError(
            "split within groups: fractions must be three positive numbers that sum to 1 "
            f"(training, validation, test), got {fractions!r}"
        )
    labels = check_labels(y)
    codes = check_groups(groups, len(labels))
    strata = 2 * codes + labels if stratify else codes
    rng = np.random.default_rng(seed)
    order = shuffled(strata, rng)
    _, start, size = np.unique(strata[order], return_index=True, return_counts=True)
    # Evenly spaced points with a random start per stratum: an interval of length f has floor(f size) or
    # ceil(f size) of the points, f size on average.
    offset = np.repeat(rng.random(len(size)) - start, size)
    place = (np.arange(len(labels)) + offset) / np.repeat(size, size)
    part = np.empty(len(labels), np.int64)
    part[order] = np.searchsorted(np.cumsum(share)[:2], place, side="right")
    for p, name in enumerate(("training", "validation", "test")):
        require(labels, part == p, 1, f"the {name} part", "give it a larger fraction")
    train, validation, test = (np.flatnonzero(part == p) for p in range(3))
    return [Fold(train, test, [(train, validation)], refit=False)]


def whole_groups(
    y: ArrayLike, groups: ArrayLike, *, n_folds: int = 5, inner_folds: int = 5, seed: int
) -> list[Fold]:
    """Cross-validate over groups: the items of a query are all in one part, so that test queries are new.

    Parameters
    ----------
    y : array-like of shape (n,)
        Binary labels.
    groups : array-like of shape (n,)
        Query of each row.
    n_folds, inner_folds : int, at least 2
        The inner folds hold whole groups too.
    seed : int

    Returns
    -------
    folds : list of `n_folds` Fold
        Folds differ by at most one in groups.

    Raises
    ------
    DatasetError
        If there are fewer groups than parts, or a part is without positives or negatives altogether.
    """
    where = "split by whole groups"
    integer(where, "n_folds", n_folds, 2)
    integer(where, "inner_folds", inner_folds, 2)
    labels = check_labels(y)
    codes = check_groups(groups, len(labels))
    rng = np.random.default_rng(seed)
    part = _deal_groups(codes, n_folds, rng, "n_folds")
    folds = []
    for f in range(n_folds):
        require(labels, part == f, 1, f"the test part of fold {f}", "lower n_folds")
        folds.append(
            _with_inner_groups(labels, codes, part != f, np.flatnonzero(part == f), inner_folds, rng)
        )
    return folds


def given(
    y: ArrayLike,
    groups: ArrayLike | None,
    part: ArrayLike,
    *,
    n_folds: int = 1,
    n_train: int | None = None,
    n_test: int | None = None,
    inner_folds: int = 5,
    seed: int,
) -> list[Fold]:
    """Take the parts the data come in: the last tests, the one before validates, the others train.

    Parameters
    ----------
    y : array-like of shape (n,)
        Binary labels.
    groups : array-like of shape (n,), optional
    part : array-like of shape (n,)
        Part of each row, from 0. Of two parts the first trains and the second tests.
    n_folds : int
        Experiment `f` begins with part `f` and goes round, as LETOR's folds do: with five parts and five
        folds, fold 1 trains on S1, S2, S3, validates on S4 and tests on S5, fold 2 trains on S2, S3, S4.
    n_train, n_test : int, optional
        Draw so many rows of the training and of the test part at random, regardless of labels.
    inner_folds : int, at least 2
        Where there are two parts: stratified folds of the training part, or folds of whole groups, to
        select the hyper-parameters with.
    seed : int

    Returns
    -------
    folds : list of `n_folds` Fold
        With a validation part, the model selected on it is tested as it is (`refit` is False).

    Raises
    ------
    DatasetError
        If there are fewer parts than folds or than two, fewer rows than asked for, or a part without
        positives or negatives.

    Notes
    -----
    AATP (section 5.5) draws 500 rows of each training fold of LETOR and 1000 of the test fold.
    """
    where = "given parts"
    labels = check_labels(y)
    parts = np.asarray(part)
    count = int(parts.max()) + 1
    if count < 2:
        raise DatasetError(f"{where}: at least two parts are needed, got {count}: use another protocol")
    integer(where, "n_folds", n_folds, 1, count)
    integer(where, "inner_folds", inner_folds, 2)
    rng = np.random.default_rng(seed)
    folds = []
    for f in range(n_folds):
        role = (parts - f) % count
        train = _draw(np.flatnonzero(role < max(count - 2, 1)), n_train, "n_train", rng)
        test = _draw(np.flatnonzero(role == count - 1), n_test, "n_test", rng)
        require(labels[train], None, 1, f"the training part of fold {f}", "raise n_train")
        require(labels[test], None, 1, f"the test part of fold {f}", "raise n_test")
        if count > 2:
            validation = np.flatnonzero(role == count - 2)
            require(labels[validation], None, 1, f"the validation part of fold {f}", "rotate other parts")
            folds.append(Fold(train, test, [(train, validation)], refit=False))
        else:
            inside = np.zeros(len(labels), dtype=bool)
            inside[train] = True
            if groups is None:
                folds.append(_with_inner_items(labels, inside, test, inner_folds, rng))
            else:
                codes = check_groups(groups, len(labels))
                folds.append(_with_inner_groups(labels, codes, inside, test, inner_folds, rng))
    return folds


def _draw(rows: Ints, count: int | None, name: str, rng: np.random.Generator) -> Ints:
    if count is None:
        return rows
    integer("given parts", name, count, 1, len(rows))
    return np.sort(rng.choice(rows, count, replace=False))


def _deal_groups(codes: Ints, n_parts: int, rng: np.random.Generator, name: str) -> Ints:
    """Return the part of each row, equal within a group; codes are looked up by value."""
    distinct, index = np.unique(codes, return_inverse=True)
    if len(distinct) < n_parts:
        raise DatasetError(
            f"split by whole groups: {len(distinct)} groups cannot make {n_parts} parts: lower {name}"
        )
    return rng.permutation(np.arange(len(distinct)) % n_parts)[index]


def _with_inner_groups(
    y: Ints,
    codes: Ints,
    inside: NDArray[np.bool_],
    test: Ints,
    inner_folds: int,
    rng: np.random.Generator,
) -> Fold:
    train = np.flatnonzero(inside)
    part = _deal_groups(codes[train], inner_folds, rng, "inner_folds")
    for i in range(inner_folds):
        require(y[train], part == i, 1, f"inner fold {i}", "lower inner_folds")
    return Fold(train, test, [(train[part != i], train[part == i]) for i in range(inner_folds)])


def _with_inner_items(
    y: Ints, inside: NDArray[np.bool_], test: Ints, inner_folds: int, rng: np.random.Generator
) -> Fold:
    train = np.flatnonzero(inside)
    require(y[train], None, inner_folds, f"{inner_folds} inner folds", "lower inner_folds")
    part = deal(strata_of(y[train], None)[1], inner_folds, rng)
    return Fold(train, test, [(train[part != i], train[part == i]) for i in range(inner_folds)])
