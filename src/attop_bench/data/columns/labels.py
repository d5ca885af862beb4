"""Labels: which values of a column are positive, and which negative."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from attop_bench.data.errors import DatasetError
from attop_bench.data.reading.cells import PLAIN_NUMBER, plain_number

if TYPE_CHECKING:
    import pandas as pd

    from attop_bench.data.reading.table import Table


_COMPARISON = re.compile(rf"\s*(>=|<=|>|<)\s*({PLAIN_NUMBER})\s*")


def positive_labels(table: Table, name: str, positive: object) -> NDArray[np.bool_]:
    """Mark the positive rows: those of a value, of one in a list, or by a comparison such as ``">= 1"``."""
    comparison = comparison_with(table, name, positive)
    y = is_positive(table, name, positive)
    if not y.any():
        values = ", ".join(map(str, table.values(name).unique().tolist()[:5]))
        wanted = f"{name} {positive}" if comparison else f"{name} = {positive!r}"
        raise DatasetError(
            f"{table.where}: no row has {wanted}; values are {values}: set positive to one"
        )
    return y


def is_positive(table: Table, name: str, positive: object) -> NDArray[np.bool_]:
    """Mark the positive rows as `positive_labels` does, also if there is none."""
    import pandas as pd

    comparison = comparison_with(table, name, positive)
    if comparison is None:
        any_of, text = (
            positive if isinstance(positive, list) else [positive],
            table.text(name),
        )
        rows = np.logical_or.reduce([_equals(text, value) for value in any_of])
        # 100 of 100%.
        if not rows.any() and pd.api.types.is_numeric_dtype(
            column := table.values(name)
        ):
            rows = column.isin([plain_number(value) for value in any_of]).to_numpy()
        return rows
    column = table.values(name)
    # text, or numbers that may be names: 01 beside 1.
    if not pd.api.types.is_numeric_dtype(column):
        column = pd.to_numeric(column.astype(object), errors="coerce")
    if (column.isna() & table.values(name).notna()).any():
        raise DatasetError(
            f"{table.where}: positive is the comparison {positive!r} but column {name!r} is not "
            "numeric: give the value that is positive"
        )
    value, (sign, limit) = column.to_numpy(np.float64), comparison
    return {
        ">=": value >= limit,
        "<=": value <= limit,
        ">": value > limit,
        "<": value < limit,
    }[sign]


def decided(
    table: Table, name: str, positive: object, negative: object
) -> NDArray[np.bool_]:
    """Mark the rows whose label is positive or negative; refuse one that is both, and if none is negative.

    Parameters
    ----------
    table
        The rows, as they are written.
    name
        The column of the labels.
    positive, negative
        A value, a list of values, or a comparison such as ``">= 1"``.
    """
    yes, no = is_positive(table, name, positive), is_positive(table, name, negative)
    both = table.text(name)[yes & no]
    if len(both):
        raise DatasetError(
            f"{table.where}: {name} = {both.iloc[0]!r} is both positive and negative: name it in one of them"
        )
    if not no.any():
        values = ", ".join(map(str, table.text(name).dropna().unique()[:5]))
        raise DatasetError(
            f"{table.where}: no row has {name} = {negative!r}; values are {values}: set negative to some"
        )
    return yes | no


def comparison_with(
    table: Table, name: str, positive: object
) -> tuple[str, float] | None:
    """Parse a comparison as `comparison_of`; None where it is a value of the column, such as ``<30``."""
    comparison = comparison_of(positive)
    return (
        None
        if comparison and (table.text(name) == str(positive).strip()).any()
        else comparison
    )


def comparison_of(positive: object) -> tuple[str, float] | None:
    """Parse the sign and the limit of a comparison; None for a value."""
    match = _COMPARISON.fullmatch(positive) if isinstance(positive, str) else None
    return None if match is None else (match[1], float(match[2]))


def _equals(text: pd.Series, value: object) -> NDArray[np.bool_]:
    """Mark the rows that have a value: the same text; else, or where there is none, the same number."""
    import pandas as pd

    row, distinct = pd.factorize(text)
    same = [v == str(value).strip() for v in distinct]
    if not any(same) or not isinstance(value, str):  # 1 stands for 1.0 and true
        number = plain_number(value)
        same = [
            alike or (number is not None and plain_number(v) == number)
            for alike, v in zip(same, distinct, strict=True)
        ]
    return np.array([*same, False])[row]
