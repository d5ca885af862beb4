"""Margin conditions: by how much scores realise them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attop.core.sample import RankingSample
from attop.core.top import Top
from attop.core.typing import Floats, Ints, TopLike
from attop.metrics.ranking import check_scores
from attop.surrogates.base import eligible
from attop.surrogates.grouped import resolve_each

__all__ = ["PApMargins", "PrecMargins", "pap_margins", "prec_margins"]


class PrecMargins(NamedTuple):
    """Largest delta with which scores satisfy each margin condition of prec@k.

    A condition of the paper, which asks for a margin of 1, holds where the number is at least 1.

    Attributes
    ----------
    weak : float
        Some k positives score at least delta above every negative. At 1, the ramp surrogate is 0.
    k : float
        Every n+ - k + 1 positives have a mean at least delta above every negative. At 1, avg is 0.
    strong : float
        Every positive scores at least delta above every negative. At 1, max is 0.
    n_groups, n_left_out : int
        Groups the numbers are the least of, and groups without k positives or without a negative.
    """

    weak: float
    k: float
    strong: float
    n_groups: int
    n_left_out: int


class PApMargins(NamedTuple):
    """Largest delta with which scores satisfy each margin condition of pAp@k.

    A condition of the paper, which asks for a margin of 1, holds where the number is at least 1.

    Attributes
    ----------
    weak : float
        Some beta positives score at least delta above every negative. At 1, the ramp surrogate is 0.
    beta : float
        Every beta positives have a mean at least delta above every negative. At 1, avg is 0.
    moderate : float
        As `weak`, while no positive is below a negative; minus infinity where one is. At 1, both TS
        surrogates are 0.
    strong : float
        Every positive scores at least delta above every negative. At 1, max is 0.
    n_groups, n_left_out : int
        Groups the numbers are the least of, and groups without a positive or with fewer than k negatives.
    """

    weak: float
    beta: float
    moderate: float
    strong: float
    n_groups: int
    n_left_out: int


def prec_margins(
    scores: ArrayLike, y: ArrayLike, top: TopLike, groups: ArrayLike | None = None
) -> PrecMargins:
    r"""Realised margins of prec@k (Kar et al. 2015).

    Parameters
    ----------
    scores : array-like of shape (n,)
        Finite.
    y : array-like of shape (n,)
        Binary labels, see `attop.core.sample.check_labels`.
    top : Top, int or mapping
        k, resolved in each group.
    groups : array-like of shape (n,), optional
        A condition holds on grouped data if it holds in each eligible group.

    Returns
    -------
    margins : PrecMargins
        ``strong <= k <= weak``. A positive `weak` means that prec@k is 0.

    Raises
    ------
    ValueError
        If no group has k positives and a negative, or the input is malformed.

    Notes
    -----
    Of all subsets of a size, the lowest positives have the smallest mean: a sort answers for all.

    Differences from the paper: the size of the subsets in the k-margin, n+ - k + 1, is the one with which
    the margin makes avg 0; with k, as the condition is sometimes quoted, it does not.

    Examples
    --------
    >>> prec_margins([3.0, 2.0, 0.5, 1.0], [1, 1, 1, 0], 2)
    PrecMargins(weak=1.0, k=0.25, strong=-0.5, n_groups=1, n_left_out=0)
    """
    sample = RankingSample.from_labels(y, groups)
    values = check_scores(scores, len(sample.order))
    top = Top.of(top)
    k = resolve_each(top, sample.n_pos, sample.n_neg)
    defined = (k > 0) & (k <= sample.n_pos) & (sample.n_neg > 0)
    leads = _Leads(values, eligible(sample, defined, f"at least k positives ({top}) and a negative"))
    k = k[defined]
    return PrecMargins(
        _least(leads.of_highest(k)),
        _least(leads.mean_of_lowest(leads.n_pos - k + 1)),
        _least(leads.of_highest(leads.n_pos)),
        leads.n_groups,
        sample.n_groups - leads.n_groups,
    )


def pap_margins(scores: ArrayLike, y: ArrayLike, top: TopLike, groups: ArrayLike | None = None) -> PApMargins:
    r"""Realised margins of pAp@k (Hiranandani et al. 2020, definitions 2 to 5), ``beta = min(n+, k)``.

    Parameters
    ----------
    scores, y, top, groups
        As for `prec_margins`.

    Returns
    -------
    margins : PApMargins
        ``strong <= beta``, ``moderate <= weak`` and, where `moderate` is finite, ``strong <= moderate``. A
        positive `weak` means that the risk is 0.

    Raises
    ------
    ValueError
        If no group has a positive and at least k negatives, or the input is malformed.

    Notes
    -----
    Differences from the paper: it calls the beta-margin stronger than the weak one, which is true for
    ``n_+ >= 2 beta - 1`` only; beyond, a positive `beta` leaves open whether the risk is 0.

    Examples
    --------
    >>> pap_margins([3.0, 2.0, 0.5, 1.0], [1, 1, 1, 0], 1)
    PApMargins(weak=2.0, beta=-0.5, moderate=-inf, strong=-0.5, n_groups=1, n_left_out=0)
    """
    sample = RankingSample.from_labels(y, groups)
    values = check_scores(scores, len(sample.order))
    top = Top.of(top)
    k = resolve_each(top, sample.n_pos, sample.n_neg)
    defined = (k > 0) & (k <= sample.n_neg) & (sample.n_pos > 0)
    leads = _Leads(values, eligible(sample, defined, f"a positive and at least k negatives ({top})"))
    beta = np.minimum(leads.n_pos, k[defined])
    weak, strong = leads.of_highest(beta), leads.of_highest(leads.n_pos)
    return PApMargins(
        _least(weak),
        _least(leads.mean_of_lowest(beta)),
        _least(np.where(strong >= 0, weak, -np.inf)),
        _least(strong),
        leads.n_groups,
        sample.n_groups - leads.n_groups,
    )


class _Leads:
    """Scores of positives minus the highest negative of their group, ascending within each group."""

    def __init__(self, values: Floats, sample: RankingSample):
        self.n_pos, self.n_groups = sample.n_pos, sample.n_groups
        group = np.repeat(np.arange(sample.n_groups), np.diff(sample.start))
        laid_out = values[sample.order]
        positive = np.arange(len(group)) < (sample.start[:-1] + sample.n_pos)[group]
        highest_negative = np.full(sample.n_groups, -np.inf)
        np.maximum.at(highest_negative, group[~positive], laid_out[~positive])
        leads, of = (laid_out - highest_negative[group])[positive], group[positive]
        self.leads = leads[np.lexsort((leads, of))]
        self.first = np.cumsum(self.n_pos) - self.n_pos

    def of_highest(self, m: Ints) -> Floats:
        """Lead of the m-th highest positive of each group."""
        return self.leads[self.first + self.n_pos - m]

    def mean_of_lowest(self, m: Ints) -> Floats:
        """Mean lead of the m lowest positives of each group."""
        edges = np.ravel(np.column_stack([self.first, self.first + m]))
        return np.add.reduceat(np.append(self.leads, 0.0), edges)[::2] / m


def _least(margins: Floats) -> float:
    return float(margins.min())
