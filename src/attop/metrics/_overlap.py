"""Overlap of two rankings of the same items: how much of a list stays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attop._core.sample import check_scores
from attop._core.top import Top
from attop._core.typing import Floats, TopLike


def inside_top(scores: Floats, k: float) -> Floats:
    """Compute the share of the orders of tied items in which each item is among the first k."""
    ordered = np.sort(-scores)
    before = np.searchsorted(ordered, -scores, "left")
    level = np.searchsorted(ordered, -scores, "right") - before
    return np.clip((k - before) / level, 0.0, 1.0)


class TiesAtK(NamedTuple):
    """Items of equal score of which the cut takes some.

    Attributes
    ----------
    items : int
        That many; 0 where the k-th score differs from the next.
    places : int
        Of the k places, those that are drawn among them.
    """

    items: int
    places: int


def ties_at_k(y_score: ArrayLike, top: TopLike) -> TiesAtK:
    """Count the items tied at the cut: which of them are among the k highest is left to chance.

    Parameters
    ----------
    y_score : array-like of shape (n,)
    top : Top, int or mapping
        k, or a share of the n items.

    Returns
    -------
    ties : TiesAtK

    Raises
    ------
    ValueError
        If scores are malformed, k is above n, or top is a share of the positives.

    Examples
    --------
    >>> ties_at_k([4, 3, 3, 3, 1], 2)
    TiesAtK(items=3, places=1)
    >>> ties_at_k([4, 3, 3, 3, 1], 4)
    TiesAtK(items=0, places=0)
    """
    scores = check_scores(y_score)
    k = Top.of(top).resolve(len(scores), None)
    last = np.partition(scores, -k)[-k]
    above = int((scores > last).sum())
    level = int((scores == last).sum())
    return TiesAtK(0, 0) if above + level == k else TiesAtK(level, k - above)


def overlap_at_k(first: ArrayLike, second: ArrayLike, top: TopLike) -> float:
    """Share of the k highest items of one ranking that are among the k highest of another.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Scores of the same items.
    top : Top, int or mapping
        k, or a share of the n items.

    Returns
    -------
    overlap : float in [0, 1]
        The exact expectation over random orders of tied items, drawn for each ranking by itself.

    Raises
    ------
    ValueError
        If scores are malformed or of different length, k is above n, or top is a share of the positives.

    Examples
    --------
    >>> overlap_at_k([4, 3, 2, 1], [4, 1, 2, 3], 2)
    0.5
    >>> overlap_at_k([4, 3, 2, 1], [4, 3, 3, 1], 2)
    0.75
    """
    a = check_scores(first)
    b = check_scores(second, len(a))
    k = Top.of(top).resolve(len(a), None)
    return float(inside_top(a, k) @ inside_top(b, k)) / k
