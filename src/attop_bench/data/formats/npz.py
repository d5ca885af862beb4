"""Arrays that NumPy saved: without it, a user's own features go through text or Parquet first."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from attop_bench.data.base import DatasetError
from attop_bench.data.fetch.archive import BROKEN

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_npz"]


def read_npz(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read an ``.npz`` file; nothing is unpickled.

    Returns
    -------
    frame : DataFrame
        An array of shape (n,) is a column of its name, an array ``X`` of shape (n, d) is the columns
        ``X1`` to ``Xd``.

    Raises
    ------
    DatasetError
        If the file is something else, holds objects, or its arrays differ in length.
    """
    import pandas as pd

    where = f"dataset {path}"
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, ValueError, AttributeError, TypeError, *BROKEN) as error:
        # What NumPy says of a pickle is how to have it run.
        said = "it is a pickle" if "pickle" in str(error) else str(error)
        said = "it holds one array, as .npy files do" if isinstance(error, TypeError) else said
        raise DatasetError(
            f"{where}: cannot be read as .npz: {said}; save arrays of numbers or text by numpy.savez"
        ) from None
    odd = [name for name, array in arrays.items() if array.dtype.kind not in "biufcSU"]
    if odd:
        raise DatasetError(
            f"{where}: array {odd[0]!r} has dtype {arrays[odd[0]].dtype}: numbers or text are needed"
        )
    arrays = {name: np.char.decode(a) if a.dtype.kind == "S" else a for name, a in arrays.items()}
    shapes = {name: array.shape for name, array in arrays.items()}
    if (
        not shapes
        or len({s[:1] for s in shapes.values()}) > 1
        or any(len(s) not in (1, 2) for s in shapes.values())
    ):
        raise DatasetError(
            f"{where}: arrays must be columns (n,) or tables (n, d) of one length n, got {shapes or 'none'}"
        )
    parts = []
    for name, array in arrays.items():
        columns = [name] if array.ndim == 1 else [f"{name}{j + 1}" for j in range(array.shape[1])]
        parts.append(pd.DataFrame(array[:, None] if array.ndim == 1 else array, columns=columns))
    return pd.concat(parts, axis=1)
