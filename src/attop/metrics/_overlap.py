"""Overlap of two rankings of the same items: how much of a list stays."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attop._core.sample import check_scores
from attop._core.top import Top
from attop._core.typing import Floats, TopLike


def inside_top(scores: Floats, k: float) -> Floats:
    """Return the share of the orders of tied items in which each item is among the first k."""
    ordered = np.sort(-scores)
    before = np.searchsorted(ordered, -scores, "left")
    level = np.searchsorted(ordered, -scores, "right") - before
    return np.clip((k - before) / level, 0.0, 1.0)


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
        If scores are malformed or of different length, or k is above n.

    Examples
    --------
    >>> overlap_at_k([4, 3, 2, 1], [4, 1, 2, 3], 2)
    0.5
    >>> overlap_at_k([4, 3, 2, 1], [4, 3, 3, 1], 2)
    0.75
    """
    n = len(np.asarray(first))
    a, b, k = check_scores(first, n), check_scores(second, n), Top.of(top).resolve(n, 0)
    return float(inside_top(a, k) @ inside_top(b, k)) / k
