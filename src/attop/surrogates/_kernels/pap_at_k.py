"""Losses of one group of the pAp@k surrogates and of the structural pAUC: sums of hinges over pairs.

With weights every pair counts as often as its positive weighs times what its negative weighs; a rank is the
weight at or above an item, so that one item may lie on both sides of a cut. See
`attop.surrogates._kernels.groups.over_groups`.
"""

import numpy as np
from numba import njit

from attop._core.compiled import HELPER
from attop.surrogates._kernels.groups import over_groups, total_of
from attop.surrogates._kernels.k_largest import (
    largest,
    ranked_by_class,
    smallest,
    within,
)


def _ramp(row, n_pos, w, k, constant, values, positions):
    return _of_highest(row, n_pos, min(n_pos, k), k, values, positions)


def _pauc(row, n_pos, w, k, constant, values, positions):
    return _of_highest(row, n_pos, n_pos, k, values, positions)


@njit(inline="always")
def _of_highest(row, n_pos, beta, k, values, positions):
    high = values[1]
    who = positions[1]
    largest(row[:n_pos], beta, -np.inf, high, who)
    return _hinges_of(row, n_pos, high[:beta], who, k, values[0], positions[0])


@njit(inline="always")
def _hinges_of(row, n_pos, high, who, k, top, where):
    """Average the hinges of some positives, in descending order, against the k highest negatives."""
    beta = len(high)
    count = largest(row[n_pos:], k, high[beta - 1] - 1.0, top, where)
    row[:] = 0.0
    return _pair_hinges(
        high,
        who,
        top[:count],
        where,
        1.0,
        1.0 / (beta * k),
        row[:n_pos],
        row[n_pos:],
    )


def _max(row, n_pos, w, k, constant, values, positions):
    low = values[1]
    who = positions[1]
    beta = smallest(row[:n_pos], min(n_pos, k), low, who)
    high = low[:beta][::-1]
    who = who[:beta][::-1]
    return _hinges_of(row, n_pos, high, who, k, values[0], positions[0])


def _avg(row, n_pos, w, k, constant, values, positions):
    top = values[0]
    where = positions[0]
    # A mean of differences: a common offset of the scores does not cost digits.
    mean = 0.0
    for i in range(n_pos):
        mean += row[i] - row[0]
    mean = row[0] + mean / n_pos
    count = largest(row[n_pos:], k, mean - 1.0, top, where)
    row[n_pos:] = 0.0
    value = 0.0
    active = 0
    while active < count and 1.0 + (top[active] - mean) > 0.0:
        value += 1.0 + (top[active] - mean)
        row[n_pos + where[active]] = 1.0 / k
        active += 1
    row[:n_pos] = -active / (k * n_pos)
    return value / k


def _ts(row, n_pos, w, k, constant, values, positions):
    top = values[0]
    high = values[1]
    where = positions[0]
    who = positions[1]
    pos = row[:n_pos]
    neg = row[n_pos:]
    beta = min(n_pos, k)
    largest(pos, n_pos, -np.inf, high, who)
    count = largest(neg, k, min(high[beta - 1] - 1.0, high[n_pos - 1]), top, where)
    row[:] = 0.0
    scale = 1.0 / (beta * k)
    value = _pair_hinges(high[:beta], who, top[:count], where, 1.0, scale, pos, neg)
    return value + _pair_hinges(
        high[beta:n_pos], who[beta:], top[:count], where, 0.0, scale, pos, neg
    )


def _ts_convex(row, n_pos, w, k, constant, values, positions):
    # In the maximising ordering a negative is above one of the beta highest positives, and then above all
    # lower ones too, or above none of them. The former is better for the `reaching` highest negatives.
    top = values[0]
    high = values[1]
    where = positions[0]
    who = positions[1]
    pos = row[:n_pos]
    neg = row[n_pos:]
    beta = min(n_pos, k)
    largest(pos, n_pos, -np.inf, high, who)
    count = largest(neg, k, min(high[beta - 1] - 1.0, high[n_pos - 1]), top, where)
    row[:] = 0.0
    scale = 1.0 / (beta * k)
    inner = high[:beta]
    others = high[beta:n_pos]

    surplus = _surplus(inner, others, top[:count])
    reaching = 0
    while reaching < count and surplus[reaching] > 0.0:
        reaching += 1
    value = _pair_hinges(
        others, who[beta:], top[:count], where, 0.0, scale, pos, neg
    )
    for j in range(reaching):
        value += scale * surplus[j]
        neg[where[j]] = scale * len(others)
    for i in range(beta, n_pos):
        pos[who[i]] = min(pos[who[i]], -scale * reaching)
    _pair_hinges(inner, who, top[:reaching], where, 1.0, scale, pos, neg)
    return value


