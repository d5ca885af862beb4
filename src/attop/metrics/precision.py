"""Precision, recall and hit among the k highest scores, and average precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attop.core.typing import Floats, Ints, TopLike
from attop.metrics.metric import EXPECTED, Metric, Need
from attop.metrics.ranking import Ranking

__all__ = ["average_precision", "hit_at_k", "precision_at_k", "recall_at_k"]


def _precision(ranking: Ranking, k: Ints) -> Floats:
    return ranking.positives_in_top(k) / k


def _recall(ranking: Ranking, k: Ints) -> Floats:
    return ranking.gain_in_top(k) / ranking.total(ranking.gain)


def _hit(ranking: Ranking, k: Ints) -> Floats:
    cut = ranking.cut_block(k)
    size, pos, taken = ranking.size[cut], ranking.pos[cut], k - ranking.before[cut]
    found = (ranking.pos_before[cut] > 0) | (pos > 0)
    hit = found.astype(np.float64)
    for g in np.flatnonzero((ranking.pos_before[cut] == 0) & (pos > 0) & (taken < size)):
        # P(no positive among those taken) = C(t - p, m) / C(t, m), which is symmetric in m and p.
        few, many = sorted((int(taken[g]), int(pos[g])))
        drawn = size[g] - np.arange(few)
        hit[g] = 1.0 - np.prod(np.maximum(drawn - many, 0) / drawn)
    return hit


def _average_precision(ranking: Ranking, k: Ints) -> Floats:
    block, rank = ranking.places()
    size, pos = ranking.size[block], ranking.pos[block]
    # A positive at place i of a block shares the i - 1 places before it with (i-1)(p-1)/(t-1) others.
    earlier = (rank - ranking.before[block] - 1) * (pos - 1) / np.maximum(size - 1, 1)
    precision = (ranking.pos_before[block] + 1 + earlier) / rank
    return ranking.total_of_places(block, pos / size * precision) / ranking.n_pos


PRECISION = Metric(
    name="precision@k",
    title="Precision@k",
    definition="Positives among the k highest scores, divided by k; P@tau when the top is given as tau.",
    bounds=(0.0, 1.0),
    ties=EXPECTED,
    edge_cases="Undefined for k > n; 0 without positives; at most n+/k.",
    needs=(Need.K_ITEMS,),
    kernel=_precision,
    needs_top=True,
)
RECALL = Metric(
    name="recall@k",
    title="Recall@k",
    definition="Positives among the k highest scores, divided by the number of positives.",
    bounds=(0.0, 1.0),
    ties=EXPECTED,
    edge_cases="Undefined for k > n and without positives; at most k/n+.",
    needs=(Need.K_ITEMS, Need.POSITIVE),
    kernel=_recall,
    needs_top=True,
    weighted=True,
)
HIT = Metric(
    name="hit@k",
    title="Hit@k",
    definition="1 if there is a positive among the k highest scores, else 0.",
    bounds=(0.0, 1.0),
    ties=EXPECTED + ", so a probability",
    edge_cases="Undefined for k > n; 0 without positives.",
    needs=(Need.K_ITEMS,),
    kernel=_hit,
    needs_top=True,
)
AVERAGE_PRECISION = Metric(
    name="ap",
    title="AP",
    definition="Mean over the positives of the precision at their rank.",
    bounds=(0.0, 1.0),
    ties=EXPECTED,
    edge_cases="Undefined without positives.",
    needs=(Need.POSITIVE,),
    kernel=_average_precision,
)


def precision_at_k(y_true: ArrayLike, y_score: ArrayLike, top: TopLike) -> float:
    """Share of positives among the `k` highest scores.

    With the top given as `tau` this is P@tau of Boyd et al. (2012), appendix B: ``k = ceil(tau n)``.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Binary labels, see `attop.core.sample.check_labels`.
    y_score : array-like of shape (n,)
        Finite; the higher, the nearer the top.
    top : Top, int or mapping
        How much of the top: ``10`` and ``{"k": 10}`` are items, ``{"tau": 0.05}`` a share of the items,
        ``{"kappa": 0.25}`` one of the positives.

    Returns
    -------
    precision : float in [0, 1]
        Expectation over a uniformly random order of tied items.

    Raises
    ------
    UndefinedMetricError
        If ``k > n``.
    ValueError
        If `y_true` or `y_score` are malformed.

    Notes
    -----
    Differences from the paper: it counts the items scored at least the tau-quantile, which under ties may
    be more than `k`; here they are always `k`, and a tie at the cut counts in expectation.

    Examples
    --------
    >>> precision_at_k([1, 0, 1, 0], [3.0, 2.0, 2.0, 1.0], 2)
    0.75
    """
    return PRECISION.value(y_true, y_score, top)


def recall_at_k(
    y_true: ArrayLike, y_score: ArrayLike, top: TopLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Share of the positives, or of what they are worth, found among the `k` highest scores.

    Parameters
    ----------
    y_true, y_score, top
        As for `precision_at_k`.
    sample_weight : array-like of shape (n,), optional
        What each item is worth, at least 0, such as an amount: the value is then the share captured of what
        all positives are worth. The top is `k` items, whatever these are worth.

    Returns
    -------
    recall : float in [0, 1]
        Expectation over a uniformly random order of tied items.

    Raises
    ------
    UndefinedMetricError
        If ``k > n`` or there is no positive.
    ValueError
        If `y_true` or `y_score` are malformed.

    Examples
    --------
    >>> recall_at_k([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], 2)
    0.5
    >>> recall_at_k([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], 2, sample_weight=[900.0, 5.0, 100.0, 7.0])
    0.9
    """
    return RECALL.value(y_true, y_score, top, sample_weight=sample_weight)


def hit_at_k(y_true: ArrayLike, y_score: ArrayLike, top: TopLike) -> float:
    """Whether there is a positive among the `k` highest scores.

    Parameters
    ----------
    y_true, y_score, top
        As for `precision_at_k`.

    Returns
    -------
    hit : float in [0, 1]
        1 or 0, and with a tie at the cut the probability over a uniformly random order of tied items.

    Raises
    ------
    UndefinedMetricError
        If ``k > n``.
    ValueError
        If `y_true` or `y_score` are malformed.

    Examples
    --------
    >>> hit_at_k([0, 1, 0, 1], [4.0, 3.0, 2.0, 1.0], 2)
    1.0
    """
    return HIT.value(y_true, y_score, top)


def average_precision(y_true: ArrayLike, y_score: ArrayLike) -> float:
    """Mean over the positives of the precision at their rank (Boyd et al. 2012, appendix B).

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Binary labels, see `attop.core.sample.check_labels`.
    y_score : array-like of shape (n,)
        Finite; the higher, the nearer the top.

    Returns
    -------
    ap : float in (0, 1]
        Expectation over a uniformly random order of tied items. Without ties it equals scikit-learn's
        ``average_precision_score``, which with ties takes a whole tie block as one step instead.

    Raises
    ------
    UndefinedMetricError
        If there is no positive.
    ValueError
        If `y_true` or `y_score` are malformed.

    Notes
    -----
    Differences from the paper: its formula prints ``P@quantile(i)``, which it also uses for the percentage
    i/N; the precision among the first i items is meant.

    Examples
    --------
    >>> average_precision([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0])
    0.8333333333333333
    """
    return AVERAGE_PRECISION.value(y_true, y_score)
