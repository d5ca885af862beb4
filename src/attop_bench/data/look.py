"""A look at a table before training: its columns, the likely label, and all that is wrong."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from attop.extending import did_you_mean, join_first
from attop_bench.data.base import DatasetError
from attop_bench.data.beside import remarks_on_files
from attop_bench.data.dialect import lines_of, read_as_found, written_oddly
from attop_bench.data.findings import Look
from attop_bench.data.formats import UNNAMED, Table
from attop_bench.data.gaps import as_options, gaps, remarks, sentinels, usual_words
from attop_bench.data.kinds.columns import column_of, day_numbers, is_identifier, positive_labels
from attop_bench.data.labels import as_label, candidates, having, unknown
from attop_bench.data.leaks import leaks
from attop_bench.data.likeness import FEW, NEARLY
from attop_bench.data.roles import KINDS, Column, describe
from attop_bench.data.written import GAPS
from attop_bench.files import StrPath

#: Rows that are looked at, of a longer table in so many runs of rows that follow each other.
_SAMPLE, _RUNS = 200_000, 100


def look(
    path: StrPath,
    label: str | None = None,
    positive: object = None,
    roles: Mapping[str, str] | None = None,
    form: str | None = None,
    given: Mapping[str, Any] | None = None,
    negative: Sequence[object] | None = None,
) -> Look:
    """Look at a table in a file.

    `label` is by default the likeliest column, `positive` its likeliest value, or a list of values;
    `negative` are the values of the other class, where rows of further values are to be left out. `roles` are
    the kinds of columns, such as entity, where they are known better than by their values and names; `form`
    and `given` are the format and options of its reader.
    """
    table, reader, findings = read_as_found(path, form, given or {}, label)
    rows = len(table.frame)
    if table.frame.shape[1] == 1:
        raise DatasetError(
            f"{table.where}: one column, {table.frame.columns[0][:60]!r}: name what separates the fields, as "
            "--reader separator=X; remove quotes around lines as a whole"
        )
    table = replace(table, frame=_sampled(table.frame))
    frame, columns = _described(table)
    columns = [replace(c, marks=()) for c in columns] if table.has_types else columns  # only CSV has options
    unnamed = {c.name: "identifier" for c in columns if UNNAMED.fullmatch(c.name)}  # numbers or names of rows
    columns = _answered(columns, {**unnamed, **(roles or {})}, table.where)
    choose = not table.has_types and "missing" not in (given or {})
    possible = candidates(table, frame, columns)
    chosen = possible[0] if possible else None
    if label is not None:
        label = column_of(frame, label, table.where)
        values = frame[label].dropna().unique()
        if choose and len(values) == 1:
            table, frame, columns = _with_missing(table, frame, columns, {label: False})
            findings.append(f"{label}: {values[0]} or nothing, which is read as the other label")
        chosen = as_label(table, frame, label, positive, negative)
    elif positive is not None:
        chosen = having(positive, table, frame, possible, negative)
    elif negative is not None and chosen is not None:
        chosen = as_label(table, frame, chosen.column, None, negative)
    if choose and chosen is not None and (none := unknown(frame[chosen.column])):
        given_marks = sorted({*none, *usual_words(table, chosen.column)} - set(_texts(positive)))
        table, frame, columns = _with_missing(table, frame, columns, {chosen.column: given_marks})
        chosen = as_label(table, frame, chosen.column, positive, negative)
        back = f"--reader 'missing={{{chosen.column}: []}}'"
        findings.append(f"{chosen.column}: {join_first(none)} is read as no label; as one: {back}")
    of_label = None if chosen is None else chosen.column
    if choose:
        kinds = ("category", "yes/no", "constant")
        names = [c.name for c in columns if c.missing and c.text and c.kind in kinds and c.name != of_label]
        y = None if chosen is None else positive_labels(table, chosen.column, chosen.positive)
        words = gaps(table, names, y)
        findings += remarks(words)
        if options := as_options(words):
            table, frame, columns = _with_missing(table, frame, columns, options)
    twins = _twins(frame)
    features = [c.name for c in columns if c.is_feature and c.name != of_label]
    copies = int(frame[features].duplicated().sum()) if features else 0
    if "missing" in (given or {}):
        columns = [replace(c, marks=()) for c in columns]
    if marks := {c.name: [*c.marks, *usual_words(table, c.name)] for c in columns if c.marks}:
        table, frame, _ = _with_missing(table, frame, columns, marks)
    if table.missing:
        reader["missing"] = table.missing
    plain = [c.name for c in columns if c.kind == "number" and c.name != of_label]
    spans = {c.name: _span(frame[c.name]) for c in columns if c.kind == "date" and not c.missing}
    lacking, undecided_rows, telling = 0, 0, {}
    if chosen is not None:
        lacking = int(frame[chosen.column].isna().sum())
        labelled = frame[chosen.column].notna() & ~frame[chosen.column].isin(chosen.left_out)
        y = positive_labels(table, chosen.column, chosen.positive)[labelled]
        telling = leaks(frame[labelled], columns, chosen.column, y)
        undecided_rows = len(frame) - lacking - len(y)
    return Look(
        os.fspath(path),
        rows,
        len(frame),
        columns,
        chosen,
        label is not None,
        possible,
        lacking,
        undecided_rows,
        copies,
        twins,
        telling,
        {name: span for name, span in spans.items() if span},
        form,
        reader,
        [
            *remarks_on_files(path, table, of_label),
            *findings,
            *sentinels(frame, plain),
            *written_oddly(table, frame),
        ],
        table.ledger,
        lines_of(table.suspects) if table.ledger.doubtful else [],
    )


def _texts(positive: object) -> list[str]:
    """Return one value, or several, as text."""
    return [str(value) for value in (positive if isinstance(positive, list) else [positive])]


def _sampled(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table, or of a long one runs of rows, and some with each sort of value a column has."""
    if len(frame) <= _SAMPLE:
        return frame
    start = np.linspace(0, len(frame) - _SAMPLE // _RUNS, _RUNS).astype(int)
    rows = [(start[:, None] + np.arange(_SAMPLE // _RUNS)).ravel()]
    for _, values in frame.items():
        text = pd.api.types.is_string_dtype(values)
        sort = values.isna().to_numpy(int)
        if text or pd.api.types.is_numeric_dtype(values):
            sort, distinct = pd.factorize(values, use_na_sentinel=False)
            if len(distinct) > FEW:
                kinds = distinct.isna().astype(int)
                if text:
                    kinds = kinds + 2 * distinct.isin(GAPS) + 4 * distinct.str.contains(r"\d", na=False)
                sort = kinds[sort]
        rows.append(pd.Series(sort).groupby(sort).head(FEW).index)
    return frame.iloc[np.unique(np.concatenate(rows))].reset_index(drop=True)


def _described(table: Table) -> tuple[pd.DataFrame, list[Column]]:
    """Return the values of the columns, NaN in those that are unusable, and a description of each."""
    clean: dict[str, Any] = {}
    examples = {}
    for name, raw in table.frame.items():
        try:
            clean[name] = table.values(name)
            first = clean[name].first_valid_index()
            examples[name] = "" if first is None else str(raw[first]).strip()[:24]
        except DatasetError:
            clean[name] = np.nan
    frame = table.frame.assign(**clean)
    columns = [
        _with_zeros(describe(frame, name, examples[name]), table, frame)
        if name in examples
        else Column(name, "unusable", 0.0, 0, str(table.frame[name].iloc[0])[:24], True)
        for name in frame
    ]
    return frame, columns


def _with_zeros(column: Column, table: Table, frame: pd.DataFrame) -> Column:
    """Return a column of numbers as one of codes if all are written as such: 01234, with a 0, or 1E5."""
    if column.kind != "number" or table.has_types:
        return column
    text = table.text(column.name).dropna()
    powers = text.str.fullmatch(r"\d+[eE]\d+").all()  # of a number there are 1E+05 and 1.5E5
    zeros = text.str.isdecimal().all() and text.str.len().nunique() == 1 and text.str.match(r"0\d").any()
    if not (zeros or powers):
        return column
    single = column.distinct >= NEARLY * len(text) or is_identifier(text)
    kind = describe(frame.assign(**{column.name: text}), column.name, column.example).kind
    kind = kind if kind in ("entity", "group") else "identifier" if single else "category"
    return replace(column, kind=kind, why="written as codes are: 01234 or 1E5", otherwise="number")


def _with_missing(
    table: Table, frame: pd.DataFrame, columns: list[Column], words: Mapping[str, Any]
) -> tuple[Table, pd.DataFrame, list[Column]]:
    """Read some columns again, with these words for what is missing."""
    table = replace(table, missing={**(table.missing or {}), **words})
    frame = frame.assign(**{name: table.values(name) for name in words})
    return table, frame, [describe(frame, c.name, c.example) if c.name in words else c for c in columns]


def _answered(columns: list[Column], roles: Mapping[str, str], where: str) -> list[Column]:
    """Return columns with the kinds that were given."""
    names = [c.name for c in columns]
    for name, kind in roles.items():
        if name not in names:
            raise DatasetError(f"{where}: no column {name!r}; {did_you_mean(name, names)}")
        if kind not in KINDS:
            raise DatasetError(f"{where}: column {name!r}: {kind!r} is no role; {did_you_mean(kind, KINDS)}")
    return [replace(c, kind=roles[c.name], otherwise="", own=True) if c.name in roles else c for c in columns]


def _span(dates: pd.Series) -> int:
    """Return the days from the first to the last, both counted; 0 if they are no dates.

    Dates that are all the first of a month stand for whole months.
    """
    try:
        numbers = day_numbers(dates, "")
    except DatasetError:
        return 0
    first, last = int(numbers.min()), int(numbers.max())
    if first == last or pd.api.types.is_numeric_dtype(dates):
        return last - first + 1
    days = np.unique(numbers).astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    if (days == months).all():
        last = int((months[-1] + 1).astype("datetime64[D]").astype(int)) - 1
    return last - first + 1


def _twins(frame: pd.DataFrame) -> dict[str, str]:
    """Return column -> an earlier one with the same values."""
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
