"""Lists as Excel files, in which each cell is what it was: no text becomes a number, a date or a formula."""

from __future__ import annotations

import io
import math
from collections.abc import Collection, Iterable
from datetime import date, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from attop_bench.data.base import DatasetError
from attop_bench.files import plain_cell, write_bytes

#: Rows of a sheet, the header among them, and signs of a cell, that Excel can hold.
_MOST_ROWS = 2**20
_MOST_SIGNS = 32_767
#: Whole numbers from here on lose digits in Excel.
_TOO_LONG = 10**15
_WIDEST = 60


def is_spreadsheet(path: str | Path) -> bool:
    """Decide whether a file's name is that of an Excel file."""
    return Path(path).suffix.lower() == ".xlsx"


def check_spreadsheet(path: str | Path) -> None:
    """Refuse the name of an Excel file where nothing can write one."""
    if is_spreadsheet(path) and find_spec("openpyxl") is None:
        raise DatasetError(
            f"{path}: Excel files need openpyxl: install attop[excel], or write a .csv"
        )


def write_spreadsheet(
    path: Path, frame: pd.DataFrame, numeric: Collection[str] = ()
) -> None:
    """Write a table as a sheet of Excel's.

    Text stays text, identifiers with leading zeros among it, but in the `numeric` columns, whose numbers are
    numbers. Whole numbers of 16 digits or more, and times with a zone, are written as text.

    Raises
    ------
    DatasetError
        If it has more rows, or a longer text, than Excel takes.
    """
    from openpyxl import Workbook
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    if len(frame) >= _MOST_ROWS:
        raise DatasetError(
            f"{path.name}: Excel takes {_MOST_ROWS - 1:,} rows, got {len(frame):,}: write a .csv"
        )
    book = Workbook()
    sheet = book.active
    for place, name in enumerate(frame.columns, 1):
        column = frame.iloc[:, place - 1]
        values = [_value_of(value, name in numeric) for value in column.tolist()]
        _refuse_long(values, path, name)
        for row, value in enumerate([str(name), *values], 1):
            _fill(sheet.cell(row, place), value)
        sheet.cell(1, place).font = Font(bold=True)
        sheet.column_dimensions[get_column_letter(place)].width = _width(
            name, values
        )
    sheet.freeze_panes = "A2"
    sheet.auto_filter.ref = sheet.dimensions
    content = io.BytesIO()
    book.save(content)
    write_bytes(path, content.getvalue())


def _value_of(value: Any, is_number: bool) -> Any:
    """Convert a cell to what Excel can hold without a loss."""
    if pd.isna(value):
        return None
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, str) and is_number:
        number = pd.to_numeric(value, errors="coerce")
        value = value if pd.isna(number) else float(number)
    if isinstance(value, int | np.integer) and abs(int(value)) < _TOO_LONG:
        return int(value)
    if isinstance(value, float | np.floating) and math.isfinite(value):
        return float(value)
    if isinstance(value, datetime) and value.tzinfo is None:
        return pd.Timestamp(value).to_pydatetime(warn=False)
    return value if type(value) is date else str(value)


def _refuse_long(values: Iterable[Any], path: Path, name: object) -> None:
    for row, value in enumerate(values, 1):
        if isinstance(value, str) and len(value) > _MOST_SIGNS:
            raise DatasetError(
                f"{path.name}: a cell of Excel holds {_MOST_SIGNS:,} signs, and column {name!r} has "
                f"{len(value):,} in row {row:,}: write a .csv"
            )


def _fill(cell: Any, value: Any) -> None:
    """Put a value into a cell; text that begins like a formula stays text, also when it is edited."""
    from openpyxl.utils.escape import escape

    if not isinstance(value, str):
        cell.value = value
        return
    cell.value = escape(value)
    cell.data_type = "s"
    cell.quotePrefix = plain_cell(value) != value


def _width(name: object, values: Iterable[Any]) -> int:
    longest = max(
        (len(str(value)) for value in (name, *values) if value is not None),
        default=0,
    )
    return min(longest + 2, _WIDEST)
