"""Area under the ROC curve, whole and up to the k highest negatives."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from attop.core.sample import check_labels
from attop.core.top import Top
from attop.core.typing import Floats, Ints, TopLike
from attop.metrics.metric import EXPECTED, Metric, Need, UndefinedMetricError
from attop.metrics.pairs import Ties, correct_pairs
from attop.metrics.ranking import Ranking, check_scores

__all__ = ["auc", "auc_at_k", "partial_auc"]


def _auc(ranking: Ranking, k: Ints, ties: Ties = "expected") -> Floats:
    if ties not in ("expected", "error", "half"):
        raise ValueError(f"ties must be 'expected', 'error' or 'half', got {ties!r}")
    above = np.cumsum(ranking.gain) - ranking.gain
    above = above - above[ranking.first][ranking.group]
    pairs = ranking.loss * (above if ties == "error" else above + ranking.gain / 2)
    return ranking.total(pairs) / (ranking.total(ranking.gain) * ranking.total(ranking.loss))


def _partial_auc(ranking: Ranking, k: Ints, ties: Ties = "expected") -> Floats:
    return correct_pairs(ranking, ranking.n_pos, k, ties) / (ranking.n_pos * k)


AUC = Metric(
    name="auc",
    title="AUC",
    definition="Share of the pairs of a positive and a negative in which the positive has the higher score.",
    bounds=(0.0, 1.0),
    ties=EXPECTED + "; a tied pair counts one half",
    edge_cases="Undefined without positives or without negatives.",
    needs=(Need.POSITIVE, Need.NEGATIVE),
    kernel=_auc,
    weighted=True,
)
PARTIAL_AUC = Metric(
    name="pauc@k",
    title="pAUC(0, k/n-]",
    definition="Share of correctly ranked pairs of a positive and one of the k highest negatives.",
    bounds=(0.0, 1.0),
    ties=EXPECTED,
    edge_cases="Undefined without positives and with fewer than k negatives; equals AUC for k = n-.",
    needs=(Need.POSITIVE, Need.K_NEGATIVES),
    kernel=_partial_auc,
    needs_top=True,
)


def auc(
    y_true: ArrayLike, y_score: ArrayLike, *, ties: Ties = "expected", sample_weight: ArrayLike | None = None
) -> float:
    """Share of correctly ranked pairs of a positive and a negative.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Binary labels, see `attop.core.sample.check_labels`.
    y_score : array-like of shape (n,)
        Finite; the higher, the nearer the top.
    ties : {"expected", "error", "half"}
        A tied pair counts one half, by expectation over its order or by convention, or under ``"error"``
        as misranked.

    sample_weight : array-like of shape (n,), optional
        At least 0; a pair counts the product of its weights, so that 2 is an item that is there twice.

    Returns
    -------
    auc : float in [0, 1]

    Raises
    ------
    UndefinedMetricError
        If there is no positive or no negative.
    ValueError
        If `y_true`, `y_score` or `ties` are malformed.

    Examples
    --------
    >>> auc([1, 0, 1, 0], [3.0, 2.0, 2.0, 1.0])
    0.875
    >>> auc([1, 0, 1, 0], [3.0, 2.0, 2.0, 1.0], ties="error")
    0.75
    """
    return AUC.value(y_true, y_score, sample_weight=sample_weight, ties=ties)


def partial_auc(y_true: ArrayLike, y_score: ArrayLike, top: TopLike, *, ties: Ties = "expected") -> float:
    r"""Area under the ROC curve up to the k-th false positive, divided by its greatest value.

    .. math:: \frac{1}{n_+ k} \sum_{i=1}^{n_+} \sum_{j=1}^{k} 1[s^+_i > s^-_{(j)}]

    with :math:`s^-_{(j)}` the j-th highest negative: pAUC(0, k/n-] in Hiranandani et al. (2020).

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Binary labels, see `attop.core.sample.check_labels`.
    y_score : array-like of shape (n,)
        Finite; the higher, the nearer the top.
    top : Top, int or mapping
        Gives `k`, see `precision_at_k`.
    ties : {"expected", "error", "half"}
        ``"expected"``: exact expectation over a uniformly random order of tied items, which also decides
        which of tied negatives are among the `k`. ``"error"``: a tied pair is misranked, the papers'
        :math:`1[s^+ \le s^-]`. ``"half"``: it counts one half.

    Returns
    -------
    pauc : float in [0, 1]

    Raises
    ------
    UndefinedMetricError
        If there is no positive or there are fewer than `k` negatives.
    ValueError
        If `y_true`, `y_score` or `ties` are malformed.

    Examples
    --------
    >>> partial_auc([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], 1)
    0.5
    """
    return PARTIAL_AUC.value(y_true, y_score, top, ties=ties)


def auc_at_k(y_true: ArrayLike, y_score: ArrayLike, top: TopLike) -> float:
    """AUC among the k items of highest score: how well the top itself is ordered.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Binary labels, see `attop.core.sample.check_labels`.
    y_score : array-like of shape (n,)
        Finite; the higher, the nearer the top.
    top : Top, int or mapping
        Gives `k`, see `precision_at_k`.

    Returns
    -------
    auc : float in [0, 1]
        The exact expectation over a uniformly random order of tied items, among the orders that bring both
        classes into the top.

    Raises
    ------
    UndefinedMetricError
        If no order of tied items brings a positive and a negative among the first k.
    ValueError
        If `y_true`, `y_score` or `top` are malformed, or k is above n.

    Notes
    -----
    It depends on which items are at the top, and so says nothing of two rankings with other items there;
    Hiranandani et al. (2020, section 7.1) report it where precision@k is the same. It is no metric of the
    registry: whether it is defined depends on the scores.

    Examples
    --------
    >>> auc_at_k([1, 0, 1, 0, 1], [5.0, 4.0, 3.0, 2.0, 1.0], 3)
    0.5
    """
    labels = check_labels(y_true)
    n, n_pos = len(labels), int(labels.sum())
    ranking = Ranking.of_list(labels, check_scores(y_score, n))
    k = Top.of(top).resolve(n, n_pos)
    cut = int(ranking.cut_block(np.array([k]))[0])
    pos, neg = ranking.pos, ranking.size - ranking.pos
    correct = float((neg * (ranking.pos_before + pos / 2))[:cut].sum())
    above = int(ranking.pos_before[cut])
    below = int(ranking.before[cut]) - above
    p, q, places = int(pos[cut]), int(neg[cut]), k - int(ranking.before[cut])
    total = chance = 0.0
    for a in range(max(0, places - q), min(places, p) + 1):  # positives of the cut block that get a place
        b = places - a
        if above + a and below + b:
            odds = math.comb(p, a) * math.comb(q, b) / math.comb(p + q, places)
            chance += odds
            total += odds * (correct + b * (above + a / 2)) / ((above + a) * (below + b))
    if not chance:
        raise UndefinedMetricError(
            "one class at the top",
            f"auc@k is undefined: the {k} highest-scoring items are all of one class: raise k",
        )
    return total / chance
