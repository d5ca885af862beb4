"""Kernels of the prec@k surrogates."""

import numpy as np
from numba import njit

from attop.surrogates.kernels.k_largest import largest, smallest
from attop.surrogates.kernels.layout import load, store, workspace
from attop.surrogates.kernels.weighted_layout import descending, within

__all__ = ["AVG", "MAX", "RAMP", "STRUCT", "evaluate"]

STRUCT, RAMP, MAX, AVG = range(4)


@njit(cache=True, nogil=True)
def evaluate(loss, scores, order, start, n_pos, k, weight, value, coef, item_weight):
    """Add a prec@k surrogate, averaged over groups, of every model to `value`; write its subgradient.

    Parameters
    ----------
    loss : int
        One of the constants above.
    scores : ndarray of shape (n, m), C-contiguous
    order, start, n_pos : ndarray
        See `attop.core.sample.RankingSample`.
    k : ndarray of shape (n_groups,)
    weight : float
        Of each group.
    value : ndarray of shape (m,)
        The values, times `weight`, are added.
    coef : ndarray of shape (n, m)
        Receives the subgradient times `weight` in the rows in `order`.
    item_weight : ndarray of shape (n,), or empty
        Empty: all 1. AVG takes none.
    """
    m = scores.shape[1]
    tile, work = workspace(start, m)
    weighted = len(item_weight) > 0
    for g in range(len(n_pos)):
        items = order[start[g] : start[g + 1]]
        w = item_weight[items] if weighted else item_weight
        for first in range(0, m, len(tile)):
            size = load(scores, items, first, tile, value)
            for r in range(size):
                pos, neg = tile[r, : n_pos[g]], tile[r, n_pos[g] : len(items)]
                if weighted:
                    one = _weighted(loss, pos, neg, w[: n_pos[g]], w[n_pos[g] :], k[g])
                else:
                    one = _one(loss, pos, neg, k[g], work)
                value[first + r] += weight * one
            store(tile, items, first, size, weight, coef)


@njit(cache=True, nogil=True)
def _one(loss, pos, neg, k, work):
    """Value of one group and model; overwrites `pos` and `neg`, its scores, with the subgradient."""
    if loss == STRUCT:
        return _struct(pos, neg, k, work)
    if loss == RAMP:
        return _ramp(pos, neg, k, work)
    if loss == MAX:
        return _max(pos, neg, k, work)
    return _avg(pos, neg, k, work)


@njit(cache=True, nogil=True)
def _struct(pos, neg, k, work):
    # Start with the k highest positives. To exchange the j-th lowest of them for the j-th highest negative
    # adds 1 + s-(j) - s+(k+1-j), which decreases with j: exchange while it is positive, and where there are
    # fewer than k positives.
    top, where, high, who = work
    count = largest(neg, k, -np.inf, top, where)
    n_high = largest(pos, k, -np.inf, high, who)
    for i in range(n_high):
        pos[who[i]] = 0.0
    value = -np.sum(pos)
    pos[:] = -1.0
    neg[:] = 0.0
    chosen = 0
    while chosen < count:
        i = k - 1 - chosen
        gain = 1.0 + (top[chosen] - high[i] if i < n_high else top[chosen])
        if i < n_high and gain <= 0.0:
            break
        value += gain
        neg[where[chosen]] = 1.0
        chosen += 1
    for i in range(k - chosen):
        pos[who[i]] = 0.0
    return value


@njit(cache=True, nogil=True)
def _ramp(pos, neg, k, work):
    # The sum of the k largest of s + 1[negative] and of the k highest positives differ by trades, as in
    # `_struct`: sum_j (1 + s-(j) - s+(k+1-j))+.
    top, where, high, who = work
    largest(pos, k, -np.inf, high, who)
    count = largest(neg, k, high[k - 1] - 1.0, top, where)
    return _matched_hinges(high[:k][::-1], who[:k][::-1], top[:count], where, pos, neg)


@njit(cache=True, nogil=True)
def _max(pos, neg, k, work):
    top, where, low, who = work
    n_low = smallest(pos, min(k, len(pos)), low, who)
    count = largest(neg, n_low, low[0] - 1.0, top, where)
    return _matched_hinges(low[:n_low], who, top[:count], where, pos, neg)


@njit(cache=True, nogil=True)
def _matched_hinges(low, who, top, where, pos, neg):
    """Sum ``(1 + top[j] - low[j])+``: `low` ascends and `top` descends, the first terms are active."""
    pos[:] = 0.0
    neg[:] = 0.0
    value = 0.0
    for j in range(min(len(top), len(low))):
        hinge = 1.0 + (top[j] - low[j])
        if hinge <= 0.0:
            break
        value += hinge
        neg[where[j]] = 1.0
        pos[who[j]] = -1.0
    return value


@njit(cache=True, nogil=True)
def _avg(pos, neg, k, work):
    top, where, high, who = work
    n_pos = len(pos)
    reach = min(k, n_pos)
    largest(pos, reach, -np.inf, high, who)
    count = largest(neg, k, -np.inf, top, where)
    # Scores relative to the highest negative: a large common offset would cost digits.
    origin = top[0] if count > 0 else 0.0
    for i in range(reach):
        pos[who[i]] = origin
    outside = 0.0  # positives outside yhat
    for s in pos:
        outside += s - origin
    inside = 0.0  # negatives in yhat
    for j in range(k - reach):
        inside += top[j] - origin
    best, best_kept = (0.0, reach) if k <= n_pos else (-np.inf, reach)
    for kept in range(reach - 1, max(0, k - count) - 1, -1):
        inside += top[k - kept - 1] - origin
        outside += high[kept] - origin
        share = (reach - kept) / (n_pos - kept)
        phi = (k - kept) + (inside - share * outside)
        if phi > best:
            best, best_kept = phi, kept
    share = (reach - best_kept) / max(1, n_pos - best_kept)
    pos[:] = -share
    for i in range(best_kept):
        pos[who[i]] = 0.0
    neg[:] = 0.0
    for j in range(k - best_kept):
        neg[where[j]] = 1.0
    return best + (k - reach) * origin


@njit(cache=True, nogil=True)
def _weighted(loss, pos, neg, pos_weight, neg_weight, k):
    """Value of one group and model with weights; overwrites `pos` and `neg` with the subgradient."""
    high, c, who = descending(pos, pos_weight)
    top, d, where = descending(neg, neg_weight)
    by_pos, by_neg = np.zeros(len(pos)), np.zeros(len(neg))
    if loss == STRUCT:
        value = _weighted_struct(high, c, top, d, k, by_pos, by_neg)
    else:
        total = np.sum(c)
        c = within(c, 0.0, k) if loss == RAMP else within(c, total - min(k, total), total)
        value = _matched_by_weight(high, c, top, within(d, 0.0, k), by_pos, by_neg)
    pos[who] = by_pos
    neg[where] = by_neg
    return value


@njit(cache=True, nogil=True)
def _weighted_struct(high, c, top, d, k, by_pos, by_neg):
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
def _matched_by_weight(high, c, top, d, by_pos, by_neg):
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
