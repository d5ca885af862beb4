"""Smoothed precision@k: a sigmoid about a cut that moves with the scores."""

from __future__ import annotations

import math
from typing import ClassVar

from attop.core.typing import TopLike
from attop.surrogates.grouped import TopSurrogate

__all__ = ["SoftPrecAtK"]


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

    def _constants(self) -> tuple[float, ...]:
        return (self.width,)
