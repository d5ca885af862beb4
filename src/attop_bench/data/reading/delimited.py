"""Delimited text: fields by a separator, and rows of text as they are written."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, compress, repeat
from typing import IO, TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field, StrictStr

from attop.extending import Ints, count_noun
from attop_bench.data.errors import DatasetError
from attop_bench.data.files.opening import BROKEN, open_text
from attop_bench.data.ledger import Aside, shown
from attop_bench.data.parameters import checked
from attop_bench.data.reading.header import (
    Header,
    LineNumbers,
    Names,
    Skip,
)
from attop_bench.data.reading.lines import (
    ABOVE,
    BLANK,
    COMMENT,
    DRAWN,
    Lined,
    Suspect,
    asides,
    is_drawn,
    named_rows,
)
from attop_bench.data.reading.quotes import mended
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd

# A cell may hold a document.
csv.field_size_limit(max(csv.field_size_limit(), 2**31 - 1))
#: Bytes that are read at a time to look for a quote.
_PART = 1 << 20
#: Least and most bytes of a block of rows, and bytes for each field of one: small ones are read in half the
#: time, and one of few rows costs as much for each of its fields.
_LEAST, _MOST, _OF_A_FIELD = 1 << 20, 1 << 24, 1 << 12

#: Excel's own first line, which names the separator.
_SEP = re.compile(r"\"?sep=(.)\"?\r?\n?", re.IGNORECASE)


def told_separator(line: str) -> str | None:
    """Read the separator that a line such as ``sep=;``, which Excel writes first, names."""
    told = _SEP.fullmatch(line)
    return None if told is None else "tab" if told[1] == "\t" else told[1]


def default_separator(path: StrPath) -> str:
    """Choose the separator of a file that says none: the comma, or the tab of ``.tsv``."""
    return "tab" if ".tsv" in os.path.basename(path).lower() else ","


def rows_of(
    text: Iterable[str],
    separator: str,
    comment: str | None = None,
    quote: str = '"',
) -> Any:
    """Make the reader of csv for text, whose rows are lists of fields."""
    lines = text
    if comment:
        lines = (
            f"{line.split(comment)[0]}\n" if comment in line else line
            for line in text
        )
    if separator == "whitespace":
        lines = (line.strip().replace("\t", " ") for line in lines)
        return csv.reader(
            lines, delimiter=" ", skipinitialspace=True, quotechar=quote
        )
    return csv.reader(
        lines, delimiter="\t" if separator == "tab" else separator, quotechar=quote
    )


@checked("format csv")
def read_delimited(
    path: StrPath,
    *,
    separator: Annotated[str | None, Field(strict=True)] = None,
    header: Header = True,
    names: Names = None,
    skip: Skip = 0,
    comment: Annotated[StrictStr | None, Field(min_length=1, max_length=1)] = None,
    quote: Annotated[StrictStr, Field(min_length=1, max_length=1)] = '"',
    encoding: Annotated[str | None, Field(strict=True)] = None,
    pass_over: LineNumbers = None,
) -> pd.DataFrame:
    """Read delimited text; lines that cannot be rows are passed over, and counted.

    These are lines without any value, a drawn line or a row of units below the header, the header again or
    most of its names, and at the end remarks and sums, whose numbers are the sum or mean of those above.

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
    _check_separator(separator, where)
    start = _Start([], 0, 0, 0, ())
    options = (header, names, pass_over)
    try:
        with open_text(path, encoding) as file:
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
        frame.attrs["remarks"] += (remark,)
        return frame
    except _Doubted:
        return _read(how, start, *options, where, sure=True)
    except pd.errors.EmptyDataError:
        return pd.DataFrame(columns=start.header if header else None)
    except (
        pd.errors.ParserError,
        UnicodeError,
        csv.Error,
        OSError,
        *BROKEN,
    ) as error:
        form = _form_in_words(separator or ",", header, encoding or "UTF-8")
        remedy = "write quotes in a field twice, or if they are none, set quote to another sign, such as ^"
        remedy = "save it as CSV" if isinstance(error, BROKEN) else remedy
        raise DatasetError(f"{where}: not a {form}: {error}; {remedy}") from None


def _check_separator(separator: str | None, where: str) -> None:
    """Refuse a separator that is neither one character nor the name of one."""
    if separator is None or separator in ("tab", "whitespace"):
        return
    if len(separator) != 1:
        raise DatasetError(
            f"{where}: separator must be one character, tab or whitespace, got {separator!r}"
        )


