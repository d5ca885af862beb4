"""Smoothed precision@k of one group: the cut by Newton's method, then value and gradient."""

import numpy as np
from numba import njit

from attop._core.compiled import HELPER
from attop.surrogates._kernels.groups import over_groups
from attop.surrogates._kernels.k_largest import largest

# The sigmoid is 0 or 1 in double precision for scores this many widths from about the k-th highest.
FAR = 300.0
# Newton's method takes under 10 steps; halving the bracket alone would take about 60.
MOST_STEPS = 200
# A step of Newton's method at most squares the error, times 1.5: of one this small rounding is left.
LAST_STEP = 1e-8
# Items that are added up at a time.
BLOCK = 1024


def _soft(row, n_pos, w, k, width, values, positions):
    largest(row, k, -np.inf, values[0], positions[0])
    return _one(row, n_pos, w, k, width, values[0][k - 1])


def _weighted_soft(row, n_pos, w, k, width, values, positions):
    return _one(row, n_pos, w, k, width, _about_weighted_kth(row, w, k, width))


@njit(inline="always")
def _about_weighted_kth(row, w, k, width):
    """Find, to about a width, the highest score with a weight of at least k at or above it.

    Sorting would take longer than all else.
    """
    low = high = row[0]
    for s in row:
        low = min(low, s)
        high = max(high, s)
    while high - low > width:
        middle = 0.5 * low + 0.5 * high
        if not low < middle < high:
            break
        if _weight_from(row, w, middle) >= k:
            low = middle
        else:
            high = middle
    return low


@njit(**HELPER, fastmath={"reassoc"})
def _weight_from(row, w, least):
    total = 0.0
    for i in range(len(row)):
        total += w[i] if row[i] >= least else 0.0
    return total


@njit(inline="always")
def _one(row, n_pos, w, k, width, origin):
    """1 - smoothed precision of one group and model; overwrites `row`, its scores, with the gradient.

    Relative to `origin`, about the k-th score, and in widths, the sigmoid of z - u is e/(e + c) with
    e = exp(z) and c = exp(u): one exponential an item, however many steps the cut takes.
    """
    w_pos = w[:n_pos]
    w_neg = w[n_pos:]
    total = float(len(row))
    total_pos = float(n_pos)
    if len(w) > 0:
        total = total_pos = 0.0
        for i in range(len(w)):
            total += w[i]
            total_pos += w[i] if i < n_pos else 0.0
    if k >= total:  # everything is at the top, whatever the scores
        row[:] = 0.0
        return 1.0 - total_pos / k
    for i in range(len(row)):
        z = (row[i] - origin) / width
        row[i] = np.exp(min(max(z, -FAR), FAR))
    cut = np.exp(_cut(row, w, k, total))
    pos = row[:n_pos]
    neg = row[n_pos:]
    hits, slope_pos = _sums(pos, w_pos, cut, pos)
    _, slope_neg = _sums(neg, w_neg, cut, neg)
    slope = slope_pos + slope_neg
    share = slope_pos / slope if slope > 0.0 else 0.0
    of_pos = (share - 1.0) / (k * width)
    of_neg = share / (k * width)
    for i in range(len(row)):
        row[i] *= of_pos if i < n_pos else of_neg
    return 1.0 - hits / k


@njit(inline="always")
def _cut(e, w, k, total):
    """Solve sum_i w_i e_i / (e_i + exp(u)) = k for u.

    Newton's method on the logit of the mean, which is linear in u both for equal scores and far out in
    the tails; a step that leaves the bracket is replaced by its middle.
    """
    target = np.log(k / (total - k))
    low = -2.0 * FAR
    high = 2.0 * FAR
    u = 0.0
    for _ in range(MOST_STEPS):
        inside, slope = _sums(e, w, np.exp(u), e[:0])
        if abs(inside - k) <= 1e-14 * k:
            break
        if inside > k:
            low = u
        else:
            high = u
        if high - low <= 1e-15 * max(1.0, abs(u)):
            break
        new = np.inf
        outside = total - inside
        if slope > 0.0 and inside > 0.0 and outside > 0.0:
            new = u + (np.log(inside / outside) - target) * (inside * outside) / (
                slope * total
            )
        if abs(new - u) <= LAST_STEP:
            return new
        u = new if low < new < high else 0.5 * (low + high)
    return u


@njit(**HELPER)
def _sums(e, w, cut, slopes):
    """Sum the weight inside the cut, and how fast it falls as u rises.

    `slopes` is `e`, and becomes what each item adds to the second, or empty. Block by block, because many
    equal numbers, added one by one, are all rounded the same way.
    """
    inside = 0.0
    slope = 0.0
    for first in range(0, len(e), BLOCK):
        some = e[first : first + BLOCK], w[first : first + BLOCK]
        more = (
            _sums_and_slopes(*some, cut)
            if len(slopes) > 0
            else _sums_alone(*some, cut)
        )
        inside += more[0]
        slope += more[1]
    return inside, slope


# fastmath: sums in any order can be vectorised.
@njit(**HELPER, fastmath={"reassoc", "contract"})
def _sums_alone(e, w, cut):
    inside = 0.0
    slope = 0.0
    for i in range(len(e)):
        sigma, q = _sigmoid(e[i], cut)
        weight = w[i] if len(w) > 0 else 1.0
        inside += weight * sigma
        slope += weight * q
    return inside, slope


@njit(**HELPER, fastmath={"reassoc", "contract"})
def _sums_and_slopes(e, w, cut):
    inside = 0.0
    slope = 0.0
    for i in range(len(e)):
        sigma, q = _sigmoid(e[i], cut)
        weight = w[i] if len(w) > 0 else 1.0
        e[i] = weight * q
        inside += weight * sigma
        slope += e[i]
    return inside, slope


# Not fastmath: in another order the products overflow.
@njit(**HELPER)
def _sigmoid(e, cut):
    """Compute e / (e + cut) and its derivative in the logarithm of e."""
    inverse = 1.0 / (e + cut)
    sigma = e * inverse
    return sigma, sigma * (cut * inverse)


soft, weighted_soft = map(over_groups, (_soft, _weighted_soft))
