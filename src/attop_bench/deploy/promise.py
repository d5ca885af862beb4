"""Hits that a list promises, from a package's held-out scores, and those it had when its labels are there."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, model_validator

from attop.experiment import HeldOut, NextList
from attop.extending import Ints, Top, format_hits
from attop_bench.data.base import DatasetError, load_arrays, save_arrays
from attop_bench.data.columns.labels import comparison_of, is_positive
from attop_bench.data.reading.table import Table
from attop_bench.deploy.lists import own_rows, read_list
from attop_bench.deploy.notes import in_words
from attop_bench.files import read_json

HELD_OUT = "held-out.npz"
#: Hits that even the best promise leaves open.
_NOT_PERFECT = 0.5
_Hits = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Promise(BaseModel):
    """Positives that are expected of a list, and those that are promised."""

    model_config = ConfigDict(strict=True, frozen=True)

    #: k, length: Rows of the list, of how many that were scored.
    k: int = Field(ge=1)
    length: int = Field(ge=1)
    #: expected, low, high: Positives, and the interval of the count in one list, with groups of its mean.
    expected: _Hits | None
    low: _Hits | None
    high: _Hits | None
    #: What the mean of such lists is not below; None if nothing is promised.
    least: _Hits | None
    prevalence: float | None = None
    #: Why nothing is promised; empty if something is.
    reason: str = ""

    @model_validator(mode="after")
    def _is_possible(self) -> Promise:
        numbers = [
            value
            for value in (self.least, self.expected, self.low, self.high)
            if value is not None
        ]
        if any(value > self.k for value in numbers):
            raise ValueError(
                f"no more than the {self.k:,} rows of the list can be positive, got {max(numbers):g}"
            )
        if self.least is not None and self.least > self.k - _NOT_PERFECT:
            raise ValueError(
                f"least must be below the {self.k:,} rows of the list, got {self.least:g}"
            )
        return self

    @property
    def holds(self) -> bool:
        """True if anything is promised."""
        return bool(self.least)

    @classmethod
    def of_list(cls, coming: NextList, prevalence: float | None) -> Promise:
        """Compute the promise of the next list."""
        numbers = {
            name: none_for_nan(getattr(coming, name))
            for name in ("expected", "low", "high", "least")
        }
        promise = cls(
            k=coming.k,
            length=coming.length,
            prevalence=prevalence,
            **{**numbers, "least": None},
            reason=coming.reason or "such lists may hold none",
        )
        return promise.promising(numbers["least"])

    @classmethod
    def of_groups(
        cls,
        k: int,
        length: int,
        precision: Mapping[str, float | None],
        prevalence: float | None,
    ) -> Promise:
        """Compute the promise of `k` rows at the top of groups, by the precision of the test parts."""
        hits = {
            name: None if rate is None else rate * k
            for name, rate in precision.items()
        }
        promise = cls(
            k=k,
            length=length,
            expected=hits["mean"],
            low=hits["low"],
            high=hits["high"],
            least=None,
            prevalence=prevalence,
            reason="one test part has no interval"
            if hits["low"] is None
            else "such lists may hold none",
        )
        if prevalence is not None:
            return promise.without(
                "it is not known what another prevalence does to groups"
            )
        return promise.promising(hits["low"])

    def promising(self, least: float | None) -> Promise:
        """Keep what is promised, where that is more than nothing; a perfect list never is."""
        if not least:
            return self
        return self.model_copy(
            update={"least": min(least, self.k - _NOT_PERFECT), "reason": ""}
        )

    def without(self, reason: str) -> Promise:
        """Drop what is expected or promised."""
        nothing = dict.fromkeys(("expected", "low", "high", "least"))
        return self.model_copy(update={**nothing, "reason": reason})

    @property
    def sentence(self) -> str:
        """The promise, or why there is none."""
        if not self.least:
            return f"Nothing is promised: {self.reason}"
        return f"Promised are at least {format_hits(self.least, self.k)}, the mean of many such lists"


def none_for_nan(value: float) -> float | None:
    """Convert a number to one that JSON can hold."""
    return None if math.isnan(value) else float(value)


def sentence_of_groups(
    top: Top, mean: float, low: float | None, high: float | None
) -> str:
    """Say what to expect at the top of each group, where each has a list of its own."""
    k = None if top.depends_on_sample else top.k
    where = (
        f"the rows at the top of each group ({top})"
        if k is None
        else f"the {k:,} highest of each group"
    )

    # Of a share of each group there is no number to expect.
    def count(share: float) -> str:
        return f"{share:.0%}" if k is None else format_hits(share * k, k)

    interval = ""
    if low is not None and high is not None:
        interval = f" (95% interval of the mean {count(low)} to {count(high)})"
    return f"Of {where} expect {count(mean)} positives{interval}"


def write_held_out(path: Path, models: Sequence[Sequence[HeldOut]]) -> None:
    """Write the held-out scores of the chosen model, and of its rivals on the same parts."""
    first = models[0] if models else []
    arrays = {
        "size": np.array([len(part.rows) for part in first], np.int64),
        "rows": _joined(part.rows for part in first),
        "label": _joined(part.y_true for part in first),
        "scores": np.array(
            [np.concatenate([part.y_score for part in parts]) for parts in models]
        ),
    }
    if first and first[0].entity is not None:
        arrays["entity"] = np.concatenate([part.entity for part in first])
    save_arrays(path, arrays)


def _joined(parts: Iterable[Ints]) -> Ints:
    return np.concatenate([np.empty(0, np.int64), *parts])


def read_held_out(path: Path) -> list[list[HeldOut]]:
    """Read what `write_held_out` wrote."""
    arrays, _ = load_arrays(path)
    ends = np.cumsum(arrays["size"])[:-1]
    rows, labels = (np.split(arrays[name], ends) for name in ("rows", "label"))
    entities = (
        np.split(arrays["entity"], ends)
        if "entity" in arrays
        else [None] * len(rows)
    )
    return [
        [
            HeldOut(*part)
            for part in zip(rows, labels, np.split(z, ends), entities, strict=True)
        ]
        for z in arrays["scores"]
    ]


def promise_path(file: str | Path) -> Path:
    """Name the file beside a list that holds its promise."""
    return Path(file).with_suffix(".promise.json")


def read_promise(file: Path) -> Promise | None:
    """Read the promise beside a list; None if there is none."""
    where = promise_path(file)
    if not os.path.lexists(where):
        return None
    if not where.is_file():
        raise DatasetError(
            f"{where} is no file: take it away, or write the list again"
        )
    try:
        return Promise.model_validate(read_json(where))
    except (OSError, ValueError) as error:
        what = in_words(error) if isinstance(error, ValueError) else str(error)
        raise DatasetError(
            f"{where} is no promise of attop score: {what}; write the list again"
        ) from None


def labels_of(
    file: Path,
    column: str,
    positive: Any = "1",
    values: Sequence[str] | None = ("0", "1"),
) -> pd.Series:
    """Read the labels of a list's own rows: 1, 0, or NaN where there is none yet.

    They are among `values`, if these are given, of which `positive` counts, or 1 and 0.
    """
    frame = read_list(file)
    if column not in frame:
        raise DatasetError(
            f"{file} has no column {column!r}: write the labels into it, or give --label"
        )
    frame = frame[own_rows(frame)]
    if not len(frame):
        raise DatasetError(
            f"{file} has no rows: take the list out, or write its rows into it"
        )
    table = Table(frame, str(file), has_types=False)
    text = table.text(column)
    if values is not None:
        if (
            not is_positive(table, column, list(values)).any()
            and is_positive(table, column, ["0", "1"]).any()
        ):
            positive, values = "1", ("0", "1")
        unreadable = text[text.notna() & ~is_positive(table, column, list(values))]
        if len(unreadable) and comparison_of(positive) is None:
            usual = ", ".join(map(repr, values[:5]))
            raise DatasetError(
                f"{file}: column {column!r} must hold {usual} or nothing, got {unreadable.iloc[0]!r}"
            )
    return pd.Series(is_positive(table, column, positive), text.index, float).where(
        text.notna()
    )
