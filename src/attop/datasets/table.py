"""The user's own CSV file."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from attop.datasets.base import Dataset, DatasetError
from attop.datasets.parameters import hint

__all__ = ["csv_table"]


def csv_table(path: str | os.PathLike[str], label: str, positive: Any, group: str | None = None) -> Dataset:
    """Read a CSV file with a header: one column of labels, the others numbers.

    Parameters
    ----------
    path : path
        Comma separated, first line the names of the columns.
    label : str
        Column of the labels.
    positive : str, number or bool
        Value of that column that is the positive class; every other value is negative.
    group : str, optional
        Column that names the user or query of each row.

    Returns
    -------
    dataset : Dataset
        Named after the file; all remaining columns are features, in the order of the file.

    Raises
    ------
    DatasetError
        If the file or a column is missing, a column has missing or infinite values or is not numeric, or
        `positive` does not occur.
    """
    import pandas as pd

    where = f"dataset {path}"
    try:
        table = pd.read_csv(path)
    except FileNotFoundError:
        raise DatasetError(
            f"{where}: there is no such file in {os.getcwd()}: give the path from there"
        ) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise DatasetError(f"{where}: not a comma separated file with a header in UTF-8: {error}") from None
    named = [label] if group is None else [label, group]
    for name in named:
        if name not in table:
            raise DatasetError(f"{where}: no column {name!r}; {hint(name, map(str, table.columns))}")
    if label == group:
        raise DatasetError(f"{where}: column {label!r} cannot be both label and group: name another group")
    features = table.drop(columns=named)
    if features.shape[1] == 0:
        raise DatasetError(f"{where}: no column is left for the features beside {', '.join(named)}")
    for name in table.columns:
        missing = table[name].isna()
        if missing.any():
            raise DatasetError(
                f"{where}: column {name!r} has {int(missing.sum())} missing values, the first in data row "
                f"{int(missing.argmax()) + 1}: fill them in or drop these rows"
            )
    for name in features:
        if not pd.api.types.is_numeric_dtype(features[name]):
            text = pd.to_numeric(features[name], errors="coerce").isna()
            raise DatasetError(
                f"{where}: column {name!r} is not numeric, for example {features[name][text].iloc[0]!r}: "
                "encode it as numbers or remove it"
            )
        if np.isinf(features[name].to_numpy(np.float64)).any():
            raise DatasetError(f"{where}: column {name!r} has infinite values: remove these rows")

    y = _equals(table[label], positive)
    if not y.any():
        found = ", ".join(map(repr, table[label].unique().tolist()[:5]))
        raise DatasetError(
            f"{where}: no row has {label} = {positive!r}; its values are {found}: set positive to one of them"
        )
    title = os.path.splitext(os.path.basename(path))[0]
    facts = {
        "title": title,
        "source": str(path),
        "licence": "the user's own file",
        "positive": f"{label} = {positive}",
        "features": list(map(str, features.columns)),
    }
    codes = None if group is None else pd.factorize(table[group], sort=True)[0]
    return Dataset(title, features.to_numpy(np.float64), y, codes, facts)


def _equals(column: Any, value: Any) -> np.ndarray:
    # A configuration file may say 1 where the column has 1.0, or "1" where it has 1.
    try:
        return column.to_numpy(np.float64) == float(value)
    except (TypeError, ValueError):
        return (column.astype(str) == str(value)).to_numpy(bool)
