"""Surrogates of prec@k: those of Kar, Narasimhan and Jain (2015), and the smoothed one."""

from __future__ import annotations

from types import ModuleType

from attop._core.sample import resolve_each
from attop._core.typing import TopLike
from attop.surrogates._grouped import (
    Amounts,
    KOfGroups,
    TopSurrogate,
    check_positive,
)


class _PrecAtK(TopSurrogate):
    def _kernels(self) -> ModuleType:
        from attop.surrogates._kernels import prec_at_k

        return prec_at_k


class PrecAtKStruct(_PrecAtK):
    r"""Structural SVM surrogate of prec@k.

    .. math:: \max_{\hat y \in \{0,1\}^n, \|\hat y\|_1 = k}
              \Delta(\hat y) + \sum_i (\hat y_i - y_i) s_i,
              \qquad \Delta(\hat y) = \sum_i (1 - y_i) \hat y_i,

    the sum of the k largest of :math:`s_i + 1[y_i = 0]` minus the sum of all positives' scores.

    Notes
    -----
    Source: Joachims (2005); Kar et al. (2015), eq. (3). Value in items, not divided by k. Convex.

    Defined on groups with a positive and :math:`1 \le k \le n`. For :math:`k = n_+` it is the ramp
    surrogate, an upper bound of prec@k. In general it is none: for :math:`n_+ > k` the positives beyond
    k are subtracted without being called, for :math:`n_+ < k` negatives are called without an opponent.
    For the same reason adding a constant to all scores changes the value unless :math:`k = n_+`, the
    value can be negative, and it may decrease without bound along a ray; use it with a regulariser.

    Differences from the paper: none known; the copy consulted quotes the definition incompletely, and it
    is stated here as Joachims (2005) has it.
    """

    name = "prec@k-struct"
    loss = "struct"


class PrecAtKRamp(_PrecAtK):
    r"""Ramp surrogate of prec@k: the tightest of the family, and not convex.

    .. math:: \max_{\|\hat y\|_1 = k} \Bigl\{ \Delta(\hat y) + \sum_i \hat y_i s_i \Bigr\}
              - \max_{\|\tilde y\|_1 = k, \tilde y \le y} \sum_i \tilde y_i s_i
              = \sum_{i=1}^{k} (1 + s^-_{(i)} - s^+_{(k+1-i)})_+,

    with :math:`s^\pm_{(i)}` the i-th highest positive or negative.

    Notes
    -----
    Source: Kar et al. (2015), eq. (4). Value in items, not divided by k. An upper bound of prec@k.

    Defined on groups with :math:`1 \le k \le n_+`. Zero if some k positives beat every negative by 1
    (the weak k-margin). The closed form on the right replaces positives called, the lowest first, by
    the highest negatives while that pays. `coef` is a generalised gradient: the gradient wherever there
    is one.
    """

    name = "prec@k-ramp"
    convex = False
    loss = "ramp"

    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> KOfGroups:
        k = resolve_each(self.top, n_pos, n_neg)
        return k, (k > 0) & (k <= n_pos), f"at least k positives ({self.top})"


class PrecAtKMax(_PrecAtK):
    r"""Max surrogate of prec@k: convex, the loosest of the family.

    .. math:: \max_{\|\hat y\|_1 = k} \Bigl\{ \Delta(\hat y) + \sum_i (\hat y_i - y_i) s_i
              + \max_{\tilde y \le (1 - \hat y) y, \|\tilde y\|_1 = n_+ - k} \sum_i \tilde y_i s_i \Bigr\}
              = \sum_{i=1}^{k} (1 + s^-_{(i)} - s^+_{[i]})_+,

    with :math:`s^-_{(i)}` the i-th highest negative and :math:`s^+_{[i]}` the i-th lowest positive.

    Notes
    -----
    Source: Kar et al. (2015), eq. (6). Value in items, not divided by k. For :math:`k \le n_+` an upper
    bound of prec@k. Zero if every positive beats every negative by 1 (the strong margin).

    Defined on groups with a positive and :math:`1 \le k \le n`.

    Differences from the paper: the paper asks for :math:`k \le n_+`. For :math:`k > n_+`, where k - n+
    negatives are in the top whatever the scores, the sum here stops at :math:`n_+`; it then bounds the
    avoidable part prec@k - (k - n+), the number of positives missed.
    """

    name = "prec@k-max"
    loss = "max_"


