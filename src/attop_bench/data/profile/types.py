"""The second step of a look: the type and the role of each column."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from attop.extending import did_you_mean
from attop_bench.data.columns.categories import is_identifier
from attop_bench.data.errors import DatasetError
from attop_bench.data.profile.likeness import NEARLY
from attop_bench.data.profile.profile import Profile
from attop_bench.data.profile.readers import KINDS, Column, describe
from attop_bench.data.reading.table import UNNAMED, Table

#: Signs of an example, and how one of codes begins.
_SHOWN, _CODE = 24, re.compile(r"\d+([eE]\d*)?")


def type_columns(profile: Profile) -> Profile:
    """Type the columns and describe them, as their values and names say, or the answers."""
    table = profile.table
    frame, columns = _described(table)
    if not profile.finds_missing:
        columns = [replace(column, marks=()) for column in columns]
    # Numbers or names of rows.
    unnamed = {c.name: "identifier" for c in columns if UNNAMED.fullmatch(c.name)}
    columns = _answered(
        columns, {**unnamed, **(profile.answers.roles or {})}, table
    )
    return replace(profile, frame=frame, columns=tuple(columns))


def _described(table: Table) -> tuple[pd.DataFrame, list[Column]]:
    """Read the values of the columns, NaN in those that are unusable, and describe each column."""
    clean: dict[str, Any] = {}
    examples = {}
    for name, raw in table.frame.items():
        try:
            clean[name] = table.values(name)
            gaps = clean[name].array.isna()
            examples[name] = (
                "" if gaps.all() else str(raw.iloc[gaps.argmin()]).strip()[:_SHOWN]
            )
        except DatasetError:
            clean[name] = np.nan
    frame = pd.DataFrame(clean, index=table.frame.index)
    columns = [
        _with_zeros(describe(frame, name, examples[name]), table, frame)
        if name in examples
        else _unusable(name, table.frame[name])
        for name in frame
    ]
    return frame, columns


def _unusable(name: str, raw: pd.Series) -> Column:
    """Describe a column whose values cannot be read."""
    return Column(
        "unusable",
        name=name,
        missing=0.0,
        distinct=0,
        example=str(raw.iloc[0])[:_SHOWN],
        text=True,
    )


def _with_zeros(column: Column, table: Table, frame: pd.DataFrame) -> Column:
    """Take a column of numbers for codes if all are written as codes are: 01234, with a 0, or 1E5."""
    is_number = column.kind == "number" and not table.has_types
    # Of all that are codes the first is one.
    if not is_number or not _CODE.fullmatch(column.example):
        return column
    # Of a number there are 1E+05 and 1.5E5.
    if not table.frame[column.name].str.contains("^[^1-9]*0.|[eE]").any():
        return column
    text = table.text(column.name).dropna()
    powers = text.str.fullmatch(r"\d+[eE]\d+").all()
    zeros = (
        text.str.isdecimal().all()
        and text.str.len().nunique() == 1
        and text.str.match(r"0\d").any()
    )
    if not (zeros or powers):
        return column
    single = column.distinct >= NEARLY * len(text) or is_identifier(
        text.nunique(), len(text)
    )
    kind = describe(
        frame.assign(**{column.name: text}), column.name, column.example
    ).kind
    if kind not in ("entity", "group"):
        kind = "identifier" if single else "category"
    return replace(
        column,
        kind=kind,
        why="written as codes are: 01234 or 1E5",
        otherwise="number",
    )


def _answered(
    columns: Sequence[Column], roles: Mapping[str, str], table: Table
) -> list[Column]:
    """Set the kinds of the columns that a person has named."""
    names, where = [c.name for c in columns], table.where
    for name, kind in roles.items():
        if name not in names:
            raise DatasetError(
                f"{where}: no column {name!r}; {did_you_mean(name, names)}"
            )
        if kind not in KINDS:
            raise DatasetError(
                f"{where}: column {name!r}: {kind!r} is no role; {did_you_mean(kind, KINDS)}"
            )
    for column in columns:
        if roles.get(column.name) == "number" and not column.marks:
            table.numbers(column.name)  # or it is refused
    return [
        replace(c, kind=roles[c.name], otherwise="", own=True)
        if c.name in roles
        else c
        for c in columns
    ]
