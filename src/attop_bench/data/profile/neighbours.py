"""Rows that belong together though no column says so: by their names, their order, or their nearness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from attop.extending import Floats, Ints, count_noun, join_first
from attop_bench.data.profile.likeness import (
    FEW,
    FEWEST,
    NEARLY,
    are_alike,
    nearer,
)
from attop_bench.data.profile.readers import Column

#: The last part of a name, such as -01, _b or .png.
_LAST_PART = r"[\W_]*(?:\d+|[^\W\d_]+)$"
_PARTS = 5
#: Rows and columns that are looked at, and fewest columns in which neighbours are nearer.
_ROWS, _COLUMNS, _FEWEST = 20_000, 50, 3
#: Parts that are proposed where neighbours are alike.
_BLOCKS = 20
#: Rows whose nearest rows are sought, how many of these, and the most that may belong to a row.
_SOUGHT, _NEAREST, _OTHERS = 300, 12, 4
#: A step as large, by the mean of the further ones, has by chance one row of 400; share of rows with one.
_LARGE, _SHARE = 8.0, 0.1
_SEED = 0x0A11CE


def remarks_on_neighbours(
    frame: pd.DataFrame, columns: Sequence[Column]
) -> Iterator[str]:
    """Yield a line for names of rows that begin alike, and for rows that follow each other and are alike.

    Where there is neither, rows of any order that are nearly alike have a line. A table with a complete
    column of entities or lists has what keeps such rows on one side; one of dates keeps those of an order.
    """
    frame = frame.head(_ROWS)
    kinds = {c.kind for c in columns if not c.missing}
    if not kinds.isdisjoint(("entity", "group")):
        return
    lines: list[str] = []
    for column in columns:
        if column.kind == "identifier" and column.text and not column.missing:
            lines += _about_beginnings(frame, column.name)
    names = _measured(frame, columns)
    if "date" not in kinds:
        lines += _about_order(frame, names)
    if not lines:
        features = [c.name for c in columns if c.is_feature]
        lines += _about_nearness(frame[~frame[features].duplicated()], names)
    yield from lines


def _about_beginnings(frame: pd.DataFrame, name: str) -> Iterator[str]:
    """Say that rows whose names begin alike are alike; names are shortened until they come back."""
    stems = frame[name].astype(str)
    for _ in range(_PARTS):
        stems = stems.str.replace(_LAST_PART, "", regex=True)
        if stems.nunique() < NEARLY * len(stems):
            break
    if are_alike(frame, name, stems):
        often = stems.value_counts().index[0]
        yield (
            f"{name}: rows whose names begin alike, as {often!r}, are alike: if they belong together, write "
            "a column of these beginnings, and --role COLUMN=entity"
        )


def _measured(frame: pd.DataFrame, columns: Sequence[Column]) -> list[str]:
    """List columns of numbers with more than a few values, of many some."""
    names = [c.name for c in columns if c.kind == "number"]
    if len(names) > _COLUMNS:
        names = [
            names[i] for i in np.linspace(0, len(names) - 1, _COLUMNS).astype(int)
        ]
    return [name for name in names if frame[name].nunique() > FEW]


def _about_order(frame: pd.DataFrame, names: Sequence[str]) -> Iterator[str]:
    """Say that rows which follow each other are alike, in three columns of numbers and in half of them."""
    alike = [name for name in names if _follow_alike(frame[name])]
    if len(alike) >= max(_FEWEST, len(names) / 2):
        yield (
            f"rows that follow each other are alike, as by {join_first(alike, 3)}: if they are of one time, "
            f"place or thing, write blocks: {_BLOCKS} to params and kind: whole-entities to protocol"
        )


def _follow_alike(values: pd.Series) -> bool:
    """Decide whether neighbouring rows are nearer than any two; rows that a column sorts are not."""
    ranks = values.rank().dropna().to_numpy()
    steps = np.diff(ranks)
    if (steps >= 0).all() or (steps <= 0).all():
        return False
    usual = np.abs(ranks - np.random.default_rng(_SEED).permutation(ranks))[1:]
    gain = usual - np.abs(steps)
    return nearer(gain.mean(), gain.std() / np.sqrt(len(gain)), usual.mean())


def _about_nearness(frame: pd.DataFrame, names: Sequence[str]) -> Iterator[str]:
    """Say that many rows have one to four others that are far nearer than the next ones."""
    if len(names) < _FEWEST or len(frame) < 2 * _NEAREST:
        return
    rng = np.random.default_rng(_SEED)
    points = np.column_stack([_ranks(frame[name], rng) for name in names])
    rows = rng.permutation(len(frame))[:_SOUGHT]
    nearest, steps = _steps_outwards(points, rows)
    usual = steps[:, _OTHERS:].mean(axis=1)
    large = steps[:, :_OTHERS] > _LARGE * usual[:, None]
    others = int(large.sum(axis=0).argmax())
    share = large[:, others].mean()
    if large[:, others].sum() < FEWEST or share < _SHARE:
        return
    first = int(np.where(large[:, others], steps[:, others] / usual, 0).argmax())
    pair = frame.iloc[[rows[first], nearest[first]]][[*names[:_FEWEST]]]
    one, other = (", ".join(map(str, values)) for values in pair.to_numpy())
    yield (
        f"{share:.0%} of the rows have {count_noun(others + 1, 'other')} nearly alike, as {one} and {other} "
        f"of {', '.join(pair)}: if they belong together, write a column that names what they are of, and "
        "--role COLUMN=entity"
    )


def _ranks(values: pd.Series, rng: np.random.Generator) -> Floats:
    """Rank numbers, as shares of the rows; equal ones, and gaps, in a random order.

    So the values of a grid are spread as those are that were rounded to it.
    """
    ranks = np.empty(len(values))
    order = np.lexsort((rng.random(len(values)), values.fillna(values.median())))
    ranks[order] = np.arange(len(values)) + rng.random(len(values))
    return ranks / len(values)


def _steps_outwards(points: Floats, rows: Ints) -> tuple[Ints, Floats]:
    """Find the nearest point to each of some rows, and the steps k log(d[k + 1] / d[k]) of the distances.

    Around a row of a smooth distribution these are independent draws of one exponential distribution, in any
    number of dimensions (Facco et al. 2017, Scientific Reports 7, 12140).
    """
    sought = points[rows]
    squares = (points**2).sum(axis=1)
    distances = squares[rows, None] + squares - 2 * sought @ points.T
    distances[np.arange(len(rows)), rows] = np.inf
    near = np.partition(distances, _NEAREST, axis=1)[:, : _NEAREST + 1]
    logs = np.log(np.maximum(np.sort(near, axis=1), np.finfo(float).eps)) / 2
    steps = np.arange(1, _NEAREST + 1) * np.diff(logs, axis=1)
    return distances.argmin(axis=1), steps
