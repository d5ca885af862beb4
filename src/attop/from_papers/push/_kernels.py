"""Compiled products with threshold rankers, given the interval between thresholds each value lies in."""

from pathlib import Path

import numpy as np
from numba import njit

from attop._core.compiled import discard_stale

discard_stale(Path(__file__).parent)


@njit(cache=True, nogil=True)
def sum_above(interval, start, coef, product):
    """Write the sums of `coef` over the items above each threshold to `product`.

    `interval`, of shape (d, n), is how many thresholds of feature j item i exceeds. Feature j has the
    thresholds ``start[j]`` to ``start[j + 1]``.
    """
    for j in range(len(interval)):
        first = start[j]
        count = start[j + 1] - start[j]
        total = np.zeros(count + 1)
        row = interval[j]
        for i in range(len(row)):
            total[row[i]] += coef[i]
        above = 0.0
        for t in range(count, 0, -1):
            above += total[t]
            product[first + t - 1] = above


@njit(cache=True, nogil=True)
def add_steps(interval, start, votes, scores):
    """Add to `scores` (n,) the `votes` (start[-1],) of the thresholds each item exceeds; see `sum_above`."""
    for j in range(len(interval)):
        first = start[j]
        count = start[j + 1] - start[j]
        height = np.zeros(count + 1)
        for t in range(count):
            height[t + 1] = height[t] + votes[first + t]
        row = interval[j]
        for i in range(len(row)):
            scores[i] += height[row[i]]
