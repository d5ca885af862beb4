"""Losses of one user's list as Talos's experiments have them; see `attop.surrogates._kernels.groups`.

`row` are the scores, the `n_pos` positives first; each loss overwrites it by its slopes. A threshold that a
loss compares with is held where it is, as in the paper's code.
"""

import numpy as np
from numba import njit

from attop.extending import HELPER, kth_largest, over_groups

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


def _psl_tanh(row, n_pos, w, k, power, values, positions):
    """Of each positive the logarithm of the sum over negatives of ``sigmoid(s_j - s_i) ** power``."""
    fall, pull = values[0], values[1]
    for j in range(n_pos, len(row)):
        fall[j] = np.exp(-row[j])
        pull[j] = 0.0
    value = 0.0
    for i in range(n_pos):
        rise, total, steep = np.exp(row[i]), 0.0, 0.0
        for j in range(n_pos, len(row)):
            total += _power_of_sigmoid(rise * fall[j], power)
        for j in range(n_pos, len(row)):
            z = rise * fall[j]
            slope = power * z / (1.0 + z) * _power_of_sigmoid(z, power) / total
            pull[j] += slope
            steep += slope
        value += np.log(total)
        row[i] = -steep
    for j in range(n_pos, len(row)):
        row[j] = pull[j]
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


def _without_threshold(row, n_pos, w, k, temperature, values, positions):
    """Talos with 0 in the place of the k-th score, the negatives alone below the line."""
    return _of_sigmoids(row, n_pos, 0.0, 1.0, temperature, values)


def _inside(row, n_pos, w, k, temperature, values, positions):
    """Talos with the temperature inside of the sigmoid."""
    threshold = kth_largest(row, k, values, positions)
    return _of_sigmoids(row, n_pos, threshold, temperature, 1.0, values)


def _as_printed(row, n_pos, w, k, temperature, values, positions):
    """Talos, the negatives alone below the line."""
    threshold = kth_largest(row, k, values, positions)
    return _of_sigmoids(row, n_pos, threshold, 1.0, temperature, values)


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


@njit(**HELPER)
def _of_sigmoids(row, n_pos, threshold, width, temperature, values):
    """Of each positive ``log sum_neg p_j - log p_i``, p a sigmoid about the threshold, to the power 1 / t."""
    z, slope = values[0], values[1]
    total, highest, value = 0.0, -np.inf, 0.0
    for i in range(len(row)):
        fall = np.exp((threshold - row[i]) / width)
        z[i] = -np.log1p(fall) / temperature
        slope[i] = fall / (1.0 + fall) / (temperature * width)
        if i >= n_pos:
            highest = max(highest, z[i])
    for j in range(n_pos, len(row)):
        row[j] = np.exp(z[j] - highest)
        total += row[j]
    level = highest + np.log(total)
    for i in range(n_pos):
        value += level - z[i]
        row[i] = -slope[i]
    for j in range(n_pos, len(row)):
        row[j] *= n_pos * slope[j] / total
    return value


@njit(**HELPER)
def _power_of_sigmoid(z, power):
    """Return ``(1 / (1 + z)) ** power``."""
    return np.exp(-power * np.log1p(z))


bsl, psl_tanh, recall_at_k, smooth_indicators = map(
    over_groups, (_bsl, _psl_tanh, _recall_at_k, _smooth_indicators)
)
hinges, as_printed, without_threshold, inside, without_denominator = map(
    over_groups, (_hinges, _as_printed, _without_threshold, _inside, _without_denominator)
)
