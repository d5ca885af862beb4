"""Splits that keep all rows of a customer, card or machine on one side."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import ArrayLike

from attop_bench.data.base import DatasetError
from attop_bench.data.builder_parameters import integer
from attop_bench.data.splits.folds import Fold, require
from attop.core.sample import check_groups, check_labels
from attop.core.typing import Ints

__all__ = ["whole_entities"]


def whole_entities(
    y: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    entity: ArrayLike,
    n_folds: int = 5,
    inner_folds: int = 5,
    seed: int,
) -> list[Fold]:
    """Cross-validate over entities: all rows of a customer are in one part, and are ranked in one list.

    Others call the folds group-disjoint; scikit-learn's are `StratifiedGroupKFold`. `whole_groups` deals
    out lists instead: there each group is ranked for itself.

    Parameters
    ----------
    y : array-like of shape (n,)
        Binary labels.
    groups : array-like of shape (n,), optional
        Not looked at.
    entity : array-like of shape (n,)
        Customer, card or machine of each row.
    n_folds, inner_folds : int, at least 2
        The inner folds hold whole entities too.
    seed : int

    Returns
    -------
    folds : list of `n_folds` Fold
        Folds differ in positives by no more than one entity has, and so do they in rows unless too few
        entities are without positives to make up for it.

    Raises
    ------
    DatasetError
        If there are fewer entities than parts, or a part is without positives or negatives altogether.

    Notes
    -----
    Entities with positives are dealt first, those with most before the others, each to the part with the
    fewest positives; then those without, each to the part with the fewest rows. Chance decides between
    equals.
    """
    where = "split by whole entities"
    integer(where, "n_folds", n_folds, 2)
    integer(where, "inner_folds", inner_folds, 2)
    labels = check_labels(y)
    codes = check_groups(entity, len(labels))
    rng = np.random.default_rng(seed)
    part = _deal_entities(labels, codes, n_folds, rng, "n_folds", "the test part of fold")
    folds = []
    for f in range(n_folds):
        train = np.flatnonzero(part != f)
        inner = _deal_entities(labels[train], codes[train], inner_folds, rng, "inner_folds", "inner fold")
        pairs = [(train[inner != i], train[inner == i]) for i in range(inner_folds)]
        folds.append(Fold(train, np.flatnonzero(part == f), pairs))
    return folds


def _deal_entities(
    y: Ints, codes: Ints, n_parts: int, rng: np.random.Generator, option: str, what: str
) -> Ints:
    """Return the part of each row, equal within an entity."""
    distinct, index, size = np.unique(codes, return_inverse=True, return_counts=True)
    if len(distinct) < n_parts:
        raise DatasetError(
            f"split by whole entities: {len(distinct)} entities cannot make {n_parts} parts: lower {option}"
        )
    n_pos = np.bincount(index, weights=y).astype(np.int64)
    order = rng.permutation(len(distinct))
    order = order[np.argsort(-n_pos[order], kind="stable")]
    n_with = int((n_pos > 0).sum())
    part = np.empty(len(distinct), np.int64)
    held = [(0, 0, p) for p in rng.permutation(n_parts).tolist()]  # positives, rows, part
    for e in order[:n_with].tolist():
        positives, rows, p = held[0]
        part[e] = p
        heapq.heapreplace(held, (positives + int(n_pos[e]), rows + int(size[e]), p))
    rest = [(rows, p) for _, rows, p in held]
    heapq.heapify(rest)
    for e in order[n_with:].tolist():
        rows, p = rest[0]
        part[e] = p
        heapq.heapreplace(rest, (rows + int(size[e]), p))
    dealt = part[index]
    for p in range(n_parts):
        require(y, dealt == p, 1, f"{what} {p}", f"lower {option}")
    return dealt
