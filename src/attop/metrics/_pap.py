"""Correctly ranked pairs at the top: partial AUC, and pAp@k, which joins it and precision@k.

AUC, pAUC(0, k/n-] and pAp@k count the same thing over different selections.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from attop._core.sample import Label
from attop._core.typing import Floats, Ints, TopLike
from attop.metrics._metric import MetricValue, Need, Ties, metric
from attop.metrics._ranking import Ranking


def correct_pairs(
    ranking: Ranking, n_top_pos: Ints, n_top_neg: Ints, ties: Ties = "expected"
) -> Floats:
    """Count the correctly ranked pairs of the highest positives and the highest negatives of each group.

    Under ``"error"`` and ``"half"`` a tied pair counts 0 and one half, and which of several tied items is
    selected makes no difference. Under ``"expected"`` the order that ranks a pair also selects the items, so
    that the chance of a tied pair need not be one half: of tied negatives the first ones are selected, and
    fewer positives come before those.
    """
    neg = ranking.size - ranking.pos
    neg_before = ranking.before - ranking.pos_before
    top_pos = n_top_pos[ranking.group]
    top_neg = n_top_neg[ranking.group]
    selected_pos = np.clip(top_pos - ranking.pos_before, 0, ranking.pos)
    selected_neg = np.clip(top_neg - neg_before, 0, neg)
    above = ranking.total(selected_neg * np.minimum(ranking.pos_before, top_pos))
    if ties == "error":
        return above.astype(np.float64)
    if ties == "half":
        return above + ranking.total(selected_pos * selected_neg) / 2
    return above + ranking.total(
        _expected_tied(ranking.pos, neg, selected_pos, selected_neg)
    )


def _expected_tied(p: Ints, q: Ints, a: Ints, c: Ints) -> Floats:
    """Expected pairs of tied items: the first `a` of `p` positives, the first `c` of `q` negatives.

    With ``a = p`` each positive has its own uniform place among the q negatives, with ``c = q`` each
    negative among the p positives; at most one block of a group is cut through both.
    """
    pairs = np.where(
        a == p,
        p * (c * (c + 1) / (2 * (q + 1))),
        c * (a * (2 * p - a + 1) / (2 * (p + 1))),
    )
    for block in np.flatnonzero((a > 0) & (a < p) & (c > 0) & (c < q)):
        pairs[block] = _expected_cut(
            int(p[block]), int(q[block]), int(a[block]), int(c[block])
        )
    return pairs


def _expected_cut(p: int, q: int, a: int, c: int) -> float:
    """Expected pairs of one block, see `_expected_tied`, given the v negatives before the a-th positive.

    v is negative hypergeometric. Given v, each of the a - 1 earlier positives has a uniform place among
    these v negatives, and is in (c - negatives before it)+ pairs.
    """
    v = np.arange(q + 1)
    odds = (a + v[:-1]) * (q - v[:-1]) / ((v[:-1] + 1) * (p + q - a - v[:-1]))
    log_chance = np.concatenate([[0.0], np.cumsum(np.log(odds))])
    chance = np.exp(log_chance - log_chance.max())
    pairs = np.where(
        v <= c, a * c - v * (a + 1) / 2, (a - 1) * (c * (c + 1) / (2 * (v + 1)))
    )
    return float(chance @ pairs / chance.sum())


@metric(
    "pauc@k",
    "pAUC(0, k/n-]",
    "Undefined without positives and with fewer than k negatives; equals AUC for k = n-.",
    (Need.POSITIVE, Need.K_NEGATIVES),
    needs_top=True,
)
def partial_auc(ranking: Ranking, k: Ints, ties: Ties = "expected") -> Floats:
    r"""Share of correctly ranked pairs of a positive and one of the k highest negatives.

    Area under the ROC curve up to the k-th false positive, divided by its greatest value:

    .. math:: \frac{1}{n_+ k} \sum_{i=1}^{n_+} \sum_{j=1}^{k} 1[s^+_i > s^-_{(j)}]

    with :math:`s^-_{(j)}` the j-th highest negative: pAUC(0, k/n-] in Hiranandani et al. (2020).

    Examples
    --------
    >>> partial_auc([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], 1)
    0.5
    """
    return correct_pairs(ranking, ranking.n_pos, k, ties) / (ranking.n_pos * k)


@metric(
    "pap@k",
    "pAp@k",
    "Undefined without positives and with fewer than k negatives; equals pAUC for n+ <= k.",
    (Need.POSITIVE, Need.K_NEGATIVES),
    needs_top=True,
)
def pap_at_k(ranking: Ranking, k: Ints, ties: Ties = "expected") -> Floats:
    r"""Share of correctly ranked pairs of one of the min(n+, k) highest positives and one of the k highest
    negatives.

    One minus the risk of Hiranandani et al. (2020), eq. (1):

    .. math:: 1 - \frac{1}{\beta k} \sum_{i=1}^{\beta} \sum_{j=1}^{k} 1[s^+_{(i)} \le s^-_{(j)}],
              \qquad \beta = \min(n_+, k)

    with :math:`s^+_{(i)}` the i-th highest positive and :math:`s^-_{(j)}` the j-th highest negative.

    Notes
    -----
    Differences from the paper: eq. (1) is ``ties="error"``. It gives a model whose scores are all equal a
    gain of 0, below that of a random order, so that the expectation is the default.

    Examples
    --------
    >>> pap_at_k([0, 1, 1, 0, 1, 0], [6.0, 5.0, 4.0, 3.0, 2.0, 1.0], 2)
    0.5
    """
    beta = np.minimum(ranking.n_pos, k)
    return correct_pairs(ranking, beta, k, ties) / (beta * k)


def _pooled(ranking: Ranking, k: Ints, ties: Ties = "expected") -> Floats:
    """Correct pairs of each group in units of a group's mean number of pairs, so that the mean pools all."""
    beta = np.minimum(ranking.n_pos, k)
    return correct_pairs(ranking, beta, k, ties) / (beta * k).mean()


