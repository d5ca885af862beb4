"""A pipeline from raw rows of a file to scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from attop._core.typing import Ints
from attop.experiment._routing import Estimator
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.kinds.table import RawOptions, read_raw_table
from attop_bench.data.preparation import column_transformer
from attop_bench.data.words import text_weights

#: Parameters of a file that a pipeline of scikit-learn's has no step for.
_NOT_RAW = ("codes", "thresholds", "query_norm")
#: Values of a label that are kept.
_VALUES = 50


@dataclass(frozen=True)
class RawRows:
    """All rows of a data set, as a deployed model sees new ones."""

    #: Numbers and text, some missing.
    X: pd.DataFrame
    categorical: list[str]
    text: list[str]
    #: Columns that are no features.
    beside: pd.DataFrame
    #: The one of these within which rows are ranked.
    group: str | None
    #: Options of the file's reader.
    reader: dict[str, object]
    #: Text has blanks around it, which pandas keeps.
    needs_reader: bool = False
    #: impute, max_categories: See `attop_bench.data.preparation.column_transformer`.
    impute: str | None = None
    max_categories: int | None = None
    #: Column of the labels, and its values.
    label: str = "label"
    values: tuple[str, ...] = ()
    #: Number of each row in the file, from 1, if some are left out.
    numbers: Ints | None = None


def raw_rows(kind: str, params: Mapping[str, Any], dataset: Dataset) -> RawRows:
    """Return the rows of a data set before they became features; those of another kind than ``file`` are."""
    if kind != "file":
        names = dataset.facts.get("features") or [f"x{i + 1}" for i in range(dataset.X.shape[1])]
        X = pd.DataFrame(dataset.X, columns=list(names))
        return RawRows(X, [], [], pd.DataFrame(index=X.index), None, {})
    if given := [name for name in _NOT_RAW if params.get(name) is not None]:
        raise DatasetError(
            f"dataset {dataset.name}: a deployed model reads rows as they are in a file, and {given[0]} "
            "cannot be one of its steps: use one_hot for text, or write the features into the file"
        )
    table = read_raw_table(RawOptions.of({n: params[n] for n in RawOptions.model_fields if n in params}))
    X, written = table.features, table.rows.frame
    clean = {c: table.rows.text(c) for c in table.categorical} | {c: X[c] for c in table.text}
    clean = {c: clean[c] if c in clean else X[c].astype(np.float64) for c in X}
    texts = [written[c].dropna() for c in X if not pd.api.types.is_numeric_dtype(written[c])]
    needs_reader = any((text.str.strip() != text).any() for text in texts)
    beside = written.drop(columns=[*X, table.label])
    return RawRows(
        pd.DataFrame(clean),
        table.categorical,
        table.text,
        beside,
        table.roles.get("group"),
        dict(params.get("reader") or {}),
        needs_reader,
        params.get("impute"),
        params.get("max_categories"),
        table.label,
        tuple(table.rows.text(table.label).dropna().unique()[:_VALUES]),
        table.numbers,
    )


def raw_pipeline(rows: RawRows, scaling: str, estimator: Estimator) -> Pipeline:
    """Return an unfitted pipeline: missing values, categories, scale, estimator."""
    numbers = [c for c in rows.X if c not in {*rows.categorical, *rows.text}]
    words = {column: text_weights() for column in rows.text}
    prepare = column_transformer(numbers, rows.categorical, rows.impute, rows.max_categories, scaling, words)
    return Pipeline([*prepare.steps, ("model", estimator)])
