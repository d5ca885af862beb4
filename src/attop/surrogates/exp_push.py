"""Push with exponential price and exponential loss."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from attop.core.typing import Floats
from attop.surrogates.base import BoundSurrogate, Surrogate
from attop.surrogates.bipartite import BipartiteSurrogate

__all__ = ["ExpPushExp"]


#: exp overflows above it. Where an inner sum is this large, those below it by more than rounding add nothing.
HIGHEST = math.log(np.finfo(float).max)


class ExpPushExp(BipartiteSurrogate):
    r"""Logarithm of the logarithm of the push with price and loss exponential (Rudin 2005, section 2).

    With positives :math:`x_i` and negatives :math:`\tilde x_k`, the paper's objective and the value are

    .. math:: F(f) = \sum_k \exp(u_k), \quad u_k = \sum_i \exp[-f(x_i) + f(\tilde x_k)], \qquad
        \text{value} = \log \log F(f).

    The inner sums factorise as in `PNormPushExp`, so that their logarithms
    :math:`v_k = f(\tilde x_k) + \log \sum_i \exp(-f(x_i))` never overflow and cost O(n). F is an
    exponential of an exponential of a margin: a misranking by 7 overflows it, and one by 710 overflows
    even its logarithm, hence the second one. With groups, the value is the mean over those with a
    positive and a negative.

    Notes
    -----
    Convex: the Hessian of :math:`\log \log \sum_k \exp(\exp(v_k))` is positive semidefinite since, with w
    the softmax of u, :math:`E_w[u z]^2 \le E_w[u] E_w[u z^2]` and
    :math:`E_w[u] \le E_w[u] + \text{entropy}(w) = \log F`; it increases in the :math:`v_k`, which are
    convex. (With a mean instead of the sum over k, it would not be.) It is no bound of a metric in
    [0, 1], but ``exp(value)`` is at least the number of positives at or below the highest negative.

    Differences from the paper: none but the monotone transformation.

    References
    ----------
    C. Rudin, "Ranking with a P-Norm Push", NYU Tech Report TR2005-874, 2005.

    Examples
    --------
    >>> value, coef = ExpPushExp().value_and_coef([1.0, 0.0], [1, 0])
    >>> value, coef.tolist()
    (-1.0, [-1.0, 1.0])
    """

    name: ClassVar[str] = "exp-push"
    convex: ClassVar[bool] = True
    smooth: ClassVar[bool] = True
    bounds: ClassVar[str | None] = None
    no_weights: ClassVar[str] = (
        "a sum over negatives with small weights may fall below 1, where the logarithm of its logarithm is "
        "undefined; the power price takes weights"
    )

    def _bind_weighted(self, y: ArrayLike, groups: ArrayLike | None, weight: Floats) -> BoundSurrogate:
        return Surrogate._bind_weighted(self, y, groups, weight)

    def evaluate(
        self, pos: Floats, neg: Floats, pos_times: Floats, neg_times: Floats
    ) -> tuple[float, Floats, Floats]:
        """Evaluate one list; see `BipartiteSurrogate`."""
        lowest = pos.min()
        softmin = np.exp(lowest - pos)
        total = softmin.sum()
        softmin /= total
        v = neg + (math.log(total) - lowest)

        top = float(v.max())
        # u_k - max u, without forming either.
        price = np.exp(math.exp(min(top, HIGHEST)) * np.expm1(v - top))
        prices = price.sum()
        # log(max u + log sum exp(u - max u)); the inner logarithm is 0 where one negative has all the price.
        excess = math.log(prices)
        value = float(np.logaddexp(top, math.log(excess))) if excess > 0 else top
        neg_coef = (price / prices) * np.exp(v - value)
        return value, -neg_coef.sum() * softmin, neg_coef
