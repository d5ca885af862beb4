"""Features as arrays of a file: a matrix as it is, a sparse one by its parts, a table as Parquet."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attop_bench.data.columns.preparation import is_table

#: Parts of a sparse matrix, and the table, among the arrays.
_SPARSE = ("X_data", "X_indices", "X_indptr", "X_shape")
_TABLE = "X_parquet"


def as_arrays(X: Any) -> dict[str, NDArray]:
    """Convert features to arrays, for `features_of`."""
    if is_table(X):
        content = X.to_parquet(
            index=False,
            engine="pyarrow",
            compression=None,
            use_dictionary=list(X.select_dtypes(exclude="number")),
        )
        return {_TABLE: np.frombuffer(content, np.uint8)}
    if isinstance(X, np.ndarray):
        return {"X": X}
    return dict(
        zip(_SPARSE, (X.data, X.indices, X.indptr, np.array(X.shape)), strict=True)
    )


def features_of(arrays: Mapping[str, NDArray]) -> Any:
    """Convert arrays of `as_arrays` back to features."""
    if _TABLE in arrays:
        import pandas as pd

        return pd.read_parquet(
            io.BytesIO(arrays[_TABLE].tobytes()), engine="pyarrow"
        )
    if "X" in arrays:
        return arrays["X"]
    from scipy import sparse

    values, indices, starts, shape = (arrays[name] for name in _SPARSE)
    return sparse.csr_array((values, indices, starts), shape=tuple(shape.tolist()))
