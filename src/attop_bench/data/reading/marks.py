"""Encoding, comments, quotes and separator of a file of text, found in its first lines."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from attop_bench.data.files.opening import open_bytes
from attop_bench.data.reading.cells import is_number
from attop_bench.data.reading.text import rows_of
from attop_bench.files import StrPath

#: Separators, the likeliest first where two fit alike.
_SEPARATORS = (",", ";", "tab", "|", "whitespace", "^", "~", "\x01", ":", *"¦§&")
#: Signs of the separators that have a name.
_SIGNS = {"tab": "\t", "whitespace": " \t"}
#: Rows that are looked at, and those a separator must fit.
SAMPLE, FIT = 1000, 0.9
#: Other separators, and a field that one would cut, which is no number or date.
_CUTS = re.compile(r"[,;\t|]")
_CUT = re.compile(r".*[,;\t|].*")
#: What nothing cuts.
_QUOTED = r'(?:^|(?<=[,;\t| ]))"(?:[^"]|"")*"(?=[,;\t|\s]|$)'


def encoding_of(path: StrPath) -> tuple[str, str] | None:
    """Guess the likely encoding of a file that is not UTF-8, and a word that shows it."""
    with open_bytes(path) as file:
        start = file.read(1 << 16)
        if (
            start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
            or start[:4] == codecs.BOM_UTF32_BE
        ):
            return None
        if start.count(0) > len(start) / 5:
            wide = "utf-32-" if start.count(0) > len(start) / 2 else "utf-16-"
            wide += (
                "le"
                if start[1::2].count(0) > start[::2].count(0) or start[:1] != b"\0"
                else "be"
            )
            return wide, start.decode(wide, "replace")[:20]
        decoder, data = codecs.getincrementaldecoder("utf-8")(), start
        while data:
            try:
                decoder.decode(data)
            except UnicodeDecodeError:
                break
            data = file.read(1 << 20)
        else:
            return None
    # Bytes 80 to 9f are letters and quotes of Windows' code page, but for five that it has not.
    name = "latin-1" if re.search(rb"[\x81\x8d\x8f\x90\x9d]", data) else "cp1252"
    word = re.search(rb"[^\s,;\t|\"]*[\x80-\xff][^\s,;\t|\"]*", data)
    return name, word[0].decode(name)[:30] if word else ""


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
    """Find the separator that gives most rows as many fields, and cuts none that another would."""
    best, score = usual, 0.0
    text = "".join(lines)
    if quote in text:
        text = re.sub(_QUOTED.replace('"', quote), "text", text, flags=re.MULTILINE)
    lines = text.splitlines(keepends=True)
    for separator in sorted(_SEPARATORS, key=lambda mark: mark != usual):
        if not any(sign in text for sign in _SIGNS.get(separator, separator)):
            continue
        try:
            rows = list(
                islice(filter(any, rows_of(lines, separator, comment)), SAMPLE)
            )
        except csv.Error:
            continue
        width, times = Counter(map(len, rows)).most_common(1)[0] if rows else (1, 0)
        if width == 1 or times < FIT * len(rows):
            continue
        fields = [field for row in rows[:200] for field in row]
        whole = len(fields)
        if _CUTS.search("".join(fields)):
            whole = sum(
                not _CUT.fullmatch(field) or is_number(field.strip())
                for field in fields
            )
        fit = times / len(rows) * whole / len(fields)
        if fit > score + 1e-9:
            best, score = separator, fit
    return best