def _form_in_words(separator: str, header: bool, encoding: str) -> str:
    """Say how a file was expected to be written."""
    names = {",": "comma", "\t": "tab", "whitespace": "blank"}
    kind = names.get(separator, repr(separator))
    with_header = "with a header " if header else ""
    return f"{kind} separated file {with_header}in {encoding}"


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
    """Read the rows below the start; raise `_Doubted` where fields end with quotes, unless they may."""
    frame = _read_at_once(how, start)
    if frame is None:
        frame = _read_rows(how, start.rows)
    quoted = list(frame) if how.has_quotes else []
    broken = [j for j in quoted if frame[j].str.contains("[\r\n]").any()]
    if broken:
        _refuse_torn(how)
    if not sure and any(frame[j].str.endswith(how.quote).any() for j in quoted):
        raise _Doubted
    lines = _line_numbers(frame, broken, start.line)
    table = named_rows(
        Lined(frame, lines, start.passed, how.comments),
        start.header,
        names,
        pass_over,
        where,
    )
    table.attrs["remarks"] = _about_fields(
        how, table, lines, names=len(start.header), width=frame.shape[1]
    )
    return table


def _about_fields(
    how: _How, table: pd.DataFrame, begins: Ints, names: int, width: int
) -> tuple[str, ...]:
    """Say which rows have more or fewer fields than the others, or all a blank one more than `names`.

    The longest row has `width` fields, and one with a last column has all. `begins` are the lines that rows
    begin with, those of the table and others.
    """
    lines = table.attrs["lines"]
    if table.shape[1] == width:
        lines = lines[table.iloc[:, -1].eq("").to_numpy()]
    doubtful = [suspect.line for suspect in table.attrs["suspects"]]
    lines = np.setdiff1d(lines, doubtful)
    if not len(lines):
        return ()
    is_wanted = np.isin(begins, lines)
    before = repeat(False, begins[0] - 1)
    # A row is all lines up to the next.
    each = np.repeat(is_wanted[:-1], np.diff(begins))
    with how.open() as file:
        text = compress(file, chain(before, each, repeat(is_wanted[-1])))
        rows = rows_of(text, how.separator, how.comment, how.quote)
        fields = np.array([len(row) for row in rows if row])
    usual = width if table.shape[1] == width else int(np.bincount(fields).argmax())
    uneven = lines[fields != usual]
    remarks = []
    if usual > max(names, table.shape[1]) and names:
        remarks.append(
            f"the header has {names} names, the rows have {usual} fields, of which the last is blank: not "
            "read; if a name is lacking, add it"
        )
    if len(uneven):
        remarks.append(
            f"{count_noun(len(uneven), 'row')} of more or fewer fields than {usual} (first line "
            f"{uneven[0]:,}): read from the left; where a separator is lacking or too many, correct the line"
        )
    return tuple(remarks)


def _mended(how: _How, skip: int) -> tuple[_How, str] | None:
    """Find the way to read a file whose quotes are written in another way, and what is said of it."""
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
        return {"tab": "\t", "whitespace": r"\s+"}.get(
            self.separator, self.separator
        )

    def open(self) -> Any:
        """Open the text, blank lines instead of those that are comments as a whole."""
        if self.text is not None:
            return io.StringIO(self.text, newline="")
        file = open_text(self.path, self.encoding)
        if self.comment is None:
            return file
        with file:
            lines = list(file)
        for comment in self.comments:
            lines[comment.line - 1] = "\n"
        return io.StringIO("".join(lines), newline="")

    def open_bytes(self) -> IO[bytes]:
        """Open the text as bytes of UTF-8, below a mark of the encoding."""
        file = self.open()
        # A text in memory has no encoding.
        if codecs.lookup(file.encoding or "ascii").name.startswith("utf-8"):
            return file.detach()
        return io.BytesIO(file.read().encode())

    @cached_property
    def has_quotes(self) -> bool:
        """A quote is in the file; without one no field breaks a line, or ends with a quote."""
        quote = self.quote.encode()
        return not self._all_parts(lambda part: quote not in part)

    @cached_property
    def is_ascii(self) -> bool:
        """The file needs no check of its encoding, which takes a tenth of the time of reading."""
        return self._all_parts(bytes.isascii)

    def _all_parts(self, test: Callable[[bytes], bool]) -> bool:
        """Decide whether all parts of the text, as bytes of UTF-8, pass a test."""
        with self.open_bytes() as file:
            return all(map(test, iter(lambda: file.read(_PART), b"")))

    @cached_property
    def comments(self) -> list[Suspect]:
        """Lines that are comments as a whole: they begin with the mark, outside of quotes."""
        if self.comment is None:
            return []
        comments = []
        is_quoted = False
        with open_text(self.path, self.encoding) as file:
            for number, line in enumerate(file, 1):
                if not is_quoted and line.lstrip().startswith(self.comment):
                    comments.append(Suspect(number, shown([line]), COMMENT, True))
                elif line.count(self.quote) % 2:
                    is_quoted = not is_quoted
        return comments


@dataclass(frozen=True)
class _Start:
    """Lines before the first row."""

    header: list[str]
    #: Rows of text, lines of the file.
    rows: int
    line: int
    #: Fields of the first row.
    width: int
    passed: tuple[Aside, ...]


