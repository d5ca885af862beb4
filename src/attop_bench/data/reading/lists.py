"""Sizes of lists, in a file beside a table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from attop.extending import Ints, count_noun
from attop_bench.data.errors import DatasetError
from attop_bench.data.files.opening import open_bytes
from attop_bench.data.reading.table import Table
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd

#: Ends of the names of files with the sizes of lists.
GROUPS = (".query", ".group")


def file_of_sizes(path: StrPath, place: object) -> str:
    """Return the file with the sizes of the lists of a file: ``{path: FILE}``, or the end of its name."""
    if isinstance(place, Mapping) and set(place) == {"path"}:
        return str(place["path"])
    if place in GROUPS:
        return f"{os.fspath(path)}{place}"
    wanted = f"must be one of {', '.join(GROUPS)}, or {{path: FILE}}, got {place!r}"
    raise DatasetError(f"dataset {path}: groups: {wanted}")


def sizes_of_lists(path: StrPath, place: str | Mapping[str, str]) -> Ints:
    """Return the sizes of the lists of a file, see `file_of_sizes`."""
    where = f"dataset {path}: groups: {place}"
    sizes = file_of_sizes(path, place)
    if not os.path.isfile(sizes):
        raise DatasetError(
            f"{where}: there is no file {sizes} with the sizes of the lists: write it"
        )
    with open_bytes(sizes) as file:
        words = file.read().decode("latin-1").split()
    if not words or not all(word.isdecimal() and int(word) > 0 for word in words):
        wrong = next(
            (word for word in words if not word.isdecimal() or int(word) == 0),
            "nothing",
        )
        raise DatasetError(
            f"{where}: {sizes} must hold sizes of lists, one a line, got {wrong[:40]!r}"
        )
    return np.array([int(word) for word in words])


def with_lists(frame: pd.DataFrame, sizes: Ints, where: str) -> pd.DataFrame:
    """Return a table with the column ``qid``, the number of each row's list, from 1."""
    if "qid" in frame:
        raise DatasetError(
            f"{where}: groups: there is a column 'qid' already: leave groups out"
        )
    if sizes.sum() != len(frame):
        raise DatasetError(
            f"{where}: groups: the lists have {sizes.sum():,} rows in all, the table {len(frame):,}: correct "
            "their sizes"
        )
    return frame.assign(
        qid=np.repeat(np.arange(1, len(sizes) + 1), sizes).astype(str)
    )


def with_lists_beside(
    path: StrPath, table: Table
) -> tuple[Table, str | None, list[str]]:
    """Return a table with the lists whose sizes are in a file beside it, the end of its name, and remarks.

    They are taken if the sizes add up to the rows; else the file is named.
    """
    for end in GROUPS:
        name = Path(f"{path}{end}").name
        if not os.path.isfile(f"{path}{end}") or "qid" in table.frame:
            continue
        try:
            sizes = sizes_of_lists(path, end)
        except DatasetError as error:
            return table, None, [f"{name} beside it: {error}"]
        lists, rows = count_noun(len(sizes), "list"), int(sizes.sum())
        if rows != len(table.frame):
            remark = f"{name} beside it has {lists} of {rows:,} rows, not {len(table.frame):,}: not used"
            return table, None, [remark]
        remark = f"{name} beside it has the sizes of {lists}: read as qid; or not: --reader groups="
        return (
            replace(table, frame=with_lists(table.frame, sizes, table.where)),
            end,
            [remark],
        )
    return table, None, []
