"""Convex pushes (Rudin 2005): any price with the hinge or the logistic loss, and both exponential."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from numbers import Real
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from attop._core.sample import RankingSample
from attop._core.typing import Floats
from attop.surrogates._base import BoundSurrogate, Surrogate, of_both_classes

Price = Literal["power", "exp"]
#: From weights of the sums to coefficients of the positives and of the negatives.
PullBack = Callable[[Floats], tuple[Floats, Floats]]

LOG2 = math.log(2)
#: Pairs held at once, where there are not more positives than that: 2 MB an array, which stays in cache.
PAIRS_PER_BLOCK = 2**18


class BipartiteSurrogate(Surrogate):
    """A surrogate of one list, averaged over the groups that have a positive and a negative."""

    @abstractmethod
    def evaluate(
        self, pos: Floats, neg: Floats, pos_counts: Floats, neg_counts: Floats
    ) -> tuple[float, Floats, Floats]:
        """Compute the value of one list, and a subgradient in the positives and in the negatives.

        `pos` and `neg` are scores, at least one each, `pos_counts` and `neg_counts` how often each counts.
        """

    def _bind(
        self, y: ArrayLike, groups: ArrayLike | None, weight: Floats | None
    ) -> BoundSurrogate:
        sample, eligible_sample = of_both_classes(y, groups, weight)
        return _BoundBipartite(
            self,
            eligible_sample,
            sample,
            np.ones(len(sample.order)) if weight is None else weight,
        )


class _BoundBipartite(BoundSurrogate):
    def __init__(
        self,
        surrogate: BipartiteSurrogate,
        eligible_sample: RankingSample,
        sample: RankingSample,
        counts: Floats,
    ):
        self.n = len(sample.order)
        self.n_groups = eligible_sample.n_groups
        self.n_left_out = sample.n_groups - eligible_sample.n_groups
        self._evaluate = surrogate.evaluate
        self._counts = counts
        self._lists = [
            (
                eligible_sample.order[start : start + n_pos],
                eligible_sample.order[start + n_pos : stop],
            )
            for start, n_pos, stop in zip(
                eligible_sample.start[:-1],
                eligible_sample.n_pos,
                eligible_sample.start[1:],
                strict=True,
            )
        ]

    def __call__(self, scores: Floats) -> tuple[float | Floats, Floats]:
        columns = scores if scores.ndim == 2 else scores[:, np.newaxis]
        counts = self._counts
        value = np.zeros(columns.shape[1])
        coef = np.zeros(columns.shape)
        for model in range(columns.shape[1]):
            for positives, negatives in self._lists:
                one, pos_coef, neg_coef = self._evaluate(
                    columns[positives, model],
                    columns[negatives, model],
                    counts[positives],
                    counts[negatives],
                )
                value[model] += one
                coef[positives, model] = pos_coef
                coef[negatives, model] = neg_coef
        value /= self.n_groups
        coef /= self.n_groups
        return (value, coef) if scores.ndim == 2 else (float(value[0]), coef[:, 0])


class ConvexPush(BipartiteSurrogate):
    """Base of `HingePush` and `LogisticPush`, whose inner sums are computed as they are."""

    convex = True

    def __init__(self, price: Price = "power", p: float = 4.0):
        if price not in get_args(Price):
            raise ValueError(f"price must be 'power' or 'exp', got {price!r}")
        self.price = price
        self.p = check_power(p)

    @abstractmethod
    def _sums(
        self, pos: Floats, neg: Floats, counts: Floats
    ) -> tuple[Floats, PullBack]:
        """Compute the inner sums and their pull-back; see `hinge_sums`."""

    def evaluate(
        self, pos: Floats, neg: Floats, pos_counts: Floats, neg_counts: Floats
    ) -> tuple[float, Floats, Floats]:
        """Compute the value of one list, and a subgradient in the positives and in the negatives."""
        u, pull_back = self._sums(pos, neg, pos_counts)
        mean, weight = (
            power_mean(u, neg_counts, self.p)
            if self.price == "power"
            else exp_mean(u, neg_counts)
        )
        total = float(pos_counts.sum())
        pos_coef, neg_coef = pull_back(weight / total)
        return mean / total, pos_coef, neg_coef


class HingePush(ConvexPush):
    r"""Push with the hinge loss :math:`\ell(r) = (1 - r)_+`, in O(n log n) (Rudin 2005, section 2).

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

    Zero exactly if every positive beats every negative by 1.

    Differences from the paper: none but the monotone transformation, which cannot overflow as
    :math:`R_{g,\ell}` does.

    Examples
    --------
    >>> value, coef = HingePush(p=2).value_and_coef([1.0, 0.5], [1, 0])
    >>> value, coef.tolist()
    (0.5, [-1.0, 1.0])
    """

    name = "hinge-push"
    smooth = False

    def _sums(
        self, pos: Floats, neg: Floats, counts: Floats
    ) -> tuple[Floats, PullBack]:
        return hinge_sums(pos, neg, counts)


class LogisticPush(ConvexPush):
    r"""Push with the logistic loss :math:`\ell(r) = \log_2(1 + \exp(-r))`; see `HingePush`.

    Costs O(I K) time, in blocks of bounded memory.

    Examples
    --------
    >>> value, coef = LogisticPush().value_and_coef([0.3, 0.3], [1, 0])
    >>> value, coef.round(3).tolist()
    (1.0, [-0.721, 0.721])
    """

    name = "logistic-push"
    smooth = True

    def _sums(
        self, pos: Floats, neg: Floats, counts: Floats
    ) -> tuple[Floats, PullBack]:
        return logistic_sums(pos, neg, counts)


#: exp overflows above it. Where an inner sum is this large, those below it by more than rounding add nothing.
_HIGHEST = math.log(np.finfo(float).max)


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
    convex. (With a mean instead of the sum over k, it would not be.) It does not bound a metric in
    [0, 1], but ``exp(value)`` is at least the number of positives at or below the highest negative.

    Differences from the paper: none but the monotone transformation.

    Examples
    --------
    >>> value, coef = ExpPushExp().value_and_coef([1.0, 0.0], [1, 0])
    >>> value, coef.tolist()
    (-1.0, [-1.0, 1.0])
    """

    name = "exp-push"
    convex = True
    smooth = True
    no_weights = (
        "a sum over negatives with small weights may fall below 1, where the logarithm of its logarithm is "
        "undefined; the power price takes weights"
    )

    def evaluate(
        self, pos: Floats, neg: Floats, pos_counts: Floats, neg_counts: Floats
    ) -> tuple[float, Floats, Floats]:
        """Compute the value of one list, and a subgradient in the positives and in the negatives."""
        lowest = pos.min()
        softmin = np.exp(lowest - pos)
        total = softmin.sum()
        softmin /= total
        v = neg + (math.log(total) - lowest)

        top = float(v.max())
        # u_k - max u, without forming either.
        price = np.exp(math.exp(min(top, _HIGHEST)) * np.expm1(v - top))
        prices = price.sum()
        # log(max u + log sum exp(u - max u)); the inner logarithm is 0 where one negative has all the price.
        excess = math.log(prices)
        value = float(np.logaddexp(top, math.log(excess))) if excess > 0 else top
        neg_coef = (price / prices) * np.exp(v - value)
        return value, -neg_coef.sum() * softmin, neg_coef


