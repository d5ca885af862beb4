"""A look at a table before training: its columns, the likely label, and all that is wrong.

Five steps, each a function from one profile to the next: the table is read, its columns are typed, the label
is chosen, then what is missing is decided, and the evidence is gathered.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from attop_bench.data.columns.days import day_numbers
from attop_bench.data.columns.labels import comparison_of
from attop_bench.data.errors import DatasetError
from attop_bench.data.profile.files_beside import files_beside, remarks_on_files
from attop_bench.data.profile.findings import Look
from attop_bench.data.profile.labels import choose_label
from attop_bench.data.profile.leaks import leaks
from attop_bench.data.profile.missing import (
    decide_missing,
    sentinels,
    table_beside,
    words_for_nothing,
)
from attop_bench.data.profile.neighbours import remarks_on_neighbours
from attop_bench.data.profile.profile import Answers, Profile
from attop_bench.data.profile.readers import Column
from attop_bench.data.profile.rows import read
from attop_bench.data.profile.turned import remarks_on_direction
from attop_bench.data.profile.types import type_columns
from attop_bench.data.reading.as_found import lines_of, written_oddly
from attop_bench.files import StrPath

#: Columns in which most rows differ, if they differ at all.
_TELLING = 8


def look(
    path: StrPath,
    label: str | None = None,
    positive: object = None,
    roles: Mapping[str, str] | None = None,
    form: str | None = None,
    given: Mapping[str, Any] | None = None,
    negative: Sequence[object] | None = None,
    labels: str | Mapping[str, Any] | None = None,
) -> Look:
    """Look at a table in a file.

    `label` is by default the likeliest column, `positive` its likeliest value, or a list of values;
    `negative` are the values of the other class, where rows of further values are to be left out. `roles` are
    the kinds of columns, such as entity, where they are known better than by their values and names; `form`
    and `given` are the format and options of its reader. `labels` are those of another file, as in a
    configuration.
    """
    answers = Answers(
        label, positive, negative, roles or {}, given or {}, labels=labels
    )
    profile = read(path, form, answers)
    profile = type_columns(profile)
    profile = choose_label(profile)
    profile = decide_missing(profile)
    return evidence(profile, form)


def evidence(profile: Profile, form: str | None) -> Look:
    """Gather all findings on a table whose columns, label and missing values are decided."""
    table, frame, y = profile.table, profile.frame, profile.positives
    answers = profile.answers
    others = [c for c in profile.columns if c.name != profile.of_label]
    features = [c.name for c in others if c.is_feature]
    dates = [c.name for c in profile.columns if c.kind == "date" and not c.missing]
    spans = {name: _span(frame[name]) for name in dates}
    unlabelled, undecided = _without_class(profile)
    classed = ~(unlabelled | undecided)
    leaking = {}
    if profile.label is not None and y is not None:
        label = profile.label.column
        leaking = leaks(frame[classed], profile.columns, label, y[classed])
    return Look(
        path=os.fspath(profile.path),
        rows=profile.rows,
        sample=len(frame),
        columns=list(profile.columns),
        label=profile.label,
        named=answers.label is not None,
        candidates=list(profile.candidates),
        unlabelled=int(unlabelled.sum()),
        undecided=int(undecided.sum()),
        copies=_count_copies(frame[features]),
        twins=_twins(frame),
        leaks=leaking,
        days={
            name: span
            for name, span in spans.items()
            if span and name not in leaking
        },
        format=form,
        labels=answers.labels,
        reader=profile.reader,
        said=list(_remarks(profile, leaking)),
        ledger=table.ledger,
        doubtful=lines_of(table.suspects) if table.ledger.doubtful else [],
    )


def _remarks(profile: Profile, leaking: Mapping[str, str]) -> Iterator[str]:
    """Yield what is to be said of a table as a whole; `leaking` columns are not spoken of again."""
    table, frame = profile.table, profile.frame
    others = [c for c in profile.columns if c.name != profile.of_label]
    numbers = [c.name for c in _measured(profile) if c.kind == "number"]
    words = [c.name for c in others if c.kind == "category" and c.text]
    options = [profile.answers.labels, *profile.reader.values()]
    files = files_beside(profile.path, options)
    yield from remarks_on_direction(table)
    if files:
        yield from remarks_on_files(files, table, profile.of_label)
    yield from profile.remarks
    yield from table_beside(frame)
    yield from sentinels(table, frame, numbers)
    categories = [name for name in words if name not in leaking]
    yield from words_for_nothing(table, frame, categories)
    yield from remarks_on_neighbours(frame, others)
    yield from written_oddly(table, frame)


def _measured(profile: Profile) -> list[Column]:
    """List the columns whose numbers count by their size: all but a label of single values."""
    label = profile.label
    is_compared = label is not None and comparison_of(label.positive) is not None
    return [c for c in profile.columns if is_compared or c.name != profile.of_label]


def _without_class(profile: Profile) -> tuple[pd.Series, pd.Series]:
    """Mark the rows that have no label, and those that have a label of another outcome."""
    if profile.label is None:
        none = pd.Series(False, profile.frame.index)
        return none, none
    values = profile.frame[profile.label.column]
    return values.isna(), values.isin(profile.label.left_out)


def _span(dates: pd.Series) -> int:
    """Count the days from the first to the last, both included; 0 if the values are no dates.

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


def _count_copies(features: pd.DataFrame) -> int:
    """Count the rows with the values of an earlier row: none where rows differ in some columns."""
    if not features.iloc[:, :_TELLING].duplicated().any():
        return 0
    return int(features.duplicated().sum())


def _digest(values: pd.Series) -> int:
    """Compute a number that is equal for columns of equal values."""
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "biuf":
        return hash(values.to_numpy().tobytes())
    codes, distinct = pd.factorize(values)
    return hash((codes.tobytes(), *distinct))


def _twins(frame: pd.DataFrame) -> dict[str, str]:
    """Map each column that repeats an earlier one to the name of that one."""
    first: dict[tuple[int, str], str] = {}
    twins = {}
    for name in frame.columns:
        values = frame[name]
        key = (_digest(values), str(values.dtype))
        earlier = first.setdefault(key, name)
        if (
            earlier != name
            and frame[earlier].equals(values)
            and values.notna().any()
        ):
            twins[name] = earlier
    return twins
