"""What the kernels of weighted surrogates share: ranked scores, and the weight within a range of ranks."""

import numpy as np
from numba import njit

__all__ = ["descending", "within"]


@njit(cache=True, nogil=True)
def descending(scores, weight):
    """Return scores in descending order, their weights, and their positions."""
    index = np.argsort(-scores)
    return scores[index], weight[index], index


@njit(cache=True, nogil=True)
def within(weight, first, last):
    """Return what of each weight lies between `first` and `last` of their running sum."""
    part = np.empty(len(weight))
    total = 0.0
    for i in range(len(weight)):
        before = total
        total += weight[i]
        part[i] = max(0.0, min(total, last) - max(before, first))
    return part
