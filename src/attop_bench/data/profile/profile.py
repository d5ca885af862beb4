"""The profile of a table: the findings of the steps of a look so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attop_bench.data.columns.labels import positive_labels
from attop_bench.data.profile.readers import Column, describe
from attop_bench.data.reading.table import Table
from attop_bench.files import StrPath


@dataclass(frozen=True)
class Answers:
    """Answers of a person about a table, before it is looked at."""

    #: Column of the labels; its positive value, or values; those of the other class.
    label: str | None = None
    positive: object = None
    negative: Sequence[object] | None = None
    #: Column -> its kind.
    roles: Mapping[str, str] | None = None
    #: Options of the reader.
    reader: Mapping[str, Any] | None = None
    #: Labels of another file, as in a configuration: a path, or the fields of `JoinedLabels`.
    labels: str | Mapping[str, Any] | None = None

    @property
    def positives(self) -> set[str]:
        """The positive values as text."""
        several = (
            self.positive if isinstance(self.positive, list) else [self.positive]
        )
        return {str(value) for value in several}


@dataclass(frozen=True)
class LabelColumn:
    """A column that could be the label, its positive value, and its share of the labelled rows."""

    column: str
    positive: object
    share: float
    #: What else could be positive.
    otherwise: str = ""
    #: Values that are negative, where not every other value is; and the others, which are left out.
    negative: tuple[object, ...] = ()
    left_out: tuple[object, ...] = ()


@dataclass(frozen=True)
class Profile:
    """A table and its columns, as far as they are known."""

    path: StrPath
    answers: Answers
    #: Rows of the file, of which the table may hold a sample.
    rows: int
    table: Table
    #: Options of the reader that were found or given.
    reader: Mapping[str, Any]
    #: What is to be said of the file and its values.
    remarks: tuple[str, ...] = ()
    #: The values by their types, NaN in columns that are unusable; empty before the columns are typed.
    frame: pd.DataFrame = field(default_factory=pd.DataFrame)
    columns: tuple[Column, ...] = ()
    #: The label, and all columns that could be it, the likeliest first.
    label: LabelColumn | None = None
    candidates: tuple[LabelColumn, ...] = ()

    @property
    def finds_missing(self) -> bool:
        """True if words for nothing are to be found: the file has no types, and nobody has named them."""
        return not self.table.has_types and "missing" not in (
            self.answers.reader or {}
        )

    @property
    def of_label(self) -> str | None:
        """Name of the column of the labels."""
        return None if self.label is None else self.label.column

    @property
    def positives(self) -> NDArray[np.bool_] | None:
        """True for each row that is positive; None without a label."""
        if self.label is None:
            return None
        return positive_labels(self.table, self.label.column, self.label.positive)

    def saying(self, *remarks: str) -> Self:
        """Add remarks to the profile."""
        return replace(self, remarks=(*self.remarks, *remarks))

    def with_missing(self, words: Mapping[str, Any]) -> Self:
        """Read some columns again, with these words for what is missing, and describe them."""
        if not words:
            return self
        again = self.with_values(words)
        columns = [
            again.described(column) if column.name in words else column
            for column in self.columns
        ]
        return replace(again, columns=tuple(columns))

    def described(self, column: Column) -> Column:
        """Describe a column once more; a kind that was given stays."""
        new = describe(self.frame, column.name, column.example)
        return (
            replace(new, kind=column.kind, otherwise="", own=True)
            if column.own
            else new
        )

    def with_values(self, words: Mapping[str, Any]) -> Self:
        """Read some columns again, with these words for what is missing; what they are does not change."""
        if not words:
            return self
        table = replace(self.table, missing={**(self.table.missing or {}), **words})
        frame = self.frame.assign(**{name: table.values(name) for name in words})
        return replace(self, table=table, frame=frame)
