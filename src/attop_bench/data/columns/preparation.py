"""Features by their types: rows that are alike, and the transformer to a matrix of numbers.

What it fills gaps by, which categories it pools, and the scale are learnt from training rows only, so that
nothing leaks: each fit has a transformer of its own. `attop deploy` fits the same one on all rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from attop.extending import Floats, Ints

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import Pipeline

#: Training rows that a word is in, at least.
_ROWS_OF_A_WORD = 2


class Columns(NamedTuple):
    """Columns of features by their type: names in a table, places in a matrix."""

    numbers: list[Any]
    categories: list[Any]
    texts: list[Any]


def is_table(X: object) -> bool:
    """Decide whether features are a table with typed columns, and no matrix."""
    return hasattr(X, "iloc")


def is_sparse(X: object) -> bool:
    """Decide whether features are a sparse matrix."""
    return hasattr(X, "tocsr")


def columns_of(X: Any) -> Columns:
    """Sort the columns of features by type: those of a table by dtype, those of a matrix are numbers."""
    columns = Columns([], [], [])
    if not is_table(X):
        columns.numbers.extend(range(X.shape[1]))
        return columns
    for name, dtype in X.dtypes.items():
        if dtype == "category":
            columns.categories.append(name)
        elif dtype.kind in "biuf":
            columns.numbers.append(name)
        else:
            columns.texts.append(name)
    return columns


def as_categories(text: pd.Series, values: list[str] | None = None) -> pd.Series:
    """Convert text to categories: `values`, by default all that the column has, in sorted order.

    What is none of `values` is missing.
    """
    import pandas as pd

    codes, distinct = pd.factorize(text)
    known = pd.Index(sorted(distinct) if values is None else values, dtype=str)
    places = np.append(known.get_indexer(distinct), -1)  # of what is missing
    categories = pd.Categorical.from_codes(places[codes], known)
    return pd.Series(categories, text.index, name=text.name)


def values_of(X: pd.DataFrame) -> dict[str, list[str]]:
    """List the values of each column of categories of a table."""
    return {
        name: X[name].cat.categories.tolist() for name in columns_of(X).categories
    }


def has_fixed_features(X: Any, max_categories: int | None) -> bool:
    """Decide whether each value of a category has a feature before anything is learnt.

    Else the training rows say which values have one: with `max_categories`, where categories are missing, and
    beside texts, of which they say which words have one.
    """
    columns = columns_of(X)
    if max_categories is not None or columns.texts or not columns.categories:
        return False
    return not X[columns.categories].isna().any(axis=None)


def count_features(X: Any, max_categories: int | None) -> int:
    """Count the features: one a column, and one a value of a category whose values all have one."""
    values = values_of(X) if has_fixed_features(X, max_categories) else {}
    return X.shape[1] - len(values) + sum(map(len, values.values()))


def copies(X: pd.DataFrame, max_categories: int | None) -> Ints:
    """Number the rows of a table so that rows with the same values have the same number; see `alike`.

    Rows are counted in the order of their features, see `has_fixed_features`: their numbers, then the last
    value of a category first; else in the order of the columns. Splits are drawn by these numbers, so another
    order is another split.
    """
    kinds = columns_of(X)
    codes = {
        c: X[c].cat.codes.replace(-1, np.nan).astype(np.float64)
        for c in kinds.categories
    }
    codes |= {
        c: X[c].astype("category").cat.codes.astype(np.float64) for c in kinds.texts
    }
    if has_fixed_features(X, max_categories):
        codes = {c: -code for c, code in codes.items()}
        X = X[[*kinds.numbers, *kinds.categories]]
    return alike(X.assign(**codes).to_numpy(np.float64))


def alike(X: Floats) -> Ints:
    """Number rows so that those with the same values have the same number; missing values are all alike.

    It counts the different rows in their order, as `numpy.unique`, which is slow where rows are long.
    """
    X = np.where(np.isnan(X), np.inf, X)
    order = np.lexsort(X.T[::-1])
    other = (X[order[1:]] != X[order[:-1]]).any(axis=1)
    numbers = np.empty(len(X), np.int64)
    numbers[order] = np.concatenate([[0], np.cumsum(other)])
    return numbers


def column_transformer(
    X: Any,
    impute: str | None = None,
    max_categories: int | None = None,
    scaling: str = "none",
) -> Pipeline:
    """Make an unfitted transformer: scaled numbers, a 0/1 column for each category, and weights of words.

    The columns are those of `X`, see `columns_of`. With `impute` missing numbers become the median,
    categories the most frequent one, an empty column 0; else a missing category is one more value, and a
    missing number stays. A category becomes a column for each value, with `max_categories` at most so many:
    the rarest of the training rows share the last. An unseen value counts as one of these, or as none if none
    are pooled. With text all is sparse, and only numbers are scaled; else 0/1 columns are as well.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline, make_pipeline

    columns = columns_of(X)
    has_text = bool(columns.texts)
    filled = SimpleImputer(strategy="median", keep_empty_features=True)
    most_frequent = SimpleImputer(
        strategy="most_frequent", keep_empty_features=True
    )
    scale = scaler(scaling) or "passthrough"
    number = "passthrough" if impute is None else filled
    encode = _encoder(X, max_categories, sparse=has_text)
    category = encode if impute is None else make_pipeline(most_frequent, encode)
    parts = [
        (
            "numbers",
            make_pipeline(number, scale) if has_text else number,
            columns.numbers,
        ),
        ("categories", category, columns.categories),
        *((f"words of {name}", text_weights(), name) for name in columns.texts),
    ]
    steps = ColumnTransformer(
        [part for part in parts if part[2] != []], sparse_threshold=float(has_text)
    )
    return Pipeline(
        [("columns", steps), ("scale", "passthrough" if has_text else scale)]
    )


def _encoder(X: Any, max_categories: int | None, sparse: bool) -> Any:
    """Make an unfitted encoder of categories to 0/1 columns."""
    from sklearn.preprocessing import OneHotEncoder

    fixed = has_fixed_features(X, max_categories)
    return OneHotEncoder(
        categories=list(values_of(X).values()) if fixed else "auto",
        max_categories=max_categories,
        handle_unknown="infrequent_if_exist",
        sparse_output=sparse,
    )


def text_weights() -> TfidfVectorizer:
    """Make an unfitted transformer of a column of text to weights of its words, sparse."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(min_df=_ROWS_OF_A_WORD, sublinear_tf=True)


def scaler(kind: str, sparse: bool = False) -> Any:
    """Make an unfitted transformer for `kind`, or None for ``"none"``.

    Features of a `sparse` matrix are divided by their standard deviation and not centred: a zero stays one.
    """
    if kind == "none":
        return None
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import (
        FunctionTransformer,
        MinMaxScaler,
        StandardScaler,
    )

    standard = StandardScaler(with_mean=not sparse)
    if kind == "log1p":
        return make_pipeline(
            FunctionTransformer(_log1p, accept_sparse=sparse), standard
        )
    if kind == "range" and sparse:
        raise ValueError(
            "scaling range would fill the zeros of a sparse matrix: use standard or none"
        )
    return standard if kind == "standard" else MinMaxScaler((-0.5, 0.5))


def _log1p(X: Floats) -> Floats:
    if X.min() < 0:
        raise ValueError(
            f"scaling log1p is for counts, and a feature has {X.min():g}: use standard"
        )
    return np.log1p(X)
