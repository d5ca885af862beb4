"""Compiled kernels of AATP's programs: steps of the interior point, Cholesky factors of small matrices."""

from pathlib import Path

import numpy as np
from numba import njit

from attop._core.compiled import KERNEL, discard_stale

discard_stale(Path(__file__).parent)

_OPTIONS = {**KERNEL, "error_model": "numpy", "fastmath": {"contract"}}


@njit(**_OPTIONS)
def objectives(c, alpha, margins):
    """Sum ``c_i (1 - margin_i)+`` and ``alpha_i`` over the items i of every problem."""
    n, m = alpha.shape
    hinge = np.zeros(m)
    total = np.zeros(m)
    for i in range(n):
        for b in range(m):
            excess = 1.0 - margins[i, b]
            hinge[b] += c[i, b] * excess if excess > 0.0 else 0.0
            total[b] += alpha[i, b]
    return hinge, total


@njit(**_OPTIONS)
def weigh(alpha, slack, z, u, margins, theta, right):
    """Fill `theta`, the weights of the Newton system, and `right`, theta times its right-hand side.

    Returns the mean complementarity of each problem.
    """
    n, m = alpha.shape
    mu = np.zeros(m)
    for i in range(n):
        for b in range(m):
            a = alpha[i, b]
            s = slack[i, b]
            mu[b] += a * z[i, b] + s * u[i, b]
            weight = a * s / (z[i, b] * s + u[i, b] * a)
            theta[i, b] = weight
            right[i, b] = weight * (1.0 - margins[i, b])
    for b in range(m):
        mu[b] /= 2 * n
    return mu


@njit(**_OPTIONS)
def predict(alpha, slack, z, u, margins, theta, moved, mu, da):
    """Fill `da` with the affine-scaling direction of alpha, which aims at complementarity 0.

    `moved` is what the direction in w adds to the margins. Returns the complementarity the corrector aims
    for: Mehrotra's centering parameter times `mu`.
    """
    n, m = alpha.shape
    rate = np.ones(m)
    cross = np.zeros(m)
    for i in range(n):
        for b in range(m):
            step = theta[i, b] * (1.0 - margins[i, b] - moved[i, b])
            da[i, b] = step
            p = step / alpha[i, b]
            q = step / slack[i, b]
            highest = max(max(-p, 1.0 + p), max(q, 1.0 - q))
            rate[b] = max(rate[b], highest)
            cross[b] += step * (u[i, b] * (1.0 - q) - z[i, b] * (1.0 + p))
    target = np.zeros(m)
    for b in range(m):
        length = 1.0 / rate[b]
        affine = (1.0 - length) * mu[b] + length**2 * cross[b] / (2 * n)
        target[b] = min(1.0, max(0.0, affine / mu[b])) ** 3 * mu[b]
    return target


@njit(**_OPTIONS)
def correct(
    alpha,
    slack,
    z,
    u,
    margins,
    theta,
    target,
    second_order,
    da,
    lower,
    upper,
    right,
):
    """Fill `lower` and `upper`, the new values of z and u before alpha moves, and `right` as in `weigh`.

    ``second_order`` is 1 for Mehrotra's second-order correction from the predictor's direction `da`, or 0.
    """
    n, m = alpha.shape
    for i in range(n):
        for b in range(m):
            step = da[i, b]
            p = step / alpha[i, b]
            q = step / slack[i, b]
            low = (target[b] + second_order * step * z[i, b] * (1.0 + p)) / alpha[
                i, b
            ]
            high = (target[b] - second_order * step * u[i, b] * (1.0 - q)) / slack[
                i, b
            ]
            lower[i, b] = low
            upper[i, b] = high
            right[i, b] = theta[i, b] * (1.0 - margins[i, b] + low - high)


@njit(**_OPTIONS)
def advance(alpha, slack, z, u, theta, right, moved, lower, upper, share):
    """Take the step in place, shortened to `share` of the way to the nearest bound; return its lengths.

    Overwrites `right`, `lower` and `upper`.
    """
    n, m = alpha.shape
    rate = np.full(m, 1e-300)
    for i in range(n):
        for b in range(m):
            da = right[i, b] - theta[i, b] * moved[i, b]
            p = da / alpha[i, b]
            q = da / slack[i, b]
            dz = lower[i, b] - z[i, b] * (1.0 + p)
            du = upper[i, b] - u[i, b] * (1.0 - q)
            highest = max(max(-p, q), max(-dz / z[i, b], -du / u[i, b]))
            rate[b] = max(rate[b], highest)
            right[i, b] = da
            lower[i, b] = dz
            upper[i, b] = du
    length = np.zeros(m)
    for b in range(m):
        length[b] = min(1.0, share / rate[b])
    for i in range(n):
        for b in range(m):
            alpha[i, b] += length[b] * right[i, b]
            slack[i, b] -= length[b] * right[i, b]
            z[i, b] += length[b] * lower[i, b]
            u[i, b] += length[b] * upper[i, b]
    return length


# Matrices factorised together. The inner loops run over them and vectorise even where the matrices are
# small; for these sizes it is faster than a LAPACK call for each matrix.
LANES = 16


@njit(**_OPTIONS)
def factor(gram, mixed, total, threshold_item):
    """Factorise ``I + G_b - z_b t_b' - t_b z_b' + T_b z_b z_b'`` for every b.

    `gram` holds the lower triangle of ``G_b`` in column b, row after row, and is overwritten by the factor,
    with the reciprocals of its diagonal. `mixed` and `threshold_item`, of shape (d, m), are the vectors
    ``t_b`` and ``z_b``, `total` the numbers ``T_b``.

    A pivot without a correct digit, because of rounding, is replaced by infinity: the solution is 0 in
    that direction, and the factorisation goes on.
    """
    d, m = threshold_item.shape
    tile = np.empty((d, d, LANES))
    before = np.empty((d, LANES))
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
                        - threshold_item[i, b]
                        * (mixed[j, b] - total[b] * threshold_item[j, b])
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
                tile[i, i, lane] = (
                    1.0 / np.sqrt(pivot) if pivot > 1e-15 * before[i, lane] else 0.0
                )
            for j in range(i + 1, d):
                for lane in range(LANES):
                    tile[i, j, lane] *= tile[i, i, lane]
        for i in range(d):
            for j in range(i + 1):
                row = i * (i + 1) // 2 + j
                for lane in range(width):
                    gram[row, start + lane] = tile[j, i, lane]


@njit(**_OPTIONS)
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
