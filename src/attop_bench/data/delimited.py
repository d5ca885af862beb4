"""Delimited text and spreadsheets: rows of text, as they are written."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field, StrictInt, StrictStr

from attop.extending import Ints, count_noun
from attop_bench.data.base import DatasetError
from attop_bench.data.ledger import Aside, Ledger, shown
from attop_bench.data.lines import (
    ABOVE,
    BLANK,
    COMMENT,
    DRAWN,
    GIVEN,
    Suspect,
    asides,
    blank_rows,
    is_drawn,
    suspects_of,
)
from attop_bench.data.parameters import checked
from attop_bench.data.quotes import mended
from attop_bench.data.source import BROKEN, open_bytes
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd

_Place = Annotated[int, Field(ge=1)]
_Names = Annotated[StrictStr | Sequence[StrictStr | StrictInt] | Mapping[_Place, StrictStr] | None, Field()]
_Header = Annotated[bool, Field(strict=True)]
_Skip = Annotated[int, Field(strict=True, ge=0)]
_Lines = Annotated[Sequence[Annotated[StrictInt, Field(ge=1)]] | None, Field()]
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32"}
_BOMS |= {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}  # UTF-32's begins as its own
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
    pass_over: _Lines = None,
) -> pd.DataFrame:
    """Read delimited text; lines that cannot be rows are passed over, and counted.

    These are lines without any value, a drawn line or a row of units below the header, the header again, and
    at the end remarks and sums, whose numbers are the sum or mean of those above.

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
    pass_over : sequence of int, optional
        Numbers, from 1, of the lines of the file that are no rows; all others with a value are. By default
        those that cannot be rows.

    Returns
    -------
    frame : DataFrame
        Text alone; ``attrs`` has the ``ledger``, the ``suspects`` and the ``lines`` of `Table`.
    """
    import pandas as pd

    where = f"dataset {path}"
    if separator is not None and len(separator) != 1 and separator not in ("tab", "whitespace"):
        raise DatasetError(f"{where}: separator must be one character, tab or whitespace, got {separator!r}")
    start = _Start([], 0, 0, ())
    options = (header, names, pass_over)
    try:
        with opened(path, encoding) as file:
            told = told_separator(file.readline())
        separator = separator or told or default_separator(path)
        how = _How(path, encoding, separator, comment, quote)
        above = skip + (told is not None)
        start = _start(how, above, header)
        try:
            return _read(how, start, *options, where)
        except (pd.errors.ParserError, csv.Error, DatasetError, _Doubted):
            mend = _mended(how, above)
            if mend is None:
                raise
        how, remark = mend
        frame = _read(how, _start(how, above, header), *options, where, sure=True)
        frame.attrs["remarks"] = [remark]
        return frame
    except _Doubted:
        return _read(how, start, *options, where, sure=True)
    except pd.errors.EmptyDataError:
        return pd.DataFrame(columns=start.header if header else None)
    except (pd.errors.ParserError, UnicodeError, csv.Error, OSError, *BROKEN) as error:
        kind = {",": "comma", "\t": "tab", "whitespace": "blank"}.get(separator or ",", repr(separator))
        form = f"{kind} separated file {'with a header ' if header else ''}in {encoding or 'UTF-8'}"
        remedy = "write quotes in a field twice, or if they are none, set quote to another sign, such as ^"
        remedy = "save it as CSV" if isinstance(error, BROKEN) else remedy
        raise DatasetError(f"{where}: not a {form}: {error}; {remedy}") from None


class _Doubted(Exception):
    """Fields end with a quote, which may have been written otherwise than twice."""


def _read(
    how: _How,
    start: _Start,
    header: bool,
    names: Any,
    pass_over: Sequence[int] | None,
    where: str,
    *,
    sure: bool = False,
) -> pd.DataFrame:
    """Return the rows below the start; raise `_Doubted` where fields end with quotes, unless they may."""
    frame = _read_rows(how, start.rows)
    broken = [j for j in frame if frame[j].str.contains("[\r\n]").any()]
    if broken:
        _refuse_torn(how)
    if not sure and any(frame[j].str.endswith(how.quote).any() for j in frame):
        raise _Doubted
    lines = _line_numbers(frame, broken, start.line)
    return _named(_Lined(frame, lines, start.passed, how.comments), start.header, names, pass_over, where)


def _mended(how: _How, skip: int) -> tuple[_How, str] | None:
    """Return the way to read a file whose quotes are written in another way, and what is said of it."""
    if len(how.pattern) > 1:
        return None
    with how.open() as file:
        text = mended(list(file), how.pattern, how.quote, skip)
    if text is None or not text.places:
        return None
    first = text.places[0]
    rows = count_noun(len(text.places), "line")
    remark = f"{rows} with quotes not as in CSV (first line {first + 1}): a quote ends a field at its end"
    return replace(how, text="".join(text.lines)), remark


@dataclass
class _How:
    """The way a file of text is written."""

    path: StrPath
    encoding: str | None
    separator: str
    comment: str | None
    quote: str
    #: The text of the file, where it is not read as it stands.
    text: str | None = None

    @property
    def pattern(self) -> str:
        return {"tab": "\t", "whitespace": r"\s+"}.get(self.separator, self.separator)

    def open(self) -> Any:
        """Open the text, blank lines instead of those that are comments as a whole."""
        if self.text is not None:
            return io.StringIO(self.text, newline="")
        file = opened(self.path, self.encoding)
        if self.comment is None:
            return file
        with file:
            lines = list(file)
        for i in self._commented(lines):
            lines[i] = "\n"
        return io.StringIO("".join(lines), newline="")

    @cached_property
    def comments(self) -> list[Suspect]:
        """Lines that are comments as a whole."""
        if self.comment is None:
            return []
        with opened(self.path, self.encoding) as file:
            lines = list(file)
        return [Suspect(i + 1, shown([lines[i]]), COMMENT, True) for i in self._commented(lines)]

    def _commented(self, lines: Sequence[str]) -> Iterator[int]:
        """Yield the places of lines that begin with the mark of comments, outside of quotes."""
        is_quoted = False
        for i, line in enumerate(lines):
            if not is_quoted and line.lstrip().startswith(self.comment or " "):
                yield i
            elif line.count(self.quote) % 2:
                is_quoted = not is_quoted


@dataclass(frozen=True)
class _Start:
    """Lines before the first row."""

    header: list[str]
    #: Rows of text, lines of the file.
    rows: int
    line: int
    passed: tuple[Aside, ...]


def _start(how: _How, skip: int, header: bool) -> _Start:
    """Find the first row below the header, after those to skip, and count what is passed over before."""
    with how.open() as file:
        rows = rows_of(file, how.separator, how.comment, how.quote)
        above: list[Aside] = []
        names: list[str] | None = None if header else []
        number, line, first = 0, 0, ""
        drawn: list[Aside] = []
        blank: list[Aside] = []
        for row in rows:
            is_blank = not any(field.strip() for field in row)
            if names is None and number >= skip and not is_blank:
                names = row
                above = [Aside(ABOVE, number, 1, first)] if number else []
                skip = number = number + 1
            elif number < skip or names is None:
                first = first or shown(row)
                number += 1
            elif is_blank:
                blank.append(Aside(BLANK, 1, line + 1))
                number += 1
            elif header and len(row) != len(names) and is_drawn(row) and not drawn:
                drawn.append(Aside(DRAWN, 1, line + 1, shown(row)))
                number += 1
            else:
                break
            line = rows.line_num
    if not header and skip:
        above = [Aside(ABOVE, skip, 1, first)]
    if blank:
        blank = [Aside(BLANK, len(blank), blank[0].line)]
    return _Start(names or [], number, line, (*above, *blank, *drawn))


def _read_rows(how: _How, skip: int) -> pd.DataFrame:
    """Return the fields below so many rows, blank lines among them."""
    import pandas as pd

    options: Any = {"sep": how.pattern, "header": None, "skiprows": skip, "comment": how.comment}
    options |= {"dtype": str, "na_filter": False, "quotechar": how.quote, "skip_blank_lines": False}
    if not how.pattern.isascii():
        options["engine"] = "python"
    try:
        with how.open() as file:
            return pd.read_csv(file, **options).fillna("")
    except pd.errors.ParserError:
        with how.open() as file:  # rows of more fields than the first
            width = max(map(len, rows_of(file, how.separator, how.comment, how.quote)))
        with how.open() as file:
            return pd.read_csv(file, names=range(width), index_col=False, **options).fillna("")


def _line_numbers(frame: pd.DataFrame, broken: Sequence[Any], start: int) -> Ints:
    """Return the number of the line that each row begins with, from 1, after so many lines.

    `broken` are the columns with line breaks within quotes.
    """
    breaks = np.zeros(len(frame), np.int64)
    for j in broken:
        breaks += frame[j].str.count("\r\n|\r|\n").to_numpy(np.int64)
    return start + 1 + np.arange(len(frame)) + np.cumsum(breaks) - breaks


def _refuse_torn(how: _How) -> None:
    """Refuse a field that takes in rows, since the quote before it closes amid another one."""
    if len(how.pattern) > 1:
        return
    q, mark = re.escape(how.quote), re.escape(how.pattern)
    fields = rf"(?:^|{mark}){q}([^{q}]*(?:{q}{q}[^{q}]*)*){q}(?!{q})((?=\s*(?:{mark}|$)))?"
    with how.open() as file:
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
    pass_over: _Lines = None,
) -> pd.DataFrame:
    """Read a sheet of an Excel or OpenDocument file, by its name or number from 0.

    By default the largest. Needs python-calamine, or openpyxl for ``.xlsx``. For the other parameters see
    `read_delimited`.
    """
    where = f"dataset {path}"
    name, frame, others = sheet_of(path, sheet)
    filled = frame.iloc[skip:].ne("").any(axis=1).to_numpy()
    start = skip + int(filled.argmax() if filled.any() else len(filled))  # sheets often begin below
    passed = [Aside(ABOVE, start, 1, shown(frame.iloc[0]))] if start else []
    if others:
        passed.append(Aside(f"on other sheets than {name!r}", others))
    first = list(frame.iloc[start]) if header and start < len(frame) else []
    start += int(header)
    lines = np.arange(start + 1, len(frame) + 1)
    below = frame.iloc[start:].reset_index(drop=True)
    return _named(_Lined(below, lines, tuple(passed), []), first, names, pass_over, where)


def sheet_of(path: StrPath, sheet: str | int | None = None) -> tuple[str | int, pd.DataFrame, int]:
    """Return the name of a sheet, by default the largest, its rows as text, and how many others have."""
    from importlib.util import find_spec

    import pandas as pd

    where = f"dataset {path}"
    engine: Any = "calamine" if find_spec("python_calamine") else None
    try:
        with open_bytes(path) as file:
            options: Any = {"header": None, "dtype": str, "na_filter": False}
            sheets: Any = pd.read_excel(io.BytesIO(file.read()), sheet, engine=engine, **options)
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
    marked = next((name for mark, name in _BOMS.items() if start.startswith(mark)), "utf-8")
    binary = open_bytes(path)
    if start == 2 * codecs.BOM_UTF8:
        binary.read(3)
    try:
        return io.TextIOWrapper(binary, encoding or marked, newline="")
    except LookupError as error:
        raise DatasetError(f"dataset {path}: {error}: name one such as cp1252") from None


def told_separator(line: str) -> str | None:
    """Return the separator that a line such as ``sep=;``, which Excel writes first, names."""
    told = _SEP.fullmatch(line)
    return None if told is None else "tab" if told[1] == "\t" else told[1]


def default_separator(path: StrPath) -> str:
    """Return the separator of a file that says none: the comma, or the tab of ``.tsv``."""
    return "tab" if ".tsv" in os.path.basename(path).lower() else ","


def rows_of(text: Iterable[str], separator: str, comment: str | None = None, quote: str = '"') -> Any:
    """Return the reader of csv of text, whose rows are lists of fields."""
    lines = text
    if comment:
        lines = (f"{line.split(comment)[0]}\n" if comment in line else line for line in text)
    if separator == "whitespace":
        lines = (line.strip().replace("\t", " ") for line in lines)
        return csv.reader(lines, delimiter=" ", skipinitialspace=True, quotechar=quote)
    return csv.reader(lines, delimiter="\t" if separator == "tab" else separator, quotechar=quote)


@dataclass(frozen=True)
class _Lined:
    """Rows of text and their numbers among the lines of the file."""

    frame: pd.DataFrame
    lines: Ints
    #: Of the lines before the first row.
    passed: tuple[Aside, ...]
    comments: Sequence[Suspect]

    def without(self, rows: Ints) -> _Lined:
        """Return the rows but for some, by their places."""
        places = np.delete(np.arange(len(self.frame)), rows)
        return replace(self, frame=self.frame.iloc[places].reset_index(drop=True), lines=self.lines[places])


def _named(
    text: _Lined, first: list[str], names: Any, pass_over: Sequence[int] | None, where: str
) -> pd.DataFrame:
    """Return rows with the names of their columns; `first` is the header, if there is one."""
    header = _header_of(first, names, text.frame.shape[1], where)
    read = len(text.frame)
    blank = blank_rows(text.frame)
    begin = int(text.lines[0]) if read else 0
    comments = [line for line in text.comments if line.line >= begin]
    are_comments = np.isin(text.lines[blank], [line.line for line in comments])
    empty = [Suspect(int(line), "", BLANK, True) for line in text.lines[blank[~are_comments]]]
    text = text.without(blank)
    shown_names = first or None
    if first:
        frame, header, shown_names = _under(header, first, text.frame, where)
        text = replace(text, frame=frame)
    suspects = suspects_of(text.frame, shown_names, text.lines)
    if pass_over is None:
        aside = [suspect for suspect in suspects if suspect.certain]
    else:
        aside = _given(pass_over, text, where)
    out = np.flatnonzero(np.isin(text.lines, [suspect.line for suspect in aside]))
    rest = text.without(out)
    passed = (*text.passed, *asides([*comments, *empty, *aside]))
    before = sum(entry.rows for entry in text.passed)
    doubts = [] if pass_over is not None else [suspect for suspect in suspects if not suspect.certain]
    frame = rest.frame
    frame.columns = header
    frame.attrs["ledger"] = Ledger(before + read, len(frame), passed, doubtful=tuple(asides(doubts)))
    frame.attrs["suspects"] = suspects
    frame.attrs["lines"] = rest.lines
    return frame


def _given(pass_over: Sequence[int], text: _Lined, where: str) -> list[Suspect]:
    """Return the lines that are named as no rows; refuse those that there are not."""
    places = {int(line): row for row, line in enumerate(text.lines)}
    if other := [line for line in pass_over if line not in places]:
        held = f"from {text.lines[0]:,} to {text.lines[-1]:,}" if places else "none"
        raise DatasetError(f"{where}: pass_over: no row begins in line {other[0]:,}; there are {held}")
    return [
        Suspect(line, shown(text.frame.iloc[places[line]]), GIVEN, True) for line in sorted(set(pass_over))
    ]


def _header_of(first: list[str], names: Any, width: int, where: str) -> list[str]:
    """Return the names of the columns as they are given, or in the file."""
    header = first or list(map(str, range(1, width + 1)))
    if isinstance(names, Mapping):
        if outside := [place for place in names if not 1 <= place <= len(header)]:
            raise DatasetError(f"{where}: names: no column {outside[0]} among {len(header)}: count from 1")
        return [names.get(place, name) for place, name in enumerate(header, 1)]
    if names is None:
        return header
    if first:
        raise DatasetError(
            f"{where}: names are for a file without header: set header to false, or give the place of a "
            "column and its name, such as {2: price}"
        )
    header = [names + number for number in header] if isinstance(names, str) else list(map(str, names))
    if len(header) != width:
        raise DatasetError(f"{where}: {width} columns but {len(header)} names: give one a column")
    return header


def _under(
    header: list[str], first: list[str], frame: pd.DataFrame, where: str
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Fit rows to a header of a field more or less: separators at the end, R's names of rows.

    Returns the rows, the names of their columns, and the same as they are in the file.
    """

    def nothing(j: int) -> bool:
        return bool(frame[j].str.strip().eq("").all())

    width = frame.shape[1]
    if len(header) == width - 1 and frame[width - 1].str.strip().ne("").all() and _names_rows(frame[0]):
        header, first = ["", *header], ["", *first]
    if not all(nothing(j) for j in range(len(header), width)):
        more = frame[frame[range(len(header), width)].ne("").any(axis=1)]
        raise DatasetError(
            f"{where}: {len(header)} names in the header, but more fields in {len(more):,} of {len(frame):,} "
            f"rows, first in row {more.index[0] + 1}, {', '.join(more.iloc[0])[:80]}: put a field that holds "
            'the separator in double quotes, quotes in it as "", not \\", name all in the header, or set '
            "header to false if it is a row; attop look finds how it is written"
        )
    frame = frame.reindex(columns=range(len(header)), fill_value="")
    places = [j for j, name in enumerate(header) if name.strip() or not nothing(j)]
    names = [header[j] if header[j].strip() else f"Unnamed: {j}" for j in places]
    return frame[places], names, [first[j] for j in places]


def _names_rows(column: pd.Series) -> bool:
    """Return whether a column may hold R's names of rows: each comes once, and none is a decimal number."""
    return bool(column.is_unique and not column.str.fullmatch(r"\s*-?\d+[.,]\d+\s*").any())
