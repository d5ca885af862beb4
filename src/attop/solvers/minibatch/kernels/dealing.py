"""Dealing the items of a sample to mini-batches."""

import numpy as np
from numba import njit

__all__ = ["deal"]


@njit(cache=True, nogil=True)
def deal(order, positive, n_batches):
    """Deal items in the given order to batches whose sizes differ by at most one, the first the larger.

    Parameters
    ----------
    order : ndarray of shape (n,)
    positive : ndarray of shape (n,), bool
    n_batches : int

    Returns
    -------
    rows : ndarray of shape (n,)
        Batch after batch, in each the positives before the negatives, in either class by row: a batch reads
        the sample from front to back.
    counts : ndarray of shape (n_batches, 2)
        Positives and negatives of each batch.
    """
    n = len(order)
    size, larger = n // n_batches, n % n_batches
    key = np.empty(n, np.int32)
    start = np.zeros(2 * n_batches + 1, np.int64)
    position = 0
    for batch in range(n_batches):
        for _ in range(size + 1 if batch < larger else size):
            row = order[position]
            key[row] = 2 * batch if positive[row] else 2 * batch + 1
            start[key[row] + 1] += 1
            position += 1
    counts = start[1:].copy().reshape(n_batches, 2)
    for i in range(2 * n_batches):
        start[i + 1] += start[i]
    rows = np.empty(n, np.int64)
    for row in range(n):
        rows[start[key[row]]] = row
        start[key[row]] += 1
    return rows, counts
