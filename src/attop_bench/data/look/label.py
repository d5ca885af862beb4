"""Which column of a table could be the label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from attop_bench.data.base import DatasetError
from attop_bench.data.kinds.columns import positives
from attop_bench.data.look.column import Column

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Candidate", "candidate", "candidates"]

_LABEL = re.compile(
    r"label|target|class|outcome|fraud|default|churn|response|bought|converted|bad|positive|failure|^y$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Candidate:
    """A column that could be the label, the value that would be positive, and its share of the rows."""

    column: str
    positive: Any
    share: float


def candidates(frame: pd.DataFrame, columns: Sequence[Column]) -> list[Candidate]:
    """Return the columns of two values without gaps, those named like a label first, then the rarest."""
    two = [c.name for c in columns if c.distinct == 2 and c.missing == 0]
    found = [candidate(frame[name], None, "") for name in two]
    return sorted(found, key=lambda c: (_LABEL.search(c.column) is None, c.share))


def candidate(values: pd.Series, positive: Any, where: str) -> Candidate:
    """Return a column as label, with the rarest value as positive if none is given.

    Raises
    ------
    DatasetError
        If the column has no such value, or none at all.
    """
    if positive is not None:
        return Candidate(str(values.name), positive, float(positives(values, positive, where).mean()))
    counts = values.value_counts()
    if not len(counts):
        raise DatasetError(f"{where}: column {values.name!r} is empty and cannot be the label")
    rarest = counts.index[-1]
    value = rarest.item() if isinstance(rarest, np.generic) else rarest
    return Candidate(str(values.name), value, float(counts.iloc[-1] / len(values)))
