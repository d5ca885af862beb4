"""Overlap of two rankings of the same items: how much of a list stays."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from attop._core.sample import check_scores
from attop._core.top import Top
from attop._core.typing import Floats, TopLike

#: What `rank_biased_overlap` leaves out.
_REST = 1e-15


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
    a, b, k = _checked(first, second, top)
    return float(inside_top(a, k) @ inside_top(b, k)) / k


def jaccard_at_k(first: ArrayLike, second: ArrayLike, top: TopLike) -> float:
    """Items in both tops over items in either, as `overlap_at_k` in parameters, ties and errors.

    Examples
    --------
    >>> round(jaccard_at_k([4, 3, 2, 1], [4, 1, 2, 3], 2), 3)
    0.333
    """
    from scipy.stats import hypergeom  # a second of import, and `attop.metrics` is imported for its names

    a, b, k = _checked(first, second, top)
    p, q = inside_top(a, k), inside_top(b, k)
    tied_a, tied_b = (p > 0) & (p < 1), (q > 0) & (q < 1)
    common, n_a, n_b = int(((p == 1) & (q == 1)).sum()), int(tied_a.sum()), int(tied_b.sum())
    places_a, places_b = k - int((p == 1).sum()), k - int((q == 1).sum())
    a_sure, b_sure = int((tied_a & (q == 1)).sum()), int((tied_b & (p == 1)).sum())
    both = int((tied_a & tied_b).sum())
    chances = np.zeros(k + 1)  # of so many items in both tops
    # First the places of one ranking are drawn: u of the items tied in both, then those sure in the other.
    for u in range(max(0, places_a - (n_a - both)), min(both, places_a) + 1):
        x = hypergeom.pmf(np.arange(k + 1 - common), max(n_a - both, 1), a_sure, places_a - u)
        z = hypergeom.pmf(np.arange(k + 1 - common), max(n_b, 1), b_sure + u, places_b)
        chances[common:] += (
            hypergeom.pmf(u, max(n_a, 1), both, places_a) * np.convolve(x, z)[: k + 1 - common]
        )
    shared = np.arange(k + 1)
    return float(chances @ (shared / (2 * k - shared)))


def rank_biased_overlap(first: ArrayLike, second: ArrayLike, p: float = 0.9) -> float:
    r"""Mean overlap of two rankings over all k, the first places counting most.

    :math:`(1 - p) \sum_k p^{k-1} \mathrm{overlap@}k`, of which the first 1 / (1 - p) places have about 86%.

    Parameters
    ----------
    first, second
        As for `overlap_at_k`, ties and errors too.
    p : float
        Persistence, between 0 and 1.

    References
    ----------
    Webber, Moffat and Zobel (2010), "A similarity measure for indefinite rankings", ACM Transactions on
    Information Systems 28, equation 4; beyond n items the overlap is 1.

    Examples
    --------
    >>> round(rank_biased_overlap([4, 3, 2, 1], [4, 1, 2, 3], 0.5), 4)
    0.8333
    """
    if not 0 < p < 1:
        raise ValueError(f"p must be above 0 and below 1, got {p}")
    a, b, _ = _checked(first, second, 1)
    most = min(len(a), math.ceil(math.log(_REST) / math.log(p)))
    overlaps = np.array([float(inside_top(a, k) @ inside_top(b, k)) / k for k in range(1, most + 1)])
    return float((1 - p) * p ** np.arange(most) @ overlaps + p**most * overlaps[-1])


def _checked(first: ArrayLike, second: ArrayLike, top: TopLike) -> tuple[Floats, Floats, int]:
    n = len(np.asarray(first))
    a, b = check_scores(first, n), check_scores(second, n)
    return a, b, Top.of(top).resolve(n, 0)
