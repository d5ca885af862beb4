"""Missing values that are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attop_bench.data.errors import DatasetError

if TYPE_CHECKING:
    import pandas as pd


def require_present(column: pd.Series, where: str) -> pd.Series:
    """Refuse a column with missing values; any other is passed on."""
    if column.isna().any():
        raise DatasetError(
            f"{where}: {_missing(column)}: fill them in or drop these rows"
        )
    return column


def _missing(column: pd.Series) -> str:
    missing = column.isna()
    return (
        f"column {column.name!r} has {int(missing.sum())} missing values, the first in data row "
        f"{int(missing.argmax()) + 1}"
    )


def refuse_missing(features: pd.DataFrame, where: str) -> None:
    """Refuse missing values of features, with the lines of YAML that fill or drop them."""
    if lacking := [c for c in features if features[c].isna().any()]:
        raise DatasetError(
            f"{where}: {'; '.join(_missing(features[c]) for c in lacking)}. Add to params\n    impute: "
            "median\nwhich fills them by what is learnt from training items (numbers: the median; text: the "
            f"most frequent value), or leave these columns out:\n    drop: [{', '.join(lacking)}]"
        )
