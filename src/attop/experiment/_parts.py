"""Parts of the rows, such as regions, by the values of a column."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop._core.sample import column_names, is_missing, plain_array
from attop._core.typing import Ints
from attop._core.wording import did_you_mean

#: What rows without a value are called.
MISSING = "(missing)"
#: A table of more parts than this is no longer read, and most have no row at the top.
_MOST_PARTS = 50


class Parts(NamedTuple):
    """Parts of the rows, by the values of a column.

    Attributes
    ----------
    column : str
        Name of the column.
    names : list
        Names of the parts in sorted order; the part of rows without a value is last.
    codes : ndarray of shape (n,)
        Part of each row, as a position in `names`.
    """

    column: str
    names: list[object]
    codes: Ints


def read_parts(by: str | ArrayLike, X: Any, n: int) -> Parts:
    """Read the part of each of n rows: a column of the frame X by its name, or values.

    A ValueError where X has no such column, values are not one a row, or there are too many different ones.
    """
    column = by if isinstance(by, str) else getattr(by, "name", None) or "part"
    values = _column(by, X) if isinstance(by, str) else plain_array(by, "by")
    if values.shape != (n,):
        raise ValueError(
            f"by must have a value for each of the {n} rows of X, got shape {values.shape}"
        )
    lacking = np.array([is_missing(value) for value in values.tolist()], dtype=bool)
    try:
        names, codes = np.unique(values[~lacking], return_inverse=True)
    except TypeError:
        names, codes = np.unique(values[~lacking].astype(str), return_inverse=True)
    if len(names) > _MOST_PARTS:
        raise ValueError(
            f"by has {len(names)} different values, at most {_MOST_PARTS} are shown: put numbers into bins, "
            "such as by pandas.qcut, and rare values together"
        )
    all_codes = np.full(n, len(names))
    all_codes[~lacking] = codes
    return Parts(
        str(column),
        [*names.tolist(), *([MISSING] if lacking.any() else [])],
        all_codes,
    )


def _column(name: str, X: Any) -> NDArray[Any]:
    columns = column_names(X)
    if name not in columns:
        hint = (
            f"its columns are {columns}; {did_you_mean(name, columns)}"
            if columns
            else "it has no names"
        )
        raise ValueError(
            f"by must be a column of X or an array, got {name!r}: {hint}"
        )
    return np.asarray(X[name])
