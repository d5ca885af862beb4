"""The pAp@k surrogates and the structural pAUC for items with weights.

Every loss is a sum of hinges over pairs, each as often as its positive weighs times what its negative
weighs; a rank is the weight at or above an item, so that one item may lie on both sides of a cut.
"""

import numpy as np
from numba import njit

__all__ = ["weighted_avg", "weighted_pairs", "weighted_ts_convex"]


@njit(cache=True, nogil=True)
def weighted_avg(high, share, top, d, by_pos, by_neg):
    """Sum ``d[j] (1 + top[j] - mean)+``, the mean positive weighted by `share`; write its gradient."""
    # A mean of differences: a common offset of the scores does not cost digits.
    mean = high[0] + np.sum(share * (high - high[0]))
    value, mass = 0.0, 0.0
    for j in range(len(top)):
        hinge = 1.0 + (top[j] - mean)
        if hinge <= 0.0:
            break
        value += d[j] * hinge
        mass += d[j]
        by_neg[j] = d[j]
    by_pos[:] = -mass * share
    return value


@njit(cache=True, nogil=True)
def weighted_ts_convex(high, inner, others, top, d, by_pos, by_neg):
    """Sum of the convex tight-struct loss, positives weighing `inner` above the cut and `others` below."""
    # As in the kernel without weights: a negative of positive surplus is above all the others. The hinges of
    # those above it and the surplus of those below it then add up to a line.
    value = weighted_pairs(high, others, top, d, 0.0, by_pos, by_neg)
    surplus = _surplus(high, inner, others, top)
    reached = np.zeros(len(top))
    for j in range(len(top)):
        if surplus[j] <= 0.0:
            break
        value += d[j] * surplus[j]
        reached[j] = d[j]
        by_neg[j] = d[j] * np.sum(others)
    mass = np.sum(reached)
    for i in range(len(high)):
        by_pos[i] = min(by_pos[i], -others[i] * mass)
    weighted_pairs(high, inner, top, reached, 1.0, by_pos, by_neg)
    return value


@njit(cache=True, nogil=True)
def _surplus(high, inner, others, top):
    """``sum_i inner_i (1 + top[j] - high[i])+ - others_i (high[i] - top[j])+`` for every j; falls with j."""
    surplus = np.zeros(len(top))
    i, mass, total = 0, 0.0, 0.0
    for j in range(len(top)):
        if mass > 0.0:
            total += mass * (top[j - 1] - top[j])
        while i < len(high) and high[i] > top[j]:
            total += others[i] * (high[i] - top[j])
            mass += others[i]
            i += 1
        surplus[j] -= total
    i, mass, total = len(high) - 1, 0.0, 0.0
    for j in range(len(top) - 1, -1, -1):
        if mass > 0.0:
            total += mass * (top[j] - top[j + 1])
        while i >= 0 and 1.0 + (top[j] - high[i]) > 0.0:
            total += inner[i] * (1.0 + (top[j] - high[i]))
            mass += inner[i]
            i -= 1
        surplus[j] += total
    return surplus


@njit(cache=True, nogil=True)
def weighted_pairs(high, c, top, d, margin, by_pos, by_neg):
    """Sum ``c[i] d[j] (margin + top[j] - high[i])+`` over all pairs; add its gradient to `by_pos`, `by_neg`.

    Both are in descending order, so the active negatives of a positive are the first few, and more for
    the next. Only terms of one sign are added: nothing cancels.
    """
    rest = np.cumsum(c[::-1])[::-1]  # the weight of this positive and all lower ones
    value = 0.0
    of_one, mass = 0.0, 0.0  # the sum over j for the current positive, and its active negatives
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
