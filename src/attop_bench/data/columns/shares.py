"""Shares of positives of values, as they are for rows whose own label is not known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attop.extending import Floats, Ints

#: Parts of the rows, each of which gets its shares from the others.
_PARTS, _SEED = 5, 0x0A10


def shares_of_others(codes: Ints, y: NDArray) -> Floats:
    """Compute the share of positives of each row's value among the rows of other parts.

    Each row is in one of five parts by chance. Of a value with few rows elsewhere it is near the mean.

    Parameters
    ----------
    codes
        Shape (n,), the number of each row's value, from 0.
    y
        Shape (n,), 1 or True where a row is positive.

    Returns
    -------
    ndarray of shape (n,)
        Shares from 0 to 1.
    """
    part = np.random.default_rng(_SEED).integers(0, _PARTS, len(y))
    shares, values = np.zeros(len(y)), codes.max() + 1
    for tested in range(_PARTS):
        others = part != tested
        hits = np.bincount(codes[others], y[others], values)
        rows = np.bincount(codes[others], minlength=values)
        of_value = (hits + y.mean()) / (rows + 1)
        shares[~others] = of_value[codes[~others]]
    return shares
