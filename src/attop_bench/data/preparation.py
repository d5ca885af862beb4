"""Preparation of features: missing values, categories, scale.

Learnt from training rows only, so that nothing leaks; prepared data keep missing values and categories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from attop._core.typing import Floats

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline


@dataclass(frozen=True)
class Preparation:
    """Encoding and imputation left to each training part."""

    #: Column of codes 0, 1, ... -> what each stands for.
    categories: Mapping[int, Sequence[str]]
    #: impute, max_categories: See `column_transformer`.
    impute: str | None = None
    max_categories: int | None = None
    #: Column of codes 0, 1, ... -> the text that each stands for.
    texts: Mapping[int, Sequence[str]] = field(default_factory=dict)

    def transformer(self, n_features: int, scaling: str = "none") -> Pipeline:
        """Return an unfitted transformer of so many features to scaled numbers without missing values."""
        from attop_bench.data.words import Words  # imports scikit-learn, the workflow this module

        categorical = sorted(self.categories)
        numbers = [c for c in range(n_features) if c not in {*self.categories, *self.texts}]
        words = {column: Words(self._counts[column]) for column in sorted(self.texts)}
        return column_transformer(numbers, categorical, self.impute, self.max_categories, scaling, words)

    @cached_property
    def _counts(self) -> dict[int, Any]:
        """Count of each word in each text; which words count, and how much, is learnt from training items."""
        from sklearn.feature_extraction.text import CountVectorizer

        return {column: CountVectorizer().fit_transform(text) for column, text in self.texts.items()}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Preparation:
        """Undo `dataclasses.asdict`, and the text that JSON made of integers."""
        named = {
            name: {int(column): tuple(values) for column, values in fields[name].items()}
            for name in ("categories", "texts")
        }
        return cls(**{**fields, **named})


def column_transformer(
    numbers: Sequence[str | int],
    categorical: Sequence[str | int],
    impute: str | None,
    max_categories: int | None,
    scaling: str = "none",
    words: Mapping[Any, Any] | None = None,
) -> Pipeline:
    """Return an unfitted transformer: scaled numbers, a 0/1 column for each category, and weights of words.

    Columns are names or positions; `words` has a transformer for each of text. With `impute` missing numbers
    become the median, categories the most frequent one, an empty column 0; else nothing may be missing. A
    category becomes at most `max_categories` columns, of which its rarest values share the last. An unseen
    value counts as one of these, or as none if none are pooled. With text all is sparse, and only numbers
    are scaled; else 0/1 columns are as well.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline, make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    unseen = "infrequent_if_exist"
    encode = OneHotEncoder(max_categories=max_categories, handle_unknown=unseen, sparse_output=bool(words))
    filled = SimpleImputer(strategy="median", keep_empty_features=True)
    most_frequent = SimpleImputer(strategy="most_frequent", keep_empty_features=True)
    scale = scaler(scaling) or "passthrough"
    number = "passthrough" if impute is None else filled
    parts = [
        ("numbers", make_pipeline(number, scale) if words else number, list(numbers)),
        ("categories", encode if impute is None else make_pipeline(most_frequent, encode), list(categorical)),
        *((f"words of {column}", step, column) for column, step in (words or {}).items()),
    ]
    columns = ColumnTransformer(
        [part for part in parts if part[2] != []], sparse_threshold=float(bool(words))
    )
    return Pipeline([("columns", columns), ("scale", "passthrough" if words else scale)])


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
