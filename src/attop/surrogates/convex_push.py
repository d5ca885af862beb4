"""Ranking with a convex push: any price with the hinge or the logistic loss."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, get_args

from attop.core.typing import Floats
from attop.surrogates.bipartite import BipartiteSurrogate
from attop.surrogates.push_price import Price, check_power, exp_mean, power_mean
from attop.surrogates.push_sums import PullBack, hinge_sums, logistic_sums

__all__ = ["ConvexPush", "HingePush", "LogisticPush"]


class ConvexPush(BipartiteSurrogate):
    r"""Base of the pushes whose inner sums are computed as they are (Rudin 2005, section 2).

    With positives :math:`x_i`, :math:`i \le I`, and negatives :math:`\tilde x_k`, :math:`k \le K`, the
    paper's objective and the value here are

    .. math:: R_{g,\ell}(f) = \sum_k g(u_k), \quad u_k = \sum_i \ell(f(x_i) - f(\tilde x_k)), \qquad
        \text{value} = \frac1I\, g^{-1}\Bigl(\frac1K R_{g,\ell}(f)\Bigr).

    With :math:`g(r) = r^p` that is :math:`(\frac1K \sum_k (\frac1I u_k)^p)^{1/p}`, the normalisation of
    section 4; with :math:`g = \exp` it is :math:`\frac1I \log \frac1K \sum_k \exp(u_k)`. The minimiser is
    the paper's. The value is in units of the loss: 1 where all scores are equal. With groups, it is the
    mean over those with a positive and a negative.

    Parameters
    ----------
    price : {"power", "exp"}
        The price g.
    p : float, at least 1
        Power of the price; of no effect with ``price="exp"``.

    Notes
    -----
    Convex: a p-norm, or log-sum-exp, of non-negative convex functions in which it increases. (The
    logarithm of the objective, used with the exponential loss, would not be.) An upper bound of the share
    of pairs with the positive at or below the negative, 1 - AUC; moreover of the same average of the
    shares :math:`r_k / I`, where :math:`r_k` positives are at or below negative k, and hence, by
    theorem 1, of :math:`R_{\max} / (I K^{1/p})`.

    Differences from the paper: none but the monotone transformation, which cannot overflow as
    :math:`R_{g,\ell}` does.

    References
    ----------
    C. Rudin, "Ranking with a P-Norm Push", NYU Tech Report TR2005-874, 2005.
    """

    convex: ClassVar[bool] = True
    bounds: ClassVar[str | None] = "AUC"

    def __init__(self, price: Price = "power", p: float = 4.0):
        if price not in get_args(Price):
            raise ValueError(f"price must be 'power' or 'exp', got {price!r}")
        self.price = price
        self.p = check_power(p)

    @staticmethod
    @abstractmethod
    def sums(pos: Floats, neg: Floats, times: Floats) -> tuple[Floats, PullBack]:
        """Return the inner sums and their pull-back; see `attop.surrogates.push_sums`."""

    def evaluate(
        self, pos: Floats, neg: Floats, pos_times: Floats, neg_times: Floats
    ) -> tuple[float, Floats, Floats]:
        """Evaluate one list; see `BipartiteSurrogate`."""
        u, pull_back = self.sums(pos, neg, pos_times)
        mean, weight = power_mean(u, neg_times, self.p) if self.price == "power" else exp_mean(u, neg_times)
        total = float(pos_times.sum())
        pos_coef, neg_coef = pull_back(weight / total)
        return mean / total, pos_coef, neg_coef


class HingePush(ConvexPush):
    r"""Push with the hinge loss :math:`\ell(r) = (1 - r)_+`, in O(n log n); see `ConvexPush`.

    Zero exactly if every positive beats every negative by 1.

    Examples
    --------
    >>> value, coef = HingePush(p=2).value_and_coef([1.0, 0.5], [1, 0])
    >>> value, coef.tolist()
    (0.5, [-1.0, 1.0])
    """

    name: ClassVar[str] = "hinge-push"
    smooth: ClassVar[bool] = False

    @staticmethod
    def sums(pos: Floats, neg: Floats, times: Floats) -> tuple[Floats, PullBack]:
        """Return the inner sums and their pull-back."""
        return hinge_sums(pos, neg, times)


class LogisticPush(ConvexPush):
    r"""Push with the logistic loss :math:`\ell(r) = \log_2(1 + \exp(-r))`; see `ConvexPush`.

    Costs O(I K) time, in blocks of bounded memory.

    Examples
    --------
    >>> value, coef = LogisticPush().value_and_coef([0.3, 0.3], [1, 0])
    >>> value, coef.round(3).tolist()
    (1.0, [-0.721, 0.721])
    """

    name: ClassVar[str] = "logistic-push"
    smooth: ClassVar[bool] = True

    @staticmethod
    def sums(pos: Floats, neg: Floats, times: Floats) -> tuple[Floats, PullBack]:
        """Return the inner sums and their pull-back."""
        return logistic_sums(pos, neg, times)
