"""Kernel of the losses against the highest negative."""

import numpy as np
from numba import njit

from attop.surrogates.kernels.layout import load, store, workspace

__all__ = ["HINGE", "SQUARED", "evaluate"]

HINGE, SQUARED = range(2)


@njit(cache=True, nogil=True)
def evaluate(loss, scores, order, start, n_pos, k, weight, value, coef):
    """Add a loss against the highest negative, meaned over groups, to `value`; write its subgradient.

    Parameters
    ----------
    loss : int
        One of the constants above.
    scores : ndarray of shape (n, m), C-contiguous
    order, start, n_pos : ndarray
        See `attop.sample.RankingSample`.
    k : ndarray of shape (n_groups,)
    weight : float
        Of each group.
    value : ndarray of shape (m,)
        The values, times `weight`, are added.
    coef : ndarray of shape (n, m)
        Receives the subgradient times `weight` in the rows in `order`.
    """
    m = scores.shape[1]
    tile, _ = workspace(start, m)
    for g in range(len(n_pos)):
        items = order[start[g] : start[g + 1]]
        for first in range(0, m, len(tile)):
            size = load(scores, items, first, tile, value)
            for r in range(size):
                pos, neg = tile[r, : n_pos[g]], tile[r, n_pos[g] : len(items)]
                value[first + r] += weight * _against_highest(pos, neg, loss == SQUARED)
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
