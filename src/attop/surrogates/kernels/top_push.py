"""Kernels of the losses against the highest negative."""

import numpy as np
from numba import njit

from attop.surrogates.kernels.layout import load, store, workspace

__all__ = ["HINGE", "SQUARED", "evaluate"]

HINGE, SQUARED = range(2)


@njit(cache=True, nogil=True)
def evaluate(loss, scores, order, start, n_pos, k, weight, value, coef, item_weight):
    """Add a loss against the highest negative, averaged over groups, to `value`; write its subgradient.

    Parameters
    ----------
    loss : int
        One of the constants above.
    scores, order, start, n_pos, k, weight, value, coef
        As for `attop.surrogates.kernels.prec_at_k.evaluate`.
    item_weight : ndarray of shape (n,), or empty
        Empty: all 1.
    """
    m = scores.shape[1]
    tile, _ = workspace(start, m)
    weighted = len(item_weight) > 0
    for g in range(len(n_pos)):
        items = order[start[g] : start[g + 1]]
        w = item_weight[items] if weighted else item_weight
        for first in range(0, m, len(tile)):
            size = load(scores, items, first, tile, value)
            for r in range(size):
                pos, neg = tile[r, : n_pos[g]], tile[r, n_pos[g] : len(items)]
                if weighted:
                    one = _by_weight(pos, neg, w[: n_pos[g]], w[n_pos[g] :], loss == SQUARED)
                else:
                    one = _against_highest(pos, neg, loss == SQUARED)
                value[first + r] += weight * one
            store(tile, items, first, size, weight, coef)


@njit(cache=True, nogil=True)
def _against_highest(pos, neg, square):
    where = np.argmax(neg)
    highest = neg[where]
    neg[:] = 0.0
    value = 0.0
    for i in range(len(pos)):
        u = max(0.0, 1.0 + (highest - pos[i]))
        if square:
            value += u * u
            slope = 2.0 * u
        else:
            value += u
            slope = 1.0 if u > 0.0 else 0.0
        pos[i] = -slope / len(pos)
        neg[where] += slope / len(pos)
    return value / len(pos)


@njit(cache=True, nogil=True)
def _by_weight(pos, neg, pos_weight, neg_weight, square):
    """`_against_highest` for items with weights."""
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
