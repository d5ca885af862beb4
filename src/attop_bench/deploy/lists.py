"""Ranked lists: their columns, beside the last one, drawn from below, and read as they were written."""

from __future__ import annotations

import codecs
import re
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from attop.extending import did_you_mean
from attop_bench.data.base import DatasetError
from attop_bench.deploy.new_rows import read_all
from attop_bench.deploy.spreadsheet import is_spreadsheet, write_spreadsheet
from attop_bench.files import csv_text, original_cell, write_bytes

#: All columns of the file, as a wish.
ALL = "all"
#: Columns that a list adds.
_ADDED = ("rank", "row", "score", "why", "listed", "change", "stands_for")
#: Features that a list without reasons has.
_FEATURES = 12


def columns_of_list(
    columns: Iterable[str],
    notes: Mapping[str, Any],
    wanted: Sequence[str] | None,
    has_reasons: bool,
) -> list[str]:
    """Name the columns of a file that a list has between the number of the row and the score.

    Those that are no features come first. Then come those `wanted`, or all of the file by ``["all"]``. By
    default a list without reasons has the first features, as nothing else says what the rows are.

    Raises
    ------
    DatasetError
        If the file has no such column, or the list adds one of that name.
    """
    present = list(columns)
    named = [name for name in notes["beside"] if name in present]
    if wanted is None:
        features = [
            name
            for name in notes["features"]
            if name in present and name not in _ADDED
        ]
        return named if has_reasons else [*named, *features[:_FEATURES]]
    chosen = present if list(wanted) == [ALL] else wanted
    for name in chosen:
        if name not in present:
            raise DatasetError(
                f"--columns: the file has no column {name!r}; {did_you_mean(name, present)}"
            )
        if name in _ADDED:
            raise DatasetError(
                f"the list adds a column {name!r}: rename that of the file"
            )
    return list(dict.fromkeys([*named, *chosen]))


def read_list(path: str | Path) -> pd.DataFrame:
    """Read a list as text, each cell as it was before it was written as CSV.

    A spreadsheet may have cut it by ; or tab, and written it as UTF-16 or in its own code page. It may be an
    Excel file, whose cells are as they were. Every line with a value is a row, of as many fields as the
    header.
    """
    form = "excel" if is_spreadsheet(path) else "csv"
    try:
        table = read_all(
            path, form, {"sheet": 0} if form == "excel" else {}, ["rank"]
        )[0]
    except DatasetError as error:
        raise DatasetError(f"{path} is no list of attop score: {error}") from None
    for remark in table.remarks:
        raise DatasetError(f"{path} is no list of attop score: {remark}")
    if form == "excel":
        return table.frame
    return table.frame.rename(columns=original_cell).map(original_cell)


def write_list(
    path: Path, ranked: pd.DataFrame, numeric: Collection[str] = ()
) -> None:
    """Write a list as CSV, or by the file's name as an Excel file, with `numeric` columns as numbers.

    A CSV file with other signs than ASCII's begins with the mark by which spreadsheets know UTF-8.
    """
    if is_spreadsheet(path):
        write_spreadsheet(path, ranked, numeric)
        return
    text = csv_text(ranked)
    mark = b"" if text.isascii() else codecs.BOM_UTF8
    write_bytes(path, mark + text.encode())


def own_rows(table: pd.DataFrame) -> pd.Series:
    """Mark the rows that are of the list itself, without those that left it or were drawn from below."""
    return (
        numbers(table, "listed") == 1
        if "listed" in table
        else pd.Series(True, table.index)
    )


def numbers(table: pd.DataFrame, name: str) -> pd.Series:
    """Convert a column of a list to whole numbers; a program may have written 1.0."""
    values = pd.to_numeric(table[name], errors="coerce")
    if values.isna().any():
        unreadable = table.loc[values.isna(), name].iloc[0]
        raise DatasetError(
            f"column {name!r} of the list must hold numbers, got {unreadable!r}: write the list again"
        )
    return values


def lists_in(folder: str | Path) -> list[Path]:
    """List a folder's .csv and .xlsx files in the order a reader counts, list-2 before list-10."""

    def natural(path: Path) -> list[tuple[int, str]]:
        return [
            (int(part), "") if part.isdecimal() else (0, part)
            for part in re.split(r"(\d+)", path.name)
        ]

    files = [
        path
        for path in Path(folder).iterdir()
        if path.suffix.lower() in (".csv", ".xlsx")
    ]
    return sorted(files, key=natural)


def changes(
    ranked: pd.DataFrame,
    head: pd.DataFrame,
    previous: str,
    column: str,
    group: str | None,
    named: Sequence[str],
    tell: Callable[[str], None],
) -> pd.Series:
    """Say of each row "entered", "stayed", "left" or nothing, against the top of the `previous` list.

    Rows are known by `column`, one of those `named`, which are no features. The top of the last list has as
    many rows as that of the new one, of each `group` if there are groups. `tell` gets a line on rows gone.
    """
    last = read_list(previous)
    for file, columns in (("the new file", ranked), (previous, last)):
        if not {column, "rank", *([group] if group else [])} <= {*columns}:
            suggestion = (
                ", ".join(named)
                or "a column that is no feature: the model has none"
            )
            needed = f"no column rank, {group}" if group else "no column rank"
            raise DatasetError(
                f"{file} has {needed} or no --id {column}: give a list, and {suggestion}"
            )
    places, k = numbers(last, "rank"), head["rank"].max()
    if group:
        of = head[group].astype(str).str.strip()
        k = last[group].str.strip().map(head["rank"].groupby(of).max()).fillna(k)
    last = last[(places <= k) & own_rows(last)]
    new, old = (pd.Index(f[column].fillna("").astype(str)) for f in (ranked, last))
    if not new.is_unique or not old.is_unique:
        raise DatasetError(
            f"--id {column}: several rows have the same: give a column that differs"
        )
    if gone := int((~old.isin(new)).sum()):
        tell(
            f"{gone:,} of the {len(old):,} rows of {previous} are not among the new rows"
        )
    now, before = ranked.index.isin(head.index), new.isin(old)
    change = np.select(
        [now & before, now, before], ["stayed", "entered", "left"], ""
    )
    return pd.Series(change, ranked.index)


def explore(
    ranked: pd.DataFrame, head: pd.DataFrame, number: int, seed: int
) -> pd.Series:
    """Draw rows below the top; return the rows each stands for, which are weights for unbiased sums."""
    rest = ranked.index.difference(head.index)
    if not 0 < number <= len(rest):
        raise DatasetError(
            f"--explore {number}: there are {len(rest):,} rows below the top to draw from"
        )
    drawn = np.random.default_rng(seed).choice(rest, number, replace=False)
    stands_for = pd.Series(
        ranked.index.isin(head.index).astype(float), ranked.index
    )
    stands_for[drawn] = len(rest) / number
    return stands_for