@njit(**HELPER)
def _surplus(inner, others, top):
    """``sum_inner (1 + top[j] - s)+ - sum_others (s - top[j])+`` for every j; it falls with j."""
    surplus = np.zeros(len(top))
    # The number of positives above a negative grows from the highest negative down ...
    above = 0
    total = 0.0
    for j in range(len(top)):
        if above > 0:
            total += above * (top[j - 1] - top[j])
        while above < len(others) and others[above] > top[j]:
            total += others[above] - top[j]
            above += 1
        surplus[j] -= total
    # ... and the number within its margin grows from the lowest negative up.
    below = 0
    total = 0.0
    for j in range(len(top) - 1, -1, -1):
        if below > 0:
            total += below * (top[j] - top[j + 1])
        while below < len(inner) and 1.0 + (top[j] - inner[-1 - below]) > 0.0:
            total += 1.0 + (top[j] - inner[-1 - below])
            below += 1
        surplus[j] += total
    return surplus


@njit(**HELPER)
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


def _weighted_ramp(row, n_pos, w, k, constant, values, positions):
    return _by_weight(row, n_pos, w, k, most=k, of_lowest=False, others=False)


def _weighted_pauc(row, n_pos, w, k, constant, values, positions):
    return _by_weight(row, n_pos, w, k, most=np.inf, of_lowest=False, others=False)


def _weighted_max(row, n_pos, w, k, constant, values, positions):
    return _by_weight(row, n_pos, w, k, most=k, of_lowest=True, others=False)


def _weighted_ts(row, n_pos, w, k, constant, values, positions):
    return _by_weight(row, n_pos, w, k, most=k, of_lowest=False, others=True)


@njit(inline="always")
def _by_weight(row, n_pos, w, k, most, of_lowest, others):
    """Sum hinges with the highest or lowest positives, that weigh up to `most`, and others with margin 0."""
    (high, c, who), (top, d, where) = ranked_by_class(row, n_pos, w)
    d = within(d, 0.0, k)
    total = total_of(c)
    beta = min(total, most)
    scale = 1.0 / (beta * k)
    by_pos = np.zeros(len(high))
    by_neg = np.zeros(len(top))
    inner = within(c, total - beta, total) if of_lowest else within(c, 0.0, beta)
    value = _weighted_pairs(high, inner, top, d, 1.0, by_pos, by_neg)
    if others:
        value += _weighted_pairs(
            high, within(c, beta, total), top, d, 0.0, by_pos, by_neg
        )
    return _written(value, scale, by_pos, who, by_neg, where, row)


def _weighted_avg(row, n_pos, w, k, constant, values, positions):
    """Sum ``d[j] (1 + top[j] - mean)+``, the mean positive weighted."""
    (high, share, who), (top, d, where) = ranked_by_class(row, n_pos, w)
    d = within(d, 0.0, k)
    total = total_of(share)
    # A mean of differences: a common offset of the scores does not cost digits.
    mean = 0.0
    for i in range(n_pos):
        share[i] /= total
        mean += share[i] * (high[i] - high[0])
    mean = high[0] + mean
    value = 0.0
    mass = 0.0
    by_neg = np.zeros(len(top))
    for j in range(len(top)):
        hinge = 1.0 + (top[j] - mean)
        if hinge <= 0.0:
            break
        value += d[j] * hinge
        mass += d[j]
        by_neg[j] = d[j]
    for i in range(n_pos):
        share[i] *= -mass
    return _written(value, 1.0 / k, share, who, by_neg, where, row)


