"""Kernel of the losses about a threshold that is a function of the scores."""

import numpy as np
from numba import njit

from attop.surrogates.kernels.k_largest import largest
from attop.surrogates.kernels.layout import load, store, workspace
from attop.surrogates.kernels.weighted_layout import descending, within

__all__ = ["GRILL", "GRILL_NP", "PAT_MAT", "PAT_MAT_NP", "TOP_MEAN_K", "TOP_PUSH_K", "evaluate"]

# Odd: the threshold is a function of the negatives' scores; even: of all scores.
TOP_MEAN_K, TOP_PUSH_K, PAT_MAT, PAT_MAT_NP, GRILL, GRILL_NP = range(6)

# Newton's method takes about 6 steps; rounding must not make it go on for ever.
MOST_STEPS = 200


@njit(cache=True, nogil=True)
def evaluate(loss, scores, order, start, n_pos, k, weight, value, coef, beta, item_weight):
    """Add a loss about a threshold, averaged over groups, of every model to `value`; write its subgradient.

    Parameters
    ----------
    loss : int
        One of the constants above.
    scores, order, start, n_pos, k, weight, value, coef
        As for `attop.surrogates.kernels.prec_at_k.evaluate`.
    beta : float
        Scale of the scores in the equation of PAT_MAT; the others do not look at it.
    item_weight : ndarray of shape (n,), or empty
        Empty: all 1.
    """
    m = scores.shape[1]
    tile, work = workspace(start, m)
    weighted = len(item_weight) > 0
    for g in range(len(n_pos)):
        items = order[start[g] : start[g + 1]]
        w = item_weight[items] if weighted else np.ones(len(items))
        low = n_pos[g] if loss % 2 == 1 else 0
        share = np.zeros(len(items))
        for first in range(0, m, len(tile)):
            size = load(scores, items, first, tile, value)
            for r in range(size):
                row = tile[r, : len(items)]
                if loss < PAT_MAT:
                    t = _mean_of_highest(row[low:], w[low:], k[g], weighted, share[low:], work)
                elif loss < GRILL:
                    t = _solution(row[low:], w[low:], k[g], beta, share[low:])
                else:
                    t = _kth_highest(row[low:], w[low:], k[g], weighted, share[low:], work)
                value[first + r] += weight * _about(row, w, n_pos[g], t, share, loss >= GRILL)
            store(tile, items, first, size, weight, coef)


@njit(cache=True, nogil=True)
def _about(row, w, n_pos, t, share, count_negatives):
    """Squared hinges about the threshold t of one group and model.

    Overwrites `row`, its scores, with the gradient; `share` is that of t.
    """
    value, rise = 0.0, 0.0  # rise: derivative by t
    total = np.sum(w[:n_pos])
    for i in range(n_pos):
        u = max(0.0, 1.0 + (t - row[i]))
        value += w[i] / total * u * u
        row[i] = -2.0 * w[i] / total * u
        rise -= row[i]
    total = np.sum(w[n_pos:]) if count_negatives else np.inf
    for j in range(n_pos, len(row)):
        u = max(0.0, 1.0 + (row[j] - t)) if count_negatives else 0.0
        value += w[j] / total * u * u
        row[j] = 2.0 * w[j] / total * u
        rise -= row[j]
    for i in range(len(row)):
        if share[i] > 0.0:
            row[i] += rise * share[i]
    return value


@njit(cache=True, nogil=True)
def _mean_of_highest(x, w, k, weighted, share, work):
    """Mean of the k highest entries; `share` receives its gradient."""
    share[:] = 0.0
    if weighted:
        _, sorted_weight, index = descending(x, w)
        part = within(sorted_weight, 0.0, k)
        for i in range(len(index)):
            share[index[i]] = part[i] / k
    else:
        largest(x, k, -np.inf, work[0], work[1])
        share[work[1][:k]] = 1.0 / k
    mean = 0.0
    for i in range(len(x)):
        mean += share[i] * x[i]
    return mean


@njit(cache=True, nogil=True)
def _kth_highest(x, w, k, weighted, share, work):
    """Highest entry with a weight of at least k at or above it; `share` receives its gradient."""
    share[:] = 0.0
    where = -1
    if weighted:
        _, sorted_weight, index = descending(x, w)
        above = 0.0
        for i in range(len(index)):
            if sorted_weight[i] > 0.0:
                where = index[i]
                above += sorted_weight[i]
                if above >= k:
                    break
    else:
        largest(x, k, -np.inf, work[0], work[1])
        where = work[1][k - 1]
    share[where] = 1.0
    return x[where]


@njit(cache=True, nogil=True)
def _solution(x, w, k, beta, share):
    """Solve sum_i w_i (1 + beta (x_i - t))_+^2 = k for t; `share` receives the gradient of t.

    Relative to the highest entry, in units of 1/beta, t is u. The square root of the left side is a norm
    of a convex function of u, hence convex and falling: Newton's method on it, from a point on the left,
    where the highest entry alone makes up k, never passes the solution.
    """
    top = -1
    for i in range(len(x)):
        if w[i] > 0.0 and (top < 0 or x[i] > x[top]):
            top = i
    origin, target = x[top], np.sqrt(k)
    u = 1.0 - np.sqrt(k / w[top])
    for _ in range(MOST_STEPS):
        inner, square = 0.0, 0.0
        for i in range(len(x)):
            share[i] = 0.0
            if w[i] > 0.0:
                h = max(0.0, 1.0 + beta * (x[i] - origin) - u)
                share[i] = w[i] * h
                inner += share[i]
                square += share[i] * h
        norm = np.sqrt(square)
        new = u + (norm - target) * (norm / inner)
        if not new > u:
            break
        u = new
    for i in range(len(x)):
        share[i] /= inner
    return origin + u / beta
