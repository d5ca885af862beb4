"""Differences to an anchor item as the rows of a box QP."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

__all__ = ["AnchoredRows", "DifferenceRows", "outer_products"]

Floats = NDArray[np.float64]

#: Numbers in the largest temporary of `DifferenceRows`: 32 MB.
_BLOCK = 2**22


def outer_products(Z: Floats) -> Floats:
    """Lower triangle of ``z_i z_i'``, row after row, for every item i; shape (d * (d + 1) / 2, n)."""
    rows, columns = np.tril_indices(Z.shape[1])
    transposed = np.ascontiguousarray(Z.T)
    return transposed[rows] * transposed[columns]


class AnchoredRows:
    """Rows ``v_i = y_i (z_i - z_k)`` for a batch of anchors k over one sample, without forming them.

    A product with the differences is a product with `Z`, shared by the batch, and a correction of rank
    one or two; the matrices ``Z' D Z`` of all problems are one product with the outer products of the
    items.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
    sign : ndarray of shape (n, 1)
        Labels, -1 or 1.
    anchor_rows : ndarray of shape (d, m)
        ``z_k`` of each problem.
    outer : ndarray of shape (d * (d + 1) / 2, n) or None
        ``outer_products(Z)``; needed by `normal_equations` only.
    """

    def __init__(self, Z: Floats, sign: Floats, anchor_rows: Floats, outer: Floats | None = None):
        self.Z, self.sign, self.anchor_rows, self.outer = Z, sign, anchor_rows, outer

    @property
    def shape(self) -> tuple[int, int, int]:
        """(n, d, m)."""
        return (*self.Z.shape, self.anchor_rows.shape[1])

    def margins(self, w: Floats) -> Floats:
        """``v_i . w``, shape (n, m)."""
        return self.sign * (self.Z @ w - np.einsum("dm,dm->m", self.anchor_rows, w))

    def combine(self, alpha: Floats) -> Floats:
        """``sum_i alpha_i v_i``, shape (d, m)."""
        signed = self.sign * alpha
        return self.Z.T @ signed - self.anchor_rows * signed.sum(axis=0)

    def normal_equations(self, theta: Floats) -> Callable[[Floats], Floats]:
        """Solver of ``(I + sum_i theta_i v_i v_i') x = b``; it overwrites b."""
        from attop.solvers.tile_cholesky import factor, solve

        assert self.outer is not None
        gram = self.outer @ theta
        factor(gram, self.Z.T @ theta, theta.sum(axis=0), self.anchor_rows)

        def solver(b: Floats) -> Floats:
            solve(gram, b)
            return b

        return solver

    def keep(self, mask: NDArray[np.bool_]) -> AnchoredRows:
        """The problems where `mask` is true."""
        return AnchoredRows(self.Z, self.sign, self.anchor_rows[:, mask], self.outer)


class DifferenceRows:
    """The rows of one anchor, formed: for a single problem, many features, or where rounding matters.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
    sign : ndarray of shape (n, 1)
        Labels, -1 or 1.
    anchor : int
    """

    def __init__(self, Z: Floats, sign: Floats, anchor: int):
        self.V = sign * (Z - Z[anchor])

    @property
    def shape(self) -> tuple[int, int, int]:
        """(n, d, 1)."""
        return (*self.V.shape, 1)

    def margins(self, w: Floats) -> Floats:
        """``v_i . w``, shape (n, 1)."""
        return self.V @ w

    def combine(self, alpha: Floats) -> Floats:
        """``sum_i alpha_i v_i``, shape (d, 1)."""
        return self.V.T @ alpha

    def normal_equations(self, theta: Floats) -> Callable[[Floats], Floats]:
        """Solver of ``(I + sum_i theta_i v_i v_i') x = b``."""
        n, d = self.V.shape
        matrix = np.eye(d)
        block = max(1, _BLOCK // d)
        for start in range(0, n, block):
            # A product of a matrix with its own transpose costs half of any other.
            V = self.V[start : start + block] * np.sqrt(theta[start : start + block])
            matrix += V.T @ V
        trace, ridge = float(np.trace(matrix)), 0.0
        for _ in range(8):
            try:
                factor = scipy.linalg.cho_factor(matrix, lower=True, check_finite=False)
                return lambda b: scipy.linalg.cho_solve(factor, b, check_finite=False)
            except np.linalg.LinAlgError:
                # Weights so uneven that rounding has eaten the identity: give back what it ate.
                ridge = 10 * max(ridge, np.finfo(float).eps * trace)
                matrix[np.diag_indices(d)] += ridge
        raise FloatingPointError("the features are too large for double precision: standardise them")

    def keep(self, mask: NDArray[np.bool_]) -> DifferenceRows:
        """Itself: a batch of one is never narrowed."""
        return self
