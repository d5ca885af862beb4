"""Quotes that are not written twice within a field, in files that nothing else can read."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Mended:
    """Lines of text with quotes as they should be."""

    lines: list[str]
    #: Places of the lines that were written otherwise.
    places: list[int]


@dataclass(frozen=True)
class _Marks:
    """Signs of a file of one row a line."""

    separator: str
    quote: str

    def fields(self, line: str) -> list[str] | None:
        """Return the fields of a line that is written as it should be, else None."""
        try:
            rows = list(
                csv.reader(
                    [line],
                    delimiter=self.separator,
                    quotechar=self.quote,
                    strict=True,
                )
            )
        except csv.Error:
            return None
        padded = re.compile(
            rf"\s+{re.escape(self.quote)}.*{re.escape(self.quote)}\s*", re.DOTALL
        )
        fields = rows[0] if rows else []
        return None if any(map(padded.fullmatch, fields)) else fields

    def fields_by_ends(self, line: str, twice: bool) -> list[str]:
        """Return the fields of a line where a quote ends a field only before a separator or the line's end.

        No field is returned where one begins with a quote and none ends it; a quote alone is text. `twice`
        says whether two quotes before a separator are one within the field, or its last sign and its end.
        """
        fields, at = [], 0
        while True:
            quoted = self._quoted(line, at, twice)
            if quoted is None:
                end = line.find(self.separator, at)
                end = len(line) if end < 0 else end
                field = (
                    line[at:end].lstrip(" ")
                    if self._blanks(line, at)
                    else line[at:end]
                )
                if field.startswith(self.quote) and field.strip() != self.quote:
                    return []  # a field that begins and does not end
            else:
                field, end = quoted
            fields.append(field)
            if end >= len(line):
                return fields
            at = end + 1

    def _quoted(self, line: str, at: int, twice: bool) -> tuple[str, int] | None:
        """Return the quoted field that begins at a place, and where its separator is; None if none does."""
        start = at + self._blanks(line, at)
        if not line.startswith(self.quote, start):
            return None
        field, place = "", start + 1
        while place < len(line):
            sign, following = line[place], line[place + 1 : place + 2]
            ends = self._end(line, place + 1)
            if (sign == "\\" and following == self.quote) or (
                sign == self.quote == following
                and (twice or self._end(line, place + 2) is None)
            ):
                field, place = field + self.quote, place + 2
            elif sign == self.quote and ends is not None:
                return field, ends
            else:
                field, place = field + sign, place + 1
        return None

    def _end(self, line: str, at: int) -> int | None:
        """Return the place of the separator, or of the line's end, that comes next but for blanks."""
        at += self._blanks(line, at)
        return at if at == len(line) or line[at] == self.separator else None

    def _blanks(self, line: str, at: int) -> int:
        """Return how many blanks come at a place, none where they separate."""
        return (
            0
            if self.separator.isspace()
            else len(line[at:]) - len(line[at:].lstrip(" "))
        )

    def written(self, fields: Sequence[str]) -> str:
        """Return a line of these fields."""
        text = io.StringIO()
        csv.writer(
            text,
            delimiter=self.separator,
            quotechar=self.quote,
            lineterminator="\n",
        ).writerow(fields)
        return text.getvalue()


def mended(
    lines: Sequence[str], separator: str, quote: str, skip: int
) -> Mended | None:
    """Return lines with their quotes written twice; None if not every row then has the fields of the first.

    A row that is written as it should be, with no more fields than the first, stays as it is. In any other a
    quote begins a field only at its start, blanks aside, and ends it only at its end; a backslash before a
    quote is dropped. No field may go on in another line.

    Parameters
    ----------
    lines
        All lines of the file.
    separator, quote
        One sign each.
    skip
        Lines before the first row, or the header.
    """
    marks = _Marks(separator, quote)
    new, places = list(lines), []
    width = 0
    for place in range(skip, len(lines)):
        line = lines[place].rstrip("\r\n")
        if not line.strip():
            continue
        fields = marks.fields(line)
        if not width:
            width = len(fields or marks.fields_by_ends(line, False))
        if fields is not None and len(fields) <= width:
            continue
        again = next(_of_width(marks, line, width), None)
        if again is None:
            return None
        new[place] = marks.written(again)
        places.append(place)
    return Mended(new, places)


def _of_width(marks: _Marks, line: str, width: int) -> Iterator[list[str]]:
    """Yield the ways to read a line that give so many fields."""
    for twice in (False, True):
        fields = marks.fields_by_ends(line, twice)
        if len(fields) == width:
            yield fields
