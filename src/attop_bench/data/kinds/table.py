"""The user's own file, or a published one, as a data set: any format, no code."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.builder_parameters import integer, listed
from attop_bench.data.features.days import day_numbers
from attop_bench.data.features.queries import parts_by_bounds, query_level_norm
from attop_bench.data.features.text import (
    as_codes,
    check_categories,
    check_text,
    one_column_each,
    refuse_text,
    to_numbers,
)
from attop_bench.data.kinds.raw_table import column_of, present, read_raw_table
from attop_bench.data.kinds.table_labels import is_comparison, positives, thinned
from attop_bench.data.preparation import Preparation

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["file_table"]


def file_table(
    path: str | os.PathLike[str],
    positive: Any,
    label: str | int | None = None,
    *,
    validation: str | os.PathLike[str] | None = None,
    test: str | os.PathLike[str] | None = None,
    format: str | None = None,
    reader: Mapping[str, Any] | None = None,
    group: str | int | None = None,
    entity: str | int | None = None,
    day: str | int | None = None,
    keep: Sequence[str | int] | None = None,
    drop: Sequence[str | int] = (),
    codes: Mapping[str, float] | None = None,
    one_hot: bool = False,
    max_categories: int | None = None,
    impute: str | None = None,
    thresholds: Mapping[str, Sequence[float]] | None = None,
    query_norm: str | int | None = None,
    parts: Mapping[str, Sequence[float]] | None = None,
    copies_together: bool = False,
    thin: float | None = None,
) -> Dataset:
    """Read a table: one column of labels, perhaps one of groups, the others features.

    A column is named by its name, or by its number from 1 (from -1 backwards).

    Parameters
    ----------
    path : path
    positive : str, number or bool
        Value of the label column that is the positive class, every other value is negative; or a
        comparison such as ``">= 1"``.
    label : str or int
        Column of the labels; ``label`` if left out in the SVMlight format.
    validation, test : path, optional
        Files of the same form with more rows. `path` is then part 0, and these are the next parts; see
        `Dataset.part`.
    format : str, optional
        See `read_frame`.
    reader : mapping, optional
        Parameters of the format's reader, such as ``header`` and ``separator`` of `read_delimited`.
    group : str or int, optional
        Column that names the user or query of each row, whose rows are a list of their own.
    entity : str or int, optional
        Column that names the customer, card or machine of each row, where all rows are one list; see
        `Dataset.entity`.
    day : str or int, optional
        Column of the date, or of a number of days, of each row; see `day_numbers` and `Dataset.day`.
    keep : sequence, optional
        Columns that are features; all but the columns named here and `drop` if left out.
    drop : sequence
        Columns to leave out.
    codes : mapping, optional
        Numbers that stand for the values of all features that are text.
    one_hot : bool
        Replace each feature that is text by one 0/1 column per value, in sorted order. Refused for dates, for
        what names single rows, and for more than 50 values without `max_categories`.
    max_categories : int, optional
        With `one_hot`: most columns made of a feature; its rarest values share the last one. Which are rare
        is learnt from training items alone, as scaling is.
    impute : str, optional
        ``"median"`` fills what is missing of the features: numbers by their median, text by its most frequent
        value, learnt from training items alone. Missing features are refused if left out.
    thresholds : mapping, optional
        Column -> numbers; each gives a feature that is 1 above the number, else 0, and only these are
        features.
    query_norm : str or int, optional
        Column of the queries within which features are scaled; see `query_level_norm`.
    parts : mapping, optional
        One column -> highest number of each part but the last; see `parts_by_bounds` and `Dataset.part`.
    copies_together : bool
        Keep rows with the same features on one side of every split; see
        `Dataset.duplicate_group`. A model that knows
        one of them by heart is otherwise rewarded on the others.
    thin : float, optional
        Keep so many of the positives that they are this share of the rows kept, drawn at random, the same
        ones for every seed; all negatives stay. For a stand-in with as few positives as other data have.

    Returns
    -------
    dataset : Dataset
        Named after the file; features in the order of the file.

    Raises
    ------
    DatasetError
        If a file or a column is missing, a column has missing or infinite values or is not numeric,
        `positive` does not occur, the files differ in their columns, or there are too few positives to
        thin.
    """
    where = f"dataset {path}"
    if not isinstance(copies_together, bool):
        raise DatasetError(f"{where}: copies_together must be true or false, got {copies_together!r}")
    if max_categories is not None:
        integer(where, "max_categories", max_categories, 2)
        if not one_hot:
            raise DatasetError(
                f"{where}: max_categories is how many columns one_hot makes: set one_hot: true"
            )
    if impute is not None and (thresholds is not None or query_norm is not None):
        raise DatasetError(f"{where}: impute cannot be combined with thresholds or query_norm: leave one out")
    table = read_raw_table(
        path,
        label,
        validation=validation,
        test=test,
        format=format,
        reader=reader,
        roles={"group": group, "entity": entity, "day": day},
        keep=keep,
        drop=drop,
        impute=impute,
    )
    frame, words = table.frame, table.words
    features = frame[table.features]
    check_text(features, words, where)
    gaps = bool(features.isna().any(axis=None))
    preparation = Preparation({}, impute) if gaps else None
    if codes is not None and words:
        features = to_numbers(features, words, codes, where)
    elif one_hot and words:
        check_categories(features, words, max_categories, where)
        if max_categories is None and not features[words].isna().any(axis=None):
            features = one_column_each(features, words)
        else:
            features, categories = as_codes(features, words)
            preparation = Preparation(categories, impute, max_categories)
    elif words:
        refuse_text(features, words, where)
    _check_numbers(features, where)
    if thresholds is not None:
        features = _above(features, thresholds, where)
    y = positives(frame[table.label], positive, where)
    names = {role: frame[column].to_numpy() for role, column in table.roles.items()}
    if day is not None:
        names["day"] = day_numbers(frame[table.roles["day"]], where)
    X = features.to_numpy(np.float64)
    if query_norm is not None:
        X = query_level_norm(X, present(frame[column_of(frame, query_norm, where)], where).to_numpy())
    part = table.part
    if parts is not None:
        if len(parts) != 1:
            raise DatasetError(f"{where}: parts must name one column, got {list(parts)}")
        [(column, bounds)] = parts.items()
        part = parts_by_bounds(
            present(frame[column_of(frame, column, where)], where).to_numpy(), bounds, where
        )

    if thin is not None:
        rows = thinned(y, thin, where)
        X, y = X[rows], y[rows]
        part = None if part is None else part[rows]
        names = {role: values[rows] for role, values in names.items()}
    duplicate_group = None
    if copies_together:  # all gaps are alike
        duplicate_group = np.unique(np.where(np.isnan(X), np.inf, X), axis=0, return_inverse=True)[1].ravel()

    facts = {
        "source": str(path),
        "licence": "the user's own file",
        "positive": f"{table.label} {'' if is_comparison(positive) else '= '}{positive}",
        "features": list(features.columns),
    }
    return Dataset(
        os.path.splitext(os.path.basename(path))[0],
        X,
        y.astype(np.int64),
        names.get("group"),
        facts,
        part,
        duplicate_group,
        names.get("entity"),
        names.get("day"),
        preparation=preparation,
    )


def _check_numbers(features: pd.DataFrame, where: str) -> None:
    """Refuse numbers that features cannot hold."""
    import pandas as pd

    for name in features:
        values = features[name].to_numpy(np.float64)
        if np.isinf(values).any():
            raise DatasetError(f"{where}: column {name!r} has infinite values: remove these rows")
        if pd.api.types.is_integer_dtype(features[name]) and np.abs(values).max() >= 2**53:
            raise DatasetError(
                f"{where}: column {name!r} has integers of 2**53 or more, which features cannot hold: "
                "drop it if it names things, else divide it"
            )


def _above(features: pd.DataFrame, thresholds: Mapping[str, Sequence[float]], where: str) -> pd.DataFrame:
    """Return a 0/1 feature for each threshold of each column."""
    import pandas as pd

    return pd.DataFrame(
        {
            f"{name} > {t:g}": (features[column_of(features, name, where)] > t).astype(np.float64)
            for name, values in thresholds.items()
            for t in listed(where, f"thresholds of {name!r}", values, (int, float), "numbers")
        }
    )