class PrecAtKAvg(_PrecAtK):
    r"""Average surrogate of prec@k: convex, between ramp and max.

    .. math:: \max_{\|\hat y\|_1 = k} \Bigl\{ \Delta(\hat y) + \sum_i (\hat y_i - y_i) s_i
              + \frac{n_+ - k}{n_+ - K(\hat y)} \sum_i (1 - \hat y_i) y_i s_i \Bigr\},
              \qquad K(\hat y) = \sum_i y_i \hat y_i.

    For given :math:`K(\hat y) = k'` the best choice is the highest positives and negatives, hence

    .. math:: \max_{k'} \; (k - k') + \sum_{i \le k - k'} s^-_{(i)} - D \sum_{i > k'} s^+_{(i)},
              \qquad D = \frac{k - k'}{n_+ - k'}.

    Notes
    -----
    Source: Kar et al. (2015), section 3. Value in items, not divided by k. For :math:`k \le n_+` an upper
    bound of prec@k, unchanged when a constant is added to all scores, and zero if every n+ - k + 1
    positives have a mean score of at least 1 above every negative (the k-margin). That every k of them
    have does not suffice: positives (10, 0), negatives (1, 1) and k = 2 give 2, and prec@k is 1.

    Defined on groups with :math:`1 \le k \le n_+`, or a positive and :math:`n_+ < k < n`.

    Differences from the paper: the paper asks for :math:`k \le n_+`. For :math:`k > n_+` this is the
    extension that experiments with pAp@k compare with: :math:`D = (\min(k, n_+) - k')/(n_+ - k') = 1`
    and :math:`k' < n_+`. It remains convex, but is neither a bound of prec@k nor below the max surrogate,
    can be negative, and may decrease without bound along a ray; use it with a regulariser.
    """

    name = "prec@k-avg"
    loss = "avg"

    no_weights = (
        "its maximum runs over the whole numbers of positives at the top, and weights need not add up to "
        "these; prec@k-max and prec@k-soft take weights"
    )

    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> KOfGroups:
        k = resolve_each(self.top, n_pos, n_neg)
        defined = (k > 0) & (n_pos > 0) & ((k <= n_pos) | (k < n_pos + n_neg))
        return (
            k,
            defined,
            f"at least k positives, or a positive and more than k items ({self.top})",
        )


class SoftPrecAtK(TopSurrogate):
    r"""One minus the precision@k of a list whose cut is soft.

    .. math:: 1 - \frac1k \sum_{y_i = 1} \sigma\Bigl(\frac{s_i - t(s)}{h}\Bigr),
              \qquad \sum_i \sigma\Bigl(\frac{s_i - t(s)}{h}\Bigr) = k,
              \qquad \sigma(z) = \frac{1}{1 + e^{-z}}.

    Parameters
    ----------
    top : Top, int or mapping
        The k of each group; an integer is k itself.
    bandwidth : float, positive, default=1.0
        h, in units of the scores.

    Notes
    -----
    Source of the soft top-k: Xie et al. (2020), "Differentiable Top-k with Optimal Transport", NeurIPS, an
    entropic weight of 2h. Struski et al. (2025), "LapSum", ICML, have a Laplace distribution in place of the
    logistic one; Petersen et al. (2022) sort by a network, Sander et al. (2023) project.

    The cut t moves with the scores, and is differentiated through: with
    :math:`q_i = \sigma'((s_i - t)/h)` and :math:`\bar y = \sum_i q_i y_i / \sum_i q_i`, the share of
    positives at the cut, the derivative of the value by :math:`s_i` is
    :math:`q_i (\bar y - y_i) / (k h)`. A positive at the cut is pushed up as much as there are negatives
    to gain from, one far above or below it is left alone: bounded, smooth, not convex.

    Between :math:`1 - \min(1, n_+/k)` and 1. Adding a constant to all scores changes nothing, nor does
    multiplying scores and h by one number. As h tends to 0 it tends to one minus precision@k, ties
    at the cut shared; as h grows, to one minus the share of positives.

    Defined on groups with a positive and :math:`1 \le k \le n`; constant for k = n.
    """

    name = "prec@k-soft"
    convex = False
    smooth = True
    loss = "soft"

    def _kernels(self) -> ModuleType:
        from attop.surrogates._kernels import soft_prec_at_k

        return soft_prec_at_k

    def __init__(self, top: TopLike, bandwidth: float = 1.0):
        super().__init__(top)
        self.bandwidth = check_positive("bandwidth", bandwidth)

    def _constant(self) -> float:
        return self.bandwidth
