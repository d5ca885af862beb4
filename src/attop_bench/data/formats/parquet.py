"""Parquet files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from attop_bench.data.base import DatasetError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_parquet"]


def read_parquet(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a Parquet file.

    Raises
    ------
    DatasetError
        If the file is of another format, or pyarrow is not installed.
    """
    import pandas as pd

    try:
        return pd.read_parquet(path).reset_index(drop=True)
    except ImportError:
        raise DatasetError(f"dataset {path}: Parquet needs pyarrow: pip install pyarrow") from None
    except Exception as error:  # what a damaged file raises depends on where it is damaged
        raise DatasetError(f"dataset {path}: not a Parquet file: {error}; check format and path") from error
