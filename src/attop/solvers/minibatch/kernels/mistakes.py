"""Mistakes at the top of one ranked list, and the coefficients of Perceptron@k."""

import numpy as np
from numba import njit

from attop.surrogates.kernels.k_largest import largest

__all__ = ["mistakes"]


@njit(cache=True, nogil=True)
def mistakes(scores, n_pos, k, average, coef):
    """Compare the k highest scores with the labels.

    Parameters
    ----------
    scores : ndarray of shape (b,)
        Positives first.
    n_pos, k : int
        ``1 <= k <= n_pos < b``.
    average : bool
        Whether the update raises all false negatives or only the highest.
    coef : ndarray of shape (b,)
        Receives the coefficient of each item in the update.

    Returns
    -------
    delta : int
        Negatives among the k highest, which win ties; -1 if a score is not finite.
    """
    if not np.isfinite(scores).all():
        return -1
    coef[:] = 0.0
    n_neg = len(scores) - n_pos
    pos, pos_at = np.empty(k), np.empty(k, np.int64)
    neg, neg_at = np.empty(k), np.empty(k, np.int64)
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
    coef[n_pos + neg_at[:delta]] = -1.0
    if average:
        coef[:n_pos] = delta / (n_pos - hits)
        coef[pos_at[:hits]] = 0.0
    else:
        # The k highest positives are the hits and then, as k - hits = delta, the ones to raise.
        coef[pos_at[hits:]] = 1.0
    return delta
