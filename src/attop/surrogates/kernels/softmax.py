"""Softmax losses of one group, whole and at the top; see `groups.over_groups`."""

import numpy as np
from numba import njit

from attop.core.compiled import PART
from attop.surrogates.kernels.groups import over_groups
from attop.surrogates.kernels.k_largest import largest, ranked

__all__ = ["at_k", "softmax", "weighted_at_k", "weighted_softmax"]

# Below it, exponentials count as 0.
LOWEST = -700.0


def _softmax(row, n_pos, w, k, constant, values, positions):
    log_sum = _log_sum_exp(row, n_pos, w)
    value, total = 0.0, 0.0
    for i in range(n_pos):
        loss, slope = _softplus(log_sum - row[i])
        value += _times(w, i) * loss
        row[i] = -_times(w, i) * slope
        total -= row[i]
    for i in range(n_pos, len(row)):
        row[i] *= total
    return value


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


@njit(inline="always")
def _about(quantile, row, n_pos, w, width):
    """Softmax loss whose positives count by where they are about a quantile, and its gradient at this one."""
    log_sum = _log_sum_exp(row, n_pos, w)
    value, total = 0.0, 0.0
    for i in range(n_pos):
        loss, slope = _softplus(log_sum - row[i])
        z = (row[i] - quantile) / width
        inside, outside = _softplus(z)[1], _softplus(-z)[1]
        value += _times(w, i) * inside * loss
        total += _times(w, i) * inside * slope
        # Divided before it is multiplied: the loss may be as large as the largest number.
        row[i] = _times(w, i) * inside * (outside * (loss / width) - slope)
    for i in range(n_pos, len(row)):
        row[i] *= total
    return value


@njit(inline="always")
def _log_sum_exp(row, n_pos, w):
    """Return the logarithm of the sum of the negatives' exponentials; each becomes its share of the sum."""
    highest = -np.inf
    if len(w) == 0:
        highest = _highest(row[n_pos:])
    for i in range(n_pos, len(w)):
        if w[i] > 0.0:
            highest = max(highest, row[i])
    if highest == -np.inf:  # no negatives
        row[n_pos:] = 0.0
        return highest
    total = _exponentials(row[n_pos:], highest)
    if len(w) > 0:
        total = 0.0
        for i in range(n_pos, len(row)):
            row[i] *= w[i]
            total += row[i]
    for i in range(n_pos, len(row)):
        row[i] *= 1.0 / total
    return highest + np.log(total)


# fastmath: what may be taken in any order can be vectorised; scores are finite.
@njit(**PART, fastmath={"reassoc", "nnan", "nsz"})
def _highest(x):
    highest = -np.inf
    for i in range(len(x)):
        highest = max(highest, x[i])
    return highest


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
def _softplus(z):
    """Return log(1 + exp(z)) and its derivative."""
    e = np.exp(-abs(z))
    return max(z, 0.0) + np.log1p(e), (1.0 if z > 0.0 else e) / (1.0 + e)


@njit(**PART)
def _times(w, i):
    return w[i] if len(w) > 0 else 1.0


softmax, at_k, weighted_at_k = map(over_groups, (_softmax, _at_k, _weighted_at_k))
weighted_softmax = softmax  # which weighs the items if there are weights
