r"""Losses about a threshold that is a function of the scores (Adam et al. 2020).

All are a mean of squared hinges :math:`l(z) = (1 + z)_+^2` of the positives,

.. math:: \frac{1}{n_+} \sum_{i=1}^{n_+} l(t(s) - s^+_i),

and differ in the threshold t; Grill's have a second term.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from attop.core.typing import TopLike
from attop.surrogates.grouped import Amounts, TopSurrogate, against_negatives, resolve_each

__all__ = ["Grill", "GrillNP", "PatMat", "PatMatNP", "TauFPL", "TopMeanK", "TopPushK"]

_OF_NEGATIVES = "share of positives not above the k-th highest negative"


class _Threshold(TopSurrogate):
    """Of all items, k of which are meant to be above the threshold."""

    convex: ClassVar[bool] = True
    smooth: ClassVar[bool] = False
    bounds: ClassVar[str | None] = "1 - recall@k"

    def _constants(self) -> tuple[float, ...]:
        return (1.0,)


class _OfNegatives(_Threshold):
    """Of the negatives, k of which may be above the threshold: tau is a rate of false positives."""

    bounds: ClassVar[str | None] = _OF_NEGATIVES

    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> tuple[Amounts, NDArray[np.bool_], str]:
        k = resolve_each(self.top, n_pos, n_neg, of_negatives=True)
        return k, (k > 0) & (n_pos > 0), f"a positive and at least k negatives ({self.top} of the negatives)"


class TopPushK(_Threshold):
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
    TauFPL : The same loss with k a share of the negatives.

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

    name: ClassVar[str] = "top-push-k"
    bounds: ClassVar[str | None] = _OF_NEGATIVES
    kernel: ClassVar[str] = "threshold:TOP_PUSH_K"

    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> tuple[Amounts, NDArray[np.bool_], str]:
        return against_negatives(self.top, n_pos, n_neg)


class TauFPL(_OfNegatives):
    r"""Squared hinges of the positives against the mean of the highest negatives, a share of them; convex.

    .. math:: \frac{1}{n_+} \sum_{i=1}^{n_+} (1 + t - s^+_i)_+^2,
              \qquad t = \frac1k \sum_{j=1}^{k} s^-_{(j)}, \qquad k = \lceil \tau n_- \rceil,

    with :math:`s^-_{(j)}` the j-th highest negative.

    Parameters
    ----------
    top : Top, int or mapping
        Of the negatives of each group: ``{"tau": 0.01}`` is a false positive rate of 1%; an integer is k.

    See Also
    --------
    TopPushK : The same loss with k counted on all items.

    Notes
    -----
    Source: Zhang et al. (2018), tau-FPL, its problem of scoring. Bound, minimum at w = 0 and where it is
    defined: as for `TopPushK`.

    Differences from the paper: the paper solves the dual by accelerated projected gradient and then sets a
    threshold on scores out of bootstrap samples; here are the scores alone.
    """

    name: ClassVar[str] = "tau-fpl"
    kernel: ClassVar[str] = "threshold:TOP_PUSH_K"


class TopMeanK(_Threshold):
    r"""Squared hinges of the positives against the mean of the k highest scores; convex.

    .. math:: \frac{1}{n_+} \sum_{i=1}^{n_+} (1 + t - s^+_i)_+^2,
              \qquad t = \frac1k \sum_{j=1}^{k} s_{(j)},

    with :math:`s_{(j)}` the j-th highest score of all items.

    Parameters
    ----------
    top : Top, int or mapping
        The k of each group; an integer is k itself.

    Notes
    -----
    Source: Adam et al. (2020), TopMeanK. An upper bound of the share of positives that are not among the k
    highest. Defined on groups with a positive and :math:`1 \le k \le n`. A lead beyond 1e154 overflows to
    infinity when squared.

    Equal scores are its minimum, value 1, for every :math:`k \le n_+`, on any data: t is at least the mean
    of the k highest positives, hence at least the mean positive, and by Jensen's inequality the loss is at
    least :math:`(1 + t - \bar s^+)^2 \ge 1`. With a regulariser the model is then exactly w = 0. For
    :math:`k > n_+` that is so where no direction lifts the mean positive above t.

    Differences from the paper: the paper leaves the hinge l open. That :math:`k \le n_+` has no model but
    w = 0 is ours to say. The regulariser is the solver's.
    """

    name: ClassVar[str] = "top-mean-k"
    kernel: ClassVar[str] = "threshold:TOP_MEAN_K"


class PatMat(_Threshold):
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
    PatMatNP : The equation over the negatives.

    Notes
    -----
    Source: Adam et al. (2020), Pat&Mat. t is convex in the scores, as the least number whose convex
    excess is at most k. Its derivative is that of the implicit function,

    .. math:: \frac{\partial t}{\partial s_i} = \frac{h_i}{\sum_j h_j},
              \qquad h_i = (1 + \beta (s_i - t))_+.

    At most k items are at or above t. Hence it is an upper bound of the share of positives that are not
    among the k highest. At equal scores the value is :math:`(1 + (1 - \sqrt{k / n}) / \beta)^2`, and the
    threshold moves with the mean of all scores: w = 0 is no minimum where the positives have another mean
    of a feature, unlike with `TopMeanK`.

    Defined on groups with a positive and :math:`1 \le k \le n`. A lead beyond 1e154 overflows to infinity
    when squared.

    Differences from the paper: tau is k / n, with k a whole number as wherever attop counts a top. The paper
    leaves the hinge l open; its square is smooth, and so is the threshold. The regulariser is the solver's.
    """

    name: ClassVar[str] = "pat-mat"
    smooth: ClassVar[bool] = True
    kernel: ClassVar[str] = "threshold:PAT_MAT"

    def __init__(self, top: TopLike, beta: float = 1.0):
        super().__init__(top)
        if isinstance(beta, bool) or not (math.isfinite(beta) and beta > 0):
            raise ValueError(f"beta must be a positive number, got {beta!r}")
        self.beta = float(beta)

    def _constants(self) -> tuple[float, ...]:
        return (self.beta,)


