"""Metrics of the ends of the list: its clean top, its first item, its first and its last positive."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attop.core.typing import Floats, Ints
from attop.metrics.metric import EXPECTED, Metric, Need
from attop.metrics.ranking import Ranking

__all__ = ["positives_at_top", "rank_of_last_positive", "reciprocal_rank", "top_1"]


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


def _top_1(ranking: Ranking, k: Ints) -> Floats:
    return ranking.pos[ranking.first] / ranking.size[ranking.first]


def _last_rank(ranking: Ranking, k: Ints) -> Floats:
    last = np.flatnonzero(
        (ranking.pos > 0) & (ranking.pos_before + ranking.pos == ranking.n_pos[ranking.group])
    )
    # The last of p places drawn from t is expected at p (t + 1)/(p + 1).
    size, pos = ranking.size[last], ranking.pos[last]
    return ranking.before[last] + pos * (size + 1) / (pos + 1)


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
TOP_1 = Metric(
    name="top-1",
    title="Top-1",
    definition="1 if the item of the highest score is positive, else 0; its mean over groups is top-1 "
    "accuracy.",
    bounds=(0.0, 1.0),
    ties=EXPECTED + ", so a probability",
    edge_cases="Always defined; 0 without positives.",
    needs=(),
    kernel=_top_1,
)
LAST_RANK = Metric(
    name="last-rank",
    title="Rank of the last positive",
    definition="How far down the list one must go to find every positive.",
    bounds=(1.0, float("inf")),
    ties=EXPECTED,
    edge_cases="Undefined without positives; at least n+, grows with the list.",
    needs=(Need.POSITIVE,),
    kernel=_last_rank,
    higher_is_better=False,
)


def positives_at_top(y_true: ArrayLike, y_score: ArrayLike) -> int:
    """Count the positives scored strictly above the highest negative.

    Boyd et al. (2012), appendix B; in Rudin (2005) the left end of the ROC curve.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Binary labels, see `attop.core.sample.check_labels`.
    y_score : array-like of shape (n,)
        Finite; the higher, the nearer the top.

    Returns
    -------
    count : int, from 0 to n+

    Raises
    ------
    UndefinedMetricError
        If there is no negative.
    ValueError
        If `y_true` or `y_score` are malformed.

    Examples
    --------
    >>> positives_at_top([1, 1, 0, 1, 0], [4.0, 3.0, 2.0, 2.0, 1.0])
    2
    """
    return int(POSITIVES_AT_TOP.value(y_true, y_score))


def reciprocal_rank(y_true: ArrayLike, y_score: ArrayLike) -> float:
    """Inverse of the rank, counted from 1, of the first positive.

    Parameters
    ----------
    y_true, y_score
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
        If `y_true` or `y_score` are malformed.

    Examples
    --------
    >>> reciprocal_rank([0, 1, 0, 1], [4.0, 3.0, 2.0, 1.0])
    0.5
    """
    return RECIPROCAL_RANK.value(y_true, y_score)


def top_1(y_true: ArrayLike, y_score: ArrayLike) -> float:
    """Whether the item of the highest score is positive.

    Parameters
    ----------
    y_true, y_score
        As for `positives_at_top`.

    Returns
    -------
    value : float in [0, 1]
        1 or 0, and with a tie the probability over a uniformly random order of tied items.

    Raises
    ------
    ValueError
        If `y_true` or `y_score` are malformed.

    Examples
    --------
    >>> top_1([0, 1, 1], [2.0, 2.0, 1.0])
    0.5
    """
    return TOP_1.value(y_true, y_score)


def rank_of_last_positive(y_true: ArrayLike, y_score: ArrayLike) -> float:
    """Rank, counted from 1, of the last positive: how far down one must go to have them all.

    Parameters
    ----------
    y_true, y_score
        As for `positives_at_top`.

    Returns
    -------
    rank : float, from n+ to n
        Expectation over a uniformly random order of tied items.

    Raises
    ------
    UndefinedMetricError
        If there is no positive.
    ValueError
        If `y_true` or `y_score` are malformed.

    Examples
    --------
    >>> rank_of_last_positive([0, 1, 0, 1], [4.0, 3.0, 2.0, 2.0])
    3.5
    """
    return LAST_RANK.value(y_true, y_score)
