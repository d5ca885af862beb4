"""A pandas table out of a pickle, without running pandas on what the pickle says.

Without it, two published sets are out of reach but by running code from the network: Citation, and the
transactions of the Fraud Detection Handbook.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attop.datasets.base import DatasetError
from attop.datasets.fetch import load_pickle

__all__ = ["load_columns"]


def load_columns(path: str | os.PathLike[str], pinned: str) -> dict[str, NDArray[Any]]:
    """Read a pickled DataFrame of numbers and text, or a pickled dict of arrays.

    Parameters
    ----------
    path : path
    pinned : str
        Digest of the file, without which it is not read; see `load_pickle`.

    Returns
    -------
    columns : dict
        Name of the column -> array, all of one length.

    Raises
    ------
    DatasetError
        If the checksum is another, or the pickle holds anything else; nothing it asks for is run.

    Notes
    -----
    A pickled DataFrame is blocks of columns and two indexes. Stand-ins of these classes take what the
    pickle gives them and do nothing with it; the columns are then put together from NumPy arrays.
    """
    data = load_pickle(path, pinned, also=_STANDINS)
    try:
        columns = (
            data.columns() if isinstance(data, _Frame) else {str(k): np.asarray(v) for k, v in data.items()}
        )
    except (AttributeError, KeyError, TypeError, IndexError, ValueError) as error:
        raise DatasetError(
            f"dataset {path}: not a table that can be read: {type(error).__name__}: {error}; "
            "save it as Parquet or CSV and use the kind file"
        ) from None
    if len({array.shape for array in columns.values()}) != 1 or next(iter(columns.values())).ndim != 1:
        raise DatasetError(f"dataset {path}: not a table: its columns are not arrays of one length")
    return columns


class _Blocks:
    """Stands for the manager of blocks, of pandas before 1.3 and since."""

    def __init__(self, blocks: Any = (), axes: Any = (), *rest: Any):
        self.blocks, self.axes = list(blocks), list(axes)

    def __setstate__(self, state: Any) -> None:
        newest = state[3]["0.14.1"]
        self.blocks = [(block["values"], block["mgr_locs"]) for block in newest["blocks"]]
        self.axes = list(newest["axes"])


class _Frame:
    """Stands for a DataFrame."""

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.blocks = state["_mgr"] if "_mgr" in state else state["_data"]

    def columns(self) -> dict[str, NDArray[Any]]:
        names = [str(label) for label in self.blocks.axes[0]]
        if len(set(names)) < len(names):
            raise ValueError("a column occurs twice")
        found: dict[str, NDArray[Any]] = {}
        for values, place in self.blocks.blocks:
            for name, column in zip(np.array(names, dtype=object)[place], np.asarray(values), strict=True):
                found[name] = np.array(column)
        return {name: found[name] for name in names}


def _index(kind: str, state: Mapping[str, Any]) -> Sequence[Any]:
    """Return the labels of an index of whatever kind."""
    if "data" in state:
        return np.asarray(state["data"]).tolist()
    return range(int(state["start"]), int(state["stop"]), int(state["step"]))


def _block(values: Any, place: Any, ndim: int = 2) -> tuple[Any, Any]:
    return values, place


_STANDINS: dict[str, Any] = {
    "pandas.DataFrame": _Frame,
    "pandas.core.frame.DataFrame": _Frame,
    "pandas.core.internals.managers.BlockManager": _Blocks,
    "pandas.core.internals.BlockManager": _Blocks,
    "pandas._libs.internals._unpickle_block": _block,
    "pandas.core.indexes.base._new_Index": _index,
    **{
        name: name
        for name in (
            "pandas.Index",
            "pandas.RangeIndex",
            "pandas.core.indexes.base.Index",
            "pandas.core.indexes.range.RangeIndex",
            "pandas.core.indexes.numeric.Int64Index",
        )
    },
    "builtins.slice": slice,
    "__builtin__.slice": slice,
}
