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
        """Split a line that is written as it should be into fields; None for any other."""
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
        """Split a line where a quote ends a field only before a separator or the line's end, blanks aside.

        No field is returned where one begins with a quote and none ends it; a quote alone is text. `twice`
        says whether two quotes before a separator are one within the field, or its last sign and its end.
        """
        quote, mark = map(re.escape, (self.quote, self.separator))
        blanks = "" if self.separator.isspace() else " *"
        pair = rf"\\{quote}|{quote}{quote}"
        within = pair if twice else rf"{pair}(?!{blanks}{mark})"
        quoted = rf"{quote}((?>{within}|.)*?){quote}{blanks}"
        fields = []
        for match in re.finditer(
            rf"{blanks}(?:{quoted}|([^{mark}]*)){mark}",
            line + self.separator,
            re.DOTALL,
        ):
            field, plain = match.groups()
            if plain is None:
                fields.append(re.sub(pair, lambda _: self.quote, field))
            elif plain.startswith(self.quote) and plain.strip() != self.quote:
                return []  # a field that begins and does not end
            else:
                fields.append(plain)
        return fields

    def written(self, fields: Sequence[str]) -> str:
        """Join fields to a line."""
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
    """Write the quotes of lines twice; None if not every row then has the fields of the first.

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
