"""Area under the ROC curve, whole and up to the k highest negatives."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attop.metrics.metric import EXPECTED, Metric, Need
from attop.metrics.pairs import Ties, correct_pairs
from attop.metrics.ranking import Ranking
from attop.typing import Floats, Ints, TopLike

__all__ = ["auc", "partial_auc"]


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
    y: ArrayLike, scores: ArrayLike, *, ties: Ties = "expected", sample_weight: ArrayLike | None = None
) -> float:
    """Share of correctly ranked pairs of a positive and a negative.

    Parameters
    ----------
    y : array-like of shape (n,)
        Binary labels, see `attop.sample.check_labels`.
    scores : array-like of shape (n,)
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
        If `y`, `scores` or `ties` are malformed.

    Examples
    --------
    >>> auc([1, 0, 1, 0], [3.0, 2.0, 2.0, 1.0])
    0.875
    >>> auc([1, 0, 1, 0], [3.0, 2.0, 2.0, 1.0], ties="error")
    0.75
    """
    return AUC.value(y, scores, sample_weight=sample_weight, ties=ties)


def partial_auc(y: ArrayLike, scores: ArrayLike, top: TopLike, *, ties: Ties = "expected") -> float:
    r"""Area under the ROC curve up to the k-th false positive, divided by its greatest value.

    .. math:: \frac{1}{n_+ k} \sum_{i=1}^{n_+} \sum_{j=1}^{k} 1[s^+_i > s^-_{(j)}]

    with :math:`s^-_{(j)}` the j-th highest negative: pAUC(0, k/n-] in Hiranandani et al. (2020).

    Parameters
    ----------
    y : array-like of shape (n,)
        Binary labels, see `attop.sample.check_labels`.
    scores : array-like of shape (n,)
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
        If `y`, `scores` or `ties` are malformed.

    Examples
    --------
    >>> partial_auc([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], 1)
    0.5
    """
    return PARTIAL_AUC.value(y, scores, top, ties=ties)
