"""Kernels of the prec@k surrogates for items with weights."""

import numpy as np
from numba import njit

from attop.surrogates.kernels.layout import load, store, workspace
from attop.surrogates.kernels.weighted_layout import descending, within

__all__ = ["MAX", "RAMP", "STRUCT", "evaluate"]

STRUCT, RAMP, MAX = range(3)


@njit(cache=True, nogil=True)
def evaluate(loss, scores, order, start, n_pos, k, weight, value, coef, item_weight):
    """Add a weighted prec@k surrogate, meaned over groups, of every model to `value`; write its subgradient.

    Parameters
    ----------
    loss, scores, order, start, n_pos, weight, value, coef
        As for `attop.surrogates.kernels.prec_at_k.evaluate`.
    k : ndarray of shape (n_groups,), dtype float64
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
                value[first + r] += weight * _one(loss, pos, neg, w[: n_pos[g]], w[n_pos[g] :], k[g])
            store(tile, items, first, size, weight, coef)


@njit(cache=True, nogil=True)
def _one(loss, pos, neg, pos_weight, neg_weight, k):
    """Value of one group and model; overwrites `pos` and `neg`, its scores, with the subgradient."""
    high, c, who = descending(pos, pos_weight)
    top, d, where = descending(neg, neg_weight)
    by_pos, by_neg = np.zeros(len(pos)), np.zeros(len(neg))
    if loss == STRUCT:
        value = _struct(high, c, top, d, k, by_pos, by_neg)
    else:
        total = np.sum(c)
        c = within(c, 0.0, k) if loss == RAMP else within(c, total - min(k, total), total)
        value = _matched_hinges(high, c, top, within(d, 0.0, k), by_pos, by_neg)
    pos[who] = by_pos
    neg[where] = by_neg
    return value


@njit(cache=True, nogil=True)
def _struct(high, c, top, d, k, by_pos, by_neg):
    """Fill the top with the highest of s + 1[negative], then subtract the positives."""
    by_pos[:] = -c
    i, j, room = 0, 0, k
    while room > 0.0 and (i < len(high) or j < len(top)):
        if j == len(top) or (i < len(high) and high[i] >= top[j] + 1.0):
            by_pos[i] += min(c[i], room)
            room -= c[i]
            i += 1
        else:
            by_neg[j] = min(d[j], room)
            room -= d[j]
            j += 1
    # Scores relative to the highest positive: their common offset, which may be large, costs no digits then.
    origin = high[0]
    value = (np.sum(by_pos) + np.sum(by_neg)) * origin
    return value + np.sum(by_pos * (high - origin)) + np.sum(by_neg * (1.0 + (top - origin)))


@njit(cache=True, nogil=True)
def _matched_hinges(high, c, top, d, by_pos, by_neg):
    """Sum ``(1 + top - low)+``, the highest negatives matched to the lowest positives, by weight.

    Positives rise and negatives fall along the match: the first terms are active.
    """
    value = 0.0
    i, j = len(high) - 1, 0
    while i >= 0 and j < len(top):
        # Match the weight that is left of positive i, c + by_pos, with that of negative j, d - by_neg.
        weight = min(c[i] + by_pos[i], d[j] - by_neg[j])
        if weight > 0.0:
            hinge = 1.0 + (top[j] - high[i])
            if hinge <= 0.0:
                break
            value += weight * hinge
            by_pos[i] -= weight
            by_neg[j] += weight
        if c[i] + by_pos[i] <= d[j] - by_neg[j]:
            i -= 1
        else:
            j += 1
    return value
