"""What LETOR does with the items of a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attop.core.typing import Floats, Ints
from attop_bench.data.base import DatasetError

__all__ = ["parts_by_bounds", "query_level_norm"]


def query_level_norm(X: Floats, query: NDArray[Any]) -> Floats:
    """Scale each feature to [0, 1] within each query.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    query : ndarray of shape (n,)
        Query of each row.

    Returns
    -------
    scaled : ndarray of shape (n, d)
        ``(x - min) / (max - min)`` over the rows of the query; 0 where a feature is constant in it.

    Notes
    -----
    It looks at no label and at no other query, so it may be done before the data are split.

    References
    ----------
    Liu, Xu, Qin, Xiong & Li (2007), LETOR: the "QueryLevelNorm" version of its files.
    """
    codes = np.unique(query, return_inverse=True)[1]
    order = np.argsort(codes, kind="stable")
    start = np.flatnonzero(np.diff(codes[order], prepend=-1))
    low = np.minimum.reduceat(X[order], start)
    span = np.maximum.reduceat(X[order], start) - low
    return np.divide(X - low[codes], span[codes], out=np.zeros_like(X), where=span[codes] > 0)


def parts_by_bounds(query: NDArray[Any], bounds: Sequence[float], where: str = "data") -> Ints:
    """Put queries in parts by their numbers.

    Parameters
    ----------
    query : ndarray of shape (n,)
        Number of the query of each row.
    bounds : sequence of numbers
        Highest query of each part but the last, increasing.
    where : str
        What the message calls the data.

    Returns
    -------
    part : ndarray of shape (n,)
        From 0 to ``len(bounds)``.

    Raises
    ------
    DatasetError
        If the queries have no numbers or the bounds do not increase.
    """
    try:
        limits = np.asarray(bounds, dtype=np.float64)
        numbers = query.astype(np.float64)
    except (TypeError, ValueError):
        raise DatasetError(f"{where}: bounds of parts and the column they are for must be numbers") from None
    if limits.ndim != 1 or (np.diff(limits) <= 0).any():
        raise DatasetError(f"{where}: bounds of parts must be increasing numbers, got {bounds!r}")
    return np.searchsorted(limits, numbers, side="left").astype(np.int64)
