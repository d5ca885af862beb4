"""Tables of stored predictions: read, and refused where methods could not be compared by them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from attop.core.typing import Floats, Ints
from attop.core.wording import did_you_mean
from attop_bench.data.base import DatasetError
from attop_bench.data.formats import read_frame

__all__ = ["COLUMNS", "OPTIONAL", "Part", "check_agree", "files_of", "items_of", "read_predictions"]

#: What a table of predictions must have: one row for each item that a run scored.
COLUMNS = ("dataset", "method", "fold", "row", "label", "score")
#: And what it may have: 0, one list, and 1 for each row if left out.
OPTIONAL = ("repeat", "group", "weight")
_SUFFIXES = (".csv", ".tsv", ".parquet", ".pq")


@dataclass(frozen=True)
class Part:
    """The items of one fold, the same for every method: row numbers in order, labels, groups, weights."""

    rows: Ints
    y: Ints
    groups: Ints | None
    weights: Floats | None


def files_of(place: str | Path) -> list[Path]:
    """Return the files of predictions below a folder, or the file itself.

    Raises
    ------
    DatasetError
        If there are none.
    """
    path = Path(place)
    found = [path] if path.is_file() else sorted(f for f in path.rglob("*") if f.name.endswith(_SUFFIXES))
    if not found:
        raise DatasetError(
            f"{place}: no file of predictions ({', '.join(_SUFFIXES)}): give a file or a folder"
        )
    return found


def read_predictions(path: Path, rename: Mapping[str, str]) -> pd.DataFrame:
    """Return the columns `COLUMNS` and those of `OPTIONAL` that a file has.

    Raises
    ------
    DatasetError
        If one is missing, has gaps or is not numeric where it must be.
    """
    frame = read_frame(path)
    frame = frame.rename(columns=dict(rename))
    missing = [name for name in COLUMNS if name not in frame.columns]
    if missing:
        raise DatasetError(
            f"{path}: no column {missing[0]!r}; {did_you_mean(missing[0], frame.columns)}; name the one that "
            f"holds it: --rename COLUMN={missing[0]}"
        )
    frame = frame[[*COLUMNS, *(name for name in OPTIONAL if name in frame.columns)]]
    gaps = [name for name in frame if frame[name].isna().any()]
    if gaps:
        raise DatasetError(
            f"{path}: column {gaps[0]!r} has missing values: leave out runs that have no scores"
        )
    for name in ("dataset", "method"):
        frame[name] = frame[name].astype(str)
    frame["repeat"] = frame.get("repeat", 0)
    for name in ("label", "score", "weight"):
        if name in frame and not pd.api.types.is_numeric_dtype(frame[name]):
            raise DatasetError(f"{path}: column {name!r} is not numeric, such as {frame[name].iloc[0]!r}")
    return frame


def items_of(run: pd.DataFrame, where: str) -> tuple[Part, Floats]:
    """Return the items of a run in the order of their rows, and their scores."""
    order = np.argsort(run["row"].to_numpy(), kind="stable")
    rows = run["row"].to_numpy()[order]
    if len(rows) > 1 and (rows[1:] == rows[:-1]).any():
        raise DatasetError(f"{where}: a row is scored twice: give each repeat and fold its own number")
    label, scores = run["label"].to_numpy()[order], run["score"].to_numpy(np.float64)[order]
    if not np.isin(label, (0, 1)).all():
        raise DatasetError(f"{where}: labels must be 0 or 1, got {np.unique(label)[:5].tolist()}")
    if not np.isfinite(scores).all():
        raise DatasetError(f"{where}: {int((~np.isfinite(scores)).sum())} scores are NaN or infinite")
    groups = np.unique(run["group"].to_numpy()[order], return_inverse=True)[1] if "group" in run else None
    weights = run["weight"].to_numpy(np.float64)[order] if "weight" in run else None
    return Part(rows, label.astype(np.int64), groups, weights), scores


def check_agree(first: Part, part: Part, where: str, method: str) -> None:
    """Refuse methods that were tested on other rows, or with other labels, than the first of the fold."""
    if not np.array_equal(first.rows, part.rows):
        raise DatasetError(
            f"{where}: the {len(part.rows)} rows of method {method!r} are not the same as the "
            f"{len(first.rows)} of the method before it: methods are compared on the same rows"
        )
    if not np.array_equal(first.y, part.y):
        raise DatasetError(f"{where}: method {method!r} has other labels than the method before it")
