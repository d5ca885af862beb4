"""Discounted cumulative gain, and its two normalisations."""

from __future__ import annotations

import numpy as np

from attop._core.typing import Floats, Ints
from attop.metrics._metric import Need, metric
from attop.metrics._ranking import Ranking


def _dcg(ranking: Ranking, k: Ints) -> Floats:
    block, rank = ranking.places()
    relevance = (ranking.gain / ranking.size)[block]
    counted = rank <= k[ranking.group][block]
    return ranking.total_of_places(
        block, np.where(counted, relevance / np.log2(rank + 1), 0.0)
    )


def _full_gain(length: Ints) -> Floats:
    """DCG of lists of only positives, of the given lengths."""
    discounts = 1 / np.log2(np.arange(2, int(length.max()) + 2))
    return np.cumsum(discounts)[length - 1]


@metric(
    "dcg@k",
    "DCG@k",
    "Undefined for k > n; 0 without positives.",
    (Need.K_ITEMS,),
    (
        "DCG of the whole list.",
        "0 without positives; grows with the number of positives.",
    ),
    bounds=(0.0, float("inf")),
    needs_top=True,
    weighted=True,
)
def dcg(ranking: Ranking, k: Ints) -> Floats:
    """Sum over the k highest scores of rel(i) / log2(i + 1), rel(i) = 1 for a positive.

    Without a top, of the whole list. Boyd et al. (2012), appendix B, with ``k = ceil(tau n)``; there called
    DCG@tau. With weights, a positive's gain is its weight.

    Notes
    -----
    Differences from the paper: none in the definition; but the DCG columns of its tables are far above what
    DCG@tau can reach, and fit the DCG of the whole list.

    Examples
    --------
    >>> dcg([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0])
    1.5
    """
    return _dcg(ranking, k)


@metric(
    "ndcg@k",
    "NDCG@k",
    "Undefined for k > n and without positives.",
    (Need.K_ITEMS, Need.POSITIVE),
    (
        "DCG of the whole list divided by the DCG of the ideal order, all positives first.",
        "Undefined without positives.",
    ),
    needs_top=True,
)
def ndcg(ranking: Ranking, k: Ints) -> Floats:
    """DCG@k divided by the DCG@k of the ideal order, all positives first.

    Without a top, of the whole list.

    See Also
    --------
    ndcg_aatp : the normalisation of Boyd et al. (2012).

    Examples
    --------
    >>> round(ndcg([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0]), 6)
    0.919721
    """
    return _dcg(ranking, k) / _full_gain(np.minimum(k, ranking.n_pos))


@metric(
    "ndcg-aatp@k",
    "NDCG@k (AATP)",
    "Undefined for k > n; 0 without positives; below 1 whenever n+ < k.",
    (Need.K_ITEMS,),
    needs_top=True,
)
def ndcg_aatp(ranking: Ranking, k: Ints) -> Floats:
    """DCG@k divided by the DCG@k of a list of only positives (Boyd et al. 2012, appendix B).

    There called NDCG@tau.

    Notes
    -----
    Differences from the paper: it prints the constant Z without the inverse, by which the value would be
    multiplied rather than divided; the division is computed here.

    Examples
    --------
    >>> round(ndcg_aatp([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], 2), 6)
    0.613147
    """
    return _dcg(ranking, k) / _full_gain(k)
