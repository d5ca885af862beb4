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
from attop_bench.data.formats import format_of
from attop_bench.data.kinds.table import RawOptions, RawTable, read_raw_table
from attop_bench.data.lines import EMPTY
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
    #: Options with which pandas alone reads the same features from the file.
    by_pandas: dict[str, Any] | None = None
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
    beside = written.drop(columns=[*X, table.label])
    return RawRows(
        pd.DataFrame(clean),
        table.categorical,
        table.text,
        beside,
        table.roles.get("group"),
        dict(params.get("reader") or {}),
        _by_pandas(table, pd.DataFrame(clean), params),
        params.get("impute"),
        params.get("max_categories"),
        table.label,
        tuple(table.rows.text(table.label).dropna().unique()[:_VALUES]),
        table.numbers,
    )


def _by_pandas(table: RawTable, X: pd.DataFrame, params: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the options with which pandas reads these features from the file; None if it reads others."""
    form, reader = params.get("format") or format_of(params["path"]), params.get("reader") or {}
    names = {"separator": "sep", "decimal": "decimal", "missing": "na_values", "comment": "comment"}
    passed = {entry.rule for entry in table.ledger.passed}
    if form not in ("csv", "parquet") or reader.keys() - names or not passed <= {*EMPTY}:
        return None
    separators = {"tab": "\t", "whitespace": r"\s+"}
    options = {names[k]: separators.get(str(v), v) for k, v in reader.items()}
    options |= {"dtype": dict.fromkeys(text, "str")} if (text := table.categorical) and form == "csv" else {}
    try:
        frame = getattr(pd, f"read_{form}")(params["path"], **options)[list(X)].iloc[table.numbers - 1]
        frame = frame.reset_index(drop=True).astype(X.select_dtypes("float").dtypes)
        same = frame.round(9).astype(object).equals(X.round(9).astype(object))
    except Exception:  # depends on what pandas reads it with
        same = False
    return options if same else None


def raw_pipeline(rows: RawRows, scaling: str, estimator: Estimator) -> Pipeline:
    """Return an unfitted pipeline: missing values, categories, scale, estimator."""
    numbers = [c for c in rows.X if c not in {*rows.categorical, *rows.text}]
    words = {column: text_weights() for column in rows.text}
    prepare = column_transformer(numbers, rows.categorical, rows.impute, rows.max_categories, scaling, words)
    return Pipeline([*prepare.steps, ("model", estimator)])
