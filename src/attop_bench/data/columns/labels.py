"""Labels: which values of a column are positive, which negative, and the shares of positives of values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from attop.extending import Floats, Ints
from attop_bench.data.errors import DatasetError
from attop_bench.data.reading.cells import PLAIN_NUMBER, plain_number

if TYPE_CHECKING:
    import pandas as pd

    from attop_bench.data.reading.table import Table


#: A comparison with a number, such as ">= 1".
_COMPARISON = re.compile(rf"\s*(>=|<=|>|<)\s*({PLAIN_NUMBER})\s*")
_SIGNS = {
    ">=": np.greater_equal,
    "<=": np.less_equal,
    ">": np.greater,
    "<": np.less,
}
#: Parts of the rows, each of which gets its shares from the others.
_PARTS, _SEED = 5, 0x0A10


def positive_labels(table: Table, name: str, positive: object) -> NDArray[np.bool_]:
    """Mark the positive rows: those of a value, of one in a list, or by a comparison such as ``">= 1"``."""
    comparison = comparison_with(table, name, positive)
    y = is_positive(table, name, positive)
    if not y.any():
        values = ", ".join(map(str, table.values(name).unique().tolist()[:5]))
        wanted = f"{name} {positive}" if comparison else f"{name} = {positive!r}"
        raise DatasetError(
            f"{table.where}: no row has {wanted}; values are {values}: set positive to "
            f"one{_as_text(positive)}"
        )
    return y


def _as_text(values: object) -> str:
    """Write a remedy where YAML has made a truth value of a word."""
    words = values if isinstance(values, list) else [values]
    if not any(isinstance(word, bool) for word in words):
        return ""
    return ", in quotes: YAML takes yes, no, on and off for true and false"


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
            f"{table.where}: {positive!r} compares numbers, and column {name!r} is not numeric: give the "
            "values themselves"
        )
    sign, limit = comparison
    return _SIGNS[sign](column.to_numpy(np.float64), limit)


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
            f"{table.where}: no row has {name} = {negative!r}; values are {values}: set negative to "
            f"some{_as_text(negative)}"
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


def shares_of_others(codes: Ints, y: NDArray) -> Floats:
    """Compute the share of positives of each row's value among the rows of other parts.

    Each row is in one of five parts by chance. Of a value with few rows elsewhere it is near the mean.

    Parameters
    ----------
    codes
        Shape (n,), the number of each row's value, from 0.
    y
        Shape (n,), 1 or True where a row is positive.

    Returns
    -------
    ndarray of shape (n,)
        Shares from 0 to 1.
    """
    part = np.random.default_rng(_SEED).integers(0, _PARTS, len(y))
    shares, values = np.zeros(len(y)), codes.max() + 1
    for tested in range(_PARTS):
        others = part != tested
        hits = np.bincount(codes[others], y[others], values)
        rows = np.bincount(codes[others], minlength=values)
        of_value = (hits + y.mean()) / (rows + 1)
        shares[~others] = of_value[codes[~others]]
    return shares
