"""Opening text: its encoding by the mark at the start, and fields by a separator."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections.abc import Iterable
from typing import Any

from attop_bench.data.errors import DatasetError
from attop_bench.data.files.opening import open_bytes
from attop_bench.files import StrPath

_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
}
# UTF-32's begins as its own.
_BOMS |= {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
csv.field_size_limit(2**31 - 1)  # a cell may hold a document
#: Excel's own first line, which names the separator.
_SEP = re.compile(r"\"?sep=(.)\"?\r?\n?", re.IGNORECASE)


def opened(path: StrPath, encoding: str | None = None) -> io.TextIOWrapper:
    """Open text, by default in UTF-8, or what the mark at the start says."""
    with open_bytes(path) as file:
        start = file.read(6)
    marked = next(
        (name for mark, name in _BOMS.items() if start.startswith(mark)), "utf-8"
    )
    binary = open_bytes(path)
    if start == 2 * codecs.BOM_UTF8:
        binary.read(3)
    try:
        return io.TextIOWrapper(binary, encoding or marked, newline="")
    except LookupError as error:
        raise DatasetError(
            f"dataset {path}: {error}: name one such as cp1252"
        ) from None


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
