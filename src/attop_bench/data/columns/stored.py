"""Features in a file: a matrix as an array, a sparse one as those of its parts, a table as Parquet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attop_bench.data.columns.preparation import is_table

if TYPE_CHECKING:
    import pandas as pd

#: Parts of a sparse matrix among the arrays of a file, and the member beside them that is a table.
_SPARSE = ("X_data", "X_indices", "X_indptr", "X_shape")
TABLE = "X.parquet"


def as_arrays(X: Any) -> dict[str, NDArray]:
    """Convert features to arrays, for `features_of`; a table, which `write_table` writes, has none."""
    if is_table(X):
        return {}
    if isinstance(X, np.ndarray):
        return {"X": X}
    return dict(
        zip(_SPARSE, (X.data, X.indices, X.indptr, np.array(X.shape)), strict=True)
    )


def write_table(file: IO[bytes], X: pd.DataFrame) -> None:
    """Write a table as Parquet; its bytes are not held beside it."""
    X.to_parquet(
        file,
        index=False,
        engine="pyarrow",
        compression=None,
        use_dictionary=list(X.select_dtypes(exclude="number")),
        write_statistics=False,
    )


def features_of(arrays: Mapping[str, Any]) -> Any:
    """Convert the arrays of `as_arrays`, or the bytes of a table, back to features."""
    if TABLE in arrays:
        import pyarrow
        from pyarrow import parquet

        table = parquet.read_table(pyarrow.BufferReader(arrays[TABLE]))
        # Each column is the one that was read: one block of all would be a copy of them.
        X = table.to_pandas(split_blocks=True, self_destruct=True)
        # Else what decoding took stays with the process.
        pyarrow.default_memory_pool().release_unused()
        return X
    if "X" in arrays:
        return arrays["X"]
    from scipy import sparse

    values, indices, starts, shape = (arrays[name] for name in _SPARSE)
    return sparse.csr_array((values, indices, starts), shape=tuple(shape.tolist()))
