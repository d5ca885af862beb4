"""A whole table: its columns, what could be the label, what occurs twice, and all complaints at once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from attop.core.wording import did_you_mean
from attop_bench.data.base import DatasetError
from attop_bench.data.formats import format_of, read_frame
from attop_bench.data.kinds.columns import cleaned, day_numbers
from attop_bench.data.look.column import Column, describe
from attop_bench.data.look.complaints import complaints
from attop_bench.data.look.label import Candidate, candidate, candidates
from attop_bench.data.source import open_bytes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Look", "first_line_says", "look"]


@dataclass(frozen=True)
class Look:
    """What `look` found.

    Attributes
    ----------
    path : str
    rows : int
    columns : list of Column
    label : Candidate or None
        The one that was named, or the likeliest.
    candidates : list of Candidate
        Likeliest first.
    copies : int
        Rows whose features are those of a row before.
    twins : mapping of str to str
        Column -> an earlier one with the same values.
    days : mapping of str to int
        Column of dates without gaps, written as 2026-12-31 -> days from the first to the last.
    reader : mapping
        What the file's reader has to know.
    complaints : list of str
    """

    path: str
    rows: int
    columns: list[Column]
    label: Candidate | None
    candidates: list[Candidate]
    copies: int
    twins: Mapping[str, str]
    days: Mapping[str, int]
    reader: Mapping[str, Any]
    complaints: list[str]

    def column(self, name: str) -> Column:
        """Return the column of a name."""
        return next(c for c in self.columns if c.name == name)


def look(path: str | os.PathLike[str], label: str | None = None, positive: Any = None) -> Look:
    """Look at a table in a file, without a configuration.

    Parameters
    ----------
    path : path
        CSV, Parquet, or another format of `attop_bench.data.formats`.
    label : str, optional
        Column of the labels; the likeliest one if left out.
    positive : value, optional
        Value of the positive class; the rarest one if left out.

    Returns
    -------
    found : Look

    Raises
    ------
    DatasetError
        If the file cannot be read, or has no such column or value.
    """
    where = f"dataset {path}"
    reader = first_line_says(path)
    raw = read_frame(path, None, reader)
    frame, columns = _described(raw, where)
    if format_of(path) != "csv":  # no reader but that of text can be told
        columns = [replace(c, marks=(), comma=False) for c in columns]
    possible = candidates(frame, columns)
    chosen: Candidate | None
    if label is not None:
        if label not in frame.columns:
            raise DatasetError(f"{where}: no column {label!r}; {did_you_mean(label, frame.columns)}")
        chosen = candidate(frame[label], positive, where)
    else:
        chosen = possible[0] if possible else None
    twins = _twins(frame)
    features = [c.name for c in columns if c.is_feature and (chosen is None or c.name != chosen.column)]
    copies = int(frame[features].duplicated().sum()) if features else 0
    marks = {c.name: list(c.marks) for c in columns if c.marks}
    if format_of(path) == "csv":
        reader |= {"missing": marks} if marks else {}
        reader |= {"decimal": ","} if any(c.comma for c in columns) else {}
    days = {c.name: _span(frame[c.name]) for c in columns if c.kind == "date" and not c.missing}
    days = {name: span for name, span in days.items() if span}
    told = list(complaints(frame, columns, chosen, label is not None, twins, copies))
    return Look(os.fspath(path), len(frame), columns, chosen, possible, copies, twins, days, reader, told)


def _described(raw: pd.DataFrame, where: str) -> tuple[pd.DataFrame, list[Column]]:
    """Return the cleaned columns, empty those that hold no single values, and what each is."""
    clean: dict[str, Any] = {}
    columns = []
    for name in raw.columns:
        try:
            clean[name] = cleaned(raw[name], where)
            columns.append(describe(clean[name]))
        except DatasetError:
            clean[name] = np.nan
            columns.append(Column(name, "unusable", 0.0, 0, str(raw[name].iloc[0])[:24], True))
    return raw.assign(**clean), columns


def _span(dates: pd.Series) -> int:
    """Return the days from the first to the last, both counted; 0 if it cannot be said."""
    try:
        return int(np.ptp(day_numbers(dates, ""))) + 1
    except DatasetError:
        return 0


def first_line_says(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what the first line says of the separator of a CSV, as options of its reader."""
    if format_of(path) != "csv" or not os.path.isfile(path):
        return {}
    with open_bytes(path) as file:
        first = file.readline().decode("utf-8", "replace")
    count = {name: first.count(mark) for name, mark in ((",", ","), (";", ";"), ("tab", "\t"))}
    best = max(count, key=lambda name: count[name])
    return {} if best == "," or os.fspath(path).endswith(".tsv") else {"separator": best}


def _twins(frame: pd.DataFrame) -> dict[str, str]:
    """Return columns with the values of an earlier one, and that one."""
    import pandas as pd

    first: dict[tuple[int, str], str] = {}
    twins = {}
    for name in frame.columns:
        values = frame[name]
        text = values if pd.api.types.is_numeric_dtype(values) else values.astype(str)
        key = (int(pd.util.hash_pandas_object(text, index=False).sum()), str(text.dtype))
        earlier = first.setdefault(key, name)
        if earlier != name and frame[earlier].equals(values) and values.notna().any():
            twins[name] = earlier
    return twins