def _weighted_ts_convex(row, n_pos, w, k, constant, values, positions):
    (high, c, who), (top, d, where) = ranked_by_class(row, n_pos, w)
    d = within(d, 0.0, k)
    total = total_of(c)
    beta = min(total, k)
    inner = within(c, 0.0, beta)
    others = within(c, beta, total)
    by_pos = np.zeros(len(high))
    by_neg = np.zeros(len(top))
    # As in the kernel without weights: a negative of positive surplus is above all the others. The hinges of
    # those above it and the surplus of those below it then add up to a line.
    value = _weighted_pairs(high, others, top, d, 0.0, by_pos, by_neg)
    surplus = _weighted_surplus(high, inner, others, top)
    reached = np.zeros(len(top))
    of_others = total_of(others)
    for j in range(len(top)):
        if surplus[j] <= 0.0:
            break
        value += d[j] * surplus[j]
        reached[j] = d[j]
        by_neg[j] = d[j] * of_others
    mass = total_of(reached)
    for i in range(len(high)):
        by_pos[i] = min(by_pos[i], -others[i] * mass)
    _weighted_pairs(high, inner, top, reached, 1.0, by_pos, by_neg)
    return _written(value, 1.0 / (beta * k), by_pos, who, by_neg, where, row)


@njit(**HELPER)
def _written(value, scale, by_pos, who, by_neg, where, row):
    """Write the subgradient, in order of rank, to the items; return the value."""
    for i in range(len(by_pos)):
        row[who[i]] = scale * by_pos[i]
    for j in range(len(by_neg)):
        row[len(by_pos) + where[j]] = scale * by_neg[j]
    return scale * value


@njit(**HELPER)
def _weighted_pairs(high, c, top, d, margin, by_pos, by_neg):
    """Sum ``c[i] d[j] (margin + top[j] - high[i])+`` over all pairs; add its gradient to `by_pos`, `by_neg`.

    Both are in descending order, so the active negatives of a positive are the first few, and more for
    the next. Only terms of one sign are added: nothing cancels.
    """
    rest = np.empty(len(c))  # the weight of this positive and all lower ones
    below = 0.0
    for i in range(len(c) - 1, -1, -1):
        below += c[i]
        rest[i] = below
    value = 0.0
    # The sum over j for the current positive, and its active negatives.
    of_one, mass = 0.0, 0.0
    active = 0
    for i in range(len(high)):
        if mass > 0.0:
            of_one += mass * (high[i - 1] - high[i])
        while active < len(top) and margin + (top[active] - high[i]) > 0.0:
            of_one += d[active] * (margin + (top[active] - high[i]))
            mass += d[active]
            by_neg[active] += d[active] * rest[i]
            active += 1
        value += c[i] * of_one
        by_pos[i] -= c[i] * mass
    return value


@njit(**HELPER)
def _weighted_surplus(high, inner, others, top):
    """``sum_i inner_i (1 + top[j] - high[i])+ - others_i (high[i] - top[j])+`` for every j; falls with j."""
    surplus = np.zeros(len(top))
    i = 0
    mass = 0.0
    total = 0.0
    for j in range(len(top)):
        if mass > 0.0:
            total += mass * (top[j - 1] - top[j])
        while i < len(high) and high[i] > top[j]:
            total += others[i] * (high[i] - top[j])
            mass += others[i]
            i += 1
        surplus[j] -= total
    i = len(high) - 1
    mass = 0.0
    total = 0.0
    for j in range(len(top) - 1, -1, -1):
        if mass > 0.0:
            total += mass * (top[j] - top[j + 1])
        while i >= 0 and 1.0 + (top[j] - high[i]) > 0.0:
            total += inner[i] * (1.0 + (top[j] - high[i]))
            mass += inner[i]
            i -= 1
        surplus[j] += total
    return surplus


ramp, pauc, max_, avg, ts, ts_convex = map(
    over_groups, (_ramp, _pauc, _max, _avg, _ts, _ts_convex)
)
weighted_ramp, weighted_pauc, weighted_max_ = map(
    over_groups, (_weighted_ramp, _weighted_pauc, _weighted_max)
)
weighted_avg, weighted_ts, weighted_ts_convex = map(
    over_groups, (_weighted_avg, _weighted_ts, _weighted_ts_convex)
)
