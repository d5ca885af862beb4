"""Cholesky factors of many small matrices side by side, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["factor", "solve"]

# Matrices factorised together. The inner loops run over them and vectorise even where the matrices are
# small; for these sizes it is faster than a LAPACK call for each matrix.
LANES = 16


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def factor(gram, mixed, total, threshold_item):
    """Factorise ``I + G_b - z_b t_b' - t_b z_b' + T_b z_b z_b'`` for every b.

    Parameters
    ----------
    gram : ndarray of shape (d * (d + 1) / 2, m)
        Lower triangle of ``G_b`` in column b, row after row. Overwritten by the factor, with the
        reciprocals of its diagonal.
    mixed, threshold_item : ndarray of shape (d, m)
        The vectors ``t_b`` and ``z_b``.
    total : ndarray of shape (m,)
        The numbers ``T_b``.

    Notes
    -----
    A pivot without a correct digit, because of rounding, is replaced by infinity: the solution is 0 in
    that direction, and the factorisation goes on.
    """
    d, m = threshold_item.shape
    tile = np.empty((d, d, LANES))
    before = np.ones((d, LANES))
    for start in range(0, m, LANES):
        width = min(LANES, m - start)
        for i in range(d):
            for j in range(i + 1):
                row = i * (i + 1) // 2 + j
                for lane in range(width):
                    b = start + lane
                    tile[j, i, lane] = (
                        gram[row, b]
                        - mixed[i, b] * threshold_item[j, b]
                        - threshold_item[i, b] * (mixed[j, b] - total[b] * threshold_item[j, b])
                    )
                for lane in range(width, LANES):
                    tile[j, i, lane] = 0.0
            for lane in range(LANES):
                tile[i, i, lane] += 1.0
                before[i, lane] = tile[i, i, lane]
        for i in range(d):
            # Subtract four earlier rows at once, which quarters the loads and stores of this row.
            fours = i // 4 * 4
            for k in range(0, fours, 4):
                for j in range(i, d):
                    for lane in range(LANES):
                        tile[i, j, lane] -= (
                            tile[k, i, lane] * tile[k, j, lane]
                            + tile[k + 1, i, lane] * tile[k + 1, j, lane]
                            + tile[k + 2, i, lane] * tile[k + 2, j, lane]
                            + tile[k + 3, i, lane] * tile[k + 3, j, lane]
                        )
            for k in range(fours, i):
                for j in range(i, d):
                    for lane in range(LANES):
                        tile[i, j, lane] -= tile[k, i, lane] * tile[k, j, lane]
            for lane in range(LANES):
                pivot = tile[i, i, lane]
                tile[i, i, lane] = 1.0 / np.sqrt(pivot) if pivot > 1e-15 * before[i, lane] else 0.0
            for j in range(i + 1, d):
                for lane in range(LANES):
                    tile[i, j, lane] *= tile[i, i, lane]
        for i in range(d):
            for j in range(i + 1):
                row = i * (i + 1) // 2 + j
                for lane in range(width):
                    gram[row, start + lane] = tile[j, i, lane]


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def solve(packed, x):
    """Solve in place with factors from `factor`; `x` of shape (d, m) holds the right-hand sides."""
    d, m = x.shape
    for i in range(d):
        row = i * (i + 1) // 2
        for k in range(i):
            for b in range(m):
                x[i, b] -= packed[row + k, b] * x[k, b]
        for b in range(m):
            x[i, b] *= packed[row + i, b]
    for i in range(d - 1, -1, -1):
        row = i * (i + 1) // 2
        for b in range(m):
            x[i, b] *= packed[row + i, b]
        for k in range(i):
            for b in range(m):
                x[k, b] -= packed[row + k, b] * x[i, b]
