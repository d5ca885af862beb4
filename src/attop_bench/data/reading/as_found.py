"""A table read in the way that it is found to be written, with all that is to be said of it."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from attop.extending import count_noun, join_first
from attop_bench.data.errors import DatasetError
from attop_bench.data.files.opening import BROKEN, encoding_of, open_text
from attop_bench.data.reading.cells import FIT, numbers_of, plain_floats
from attop_bench.data.reading.delimited import (
    default_separator,
    rows_of,
)
from attop_bench.data.reading.dialect import SAMPLE, dialect, first_lines
from attop_bench.data.reading.excel import OTHER_SHEETS, sheet_of
from attop_bench.data.reading.formats import (
    FORMATS,
    check_options,
    identified,
    read_table,
    refuse_foreign,
)
from attop_bench.data.reading.header import header_options
from attop_bench.data.reading.lines import ABOVE, Suspect
from attop_bench.data.reading.lists import BESIDE
from attop_bench.data.reading.table import Table
from attop_bench.files import StrPath

#: Separators that a program may write in place of another.
_OTHER_MARKS = (",", ";", "tab", "|")
#: A column of no more values may be one of codes, as 1,5 is; fewer do where commas do not separate.
_FEW, _FEWEST = 20, 2


def read_as_found(
    path: StrPath,
    form: str | None,
    given: Mapping[str, Any],
    label: str | None = None,
) -> tuple[Table, dict[str, Any], list[str]]:
    """Read a table, and find all options that its reader needs, and what is to be said."""
    path, form = identified(path, form)
    if form in FORMATS:
        check_options(path, form, given)
    options, remarks = _options_of(path, form, given, label)
    reader = {**options, **given}
    table = read_table(path, form, reader)
    for source in BESIDE:
        end = None if source.option in given else source.beside(str(path))
        if end is not None and source.column not in table.frame:
            frame, said = source.found(table.frame, path, end)
            remarks.append(said)
            if frame is not None:
                reader[source.option] = end
                table = replace(table, frame=frame)
    few = _FEW if reader.get("separator", ",") == "," else _FEWEST
    if form == "csv" and "decimal" not in given and _has_decimal_comma(table, few):
        reader["decimal"] = ","
        table = replace(table, decimal=",")
    return table, reader, [*remarks, *about_lines(table)]


def _options_of(
    path: StrPath, form: str, given: Mapping[str, Any], label: str | None
) -> tuple[dict[str, Any], list[str]]:
    """Find the options that a file of some form needs, and what is to be said of them."""
    if form == "svmlight" and "zero_based" not in given and _zero_based(path):
        said = "the first feature has index 0: read with zero_based: true"
        return {"zero_based": True}, [said]
    if form not in ("csv", "excel") or not os.path.isfile(path):
        return {}, []
    refuse_foreign(path, form)
    try:
        if form == "csv":
            return dialect(path, given, label)
        sheet = sheet_of(path, given.get("sheet"))[1]
        rows = sheet.iloc[:SAMPLE].to_numpy().tolist()
        return header_options(rows, given, label)
    except (UnicodeError, OSError, csv.Error, *BROKEN) as error:
        remedy = "it is damaged or no text: save it as CSV"
        raise DatasetError(
            f"dataset {path}: cannot be read as {form}: {error}; {remedy}"
        ) from None


def _has_decimal_comma(table: Table, few: int) -> bool:
    """Decide whether a column of a table has decimal commas, or points between thousands."""
    marked = [name for name, raw in table.frame.items() if _has(raw, ",")]
    return any(_has_comma(table.text(name), few) for name in marked) or _has_points(
        map(table.text, table.frame)
    )


def _has(raw: pd.Series, pattern: str) -> bool:
    """Decide whether a pattern is in a cell of a column of text."""
    from pyarrow import array, large_string
    from pyarrow.compute import any as is_any
    from pyarrow.compute import match_substring_regex

    cells = array(raw, large_string())
    return bool(is_any(match_substring_regex(cells, pattern)).as_py())


def about_lines(table: Table) -> list[str]:
    """Write questions and remarks on lines that are not rows, or may not be."""
    guessed = {suspect.rule for suspect in table.suspects}
    remarks = []
    for entry in table.ledger.passed:
        back = "; as rows: --reader 'pass_over=[]'" if entry.rule in guessed else ""
        back = (
            "; to read one: --reader sheet=NAME; to join labels of one: --labels "
            "'{path: FILE, on: COLUMN, reader: {sheet: NAME}}'"
            if entry.rule.startswith(OTHER_SHEETS)
            else back
        )
        if entry.rule != ABOVE:
            remarks.append(f"{entry}: passed over{back}")
    for entry in table.ledger.doubtful:
        one = "it is none" if entry.rows == 1 else "they are none"
        remarks.append(
            f"{entry}: kept as rows; if {one}: --reader 'pass_over={lines_of(table.suspects)}'"
        )
    return [*remarks, *table.remarks]


def lines_of(suspects: Sequence[Suspect]) -> list[int]:
    """Write the numbers of lines as the option `pass_over` has them."""
    return [suspect.line for suspect in suspects]


def written_oddly(table: Table, values: pd.DataFrame) -> list[str]:
    """Write a line on columns of numbers that only a person reads as such, with a number of each."""
    signs = rf"-+0-9{re.escape(table.decimal)}eE"
    usual = re.compile(rf"[{signs}]*|(?i:[-+]?(nan|inf(inity)?)|true|false)")
    examples = []
    for name, dtype in values.dtypes.items() if not table.has_types else ():
        is_number = pd.api.types.is_numeric_dtype(dtype)
        if not is_number or not _has(table.frame[name], f"[^{signs}]"):
            continue
        text = table.text(name).dropna()
        # Plain ones beside gaps.
        if table.decimal == "." and plain_floats(text) is not None:
            continue
        raw = [value for value in text.unique() if not usual.fullmatch(value)]
        numbers = (
            numbers_of(pd.Series(raw, dtype=object), table.decimal) if raw else None
        )
        if numbers is not None and numbers.dtype.kind != "b":
            examples.append(f"{name} ({raw[0]} is {float(numbers.iloc[0]):g})")
    if not examples:
        return []
    return [
        f"numbers written with signs or units of their own are read: {join_first(examples)}"
    ]


def _has_comma(text: pd.Series, few: int) -> bool:
    """Decide whether a column holds numbers that are some only with a comma before the decimals."""
    values = pd.Series(text.dropna().unique(), dtype=object)
    if not values.str.contains(",", regex=False).any():
        return False
    numbers = (
        values[values.str.contains(r"\d")] if len(values) > few else values[:0]
    )
    if len(numbers) < FIT * len(values) or len(numbers) == 0:
        return False
    return numbers_of(numbers, ",") is not None and numbers_of(numbers, ".") is None


def _has_points(columns: Iterable[pd.Series]) -> bool:
    """Decide whether points part thousands of whole numbers, 950 and 1.234, and no decimals, 1.5."""
    has_thousands = False
    for text in columns:
        if not (points := text.str.count("[.]").max()) > 0:
            continue
        small, grouped = map(
            text.dropna().str.fullmatch, (r"-?\d{1,3}", r"-?[1-9]\d{0,2}(\.\d{3})+")
        )
        if (small | grouped).all():
            has_thousands |= bool(
                grouped.sum() > _FEW and (small.any() or points > 1)
            )
        elif numbers_of(text, ".") is not None:
            return False
    return has_thousands


def _zero_based(path: StrPath) -> bool:
    with open_text(path) as file:
        return any(re.search(r"\s0:", line) for line in islice(file, SAMPLE))


def found_again(
    path: StrPath, form: str, reader: Mapping[str, Any], names: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """Find the options of a reader for another file of its form, and what is to be said.

    The header is the first line with these `names`, however many come before it; the separator is the
    reader's, or the first other one by which a line has more of them. UTF-8 is read as such, and another
    encoding is guessed where the reader names none.
    """
    new = dict(reader)
    remarks: list[str] = []
    if form == "csv":
        new, remarks = _with_encoding(path, reader)
    if not new.get("header", True) or (form == "excel" and not new.get("skip")):
        return new, remarks
    renamed = new.get("names") or {}
    others = renamed.values() if isinstance(renamed, Mapping) else ()
    wanted = set(names).difference(others)
    best, fewest, place, rows = _way_of(path, form, new, wanted)
    if best is not new:
        mark = best["separator"]
        remarks.append(f"fields are separated by {mark!r}, unlike the data's")
    if wanted and not fewest and place != _first_filled(rows, best):
        best["skip"] = place
        above = count_noun(place, "line") if place else "nothing"
        remarks.append(f"{above} above the header passed over, unlike the data's")
    return best, remarks


def _way_of(
    path: StrPath,
    form: str,
    reader: dict[str, Any],
    wanted: Collection[str],
) -> tuple[dict[str, Any], int, int, list[list[str]]]:
    """Find the first way to read that lacks fewest names; count these, and give its header and first rows."""
    ways = [reader]
    if form == "csv":
        ways += [{**reader, "separator": mark} for mark in _OTHER_MARKS]
    best, fewest = reader, len(wanted)
    for way in ways:
        rows = _first_rows(path, form, way)
        place, lacking = _header_in(rows, wanted)
        if lacking < fewest:
            best, fewest = way, lacking
        if not lacking:
            break
    return best, fewest, place, rows


def _with_encoding(
    path: StrPath, reader: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Find the options of a reader with the encoding of a file, and what is to be said of it."""
    encoding = encoding_of(path)
    if encoding is None:
        return {name: v for name, v in reader.items() if name != "encoding"}, []
    if "encoding" in reader:
        return dict(reader), []
    name, example = encoding
    remark = f"no UTF-8: read as {name}, such as {example!r}"
    return {**reader, "encoding": name}, [remark]


