"""A method of the configuration, fitted with its settings on rows of a data set, and scoring others."""

from __future__ import annotations

import itertools
import json
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline

from attop.core.top import Top
from attop.core.typing import Floats, Ints
from attop.estimators.base import fit_many
from attop_bench.data.base import Dataset
from attop_bench.data.preparation import scaler
from attop_bench.run.spec import JobSpec

__all__ = [
    "Diverged",
    "describe",
    "estimator_of",
    "fit_grid",
    "fit_settings",
    "import_estimator",
    "rehearse",
    "score_items",
    "settings_of",
]


class Diverged(ArithmeticError):
    """A model whose weights or scores are not finite."""


def import_estimator(path: str) -> Any:
    """Return the class at a dotted path the configuration names."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"estimator {path!r} cannot be imported: {error}") from None


def settings_of(param_grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return all combinations of the search space: names in alphabetical order, values as they are listed.

    The first of equally good settings is chosen, so that the order of the names in a file must not matter.
    """
    names = sorted(param_grid)
    return [
        dict(zip(names, values, strict=True)) for values in itertools.product(*(param_grid[n] for n in names))
    ]


def estimator_of(job: JobSpec, seed: int) -> Any:
    """Return the estimator of a job with its fixed parameters, seeded unless a seed is one of them."""
    estimator = import_estimator(job.estimator)(**job.params)
    if "random_state" in estimator.get_params() and "random_state" not in job.params:
        estimator.set_params(random_state=seed)
    return estimator


def rehearse(estimator: Any, settings: Sequence[Mapping[str, Any]]) -> None:
    """Fit an estimator on a toy sample: compiles, or loads, whatever a fit of it needs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    groups = np.arange(60) // 30
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit_many(estimator, X, y, groups, candidates=[{**setting, "top": 3} for setting in settings[:2]])


def fit_settings(
    estimator: Any, job: JobSpec, dataset: Dataset, rows: Ints, settings: Sequence[Mapping[str, Any]]
) -> tuple[list[Any], Any]:
    """Fit settings on rows of a data set; return the models and the transform that maps rows to features."""
    X = dataset.X[rows]
    prepare = _preparation(dataset, job.scaling)
    if prepare is not None:
        X = prepare.fit_transform(X)
    groups = None if dataset.groups is None else dataset.groups[rows]
    models = fit_many(estimator, X, dataset.y[rows], groups, candidates=settings)
    for model in models:
        _check_weights(model)

    def transform(rows: Ints) -> Floats:
        return dataset.X[rows] if prepare is None else prepare.transform(dataset.X[rows])

    return models, transform


def fit_grid(
    estimator: Any,
    job: JobSpec,
    dataset: Dataset,
    rows: Ints,
    tops: Sequence[Top],
    settings: Sequence[Mapping[str, Any]],
) -> tuple[list[list[Any]], Any]:
    """Fit every setting for every top; return models[top][setting] and the feature transform."""
    combined = [{**setting, "top": top} for top in tops for setting in settings]
    models, transform = fit_settings(estimator, job, dataset, rows, combined)
    width = len(settings)
    return [models[t * width : (t + 1) * width] for t in range(len(tops))], transform


def score_items(model: Any, X: Floats) -> Floats:
    """Return finite scores of the items, by decision_function or the probability of the positive class."""
    if not hasattr(model, "fit_many"):  # one from elsewhere may change what it is given
        X = X.copy()
    if hasattr(model, "decision_function"):
        scores = model.decision_function(X)
    elif hasattr(model, "predict_proba"):
        scores = model.predict_proba(X)[:, 1]
    else:
        raise TypeError(f"{type(model).__name__} has neither decision_function nor predict_proba")
    scores = np.asarray(scores)
    if scores.dtype.kind not in "biuf":
        raise TypeError(
            f"{type(model).__name__} returned scores of dtype {scores.dtype}, such as {scores.ravel()[:1]}: "
            "real numbers are needed"
        )
    scores = scores.astype(np.float64)
    if scores.shape != (len(X),):
        raise ValueError(
            f"{type(model).__name__} returned scores of shape {scores.shape} for {len(X)} items: "
            "one number per item is needed"
        )
    if not np.isfinite(scores).all():
        bad = int((~np.isfinite(scores)).sum())
        raise Diverged(f"{type(model).__name__} returned {bad} scores that are NaN or infinite")
    return scores


def describe(model: Any) -> dict[str, Any]:
    """Return what the fitted model says of its training, where it says so."""
    names = ("objective_", "gap_", "quantile_gap_", "n_iter_", "converged_", "status_")
    said = {name.rstrip("_"): _json_value(getattr(model, name, None)) for name in names}
    return {name: value for name, value in said.items() if value is not None}


def _preparation(dataset: Dataset, scaling: str) -> Any:
    """Return an unfitted transformer of features to what learners see, or None if they are that already."""
    scale = scaler(scaling)
    if dataset.preparation is None:
        return scale
    return make_pipeline(dataset.preparation.transformer(dataset.X.shape[1]), scale or "passthrough")


def _check_weights(model: Any) -> None:
    coef = getattr(model, "coef_", None)
    if isinstance(coef, np.ndarray) and coef.dtype.kind == "f" and not np.isfinite(coef).all():
        raise Diverged(f"{type(model).__name__} has weights that are NaN or infinite")


def _json_value(value: Any) -> Any:
    """Return what can be written as JSON, else None: other packages use these names as they like."""
    try:
        value = np.asarray(value).tolist()
        json.dumps(value)
    except Exception:
        return None
    return value
