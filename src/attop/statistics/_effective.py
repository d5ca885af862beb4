"""Effective numbers: how many independent units rows, weights, entities or lists are worth.

A mean of rows that weigh differently, or are alike within an entity, varies as much as one of fewer rows
would that are independent and weigh the same. That fewer number is the one that intervals, verdicts,
forecasts, selections and `watch` take. How alike rows of an entity are cannot be told at the top of a good
list, where nearly all are positive: there they count as wholly alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy  # `scipy.special`, a tenth of a second, is imported by its first use
from numpy.typing import ArrayLike

from attop._core.typing import Floats, Ints


def effective_number(worth: ArrayLike, entity: Ints | None = None) -> float:
    """Compute Kish's effective number of units, (sum w)^2 / sum w^2.

    Parameters
    ----------
    worth : array-like of shape (n,)
        What each row counts, not all 0.
    entity : ndarray of int of shape (n,), optional
        Entity of each row, from 0. Its rows are one unit.

    Returns
    -------
    number : float
        From 1 to n; 0.0 where no row counts anything.
    """
    units = np.asarray(worth, dtype=float)
    if entity is not None:
        units = np.bincount(entity, units)
    squares = float((units**2).sum())
    return float(units.sum() ** 2) / squares if squares > 0 else 0.0


def design_effect(worth: ArrayLike, entity: Ints) -> float:
    """Estimate the design effect: variance of a sum over that of independent rows, at least 1.

    With a worth of 1 each it is the size of the entity that a row drawn at random belongs to, on average.

    Parameters
    ----------
    worth : array-like of shape (n,)
        What each row adds to the sum; 1.0 is returned where all add nothing.
    entity : ndarray of int of shape (n,)
        Entity of each row, from 0.
    """
    rows = np.asarray(worth, dtype=float)
    apart = float((rows**2).sum())
    together = float((np.bincount(entity, rows) ** 2).sum())
    return max(1.0, together / apart) if apart > 0 else 1.0


def likeness(y: Ints, entity: Ints | None, worth: Floats | None = None) -> float:
    """Estimate how many rows at the top of a list count as one, because rows of an entity are alike.

    Before there are scores nobody knows which rows will be at the top: positives if the list is good, any
    rows if it is not. The estimate is therefore the larger of two design effects: of all rows, and of the
    positives by what they are worth.

    Parameters
    ----------
    y : ndarray of shape (n,)
        1 for a positive, else 0.
    entity : ndarray of int of shape (n,) or None
        Entity of each row, from 0; None if all rows are independent.
    worth : ndarray of shape (n,), optional
        What each row counts, 1 by default.
    """
    if entity is None:
        return 1.0
    positive = y.astype(float) if worth is None else y * worth
    return max(
        design_effect(np.ones(len(y)), entity), design_effect(positive, entity)
    )


def likeness_within(
    tests: Sequence[Ints], y: Ints, entity: Ints | None, worth: Floats | None = None
) -> float:
    """Compute how many rows at the top of a test part are worth one, see `likeness`.

    An entity is alike with itself within a part alone: of windows in time it has few rows in each, and of
    parts of whole entities all of them.

    Parameters
    ----------
    tests : sequence of ndarray of int
        Rows of each test part, from 0.
    y, entity, worth : ndarray of shape (n,)
        As for `likeness`, of all rows.
    """
    if entity is None:
        return 1.0
    rows = np.concatenate(tests)
    part = np.repeat(np.arange(len(tests)), [len(test) for test in tests])
    pairs = part * (int(entity.max()) + 1) + entity[rows]
    codes = np.unique(pairs, return_inverse=True)[1]
    return likeness(y[rows], codes, None if worth is None else worth[rows])


def largest_design_effect(entity: Ints, order: Ints) -> float:
    """Compute the largest design effect of the first rows of an order, over all lengths.

    Parameters
    ----------
    entity : ndarray of int of shape (n,)
        Entity of each row, from 0.
    order : ndarray of int of shape (m,)
        Rows, first to last: all, or those of one class.
    """
    # A further row of an entity of which c are there adds (c + 1)^2 - c^2 to the sum of squares.
    ordered = entity[order]
    by_entity = np.argsort(ordered, kind="stable")
    first = np.flatnonzero(np.diff(ordered[by_entity], prepend=-1))
    before = np.arange(len(ordered)) - np.repeat(
        first, np.diff(first, append=len(ordered))
    )
    added = np.empty(len(ordered))
    added[by_entity] = 2 * before + 1
    return float(
        (np.cumsum(added) / np.arange(1, len(ordered) + 1)).max(initial=1.0)
    )


def at_most(share: ArrayLike, n: ArrayLike, rate: ArrayLike) -> Floats:
    """Compute the binomial probability of such a share of n or less at a rate."""
    n = np.asarray(n, dtype=float)
    hits = np.asarray(share, dtype=float) * n
    below = hits < n
    chance = scipy.special.betainc(
        np.where(below, n - hits, 1.0), hits + 1, 1 - np.asarray(rate, dtype=float)
    )
    return np.where(below, chance, 1.0)


def at_least(hits: ArrayLike, n: ArrayLike, rate: float) -> Floats:
    """Compute the binomial probability of as many hits of n or more at a rate."""
    hits = np.asarray(hits, dtype=float)
    n = np.asarray(n, dtype=float)
    above = hits > 0
    return np.where(
        above,
        scipy.special.betainc(np.where(above, hits, 1.0), n - hits + 1, rate),
        1.0,
    )
