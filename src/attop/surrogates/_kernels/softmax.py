"""Softmax and pairwise losses of one group; see `groups.over_groups`."""

import numpy as np
from numba import njit

from attop._core.compiled import HELPER
from attop.surrogates._kernels.groups import over_groups, weight_of
from attop.surrogates._kernels.k_largest import kth_largest, maxima, ranked

# The exponential of this number, and of all below, is 0.
LOWEST = -800.0
# Maxima found at once, before that of all.
WIDTH = 32
# Positives whose terms are multiplied before a logarithm is taken: each factor is at most 2.
FACTORS = 1000


def _softmax(row, n_pos, w, k, constant, values, positions):
    return _softmax_within(-np.inf, row, n_pos, w, 1.0, values)


def _at_k(row, n_pos, w, k, width, values, positions):
    return _softmax_within(
        kth_largest(row, k, values, positions), row, n_pos, w, width, values
    )


def _weighted_at_k(row, n_pos, w, k, width, values, positions):
    return _softmax_within(_kth_weight(row, w, k), row, n_pos, w, width, values)


def _talos(row, n_pos, w, k, temperature, values, positions):
    return _softmax_of_excess(
        kth_largest(row, k, values, positions), row, n_pos, w, temperature, values
    )


def _weighted_talos(row, n_pos, w, k, temperature, values, positions):
    return _softmax_of_excess(
        _kth_weight(row, w, k), row, n_pos, w, temperature, values
    )


def _bpr(row, n_pos, w, k, constant, values, positions):
    negatives = row[n_pos:]
    w_neg = w[n_pos:]
    x = values[0][n_pos : len(row)]
    pull = values[1][n_pos : len(row)]
    product = np.ones(len(negatives))
    pull[:] = 0.0
    value = 0.0
    weight = 0.0
    for j in range(len(x)):
        weight += weight_of(w_neg, j)
    for i in range(n_pos):
        share = weight_of(w, i) / weight
        for j in range(len(x)):
            x[j] = -abs(negatives[j] - row[i])
        _exponentials(x, 0.0)
        value += share * _logistic(negatives, row[i], w_neg, x, product)
        row[i] = -_add(x, w_neg, share, pull)
        if len(w) > 0 or i % FACTORS == FACTORS - 1 or i == n_pos - 1:
            for j in range(len(x)):
                value += share * weight_of(w_neg, j) * np.log(product[j])
            product[:] = 1.0
    for j in range(len(x)):
        negatives[j] = pull[j]
    return value


def _psl(row, n_pos, w, k, power, values, positions):
    negatives = row[n_pos:]
    w_neg = w[n_pos:]
    x = values[0][n_pos : len(row)]
    pull = values[1][n_pos : len(row)]
    powers = np.empty(len(negatives))
    pull[:] = 0.0
    value = 0.0
    best = -np.inf
    for j in range(len(x)):
        if weight_of(w_neg, j) > 0.0:
            best = max(best, negatives[j])
    for i in range(n_pos):
        # Divided by it, no power overflows.
        highest = max(1.0, 1.0 + (best - row[i]) / power)
        for j in range(len(x)):
            x[j] = min(
                max((1.0 + (negatives[j] - row[i]) / power) / highest, 0.0), 1.0
            )
        total = _powers(x, int(power) - 1, w_neg, powers)
        one = highest**-power
        value += weight_of(w, i) * (
            power * np.log(highest) + np.log1p(total + (one - 1.0))
        )
        row[i] = -_add(
            powers, w_neg, weight_of(w, i) / (highest * (one + total)), pull
        )
    for j in range(len(x)):
        negatives[j] = pull[j]
    return value


@njit(**HELPER)
def _kth_weight(row, w, k):
    """Find the highest score at and above which the items weigh k."""
    by_score, by_rank, _ = ranked(row, w)
    at = 0
    reached = by_rank[0]
    while reached < k and at + 1 < len(row):
        at += 1
        reached += by_rank[at]
    return by_score[at]


@njit(inline="always")
def _softmax_of_excess(threshold, row, n_pos, w, temperature, values):
    """Softmax loss of the logarithms of a sigmoid about a threshold, which the gradient holds fixed."""
    slope = np.empty(len(row))
    e = values[0, : len(row)]
    for i in range(len(row)):
        e[i] = -abs(row[i] - threshold)
    _exponentials(e, 0.0)
    for i in range(len(row)):
        slope[i] = (e[i] if row[i] > threshold else 1.0) / (
            (1.0 + e[i]) * temperature
        )
    _logarithms(e)
    for i in range(len(row)):
        row[i] = (min(row[i] - threshold, 0.0) - e[i]) / temperature
    value = _softmax_within(-np.inf, row, n_pos, w, 1.0, values)
    for i in range(len(row)):
        row[i] *= slope[i]
    return value