def check_power(p: float) -> float:
    """Convert the power of a price to a float; refuse anything but a finite number of at least 1."""
    if isinstance(p, bool) or not isinstance(p, Real):
        raise TypeError(f"p must be a real number of at least 1, got {p!r}")
    if not (math.isfinite(p) and p >= 1):
        raise ValueError(
            f"p must be finite and at least 1, got {p!r}: below 1 the price would be concave, and "
            "negatives at the top would count less, not more"
        )
    return float(p)


def power_mean(u: Floats, counts: Floats, p: float) -> tuple[float, Floats]:
    r"""Average `u`, at least 0, by the price :math:`g(r) = r^p`; `counts` says how often each counts.

    Returns :math:`(\sum_k t_k u_k^p / \sum_k t_k)^{1/p}`, from powers of ``u / max(u)``, which cannot
    overflow, and its derivatives, at least 0; all 0 where `u` is 0, the minimum.
    """
    top = float(u[counts > 0].max())
    if top == 0:
        return 0.0, np.zeros_like(u)
    share = np.where(counts > 0, u / top, 0.0)
    total = float(counts.sum())
    mean = float(np.sum(counts * share**p)) / total
    return top * mean ** (1 / p), counts * share ** (p - 1) * (
        mean ** (1 / p - 1) / total
    )


