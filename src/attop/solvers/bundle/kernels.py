"""Compiled kernel of the quadratic programs over the simplex."""

from pathlib import Path

import numpy as np
from numba import njit

from attop.core.compiled import discard_stale

__all__ = ["active_set"]

discard_stale(Path(__file__).parent)


TINY = np.finfo(np.float64).tiny


@njit(cache=True, nogil=True)
def active_set(H, b, alpha, tol, rounding, ridge, refinements, max_steps):
    """Minimise ``1/2 alpha' H alpha - b' alpha`` over the simplex; see `attop.solvers.bundle.cutting_planes`.

    Parameters
    ----------
    H : ndarray of shape (m, m)
    b : ndarray of shape (m,)
    alpha : ndarray of shape (m,)
        A point of the simplex, replaced by the solution.
    tol, rounding : float
        Gap to stop at, absolute and relative to the larger of the two terms.
    ridge : float
    refinements, max_steps : int

    Returns
    -------
    gap : float
    n_steps : int
    """
    m = len(b)
    support = np.flatnonzero(alpha)
    full_steps = 0  # since the support last changed
    bounced = 0  # steps of length 0 since the last step of positive length
    gap = np.inf
    for step in range(max_steps):
        gradient = -b
        for t in support:
            for i in range(m):
                gradient[i] += alpha[t] * H[t, i]
        linear, slope = 0.0, 0.0
        least, most = np.inf, -np.inf
        for t in support:
            linear += b[t] * alpha[t]
            slope += gradient[t] * alpha[t]
            least, most = min(least, gradient[t]), max(most, gradient[t])
        entering = np.argmin(gradient)
        gap = slope - gradient[entering]
        if gap <= max(tol, rounding * max(abs(slope + linear), abs(linear))):
            return gap, step
        # Minimise over the current support first: an index that enters earlier may have to leave at once.
        settled = most - least <= (0.0 if bounced else 0.1 * gap) or full_steps >= refinements
        if settled:
            if alpha[entering] > 0.0 or bounced == 2:
                return gap, step  # rounding leaves nothing to gain
            support = np.append(support, entering)
            full_steps = 0
        direction = newton_direction(H, gradient, support, ridge)
        length, first = 1.0, -1
        for i in range(len(support)):
            if direction[i] < 0.0 and alpha[support[i]] <= -direction[i] * length:
                length, first = alpha[support[i]] / -direction[i], i
        if first >= 0 and length == 0.0:
            bounced += 1
        elif settled:
            bounced = 0
        total = 0.0
        for i in range(len(support)):
            t = support[i]
            alpha[t] = 0.0 if i == first else max(0.0, alpha[t] + length * direction[i])
            total += alpha[t]
        full_steps = full_steps + 1 if first < 0 else 0
        for t in support:
            alpha[t] /= total
        support = support[alpha[support] > 0.0]
    return gap, max_steps


@njit(cache=True, nogil=True)
def newton_direction(H, gradient, support, ridge):
    """Minimise ``gradient . p + 1/2 p' H p``, plus a ridge, over p on the support that sum to 0."""
    size = len(support)
    direction = np.zeros(size)
    if size == 1:
        return direction
    # Eliminate the index with the smallest diagonal entry, which adds the least rounding error to the others.
    rest = 0
    for i in range(size):
        if H[support[i], support[i]] < H[support[rest], support[rest]]:
            rest = i
    q = support[rest]
    others = np.empty(size - 1, np.int64)
    others[:rest] = support[:rest]
    others[rest:] = support[rest + 1 :]
    factor = np.empty((size - 1, size - 1))
    while not factorise(H, others, q, ridge, factor):
        ridge *= 100.0
        if not ridge < np.inf:
            return direction  # H is not finite
    x = np.empty(size - 1)
    for i in range(size - 1):
        x[i] = (gradient[q] - gradient[others[i]] - dot(factor[i, :i], x[:i])) / factor[i, i]
    for i in range(size - 2, -1, -1):
        x[i] /= factor[i, i]
        for j in range(i):
            x[j] -= factor[i, j] * x[i]
    direction[:rest] = x[:rest]
    direction[rest + 1 :] = x[rest:]
    direction[rest] = -np.sum(x)
    return direction


@njit(cache=True, nogil=True)
def factorise(H, others, q, ridge, factor):
    """Factorise H with index q eliminated, plus a ridge; false if a pivot is not positive, by rounding."""
    for i in range(len(others)):
        a = others[i]
        for j in range(i + 1):
            c = others[j]
            value = H[a, c] - H[a, q] - H[q, c] + H[q, q]
            if i == j:
                value = max(value, 0.0) * (1.0 + ridge) + 1e-2 * ridge * (H[a, a] + H[q, q]) + TINY
            value -= dot(factor[i, :j], factor[j, :j])
            if i > j:
                factor[i, j] = value / factor[j, j]
            elif value > 0.0:
                factor[i, i] = np.sqrt(value)
            else:
                return False
    return True


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def dot(u, v):
    """Inner product, in any order of summation."""
    total = 0.0
    for i in range(len(u)):
        total += u[i] * v[i]
    return total
