"""Compiled sums over items of step functions of a feature, given the interval each item lies in."""

from numba import njit

__all__ = ["add_steps", "sum_by_interval"]


@njit(cache=True, nogil=True)
def sum_by_interval(interval, weight, total):
    """Add `weight` (n,) to the `total` of the `interval` (n,) each item lies in."""
    for i in range(len(interval)):
        total[interval[i]] += weight[i]


@njit(cache=True, nogil=True)
def add_steps(interval, height, scores):
    """Add to `scores` (n,) the `height` of the `interval` (n,) each item lies in."""
    for i in range(len(interval)):
        scores[i] += height[interval[i]]
