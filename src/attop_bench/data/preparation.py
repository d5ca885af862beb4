"""Preparation of features: missing values, categories, scale.

Learnt from training rows only, so that nothing leaks; prepared data keep missing values and categories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from attop._core.typing import Floats

if TYPE_CHECKING:
    from sklearn.compose import ColumnTransformer


@dataclass(frozen=True)
class Preparation:
    """Encoding and imputation left to each training part."""

    #: Column of codes 0, 1, ... -> what each stands for.
    categories: Mapping[int, Sequence[str]]
    #: impute, max_categories: See `column_transformer`.
    impute: str | None = None
    max_categories: int | None = None

    def transformer(self, n_features: int) -> ColumnTransformer:
        """Return an unfitted transformer of so many features to numbers without missing values."""
        categorical = sorted(self.categories)
        numbers = [column for column in range(n_features) if column not in self.categories]
        return column_transformer(numbers, categorical, self.impute, self.max_categories)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Preparation:
        """Undo `dataclasses.asdict`, and the text that JSON made of integers."""
        categories = {int(column): tuple(values) for column, values in fields["categories"].items()}
        return cls(**{**fields, "categories": categories})


def column_transformer(
    numbers: Sequence[str | int],
    categorical: Sequence[str | int],
    impute: str | None,
    max_categories: int | None,
) -> ColumnTransformer:
    """Return an unfitted transformer: numbers, then a 0/1 column for each category of each of `categorical`.

    Both are names or positions of columns. With `impute` missing numbers become the median, categories the
    most frequent one, an empty column 0; else nothing may be missing. A column becomes at most
    `max_categories`, of which the rarest categories share the last. An unseen category counts as one of
    these, or as none if none are pooled.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    unseen = "infrequent_if_exist"
    encode = OneHotEncoder(max_categories=max_categories, handle_unknown=unseen, sparse_output=False)
    filled = SimpleImputer(strategy="median", keep_empty_features=True)
    most_frequent = SimpleImputer(strategy="most_frequent", keep_empty_features=True)
    parts = [
        ("numbers", "passthrough" if impute is None else filled, list(numbers)),
        ("categories", encode if impute is None else make_pipeline(most_frequent, encode), list(categorical)),
    ]
    return ColumnTransformer([part for part in parts if part[2]], sparse_threshold=0)


def scaler(kind: str) -> Any:
    """Return an unfitted transformer for `kind`, or None for ``"none"``."""
    if kind == "none":
        return None
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler

    if kind == "log1p":
        return make_pipeline(FunctionTransformer(_log1p), StandardScaler())
    return StandardScaler() if kind == "standard" else MinMaxScaler((-0.5, 0.5))


def _log1p(X: Floats) -> Floats:
    if X.min() < 0:
        raise ValueError(f"scaling log1p is for counts, and a feature has {X.min():g}: use standard")
    return np.log1p(X)
