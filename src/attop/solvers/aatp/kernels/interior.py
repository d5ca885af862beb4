"""Kernels of the interior-point method for box QPs: the item-wise steps of an iteration in few passes.

Arrays are (n, m), items by problems; the inner loops over problems vectorise. An iterate consists of alpha,
slack = c - alpha, and the multipliers z of alpha >= 0 and u of slack >= 0. Complementarity means the products
alpha * z and slack * u, which are 0 at the optimum.
"""

import numpy as np
from numba import njit

__all__ = ["advance", "correct", "objectives", "predict", "weigh"]


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def objectives(c, alpha, margins):
    """Return ``sum_i c_i (1 - margin_i)+`` and ``sum_i alpha_i`` of every problem."""
    n, m = alpha.shape
    hinge, total = np.zeros(m), np.zeros(m)
    for i in range(n):
        for b in range(m):
            excess = 1.0 - margins[i, b]
            hinge[b] += c[i, b] * excess if excess > 0.0 else 0.0
            total[b] += alpha[i, b]
    return hinge, total


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def weigh(alpha, slack, z, u, margins, theta, right):
    """Fill `theta`, the weights of the Newton system, and `right`, theta times its right-hand side.

    Returns
    -------
    mu : ndarray of shape (m,)
        Mean complementarity.
    """
    n, m = alpha.shape
    mu = np.zeros(m)
    for i in range(n):
        for b in range(m):
            a, s = alpha[i, b], slack[i, b]
            mu[b] += a * z[i, b] + s * u[i, b]
            weight = a * s / (z[i, b] * s + u[i, b] * a)
            theta[i, b] = weight
            right[i, b] = weight * (1.0 - margins[i, b])
    return mu / (2 * n)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def predict(alpha, slack, z, u, margins, theta, moved, mu, da):
    """Fill `da` with the affine-scaling direction of alpha, which aims at complementarity 0.

    `moved` is what the direction in w adds to the margins.

    Returns
    -------
    target : ndarray of shape (m,)
        Complementarity the corrector aims for: Mehrotra's centering parameter times `mu`.
    """
    n, m = alpha.shape
    rate, cross = np.ones(m), np.zeros(m)
    for i in range(n):
        for b in range(m):
            step = theta[i, b] * (1.0 - margins[i, b] - moved[i, b])
            da[i, b] = step
            p, q = step / alpha[i, b], step / slack[i, b]
            highest = max(max(-p, 1.0 + p), max(q, 1.0 - q))
            rate[b] = max(rate[b], highest)
            cross[b] += step * (u[i, b] * (1.0 - q) - z[i, b] * (1.0 + p))
    target = np.empty(m)
    for b in range(m):
        length = 1.0 / rate[b]
        affine = (1.0 - length) * mu[b] + length**2 * cross[b] / (2 * n)
        target[b] = min(1.0, max(0.0, affine / mu[b])) ** 3 * mu[b]
    return target


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def correct(alpha, slack, z, u, margins, theta, target, second_order, da, lower, upper, right):
    """Fill `lower` and `upper`, the new values of z and u before alpha moves, and `right` as in `weigh`.

    ``second_order`` is 1 for Mehrotra's second-order correction from the predictor's direction `da`, or 0.
    """
    n, m = alpha.shape
    for i in range(n):
        for b in range(m):
            step = da[i, b]
            p, q = step / alpha[i, b], step / slack[i, b]
            low = (target[b] + second_order * step * z[i, b] * (1.0 + p)) / alpha[i, b]
            high = (target[b] - second_order * step * u[i, b] * (1.0 - q)) / slack[i, b]
            lower[i, b] = low
            upper[i, b] = high
            right[i, b] = theta[i, b] * (1.0 - margins[i, b] + low - high)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def advance(alpha, slack, z, u, theta, right, moved, lower, upper, share):
    """Take the step in place, shortened to `share` of the way to the nearest bound.

    Overwrites `right`, `lower` and `upper`.

    Returns
    -------
    length : ndarray of shape (m,)
        Steps taken.
    """
    n, m = alpha.shape
    rate = np.full(m, 1e-300)
    for i in range(n):
        for b in range(m):
            da = right[i, b] - theta[i, b] * moved[i, b]
            p, q = da / alpha[i, b], da / slack[i, b]
            dz = lower[i, b] - z[i, b] * (1.0 + p)
            du = upper[i, b] - u[i, b] * (1.0 - q)
            highest = max(max(-p, q), max(-dz / z[i, b], -du / u[i, b]))
            rate[b] = max(rate[b], highest)
            right[i, b] = da
            lower[i, b] = dz
            upper[i, b] = du
    length = np.minimum(1.0, share / rate)
    for i in range(n):
        for b in range(m):
            alpha[i, b] += length[b] * right[i, b]
            slack[i, b] -= length[b] * right[i, b]
            z[i, b] += length[b] * lower[i, b]
            u[i, b] += length[b] * upper[i, b]
    return length
