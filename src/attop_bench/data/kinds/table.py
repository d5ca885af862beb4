"""The kind ``file``: a table in a file, the user's own or a published one, as a data set."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attop.experiment import Parts, read_parts
from attop_bench.data.base import Dataset, Origin
from attop_bench.data.columns.categories import (
    as_identifiers,
    check_categories,
    check_text,
    refuse_text,
    require_present,
    to_numbers,
)
from attop_bench.data.columns.days import day_numbers
from attop_bench.data.columns.labels import comparison_with, positive_labels
from attop_bench.data.columns.names import column_of
from attop_bench.data.columns.preparation import as_categories, columns_of, copies
from attop_bench.data.columns.rows import (
    downsampled,
    parts_by_bounds,
    query_level_norm,
)
from attop_bench.data.errors import DatasetError
from attop_bench.data.kinds.options import TableOptions
from attop_bench.data.kinds.raw import RawTable, facts_of_rows, read_raw_table
from attop_bench.data.kinds.sparse import sparse_file
from attop_bench.data.ledger import Aside, weight_of
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd

#: Values of a label that are kept.
_VALUES = 50


def file_table(path: StrPath, **options: Any) -> Dataset:
    """Read a table: one column of labels, perhaps one of groups, the others features.

    For the options see `TableOptions`. The data set is named after the file, features are in its order.
    """
    import pandas as pd

    chosen = TableOptions.of({"path": path, **options})
    if chosen.sparse:
        return sparse_file(chosen)
    table = read_raw_table(chosen)
    X = _features(table, chosen)
    features = list(X.columns)
    y = positive_labels(table.rows, table.label, chosen.positive)
    if chosen.query_norm is not None:
        query = _given(table, chosen.query_norm, chosen.where)
        X = pd.DataFrame(
            query_level_norm(X.to_numpy(np.float64), query), columns=features
        )
    beside = {**_beside(table, chosen), "part": table.part}
    if chosen.parts is not None:
        [(column, bounds)] = chosen.parts.items()
        beside["part"] = parts_by_bounds(
            _given(table, column, chosen.where), bounds, chosen.where
        )
    of_parts = {}
    if chosen.by is not None:
        named = _parts(table, chosen)
        beside["by"], of_parts = (
            named.codes,
            {"by": {"column": named.column, "names": named.names}},
        )
    ledger = table.ledger
    if chosen.downsample_positives is not None:
        rows = downsampled(y, chosen.downsample_positives, chosen.where)
        fewer = Aside(
            "that downsample_positives leaves out",
            len(y) - len(rows),
            weight=weight_of(table.weight, ~np.isin(np.arange(len(y)), rows)),
        )
        ledger = ledger.leaving(fewer, len(rows))
        X, y = X.iloc[rows], y[rows]
        beside = {
            name: None if values is None else values[rows]
            for name, values in beside.items()
        }
    if chosen.copies_together:
        beside["duplicate_group"] = copies(X, chosen.max_categories)
    compared = comparison_with(table.rows, table.label, chosen.positive)
    positive = f"{table.label} {'' if compared else '= '}{chosen.positive}"
    facts = facts_of_rows(chosen, positive, ledger, beside.get("weight"))
    facts |= {"features": features, **of_parts}
    if table.counts_of_labels:
        facts["labels"] = table.counts_of_labels
    return Dataset(
        chosen.name,
        _matrix_of_numbers(X),
        y.astype(np.int64),
        facts=facts,
        impute=chosen.impute,
        max_categories=chosen.max_categories,
        origin=_origin(table, chosen),
        **beside,
    )


def _amounts(table: RawTable, column: str | int, where: str) -> NDArray:
    """Read what each row is worth; refuse a column that is not of numbers."""
    amounts = _given(table, column, where)
    if amounts.dtype.kind not in "iuf":
        raise DatasetError(
            f"{where}: amount must be a column of numbers, got {amounts[0]!r}"
        )
    return amounts


vars(file_table)["__signature__"] = inspect.signature(TableOptions)


def _features(table: RawTable, options: TableOptions) -> pd.DataFrame:
    """Make the features, typed: numbers, categories with all their values, texts."""
    import pandas as pd

    features, categorical, where = table.features, table.categorical, options.where
    text = features[categorical]
    check_text(text, where)
    typed: dict[str, Any] = {
        name: features[name].astype(str) for name in table.text
    }
    if options.codes is not None and categorical:
        typed |= to_numbers(text, options.codes, where)
    elif options.one_hot and categorical:
        names = table.rows.frame.columns
        named = [column_of(names, name, where) for name in options.categories]
        words = {name: as_categories(table.rows.text(name)) for name in categorical}
        check_categories(words, options.max_categories, where, named)
        typed |= words
    else:
        refuse_text(text, where)
    features = features.assign(**typed)
    if options.query_norm is not None or options.thresholds is not None:
        _refuse_words(features, where)
    if options.thresholds is None:
        return features
    above = {
        f"{name} > {t:g}": (
            features[column_of(features.columns, name, where)] > t
        ).astype(np.float64)
        for name, values in options.thresholds.items()
        for t in values
    }
    return pd.DataFrame(above)


def _refuse_words(features: pd.DataFrame, where: str) -> None:
    """Refuse categories and texts, which have no threshold and no range."""
    if words := [*columns_of(features).categories, *columns_of(features).texts]:
        raise DatasetError(
            f"{where}: thresholds and query_norm are of numbers, and column {words[0]!r} has none: drop it, "
            "or give its values numbers by codes"
        )


def _matrix_of_numbers(X: pd.DataFrame) -> Any:
    """Convert a table of numbers alone to a matrix, and leave any other as it is."""
    kinds = columns_of(X)
    return X if kinds.categories or kinds.texts else X.to_numpy(np.float64)


def _origin(table: RawTable, options: TableOptions) -> Origin:
    """Keep the rows of the file with what stands next to their features."""
    shown = table.rows.frame.drop(columns=[*table.features, table.label])
    return Origin(
        beside=shown.drop(columns=table.roles.get("weight", [])),
        numbers=table.numbers,
        label=table.label,
        values=tuple(table.rows.text(table.label).dropna().unique()[:_VALUES]),
        group=table.roles.get("group"),
        entity=table.roles.get("entity"),
        reader=dict(options.reader or {}),
    )


def _beside(table: RawTable, options: TableOptions) -> dict[str, Any]:
    """Read group, entity, day, weight and amount of each row."""
    beside: dict[str, Any] = {}
    if options.amount is not None:
        beside["amount"] = _amounts(table, options.amount, options.where)
    for role, column in table.roles.items():
        if role == "day":
            beside[role] = day_numbers(table.rows.values(column), options.where)
        elif role == "weight":
            beside[role] = table.weight
        else:
            name = "groups" if role == "group" else role
            beside[name] = as_identifiers(
                table.rows.text(column), options.where
            ).to_numpy()
    if options.blocks is not None:
        rows = np.arange(len(table.features))
        beside["entity"] = rows * options.blocks // len(rows)
    return beside


def _parts(table: RawTable, chosen: TableOptions) -> Parts:
    """Read the parts of the rows by the values of a column; gaps are a part of their own."""
    assert chosen.by is not None
    name = column_of(table.rows.frame.columns, chosen.by, chosen.where)
    values = table.rows.values(name).rename(name)
    try:
        return read_parts(values, None, len(values))
    except ValueError as error:
        raise DatasetError(f"{chosen.where}: {error}") from None


def _given(table: RawTable, column: str | int, where: str) -> NDArray:
    """Read the values of a column; refuse missing ones."""
    return require_present(
        table.rows.values(column_of(table.rows.frame.columns, column, where)), where
    ).to_numpy()
