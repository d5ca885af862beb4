"""The last step of a look: copies, dates, leaks and files beside, and all that is to be said."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd

from attop_bench.data.columns.days import day_numbers
from attop_bench.data.columns.labels import positive_labels
from attop_bench.data.errors import DatasetError
from attop_bench.data.profile.files_beside import remarks_on_files
from attop_bench.data.profile.findings import Look
from attop_bench.data.profile.leaks import leaks
from attop_bench.data.profile.missing import sentinels
from attop_bench.data.profile.profile import Profile
from attop_bench.data.reading.as_found import lines_of, written_oddly


def evidence(profile: Profile, form: str | None) -> Look:
    """Gather all findings on a table whose columns, label and missing values are decided."""
    table, frame = profile.table, profile.frame
    label = profile.of_label
    numbers = [
        c.name for c in profile.columns if c.kind == "number" and c.name != label
    ]
    features = [c.name for c in profile.columns if c.is_feature and c.name != label]
    spans = {
        c.name: _span(frame[c.name])
        for c in profile.columns
        if c.kind == "date" and not c.missing
    }
    missing, others = _without_class(profile)
    remarks = [
        *remarks_on_files(profile.path, table, label),
        *profile.remarks,
        *sentinels(frame, numbers),
        *written_oddly(table, frame),
    ]
    return Look(
        path=os.fspath(profile.path),
        rows=profile.rows,
        sample=len(frame),
        columns=list(profile.columns),
        label=profile.label,
        named=profile.answers.label is not None,
        candidates=list(profile.candidates),
        unlabelled=int(missing.sum()),
        undecided=int(others.sum()),
        copies=int(frame[features].duplicated().sum()) if features else 0,
        twins=_twins(frame),
        leaks=_leaks(profile, ~(missing | others)),
        days={name: span for name, span in spans.items() if span},
        format=form,
        reader=profile.reader,
        said=remarks,
        ledger=table.ledger,
        doubtful=lines_of(table.suspects) if table.ledger.doubtful else [],
    )


def _without_class(profile: Profile) -> tuple[pd.Series, pd.Series]:
    """Mark the rows that have no label, and those that have a label of another outcome."""
    if profile.label is None:
        none = pd.Series(False, profile.frame.index)
        return none, none
    values = profile.frame[profile.label.column]
    return values.isna(), values.isin(profile.label.left_out)


def _leaks(profile: Profile, labelled: pd.Series) -> dict[str, str]:
    """Find the columns that tell the label nearly alone, among the rows that have a label."""
    label = profile.label
    if label is None:
        return {}
    y = positive_labels(profile.table, label.column, label.positive)[labelled]
    return leaks(profile.frame[labelled], profile.columns, label.column, y)


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


def _digest(values: pd.Series) -> int:
    """Compute a number that is equal for columns of equal values."""
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "biuf":
        return hash(values.to_numpy().tobytes())
    return int(pd.util.hash_pandas_object(values.astype(str), index=False).sum())


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
