"""The first step of a look: the rows of a file, or of a long one a sample."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from attop.extending import Ints
from attop_bench.data.errors import DatasetError
from attop_bench.data.profile.likeness import FEW
from attop_bench.data.profile.profile import Answers, Profile
from attop_bench.data.reading.as_found import read_as_found
from attop_bench.data.reading.cells import GAPS
from attop_bench.data.reading.labels_beside import labels_of, with_labels
from attop_bench.data.reading.lists import BESIDE
from attop_bench.files import StrPath

#: Rows that are looked at, of a longer table in so many runs of rows that follow each other.
_SAMPLE, _RUNS = 200_000, 100


def read(path: StrPath, form: str | None, answers: Answers) -> Profile:
    """Read a table, in the way that it is found to be written."""
    table, reader, remarks = read_as_found(
        path, form, answers.reader or {}, answers.label
    )
    sources = (source for source in BESIDE if reader.get(source.option))
    roles = {source.column: source.role for source in sources}
    answers = replace(answers, roles={**roles, **(answers.roles or {})})
    if answers.labels is not None:
        labels = labels_of(answers.labels, table.where)
        joined = with_labels(table, labels, answers.label, table.where)
        table, remarks = joined.rows, [*remarks, *filter(None, [joined.counts])]
        answers = replace(answers, label=joined.label)
    if table.frame.shape[1] == 1:
        raise DatasetError(
            f"{table.where}: one column, {table.frame.columns[0][:60]!r}: name what separates the fields, as "
            "--reader separator=X; remove quotes around lines as a whole"
        )
    sample = replace(table, frame=_sampled(table.frame))
    return Profile(
        path=path,
        answers=answers,
        rows=len(table.frame),
        table=sample,
        reader=reader,
        remarks=tuple(remarks),
    )


def _sampled(frame: pd.DataFrame) -> pd.DataFrame:
    """Sample a long table: runs of rows, and some rows with each sort of value of each column."""
    if len(frame) <= _SAMPLE:
        return frame
    start = np.linspace(0, len(frame) - _SAMPLE // _RUNS, _RUNS).astype(int)
    rows = [(start[:, None] + np.arange(_SAMPLE // _RUNS)).ravel()]
    for _, values in frame.items():
        sort = pd.Series(_sorts_of(values))
        rows.append(sort.groupby(sort).head(FEW).index)
    return frame.iloc[np.unique(np.concatenate(rows))].reset_index(drop=True)


def _sorts_of(values: pd.Series) -> Ints:
    """Number the sort of each value: itself where values are few, else whether there is a value."""
    text = pd.api.types.is_string_dtype(values)
    if not (text or pd.api.types.is_numeric_dtype(values)):
        return values.isna().to_numpy(int)
    sort, distinct = pd.factorize(values, use_na_sentinel=False)
    if len(distinct) <= FEW:
        return sort
    kinds = distinct.isna().astype(int)
    if text:
        kinds = (
            kinds
            + 2 * distinct.isin(GAPS)
            + 4 * distinct.str.contains(r"\d", na=False)
        )
    return kinds[sort]
