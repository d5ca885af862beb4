"""NumPy's archives of arrays."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from attop_bench.data.errors import DatasetError
from attop_bench.data.files.opening import BROKEN
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd


def read_npz(path: StrPath) -> pd.DataFrame:
    """Read ``.npz`` without unpickling: arrays (n,) are columns, ``X`` of (n, d) is ``X1`` to ``Xd``."""
    import pandas as pd

    where = f"dataset {path}"
    arrays = _arrays(path, where)
    shapes = {name: array.shape for name, array in arrays.items()}
    if len({shape[:1] for shape in shapes.values()}) != 1 or not {
        *map(len, shapes.values())
    } <= {1, 2}:
        raise DatasetError(
            f"{where}: arrays must be columns (n,) or tables (n, d) of one length n, got {shapes or 'none'}"
        )
    parts = []
    for name, array in arrays.items():
        columns = (
            [name]
            if array.ndim == 1
            else [f"{name}{j + 1}" for j in range(array.shape[1])]
        )
        parts.append(pd.DataFrame(array, columns=columns))
    return pd.concat(parts, axis=1)


def _arrays(path: StrPath, where: str) -> dict[str, NDArray]:
    """Read the arrays of a file; refuse those of neither numbers nor text."""
    try:
        with np.load(os.fspath(path), allow_pickle=False) as file:
            # What is no array is bytes.
            arrays = {name: np.asarray(file[name]) for name in file.files}
            arrays = {
                name: np.char.decode(a) if a.dtype.kind == "S" else a
                for name, a in arrays.items()
            }
    except MemoryError as error:
        raise DatasetError(
            f"{where}: its arrays are larger than the memory: {error}; save fewer rows, or check the file"
        ) from None
    except (OSError, ValueError, AttributeError, TypeError, *BROKEN) as error:
        # What NumPy says of a pickle is how to have it run.
        reason = "it is a pickle" if "pickle" in str(error) else str(error)
        reason = (
            "it holds one array, as .npy files do"
            if isinstance(error, TypeError)
            else reason
        )
        raise DatasetError(
            f"{where}: cannot be read as .npz: {reason}; save arrays of numbers or text by numpy.savez"
        ) from None
    for name, array in arrays.items():
        if array.dtype.kind not in "biufcU":
            raise DatasetError(
                f"{where}: array {name!r} has dtype {array.dtype}: numbers or text are needed"
            )
    return arrays
