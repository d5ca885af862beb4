"""Equality up to rounding: the one rule of every table, test and verdict."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attop._core.typing import Floats

#: Means of the same values in another order differ by about 1e-15, and by as much of what is above 1.
ROUNDING = 1e-12


def difference(a: ArrayLike, b: ArrayLike) -> Floats:
    """Compute a - b, as 0 where that is rounding alone: 1e-12 at most, or that share of a number above 1."""
    x = np.asarray(a, dtype=float)
    y = np.asarray(b, dtype=float)
    d = x - y
    return np.where(
        np.abs(d) <= ROUNDING * np.maximum(1.0, np.maximum(np.abs(x), np.abs(y))),
        0.0,
        d,
    )


def count_wins(values: Floats) -> Floats:
    """Count the rows in which each column is the highest; those that share a row count a part of it each."""
    first = difference(values, values.max(axis=1, keepdims=True)) == 0
    return (first / first.sum(axis=1, keepdims=True)).sum(axis=0)


def levels(values: Floats) -> Floats:
    """Number the values along the last axis in ascending order, those equal but for rounding alike."""
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    numbers = np.zeros(values.shape)
    result = np.empty(values.shape)
    numbers[..., 1:] = np.cumsum(
        difference(ordered[..., 1:], ordered[..., :-1]) != 0, axis=-1
    )
    np.put_along_axis(result, order, numbers, axis=-1)
    return result
