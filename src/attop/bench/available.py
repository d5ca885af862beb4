"""Data sets, or the reasons why they cannot be had."""

from __future__ import annotations

import os

from attop.datasets.base import Dataset, Unavailable

__all__ = ["load_available"]


def load_available(path: str | os.PathLike[str]) -> Dataset | Unavailable:
    """Load a data set, or return why it cannot be had here and now."""
    try:
        return Dataset.load(path)
    except Unavailable as error:
        return error
