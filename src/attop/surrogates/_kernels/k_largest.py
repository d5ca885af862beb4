"""The k largest entries, in order and with their positions; and lists ranked by score, with weights.

What is sorted here is a handful of loops: numba's own sorts and indexing by arrays compile for seconds.
"""

import numpy as np
from numba import njit

from attop._core.compiled import HELPER

# Up to this k, insertion into a sorted buffer beats sorting.
INSERTION = 32
# How often the interval that holds a bound of the k-th largest is halved.
HALVINGS = 7
# Runs of this length are sorted by insertion before they are merged.
RUN = 16


@njit(**HELPER)
def largest(x, k, floor, value, index):
    """Find the `k` largest entries of `x` among those of at least `floor`; return how many there are.

    `value` and `index` receive the entries in descending order and their positions, equal entries in order of
    position. To skip entries below `floor` saves sorting what a hinge would cut off anyway.
    """
    count = 0
    if k <= INSERTION:
        # What is not above it is skipped, once there are k.
        bar = floor if k > 0 else np.inf
        for j in range(len(x)):
            v = x[j]
            if v <= bar and (count == k or v < floor):
                continue
            count = min(k, count + 1)
            at = count - 1
            while at > 0 and value[at - 1] < v:
                value[at] = value[at - 1]
                index[at] = index[at - 1]
                at -= 1
            value[at] = v
            index[at] = j
            if count == k:
                bar = value[k - 1]
        return count
    # Collect up to 2k candidates, sort them, keep k, and go on with what beats the last of these.
    size = min(2 * k, len(x))
    held = np.empty(size)
    where = np.empty(size, np.int64)
    trimmed = False
    for j in range(len(x) + 1):
        if j < len(x):
            v = x[j]
            if v < floor or (trimmed and v <= held[k - 1]):
                continue
            held[count] = v
            where[count] = j
            count += 1
        if j == len(x) or count == 2 * k:
            _sort(held[:count], where[:count])
            trimmed = count >= k
            count = min(k, count)
    for i in range(count):
        value[i] = held[i]
        index[i] = where[i]
    return count


@njit(**HELPER)
def kth_largest(x, k, values, positions):
    """Find the `k`-th largest entry; the buffers are of two rows each, as long as `x`."""
    if k <= INSERTION:
        columns = values[1, : min(4 * k, len(x))]
        few = values[0]
        maxima(x, columns)
        low = columns[0]
        high = columns[0]
        n = 0
        for i in range(len(columns)):
            low = min(low, columns[i])
            high = max(high, columns[i])
        # k columns have a maximum of at least `low`, and so are k entries.
        for _ in range(HALVINGS):
            middle = 0.5 * low + 0.5 * high
            above = 0
            for i in range(len(columns)):
                above += columns[i] > middle
            low, high = (middle, high) if above >= k else (low, middle)
        for i in range(len(columns)):
            if columns[i] >= low:
                for j in range(i, len(x), len(columns)):
                    few[n] = x[j]
                    n += x[j] >= low
        if n <= 8 * INSERTION:
            return _of_rank(few[:n], k)
    largest(x, k, -np.inf, values[0], positions[0])
    return values[0, k - 1]


@njit(**HELPER)
def maxima(x, columns):
    """Write the maximum of each column, `x` being laid out in rows of `columns`, many at once."""
    n = len(columns)
    for i in range(n):
        columns[i] = x[i]
    for first in range(n, len(x), max(n, 1)):
        row = x[first : first + n]
        for i in range(len(row)):
            columns[i] = max(columns[i], row[i])


@njit(**HELPER)
def _of_rank(x, k):
    """Find the `k`-th largest of few, each compared with all at once: to insert them takes longer."""
    for i in range(len(x)):
        above = 0
        reached = 0
        for j in range(len(x)):
            above += x[j] > x[i]
            reached += x[j] >= x[i]
        if above < k <= reached:
            return x[i]
    return np.nan


@njit(**HELPER)
def smallest(x, k, value, index):
    """Find the `k` smallest entries of `x` in ascending order; see `largest`."""
    negative = np.empty(len(x))
    for i in range(len(x)):
        negative[i] = -x[i]
    count = largest(negative, k, -np.inf, value, index)
    for i in range(count):
        value[i] = -value[i]
    return count


@njit(**HELPER)
def ranked(x, weight):
    """Sort scores in descending order, equal ones by position; return their weights and positions too."""
    n = len(x)
    value = np.empty(n)
    index = np.empty(n, np.int64)
    by_rank = np.empty(n)
    for i in range(n):
        value[i] = x[i]
        index[i] = i
    _sort(value, index)
    for i in range(n):
        by_rank[i] = weight[index[i]]
    return value, by_rank, index


@njit(**HELPER)
def ranked_by_class(row, n_pos, w):
    """Rank the positives and the negatives of a list apart; see `ranked`."""
    return ranked(row[:n_pos], w[:n_pos]), ranked(row[n_pos:], w[n_pos:])


@njit(**HELPER)
def within(weight, first, last):
    """Cut each weight to the part that lies between `first` and `last` of their running sum."""
    part = np.empty(len(weight))
    total = 0.0
    for i in range(len(weight)):
        before = total
        total += weight[i]
        part[i] = max(0.0, min(total, last) - max(before, first))
    return part


@njit(**HELPER)
def _sort(value, index):
    """Sort values, with their positions, in descending order; equal ones keep theirs."""
    n = len(value)
    for end in range(n):
        v = value[end]
        position = index[end]
        at = end
        while at % RUN > 0 and value[at - 1] < v:
            value[at] = value[at - 1]
            index[at] = index[at - 1]
            at -= 1
        value[at] = v
        index[at] = position
    left = np.empty(n)
    left_index = np.empty(n, np.int64)
    run = RUN
    while run < n:
        middle = run
        while middle < n:
            # Merge two sorted runs in place.
            first = middle - run
            last = min(middle + run, n)
            if value[middle - 1] < value[middle]:
                for i in range(run):
                    left[i] = value[first + i]
                    left_index[i] = index[first + i]
                i = 0
                j = middle
                to = first
                while i < run:
                    if j < last and value[j] > left[i]:
                        value[to] = value[j]
                        index[to] = index[j]
                        j += 1
                    else:
                        value[to] = left[i]
                        index[to] = left_index[i]
                        i += 1
                    to += 1
            middle += 2 * run
        run *= 2
