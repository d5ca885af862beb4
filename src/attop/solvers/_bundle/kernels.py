"""Compiled kernel of the quadratic programs over the simplex."""

from pathlib import Path

import numpy as np
from numba import njit

from attop._core.compiled import HELPER, KERNEL, discard_stale

discard_stale(Path(__file__).parent)


TINY = np.finfo(np.float64).tiny


@njit(**KERNEL)
def active_set(
    H,
    b,
    alpha,
    tol,
    rounding,
    ridge,
    refinements,
    max_steps,
    indices,
    vectors,
    factor,
):
    """Minimise ``1/2 alpha' H alpha - b' alpha`` over the simplex; see `cutting_planes`.

    `alpha`, a point of the simplex, is replaced by the solution. It stops at a gap of `tol`, or of `rounding`
    times the larger of the two terms. The last three arguments are buffers of shape (2, m), (3, m), (m, m).
    """
    m = len(b)
    support = indices[0]
    others = indices[1]
    gradient = vectors[0]
    direction = vectors[1]
    x = vectors[2]
    size = 0
    for t in range(m):
        if alpha[t] != 0.0:
            support[size] = t
            size += 1
    full_steps = 0  # since the support last changed
    bounced = 0  # steps of length 0 since the last step of positive length
    gap = np.inf
    for step in range(max_steps):
        linear, slope, least, most = evaluate(H, b, alpha, support[:size], gradient)
        entering = lowest(gradient)
        gap = slope - gradient[entering]
        if gap <= max(tol, rounding * max(abs(slope + linear), abs(linear))):
            return gap, step
        # Minimise over the current support first: an index that enters earlier may have to leave at once.
        settled = (
            most - least <= (0.0 if bounced else 0.1 * gap)
            or full_steps >= refinements
        )
        if settled:
            if alpha[entering] > 0.0 or bounced == 2:
                return gap, step  # rounding leaves nothing to gain
            support[size] = entering
            size += 1
            full_steps = 0
        newton_direction(
            H, gradient, support[:size], ridge, others, direction, x, factor
        )
        length, first = step_length(alpha, support[:size], direction)
        if first >= 0 and length == 0.0:
            bounced += 1
        elif settled:
            bounced = 0
        full_steps = full_steps + 1 if first < 0 else 0
        size = move(alpha, support[:size], direction, length, first)
    return gap, max_steps


@njit(inline="always")
def evaluate(H, b, alpha, support, gradient):
    """Write ``H alpha - b`` to `gradient`; return b' alpha, gradient' alpha, and its range on the support."""
    m = len(b)
    for i in range(m):
        gradient[i] = -b[i]
    for s in range(len(support)):
        t = support[s]
        for i in range(m):
            gradient[i] += alpha[t] * H[t, i]
    linear = 0.0
    slope = 0.0
    least = np.inf
    most = -np.inf
    for s in range(len(support)):
        t = support[s]
        linear += b[t] * alpha[t]
        slope += gradient[t] * alpha[t]
        least = min(least, gradient[t])
        most = max(most, gradient[t])
    return linear, slope, least, most


@njit(inline="always")
def lowest(gradient):
    """Find the first index of the smallest entry."""
    index = 0
    for i in range(len(gradient)):
        if gradient[i] < gradient[index]:
            index = i
    return index


@njit(inline="always")
def step_length(alpha, support, direction):
    """Find the longest step, at most 1, and the place in the support that it takes to 0, -1 if none."""
    length = 1.0
    first = -1
    for i in range(len(support)):
        if direction[i] < 0.0 and alpha[support[i]] <= -direction[i] * length:
            length = alpha[support[i]] / -direction[i]
            first = i
    return length, first


@njit(inline="always")
def move(alpha, support, direction, length, first):
    """Take a step on the simplex; keep the positive entries in `support`, and return their number."""
    total = 0.0
    for i in range(len(support)):
        t = support[i]
        alpha[t] = 0.0 if i == first else max(0.0, alpha[t] + length * direction[i])
        total += alpha[t]
    size = 0
    for i in range(len(support)):
        t = support[i]
        alpha[t] /= total
        if alpha[t] > 0.0:
            support[size] = t
            size += 1
    return size


@njit(inline="always")
def newton_direction(H, gradient, support, ridge, others, direction, x, factor):
    """Minimise ``gradient . p + 1/2 p' H p``, plus a ridge, over p on the support that sum to 0.

    `direction` receives p; `others`, `x` and `factor` are buffers.
    """
    # Eliminate the index with the smallest diagonal entry, which adds the least rounding error to the others.
    rest = 0
    for i in range(len(support)):
        direction[i] = 0.0
        if H[support[i], support[i]] < H[support[rest], support[rest]]:
            rest = i
    q = support[rest]
    n = len(support) - 1
    for i in range(n):
        others[i] = support[i if i < rest else i + 1]
    while True:  # factorise H with q eliminated
        positive = True
        for i in range(n):
            a = others[i]
            for j in range(i + 1):
                c = others[j]
                value = H[a, c] - H[a, q] - H[q, c] + H[q, q]
                if i == j:
                    value = (
                        max(value, 0.0) * (1.0 + ridge)
                        + 1e-2 * ridge * (H[a, a] + H[q, q])
                        + TINY
                    )
                value -= dot(factor[i, :j], factor[j, :j])
                if i > j:
                    factor[i, j] = value / factor[j, j]
                else:
                    positive = value > 0.0  # by rounding it may not be
                    factor[i, i] = np.sqrt(max(value, 0.0))
            if not positive:
                break
        if positive:
            break
        ridge *= 100.0
        if not ridge < np.inf:
            return  # H is not finite
    for i in range(n):
        x[i] = (
            gradient[q] - gradient[others[i]] - dot(factor[i, :i], x[:i])
        ) / factor[i, i]
    for i in range(n - 1, -1, -1):
        x[i] /= factor[i, i]
        for j in range(i):
            x[j] -= factor[i, j] * x[i]
    total = 0.0
    for i in range(n):
        direction[i if i < rest else i + 1] = x[i]
        total += x[i]
    direction[rest] = -total


@njit(**HELPER, fastmath={"reassoc", "contract"})
def dot(u, v):
    """Inner product, in any order of summation."""
    total = 0.0
    for i in range(len(u)):
        total += u[i] * v[i]
    return total
