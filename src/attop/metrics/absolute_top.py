"""Metrics of the absolute top: positives above the first negative, and the rank of the first positive."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop.metrics.metric import EXPECTED, Metric, Need
from attop.metrics.ranking import Ranking

__all__ = ["positives_at_top", "reciprocal_rank"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def _positives_at_top(ranking: Ranking, k: Ints) -> Floats:
    clean = ranking.before == ranking.pos_before
    return ranking.total(np.where(clean & (ranking.pos == ranking.size), ranking.pos, 0)).astype(np.float64)


def _reciprocal_rank(ranking: Ranking, k: Ints) -> Floats:
    first = np.flatnonzero((ranking.pos_before == 0) & (ranking.pos > 0))
    size, pos, before = ranking.size[first], ranking.pos[first], ranking.before[first]
    value = 1.0 / (before + 1)
    for g in np.flatnonzero(pos < size):
        left = size[g] - np.arange(size[g] - pos[g] + 1)
        # The first positive is at place i when i - 1 negatives were drawn before it.
        all_negative = np.cumprod(np.concatenate([[1.0], (left[:-1] - pos[g]) / left[:-1]]))
        value[g] = np.sum(all_negative * pos[g] / left / (before[g] + 1 + np.arange(len(left))))
    return value


POSITIVES_AT_TOP = Metric(
    name="positives@top",
    title="Positives@top",
    definition="Number of positives scored strictly above the highest negative.",
    bounds=(0.0, float("inf")),
    ties="a positive tied with the highest negative does not count",
    edge_cases="Undefined without negatives; 0 without positives; grows with the number of positives.",
    needs=(Need.NEGATIVE,),
    kernel=_positives_at_top,
)
RECIPROCAL_RANK = Metric(
    name="reciprocal-rank",
    title="Reciprocal rank",
    definition="1 divided by the rank of the first positive; its mean over groups is MRR.",
    bounds=(0.0, 1.0),
    ties=EXPECTED,
    edge_cases="Undefined without positives.",
    needs=(Need.POSITIVE,),
    kernel=_reciprocal_rank,
)


def positives_at_top(y: ArrayLike, scores: ArrayLike) -> int:
    """Count the positives scored strictly above the highest negative.

    Boyd et al. (2012), appendix B; in Rudin (2005) the left end of the ROC curve.

    Parameters
    ----------
    y : array-like of shape (n,)
        Binary labels, see `attop.sample.check_labels`.
    scores : array-like of shape (n,)
        Finite; the higher, the nearer the top.

    Returns
    -------
    count : int, from 0 to n+

    Raises
    ------
    UndefinedMetricError
        If there is no negative.
    ValueError
        If `y` or `scores` are malformed.

    Examples
    --------
    >>> positives_at_top([1, 1, 0, 1, 0], [4.0, 3.0, 2.0, 2.0, 1.0])
    2
    """
    return int(POSITIVES_AT_TOP.value(y, scores))


def reciprocal_rank(y: ArrayLike, scores: ArrayLike) -> float:
    """Inverse of the rank, counted from 1, of the first positive.

    Parameters
    ----------
    y, scores
        As for `positives_at_top`.

    Returns
    -------
    value : float in (0, 1]
        Expectation over a uniformly random order of tied items.

    Raises
    ------
    UndefinedMetricError
        If there is no positive.
    ValueError
        If `y` or `scores` are malformed.

    Examples
    --------
    >>> reciprocal_rank([0, 1, 0, 1], [4.0, 3.0, 2.0, 1.0])
    0.5
    """
    return RECIPROCAL_RANK.value(y, scores)
