"""Exact contributions of the columns of a row to its score."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.pipeline import Pipeline
from sklearn.utils import gen_batches

from attop.extending import Floats
from attop.metrics import scores_of
from attop_bench.data.columns.preparation import columns_of

#: Signs of a text that a reason shows.
_WIDTH = 40
#: Rows explained at a time: what is made on the way is many times as large as the numbers that are kept.
_ROWS = 50_000


def contributions(pipeline: Pipeline, X: pd.DataFrame) -> Floats | None:
    """Compute what each column contributes to the score of each row, and last the base; None if not exact.

    Exact are, where no column is text, those of linear models, whose 0/1 columns of a category are summed
    back to its column, and of the trees of LightGBM and XGBoost (Lundberg et al. 2020). They sum to log-odds
    where scores are probabilities.

    References
    ----------
    Lundberg et al. (2020), "From local explanations to global understanding with explainable AI for trees",
    Nature Machine Intelligence 2.
    """
    added = np.zeros((len(X), X.shape[1] + 1))
    for rows in gen_batches(max(len(X), 1), _ROWS):
        part = _of_rows(pipeline, X.iloc[rows])
        if part is None:
            return None
        added[rows] = part
    return added


def _of_rows(pipeline: Pipeline, X: pd.DataFrame) -> Floats | None:
    if len(pipeline) == 1:  # a model of the table itself
        return _of_features(pipeline[-1], X)
    Z = pipeline[:-1].transform(X)
    parts = None if issparse(Z) else _of_features(pipeline[-1], np.asarray(Z))
    if parts is None:
        return None
    added = np.zeros((len(X), X.shape[1] + 1))
    added[:, -1] = parts[:, -1]
    for feature, column in enumerate(_sources(pipeline, list(X))):
        added[:, column] += parts[:, feature]
    return added


def unused_columns(pipeline: Pipeline, X: pd.DataFrame) -> list[str]:
    """Find the columns that the scores of a model do not depend on; none where that is in doubt.

    The coefficients, or importances, of all features that are made of such a column are 0, and the rows of
    `X` have the same scores with the column's values in another order, which importances alone do not show.
    """
    if columns_of(X).texts:
        return []
    sources = list(range(X.shape[1]))
    if len(pipeline) > 1:
        sources = _sources(pipeline, list(X))
    weights = _weights(pipeline[-1])
    if weights is None or len(weights) != len(sources):
        return []
    used = {
        source
        for source, weight in zip(sources, weights, strict=True)
        if weight != 0
    }
    unused = [place for place in range(X.shape[1]) if place not in used]
    if not unused:
        return []
    turned = X.copy()
    for place in unused:
        turned[X.columns[place]] = X.iloc[::-1, place].set_axis(X.index)
    if not np.array_equal(scores_of(pipeline, X), scores_of(pipeline, turned)):
        return []
    return [X.columns[place] for place in unused]


def _weights(model: Any) -> Floats | None:
    """Read the weights of the features of a model, which are 0 for those it does not use."""
    for name in ("coef_", "feature_importances_"):
        weights = getattr(model, name, None)
        if weights is not None:
            return np.ravel(weights)
    return None


def largest(
    added: Floats, middle: Floats, X: pd.DataFrame, count: int = 3
) -> list[str]:
    """Name the columns that move a row furthest from the mean, with their values, one text a row.

    `added` are `contributions` of the rows of `X`, and `middle` is their mean over all rows. A text is such
    as "note = 'new device, urgent' +1.47, age is missing +0.2".
    """
    texts = []
    for rows in gen_batches(max(len(X), 1), _ROWS):
        texts += _texts((added[rows] - middle)[:, :-1], X.iloc[rows], count)
    return texts


def _texts(moved: Floats, X: pd.DataFrame, count: int) -> list[str]:
    """Name the columns that move each row furthest, and by how much."""
    first = np.argsort(-np.abs(moved), axis=1, kind="stable")[:, :count]
    moves = np.take_along_axis(moved, first, axis=1)
    values = [X.iloc[:, place].tolist() for place in range(X.shape[1])]
    texts = []
    for row, (places, of_places) in enumerate(
        zip(first.tolist(), moves.tolist(), strict=True)
    ):
        reasons = [
            f"{X.columns[place]} {_value_in_words(values[place][row])} {move:+.3g}"
            for place, move in zip(places, of_places, strict=True)
            if move
        ]
        texts.append(", ".join(reasons))
    return texts


def _value_in_words(value: object) -> str:
    """Write a cell as a reason shows it: a number, quoted text, shortened if it is long, or a gap."""
    if pd.isna(value):
        return "is missing"
    if isinstance(value, float):
        return f"= {value:.12g}"
    text = str(value)
    if len(text) > _WIDTH:
        text = f"{text[: _WIDTH - 3]}..."
    return f"= {text!r}"


def _of_features(model: Any, Z: Any) -> Floats | None:
    coef = getattr(model, "coef_", None)
    if (
        coef is not None
        and np.size(coef) == Z.shape[1]
        and hasattr(model, "decision_function")
    ):
        parts = np.column_stack(
            [Z * np.ravel(coef), np.full(len(Z), np.ravel(model.intercept_)[0])]
        )
        # Of a stack the coefficients are those of its members.
        scores = model.decision_function(Z)
        return (
            parts
            if np.allclose(parts.sum(axis=1), scores, rtol=1e-9, atol=1e-9)
            else None
        )
    if hasattr(model, "booster_"):
        parts = np.asarray(model.booster_.predict(Z, pred_contrib=True))
        # TopBooster's, which says where it cuts.
        parts[:, -1] += getattr(model, "intercept_", 0.0)
        return parts
    if hasattr(model, "get_booster"):
        from xgboost import DMatrix

        return np.asarray(
            model.get_booster().predict(
                DMatrix(Z, enable_categorical=True), pred_contribs=True
            ),
            np.float64,
        )
    return None


def _sources(pipeline: Pipeline, columns: list[str]) -> list[int]:
    """Name the column of X that each feature of the model comes from."""
    sources: list[int] = []
    for name, step, names in pipeline["columns"].transformers_:
        counts = [1] * len(names)
        if name == "categories":
            encoder = step[-1] if isinstance(step, Pipeline) else step
            pooled = getattr(encoder, "infrequent_categories_", [None] * len(names))
            encoded = zip(encoder.categories_, pooled, strict=True)
            counts = [
                len(values) - (0 if rare is None else len(rare) - 1)
                for values, rare in encoded
            ]
        sources += np.repeat(
            [columns.index(column) for column in names], counts
        ).tolist()
    return sources
