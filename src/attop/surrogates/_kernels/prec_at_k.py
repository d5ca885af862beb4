"""Losses of one group of the prec@k surrogates; see `attop.surrogates._kernels.groups.over_groups`."""

import numpy as np
from numba import njit

from attop.surrogates._kernels.groups import over_groups, total_of
from attop.surrogates._kernels.k_largest import (
    largest,
    ranked_by_class,
    smallest,
    within,
)


def _struct(row, n_pos, w, k, constant, values, positions):
    # Start with the k highest positives. To exchange the j-th lowest of them for the j-th highest negative
    # adds 1 + s-(j) - s+(k+1-j), which decreases with j: exchange while it is positive, and where there are
    # fewer than k positives.
    pos = row[:n_pos]
    neg = row[n_pos:]
    top = values[0]
    high = values[1]
    where = positions[0]
    who = positions[1]
    count = largest(neg, k, -np.inf, top, where)
    n_high = largest(pos, k, -np.inf, high, who)
    for i in range(n_high):
        pos[who[i]] = 0.0
    value = 0.0
    for i in range(n_pos):
        value += pos[i]
        pos[i] = -1.0
    value = -value
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


def _ramp(row, n_pos, w, k, constant, values, positions):
    # The sum of the k largest of s + 1[negative] and of the k highest positives differ by trades, as in
    # `_struct`: sum_j (1 + s-(j) - s+(k+1-j))+.
    high = values[1]
    who = positions[1]
    largest(row[:n_pos], k, -np.inf, high, who)
    return _matched_hinges(
        row, n_pos, high[:k][::-1], who[:k][::-1], values[0], positions[0]
    )


def _max(row, n_pos, w, k, constant, values, positions):
    low = values[1]
    who = positions[1]
    n_low = smallest(row[:n_pos], min(k, n_pos), low, who)
    return _matched_hinges(
        row, n_pos, low[:n_low], who[:n_low], values[0], positions[0]
    )


@njit(inline="always")
def _matched_hinges(row, n_pos, low, who, top, where):
    """Sum ``(1 + top[j] - low[j])+``: `low` ascends and `top` descends, the first terms are active."""
    count = largest(row[n_pos:], len(low), low[0] - 1.0, top, where)
    row[:] = 0.0
    value = 0.0
    for j in range(count):
        hinge = 1.0 + (top[j] - low[j])
        if hinge <= 0.0:
            break
        value += hinge
        row[n_pos + where[j]] = 1.0
        row[who[j]] = -1.0
    return value


def _avg(row, n_pos, w, k, constant, values, positions):
    pos = row[:n_pos]
    neg = row[n_pos:]
    top = values[0]
    high = values[1]
    where = positions[0]
    who = positions[1]
    reach = min(k, n_pos)
    largest(pos, reach, -np.inf, high, who)
    count = largest(neg, k, -np.inf, top, where)
    # Scores relative to the highest negative: a large common offset would cost digits.
    origin = top[0] if count > 0 else 0.0
    for i in range(reach):
        pos[who[i]] = origin
    outside = 0.0  # positives outside yhat
    for i in range(n_pos):
        outside += pos[i] - origin
    inside = 0.0  # negatives in yhat
    for j in range(k - reach):
        inside += top[j] - origin
    best, best_n_top = (0.0, reach) if k <= n_pos else (-np.inf, reach)
    for n_top in range(reach - 1, max(0, k - count) - 1, -1):
        inside += top[k - n_top - 1] - origin
        outside += high[n_top] - origin
        share = (reach - n_top) / (n_pos - n_top)
        phi = (k - n_top) + (inside - share * outside)
        if phi > best:
            best = phi
            best_n_top = n_top
    pos[:] = -((reach - best_n_top) / max(1, n_pos - best_n_top))
    for i in range(best_n_top):
        pos[who[i]] = 0.0
    neg[:] = 0.0
    for j in range(k - best_n_top):
        neg[where[j]] = 1.0
    return best + (k - reach) * origin


def _weighted_struct(row, n_pos, w, k, constant, values, positions):
    """Fill the top with the highest of s + 1[negative], then subtract the positives."""
    (high, c, who), (top, d, where) = ranked_by_class(row, n_pos, w)
    by_pos = np.empty(len(high))
    by_neg = np.zeros(len(top))
    for i in range(len(high)):
        by_pos[i] = -c[i]
    i = 0
    j = 0
    room = k
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
    pos_mass = 0.0
    pos_value = 0.0
    neg_mass = 0.0
    neg_value = 0.0
    for i in range(len(high)):
        pos_mass += by_pos[i]
        pos_value += by_pos[i] * (high[i] - origin)
        row[who[i]] = by_pos[i]
    for j in range(len(top)):
        neg_mass += by_neg[j]
        neg_value += by_neg[j] * (1.0 + (top[j] - origin))
        row[n_pos + where[j]] = by_neg[j]
    return (pos_mass + neg_mass) * origin + pos_value + neg_value


def _weighted_ramp(row, n_pos, w, k, constant, values, positions):
    return _matched_by_weight(row, n_pos, w, k, of_highest=True)


def _weighted_max(row, n_pos, w, k, constant, values, positions):
    return _matched_by_weight(row, n_pos, w, k, of_highest=False)


@njit(inline="always")
def _matched_by_weight(row, n_pos, w, k, of_highest):
    """Sum ``(1 + top - low)+``, the highest negatives matched to the lowest positives, by weight.

    Those are the lowest of the highest positives, or of all. Positives rise and negatives fall along the
    match: the first terms are active.
    """
    (high, c, who), (top, d, where) = ranked_by_class(row, n_pos, w)
    row[:] = 0.0
    total = total_of(c)
    c = within(c, 0.0, k) if of_highest else within(c, total - min(k, total), total)
    d = within(d, 0.0, k)
    value = 0.0
    i = len(high) - 1
    j = 0
    # The coefficients of positive i and of negative j so far.
    by_pos, by_neg = 0.0, 0.0
    while i >= 0 and j < len(top):
        # Match the weight that is left of the two.
        weight = min(c[i] + by_pos, d[j] - by_neg)
        if weight > 0.0:
            hinge = 1.0 + (top[j] - high[i])
            if hinge <= 0.0:
                break
            value += weight * hinge
            by_pos -= weight
            by_neg += weight
            row[who[i]] = by_pos
            row[n_pos + where[j]] = by_neg
        if c[i] + by_pos <= d[j] - by_neg:
            i -= 1
            by_pos = 0.0
        else:
            j += 1
            by_neg = 0.0
    return value


struct, ramp, max_, avg = map(over_groups, (_struct, _ramp, _max, _avg))
weighted_struct, weighted_ramp, weighted_max_ = map(
    over_groups, (_weighted_struct, _weighted_ramp, _weighted_max)
)
