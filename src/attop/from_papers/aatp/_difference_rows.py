"""Differences to the threshold item, the rows ``v_i`` of m box QPs, as the products their solver needs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg

from attop._core.typing import Bools, Floats

#: Numbers in the largest temporary of `DifferenceRows`: 32 MB.
_BLOCK = 2**22


def outer_products(rows: Floats) -> Floats:
    """Lower triangle of ``r r'``, row after row, for every row r; (n, d) gives (d * (d + 1) / 2, n)."""
    i, j = np.tril_indices(rows.shape[1])
    transposed = np.ascontiguousarray(rows.T)
    return transposed[i] * transposed[j]


class ThresholdRows:
    """Rows ``v_i = y_i (z_i - z_k)`` for a batch of threshold items k over one sample, without forming them.

    ``v_i . w = y_i z_i . w - y_i (z_k . w)`` is the product of the row ``(y_i z_i, y_i)``, which the batch
    shares, with ``(w, -z_k . w)``. The matrices ``sum_i theta_i v_i v_i'`` of all problems are one product
    with the outer products of these rows, and a correction of rank two.

    `signed` holds these rows, with labels -1 or 1, `item_rows`, of shape (d, m), the ``z_k`` of each problem;
    `outer`, ``outer_products(signed)``, is needed by `normal_equations` only.
    """

    def __init__(
        self, signed: Floats, item_rows: Floats, outer: Floats | None = None
    ):
        self.signed = signed
        self.item_rows = item_rows
        self.outer = outer

    @property
    def shape(self) -> tuple[int, int, int]:
        """(n, d, m)."""
        return (len(self.signed), *self.item_rows.shape)

    def margins(self, w: Floats) -> Floats:
        """``v_i . w`` for `w` of shape (d, m); shape (n, m)."""
        return self.signed @ np.vstack(
            [w, -np.einsum("dm,dm->m", self.item_rows, w)]
        )

    def combine(self, alpha: Floats) -> Floats:
        """``sum_i alpha_i v_i`` for `alpha` of shape (n, m); shape (d, m)."""
        total = self.signed.T @ alpha
        return total[:-1] - self.item_rows * total[-1]

    def normal_equations(self, theta: Floats) -> Callable[[Floats], Floats]:
        """Solver of ``(I + sum_i theta_i v_i v_i') x = b`` for b of shape (d, m); it overwrites b."""
        from attop.from_papers.aatp._kernels import factor, solve

        assert self.outer is not None
        d = len(self.item_rows)
        products = self.outer @ theta
        # The last row of the triangle holds sum_i theta_i z_i and sum_i theta_i.
        gram = products[: -d - 1]
        mixed = products[-d - 1 : -1]
        total = products[-1]
        factor(gram, mixed, total, self.item_rows)

        def solver(b: Floats) -> Floats:
            solve(gram, b)
            return b

        return solver

    def keep(self, mask: Bools) -> ThresholdRows:
        """Restrict to the problems where `mask` is true."""
        return ThresholdRows(
            self.signed, np.compress(mask, self.item_rows, axis=1), self.outer
        )


class DifferenceRows:
    """The rows of one threshold item, formed: for a single problem, many features, or where rounding matters.

    `sign`, of shape (n, 1), are the labels, -1 or 1.
    """

    def __init__(self, Z: Floats, sign: Floats, threshold_item: int):
        self.V = sign * (Z - Z[threshold_item])

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
            V = self.V[start : start + block] * np.sqrt(
                theta[start : start + block]
            )
            matrix += V.T @ V
        trace = float(np.trace(matrix))
        ridge = 0.0
        for _ in range(8):
            try:
                factor = scipy.linalg.cho_factor(
                    matrix, lower=True, check_finite=False
                )
                return lambda b: scipy.linalg.cho_solve(
                    factor, b, check_finite=False
                )
            except np.linalg.LinAlgError:
                # Very uneven weights: rounding swamps the identity. Add a ridge above the rounding error.
                ridge = 10 * max(ridge, np.finfo(float).eps * trace)
                matrix[np.diag_indices(d)] += ridge
        raise FloatingPointError(
            "the features are too large for double precision: standardise them"
        )

    def keep(self, mask: Bools) -> DifferenceRows:
        """Keep the only problem: a batch of one is never narrowed."""
        return self


Rows = ThresholdRows | DifferenceRows