MICRO_PAP = replace(
    pap_at_k.metric,
    name="micro-pap@k",
    title="Micro-pAp@k",
    definition="Unweighted mean of pAp@k over the users with a positive and at least k negatives.",
    edge_cases="Undefined without an eligible user; equals pAp@k on ungrouped data.",
    grouped=True,
)
#: Not in the registry, whose metrics are means over groups.
_MACRO_PAP = replace(
    MICRO_PAP, name="macro-pap@k", title="Macro-pAp@k", kernel=_pooled
)


def pap_at_k_risk(
    y_true: ArrayLike,
    y_score: ArrayLike,
    top: TopLike,
    *,
    ties: Ties = "expected",
    pos_label: Label | None = None,
) -> float:
    """Risk form of pAp@k, ``1 - pap_at_k(...)``: what the surrogates of pAp@k stand for.

    Parameters and errors are those of `pap_at_k`.

    Returns
    -------
    risk : float in [0, 1]

    Examples
    --------
    >>> pap_at_k_risk([1, 0, 0, 0], [1.0, 1.0, 0.0, 0.0], 1, ties="error")
    1.0
    """
    return 1.0 - pap_at_k(y_true, y_score, top, ties=ties, pos_label=pos_label)


def micro_pap_at_k(
    y_true: ArrayLike,
    y_score: ArrayLike,
    top: TopLike,
    groups: ArrayLike,
    *,
    ties: Ties = "expected",
    pos_label: Label | None = None,
) -> MetricValue:
    r"""Mean of pAp@k over users (Hiranandani et al. 2020, eq. 17).

    .. math:: \frac{1}{|U|} \sum_{u \in U} \mathrm{pAp@k}_u

    Parameters
    ----------
    y_true, y_score, top, ties, pos_label
        As for `pap_at_k`; `top` is resolved for each user.
    groups : array-like of shape (n,)
        User of each item.

    Returns
    -------
    value : MetricValue
        The mean gain, the number of users it is the mean of and the number of users left out.

    Notes
    -----
    Differences from the paper: it does not say what becomes of users without a positive or with fewer than
    `k` negatives, for which eq. (1) is undefined; here they are left out and counted.

    Examples
    --------
    >>> micro_pap_at_k([1, 0, 0, 1, 0], [5.0, 4.0, 3.0, 2.0, 1.0], 1, ["ann", "ann", "bob", "bob", "cat"])
    MetricValue(value=0.5, n_groups=2, n_left_out=1, reason=None)
    """
    return MICRO_PAP.group_mean(
        y_true, y_score, top, groups, pos_label=pos_label, ties=ties
    )


def macro_pap_at_k(
    y_true: ArrayLike,
    y_score: ArrayLike,
    top: TopLike,
    groups: ArrayLike,
    *,
    ties: Ties = "expected",
    pos_label: Label | None = None,
) -> MetricValue:
    r"""Share of correctly ranked pairs of all users together: a pair counts once, not a user.

    .. math:: \frac{\sum_{u \in U} \beta_u k_u \, \mathrm{pAp@k}_u}{\sum_{u \in U} \beta_u k_u}

    Parameters
    ----------
    y_true, y_score, top, groups, ties, pos_label
        As for `micro_pap_at_k`.

    Returns
    -------
    value : MetricValue
        The gain, the number of users that count and the number of users left out.

    Notes
    -----
    Users with many positives weigh more, as many times as they have pairs. Elsewhere a mean over users is
    called macro, and what pools their pairs micro.

    Differences from the paper: Hiranandani et al. (2020, section 3) name a macro version besides the micro
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
    return _MACRO_PAP.group_mean(
        y_true, y_score, top, groups, pos_label=pos_label, ties=ties
    )
