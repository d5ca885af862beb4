"""The k largest entries, in order and with their positions."""

import numpy as np
from numba import njit

__all__ = ["largest", "smallest"]

# Up to this k, insertion into a sorted buffer beats partition and sort.
INSERTION = 32


@njit(cache=True, nogil=True)
def largest(x, k, floor, value, index):
    """Find the `k` largest entries of `x` among those of at least `floor`.

    Parameters
    ----------
    x : ndarray of shape (n,)
    k : int
    floor : float
        Entries below are skipped, which saves sorting what a hinge would cut off anyway.
    value, index : ndarray
        Receive the entries in descending order and their positions; equal entries in order of position.

    Returns
    -------
    count : int
        Number of entries found, at most `k`.
    """
    if k > INSERTION:
        return _by_sorting(x, k, floor, value, index)
    count = 0
    j = 0
    while j < len(x) and count < k:
        if x[j] >= floor:
            _insert(x[j], j, count, value, index)
            count += 1
        j += 1
    if count == k and k > 0:
        for i in range(j, len(x)):
            if x[i] > value[k - 1]:
                _insert(x[i], i, k - 1, value, index)
    return count


@njit(cache=True, nogil=True)
def _insert(v, position, end, value, index):
    """Insert into the sorted entries before `end`, behind equal ones."""
    while end > 0 and value[end - 1] < v:
        value[end] = value[end - 1]
        index[end] = index[end - 1]
        end -= 1
    value[end] = v
    index[end] = position


@njit(cache=True, nogil=True)
def _by_sorting(x, k, floor, value, index):
    n = len(x)
    k = min(k, n)
    bar = np.partition(x, n - k)[n - k]
    at_bar = k
    for j in range(n):
        at_bar -= x[j] > bar
    if bar < floor:
        bar = floor
        at_bar = k
    chosen = np.empty(k, np.int64)
    count = 0
    for j in range(n):
        if x[j] > bar or (x[j] == bar and at_bar > 0):
            at_bar -= x[j] == bar
            chosen[count] = j
            count += 1
    chosen = chosen[:count]
    by_value = np.argsort(-x[chosen], kind="mergesort")
    for i in range(count):
        index[i] = chosen[by_value[i]]
        value[i] = x[index[i]]
    return count


@njit(cache=True, nogil=True)
def smallest(x, k, value, index):
    """Find the `k` smallest entries of `x` in ascending order; see `largest`."""
    count = largest(-x, k, -np.inf, value, index)
    for i in range(count):
        value[i] = -value[i]
    return count
