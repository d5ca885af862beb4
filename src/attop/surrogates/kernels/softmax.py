"""Softmax losses of one group, whole and at the top; see `groups.over_groups`."""

import numpy as np
from numba import njit

from attop.surrogates.kernels.groups import over_groups
from attop.surrogates.kernels.k_largest import largest, ranked

__all__ = ["at_k", "softmax", "weighted_at_k", "weighted_softmax"]


@njit(cache=True, nogil=True)
def _softmax(row, n_pos, w, k, constant, values, positions):
    log_sum, share = _log_sum_exp(row, w, values[0])
    value, total = 0.0, 0.0
    for i in range(n_pos):
        total += _times(w, i)
        value += _times(w, i) * (log_sum - row[i])
    for i in range(len(row)):
        row[i] = total * share[i] - (_times(w, i) if i < n_pos else 0.0)
    return value


@njit(cache=True, nogil=True)
def _at_k(row, n_pos, w, k, width, values, positions):
    largest(row, k, -np.inf, values[0], positions[0])
    return _about(values[0][k - 1], row, n_pos, w, width, values)


@njit(cache=True, nogil=True)
def _weighted_at_k(row, n_pos, w, k, width, values, positions):
    by_score, by_rank, _ = ranked(row, w)
    at, reached = 0, by_rank[0]
    while reached < k and at + 1 < len(row):
        at += 1
        reached += by_rank[at]
    return _about(by_score[at], row, n_pos, w, width, values)


@njit(cache=True, nogil=True)
def _about(quantile, row, n_pos, w, width, values):
    """Softmax loss whose positives count by where they are about a quantile, and its gradient at this one."""
    log_sum, share = _log_sum_exp(row, w, values[0])
    pull = values[1]  # derivatives by the positives' scores, but for the one by way of log_sum
    value, total = 0.0, 0.0
    for i in range(n_pos):
        loss = log_sum - row[i]
        z = (row[i] - quantile) / width
        e = np.exp(-abs(z))
        inside, outside = (1.0, e) if z > 0.0 else (e, 1.0)
        inside, outside = inside / (1.0 + e), outside / (1.0 + e)
        value += _times(w, i) * inside * loss
        total += _times(w, i) * inside
        # Divided before it is multiplied: the loss may be as large as the largest number.
        pull[i] = _times(w, i) * inside * (outside * (loss / width) - 1.0)
    for i in range(len(row)):
        row[i] = total * share[i] + (pull[i] if i < n_pos else 0.0)
    return value


@njit(cache=True, nogil=True)
def _log_sum_exp(row, w, share):
    """Return the logarithm of the sum of exponentials, and each one's share of it in `share`."""
    highest = -np.inf
    for i in range(len(row)):
        if _times(w, i) > 0.0:
            highest = max(highest, row[i])
    total = 0.0
    for i in range(len(row)):
        # An item of weight 0 may lie far above the others.
        share[i] = _times(w, i) * np.exp(min(row[i] - highest, 0.0))
        total += share[i]
    for i in range(len(row)):
        share[i] /= total
    return highest + np.log(total), share


@njit(cache=True, nogil=True)
def _times(w, i):
    return w[i] if len(w) > 0 else 1.0


softmax, at_k, weighted_at_k = map(over_groups, (_softmax, _at_k, _weighted_at_k))
weighted_softmax = softmax  # which weighs the items if there are weights
