"""Compiled kernels of the mini-batch solvers: items to batches, products with rows, steps, mistakes."""

from pathlib import Path

import numpy as np
from numba import njit

from attop._core.compiled import discard_stale
from attop.surrogates._kernels.groups import LARGEST
from attop.surrogates._kernels.k_largest import largest

discard_stale(Path(__file__).parent)


@njit(cache=True, nogil=True)
def deal(order, positive, key, rows, ends):
    """Deal items in the given order to batches whose sizes differ by at most one, the first the larger.

    `rows` receives batch after batch, in each the positives before the negatives, in either class by row: it
    reads the sample from front to back. `ends`, 2 zeros a batch, receives where the positives, and where the
    negatives, of each batch end in `rows`. `key` is a buffer.
    """
    n = len(order)
    n_batches = len(ends) // 2
    size = n // n_batches
    larger = n % n_batches
    position = 0
    for batch in range(n_batches):
        for _ in range(size + 1 if batch < larger else size):
            row = order[position]
            key[row] = 2 * batch if positive[row] else 2 * batch + 1
            ends[key[row]] += 1
            position += 1
    total = 0
    for i in range(2 * n_batches):
        count = ends[i]
        ends[i] = total
        total += count
    for row in range(n):
        rows[ends[key[row]]] = row
        ends[key[row]] += 1


@njit(cache=True, nogil=True)
def projected_step(W, gradient, step, radius, total):
    """Move `W` of shape (d, m) by ``-step * gradient``, back into the ball, and add it to `total`."""
    d, m = W.shape
    square = np.zeros(m)
    for i in range(d):
        for j in range(m):
            W[i, j] -= step[j] * gradient[i, j]
            square[j] += W[i, j] * W[i, j]
    for j in range(m):
        length = np.sqrt(square[j])
        square[j] = radius[j] / length if length > radius[j] else 1.0
    for i in range(d):
        for j in range(m):
            W[i, j] *= square[j]
            total[i, j] += W[i, j]


@njit(cache=True, nogil=True)
def mistakes(scores, n_pos, k, average, coef):
    """Count the negatives among the k highest of b scores, which win ties; -1 if a score is not finite.

    Positives come first, ``1 <= k <= n_pos < b``. `coef` receives the coefficient of each item in the update,
    which raises all false negatives with `average`, else only the highest.
    """
    for s in scores:
        if not abs(s) <= LARGEST:
            return -1
    n_neg = len(scores) - n_pos
    pos = np.empty(k)
    pos_at = np.empty(k, np.int64)
    neg = np.empty(k)
    neg_at = np.empty(k, np.int64)
    largest(scores[:n_pos], k, -np.inf, pos, pos_at)
    n_candidates = largest(scores[n_pos:], min(k, n_neg), -np.inf, neg, neg_at)
    hits = delta = 0
    while hits + delta < k:
        if delta < n_candidates and neg[delta] >= pos[hits]:
            delta += 1
        else:
            hits += 1
    if delta == 0:
        return 0
    raised = delta / (n_pos - hits)
    for i in range(len(coef)):
        coef[i] = raised if average and i < n_pos else 0.0
    for i in range(delta):
        coef[n_pos + neg_at[i]] = -1.0
    if average:
        for i in range(hits):
            coef[pos_at[i]] = 0.0
    else:
        # The k highest positives are the hits and then, as k - hits = delta, the ones to raise.
        for i in range(hits, k):
            coef[pos_at[i]] = 1.0
    return delta


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def score_rows(X, rows, w, scores):
    """Write ``X[rows] @ w`` to `scores`."""
    n = len(rows)
    d = len(w)
    for i in range(n):
        x = X[rows[i]]
        s = 0.0
        for j in range(d):
            s += x[j] * w[j]
        scores[i] = s


@njit(cache=True, nogil=True)
def add_rows(X, rows, coef, total):
    """Add ``X[rows].T @ coef`` to `total`; rows with coefficient 0 are not read."""
    for i in range(len(rows)):
        c = coef[i]
        if c != 0.0:
            x = X[rows[i]]
            for j in range(len(total)):
                total[j] += c * x[j]
