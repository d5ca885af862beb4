"""Binary weak rankers 1[x_j > t], without their matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attop._core.typing import Bools, Floats
from attop.from_papers.push._kernels import add_steps, sum_above
from attop.solvers._base import Transposed


class ThresholdRankers:
    r"""Weak rankers :math:`h_{jt}(x) = 1[x_j > t]` for thresholds t of every feature j.

    Stands for the matrix ``H`` of shape (n, J) with values 0 and 1, the J columns in order of feature
    and threshold. What is held is the interval between thresholds each value lies in: one byte a value
    for fewer than 256 thresholds a feature, four bytes at most. ``H.T @ c`` sums c by interval and
    accumulates the sums from the top, and ``H @ w`` is a step function of each feature: each costs one
    pass over those bytes, however many thresholds there are.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    thresholds : sequence of d ndarrays
        Thresholds of each feature, ascending.

    Attributes
    ----------
    width : ndarray of shape (J,)
        All 1: every threshold separates items.
    """

    def __init__(self, X: Floats, thresholds: Sequence[Floats]):
        n, d = X.shape
        self.thresholds = list(thresholds)
        counts = [len(of_feature) for of_feature in self.thresholds]
        self._interval = np.empty((d, n), np.min_scalar_type(max(counts)))
        for j, of_feature in enumerate(self.thresholds):
            self._interval[j] = np.searchsorted(of_feature, X[:, j], side="left")
        self._start = np.concatenate([[0], np.cumsum(counts)])
        self.shape: tuple[int, int] = (n, int(self._start[-1]))
        self.width: Floats = np.ones(self.shape[1])
        self.T = Transposed(self.correlate)

    @classmethod
    def at_quantiles(
        cls, X: Floats, n_thresholds: int | None, weight: Floats | None = None
    ) -> ThresholdRankers:
        """Choose the thresholds near quantiles of the features, see `choose_thresholds`."""
        return cls(
            X, [choose_thresholds(column, n_thresholds, weight) for column in X.T]
        )

    def correlate(self, coef: Floats) -> Floats:
        """Compute ``H.T @ coef`` of shape (J,) or (J, m) for `coef` of shape (n,) or (n, m)."""
        if coef.ndim == 2:
            return np.column_stack([self.correlate(column) for column in coef.T])
        product = np.empty(self.shape[1])
        sum_above(self._interval, self._start, np.ascontiguousarray(coef), product)
        return product

    def column(self, j: int) -> Bools:
        """Compute weak ranker j, shape (n,)."""
        feature = int(np.searchsorted(self._start, j, side="right")) - 1
        return self._interval[feature] > j - self._start[feature]

    def by_feature(self, coef: Floats) -> list[Floats]:
        """Split a vector over the weak rankers, shape (J,), into one vector a feature."""
        return [votes.copy() for votes in np.split(coef, self._start[1:-1])]

    def __matmul__(self, coef: Floats) -> Floats:
        """Compute ``H @ coef`` of shape (n,) or (n, m) for `coef` of shape (J,) or (J, m)."""
        if coef.ndim == 2:
            return np.column_stack([self @ column for column in coef.T])
        scores = np.zeros(self.shape[0])
        add_steps(self._interval, self._start, np.ascontiguousarray(coef), scores)
        return scores


def choose_thresholds(
    column: Floats, n_thresholds: int | None, weight: Floats | None = None
) -> Floats:
    """Choose thresholds that cut a feature into intervals of about equally many items, ascending.

    They are midpoints between neighbouring distinct values: all of them if there are no more than
    `n_thresholds`, or that is None, else the nearest to the quantiles ``t / (n_thresholds + 1)``. No two
    separate the items alike; a constant feature has none. `weight` is how often each item counts; values of
    items without any are not looked at.
    """
    if weight is None:
        values, count = np.unique(column, return_counts=True)
    else:
        is_counted = weight > 0
        values, place = np.unique(column[is_counted], return_inverse=True)
        count = np.bincount(place, weights=weight[is_counted])
    lower = values[:-1]
    upper = values[1:]
    if n_thresholds is not None and len(lower) > n_thresholds:
        below = np.cumsum(count)[:-1]
        quantile = np.arange(1, n_thresholds + 1) * (
            count.sum() / (n_thresholds + 1)
        )
        right = np.clip(np.searchsorted(below, quantile), 1, len(below) - 1)
        nearest = np.unique(
            np.where(
                quantile - below[right - 1] <= below[right] - quantile,
                right - 1,
                right,
            )
        )
        lower = lower[nearest]
        upper = upper[nearest]
    middle = lower / 2 + upper / 2
    # Between neighbouring floats the midpoint rounds to either; the upper value must stay above it.
    return np.where((lower <= middle) & (middle < upper), middle, lower)
