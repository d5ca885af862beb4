"""A table whose rows are fields and whose columns are samples, as of gene expression: it is to be turned."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from attop.extending import join_first
from attop_bench.data.profile.names import is_outcome
from attop_bench.data.reading.cells import FIT, GAPS, UNKNOWN, is_number
from attop_bench.data.reading.lines import UNITS
from attop_bench.data.reading.table import Table

#: Rows at each end that are looked at; fewest and most samples.
_ROWS, _FEWEST, _MOST = 100, 10, 50


def remarks_on_direction(table: Table) -> Iterator[str]:
    """Say that rows are fields and columns are samples, if the first column names the fields.

    Each row is then of numbers or of words alone, and each column of both; or one row alone has the name of
    an outcome, and two values.
    """
    frame = table.frame.iloc[:, : _MOST + 1]
    if table.has_types or frame.shape[1] <= _FEWEST:
        return
    ends = pd.concat([frame.head(_ROWS), frame.iloc[_ROWS:].tail(_ROWS)])
    names = ends.iloc[:, 0].str.strip()
    samples = ends.iloc[:, 1:]
    if not names.is_unique or names.map(is_number).any():
        return
    of_outcome = samples[names.map(is_outcome).astype(bool)]
    # Words above numbers were taken for units.
    above = [s.content.split(",")[0] for s in table.suspects if s.rule == UNITS]
    if (
        any(map(is_outcome, above))
        or (of_outcome.nunique(axis=1) == 2).sum() == 1
        or _rows_are_of_one_kind(samples)
    ):
        yield (
            f"rows look like fields ({join_first(list(names), 3)}), columns like samples: if so, turn it, "
            "by Transpose in a spreadsheet or .T in pandas, and look again"
        )


def _rows_are_of_one_kind(samples: pd.DataFrame) -> bool:
    """Decide whether each row is of numbers or of words alone, and each column of both."""
    present = ~samples.isin(GAPS | UNKNOWN)
    number = samples.map(is_number) & present
    word = present & ~number
    is_mixed = number.any(axis=1) & word.any(axis=1)
    both = number.any() & word.any()
    return bool(both.mean() >= FIT and not is_mixed.any())
