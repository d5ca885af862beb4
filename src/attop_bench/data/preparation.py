"""Preparation of features that is learnt from training items: gaps, categories, scale.

Whoever learns it from all rows has looked at the test items; so data carry gaps and categories as they are,
and each training part learns what to put in their place.
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
    """What is still to be done to the features of a data set."""

    #: Column of codes 0, 1, ... -> what each stands for.
    categories: Mapping[int, Sequence[str]]
    #: impute, max_categories: See `column_transformer`.
    impute: str | None = None
    max_categories: int | None = None

    def transformer(self, n_features: int) -> ColumnTransformer:
        """Return an unfitted transformer of features, shape (n, n_features), to numbers without gaps."""
        words = sorted(self.categories)
        numbers = [column for column in range(n_features) if column not in self.categories]
        return column_transformer(numbers, words, impute=self.impute, max_categories=self.max_categories)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Preparation:
        """Return what `dataclasses.asdict` gave and JSON kept."""
        categories = {int(column): tuple(values) for column, values in fields["categories"].items()}
        return cls(**{**fields, "categories": categories})


def column_transformer(
    numbers: Sequence[str | int],
    words: Sequence[str | int],
    *,
    impute: str | None,
    max_categories: int | None,
) -> ColumnTransformer:
    """Return an unfitted transformer: numbers, then a 0/1 column for each category of each of `words`.

    Both are names or positions of columns. By `impute="median"` a number that is missing becomes the median,
    a category the most frequent one, both of the items it is fitted on; a column of gaps alone becomes 0. By
    None nothing may be missing. One of `words` becomes at most `max_categories` columns; the rarest
    categories share the last of them. A category that was not there when it was fitted counts as one of
    these, or as none if none are pooled.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    encode = OneHotEncoder(
        max_categories=max_categories, handle_unknown="infrequent_if_exist", sparse_output=False
    )
    filled = SimpleImputer(strategy="median", keep_empty_features=True)
    most_frequent = SimpleImputer(strategy="most_frequent", keep_empty_features=True)
    parts = [
        ("numbers", "passthrough" if impute is None else filled, list(numbers)),
        ("categories", encode if impute is None else make_pipeline(most_frequent, encode), list(words)),
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
