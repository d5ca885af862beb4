"""The pAp@k surrogates of many models at once, for small groups.

With one model per vector lane and the same steps for all, nothing branches on scores, which is what the
kernels of `attop.surrogates.kernels.pap_at_k` spend most of their time on. The price is work that grows
with the product of k, or of the positives, and the size of the group: no more than `suits` allows.
"""

import numpy as np
from numba import njit

__all__ = ["LANES", "avg_of_group", "lanes_workspace", "pairs_of_group", "suits"]

# Models in a block: enough to fill vector registers, few enough for sorted rows to stay in cache.
LANES = 128
MOST_NEG = 32
MOST_POS = 64


@njit(cache=True, nogil=True)
def suits(n_pos, n_neg, k, m):
    """Whether the group is small enough, and the models are enough, for lanes to be the faster way."""
    return m >= 8 and k <= MOST_NEG and n_pos <= MOST_POS and n_neg <= 16 * k


@njit(cache=True, nogil=True)
def lanes_workspace(m):
    """Return rows for sorted negatives, their counts and sorted positives, and four single rows."""
    width = min(m, LANES)
    negatives, counts = np.empty((MOST_NEG, width)), np.empty((MOST_NEG, width))
    return negatives, counts, np.empty((MOST_POS, width)), np.empty((4, width))


@njit(cache=True, nogil=True)
def avg_of_group(scores, items, n_pos, k, first, weight, value, coef, work):
    """Avg surrogate of a group; see `pairs_of_group`. `weight` is that of a negative."""
    last = min(first + LANES, scores.shape[1])
    total = value[first:last]
    sorted_neg, _, _, single = work
    mean, left = single[0, : last - first], single[1, : last - first]
    active, row = single[2, : last - first], single[3, : last - first]
    # A mean of differences: a common offset of the scores does not cost digits.
    origin = scores[items[0], first:last]
    mean[:] = 0.0
    for i in items[:n_pos]:
        x = scores[i, first:last]
        for r in range(len(x)):
            mean[r] += x[r] - origin[r]
            total[r] += 0.0 * x[r]
    for r in range(len(mean)):
        mean[r] = origin[r] + mean[r] / n_pos
    _sort(scores, items[n_pos:], first, last, k, sorted_neg, row, total)
    row[:] = 1.0
    active[:] = 0.0
    _sum_hinges(mean, row, sorted_neg[:k], weight, total, active)
    for i in items[:n_pos]:
        c = coef[i, first:last]
        for r in range(len(c)):
            c[r] = -weight / n_pos * active[r]
    bar = sorted_neg[k - 1]
    _count_ties(sorted_neg[:k], bar, left)
    for i in items[n_pos:]:
        x, c = scores[i, first:last], coef[i, first:last]
        _keep_selected(x, bar, 1.0, left, row)
        for r in range(len(x)):
            c[r] = weight * row[r] if 1.0 + (x[r] - mean[r]) > 0.0 else 0.0