@njit(inline="always")
def _softmax_within(quantile, row, n_pos, w, width, values):
    """Softmax loss of positives weighted by their score about a quantile, which the gradient holds fixed."""
    for j in range(n_pos, len(w)):
        row[j] += np.log(w[j])
    negatives = row[n_pos:]
    value = 0.0
    total = 0.0
    columns = values[0, : min(WIDTH, len(negatives))]
    highest = -np.inf
    maxima(negatives, columns)
    for i in range(len(columns)):
        highest = max(highest, columns[i])
    sum_ = 0.0 if highest == -np.inf else _exponentials(negatives, highest)
    level = highest + np.log(sum_)
    e = values[0, :n_pos]
    share = values[1, :n_pos]
    for i in range(n_pos):
        e[i] = -abs(level - row[i])
        share[i] = -abs(quantile - row[i]) / width
    _exponentials(e, 0.0)
    _exponentials(share, 0.0)
    for i in range(n_pos):
        z = level - row[i]
        loss = max(z, 0.0) + np.log1p(e[i])
        slope = (1.0 if z > 0.0 else e[i]) / (1.0 + e[i])
        inside = (1.0 if row[i] > quantile else share[i]) / (1.0 + share[i])
        value += weight_of(w, i) * inside * loss
        total += weight_of(w, i) * inside * slope
        # Divide before multiplying: the loss may be as large as the largest number.
        row[i] = (
            weight_of(w, i) * inside * ((1.0 - inside) * (loss / width) - slope)
        )
    for j in range(len(negatives)):
        negatives[j] = negatives[j] * (total / sum_) if sum_ > 0.0 else 0.0
    return value


@njit(**HELPER, fastmath={"reassoc", "contract"})
def _exponentials(x, highest):
    """Overwrite x with exp(x - highest), and return their sum.

    A series of the 1024th part, squared ten times, is exact to 2e-13 above e^-40, and done for many numbers
    at once; numba calls an exponential function one by one, which takes longer than all else.
    """
    total = 0.0
    for i in range(len(x)):
        t = max(x[i] - highest, LOWEST) * (1.0 / 1024.0)
        e = 1.0 / 24.0 + t * (1.0 / 120.0 + t * (1.0 / 720.0 + t * (1.0 / 5040.0)))
        e = 1.0 + t * (1.0 + t * (0.5 + t * (1.0 / 6.0 + t * e)))
        for _ in range(10):
            e *= e
        x[i] = e
        total += e
    return total


@njit(**HELPER, fastmath={"reassoc", "contract"})
def _logarithms(x):
    """Overwrite x, from 0 to 1, with log(1 + x): a series that is done for many numbers at once.

    It is that of the inverse hyperbolic tangent of z = x / (2 + x), at most 1/3: sixteen terms are exact to
    the last digits.
    """
    for i in range(len(x)):
        z = x[i] / (2.0 + x[i])
        t = z * z
        high = 1.0 / 25.0 + t * (1.0 / 27.0 + t * (1.0 / 29.0 + t * (1.0 / 31.0)))
        middle = 1.0 / 17.0 + t * (
            1.0 / 19.0 + t * (1.0 / 21.0 + t * (1.0 / 23.0 + t * high))
        )
        low = 1.0 / 9.0 + t * (
            1.0 / 11.0 + t * (1.0 / 13.0 + t * (1.0 / 15.0 + t * middle))
        )
        x[i] = (
            2.0
            * z
            * (1.0 + t * (1.0 / 3.0 + t * (1.0 / 5.0 + t * (1.0 / 7.0 + t * low))))
        )


@njit(**HELPER, fastmath={"reassoc", "contract"})
def _logistic(negatives, score, w, x, product):
    """Sum the positive differences d; `x`, exp(-abs(d)), becomes slopes, `product` is multiplied by 1 + x."""
    total = 0.0
    for j in range(len(x)):
        d = negatives[j] - score
        factor = 1.0 + x[j]
        total += weight_of(w, j) * max(d, 0.0)
        product[j] *= factor
        x[j] = (1.0 if d > 0.0 else x[j]) / factor
    return total


@njit(**HELPER, fastmath={"reassoc", "contract"})
def _powers(x, n, w, out):
    """Write the n-th powers, n at least 1, squaring all numbers at once; return the sum of the next."""
    bit = 1
    total = 0.0
    while 2 * bit <= n:
        bit *= 2
    for j in range(len(x)):
        out[j] = x[j]
    while bit > 1:
        bit //= 2
        for j in range(len(x)):
            out[j] *= out[j] * x[j] if n & bit else out[j]
    for j in range(len(x)):
        total += weight_of(w, j) * out[j] * x[j]
    return total


@njit(**HELPER, fastmath={"reassoc", "contract"})
def _add(x, w, factor, to):
    total = 0.0
    for j in range(len(x)):
        slope = factor * weight_of(w, j) * x[j]
        to[j] += slope
        total += slope
    return total


softmax, at_k, weighted_at_k, bpr, psl = map(
    over_groups, (_softmax, _at_k, _weighted_at_k, _bpr, _psl)
)
talos, weighted_talos = map(over_groups, (_talos, _weighted_talos))
# Functions that weigh the items if there are weights.
weighted_softmax, weighted_bpr, weighted_psl = softmax, bpr, psl
