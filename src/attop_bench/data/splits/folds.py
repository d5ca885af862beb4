"""Rows of one experiment, and how rows are dealt out to parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop_bench.data.base import DatasetError
from attop.core.sample import check_groups, check_labels
from attop.core.typing import Ints

__all__ = ["Fold", "deal", "deal_units", "require", "shuffled", "strata_of", "with_inner_folds"]


@dataclass(frozen=True)
class Fold:
    """Rows of one experiment; all arrays hold increasing row numbers of the data set.

    Attributes
    ----------
    train : ndarray
        Rows the final model is trained on.
    test : ndarray
        Rows it is tested on; no other array has any of them.
    inner : list of (fit, validation)
        Pairs of row numbers to select the hyper-parameters with: train on `fit`, score `validation`.
    refit : bool
        True: the pairs split `train`, or are of earlier days, and the final model is trained anew on all of
        `train`. False: there is one pair, its `fit` is `train`, its `validation` lies outside, and the model
        selected is final.
    """

    train: Ints
    test: Ints
    inner: list[tuple[Ints, Ints]]
    refit: bool = True


def strata_of(y: ArrayLike, groups: ArrayLike | None) -> tuple[Ints, Ints]:
    """Return labels, and codes of the combinations of label and group, negatives first."""
    labels = check_labels(y)
    if groups is None:
        return labels, labels
    codes = check_groups(groups, len(labels))
    return labels, labels * (codes.max() + 1) + codes


def shuffled(strata: Ints, rng: np.random.Generator) -> Ints:
    """Return the rows stratum by stratum, in random order within each."""
    order = rng.permutation(len(strata))
    return order[np.argsort(strata[order], kind="stable")]


def deal(strata: Ints, n_parts: int, rng: np.random.Generator) -> Ints:
    """Deal the rows out like cards, stratum by stratum; return the part of each row.

    Strata lie one after the other, so any run of them, such as a class, is dealt as evenly as one.
    """
    part = np.empty(len(strata), np.int64)
    part[shuffled(strata, rng)] = np.arange(len(strata)) % n_parts
    return part


def deal_units(strata: Ints, unit: Ints | None, n_parts: int, rng: np.random.Generator) -> Ints:
    """Deal out units of rows, those of one stratum and size after one another; each row if there are none."""
    if unit is None:
        return deal(strata, n_parts, rng)
    distinct, index, size = np.unique(unit, return_inverse=True, return_counts=True)
    stratum = np.zeros(len(distinct), np.int64)
    np.maximum.at(stratum, index, strata)  # that of a positive, where there is one
    return deal(stratum * (size.max() + 1) + size, n_parts, rng)[index]


def with_inner_folds(
    y: Ints,
    strata: Ints,
    inside: NDArray[np.bool_],
    inner_folds: int,
    rng: np.random.Generator,
    remedy: str,
    unit: Ints | None = None,
) -> Fold:
    """Return the fold that trains on the rows `inside`."""
    require(y, inside, inner_folds, f"{inner_folds} inner folds of a training part", remedy)
    train = np.flatnonzero(inside)
    part = deal_units(strata[train], None if unit is None else unit[train], inner_folds, rng)
    for i in range(inner_folds) if unit is not None else ():
        require(y[train], part == i, 1, f"inner fold {i}", remedy)
    inner = [(train[part != i], train[part == i]) for i in range(inner_folds)]
    return Fold(train, np.flatnonzero(~inside), inner)


def require(y: Ints, rows: NDArray[np.bool_] | None, least: int, what: str, remedy: str) -> None:
    """Refuse rows with fewer than `least` positives or negatives."""
    labels = y if rows is None else y[rows]
    n_pos = int(labels.sum())
    n_neg = len(labels) - n_pos
    if min(n_pos, n_neg) < least:
        raise DatasetError(
            f"{what} cannot all have both classes: at least {least} positives and {least} negatives "
            f"are needed, got {n_pos} and {n_neg}: {remedy}, or add data"
        )
