"""Spreadsheets: rows of text of one sheet."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field, StrictInt, StrictStr

from attop.extending import join_first
from attop_bench.data.errors import DatasetError
from attop_bench.data.files.opening import open_bytes
from attop_bench.data.ledger import Aside, shown
from attop_bench.data.parameters import checked
from attop_bench.data.reading.formulas import about_formulas
from attop_bench.data.reading.header import (
    Header,
    LineNumbers,
    Names,
    Skip,
)
from attop_bench.data.reading.lines import ABOVE, Lined, named_rows
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd

#: Rule by which rows of other sheets are passed over.
OTHER_SHEETS = "on other sheets"


@checked("format excel")
def read_excel(
    path: StrPath,
    *,
    sheet: Annotated[StrictStr | StrictInt | None, Field()] = None,
    header: Header = True,
    names: Names = None,
    skip: Skip = 0,
    pass_over: LineNumbers = None,
) -> pd.DataFrame:
    """Read a sheet of an Excel or OpenDocument file, by its name or number from 0.

    By default the largest. Needs python-calamine, or openpyxl for ``.xlsx``. For the other parameters see
    `read_delimited`.
    """
    where = f"dataset {path}"
    name, frame, others = sheet_of(path, sheet)
    filled = frame.iloc[skip:].ne("").any(axis=1).to_numpy()
    # Sheets often begin below.
    start = skip + int(filled.argmax() if filled.any() else len(filled))
    passed = [Aside(ABOVE, start, 1, shown(frame.iloc[0]))] if start else []
    if others:
        names_of_others = join_first([repr(other) for other in others])
        passed.append(
            Aside(
                f"{OTHER_SHEETS} than {name!r}: {names_of_others}",
                sum(others.values()),
            )
        )
    first = list(frame.iloc[start]) if header and start < len(frame) else []
    start += int(header)
    lines = np.arange(start + 1, len(frame) + 1)
    below = frame.iloc[start:].reset_index(drop=True)
    rows = named_rows(
        Lined(below, lines, tuple(passed), []), first, names, pass_over, where
    )
    rows.attrs["remarks"] = about_formulas(path, name, first)
    return rows


def sheet_of(
    path: StrPath, sheet: str | int | None = None
) -> tuple[str | int, pd.DataFrame, dict[str | int, int]]:
    """Find the name of a sheet, by default the largest, its rows as text, and those of each other one."""
    from importlib.util import find_spec

    import pandas as pd

    where = f"dataset {path}"
    engine: Any = "calamine" if find_spec("python_calamine") else None
    try:
        with open_bytes(path) as file:
            options: Any = {"header": None, "dtype": str, "na_filter": False}
            sheets: Any = pd.read_excel(
                io.BytesIO(file.read()), sheet, engine=engine, **options
            )
    except ImportError:
        raise DatasetError(
            f"{where}: spreadsheets need python-calamine: install attop[excel], or save it as CSV"
        ) from None
    except Exception as error:  # depends on what reads it
        raise DatasetError(
            f"{where}: no spreadsheet with sheet {sheet!r} ({error}): save it as CSV, or if it is text, set "
            "format to csv"
        ) from None
    sheets = sheets if sheet is None else {sheet: sheets}
    name = max(sheets, key=lambda name: sheets[name].size)
    others = {
        other: len(rows)
        for other, rows in sheets.items()
        if other != name and len(rows)
    }
    return name, sheets[name], others
