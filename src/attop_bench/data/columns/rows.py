"""Rows of features: shares of positives, queries and parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attop.extending import Floats, Ints
from attop_bench.data.errors import DatasetError


def downsampled(y: NDArray[np.bool_], share: float, where: str) -> Ints:
    """Draw positives at random until they are `share` of all rows; all negatives stay."""
    rows = np.flatnonzero(y)
    count = round(share / (1 - share) * (len(y) - len(rows)))
    if not 1 <= count <= len(rows):
        raise DatasetError(
            f"{where}: downsample_positives={share!r} needs {count} of the {len(rows)} positives, which are "
            f"{len(rows) / len(y):.3g} of the rows: give a share below that, of at least one positive"
        )
    drawn = np.random.default_rng(0).choice(rows, count, replace=False)
    return np.sort(np.concatenate([drawn, np.flatnonzero(~y)]))


def query_level_norm(X: Floats, query: NDArray) -> Floats:
    """Scale each feature to [0, 1] within each query.

    A value becomes ``(x - min) / (max - min)`` over the rows of its query, 0 where these are equal. No label
    and no other query is looked at, so it may be done before the data are split.

    References
    ----------
    Liu, Xu, Qin, Xiong & Li (2007), LETOR: the "QueryLevelNorm" version of its files.
    """
    import pandas as pd

    of_query = pd.DataFrame(X).groupby(query)
    low = of_query.transform("min").to_numpy()
    span = of_query.transform("max").to_numpy() - low
    return np.divide(X - low, span, out=np.zeros_like(X), where=span > 0)


def parts_by_bounds(
    query: NDArray, bounds: Sequence[float], where: str = "data"
) -> Ints:
    """Number the part of each row, from 0, by the number of its query.

    `bounds` are the highest query of each part but the last, increasing.
    """
    try:
        limits = np.asarray(bounds, dtype=np.float64)
        numbers = query.astype(np.float64)
    except (TypeError, ValueError):
        raise DatasetError(
            f"{where}: bounds of parts and the column they are for must be numbers"
        ) from None
    if limits.ndim != 1 or (np.diff(limits) <= 0).any():
        raise DatasetError(
            f"{where}: bounds of parts must be increasing numbers, got {bounds!r}"
        )
    return np.searchsorted(limits, numbers, side="left").astype(np.int64)
