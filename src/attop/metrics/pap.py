"""pAp@k, which joins partial AUC and precision@k, and its mean over users."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from attop.core.typing import Floats, Ints, TopLike
from attop.metrics.metric import EXPECTED, Metric, MetricValue, Need
from attop.metrics.pairs import Ties, correct_pairs
from attop.metrics.ranking import Ranking

__all__ = ["macro_pap_at_k", "micro_pap_at_k", "pap_at_k", "pap_at_k_risk"]


def _pap(ranking: Ranking, k: Ints, ties: Ties = "expected") -> Floats:
    beta = np.minimum(ranking.n_pos, k)
    return correct_pairs(ranking, beta, k, ties) / (beta * k)


def _pooled(ranking: Ranking, k: Ints, ties: Ties = "expected") -> Floats:
    """Correct pairs of each group in units of a group's mean number of pairs, so that the mean pools all."""
    beta = np.minimum(ranking.n_pos, k)
    return correct_pairs(ranking, beta, k, ties) / (beta * k).mean()


PAP = Metric(
    name="pap@k",
    title="pAp@k",
    definition="Share of correctly ranked pairs of one of the min(n+, k) highest positives and one of the "
    "k highest negatives.",
    bounds=(0.0, 1.0),
    ties=EXPECTED,
    edge_cases="Undefined without positives and with fewer than k negatives; equals pAUC for n+ <= k.",
    needs=(Need.POSITIVE, Need.K_NEGATIVES),
    kernel=_pap,
    needs_top=True,
)
MICRO_PAP = Metric(
    name="micro-pap@k",
    title="Micro-pAp@k",
    definition="Unweighted mean of pAp@k over the users with a positive and at least k negatives.",
    bounds=(0.0, 1.0),
    ties=EXPECTED,
    edge_cases="Undefined without an eligible user; equals pAp@k on ungrouped data.",
    needs=(Need.POSITIVE, Need.K_NEGATIVES),
    kernel=_pap,
    needs_top=True,
    grouped=True,
)


#: Not in the registry, whose metrics are means over groups.
_MACRO_PAP = replace(MICRO_PAP, name="macro-pap@k", title="Macro-pAp@k", kernel=_pooled)


def pap_at_k(y_true: ArrayLike, y_score: ArrayLike, top: TopLike, *, ties: Ties = "expected") -> float:
    r"""Gain form of pAp@k: one minus the risk of Hiranandani et al. (2020), eq. (1).

    .. math:: 1 - \frac{1}{\beta k} \sum_{i=1}^{\beta} \sum_{j=1}^{k} 1[s^+_{(i)} \le s^-_{(j)}],
              \qquad \beta = \min(n_+, k)

    with :math:`s^+_{(i)}` the i-th highest positive and :math:`s^-_{(j)}` the j-th highest negative.

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
        which of them are selected. ``"error"``: a tied pair is misranked, as in eq. (1). ``"half"``: it
        counts one half.

    Returns
    -------
    gain : float in [0, 1]

    Raises
    ------
    UndefinedMetricError
        If there is no positive or there are fewer than `k` negatives.
    ValueError
        If `y_true`, `y_score` or `ties` are malformed.

    Notes
    -----
    Differences from the paper: eq. (1) is ``ties="error"``. It gives a model whose scores are all equal a
    gain of 0, below that of a random order, so that the expectation is the default.

    Examples
    --------
    >>> pap_at_k([0, 1, 1, 0, 1, 0], [6.0, 5.0, 4.0, 3.0, 2.0, 1.0], 2)
    0.5
    """
    return PAP.value(y_true, y_score, top, ties=ties)


def pap_at_k_risk(y_true: ArrayLike, y_score: ArrayLike, top: TopLike, *, ties: Ties = "expected") -> float:
    """Risk form of pAp@k, ``1 - pap_at_k(...)``: what the surrogates of pAp@k stand for.

    Parameters, errors and ties are those of `pap_at_k`.

    Returns
    -------
    risk : float in [0, 1]

    Examples
    --------
    >>> pap_at_k_risk([1, 0, 0, 0], [1.0, 1.0, 0.0, 0.0], 1, ties="error")
    1.0
    """
    return 1.0 - pap_at_k(y_true, y_score, top, ties=ties)


def micro_pap_at_k(
    y_true: ArrayLike, y_score: ArrayLike, top: TopLike, groups: ArrayLike, *, ties: Ties = "expected"
) -> MetricValue:
    r"""Mean of pAp@k over users (Hiranandani et al. 2020, eq. 17).

    .. math:: \frac{1}{|U|} \sum_{u \in U} \mathrm{pAp@k}_u

    Parameters
    ----------
    y_true, y_score, top, ties
        As for `pap_at_k`; `top` is resolved for each user.
    groups : array-like of shape (n,)
        User of each item.

    Returns
    -------
    value : MetricValue
        The mean gain, the number of users it is the mean of and the number of users left out.

    Raises
    ------
    UndefinedMetricError
        If no user is eligible.
    ValueError
        If the input is malformed.

    Notes
    -----
    Differences from the paper: it does not say what becomes of users without a positive or with fewer than
    `k` negatives, on whom eq. (1) is undefined; here they are left out and counted.

    Examples
    --------
    >>> micro_pap_at_k([1, 0, 0, 1, 0], [5.0, 4.0, 3.0, 2.0, 1.0], 1, ["ann", "ann", "bob", "bob", "cat"])
    MetricValue(value=0.5, n_groups=2, n_left_out=1, reason=None)
    """
    return MICRO_PAP.group_mean(y_true, y_score, top, groups, ties=ties)


def macro_pap_at_k(
    y_true: ArrayLike, y_score: ArrayLike, top: TopLike, groups: ArrayLike, *, ties: Ties = "expected"
) -> MetricValue:
    r"""Share of correctly ranked pairs of all users together: a pair counts once, not a user.

    .. math:: \frac{\sum_{u \in U} \beta_u k_u \, \mathrm{pAp@k}_u}{\sum_{u \in U} \beta_u k_u}

    Parameters
    ----------
    y_true, y_score, top, groups, ties
        As for `micro_pap_at_k`.

    Returns
    -------
    value : MetricValue
        The gain, the number of users that count and the number of users left out.

    Raises
    ------
    UndefinedMetricError
        If no user is eligible.
    ValueError
        If the input is malformed.

    Notes
    -----
    Users with many positives weigh more, as many times as they have pairs. Elsewhere a mean over users is
    called macro, and what pools their pairs micro.

    Differences from the paper: Hiranandani et al. (2020, section 3) name a macro version beside the micro
    one, which is the mean over users, and do not define it. The definition above is ours.

    Examples
    --------
    >>> y_true, y_score = [1, 0, 1, 1, 0, 0], [2.0, 1.0, 2.0, 1.0, 4.0, 3.0]
    >>> users = ["ann", "ann", "bob", "bob", "bob", "bob"]
    >>> micro_pap_at_k(y_true, y_score, {"kappa": 1}, users).value
    0.5
    >>> macro_pap_at_k(y_true, y_score, {"kappa": 1}, users)
    MetricValue(value=0.2, n_groups=2, n_left_out=0, reason=None)
    """
    return _MACRO_PAP.group_mean(y_true, y_score, top, groups, ties=ties)
