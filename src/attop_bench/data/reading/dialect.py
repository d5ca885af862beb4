"""The way a file of text is written, by its first rows: encoding, comments, quotes, separator, header."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from attop_bench.data.files.opening import encoding_of, open_text
from attop_bench.data.reading.cells import FIT, is_number
from attop_bench.data.reading.delimited import (
    default_separator,
    rows_of,
    told_separator,
)
from attop_bench.data.reading.header import header_options
from attop_bench.data.reading.quotes import mended
from attop_bench.files import StrPath

#: Separators, the likeliest first where two fit alike.
_SEPARATORS = (",", ";", "tab", "|", "whitespace", "^", "~", "\x01", ":", *"¦§&")
#: Signs of the separators that have a name.
_SIGNS = {"tab": "\t", "whitespace": " \t"}
#: Rows that are looked at.
SAMPLE = 1000
#: Other separators, which may cut a field that is no number.
_CUTS = set(",;\t|")
#: What nothing cuts.
_QUOTED = r'(?:^|(?<=[,;\t| ]))"(?:[^"]|"")*"(?=[,;\t|\s]|$)'


def dialect(
    path: StrPath, given: Mapping[str, Any], label: str | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Find options of `read_delimited`, next to those `given`, and what is to be said.

    A column with the name of one before is renamed, unless it is the `label`'s: which it is must be asked.
    """
    options: dict[str, Any] = {}
    remarks = []
    if "encoding" not in given and (written := encoding_of(path)):
        options["encoding"], example = written
        remarks.append(
            f"no UTF-8: read as {options['encoding']}, such as {example!r}; if that is wrong, name another: "
            "--reader encoding=cp1250"
        )
    encoding = {**options, **given}.get("encoding")
    lines, told = first_lines(path, encoding, 2 * SAMPLE)
    comment = given.get("comment") or comment_mark(lines)
    if comment and "comment" not in given:
        with open_text(path, encoding) as file:
            comment = None if is_in_rows(comment, file) else comment
    usual = told or default_separator(path)
    quote = given.get("quote") or quote_mark(lines)
    separator = (
        given.get("separator") or told or separator_of(lines, usual, comment, quote)
    )
    marks = {"separator": separator, "comment": comment, "quote": quote}
    usual_marks = {"separator": usual, "comment": None, "quote": '"'}
    options |= {
        name: mark
        for name, mark in marks.items()
        if mark != usual_marks[name] and name not in given
    }
    rows = list(
        islice(
            rows_of(
                _with_quotes(lines, separator, quote), separator, comment, quote
            ),
            SAMPLE,
        )
    )
    header, more = header_options(rows, given, label)
    return options | header, remarks + more


def first_lines(
    path: StrPath, encoding: str | None, number: int = SAMPLE
) -> tuple[list[str], str | None]:
    """Read the first lines of a text, below one that names the separator, and this, if it is named."""
    with open_text(path, encoding) as file:
        lines = list(islice(file, number))
    told = told_separator("".join(lines[:1]))
    return lines[told is not None :], told


def _with_quotes(lines: Sequence[str], separator: str, quote: str) -> Sequence[str]:
    """Write quotes within the fields of lines twice, as far as they can be read so."""
    mark = "\t" if separator == "tab" else separator
    if len(mark) > 1 or not any(quote in line for line in lines):
        return lines
    text = mended(lines, mark, quote, 0)
    return lines if text is None else text.lines


def comment_mark(lines: Sequence[str]) -> str | None:
    """Find the mark of lines at the start that hold no row."""
    start = [line for line in lines[:20] if line.strip()]
    marked = [line for line in start if line[0] in "#%"]
    # A header such as #id,age is none.
    named = bool(marked) and any(
        marked[-1].count(mark) == start[-1].count(mark) > 0 for mark in ",;\t|"
    )
    return (
        marked[0][0]
        if 0 < len(marked) < len(start) and start[0] == marked[0] and not named
        else None
    )


def is_in_rows(mark: str, lines: Iterable[str]) -> bool:
    """Decide whether a mark of comments is in a row too: in a line, or before one of as many fields."""
    fields: dict[str, int] = {}
    for line in lines:
        if not line.startswith(mark):
            if mark in line:
                return True
            fields = fields or {
                sign: line.count(sign) for sign in ",;\t|" if sign in line
            }
        elif any(line.count(sign) == times for sign, times in fields.items()):
            return True
    return False


def quote_mark(lines: Sequence[str]) -> str:
    """Find the quotes of fields: single ones where no field has double ones, and most lines have them."""
    text = "".join(lines)
    if "'" not in text:
        return '"'
    single, double = (
        re.findall(
            rf"(?:^|[,;\t|] ?){q}(?:[^{q}\n]|{q}{q})*{q}(?=[,;\t|\r\n]|$)",
            text,
            re.MULTILINE,
        )
        for q in "'\""
    )
    return "'" if not double and len(single) > len(lines) / 2 else '"'


def separator_of(
    lines: Sequence[str], usual: str, comment: str | None, quote: str
) -> str:
    """Find the separator that gives most rows as many fields, and cuts none that another would.

    What is in no name of the header separates nothing, nor do blanks where tabs separate: they are of words.
    """
    best, score = usual, 0.0
    text = "".join(lines)
    if quote in text:
        text = re.sub(_QUOTED.replace('"', quote), "text", text, flags=re.MULTILINE)
    lines = text.splitlines(keepends=True)
    for separator in sorted(_SEPARATORS, key=lambda mark: mark != usual):
        if not any(sign in text for sign in _SIGNS.get(separator, separator)):
            continue
        if separator == "whitespace" and best == "tab" and score:
            continue
        try:
            rows = list(
                islice(filter(any, rows_of(lines, separator, comment)), SAMPLE)
            )
        except csv.Error:
            continue
        fit = _fit_of(rows)
        if fit > score + 1e-9:
            best, score = separator, fit
    return best


def _fit_of(rows: Sequence[Sequence[str]]) -> float:
    """Compute the share of rows of as many fields, by that of fields nothing else would cut; 0 if few are."""
    width, times = Counter(map(len, rows)).most_common(1)[0] if rows else (1, 0)
    if width == 1 or times < FIT * len(rows):
        return 0.0
    header = next(row for row in rows if len(row) == width)
    cuts = _CUTS.intersection("".join(header))
    fields = [field for row in rows[:200] for field in row]
    cut = sum(
        not cuts.isdisjoint(field) and not is_number(field.strip())
        for field in fields
    )
    return times / len(rows) * (1 - cut / len(fields))
