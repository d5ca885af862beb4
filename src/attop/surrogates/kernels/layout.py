"""Between the caller's scores, items by models, and the contiguous rows a kernel works on.

Within a group the models come in blocks. A block is copied to a tile with one row per model, positives
first; the kernel replaces each row of scores by its coefficients, and the tile is copied back. The
transposition thus happens in cache and needs no pass over memory of its own.
"""

import numpy as np
from numba import njit

__all__ = ["load", "store", "workspace"]

# One cache line of a row of scores: each line of memory is fetched for one block only.
BLOCK = 8
LARGEST = np.finfo(np.float64).max


@njit(cache=True, nogil=True)
def workspace(start, m):
    """Return a tile that holds the largest group, and buffers: values and positions, twice."""
    n = np.max(np.diff(start))
    buffers = (np.empty(n), np.empty(n, np.int64), np.empty(n), np.empty(n, np.int64))
    return np.empty((min(m, BLOCK), n)), buffers


@njit(cache=True, nogil=True)
def load(scores, items, first, tile, value):
    """Copy the scores of `items` under a block of models, from `first` on, to `tile`.

    A model with a score that is not finite gets the value NaN, and 0 in the tile: kernels write to where
    comparisons lead them, and NaN leads nowhere. Returns the size of the block.
    """
    size = min(len(tile), scores.shape[1] - first)
    for i in range(len(items)):
        for r in range(size):
            s = scores[items[i], first + r]
            if not abs(s) <= LARGEST:
                value[first + r] = np.nan
                s = 0.0
            tile[r, i] = s
    return size


@njit(cache=True, nogil=True)
def store(tile, items, first, size, weight, coef):
    """Copy the coefficients in `tile`, times `weight`, to the rows `items` of `coef`."""
    for i in range(len(items)):
        for r in range(size):
            coef[items[i], first + r] = weight * tile[r, i]
