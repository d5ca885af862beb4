"""The way a file of text is written: encoding, separator, header, found in its first rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from attop_bench.data.reading.first_row import header_options
from attop_bench.data.reading.marks import (
    SAMPLE,
    comment_mark,
    encoding_of,
    is_in_rows,
    quote_mark,
    separator_of,
)
from attop_bench.data.reading.quotes import mended
from attop_bench.data.reading.text import (
    default_separator,
    opened,
    rows_of,
    told_separator,
)
from attop_bench.files import StrPath


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
    with opened(path, encoding) as file:
        lines = list(islice(file, 2 * SAMPLE))
    told = told_separator("".join(lines[:1]))
    lines = lines[told is not None :]
    comment = given.get("comment") or comment_mark(lines)
    if comment and "comment" not in given:
        with opened(path, encoding) as file:
            comment = None if is_in_rows(comment, file) else comment
    usual = told or default_separator(path)
    quote = given.get("quote") or quote_mark(lines)
    separator = (
        given.get("separator") or told or separator_of(lines, usual, comment, quote)
    )
    marks = (
        ("separator", separator, usual),
        ("comment", comment, None),
        ("quote", quote, '"'),
    )
    options |= {
        name: mark
        for name, mark, default in marks
        if mark != default and name not in given
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


def _with_quotes(lines: Sequence[str], separator: str, quote: str) -> Sequence[str]:
    """Write quotes within the fields of lines twice, as far as they can be read so."""
    mark = "\t" if separator == "tab" else separator
    if len(mark) > 1 or not any(quote in line for line in lines):
        return lines
    text = mended(lines, mark, quote, 0)
    return lines if text is None else text.lines