def exp_mean(u: Floats, counts: Floats) -> tuple[float, Floats]:
    r"""Average `u` by the price :math:`g(r) = \exp(r)`.

    As `power_mean`: :math:`\log (\sum_k t_k \exp(u_k) / \sum_k t_k)`, as a log-sum-exp, and its derivatives,
    at least 0 and of sum 1.
    """
    top = float(u[counts > 0].max())
    below = np.where(counts > 0, u - top, 0.0)
    weight = counts * np.exp(below)
    weight /= weight.sum()
    # log1p and expm1: where all exponents are nearly equal, the logarithm is tiny and would lose its digits.
    return top + math.log1p(
        float(np.sum(counts * np.expm1(below)) / counts.sum())
    ), weight


def hinge_sums(pos: Floats, neg: Floats, counts: Floats) -> tuple[Floats, PullBack]:
    r"""Sum hinge losses by negative, in O(n log n).

    Returns :math:`u_k = \sum_i t_i (1 - pos_i + neg_k)_+`, `counts` t saying how often each positive counts;
    and what turns weights :math:`w_k \ge 0` into a subgradient of :math:`\sum_k w_k u_k` in `pos` and in
    `neg`. A hinge at its kink has slope -1.

    As a function of a threshold z the sum :math:`\sum_i t_i (z - pos_i)_+` grows at the rate of the number
    of positives below z, or their weight. It is therefore accumulated along the merged order of the
    positives and of :math:`1 + neg_k` from terms that are never negative: no digits cancel, as they would
    in a difference of prefix sums, and a power of the sums keeps its precision.
    """
    n_pos = len(pos)
    at = np.concatenate([pos, neg + 1])
    # A positive goes before a negative at its kink.
    order = np.argsort(at, kind="stable")
    is_pos = order < n_pos
    positives = order[is_pos]
    negatives = order[~is_pos] - n_pos
    below = np.zeros(len(at))
    below[is_pos] = counts[positives]
    below = np.cumsum(below)
    rise = below.copy()
    rise[1:] = rise[:-1] * np.diff(at[order])
    rise[0] = 0.0
    sums = np.empty(len(neg))
    sums[negatives] = np.cumsum(rise)[~is_pos]

    def pull_back(weight: Floats) -> tuple[Floats, Floats]:
        passed = np.zeros(len(at))
        passed[~is_pos] = weight[negatives]
        pos_coef = np.empty(n_pos)
        neg_coef = np.empty(len(neg))
        pos_coef[positives] = (
            -np.cumsum(passed[::-1])[::-1][is_pos] * counts[positives]
        )
        neg_coef[negatives] = passed[~is_pos] * below[~is_pos]
        return pos_coef, neg_coef

    return sums, pull_back


def logistic_sums(
    pos: Floats, neg: Floats, counts: Floats, pairs_per_block: int = PAIRS_PER_BLOCK
) -> tuple[Floats, PullBack]:
    r"""Sum logistic losses by negative, pair by pair in blocks of bounded memory.

    As `hinge_sums`, of :math:`u_k = \sum_i t_i \log_2(1 + \exp(-pos_i + neg_k))`; the base makes the loss 1
    at 0, as an upper bound of the 0-1 loss must be. A block holds `pairs_per_block` pairs, or those of one
    negative if there are more positives.

    No exact form faster than O(I K) is known. Blocks are computed again by the pull-back rather than kept:
    the weights depend on all sums.
    """
    step = max(1, pairs_per_block // len(pos))

    def blocks() -> Iterator[tuple[slice, Floats, Floats]]:
        for start in range(0, len(neg), step):
            rows = slice(start, start + step)
            lead = neg[rows, np.newaxis] - pos
            decay = np.abs(lead)
            np.negative(decay, out=decay)
            yield rows, lead, np.exp(decay, out=decay)

    sums = np.empty(len(neg))
    for rows, lead, decay in blocks():
        loss = np.maximum(lead, 0.0, out=lead)
        loss += np.log1p(decay, out=decay)
        sums[rows] = loss @ counts
    sums /= LOG2

    def pull_back(weight: Floats) -> tuple[Floats, Floats]:
        pos_coef = np.zeros(len(pos))
        neg_coef = np.empty(len(neg))
        for rows, lead, decay in blocks():
            slope = np.where(lead >= 0, 1.0, decay)
            decay += 1.0
            slope /= decay
            neg_coef[rows] = slope @ counts
            pos_coef -= weight[rows] @ slope
        neg_coef *= weight
        pos_coef *= counts
        return pos_coef / LOG2, neg_coef / LOG2

    return sums, pull_back
