"""Delimited text and spreadsheets: rows of text, as they are written."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field, StrictInt, StrictStr

from attop._core.files import StrPath
from attop_bench.data.base import DatasetError
from attop_bench.data.parameters import checked
from attop_bench.data.source import BROKEN, open_bytes
from attop_bench.data.written import GAPS, UNKNOWN, written

if TYPE_CHECKING:
    import pandas as pd

_Place = Annotated[int, Field(ge=1)]
_Names = Annotated[StrictStr | Sequence[StrictStr | StrictInt] | Mapping[_Place, StrictStr] | None, Field()]
_Header = Annotated[bool, Field(strict=True)]
_Skip = Annotated[int, Field(strict=True, ge=0)]
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32"}
_BOMS |= {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}  # UTF-32's begins as its own
#: A row of nothing, or a line that is drawn, as databases print it.
_RULE = re.compile(r"\s*|[-=+|:\s]*[-=]{2}[-=+|:\s]*")
#: Words of a sum in a last row.
_SUM = re.compile(
    r"(?i)((grand |sub)?total|sum|(gesamt)?summe|gesamt|somme|suma|totale|итого|合计|总计|razem|celkem|toplam"
    r"|összesen|yhteensä|totaal|totalt|mean|average|avg|durchschnitt|mittelwert|moyenne|media|promedio):?"
)
#: Excel's own first line, which names the separator.
_SEP = re.compile(r"\"?sep=(.)\"?\r?\n?", re.IGNORECASE)


@checked("format csv")
def read_delimited(
    path: StrPath,
    *,
    separator: Annotated[str | None, Field(strict=True)] = None,
    header: _Header = True,
    names: _Names = None,
    skip: _Skip = 0,
    comment: Annotated[StrictStr | None, Field(min_length=1, max_length=1)] = None,
    quote: Annotated[StrictStr, Field(min_length=1, max_length=1)] = '"',
    encoding: Annotated[str | None, Field(strict=True)] = None,
) -> pd.DataFrame:
    """Read delimited text; rows without any value, and lines that repeat the header, are passed over.

    Parameters
    ----------
    path : path
        Compressed or not.
    separator : str, optional
        One character, ``"tab"``, or ``"whitespace"`` for runs of blanks; by default what a first line such as
        ``sep=;`` says, else the comma, or the tab if the name ends in ``.tsv``.
    header : bool
        The first line holds the names of the columns.
    names : str, sequence of str, or mapping of int to str, optional
        Names of the columns instead of the header's: all of them; or the place of a column -> its name; or,
        in a file without header, what stands before each number: ``c`` for c1, c2, ... By default the
        numbers.
    skip : int
        Lines before the header, or the first row.
    comment : str, optional
        Character that begins a comment.
    quote : str
        Character around a field that holds the separator.
    encoding : str, optional
        Such as ``cp1252``; by default UTF-8, or UTF-16 with its mark at the start.
    """
    import pandas as pd

    where = f"dataset {path}"
    if separator is not None and len(separator) != 1 and separator not in ("tab", "whitespace"):
        raise DatasetError(f"{where}: separator must be one character, tab or whitespace, got {separator!r}")
    first, lines = None, skip
    try:
        with opened(path, encoding) as file:
            told = told_separator(file.readline())
        lines += told is not None
        separator = separator or told or default_separator(path)
        pattern = {"tab": "\t", "whitespace": r"\s+"}.get(separator, separator)
        if header:
            with opened(path, encoding) as file:
                first, lines = _first_row(file, separator, lines, comment, quote)
        about: Any = {"sep": pattern, "header": None, "skiprows": lines, "comment": comment}
        about |= {"dtype": str, "na_filter": False, "quotechar": quote}
        if not pattern.isascii():
            about["engine"] = "python"
        try:
            with opened(path, encoding) as file:
                frame = pd.read_csv(file, **about).fillna("")
        except pd.errors.ParserError:
            if first is None:
                raise
            with opened(path, encoding) as file:  # rows of more fields than the first
                width = max(map(len, rows_of(file, separator, comment, quote)))
            with opened(path, encoding) as file:
                frame = pd.read_csv(file, names=range(width), index_col=False, **about).fillna("")
        _refuse_torn(frame, path, encoding, pattern, quote)
    except pd.errors.EmptyDataError:
        return pd.DataFrame(columns=first)
    except (pd.errors.ParserError, UnicodeError, csv.Error, OSError, *BROKEN) as error:
        kind = {",": "comma", "\t": "tab", "whitespace": "blank"}.get(separator or ",", repr(separator))
        form = f"{kind} separated file {'with a header ' if header else ''}in {encoding or 'UTF-8'}"
        remedy = "write quotes in a field twice, or if they are none, set quote to another sign, such as ^"
        remedy = "save it as CSV" if isinstance(error, BROKEN) else remedy
        raise DatasetError(f"{where}: not a {form}: {error}; {remedy}") from None
    return _named(frame, first, names, where)


def _refuse_torn(frame: pd.DataFrame, path: StrPath, encoding: str | None, mark: str, quote: str) -> None:
    """Refuse a field that takes in rows, since the quote before it closes amid another one."""
    lines = (frame[j].str.contains(end, regex=False).any() for j in frame for end in "\r\n")
    if len(mark) > 1 or not any(lines):
        return
    q, mark = re.escape(quote), re.escape(mark)
    fields = rf"(?:^|{mark}){q}([^{q}]*(?:{q}{q}[^{q}]*)*){q}(?!{q})((?=\s*(?:{mark}|$)))?"
    with opened(path, encoding) as file:
        for field in re.finditer(fields, file.read(), re.MULTILINE):
            if field[2] is None and re.search("[\r\n]", field[1]):
                raise csv.Error(f"the quote before {field[1][:30]!r} closes amid a field of a later row")


@checked("format excel")
def read_excel(
    path: StrPath,
    *,
    sheet: Annotated[StrictStr | StrictInt | None, Field()] = None,
    header: _Header = True,
    names: _Names = None,
    skip: _Skip = 0,
) -> pd.DataFrame:
    """Read a sheet of an Excel or OpenDocument file, by its name or number from 0.

    By default the largest. Needs python-calamine, or openpyxl for ``.xlsx``. For the other parameters see
    `read_delimited`.
    """
    where = f"dataset {path}"
    name, frame, others = sheet_of(path, sheet)
    frame = frame.iloc[skip:]
    filled = frame.ne("").any(axis=1)
    frame = frame[filled.cummax()].reset_index(drop=True)  # sheets often begin below
    first = list(frame.iloc[0]) if header and len(frame) else None
    frame = _named(frame.iloc[int(header) :].reset_index(drop=True), first, names, where)
    if others:
        frame.attrs["passed"][f"on other sheets than {name!r}: passed over"] = others
    return frame


def sheet_of(path: StrPath, sheet: str | int | None = None) -> tuple[str | int, pd.DataFrame, int]:
    """Return the name of a sheet, by default the largest, its rows as text, and how many others have."""
    from importlib.util import find_spec

    import pandas as pd

    where = f"dataset {path}"
    engine: Any = "calamine" if find_spec("python_calamine") else None
    try:
        with open_bytes(path) as file:
            about: Any = {"header": None, "dtype": str, "na_filter": False}
            sheets: Any = pd.read_excel(io.BytesIO(file.read()), sheet, engine=engine, **about)
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
    return name, sheets[name], sum(map(len, sheets.values())) - len(sheets[name])


def opened(path: StrPath, encoding: str | None = None) -> io.TextIOWrapper:
    """Open text, by default in UTF-8, or what the mark at the start says."""
    with open_bytes(path) as file:
        start = file.read(6)
    found = next((name for mark, name in _BOMS.items() if start.startswith(mark)), "utf-8")
    binary = open_bytes(path)
    if start == 2 * codecs.BOM_UTF8:
        binary.read(3)
    try:
        return io.TextIOWrapper(binary, encoding or found, newline="")
    except LookupError as error:
        raise DatasetError(f"dataset {path}: {error}: name one such as cp1252") from None


def told_separator(line: str) -> str | None:
    """Return the separator that a line such as ``sep=;``, which Excel writes first, names."""
    told = _SEP.fullmatch(line)
    return None if told is None else "tab" if told[1] == "\t" else told[1]


def default_separator(path: StrPath) -> str:
    """Return the separator of a file that says none: the comma, or the tab of ``.tsv``."""
    return "tab" if ".tsv" in os.path.basename(path).lower() else ","


def rows_of(
    text: Iterable[str], separator: str, comment: str | None = None, quote: str = '"'
) -> Iterator[list[str]]:
    """Return the rows of text as lists of fields."""
    lines = (line.split(comment)[0] + "\n" * (comment in line) for line in text) if comment else text
    if separator == "whitespace":
        lines = (line.strip().replace("\t", " ") for line in lines)
        return csv.reader(lines, delimiter=" ", skipinitialspace=True, quotechar=quote)
    return csv.reader(lines, delimiter="\t" if separator == "tab" else separator, quotechar=quote)


def _first_row(
    file: io.TextIOBase, separator: str, skip: int, comment: str | None, quote: str
) -> tuple[list[str], int]:
    """Return the first row that is not blank after those to skip, and the number of rows up to it."""
    rows = rows_of(file, separator, comment, quote)
    for i, row in enumerate(rows):
        if i >= skip and any(field.strip() for field in row):
            below = next(rows, [])
            drawn = "".join(below).strip()
            return row, i + 1 + bool(len(below) != len(row) and drawn and _RULE.fullmatch(drawn))
    return [], skip


def _named(frame: pd.DataFrame, first: list[str] | None, names: Any, where: str) -> pd.DataFrame:
    """Return rows with the names of their columns; `first` is the header, if there is one."""
    header = list(map(str, range(1, frame.shape[1] + 1))) if first is None else first
    if isinstance(names, Mapping):
        if odd := [place for place in names if not 1 <= place <= len(header)]:
            raise DatasetError(f"{where}: names: no column {odd[0]} among {len(header)}: count from 1")
        header, names = [names.get(place, name) for place, name in enumerate(header, 1)], None
    if names is not None and first is not None:
        raise DatasetError(
            f"{where}: names are for a file without header: set header to false, or give the place of a "
            "column and its name, such as {2: price}"
        )
    if first is not None:
        frame, header = _under(header, frame, where)
    elif names is not None:
        header = [names + number for number in header] if isinstance(names, str) else list(map(str, names))
        if len(header) != frame.shape[1]:
            raise DatasetError(
                f"{where}: {frame.shape[1]} columns but {len(header)} names: give one a column"
            )
    start = frame.iloc[:, 0].str.strip()
    odd = frame[start.str.fullmatch(r"[-=+|:\s]*") | (start == (first or [""])[0].strip())]
    cells, width = odd.to_numpy(object), len(first or [])
    top = np.array([first[j] for j in frame.columns if j < width] if first else [], object)
    blank = np.array([_RULE.fullmatch("".join(row)) is not None for row in cells], bool)
    again = (cells == top).all(axis=1) if first and len(top) == cells.shape[1] else blank & False
    frame = frame.drop(odd.index[blank | again])
    units = _rows_of_units(frame) if first else 0
    ends = next(i for i in range(len(frame) + 1) if i + 1 >= len(frame) - units or not _ends(frame, i))
    frame = frame.iloc[units : len(frame) - ends]
    frame = frame.reset_index(drop=True)
    frame.columns = header
    passed = {
        "without any value": int(blank.sum()),
        "that repeat the header": int((again & ~blank).sum()),
        "below the header, such as units": units,
        "at the end, such as a sum or a remark": ends,
    }
    frame.attrs["passed"] = {f"{what}: passed over": rows for what, rows in passed.items() if rows}
    return frame


def _ends(frame: pd.DataFrame, i: int) -> bool:
    """Return whether a row, by its number from the end, is none: a sum, or how many rows there are."""
    row = frame.iloc[-1 - i].str.strip()
    filled = [j for j, value in enumerate(row) if value]
    if frame.shape[1] > 2 and filled == [0] and not re.fullmatch(r"[-+\d.,eE]*", row.iloc[0]):
        return True
    sums = [j for j in filled if _SUM.fullmatch(row.iloc[j])]
    return bool(sums) and (frame.iloc[:, sums[0]].str.strip() == row.iloc[sums[0]]).sum() == 1


def _rows_of_units(frame: pd.DataFrame) -> int:
    """Return how many of the first rows are none: they hold text where all others have numbers."""
    below = [column.str.strip() for _, column in frame.iloc[2 if len(frame) > 2 else 1 : 50].items()]
    for k, row in enumerate(frame.iloc[:2].to_numpy()):
        text = 0
        for value, column in zip(map(str.strip, row), below, strict=True):
            if value in GAPS | UNKNOWN:
                continue
            known = [other for other in column if other not in GAPS | UNKNOWN]
            if known and all(map(_is_number, known)):
                if _is_number(value):
                    return k
                text += 1
        if text < 2:
            return k
    return min(2, len(frame) - 1)


def _is_number(value: str) -> bool:
    return bool(written(value) or written(value.translate(str.maketrans(",.", ".,"))))


def _under(header: list[str], frame: pd.DataFrame, where: str) -> tuple[pd.DataFrame, list[str]]:
    """Fit rows to a header of a field more or less: separators at the end, R's names of rows."""

    def nothing(j: int) -> bool:
        return bool(frame[j].str.strip().eq("").all())

    width = frame.shape[1]
    names_of_rows = frame[0].is_unique and not frame[0].str.fullmatch(r"\s*-?\d+[.,]\d+\s*").any()
    if len(header) == width - 1 and frame[width - 1].str.strip().ne("").all() and names_of_rows:
        header = ["", *header]
    if not all(nothing(j) for j in range(len(header), width)):
        more = frame[frame[range(len(header), width)].ne("").any(axis=1)]
        raise DatasetError(
            f"{where}: {len(header)} names in the header, but more fields in {len(more):,} of {len(frame):,} "
            f"rows, first in row {more.index[0] + 1}, {', '.join(more.iloc[0])[:80]}: put a field that holds "
            'the separator in double quotes, quotes in it as "", not \\", name all in the header, or set '
            "header to false if it is a row; attop look finds how it is written"
        )
    frame = frame.reindex(columns=range(len(header)), fill_value="")
    kept = [j for j, name in enumerate(header) if name.strip() or not nothing(j)]
    return frame[kept], [header[j] if header[j].strip() else f"Unnamed: {j}" for j in kept]
