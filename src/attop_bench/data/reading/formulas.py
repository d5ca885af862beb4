"""Formulas of a spreadsheet whose values its file does not hold, as those that a program has written."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import IO
from xml.etree import ElementTree

from attop.extending import count_noun
from attop_bench.data.files.opening import open_bytes
from attop_bench.files import StrPath

#: The sheets of a book, and their files.
_BOOK, _LINKS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"


def about_formulas(
    path: StrPath, sheet: str | int, header: Sequence[str]
) -> list[str]:
    """Write a line on each column of a sheet of ``.xlsx`` with formulas that have no stored value."""
    try:
        with (
            open_bytes(path) as file,
            zipfile.ZipFile(file) as box,
            box.open(_file_of(box, sheet)) as cells,
        ):
            counts = Counter(_columns_without_values(cells))
    except (KeyError, zipfile.BadZipFile):  # no .xlsx
        return []
    names = dict(enumerate(header, 1))
    return [
        f"column {names.get(place) or place}: {count_noun(count, 'formula')} without a stored value, read as "
        "nothing: open the file in a spreadsheet program and save it"
        for place, count in sorted(counts.items())
    ]


def _file_of(box: zipfile.ZipFile, sheet: str | int) -> str:
    """Find the file of a sheet in a book, by the sheet's name or its number from 0."""
    book, links = (
        ElementTree.fromstring(box.read(name)) for name in (_BOOK, _LINKS)
    )
    targets = {link.get("Id"): link.get("Target", "") for link in links}
    ids = {
        entry.get("name"): value
        for entry in book.iterfind("{*}sheets/{*}sheet")
        for key, value in entry.items()
        if key.endswith("}id")
    }
    name = sheet if isinstance(sheet, str) else [*ids][sheet]
    return posixpath.join("/xl", targets[ids[name]]).lstrip("/")


def _columns_without_values(cells: IO[bytes]) -> Iterator[int]:
    """Yield the column, from 1, of each cell with a formula and no stored value; empty text is one."""
    for _, row in ElementTree.iterparse(cells):
        for cell in row.iterfind("{*}c[{*}f]"):
            text = cell.findtext("{*}v")
            if not text and (text is None or cell.get("t") != "str"):
                yield _place(cell.get("r", "")) or [*row].index(cell) + 1
        if row.tag.endswith("}row"):  # only then its cells are done with
            row.clear()


def _place(cell: str) -> int:
    """Compute the column, from 1, of a cell such as AB12; 0 where a cell does not say it."""
    place = 0
    for letter in re.sub("[^A-Z]", "", cell):
        place = 26 * place + ord(letter) - ord("A") + 1
    return place