@njit(cache=True, nogil=True)
def pairs_of_group(scores, items, n_pos, k, lo, hi, others, first, weight, value, coef, work):
    """Add hinges over pairs of a group for a block of models, and write their gradient.

    Parameters
    ----------
    scores : ndarray of shape (n, m)
    items : ndarray
        The group's rows of `scores`, its `n_pos` positives first.
    k : int
        Number of negatives, the highest.
    lo, hi : int
        The positives with margin 1: ranks `lo` to ``hi - 1`` from the top. One of them is an end.
    others : bool
        Whether the lower positives count with margin 0; else they do not count.
    first : int
        First model of the block.
    weight : float
        Of a pair.
    value : ndarray of shape (m,)
    coef : ndarray of shape (n, m)
    work : tuple
        See `lanes_workspace`.
    """
    last = min(first + LANES, scores.shape[1])
    total = value[first:last]
    sorted_neg, steps, sorted_pos, single = work
    margin, left = single[0, : last - first], single[1, : last - first]
    count, row = single[2, : last - first], single[3, : last - first]
    _sort(scores, items[n_pos:], first, last, k, sorted_neg, row, total)
    _sort(scores, items[:n_pos], first, last, n_pos, sorted_pos, row, total)

    bar, sign = (sorted_pos[hi - 1], 1.0) if lo == 0 else (sorted_pos[lo], -1.0)
    _count_ties(sorted_pos[lo:hi], bar, left)
    for i in items[:n_pos]:
        x, c = scores[i, first:last], coef[i, first:last]
        _keep_selected(x, bar, sign, left, row)
        for r in range(len(x)):
            margin[r] = 1.0 if row[r] > 0.0 else (0.0 if others else -np.inf)
        count[:] = 0.0
        _sum_hinges(x, margin, sorted_neg[:k], weight, total, count)
        for r in range(len(x)):
            c[r] = -weight * count[r]

    # How many positives reach down to a negative does not fall with its score: count for the k highest, and
    # give a negative the steps of this function below it.
    for j in range(k):
        steps[j] = 0.0
        _count_below(sorted_neg[j], sorted_pos[lo:hi], 1.0, steps[j])
        if others:
            _count_below(sorted_neg[j], sorted_pos[hi:n_pos], 0.0, steps[j])
    for j in range(k - 1):
        steps[j] -= steps[j + 1]
    bar = sorted_neg[k - 1]
    _count_ties(sorted_neg[:k], bar, left)
    for i in items[n_pos:]:
        x, c = scores[i, first:last], coef[i, first:last]
        count[:] = 0.0
        for j in range(k):
            for r in range(len(x)):
                count[r] += steps[j, r] if x[r] >= sorted_neg[j, r] else 0.0
        _keep_selected(x, bar, 1.0, left, row)
        for r in range(len(x)):
            c[r] = weight * count[r] * row[r]


@njit(cache=True, nogil=True)
def _sort(scores, items, first, last, k, rows, row, total):
    """Write the `k` largest of the rows `items`, lane by lane, in descending order to `rows`.

    A score that is not finite makes `total` NaN.
    """
    count = 0
    for i in items:
        x = scores[i, first:last]
        for r in range(len(x)):
            row[r] = x[r]
            total[r] += 0.0 * x[r]
        # Sink the new row through the sorted ones; what falls out below is it, or smaller.
        for j in range(count):
            for r in range(len(row)):
                s, t = row[r], rows[j, r]
                rows[j, r] = t if t > s else s
                row[r] = s if t > s else t
        if count < k:
            for r in range(len(row)):
                rows[count, r] = row[r]
            count += 1


@njit(cache=True, nogil=True)
def _sum_hinges(x, margin, top, weight, total, count):
    """Add ``weight * (margin + top[j] - x)+`` over `top` to `total`, and the active ones to `count`."""
    for j in range(len(top)):
        for r in range(len(x)):
            h = margin[r] + (top[j, r] - x[r])
            total[r] += weight * (h if h > 0.0 else 0.0)
            count[r] += 1.0 if h > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _count_below(x, high, margin, count):
    """Add to `count` how many rows of `high` lie below ``x + margin``."""
    for i in range(len(high)):
        for r in range(len(x)):
            count[r] += 1.0 if margin + (x[r] - high[i, r]) > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _count_ties(rows, bar, left):
    """Set `left` to how many of the rows equal `bar`."""
    left[:] = 0.0
    for i in range(len(rows)):
        for r in range(len(left)):
            left[r] += 1.0 if rows[i, r] == bar[r] else 0.0


@njit(cache=True, nogil=True)
def _keep_selected(x, bar, sign, left, keep):
    """Set `keep` to 1 where `x` is beyond `bar` (below it for sign -1), or equal with ties `left`."""
    for r in range(len(x)):
        lead = sign * (x[r] - bar[r])
        tie = lead == 0.0
        keep[r] = 1.0 if (lead > 0.0) | (tie & (left[r] > 0.0)) else 0.0
        left[r] -= 1.0 if tie else 0.0
