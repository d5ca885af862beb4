"""Hits that a list promises, from a package's held-out scores, and those it had when its labels are there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from attop._core.files import read_json
from attop.experiment._forecast import HeldOut
from attop_bench.data.base import DatasetError, load_arrays, save_arrays
from attop_bench.data.formats import Table
from attop_bench.data.kinds.columns import comparison_of, is_positive
from attop_bench.deploy.lists import own_rows, read_list

HELD_OUT = "held-out.npz"


def write_held_out(path: Path, models: Sequence[Sequence[HeldOut]]) -> None:
    """Write the held-out scores of the chosen model, and of its rivals on the same parts."""
    first = models[0] if models else []
    arrays = {
        "size": np.array([len(part.rows) for part in first], np.int64),
        "rows": np.concatenate([part.rows for part in first] or [np.empty(0, np.int64)]),
        "label": np.concatenate([part.y_true for part in first] or [np.empty(0, np.int64)]),
        "scores": np.array([np.concatenate([part.y_score for part in parts]) for parts in models]),
    }
    if first and first[0].entity is not None:
        arrays["entity"] = np.concatenate([part.entity for part in first])
    save_arrays(path, arrays)


def read_held_out(path: Path) -> list[list[HeldOut]]:
    """Read what `write_held_out` wrote."""
    arrays, _ = load_arrays(path)
    ends = np.cumsum(arrays["size"])[:-1]
    rows, labels = (np.split(arrays[name], ends) for name in ("rows", "label"))
    entities = np.split(arrays["entity"], ends) if "entity" in arrays else [None] * len(rows)
    return [
        [HeldOut(*part) for part in zip(rows, labels, np.split(z, ends), entities, strict=True)]
        for z in arrays["scores"]
    ]


def promise_path(file: str | Path) -> Path:
    """Return the file beside a list that holds its promise."""
    return Path(file).with_suffix(".promise.json")


def read_promise(file: Path) -> dict[str, Any] | None:
    """Return the promise beside a list; None if there is none."""
    where = promise_path(file)
    if not where.is_file():
        return None
    try:
        promise = read_json(where)
        if not 0 <= promise["least"] <= promise["k"]:
            raise ValueError(f"least must be from 0 to k, got {promise['least']} of {promise['k']}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DatasetError(f"{where} is no promise of attop score: {error}; write the list again") from None
    return promise


def labels_of(
    file: Path, column: str, positive: Any = "1", values: Sequence[str] | None = ("0", "1")
) -> pd.Series:
    """Return the labels of a list's own rows: 1, 0, or NaN where there is none yet.

    They are among `values`, if these are given, of which `positive` counts, or 1 and 0.
    """
    frame = read_list(file)
    if column not in frame:
        raise DatasetError(f"{file} has no column {column!r}: write the labels into it, or give --label")
    frame = frame[own_rows(frame)]
    if not len(frame):
        raise DatasetError(f"{file} has no rows: take the list out, or write its rows into it")
    table = Table(frame, str(file), has_types=False)
    text = table.text(column)
    if values is not None:
        if (
            not is_positive(table, column, list(values)).any()
            and is_positive(table, column, ["0", "1"]).any()
        ):
            positive, values = "1", ("0", "1")
        odd = text[text.notna() & ~is_positive(table, column, list(values))]
        if len(odd) and comparison_of(positive) is None:
            usual = ", ".join(map(repr, values[:5]))
            raise DatasetError(f"{file}: column {column!r} must hold {usual} or nothing, got {odd.iloc[0]!r}")
    return pd.Series(is_positive(table, column, positive), text.index, float).where(text.notna())
