"""The p-norm push with exponential loss, in the factorised form that needs no pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attop._core.sample import RankingSample
from attop._core.typing import Bools, Floats, Ints
from attop.surrogates._base import AlongLine, Slope, Surrogate, of_both_classes
from attop.surrogates._push import check_power

#: Segments that are visited one by one, so that their values need no array as long as the sample.
_FEW = 32


class PNormPushExp(Surrogate):
    r"""Logarithm of the p-norm push objective with exponential loss (Rudin 2005, section 4).

    With positives :math:`x_i`, :math:`i \le I`, and negatives :math:`\tilde x_k`, :math:`k \le K`, the
    paper minimises

    .. math:: F_p(f) = \sum_k \Bigl(\sum_i \exp[-f(x_i) + f(\tilde x_k)]\Bigr)^p.

    The exponential of a difference is a product, so that the sum over pairs factorises; the value is

    .. math:: \log F_p(f) = p \log \sum_i \exp(-f(x_i)) + \log \sum_k \exp(p f(\tilde x_k)).

    The logarithm is increasing, hence the minimiser is the same; it is a sum of two log-sum-exp, hence
    still convex and smooth; and unlike :math:`F_p` it does not overflow, whatever `p`. A value and its
    gradient cost O(n). With groups, the value is the mean over those with a positive and a negative.

    Parameters
    ----------
    p : float, at least 1
        Power of the price :math:`g(r) = r^p` that a negative pays for the positives it overtakes; see
        `attop.PNormPush`. ``p = 1`` is RankBoost's objective.

    Notes
    -----
    It does not bound a metric in [0, 1], but ``exp(value / p)`` is at least the number of positives
    scored at or below the highest negative (by theorem 1 of the paper, whose sum over k exceeds each of
    its terms).

    An item of weight w counts w times in its sum.

    Differences from the paper: the objective is its logarithm. The paper adds normalisation for the same
    reason, but its figure 1 divides the pair weights by ``sum_k (sum_i d_ik)^p``, which overflows for
    large `p`; the text's ``sum_ik d_ik exp(-alpha M_ik)`` does not. Neither changes the minimiser. See
    docs/errata.

    Examples
    --------
    >>> value, coef = PNormPushExp(p=2).value_and_coef([1.0, 0.0], [1, 0])
    >>> float(value), coef.tolist()
    (-2.0, [-2.0, 2.0])
    """

    name = "p-norm-push"
    convex = True
    smooth = True

    def __init__(self, p: float = 4.0):
        self.p: float = check_power(p)

    def _bind(
        self, y: ArrayLike, groups: ArrayLike | None, weight: Floats | None
    ) -> BoundPNormPushExp:
        sample, eligible_sample = of_both_classes(y, groups, weight)
        return BoundPNormPushExp(
            eligible_sample,
            self.p,
            len(sample.order),
            sample.n_groups - eligible_sample.n_groups,
            weight,
        )


class BoundPNormPushExp(AlongLine):
    """`PNormPushExp` bound to a sample: value, gradient, and derivatives along a line."""

    def __init__(
        self,
        sample: RankingSample,
        p: float,
        n: int,
        n_left_out: int,
        weight: Floats | None,
    ):
        self.n = n
        self.n_groups = sample.n_groups
        self.n_left_out = n_left_out
        self._order = sample.order
        # Two segments a group: its positives, with exponents -f, then its negatives, with exponents p f.
        self._segments = _Segments(
            np.column_stack([sample.n_pos, sample.n_neg]).ravel()
        )
        self._slope = self._segments.repeat(np.tile([-1.0, p], sample.n_groups))
        # Factor of each segment's log-sum-exp in the mean over groups.
        self._share = np.tile([p, 1.0], sample.n_groups) / sample.n_groups
        # Weights multiply the exponentials; minus infinity for an item without any.
        self._log_weight: Floats | None = None
        if weight is not None:
            with np.errstate(divide="ignore"):
                self._log_weight = np.log(weight[sample.order])

    def __call__(self, scores: Floats) -> tuple[float | Floats, Floats]:
        """Compute value and gradient in score space; see `BoundSurrogate`."""
        slope = self._slope if scores.ndim == 1 else self._slope[:, None]
        share = self._share if scores.ndim == 1 else self._share[:, None]
        exponent = scores[self._order]
        exponent *= slope
        if self._log_weight is not None:
            exponent += (
                self._log_weight if scores.ndim == 1 else self._log_weight[:, None]
            )
        top, weight, total = self._segments.soften(exponent)
        value = (share * (top + np.log(total))).sum(axis=0)
        self._segments.update(np.multiply, weight, share / total)
        weight *= slope
        coef = np.zeros_like(scores)
        coef[self._order] = weight
        return value if scores.ndim == 2 else float(value), coef

    def along(self, scores: Floats, direction: Floats | Bools) -> Slope:
        """Restrict to a line; along a boolean direction a derivative costs O(number of groups), not O(n)."""
        start = scores[self._order]
        start *= self._slope
        if self._log_weight is not None:
            start += self._log_weight
        segments = self._segments
        change = direction[self._order]
        if direction.dtype == bool:
            segments, start, change = segments.merge(
                start, change.astype(np.bool_), self._slope
            )
        else:
            change *= self._slope
        # Made once: fresh memory for each derivative would take as long again.
        exponent, term = np.empty_like(start), np.empty_like(start)

        def slope(step: float) -> tuple[float, float]:
            np.multiply(change, step, out=exponent)
            np.add(exponent, start, out=exponent)
            _, weight, total = segments.soften(exponent)
            mean = segments.sum(np.multiply(weight, change, out=term)) / total
            # The variance is summed around the mean: the mean of squares minus the squared mean would be
            # all rounding error where one item has nearly all the weight.
            np.copyto(term, change)
            segments.update(np.subtract, term, mean)
            np.multiply(term, term, out=term)
            variance = segments.sum(np.multiply(term, weight, out=term)) / total
            return float(self._share @ mean), float(self._share @ variance)

        return slope


class _Segments:
    """Consecutive segments of an array, none of them empty."""

    def __init__(self, size: Ints):
        self._size = size
        self._head = np.concatenate([[0], np.cumsum(size)[:-1]])

    def sum(self, by_item: Floats) -> Floats:
        return np.add.reduceat(by_item, self._head, axis=0)

    def repeat(self, by_segment: Floats) -> Floats:
        """Give every item the value of its segment."""
        return np.repeat(by_segment, self._size, axis=0)

    def update(
        self, operation: np.ufunc, by_item: Floats, by_segment: Floats
    ) -> None:
        """Apply ``operation(item, value of its segment)`` in place."""
        if len(self._size) > _FEW:
            operation(by_item, self.repeat(by_segment), out=by_item)
            return
        for head, size, value in zip(
            self._head, self._size, by_segment, strict=True
        ):
            part = by_item[head : head + size]
            operation(part, value, out=part)

    def soften(self, exponent: Floats) -> tuple[Floats, Floats, Floats]:
        """Largest exponent of each segment, ``exp(exponent - largest)`` in place, and its sum by segment."""
        top = np.maximum.reduceat(exponent, self._head, axis=0)
        self.update(np.subtract, exponent, top)
        weight = np.exp(exponent, out=exponent)
        return top, weight, self.sum(weight)

    def merge(
        self, exponent: Floats, moves: Bools, slope: Floats
    ) -> tuple[_Segments, Floats, Floats]:
        """Merge the items of a segment that move, and those that do not, into one item each.

        Returns segments of two items, the first of which moves; the log-sum-exp of what was merged, minus
        infinity for none; and how the items change: by the segment's `slope`, and by 0.
        """
        top, weight, _ = self.soften(exponent)
        total = np.column_stack(
            [self.sum(weight * moves), self.sum(weight * ~moves)]
        )
        with np.errstate(divide="ignore"):
            merged = top[:, None] + np.log(total)
        change = np.column_stack([slope[self._head], np.zeros(len(top))])
        return _Segments(np.full(len(top), 2)), merged.ravel(), change.ravel()
