"""Losses of the positives against the highest negative: infinite push and TopPush."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from attop.surrogates.grouped import Amounts, GroupedSurrogate

__all__ = ["InfinitePushHinge", "TopPushLoss"]


class _AgainstHighest(GroupedSurrogate):
    convex: ClassVar[bool] = True
    smooth: ClassVar[bool] = False
    bounds: ClassVar[str | None] = "1 - positives@top / n+"

    def _group_k(self, n_pos: Amounts, n_neg: Amounts) -> tuple[Amounts, NDArray[np.bool_], str]:
        k = np.ones(len(n_pos), np.int64)
        return k, (n_pos > 0) & (n_neg > 0), "a positive and a negative"


class InfinitePushHinge(_AgainstHighest):
    r"""Hinge loss of the infinite push.

    .. math:: \max_j \frac{1}{n_+} \sum_{i=1}^{n_+} (1 - (s^+_i - s^-_j))_+,

    where the maximum is at the highest negative.

    Notes
    -----
    Source: Agarwal (2011). An upper bound of the share of positives not above every negative; zero if
    every positive beats every negative by 1. Defined on groups with a positive and a negative.

    Differences from the paper: none known; the regulariser is the solver's.
    """

    name: ClassVar[str] = "infinite-push"
    kernel: ClassVar[str] = "top_push:HINGE"


class TopPushLoss(_AgainstHighest):
    r"""Truncated quadratic loss against the highest negative.

    .. math:: \frac{1}{n_+} \sum_{i=1}^{n_+} (1 + \max_j s^-_j - s^+_i)_+^2

    Notes
    -----
    Source: Li, Jin and Zhou (2014), TopPush. An upper bound of the share of positives not above every
    negative; zero if every positive beats every negative by 1. Differentiable where a single negative
    is the highest. Defined on groups with a positive and a negative. A lead beyond 1e154 overflows to
    infinity when squared.

    Differences from the paper: none known; the regulariser is the solver's.
    """

    name: ClassVar[str] = "top-push"
    kernel: ClassVar[str] = "top_push:SQUARED"
