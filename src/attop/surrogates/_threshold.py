r"""Losses about a threshold that is a function of the scores: the highest negative, or a mean, or a quantile.

Those of Adam et al. (2020) are a mean of squared hinges :math:`l(z) = (1 + z)_+^2` of the positives,

.. math:: \frac{1}{n_+} \sum_{i=1}^{n_+} l(t(s) - s^+_i),

and differ in the threshold t; with the highest negative it is TopPush.
"""

from __future__ import annotations

from types import ModuleType

from attop._core.sample import resolve_each
from attop._core.typing import TopLike
from attop.surrogates._grouped import (
    Amounts,
    GroupedSurrogate,
    KOfGroups,
    TopSurrogate,
    against_negatives,
    check_positive,
)


class _AboutThreshold(GroupedSurrogate):
    def _kernels(self) -> ModuleType:
        from attop.surrogates._kernels import threshold

        return threshold


class InfinitePushHinge(_AboutThreshold):
    r"""Hinge loss of the infinite push.

    .. math:: \max_j \frac{1}{n_+} \sum_{i=1}^{n_+} (1 - (s^+_i - s^-_j))_+,

    where the maximum is at the highest negative.

    Notes
    -----
    Source: Agarwal (2011). An upper bound of the share of positives not above every negative; zero if
    every positive beats every negative by 1. Defined on groups with a positive and a negative.
    """

    name = "infinite-push"
    loss = "hinge"


class TopPushLoss(_AboutThreshold):
    r"""Truncated quadratic loss against the highest negative.

    .. math:: \frac{1}{n_+} \sum_{i=1}^{n_+} (1 + \max_j s^-_j - s^+_i)_+^2

    Notes
    -----
    Source: Li, Jin and Zhou (2014), TopPush. An upper bound of the share of positives not above every
    negative; zero if every positive beats every negative by 1. Differentiable where a single negative
    is the highest. Defined on groups with a positive and a negative. A lead beyond 1e154 overflows to
    infinity when squared.
    """

    name = "top-push"
    loss = "squared_hinge"


class TopPushK(TopSurrogate, _AboutThreshold):
    r"""Squared hinges of the positives against the mean of the k highest negatives; convex.

    .. math:: \frac{1}{n_+} \sum_{i=1}^{n_+} (1 + t - s^+_i)_+^2,
              \qquad t = \frac1k \sum_{j=1}^{k} s^-_{(j)},

    with :math:`s^-_{(j)}` the j-th highest negative.

    Parameters
    ----------
    top : Top, int or mapping
        The k of each group, counted on all its items; an integer is k itself.

    See Also
    --------
    TopPushLoss : k = 1.

    Notes
    -----
    Source: Adam et al. (2020), TopPushK. An upper bound of the share of positives not above the k-th highest
    negative. Where the scores are a linear function of features and the k highest negatives lie, on average,
    at or above the mean positive in every direction, w = 0 is the minimum whatever the regularisation
    (Jensen's inequality); a larger k makes that rarer. Defined on groups with a positive and
    :math:`1 \le k \le n_-`. A lead beyond 1e154 overflows to infinity when squared.

    Differences from the paper: the paper leaves the hinge l open; its square makes k = 1 the published
    TopPush. The regulariser is the solver's.
    """

    name = "top-push-k"
    loss = "top_push_k"

    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> KOfGroups:
        return against_negatives(self.top, n_pos, n_neg)


class PatMatLoss(TopSurrogate, _AboutThreshold):
    r"""Squared hinges of the positives against a smooth quantile of all scores; convex and smooth.

    .. math:: \frac{1}{n_+} \sum_{i=1}^{n_+} (1 + t - s^+_i)_+^2,
              \qquad \sum_{i=1}^{n} (1 + \beta (s_i - t))_+^2 = k.

    Parameters
    ----------
    top : Top, int or mapping
        The k of each group; an integer is k itself.
    beta : float, positive, default=1.0
        Scale of the scores in the equation: the larger, the nearer is t to the k-th highest score, and the
        smaller, the less does t look at the top alone.

    See Also
    --------
    PatMatNPLoss : The equation over the negatives.

    Notes
    -----
    Source: Adam et al. (2020), Pat&Mat. t is convex in the scores, as the least number whose convex
    excess is at most k. Its derivative is that of the implicit function,

    .. math:: \frac{\partial t}{\partial s_i} = \frac{h_i}{\sum_j h_j},
              \qquad h_i = (1 + \beta (s_i - t))_+.

    At most k items are at or above t. Hence it is an upper bound of the share of positives that are not
    among the k highest. At equal scores the value is :math:`(1 + (1 - \sqrt{k / n}) / \beta)^2`, and the
    threshold moves with the mean of all scores: w = 0 is not a minimum where the positives have another mean
    of a feature.

    Defined on groups with a positive and :math:`1 \le k \le n`. A lead beyond 1e154 overflows to infinity
    when squared.

    Differences from the paper: tau is k / n, with k a whole number as wherever attop counts a top. The paper
    leaves the hinge l open; its square is smooth, and so is the threshold. The regulariser is the solver's.
    """

    name = "pat-mat"
    smooth = True
    loss = "pat_mat"

    def __init__(self, top: TopLike, beta: float = 1.0):
        super().__init__(top)
        self.beta = check_positive("beta", beta)

    def _constant(self) -> float:
        return self.beta


class PatMatNPLoss(PatMatLoss):
    r"""Squared hinges of the positives against a smooth quantile of the negatives; convex and smooth.

    .. math:: \frac{1}{n_+} \sum_{i=1}^{n_+} (1 + t - s^+_i)_+^2,
              \qquad \sum_{j=1}^{n_-} (1 + \beta (s^-_j - t))_+^2 = k.

    Parameters
    ----------
    top : Top, int or mapping
        Of the negatives of each group: ``{"tau": 0.01}`` is a false positive rate of 1%; an integer is k.
    beta : float, positive, default=1.0
        See `PatMatLoss`.

    Notes
    -----
    Source: Adam et al. (2020), Pat&Mat-NP. An upper bound of the share of positives not above the k-th
    highest negative. w = 0 is not a minimum where the means of the classes differ in a feature. Defined on
    groups with a positive and :math:`1 \le k \le n_-`.

    Differences from the paper: as for `PatMatLoss`.
    """

    name = "pat-mat-np"
    loss = "pat_mat_np"

    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> KOfGroups:
        k = resolve_each(self.top, n_pos, n_neg, of_negatives=True)
        return (
            k,
            (k > 0) & (n_pos > 0),
            f"a positive and at least k negatives ({self.top} of the negatives)",
        )
