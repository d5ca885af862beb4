"""Kernel of the losses against the highest negative for items with weights."""

import numpy as np
from numba import njit

from attop.surrogates.kernels.layout import load, store, workspace

__all__ = ["HINGE", "SQUARED", "evaluate"]

HINGE, SQUARED = range(2)


@njit(cache=True, nogil=True)
def evaluate(loss, scores, order, start, n_pos, k, weight, value, coef, item_weight):
    """Add a weighted loss against the highest negative, meaned over groups; write its subgradient.

    Parameters
    ----------
    loss, scores, order, start, n_pos, k, weight, value, coef
        As for `attop.surrogates.kernels.top_push.evaluate`.
    item_weight : ndarray of shape (n,)
    """
    m = scores.shape[1]
    tile, _ = workspace(start, m)
    for g in range(len(n_pos)):
        items = order[start[g] : start[g + 1]]
        w = item_weight[items]
        for first in range(0, m, len(tile)):
            size = load(scores, items, first, tile, value)
            for r in range(size):
                pos, neg = tile[r, : n_pos[g]], tile[r, n_pos[g] : len(items)]
                one = _against_highest(pos, neg, w[: n_pos[g]], w[n_pos[g] :], loss == SQUARED)
                value[first + r] += weight * one
            store(tile, items, first, size, weight, coef)


@njit(cache=True, nogil=True)
def _against_highest(pos, neg, pos_weight, neg_weight, square):
    where = -1
    for j in range(len(neg)):
        if neg_weight[j] > 0.0 and (where < 0 or neg[j] > neg[where]):
            where = j
    highest = neg[where]
    neg[:] = 0.0
    value, total = 0.0, np.sum(pos_weight)
    for i in range(len(pos)):
        share = pos_weight[i] / total
        u = max(0.0, 1.0 + (highest - pos[i]))
        if square:
            value += share * u * u
            slope = 2.0 * u
        else:
            value += share * u
            slope = 1.0 if u > 0.0 else 0.0
        pos[i] = -share * slope
        neg[where] += share * slope
    return value
