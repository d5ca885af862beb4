"""Losses of one user's list as Talos's experiments have them; see `attop.surrogates._kernels.groups`.

`row` are the scores, the `n_pos` positives first; each loss overwrites it by its slopes. A threshold that a
loss compares with is held where it is, as in the paper's code.
"""

import numpy as np
from numba import njit

from attop.extending import kth_largest, over_groups

#: Items that the paper draws for each positive, and `DrawnLists` for each block of users.
DRAWN = 1024


def _bsl(row, n_pos, w, k, temperatures, values, positions):
    """Of each positive ``-s_i / t1 + (t2 / t1) log sum_neg exp(s_j / t2)``."""
    of_positives, of_negatives = temperatures
    total, highest = 0.0, row[n_pos:].max()
    for j in range(n_pos, len(row)):
        values[0, j] = np.exp((row[j] - highest) / of_negatives)
        total += values[0, j]
    level = (highest + of_negatives * np.log(total)) / of_positives
    value = 0.0
    for i in range(n_pos):
        value += level - row[i] / of_positives
        row[i] = -1.0 / of_positives
    for j in range(n_pos, len(row)):
        row[j] = n_pos * values[0, j] / (total * of_positives)
    return value


def _recall_at_k(row, n_pos, w, k, temperatures, values, positions):
    """Of each positive ``sigmoid((rank - k + 1) / t2)``, the rank by sigmoids among `DRAWN` negatives."""
    of_ranks, of_top = temperatures
    n_neg = len(row) - n_pos
    share, pull = DRAWN / n_neg, values[1]
    for j in range(n_pos, len(row)):
        pull[j] = 0.0
    value = 0.0
    for i in range(n_pos):
        rank = 0.0
        for j in range(n_pos, len(row)):
            values[0, j] = 1.0 / (1.0 + np.exp((row[i] - row[j]) / of_ranks))
            rank += share * values[0, j]
        missed = 1.0 / (1.0 + np.exp((k - 1.0 - rank) / of_top))
        value += missed
        outer, steep = missed * (1.0 - missed) / of_top * share / of_ranks, 0.0
        for j in range(n_pos, len(row)):
            slope = outer * values[0, j] * (1.0 - values[0, j])
            pull[j] += slope
            steep += slope
        row[i] = -steep
    for j in range(n_pos, len(row)):
        row[j] = pull[j]
    return value


def _smooth_indicators(row, n_pos, w, k, settings, values, positions):
    """The number of positives that k smooth indicators of the next best item leave out."""
    temperature, offset = settings
    n, least = len(row), row.min()
    left, e, slopes = np.ones(n), values[0], np.zeros(n)
    found = 0.0
    for _ in range(k):
        highest, total, of_positives = 0.0, 0.0, 0.0
        for j in range(n):
            e[j] = (row[j] - least) * left[j] / temperature
            highest = max(highest, e[j])
        for j in range(n):
            e[j] = np.exp(e[j] - highest)
            total += e[j]
        for i in range(n_pos):
            of_positives += e[i] / total
        found += of_positives
        for j in range(n):
            indicator = e[j] / total
            of_item = 1.0 if j < n_pos else 0.0
            slopes[j] -= indicator * (of_item - of_positives) * left[j] / temperature
            left[j] *= 1.0 - indicator - offset
    for j in range(n):
        row[j] = slopes[j] / k
    return 1.0 - found / k


def _hinges(row, n_pos, w, k, margin, values, positions):
    """Hinges about the k-th score: a sum over positives, each with the mean over negatives."""
    threshold = kth_largest(row, k, values, positions)
    share, value = n_pos / (len(row) - n_pos), 0.0
    for i in range(n_pos):
        hinge = margin + threshold - row[i]
        value += max(hinge, 0.0)
        row[i] = -1.0 if hinge > 0.0 else 0.0
    for j in range(n_pos, len(row)):
        hinge = margin + row[j] - threshold
        value += share * max(hinge, 0.0)
        row[j] = share if hinge > 0.0 else 0.0
    return value


def _without_denominator(row, n_pos, w, k, temperature, values, positions):
    """Talos with a constant below the line: of each positive ``-log sigmoid(s_i - s_k) / t``."""
    threshold, value = kth_largest(row, k, values, positions), 0.0
    for i in range(n_pos):
        z = np.exp(threshold - row[i])
        value += np.log1p(z) / temperature
        row[i] = -z / (1.0 + z) / temperature
    for j in range(n_pos, len(row)):
        row[j] = 0.0
    return value


@njit(cache=True, nogil=True)
def kth_of_rows(scores, k, thresholds, row, values, positions):
    """Write the k-th score of each row to `thresholds`; the last three arguments are buffers."""
    for g in range(len(scores)):
        row[:] = scores[g]
        thresholds[g] = kth_largest(row, k, values, positions)


bsl, recall_at_k, smooth_indicators = map(over_groups, (_bsl, _recall_at_k, _smooth_indicators))
hinges, without_denominator = map(over_groups, (_hinges, _without_denominator))