class PatMatNP(_OfNegatives, PatMat):
    r"""Squared hinges of the positives against a smooth quantile of the negatives; convex and smooth.

    .. math:: \frac{1}{n_+} \sum_{i=1}^{n_+} (1 + t - s^+_i)_+^2,
              \qquad \sum_{j=1}^{n_-} (1 + \beta (s^-_j - t))_+^2 = k.

    Parameters
    ----------
    top : Top, int or mapping
        Of the negatives of each group: ``{"tau": 0.01}`` is a false positive rate of 1%; an integer is k.
    beta : float, positive, default=1.0
        See `PatMat`.

    Notes
    -----
    Source: Adam et al. (2020), Pat&Mat-NP. An upper bound of the share of positives not above the k-th
    highest negative. w = 0 is no minimum where the means of the classes differ in a feature. Defined on
    groups with a positive and :math:`1 \le k \le n_-`.

    Differences from the paper: as for `PatMat`.
    """

    name: ClassVar[str] = "pat-mat-np"
    kernel: ClassVar[str] = "threshold:PAT_MAT_NP"


class Grill(_Threshold):
    r"""Squared hinges of both classes about the k-th highest score; not convex.

    .. math:: \frac{1}{n_+} \sum_{i=1}^{n_+} (1 + s_{(k)} - s^+_i)_+^2
              + \frac{1}{n_-} \sum_{j=1}^{n_-} (1 + s^-_j - s_{(k)})_+^2,

    with :math:`s_{(k)}` the k-th highest score of all items.

    Parameters
    ----------
    top : Top, int or mapping
        The k of each group; an integer is k itself.

    Notes
    -----
    Source: Grill and Pevny (2016), as Adam et al. (2020) write it. An upper bound of the share of positives
    that are not among the k highest. `coef` is a generalised gradient, that of the item at the threshold
    included. Defined on groups with a positive, a negative and :math:`1 \le k \le n`. A lead beyond 1e154
    overflows to infinity when squared.

    Differences from the paper: both classes count alike, while Adam et al. weigh them by parameters; the
    hinge is squared; the threshold is differentiated through. The regulariser is the solver's.
    """

    name: ClassVar[str] = "grill"
    convex: ClassVar[bool] = False
    kernel: ClassVar[str] = "threshold:GRILL"

    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> tuple[Amounts, NDArray[np.bool_], str]:
        k, defined, _ = super()._group_k(n_pos, n_neg)
        return k, defined & (n_neg > 0), f"a positive, a negative, and at least k items ({self.top})"


class GrillNP(_OfNegatives):
    r"""Squared hinges of both classes about the k-th highest negative; not convex.

    .. math:: \frac{1}{n_+} \sum_{i=1}^{n_+} (1 + s^-_{(k)} - s^+_i)_+^2
              + \frac{1}{n_-} \sum_{j=1}^{n_-} (1 + s^-_j - s^-_{(k)})_+^2,

    with :math:`s^-_{(k)}` the k-th highest negative.

    Parameters
    ----------
    top : Top, int or mapping
        Of the negatives of each group: ``{"tau": 0.01}`` is a false positive rate of 1%; an integer is k.

    Notes
    -----
    Source: Adam et al. (2020), Grill-NP. An upper bound of the share of positives not above the k-th highest
    negative. Defined on groups with a positive and :math:`1 \le k \le n_-`.

    Differences from the paper: as for `Grill`.
    """

    name: ClassVar[str] = "grill-np"
    convex: ClassVar[bool] = False
    kernel: ClassVar[str] = "threshold:GRILL_NP"
