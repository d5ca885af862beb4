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

from attop_bench.data.base import DatasetError
from attop_bench.data.fetch import load_pickle

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
        columns = data.columns() if isinstance(data, _Frame) else {str(k): _array(v) for k, v in data.items()}
    except (AttributeError, KeyError, TypeError, IndexError, ValueError, OverflowError) as error:
        raise DatasetError(
            f"dataset {path}: not a table that can be read: {type(error).__name__}: {error}; "
            "save it as Parquet or CSV and use the kind file"
        ) from None
    if len({array.shape for array in columns.values()}) != 1 or next(iter(columns.values())).ndim != 1:
        raise DatasetError(f"dataset {path}: not a table: its columns are not arrays of one length")
    return columns


_SCALARS = (str, bytes, int, float, complex, np.generic, type(None))


def _array(value: Any) -> NDArray[Any]:
    """Return an array of scalars as a plain one.

    Lists that hold one another, as such or as items, would fill the memory as an array or as text.
    """
    if not isinstance(value, np.ndarray):
        raise TypeError(f"a {type(value).__name__} in place of an array")
    if value.dtype.kind == "O" and not all(isinstance(item, _SCALARS) for item in value.flat):
        raise TypeError("an array of what is neither text nor numbers")
    return np.asarray(value)


class _Blocks:
    """Stands for the manager of blocks, of pandas before 1.3 and since."""

    def __init__(self, blocks: Any = (), axes: Any = (), *rest: Any):
        self.blocks, self.axes = blocks, axes

    def __setstate__(self, state: Any) -> None:
        newest = state[3]["0.14.1"]
        self.blocks = [(block["values"], block["mgr_locs"]) for block in newest["blocks"]]
        self.axes = newest["axes"]


class _Frame:
    """Stands for a DataFrame."""

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.blocks = state["_mgr"] if "_mgr" in state else state["_data"]

    def columns(self) -> dict[str, NDArray[Any]]:
        blocks = [(_array(values), place) for values, place in self.blocks.blocks]
        labels = self.blocks.axes[0]
        if len(labels) != sum(len(values) for values, _ in blocks):
            raise ValueError("columns and their names differ in number")
        if not all(isinstance(label, _SCALARS) for label in labels):
            raise TypeError("a column whose name is neither text nor a number")
        names = [str(label) for label in labels]
        if len(set(names)) < len(names):
            raise ValueError("a column occurs twice")
        found: dict[str, NDArray[Any]] = {}
        for values, place in blocks:
            chosen = np.array(names, dtype=object)[place if isinstance(place, slice) else _array(place)]
            for name, column in zip(chosen, values, strict=True):
                found[name] = np.array(column)
        return {name: found[name] for name in names}


def _index(kind: str, state: Mapping[str, Any]) -> Sequence[Any]:
    """Return the labels of an index of whatever kind."""
    if "data" in state:
        return _array(state["data"]).tolist()
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