def _header_in(
    rows: Sequence[Sequence[str]], wanted: Collection[str]
) -> tuple[int, int]:
    """Find the first row that lacks fewest of the names of a header, and count those."""
    lacking = [
        len(set(wanted).difference(" ".join(name.split()) for name in row))
        for row in rows
    ]
    place = int(np.argmin(lacking)) if lacking else 0
    return place, lacking[place] if lacking else len(wanted)


def _first_filled(
    rows: Sequence[Sequence[str]], reader: Mapping[str, Any]
) -> int | None:
    """Find the row where the reader looks for the header."""
    filled = (
        i
        for i, row in enumerate(rows)
        if i >= reader.get("skip", 0) and any(map(str.strip, row))
    )
    return next(filled, None)


def _first_rows(
    path: StrPath, form: str, reader: Mapping[str, Any]
) -> list[list[str]]:
    """Read the first rows of a file, below what names the separator."""
    if form == "excel":
        return (
            sheet_of(path, reader.get("sheet"))[1].iloc[:SAMPLE].to_numpy().tolist()
        )
    lines, told = first_lines(path, reader.get("encoding"))
    separator = reader.get("separator") or told or default_separator(path)
    how = (reader.get("comment"), reader.get("quote", '"'))
    return list(rows_of(lines, separator, *how))
