"""Kernels of the prec@k surrogates."""

import numpy as np
from numba import njit

from attop.surrogates.kernels.k_largest import largest, smallest
from attop.surrogates.kernels.layout import load, store, workspace

__all__ = ["AVG", "MAX", "RAMP", "STRUCT", "evaluate"]

STRUCT, RAMP, MAX, AVG = range(4)


@njit(cache=True, nogil=True)
def evaluate(loss, scores, order, start, n_pos, k, weight, value, coef):
    """Add a prec@k surrogate, meaned over groups, of every model to `value`; write its subgradient.

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
    tile, work = workspace(start, m)
    for g in range(len(n_pos)):
        items = order[start[g] : start[g + 1]]
        for first in range(0, m, len(tile)):
            size = load(scores, items, first, tile, value)
            for r in range(size):
                pos, neg = tile[r, : n_pos[g]], tile[r, n_pos[g] : len(items)]
                value[first + r] += weight * _one(loss, pos, neg, k[g], work)
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
