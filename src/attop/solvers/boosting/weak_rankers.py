"""Weak rankers as solvers see them: the columns of a matrix that need not exist."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from attop.core.typing import Floats

__all__ = ["FeatureRankers", "WeakRankers"]


class WeakRankers(Protocol):
    """``H`` of shape (n, J): n items, J weak rankers.

    Attributes
    ----------
    shape : tuple of int
    width : ndarray of shape (J,)
        Largest minus smallest value of each weak ranker.
    """

    shape: tuple[int, int]
    width: Floats

    def correlate(self, coef: Floats) -> Floats:
        """Return ``H.T @ coef``, shape (J,)."""

    def column(self, j: int) -> Floats | NDArray[np.bool_]:
        """Return weak ranker j, shifted and scaled to width 1; boolean if it is binary.

        Its `width` must be positive.
        """


class FeatureRankers:
    """The features themselves as weak rankers; no copy of `X` (n, d) is made."""

    def __init__(self, X: Floats):
        self.shape: tuple[int, int] = X.shape
        low, high = X.min(axis=0), X.max(axis=0)
        self.width = high - low
        self._centre = low / 2 + high / 2
        self._X = X

    def correlate(self, coef: Floats) -> Floats:
        """Return ``X.T @ coef``, shape (d,)."""
        return self._X.T @ coef

    def column(self, j: int) -> Floats:
        """Return feature j, shifted and scaled to [-1/2, 1/2]."""
        column = self._X[:, j] - self._centre[j]
        column /= self.width[j]
        return column
