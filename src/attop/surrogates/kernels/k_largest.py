"""The k largest entries, in order and with their positions."""

import numpy as np
from numba import njit

__all__ = ["largest", "smallest"]

# Up to this k, insertion into a sorted buffer beats sorting.
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
    """Collect up to 2k candidates, sort them, keep k, and go on with what beats the last of these."""
    held = np.empty(min(2 * k, len(x)), np.int64)
    count = 0
    bar = -np.inf
    trimmed = False
    for j in range(len(x)):
        if x[j] < floor or (trimmed and x[j] <= bar):
            continue
        held[count] = j
        count += 1
        if count == 2 * k:
            count = _trim(x, k, held, count)
            bar = x[held[k - 1]]
            trimmed = True
    count = _trim(x, k, held, count)
    for i in range(count):
        index[i] = held[i]
        value[i] = x[held[i]]
    return count


@njit(cache=True, nogil=True)
def _trim(x, k, held, count):
    """Sort the first `count` positions in `held` by descending value and drop all but `k`."""
    # The sort is stable: of equal entries the one found first stays first.
    by_value = np.argsort(-x[held[:count]], kind="mergesort")
    count = min(k, count)
    held[:count] = held[by_value[:count]]
    return count


@njit(cache=True, nogil=True)
def smallest(x, k, value, index):
    """Find the `k` smallest entries of `x` in ascending order; see `largest`."""
    count = largest(-x, k, -np.inf, value, index)
    for i in range(count):
        value[i] = -value[i]
    return count
