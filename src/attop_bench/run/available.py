"""Data sets, or the reasons why they cannot be had."""

from __future__ import annotations

import os

from attop_bench.data.base import Dataset, DatasetError, Unavailable

__all__ = ["load_available"]


def load_available(path: str | os.PathLike[str]) -> Dataset | Unavailable:
    """Load a prepared data set, or return why it cannot be had here and now.

    Raises
    ------
    DatasetError
        If the file is damaged.
    """
    try:
        return Dataset.load(path)
    except Unavailable as error:
        return error
    except Exception as error:  # what a damaged file raises depends on where it is damaged
        raise DatasetError(
            f"{path} cannot be read ({type(error).__name__}: {error}): delete it, and it is made again"
        ) from error
