"""Softmax and pairwise losses of one group; see `groups.over_groups`."""

import numpy as np
from numba import njit

from attop.core.compiled import PART
from attop.surrogates.kernels.groups import over_groups
from attop.surrogates.kernels.k_largest import largest, ranked

# Below it, exponentials count as 0.
LOWEST = -700.0


def _softmax(row, n_pos, w, k, constant, values, positions):
    return _about(-np.inf, row, n_pos, w, 1.0)


def _at_k(row, n_pos, w, k, width, values, positions):
    largest(row, k, -np.inf, values[0], positions[0])
    return _about(values[0][k - 1], row, n_pos, w, width)


def _weighted_at_k(row, n_pos, w, k, width, values, positions):
    by_score, by_rank, _ = ranked(row, w)
    at, reached = 0, by_rank[0]
    while reached < k and at + 1 < len(row):
        at += 1
        reached += by_rank[at]
    return _about(by_score[at], row, n_pos, w, width)


def _bpr(row, n_pos, w, k, constant, values, positions):
    negatives, x, pull = row[n_pos:], values[0][n_pos : len(row)], values[1][n_pos : len(row)]
    pull[:] = 0.0
    value, weight = 0.0, 0.0
    for j in range(n_pos, len(row)):
        weight += _times(w, j)
    for i in range(n_pos):
        for j in range(len(x)):
            x[j] = -abs(negatives[j] - row[i])
        _exponentials(x, 0.0)
        value += _times(w, i) / weight * _logistic(negatives, row[i], w[n_pos:], x)
        row[i] = -_add(x, w[n_pos:], _times(w, i) / weight, pull)
    negatives[:] = pull
    return value


def _psl(row, n_pos, w, k, power, values, positions):
    negatives, x, pull = row[n_pos:], values[0][n_pos : len(row)], values[1][n_pos : len(row)]
    pull[:] = 0.0
    value, best, powers = 0.0, _highest(negatives, w[n_pos:]), np.empty(len(x))
    for i in range(n_pos):
        highest = max(1.0, 1.0 + (best - row[i]) / power)  # divided by it, no power overflows
        for j in range(len(x)):
            x[j] = min(max((1.0 + (negatives[j] - row[i]) / power) / highest, 0.0), 1.0)
        total, one = _powers(x, int(power) - 1, w[n_pos:], powers), highest**-power
        value += _times(w, i) * (power * np.log(highest) + np.log1p(total + (one - 1.0)))
        row[i] = -_add(powers, w[n_pos:], _times(w, i) / (highest * (one + total)), pull)
    negatives[:] = pull
    return value


@njit(inline="always")
def _about(quantile, row, n_pos, w, width):
    """Softmax loss whose positives count by where they are about a quantile; the gradient holds this one."""
    log_sum, share = _exponentials_of_negatives(row, n_pos, w)
    value, total = 0.0, 0.0
    for i in range(n_pos):
        loss, slope = _softplus(log_sum - row[i])
        z = (row[i] - quantile) / width
        e = np.exp(-abs(z))
        outside = (e if z > 0.0 else 1.0) / (1.0 + e)
        inside = (1.0 if z > 0.0 else e) / (1.0 + e)
        value += _times(w, i) * inside * loss
        total += _times(w, i) * inside * slope
        # Divided before it is multiplied: the loss may be as large as the largest number.
        row[i] = _times(w, i) * inside * (outside * (loss / width) - slope)
    for j in range(n_pos, len(row)):
        row[j] *= total * share
    return value


@njit(**PART)
def _exponentials_of_negatives(row, n_pos, w):
    """Overwrite negatives by multiples of their exponentials; return log of the sum, and 1 / sum of those."""
    negatives, weights = row[n_pos:], w[n_pos:]
    highest = _highest(negatives, weights)
    if highest == -np.inf:  # no negatives
        negatives[:] = 0.0
        return highest, 0.0
    total = _exponentials(negatives, highest)
    if len(weights) > 0:
        total = 0.0
        for j in range(len(negatives)):
            negatives[j] *= weights[j]
            total += negatives[j]
    return highest + np.log(total), 1.0 / total


@njit(**PART)
def _highest(x, w):
    a, b, pairs = -np.inf, -np.inf, 0 if len(w) > 0 else len(x) // 2
    for j in range(pairs):  # two chains: one would wait for itself
        a, b = max(a, x[j]), max(b, x[j + pairs])
    for j in range(2 * pairs, len(x)):
        if len(w) == 0 or w[j] > 0.0:
            a = max(a, x[j])
    return max(a, b)


@njit(**PART, fastmath={"reassoc", "contract"})
def _exponentials(x, highest):
    """Overwrite x with exp(x - highest), and return their sum.

    A series of the 1024th part, squared ten times, is exact to 2e-13, and done for eight numbers at once;
    numba calls an exponential function one by one, which takes longer than all else.
    """
    total = 0.0
    for i in range(len(x)):
        # An item of weight 0 may lie above the highest.
        t = min(max(x[i] - highest, LOWEST), 0.0) * (1.0 / 1024.0)
        e = 1.0 / 5040.0 + t * (1.0 / 40320.0 + t * (1.0 / 362880.0))
        e = 1.0 / 24.0 + t * (1.0 / 120.0 + t * (1.0 / 720.0 + t * e))
        e = 1.0 + t * (1.0 + t * (0.5 + t * (1.0 / 6.0 + t * e)))
        for _ in range(10):
            e *= e
        x[i] = e
        total += e
    return total


@njit(**PART)
def _logistic(negatives, score, w, x):
    """Return the sum of log(1 + exp(d)), `x` being exp(-abs(d)), and overwrite `x` with the slopes."""
    total, product = 0.0, 1.0
    for j in range(len(x)):
        d = negatives[j] - score
        total += _times(w, j) * max(d, 0.0)
        if len(w) > 0:
            total += w[j] * np.log1p(x[j])
        else:
            product *= 1.0 + x[j]  # many products take no longer than a logarithm
            if product > 1e300:
                total += np.log(product)
                product = 1.0
        x[j] = (1.0 if d > 0.0 else x[j]) / (1.0 + x[j])
    return total + np.log(product)


@njit(**PART, fastmath={"reassoc", "contract"})
def _powers(x, n, w, out):
    """Write the n-th powers, n at least 1, squaring all numbers at once; return the sum of the next."""
    bit, total = 1, 0.0
    while 2 * bit <= n:
        bit *= 2
    out[:] = x
    while bit > 1:
        bit //= 2
        for j in range(len(x)):
            out[j] *= out[j]
        if n & bit:
            for j in range(len(x)):
                out[j] *= x[j]
    for j in range(len(x)):
        total += _times(w, j) * out[j] * x[j]
    return total


@njit(**PART, fastmath={"reassoc", "contract"})
def _add(x, w, times, to):
    total = 0.0
    for j in range(len(x)):
        slope = times * _times(w, j) * x[j]
        to[j] += slope
        total += slope
    return total


@njit(**PART)
def _softplus(z):
    """Return log(1 + exp(z)) and its derivative."""
    e = np.exp(-abs(z))
    return max(z, 0.0) + np.log1p(e), (1.0 if z > 0.0 else e) / (1.0 + e)


@njit(**PART)
def _times(w, i):
    return w[i] if len(w) > 0 else 1.0


softmax, at_k, weighted_at_k, bpr, psl = map(over_groups, (_softmax, _at_k, _weighted_at_k, _bpr, _psl))
weighted_softmax, weighted_bpr, weighted_psl = softmax, bpr, psl  # which weigh the items if there are weights
