"""Which rows of a column of labels are positive."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attop.core.typing import Ints
from attop_bench.data.base import DatasetError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["is_comparison", "positives", "thinned"]

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_COMPARISON = re.compile(rf"\s*(>=|<=|>|<)\s*({_NUMBER})\s*")


def positives(column: pd.Series, positive: Any, where: str) -> NDArray[np.bool_]:
    """Return whether each row is positive: has a value, or stands in a comparison such as ``">= 1"``.

    Raises
    ------
    DatasetError
        If no row is.
    """
    import pandas as pd

    comparison = _comparison(positive)
    if comparison is None:
        y = _equals(column, positive)
    else:
        if not pd.api.types.is_numeric_dtype(column):
            raise DatasetError(
                f"{where}: positive is the comparison {positive!r} but column {column.name!r} is not "
                "numeric: give the value that is positive"
            )
        value = column.to_numpy(np.float64)
        sign, limit = comparison
        y = {">=": value >= limit, "<=": value <= limit, ">": value > limit, "<": value < limit}[sign]
    if not y.any():
        found = ", ".join(map(repr, column.unique().tolist()[:5]))
        what = f"{column.name} {positive}" if comparison else f"{column.name} = {positive!r}"
        raise DatasetError(f"{where}: no row has {what}; its values are {found}: set positive to one of them")
    return y


def is_comparison(positive: Any) -> bool:
    """Whether `positive` is a comparison, not a value."""
    return _comparison(positive) is not None


def thinned(y: NDArray[np.bool_], share: Any, where: str) -> Ints:
    """Return the rows that stay when positives are drawn to be `share` of them.

    Raises
    ------
    DatasetError
        If `share` is no share, or asks for no positive or more than there are.
    """
    if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share < 1:
        raise DatasetError(f"{where}: thin must be a share between 0 and 1, got {share!r}")
    rows = np.flatnonzero(y)
    count = round(share / (1 - share) * (len(y) - len(rows)))
    if not 1 <= count <= len(rows):
        raise DatasetError(
            f"{where}: thin={share!r} needs {count} of the {len(rows)} positives, which are "
            f"{len(rows) / len(y):.3g} of the rows: give a share below that, of at least one positive"
        )
    kept = np.random.default_rng(0).choice(rows, count, replace=False)
    return np.sort(np.concatenate([kept, np.flatnonzero(~y)]))


def _comparison(positive: Any) -> tuple[str, float] | None:
    found = _COMPARISON.fullmatch(positive) if isinstance(positive, str) else None
    return None if found is None else (found[1], float(found[2]))


def _equals(column: pd.Series, value: Any) -> NDArray[np.bool_]:
    """Return where a column has a value: as text, else as a number."""
    import pandas as pd

    row, distinct = pd.factorize(column)
    same = [str(v) == str(value).strip() for v in distinct]
    if not any(same):  # a configuration file may say 1 where the column has 1.0, or "1" where it has 1
        number = _number(value)
        same = [number is not None and _number(v) == number for v in distinct]
    return np.array(same)[row]


def _number(value: Any) -> int | float | None:
    """Return what a value is as a number, integers of any size exactly."""
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, str) and re.fullmatch(_NUMBER, value.strip()):
        return int(value) if value.strip().lstrip("+-").isdecimal() else float(value)
    return None
