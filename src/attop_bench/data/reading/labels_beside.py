"""Labels of another file: one a line in the order of the rows, or by a column that both files have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, StrictStr, ValidationError

from attop.extending import count_noun, did_you_mean
from attop_bench.data.errors import DatasetError
from attop_bench.data.parameters import refusal
from attop_bench.data.reading.formats import read_table
from attop_bench.data.reading.table import Table
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd


class JoinedLabels(BaseModel):
    """A table of labels, each for the rows with the same value of a column that both files have.

    Rows of which it has none are left out, and counted.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: File of the labels.
    path: StrPath
    #: Column of both files that says which label is whose, such as an account's number.
    on: StrictStr
    #: See `read_table`.
    format: StrictStr | None = None
    #: Parameters of the format's reader.
    reader: Mapping[str, Any] | None = None

    @property
    def rule(self) -> str:
        """Rule by which rows are left out."""
        return f"without a label in {self.path} (labels, by {self.on})"


class Labelled(NamedTuple):
    """Rows with the labels of another file."""

    #: Column of the labels.
    label: str
    rows: Table
    #: Numbers of rows and keys that were joined, in words; empty of labels in the order of the rows.
    counts: str


def labels_of(
    labels: StrPath | Mapping[str, Any], where: str
) -> JoinedLabels | StrPath:
    """Check labels of another file, as a configuration has them."""
    if not isinstance(labels, Mapping):
        return labels
    try:
        return JoinedLabels(**labels)
    except ValidationError as error:
        raise refusal(where, "labels", labels, error) from None


def with_labels(
    rows: Table, labels: JoinedLabels | StrPath, label: str | int | None, where: str
) -> Labelled:
    """Add the labels of another file to rows."""
    if isinstance(labels, JoinedLabels):
        return _by_key(rows, labels, label, where)
    column = read_table(labels, "csv", {"header": False}).frame
    comes_back = column.duplicated(keep=False).iloc[0]
    if len(column) == len(rows.frame) + 1 and not comes_back:
        # The first line is a header.
        column = column.iloc[1:]
    if column.shape != (len(rows.frame), 1) or label is not None:
        raise DatasetError(
            f"{where}: labels: {labels} has {column.shape[0]} rows of {column.shape[1]}, for "
            f"{len(rows.frame)} rows: give one label a row, and leave label out"
        )
    return Labelled(
        "label",
        replace(rows, frame=rows.frame.assign(label=column.to_numpy()[:, 0])),
        "",
    )


def _by_key(
    rows: Table, labels: JoinedLabels, label: str | int | None, where: str
) -> Labelled:
    """Join each row with the label of its key; a row whose key has no label has a missing one."""
    other = read_table(labels.path, labels.format, labels.reader)
    for table in (rows, other):
        if labels.on not in table.frame:
            hint = did_you_mean(labels.on, table.frame)
            if (
                table is other
                and not other.has_types
                and len(other.frame.columns) == 1
            ):
                hint = f"one column, {other.frame.columns[0]!r}: set separator in its reader"
            raise DatasetError(
                f"{where}: labels: {table.where} has no column {labels.on!r}; {hint}"
            )
    name = _column_of_labels(rows, other, labels, label, where)
    keys = other.text(labels.on)
    values = other.text(name)
    present = keys.notna()
    _refuse_contradictions(keys[present], values[present], labels, where)
    label_of = dict(zip(keys[present], values[present], strict=True))
    of_rows = rows.text(labels.on)
    joined = of_rows.map(label_of).astype(object)
    if not joined.notna().any():
        examples = f"{next(iter(label_of), None)!r}, here {of_rows.iloc[0]!r}"
        raise DatasetError(
            f"{where}: labels: no {labels.on} of {labels.path} is one of the rows, such as {examples}"
        )
    matched = int(joined.notna().sum())
    unknown = len(label_of.keys() - set(of_rows))
    counts = (
        f"{labels.path} by {labels.on}: {matched:,} rows with a label, {len(joined) - matched:,} without; "
        f"{unknown:,} of its {len(label_of):,} values of {labels.on} have no row"
    )
    joined = joined.where(joined.notna(), None if rows.has_types else "")
    return Labelled(
        name, replace(rows, frame=rows.frame.assign(**{name: joined})), counts
    )


def _column_of_labels(
    rows: Table,
    other: Table,
    labels: JoinedLabels,
    label: str | int | None,
    where: str,
) -> str:
    """Find the column of labels in the other file: `label`, or the only one beside the key."""
    columns = [name for name in other.frame if name != labels.on]
    name = label
    if label is None and len(columns) == 1:
        name = columns[0]
    if name not in columns:
        got = (
            "label is not given" if label is None else f"it has no column {label!r}"
        )
        raise DatasetError(
            f"{where}: labels: {labels.path}: {got}: give label, one of {', '.join(map(str, columns))}"
        )
    if name in rows.frame:
        raise DatasetError(
            f"{where}: labels: both files have a column {name!r}: rename that of the rows, or leave labels "
            "out"
        )
    return str(name)


def _refuse_contradictions(
    keys: pd.Series, values: pd.Series, labels: JoinedLabels, where: str
) -> None:
    """Refuse a key with two labels."""
    labels_of_key = values.fillna("").groupby(keys).nunique()
    several = labels_of_key[labels_of_key > 1]
    if len(several):
        key = several.index[0]
        raise DatasetError(
            f"{where}: labels: {labels.path} has {several.iloc[0]} labels for {labels.on} {key!r}, and "
            f"{count_noun(len(several), labels.on)} of this kind: keep one line of each"
        )
