"""Parquet."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from attop_bench.data.errors import DatasetError
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd


#: The name that pandas gives to an index without one.
_NO_NAME = re.compile(r"__index_level_\d+__")


def read_parquet(path: StrPath) -> pd.DataFrame:
    """Read a Parquet file; decimals, durations (in seconds) and times of the day (in hours) are numbers."""
    import pyarrow
    from pyarrow import parquet

    try:
        table = parquet.read_table(path)
        # An index may have such a name.
        columns = [
            name for name in table.column_names if not _NO_NAME.fullmatch(name)
        ]
        ordered = [
            name for name in columns if getattr(table[name].type, "ordered", False)
        ]
        table = pyarrow.table(
            [_plain(table[name]) for name in columns], names=columns
        )
        frame = table.to_pandas(
            types_mapper=_with_missing, split_blocks=True, self_destruct=True
        )
        frame.attrs["ordered"] = ordered
        return frame
    # What a damaged file raises depends on where it is damaged.
    except Exception as error:
        raise DatasetError(
            f"dataset {path}: not a Parquet file: {error}; if it is text, set format to csv"
        ) from error


def _plain(column: Any) -> Any:
    """Convert a column to numbers or text, where pandas would have objects."""
    import pyarrow
    from pyarrow import compute, types

    kind = column.type
    if types.is_dictionary(kind):
        return _plain(column.cast(kind.value_type))
    if (
        types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_fixed_size_binary(kind)
    ):
        values = column.to_pylist()
        return pyarrow.array(
            [
                v if v is None else v.decode(errors="backslashreplace")
                for v in values
            ]
        )
    if str(kind) == "extension<arrow.uuid>":
        return pyarrow.array(
            [v if v is None else str(v) for v in column.to_pylist()]
        )
    if types.is_decimal(kind):
        return column.cast("float64")
    if types.is_duration(kind):
        seconds = (
            column.cast(pyarrow.duration("ns"))
            .cast("int64")
            .cast("float64", safe=False)
        )
        return compute.divide(seconds, 1e9)
    if types.is_time(kind):
        return compute.divide(
            column.cast("time64[ns]").cast("int64").cast("float64", safe=False),
            3.6e12,
        )
    return column


def _with_missing(kind: Any) -> Any:
    """Choose the type of pandas in which integers and truth values stay what they are beside gaps."""
    import pandas as pd
    from pyarrow import types

    if types.is_boolean(kind):
        return pd.BooleanDtype()
    name = str(kind).replace("u", "U").replace("int", "Int")
    return pd.api.types.pandas_dtype(name) if types.is_integer(kind) else None
