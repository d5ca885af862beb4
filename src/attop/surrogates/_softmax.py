"""Losses of users' lists: softmax, whole and at the top (W. Yang et al. 2025), Talos, and two baselines."""

from __future__ import annotations

from types import ModuleType

import numpy as np

from attop._core.typing import TopLike
from attop.surrogates._grouped import (
    Amounts,
    GroupedSurrogate,
    KOfGroups,
    TopSurrogate,
    check_positive,
)


class _Softmax(GroupedSurrogate):
    smooth = True

    def _kernels(self) -> ModuleType:
        from attop.surrogates._kernels import softmax

        return softmax

    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> KOfGroups:
        return np.ones(len(n_pos), np.int64), n_pos > 0, "a positive"


class SoftmaxLoss(_Softmax):
    r"""Softmax loss: the cross entropy of each positive among the negatives.

    .. math:: \sum_{y_i = 1} \log \Bigl(1 + \sum_{y_j = 0} e^{s_j - s_i}\Bigr).

    Notes
    -----
    Source: W. Yang et al. (2025), "Breaking the Top-K Barrier", KDD, eq. (2.2). At least 0, convex, smooth.
    Divided by :math:`n_+` it is an upper bound of :math:`-\log \mathrm{DCG}`, the natural logarithm of a DCG
    with binary ones in its discounts. A user with more positives counts for more. Weights multiply the terms
    of both sums. Defined on groups with a positive.

    Differences from the paper: its inner sum is over all items, or 1000 sampled negatives. Here it is over
    the positive itself and all negatives, so that positives do not push each other down, and the value is
    bounded. A model scales its scores; those of the paper are cosines divided by :math:`\tau`.

    Examples
    --------
    >>> value, coef = SoftmaxLoss().value_and_coef([0.0, 0.0], [1, 0])
    >>> round(value, 3), coef.tolist()
    (0.693, [-0.5, 0.5])
    """

    name = "softmax"
    loss = "softmax"


class SoftmaxLossAtK(TopSurrogate, _Softmax):
    r"""Softmax loss at k, SL@K: the softmax loss of the positives about and above the k-th score.

    .. math:: \sum_{y_i = 1} \sigma\Bigl(\frac{s_i - s_{(k)}}{h}\Bigr)
              \log \Bigl(1 + \sum_{y_j = 0} e^{s_j - s_i}\Bigr),
              \qquad \sigma(z) = \frac{1}{1 + e^{-z}},

    with :math:`s_{(k)}` the k-th highest score of the list.

    Parameters
    ----------
    top : Top, int or mapping
        The k of each group; an integer is k itself.
    bandwidth : float, positive, default=12.5
        h, in units of the scores. The paper's :math:`\tau_w / \tau_d`, from 11 to 15 where it is best.

    Notes
    -----
    Source: W. Yang et al. (2025), "Breaking the Top-K Barrier", KDD, eq. (3.5) and algorithm C.1. At least 0,
    not convex. With two or more positives among the k highest scores it is an upper bound of
    :math:`-\log \mathrm{DCG@}k`, with one of half of it (theorem 3.2). With h far above the scores it is half
    the softmax loss. An item of weight w counts w times in both sums, and k is a weight. Defined on groups
    with a positive and :math:`1 \le k \le n`.

    As in algorithm C.1, `coef` is the gradient with the k-th score held where it is. Through the k-th score
    the value could be lowered by raising its item, mostly a negative.

    Differences from the paper: as for `SoftmaxLoss`. The k-th score is that of all items, at every call; the
    paper estimates it from the positives and 1000 negatives, every 5 or 20 epochs.
    """

    name = "softmax@k"
    convex = False
    smooth = False
    loss = "at_k"

    def __init__(self, top: TopLike, bandwidth: float = 12.5):
        super().__init__(top)
        self.bandwidth = check_positive("bandwidth", bandwidth)

    def _constant(self) -> float:
        return self.bandwidth


class TalosLossAtK(TopSurrogate, _Softmax):
    r"""Talos: the softmax loss of how far each item is above the k-th score.

    .. math:: \sum_{y_i = 1} \log \Bigl(1 + \sum_{y_j = 0} e^{z_j - z_i}\Bigr),
              \qquad z_i = \frac1\tau \log \sigma(s_i - s_{(k)}),
              \qquad \sigma(x) = \frac{1}{1 + e^{-x}},

    with :math:`s_{(k)}` the k-th highest score of the list.

    Parameters
    ----------
    top : Top, int or mapping
        The k of each group; an integer is k itself.
    temperature : float, positive, default=0.1
        :math:`\tau`. The paper tries 0.05 to 0.3 on scores that are cosines.

    Notes
    -----
    Source: S. Zhang et al. (2026), "Talos", WWW, eq. (3.7), and (3.6) before Jensen's inequality. At least 0,
    not convex. Items far above the k-th score are all alike to it, as :math:`\sigma` saturates; those far
    below are ordered as by the softmax loss of temperature :math:`\tau`. An item of weight w counts w
    times in both sums, and k is a weight. Defined on groups with a positive and :math:`1 \le k \le n`.

    As in the paper, `coef` is the gradient with the k-th score held where it is.

    Differences from the paper: the inner sum is over the positive itself and all negatives, as for
    `SoftmaxLoss`; the paper's is over 1024 sampled negatives alone, which has no lower bound. The k-th score
    is that of all items, at every call; the paper descends on a quantile regression along with the model.
    """

    name = "talos@k"
    convex = False
    smooth = False
    loss = "talos"

    def __init__(self, top: TopLike, temperature: float = 0.1):
        super().__init__(top)
        self.temperature = check_positive("temperature", temperature)

    def _constant(self) -> float:
        return self.temperature


class PairwiseSoftmaxLoss(_Softmax):
    r"""Pairwise softmax loss, PSL-relu: the softmax loss with a power in place of the exponential.

    .. math:: \sum_{y_i = 1} \log \Bigl(1 + \sum_{y_j = 0} \max\bigl(0, 1 + (s_j - s_i) / p\bigr)^p\Bigr).

    Parameters
    ----------
    power : int, at least 2, default=10
        p, the :math:`1 / \tau` of its source.

    Notes
    -----
    Source: W. Yang et al. (2024), "PSL", NeurIPS, eq. (4.1). At least 0, smooth, not convex. At most the
    softmax loss, its limit in p, and divided by :math:`n_+` still a bound of :math:`-\log \mathrm{DCG}`.

    Differences from the paper: as for `SoftmaxLoss`. Its scores are halves of cosines: a scale of p / 2.
    """

    name = "psl"
    convex = False
    loss = "psl"

    def __init__(self, power: int = 10):
        if isinstance(power, bool) or not isinstance(power, int) or power < 2:
            raise ValueError(f"power must be an integer, at least 2, got {power!r}")
        self.power = power

    def _constant(self) -> float:
        return float(self.power)


class BPRLoss(_Softmax):
    r"""Bayesian personalised ranking: the logistic loss of each positive against each negative.

    .. math:: \sum_{y_i = 1} \frac1{n_-} \sum_{y_j = 0} \log \bigl(1 + e^{s_j - s_i}\bigr).

    Notes
    -----
    Source: S. Rendle et al. (2009), "BPR", UAI, section 4; all pairs, no regulariser. Convex, smooth; divided
    by :math:`n_+ \log 2` a bound of 1 - AUC. Weights multiply pairs. Defined on groups with both classes.
    """

    name = "bpr"
    loss = "bpr"
    _group_k = GroupedSurrogate._group_k