def _start(how: _How, skip: int, header: bool) -> _Start:
    """Find the first row below the header, after those to skip, and count what is passed over before."""
    names: list[str] | None = None if header else []
    passed: list[Suspect] = []
    number, line = 0, 0
    with how.open() as file:
        rows = rows_of(file, how.separator, how.comment, how.quote)
        width = 0
        for row in rows:
            rule = _passed_by(row, names, number < skip)
            if rule is None and names is None:
                names = row
            elif rule is None or (
                rule == DRAWN and any(entry.rule == DRAWN for entry in passed)
            ):
                width = len(row)
                break
            else:
                passed.append(Suspect(line + 1, shown(row), rule, True))
            number, line = number + 1, rows.line_num
    return _Start(
        header=names or [],
        rows=number,
        line=line,
        width=width,
        passed=tuple(asides(passed)),
    )


def _passed_by(
    row: Sequence[str], names: Sequence[str] | None, is_above: bool
) -> str | None:
    """Name the rule that passes over a row at the start; None of the header and the first row."""
    is_blank = not any(field.strip() for field in row)
    if is_above or (names is None and is_blank):
        return ABOVE
    if is_blank:
        return BLANK
    return DRAWN if names and len(row) != len(names) and is_drawn(row) else None


def _read_at_once(how: _How, start: _Start) -> pd.DataFrame | None:
    """Read the fields below the start, all rows of as many; None where they must be read one by one.

    That is where rows differ in their fields, blanks separate, comments follow a row, or Arrow may cut a
    field otherwise than pandas: with a return in it, or without the quote that ends it.
    """
    from pyarrow import csv, large_string

    if how.comment or not start.width:
        return None
    names = list(map(str, range(start.width)))
    how_read = csv.ReadOptions(
        use_threads=False,
        column_names=names,
        skip_rows=start.line,
        block_size=min(max(_LEAST, _OF_A_FIELD * start.width), _MOST),
    )
    text = csv.ConvertOptions(
        check_utf8=not how.is_ascii,
        column_types=dict.fromkeys(names, large_string()),
    )
    try:
        marks = csv.ParseOptions(
            delimiter=how.pattern,
            quote_char=how.has_quotes and how.quote,
            newlines_in_values=how.has_quotes,
            ignore_empty_lines=False,
        )
        with how.open_bytes() as file:
            table = csv.read_csv(file, how_read, marks, text, pool_of_text())
    except (TypeError, ValueError):  # marks of several bytes; rows that differ
        return None
    if how.has_quotes and _may_be_cut(table, how):
        return None
    frame = table.to_pandas(split_blocks=True, self_destruct=True)
    return frame.set_axis(range(start.width), axis=1)


def pool_of_text() -> Any:
    """Choose the memory that text is read into: jemalloc's, where it is, takes half of the system's time."""
    import pyarrow

    try:
        return pyarrow.jemalloc_memory_pool()
    except NotImplementedError:
        return pyarrow.default_memory_pool()


def _may_be_cut(table: Any, how: _How) -> bool:
    """Decide whether a field has a return, or the last one may lack the quote that ends it."""
    from pyarrow.compute import any as is_any
    from pyarrow.compute import match_substring

    if any(
        is_any(match_substring(column, "\r")).as_py() for column in table.columns
    ):
        return True
    end = (
        table.column(table.num_columns - 1)[-1]
        .as_py()
        .replace(how.quote, 2 * how.quote)
    )
    with how.open_bytes() as file:
        tail = deque(iter(lambda: file.read(_PART), b""), 2)
    return b"".join(tail).endswith((how.quote + end).encode())


def _read_rows(how: _How, skip: int) -> pd.DataFrame:
    """Read the fields below so many rows, blank lines among them."""
    import pandas as pd

    options: Any = {
        "sep": how.pattern,
        "header": None,
        "skiprows": skip,
        "comment": how.comment,
    }
    options |= {
        "dtype": str,
        "na_filter": False,
        "quotechar": how.quote,
        "skip_blank_lines": False,
    }
    if not how.pattern.isascii():
        options["engine"] = "python"
    try:
        with how.open() as file:
            return pd.read_csv(file, **options).fillna("")
    except pd.errors.ParserError:
        with how.open() as file:  # rows of more fields than the first
            width = max(
                map(len, rows_of(file, how.separator, how.comment, how.quote))
            )
        with how.open() as file:
            return pd.read_csv(
                file, names=range(width), index_col=False, **options
            ).fillna("")


def _line_numbers(frame: pd.DataFrame, broken: Sequence[Any], start: int) -> Ints:
    """Find the number of the line that each row begins with, from 1, after so many lines.

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
                raise csv.Error(
                    f"the quote before {field[1][:30]!r} closes amid a field of a later row"
                )
