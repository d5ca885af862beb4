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
from attop_bench.data.errors import DatasetError
from attop_bench.data.files.opening import open_bytes
from attop_bench.files import StrPath

#: The sheets of a book, and their files.
_BOOK, _LINKS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"


def about_formulas(path: StrPath, sheet: str | int, header: Sequence[str]) -> list[str]:
    """Return a line on each column of a sheet of ``.xlsx`` with formulas that have no stored value."""
    try:
        with open_bytes(path) as file, zipfile.ZipFile(file) as box:
            if _BOOK not in box.namelist():
                return []
            with box.open(_file_of(box, sheet)) as cells:
                counts = Counter(_columns_without_values(cells))
    except zipfile.BadZipFile:  # a format before .xlsx
        return []
    except (KeyError, IndexError, ElementTree.ParseError) as error:
        raise DatasetError(
            f"dataset {path}: the formulas of sheet {sheet!r} cannot be read ({error}): open the file in a "
            "spreadsheet program and save it"
        ) from None
    names = dict(enumerate(header, 1))
    return [
        f"column {names.get(place) or place}: {count_noun(count, 'formula')} without a stored value, read as "
        "nothing: open the file in a spreadsheet program and save it"
        for place, count in sorted(counts.items())
    ]


def _file_of(box: zipfile.ZipFile, sheet: str | int) -> str:
    """Return the file of a sheet in a book, by the sheet's name or its number from 0."""
    book, links = (ElementTree.fromstring(box.read(name)) for name in (_BOOK, _LINKS))
    targets = {link.get("Id"): link.get("Target", "") for link in links}
    ids = {
        entry.get("name"): next(value for key, value in entry.items() if key.endswith("}id"))
        for entry in book.iterfind("{*}sheets/{*}sheet")
    }
    key = ids[sheet] if isinstance(sheet, str) else [*ids.values()][sheet]
    return posixpath.join("/xl", targets[key]).lstrip("/")


def _columns_without_values(cells: IO[bytes]) -> Iterator[int]:
    """Yield the column, from 1, of each cell with a formula and no stored value; empty text is one."""
    for _, row in ElementTree.iterparse(cells):
        if not row.tag.endswith("}row"):
            continue
        place = 0
        for cell in row:
            place = _place(cell.get("r", "")) or place + 1
            value = cell.find("{*}v")
            is_stored = value is not None and (value.text or cell.get("t") == "str")
            if cell.find("{*}f") is not None and not is_stored:
                yield place
        row.clear()


def _place(cell: str) -> int:
    """Return the column, from 1, of a cell such as AB12; 0 where a cell does not say it."""
    place = 0
    for letter in re.sub("[^A-Z]", "", cell):
        place = 26 * place + ord(letter) - ord("A") + 1
    return place
