"""Discounted cumulative gain, and its two normalisations."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attop.core.typing import Floats, Ints, TopLike
from attop.metrics.metric import EXPECTED, Metric, Need
from attop.metrics.ranking import Ranking

__all__ = ["dcg", "ndcg", "ndcg_aatp"]


def _full_gain(length: Ints) -> Floats:
    """DCG of lists of only positives, of the given lengths."""
    discounts = 1 / np.log2(np.arange(2, int(length.max()) + 2))
    return np.cumsum(discounts)[length - 1]


def _dcg(ranking: Ranking, k: Ints) -> Floats:
    block, rank = ranking.places()
    relevance = (ranking.gain / ranking.size)[block]
    counted = rank <= k[ranking.group][block]
    return ranking.total_of_places(block, np.where(counted, relevance / np.log2(rank + 1), 0.0))


def _ndcg(ranking: Ranking, k: Ints) -> Floats:
    return _dcg(ranking, k) / _full_gain(np.minimum(k, ranking.n_pos))


def _ndcg_aatp(ranking: Ranking, k: Ints) -> Floats:
    return _dcg(ranking, k) / _full_gain(k)


DCG_AT_K = Metric(
    name="dcg@k",
    title="DCG@k",
    definition="Sum over the k highest scores of rel(i) / log2(i + 1), rel(i) = 1 for a positive.",
    bounds=(0.0, float("inf")),
    ties=EXPECTED,
    edge_cases="Undefined for k > n; 0 without positives.",
    needs=(Need.K_ITEMS,),
    kernel=_dcg,
    needs_top=True,
    weighted=True,
)
DCG = Metric(
    name="dcg",
    title="DCG",
    definition="DCG of the whole list.",
    bounds=(0.0, float("inf")),
    ties=EXPECTED,
    edge_cases="0 without positives; grows with the number of positives.",
    needs=(),
    kernel=_dcg,
    weighted=True,
)
NDCG_AT_K = Metric(
    name="ndcg@k",
    title="NDCG@k",
    definition="DCG@k divided by the DCG@k of the ideal order, all positives first.",
    bounds=(0.0, 1.0),
    ties=EXPECTED,
    edge_cases="Undefined for k > n and without positives.",
    needs=(Need.K_ITEMS, Need.POSITIVE),
    kernel=_ndcg,
    needs_top=True,
)
NDCG = Metric(
    name="ndcg",
    title="NDCG",
    definition="DCG of the whole list divided by the DCG of the ideal order, all positives first.",
    bounds=(0.0, 1.0),
    ties=EXPECTED,
    edge_cases="Undefined without positives.",
    needs=(Need.POSITIVE,),
    kernel=_ndcg,
)
NDCG_AATP = Metric(
    name="ndcg-aatp@k",
    title="NDCG@k (AATP)",
    definition="DCG@k divided by the DCG@k of a list of only positives (Boyd et al. 2012, appendix B).",
    bounds=(0.0, 1.0),
    ties=EXPECTED,
    edge_cases="Undefined for k > n; 0 without positives; below 1 whenever n+ < k.",
    needs=(Need.K_ITEMS,),
    kernel=_ndcg_aatp,
    needs_top=True,
)


def dcg(
    y_true: ArrayLike,
    y_score: ArrayLike,
    top: TopLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Discounted cumulative gain :math:`\sum_{i \le k} rel(i) / \log_2(i + 1)`.

    Boyd et al. (2012), appendix B, with ``k = ceil(tau n)``; there called DCG@tau.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Binary labels, see `attop.core.sample.check_labels`.
    y_score : array-like of shape (n,)
        Finite; the higher, the nearer the top.
    top : Top, int or mapping, optional
        How much of the top counts, see `precision_at_k`; None for the whole list.
    sample_weight : array-like of shape (n,), optional
        At least 0: the gain of each positive in place of 1.

    Returns
    -------
    dcg : float, at least 0
        Expectation over a uniformly random order of tied items.

    Raises
    ------
    UndefinedMetricError
        If ``k > n``.
    ValueError
        If `y_true` or `y_score` are malformed.

    Notes
    -----
    Differences from the paper: none in the definition; but the DCG columns of its tables are far above what
    DCG@tau can reach, and fit the DCG of the whole list.

    Examples
    --------
    >>> dcg([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0])
    1.5
    """
    metric = DCG if top is None else DCG_AT_K
    return metric.value(y_true, y_score, top, sample_weight=sample_weight)


def ndcg(y_true: ArrayLike, y_score: ArrayLike, top: TopLike | None = None) -> float:
    """DCG divided by the DCG of the ideal order, in which all positives come first.

    Parameters
    ----------
    y_true, y_score, top
        As for `dcg`.

    Returns
    -------
    ndcg : float in [0, 1]
        Expectation over a uniformly random order of tied items.

    Raises
    ------
    UndefinedMetricError
        If ``k > n`` or there is no positive.
    ValueError
        If `y_true` or `y_score` are malformed.

    See Also
    --------
    ndcg_aatp : the normalisation of Boyd et al. (2012).

    Examples
    --------
    >>> round(ndcg([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0]), 6)
    0.919721
    """
    return NDCG.value(y_true, y_score) if top is None else NDCG_AT_K.value(y_true, y_score, top)


def ndcg_aatp(y_true: ArrayLike, y_score: ArrayLike, top: TopLike) -> float:
    """DCG of the top divided by the DCG of a list of only positives of the same length.

    Boyd et al. (2012), appendix B, there called NDCG@tau.

    Parameters
    ----------
    y_true, y_score, top
        As for `precision_at_k`.

    Returns
    -------
    ndcg : float in [0, 1]
        Expectation over a uniformly random order of tied items; 1 needs at least `k` positives.

    Raises
    ------
    UndefinedMetricError
        If ``k > n``.
    ValueError
        If `y_true` or `y_score` are malformed.

    Notes
    -----
    Differences from the paper: it prints the constant Z without the inverse, by which the value would be
    multiplied rather than divided; the division is computed here.

    Examples
    --------
    >>> round(ndcg_aatp([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], 2), 6)
    0.613147
    """
    return NDCG_AATP.value(y_true, y_score, top)
