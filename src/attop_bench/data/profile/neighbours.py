"""Rows that belong together though no column says so: their names begin alike, or they follow each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from attop.extending import join_first
from attop_bench.data.profile.likeness import FEW, NEARLY, are_alike, nearer
from attop_bench.data.profile.readers import Column

#: The last part of a name, such as -01, _b or .png.
_LAST_PART = r"[\W_]*(?:\d+|[^\W\d_]+)$"
_PARTS = 5
#: Rows and columns that are looked at, and fewest columns in which neighbours are nearer.
_ROWS, _COLUMNS, _FEWEST = 20_000, 50, 3
#: Parts that are proposed where neighbours are alike.
_BLOCKS = 20


def remarks_on_neighbours(
    frame: pd.DataFrame, columns: Sequence[Column]
) -> Iterator[str]:
    """Yield a line for names of rows that begin alike, and one for rows that follow each other and are alike.

    A table with a complete column of entities, lists or dates has what keeps such rows on one side.
    """
    frame = frame.head(_ROWS)
    kinds = {c.kind for c in columns if not c.missing}
    if not kinds.isdisjoint(("entity", "group")):
        return
    for column in columns:
        if column.kind == "identifier" and column.text and not column.missing:
            yield from _about_beginnings(frame, column.name)
    if "date" not in kinds:
        yield from _about_order(
            frame, [c.name for c in columns if c.kind == "number"]
        )


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


def _about_order(frame: pd.DataFrame, names: Sequence[str]) -> Iterator[str]:
    """Say that rows which follow each other are alike, in three columns of numbers and in half of them."""
    if len(names) > _COLUMNS:
        names = [
            names[i] for i in np.linspace(0, len(names) - 1, _COLUMNS).astype(int)
        ]
    several = [name for name in names if frame[name].nunique() > FEW]
    alike = [name for name in several if _follow_alike(frame[name])]
    if len(alike) >= max(_FEWEST, len(several) / 2):
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
    usual = np.abs(ranks - np.random.default_rng(0x0A11CE).permutation(ranks))[1:]
    gain = usual - np.abs(steps)
    return nearer(gain.mean(), gain.std() / np.sqrt(len(gain)), usual.mean())
