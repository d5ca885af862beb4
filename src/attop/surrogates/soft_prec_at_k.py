"""Smoothed precision@k: a sigmoid about a cut that moves with the scores."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop.sample import RankingSample
from attop.surrogates.base import BoundSurrogate, eligible
from attop.surrogates.grouped import BoundKernel, TopSurrogate, resolve_each
from attop.top import Top
from attop.typing import Floats, Ints, TopLike

__all__ = ["SoftPrecAtK", "weighted_k"]


class SoftPrecAtK(TopSurrogate):
    r"""One minus the precision@k of a list whose cut is soft.

    .. math:: 1 - \frac1k \sum_{y_i = 1} \sigma\Bigl(\frac{s_i - t(s)}{h}\Bigr),
              \qquad \sum_i \sigma\Bigl(\frac{s_i - t(s)}{h}\Bigr) = k,
              \qquad \sigma(z) = \frac{1}{1 + e^{-z}}.

    Parameters
    ----------
    top : Top, int or mapping
        The k of each group; an integer is k itself.
    width : float, positive, default=1.0
        h, in units of the scores.

    Notes
    -----
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

    name: ClassVar[str] = "prec@k-soft"
    convex: ClassVar[bool] = False
    smooth: ClassVar[bool] = True
    bounds: ClassVar[str | None] = None
    kernel: ClassVar[str] = "soft_prec_at_k:SIGMOID"

    def __init__(self, top: TopLike, width: float = 1.0):
        super().__init__(top)
        if isinstance(width, bool) or not (math.isfinite(width) and width > 0):
            raise ValueError(f"width must be a positive number, got {width!r}")
        self.width = float(width)

    def _group_k(self, sample: RankingSample) -> tuple[Ints, NDArray[np.bool_], str]:
        k = resolve_each(self.top, sample)
        return k, (k > 0) & (sample.n_pos > 0), f"a positive, and at least k items ({self.top})"

    def bind(
        self, y: ArrayLike, groups: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> BoundSurrogate:
        """Prepare for a sample.

        Parameters
        ----------
        y : array-like of shape (n,)
        groups : array-like of shape (n,), optional
            Without, the sample is one group.
        sample_weight : array-like of shape (n,), optional
            At least 0; an item of weight 2 counts as two equal items. Wherever `top` or the definition
            counts items or positives, it is their weight that counts. Groups are not weighted.

        Raises
        ------
        ValueError
            If the surrogate is undefined on every group, or a weight is negative or not finite.
        """
        sample = RankingSample.from_labels(y, groups)
        n = len(sample.order)
        if sample_weight is None:
            k, defined, need = self._group_k(sample)
            weights = np.zeros(0)
        else:
            weights = _checked(sample_weight, n)
            k = _resolve_weighted(self.top, sample, weights)
            defined, need = k > 0, f"a positive, and at least k items by weight ({self.top})"
        kept = eligible(sample, defined, need)
        bound = _BoundSoft(self.kernel, kept, k[defined], n, sample.n_groups, None, self.width, weights)
        bound.surrogate = self
        return bound


class _BoundSoft(BoundKernel):
    """A bound kernel with the width and the items' weights, of length n or 0."""

    def __init__(
        self,
        kernel: str,
        sample: RankingSample,
        k: Ints,
        n: int,
        n_groups: int,
        weight: float | None,
        width: float,
        item_weight: Floats,
    ):
        super().__init__(kernel, sample, k, n, n_groups, weight)
        self._more = (width, item_weight)

    def _restrict(self, rows: slice | Ints, sample: RankingSample, k: Ints, n: int) -> BoundSurrogate:
        width, item_weight = self._more
        if len(item_weight) > 0:
            item_weight = item_weight[rows]
        return _BoundSoft(self._kernel, sample, k, n, sample.n_groups, self._weight, width, item_weight)


def _checked(sample_weight: ArrayLike, n: int) -> Floats:
    weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), got {weights.shape}")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ValueError(
            "sample_weight must be finite and at least 0: drop items instead of weighting them so"
        )
    return weights


def _resolve_weighted(top: Top, sample: RankingSample, weights: Floats) -> Ints:
    """Resolve `top` in every group by weight; 0 where there is too little."""
    k = np.zeros(sample.n_groups, np.int64)
    for g, (first, last) in enumerate(zip(sample.start[:-1], sample.start[1:], strict=True)):
        items = sample.order[first:last]
        n_pos = weights[items[: sample.n_pos[g]]].sum()
        k[g] = weighted_k(top, float(weights[items].sum()), float(n_pos))
    return k


def weighted_k(top: Top, total: float, positive: float) -> int:
    """Resolve `top` in a list of `total` weight, of which `positive`; 0 where there is too little."""
    try:
        # Fractions are what `resolve` calculates in; it asks for whole numbers because items are.
        return top.resolve(Fraction(total), Fraction(positive)) if positive > 0 else 0  # type: ignore[arg-type]
    except ValueError:
        return 0
