"""Columns by their name or number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attop.extending import did_you_mean
from attop_bench.data.errors import DatasetError

if TYPE_CHECKING:
    import pandas as pd


def column_of(frame: pd.DataFrame, wanted: str | int, where: str) -> str:
    """Find the name of a column by its name or number."""
    if (name := " ".join(str(wanted).split())) in frame.columns:
        return name  # blanks around a name are easily overlooked
    number = (
        wanted if isinstance(wanted, int) and not isinstance(wanted, bool) else 0
    )
    if 1 <= abs(number) <= frame.shape[1]:
        return frame.columns[number - 1 if number > 0 else number]
    raise DatasetError(
        f"{where}: no column {wanted!r}; {did_you_mean(wanted, frame.columns)}"
    )
