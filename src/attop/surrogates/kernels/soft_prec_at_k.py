"""Kernel of the smoothed precision@k: the cut by Newton's method, then value and gradient."""

import numpy as np
from numba import njit

from attop.surrogates.kernels.k_largest import largest
from attop.surrogates.kernels.layout import load, store, workspace

__all__ = ["SIGMOID", "evaluate"]

SIGMOID = 0

# The sigmoid is 0 or 1 in double precision for scores this many widths from about the k-th highest.
FAR = 300.0
# Newton's method takes under 10 steps; halving the bracket alone would take about 60.
MOST_STEPS = 200
# A step of Newton's method at most squares the error, times 1.5: of one this small rounding is left.
LAST_STEP = 1e-8
# Items that are added up at a time.
BLOCK = 1024


@njit(cache=True, nogil=True)
def evaluate(loss, scores, order, start, n_pos, k, weight, value, coef, width, item_weight):
    """Add 1 - smoothed precision@k, averaged over groups, of every model to `value`; write its gradient.

    Parameters
    ----------
    loss : int
        SIGMOID.
    scores, order, start, n_pos, k, weight, value, coef
        As for `attop.surrogates.kernels.prec_at_k.evaluate`.
    width : float
        h.
    item_weight : ndarray of shape (n,), or empty
        Empty: all 1.
    """
    m = scores.shape[1]
    tile, work = workspace(start, m)
    for g in range(len(n_pos)):
        items = order[start[g] : start[g + 1]]
        w = item_weight[items] if len(item_weight) > 0 else item_weight
        for first in range(0, m, len(tile)):
            size = load(scores, items, first, tile, value)
            for r in range(size):
                row = tile[r, : len(items)]
                if len(item_weight) > 0:
                    origin = _about_weighted_kth(row, w, k[g], width)
                else:
                    origin = _kth(row, k[g], work)
                value[first + r] += weight * _one(row, w, n_pos[g], k[g], width, origin)
            store(tile, items, first, size, weight, coef)


@njit(cache=True, nogil=True)
def _kth(row, k, work):
    value, index = work[0], work[1]
    largest(row, k, -np.inf, value, index)
    return value[k - 1]


@njit(cache=True, nogil=True)
def _about_weighted_kth(row, w, k, width):
    """Return a number about a width from the highest score with a weight of at least k at or above it.

    Sorting would take longer than all else.
    """
    low, high = np.min(row), np.max(row)
    while high - low > width:
        middle = 0.5 * low + 0.5 * high
        if not low < middle < high:
            break
        if _weight_from(row, w, middle) >= k:
            low = middle
        else:
            high = middle
    return low


@njit(cache=True, nogil=True, fastmath={"reassoc"})
def _weight_from(row, w, least):
    total = 0.0
    for i in range(len(row)):
        total += w[i] if row[i] >= least else 0.0
    return total


@njit(cache=True, nogil=True)
def _one(row, w, n_pos, k, width, origin):
    """1 - smoothed precision of one group and model; overwrites `row`, its scores, with the gradient.

    Relative to `origin`, about the k-th score, and in widths, the sigmoid of z - u is e/(e + c) with
    e = exp(z) and c = exp(u): one exponential an item, however many steps the cut takes.
    """
    w_pos, w_neg = w[:n_pos], w[n_pos:]
    total, total_pos = (np.sum(w), np.sum(w_pos)) if len(w) > 0 else (float(len(row)), float(n_pos))
    if k >= total:  # everything is at the top, whatever the scores
        row[:] = 0.0
        return 1.0 - total_pos / k
    for i in range(len(row)):
        z = (row[i] - origin) / width
        row[i] = np.exp(min(max(z, -FAR), FAR))
    cut = np.exp(_cut(row, w, k, total))
    kept, slope_pos = _sums(row[:n_pos], w_pos, cut, True)
    _, slope_neg = _sums(row[n_pos:], w_neg, cut, True)
    slope = slope_pos + slope_neg
    share = slope_pos / slope if slope > 0.0 else 0.0
    row[:n_pos] *= (share - 1.0) / (k * width)
    row[n_pos:] *= share / (k * width)
    return 1.0 - kept / k


@njit(cache=True, nogil=True)
def _cut(e, w, k, total):
    """Solve sum_i w_i e_i / (e_i + exp(u)) = k for u.

    Newton's method on the logit of the mean, which is linear in u both for equal scores and far out in
    the tails; a step that leaves the bracket is replaced by its middle.
    """
    target = np.log(k / (total - k))
    low, high = -2.0 * FAR, 2.0 * FAR
    u = 0.0
    for _ in range(MOST_STEPS):
        inside, slope = _sums(e, w, np.exp(u), False)
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
            new = u + (np.log(inside / outside) - target) * (inside * outside) / (slope * total)
        if abs(new - u) <= LAST_STEP:
            return new
        u = new if low < new < high else 0.5 * (low + high)
    return u


@njit(cache=True, nogil=True)
def _sums(e, w, cut, overwrite):
    """Return the weight inside the cut, and how fast it falls as u rises.

    With `overwrite`, `e` becomes what each item adds to the second. Block by block, because many equal
    numbers, added one by one, are all rounded the same way.
    """
    inside, slope = 0.0, 0.0
    for first in range(0, len(e), BLOCK):
        some = e[first : first + BLOCK], w[first : first + BLOCK]
        more = _sums_and_slopes(*some, cut) if overwrite else _sums_alone(*some, cut)
        inside += more[0]
        slope += more[1]
    return inside, slope


# fastmath: sums in any order can be vectorised.
@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _sums_alone(e, w, cut):
    inside, slope = 0.0, 0.0
    for i in range(len(e)):
        sigma, q = _sigmoid(e[i], cut)
        weight = w[i] if len(w) > 0 else 1.0
        inside += weight * sigma
        slope += weight * q
    return inside, slope


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _sums_and_slopes(e, w, cut):
    inside, slope = 0.0, 0.0
    for i in range(len(e)):
        sigma, q = _sigmoid(e[i], cut)
        weight = w[i] if len(w) > 0 else 1.0
        e[i] = weight * q
        inside += weight * sigma
        slope += e[i]
    return inside, slope


# Not fastmath: in another order the products overflow.
@njit(cache=True, nogil=True)
def _sigmoid(e, cut):
    """Return e / (e + cut) and its derivative in the logarithm of e."""
    inverse = 1.0 / (e + cut)
    sigma = e * inverse
    return sigma, sigma * (cut * inverse)
