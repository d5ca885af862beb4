"""The k largest entries, in order and with their positions; and lists ranked by score, with weights.

What is sorted here is a handful of loops: numba's own sorts and indexing by arrays compile for seconds.
"""

import numpy as np
from numba import njit

__all__ = ["largest", "ranked", "smallest", "within"]

# Up to this k, insertion into a sorted buffer beats sorting.
INSERTION = 32
# Runs of this length are sorted by insertion before they are merged.
RUN = 16


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
            _insert(x[j], j, 0, count, value, index)
            count += 1
        j += 1
    if count == k and k > 0:
        for i in range(j, len(x)):
            if x[i] > value[k - 1]:
                _insert(x[i], i, 0, k - 1, value, index)
    return count


@njit(cache=True, nogil=True)
def smallest(x, k, value, index):
    """Find the `k` smallest entries of `x` in ascending order; see `largest`."""
    negative = np.empty(len(x))
    for i in range(len(x)):
        negative[i] = -x[i]
    count = largest(negative, k, -np.inf, value, index)
    for i in range(count):
        value[i] = -value[i]
    return count


@njit(cache=True, nogil=True)
def ranked(x, weight):
    """Return scores in descending order, equal ones in order of position, their weights and positions."""
    n = len(x)
    value, index, by_rank = np.empty(n), np.empty(n, np.int64), np.empty(n)
    for i in range(n):
        value[i] = x[i]
        index[i] = i
    _sort(value, index, n)
    for i in range(n):
        by_rank[i] = weight[index[i]]
    return value, by_rank, index


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


@njit(cache=True, nogil=True)
def _by_sorting(x, k, floor, value, index):
    """Collect up to 2k candidates, sort them, keep k, and go on with what beats the last of these."""
    size = min(2 * k, len(x))
    held, where = np.empty(size), np.empty(size, np.int64)
    count = 0
    bar = -np.inf
    trimmed = False
    for j in range(len(x)):
        if x[j] < floor or (trimmed and x[j] <= bar):
            continue
        held[count] = x[j]
        where[count] = j
        count += 1
        if count == 2 * k:
            _sort(held, where, count)
            count = k
            bar = held[k - 1]
            trimmed = True
    _sort(held, where, count)
    count = min(k, count)
    for i in range(count):
        value[i] = held[i]
        index[i] = where[i]
    return count


@njit(cache=True, nogil=True)
def _sort(value, index, n):
    """Sort the first `n` values, with their positions, in descending order; equal ones keep theirs."""
    for first in range(0, n, RUN):
        for j in range(first + 1, min(first + RUN, n)):
            _insert(value[j], index[j], first, j, value, index)
    if n <= RUN:
        return
    left, left_index = np.empty(n), np.empty(n, np.int64)
    run = RUN
    while run < n:
        for first in range(0, n - run, 2 * run):
            _merge(value, index, first, first + run, min(first + 2 * run, n), left, left_index)
        run *= 2


@njit(cache=True, nogil=True)
def _insert(v, position, first, end, value, index):
    """Insert into the sorted entries from `first` to `end`, behind equal ones."""
    while end > first and value[end - 1] < v:
        value[end] = value[end - 1]
        index[end] = index[end - 1]
        end -= 1
    value[end] = v
    index[end] = position


@njit(cache=True, nogil=True)
def _merge(value, index, first, middle, last, left, left_index):
    """Merge two sorted runs in place; `left` has room for the first."""
    if value[middle - 1] >= value[middle]:
        return
    size = middle - first
    for i in range(size):
        left[i] = value[first + i]
        left_index[i] = index[first + i]
    i, j, to = 0, middle, first
    while i < size and j < last:
        if value[j] > left[i]:
            value[to] = value[j]
            index[to] = index[j]
            j += 1
        else:
            value[to] = left[i]
            index[to] = left_index[i]
            i += 1
        to += 1
    while i < size:
        value[to] = left[i]
        index[to] = left_index[i]
        i += 1
        to += 1
