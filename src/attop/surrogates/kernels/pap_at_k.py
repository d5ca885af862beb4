"""Kernels of the pAp@k surrogates and of the structural pAUC: sums of hinges over pairs."""

import numpy as np
from numba import njit

from attop.surrogates.kernels.k_largest import largest, smallest
from attop.surrogates.kernels.layout import load, store, workspace
from attop.surrogates.kernels.pap_at_k_lanes import (
    LANES,
    avg_of_group,
    lanes_workspace,
    pairs_of_group,
    suits,
)
from attop.surrogates.kernels.weighted_layout import descending, within
from attop.surrogates.kernels.weighted_pap_at_k import weighted_avg, weighted_pairs, weighted_ts_convex

__all__ = ["AVG", "MAX", "PAUC", "RAMP", "TS", "TS_CONVEX", "evaluate"]

RAMP, PAUC, MAX, AVG, TS, TS_CONVEX = range(6)


@njit(cache=True, nogil=True)
def evaluate(loss, scores, order, start, n_pos, k, weight, value, coef, item_weight):
    """Add a pAp@k surrogate, averaged over groups, of every model to `value`; write its subgradient.

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
    tile, work = workspace(start, m)
    lanes = lanes_workspace(m)
    weighted = len(item_weight) > 0
    for g in range(len(n_pos)):
        items = order[start[g] : start[g + 1]]
        w = item_weight[items] if weighted else item_weight
        count = int(k[g])  # not used with weights, where k need not be whole
        if not weighted and loss != TS_CONVEX and suits(n_pos[g], len(items) - n_pos[g], count, m):
            for first in range(0, m, LANES):
                _block(loss, scores, items, n_pos[g], count, first, weight, value, coef, lanes)
            continue
        for first in range(0, m, len(tile)):
            size = load(scores, items, first, tile, value)
            for r in range(size):
                pos, neg = tile[r, : n_pos[g]], tile[r, n_pos[g] : len(items)]
                if weighted:
                    one = _weighted(loss, pos, neg, w[: n_pos[g]], w[n_pos[g] :], k[g])
                else:
                    one = _one(loss, pos, neg, count, work)
                value[first + r] += weight * one
            store(tile, items, first, size, weight, coef)


@njit(cache=True, nogil=True)
def _block(loss, scores, items, n_pos, k, first, weight, value, coef, lanes):
    """Do one group for a block of models."""
    if loss == AVG:
        avg_of_group(scores, items, n_pos, k, first, weight / k, value, coef, lanes)
        return
    beta = n_pos if loss == PAUC else min(n_pos, k)
    lo, hi = (n_pos - beta, n_pos) if loss == MAX else (0, beta)
    pair = weight / (beta * k)
    pairs_of_group(scores, items, n_pos, k, lo, hi, loss == TS, first, pair, value, coef, lanes)


@njit(cache=True, nogil=True)
def _one(loss, pos, neg, k, work):
    """Value of one group and model; overwrites `pos` and `neg`, its scores, with the subgradient."""
    if loss == RAMP:
        return _ramp(pos, neg, min(len(pos), k), k, work)
    if loss == PAUC:
        return _ramp(pos, neg, len(pos), k, work)
    if loss == MAX:
        return _max(pos, neg, k, work)
    if loss == AVG:
        return _avg(pos, neg, k, work)
    if loss == TS:
        return _ts(pos, neg, k, work)
    return _ts_convex(pos, neg, k, work)


@njit(cache=True, nogil=True)
def _ramp(pos, neg, beta, k, work):
    top, where, high, who = work
    largest(pos, beta, -np.inf, high, who)
    count = largest(neg, k, high[beta - 1] - 1.0, top, where)
    pos[:] = 0.0
    neg[:] = 0.0
    return _pair_hinges(high[:beta], who, top[:count], where, 1.0, 1.0 / (beta * k), pos, neg)


@njit(cache=True, nogil=True)
def _max(pos, neg, k, work):
    top, where, low, who = work
    beta = smallest(pos, min(len(pos), k), low, who)
    count = largest(neg, k, low[0] - 1.0, top, where)
    pos[:] = 0.0
    neg[:] = 0.0
    high, who = low[:beta][::-1], who[:beta][::-1]
    return _pair_hinges(high, who, top[:count], where, 1.0, 1.0 / (beta * k), pos, neg)


@njit(cache=True, nogil=True)
def _avg(pos, neg, k, work):
    top, where, _, _ = work
    # A mean of differences: a common offset of the scores does not cost digits.
    mean = 0.0
    for s in pos:
        mean += s - pos[0]
    mean = pos[0] + mean / len(pos)
    count = largest(neg, k, mean - 1.0, top, where)
    neg[:] = 0.0
    value = 0.0
    active = 0
    while active < count and 1.0 + (top[active] - mean) > 0.0:
        value += 1.0 + (top[active] - mean)
        neg[where[active]] = 1.0 / k
        active += 1
    pos[:] = -active / (k * len(pos))
    return value / k


@njit(cache=True, nogil=True)
def _ts(pos, neg, k, work):
    top, where, high, who = work
    n_pos = len(pos)
    beta = min(n_pos, k)
    largest(pos, n_pos, -np.inf, high, who)
    floor = min(high[beta - 1] - 1.0, high[n_pos - 1])
    count = largest(neg, k, floor, top, where)
    pos[:] = 0.0
    neg[:] = 0.0
    scale = 1.0 / (beta * k)
    value = _pair_hinges(high[:beta], who, top[:count], where, 1.0, scale, pos, neg)
    value += _pair_hinges(high[beta:n_pos], who[beta:], top[:count], where, 0.0, scale, pos, neg)
    return value


@njit(cache=True, nogil=True)
def _ts_convex(pos, neg, k, work):
    # In the maximising ordering a negative is above one of the beta highest positives, and then above all
    # lower ones too, or above none of them. The former is better for the `reaching` highest negatives.
    top, where, high, who = work
    n_pos = len(pos)
    beta = min(n_pos, k)
    largest(pos, n_pos, -np.inf, high, who)
    count = largest(neg, k, min(high[beta - 1] - 1.0, high[n_pos - 1]), top, where)
    pos[:] = 0.0
    neg[:] = 0.0
    scale = 1.0 / (beta * k)
    inner, others = high[:beta], high[beta:n_pos]

    surplus = _surplus(inner, others, top[:count])
    reaching = 0
    while reaching < count and surplus[reaching] > 0.0:
        reaching += 1
    value = _pair_hinges(others, who[beta:], top[:count], where, 0.0, scale, pos, neg)
    for j in range(reaching):
        value += scale * surplus[j]
        neg[where[j]] = scale * len(others)
    for i in range(beta, n_pos):
        pos[who[i]] = min(pos[who[i]], -scale * reaching)
    _pair_hinges(inner, who, top[:reaching], where, 1.0, scale, pos, neg)
    return value


@njit(cache=True, nogil=True)
def _surplus(inner, others, top):
    """``sum_inner (1 + top[j] - s)+ - sum_others (s - top[j])+`` for every j; it falls with j."""
    surplus = np.zeros(len(top))
    # The number of positives above a negative grows from the highest negative down ...
    above, total = 0, 0.0
    for j in range(len(top)):
        if above > 0:
            total += above * (top[j - 1] - top[j])
        while above < len(others) and others[above] > top[j]:
            total += others[above] - top[j]
            above += 1
        surplus[j] -= total
    # ... and the number within its margin grows from the lowest negative up.
    below, total = 0, 0.0
    for j in range(len(top) - 1, -1, -1):
        if below > 0:
            total += below * (top[j] - top[j + 1])
        while below < len(inner) and 1.0 + (top[j] - inner[-1 - below]) > 0.0:
            total += 1.0 + (top[j] - inner[-1 - below])
            below += 1
        surplus[j] += total
    return surplus


@njit(cache=True, nogil=True)
def _pair_hinges(high, who, top, where, margin, scale, pos, neg):
    """Sum ``scale * (margin + top[j] - high[i])+`` over all pairs; add its gradient to `pos` and `neg`.

    Both are in descending order, so the active negatives of a positive are the first few, and more for
    the next. Only terms of one sign are added: nothing cancels.
    """
    value = 0.0
    of_one = 0.0  # the sum over j for the current positive
    active = 0
    for i in range(len(high)):
        if active > 0:
            of_one += active * (high[i - 1] - high[i])
        while active < len(top) and margin + (top[active] - high[i]) > 0.0:
            of_one += margin + (top[active] - high[i])
            neg[where[active]] += scale * (len(high) - i)
            active += 1
        value += of_one
        pos[who[i]] -= scale * active
    return scale * value


@njit(cache=True, nogil=True)
def _weighted(loss, pos, neg, pos_weight, neg_weight, k):
    """Value of one group and model with weights; overwrites `pos` and `neg` with the subgradient."""
    high, c, who = descending(pos, pos_weight)
    top, d, where = descending(neg, neg_weight)
    total = np.sum(c)
    beta = total if loss == PAUC else min(total, k)
    d = within(d, 0.0, k)
    by_pos, by_neg = np.zeros(len(pos)), np.zeros(len(neg))
    if loss == AVG:
        scale = 1.0 / k
        value = weighted_avg(high, c / total, top, d, by_pos, by_neg)
    else:
        scale = 1.0 / (beta * k)
        inner, others = within(c, 0.0, beta), within(c, beta, total)
        if loss == MAX:
            value = weighted_pairs(high, within(c, total - beta, total), top, d, 1.0, by_pos, by_neg)
        elif loss == TS_CONVEX:
            value = weighted_ts_convex(high, inner, others, top, d, by_pos, by_neg)
        else:
            value = weighted_pairs(high, inner, top, d, 1.0, by_pos, by_neg)
            if loss == TS:
                value += weighted_pairs(high, others, top, d, 0.0, by_pos, by_neg)
    pos[who] = scale * by_pos
    neg[where] = scale * by_neg
    return scale * value
