"""Nested choice: candidates are compared on the inner folds, the best is trained and scores the test part."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attop._core.top import Top
from attop._core.typing import Floats
from attop.experiment._judge import default_tolerance
from attop.experiment._learner import Grid, Learner, Params, Sample
from attop.experiment._routing import Estimator
from attop.experiment._splits import Fold
from attop.metrics._metric import Metric
from attop.metrics._registry import get_metric
from attop.metrics._scorer import scores_of


@dataclass(frozen=True)
class Trained:
    """A learner tuned and trained on one fold, for several tops.

    Attributes
    ----------
    models : list of fitted estimators, one per top
    scores : ndarray of shape (tops, n_test)
    chosen : list of dict, one per top
    validation : list of float, one per top
        Mean of the metric over the inner folds; NaN where nothing was to choose.
    values : ndarray of shape (tops, candidates, inner folds)
        NaN where nothing was to choose, or the metric is undefined.
    seconds : dict
        Of ``selection``, ``training`` (None where it is part of the selection) and ``scoring``.
    """

    models: list[Estimator]
    scores: Floats
    chosen: list[dict[str, object]]
    validation: list[float]
    values: Floats
    seconds: dict[str, float | None]


def train(
    learner: Learner, sample: Sample, fold: Fold, tops: Sequence[Top], metric: Metric, seed: int
) -> Trained:
    """Choose a candidate for every top on the inner folds, train it and score the test part.

    Every candidate is scored by `metric` at the top, averaged over the inner folds where it is defined; the
    best wins, the first listed among equals. The metric is that of `Sample.measure`.

    Raises
    ------
    ValueError
        If there is a choice and the metric is undefined on every inner fold.
    """
    candidates = learner.candidates
    start = time.perf_counter()
    values = np.full((len(tops), len(candidates), len(fold.inner)), np.nan)
    models: list[Estimator] = []
    if len(candidates) > 1 or not fold.refit:
        picks = [(top, candidate) for top in tops for candidate in candidates]
        for i, (rows, validation) in enumerate(fold.inner):
            models, features = learner.fit(sample, rows, picks, seed)
            X = features(validation)
            for j, ((top, _), model) in enumerate(zip(picks, models, strict=True)):
                scores = scores_of(model, X, protect=True)
                values[*divmod(j, len(candidates)), i] = sample.measure(metric, validation, scores, top).value
    best, means = zip(*(best_candidate(table.T, metric) for table in values), strict=True)
    if len(candidates) > 1 and np.isnan(means).any():
        top = tops[int(np.flatnonzero(np.isnan(means))[0])]
        raise ValueError(
            f"{metric.name} at {top} is undefined on every inner fold, so no candidate of {learner.name} can "
            "be chosen by it: give more items, another top or another metric"
        )
    selected = time.perf_counter()
    chosen = [candidates[c] for c in best]
    if fold.refit:
        finals, features = learner.fit(sample, fold.train, list(zip(tops, chosen, strict=True)), seed)
    else:  # the single inner fold trained on the whole training part already
        finals = [models[t * len(candidates) + c] for t, c in enumerate(best)]
    trained = time.perf_counter()
    X = features(fold.test)
    scores = np.vstack([scores_of(model, X, protect=True) for model in finals])
    seconds = {
        "selection": selected - start,
        "training": trained - selected if fold.refit else None,
        "scoring": time.perf_counter() - trained,
    }
    return Trained(
        models=finals,
        scores=scores,
        chosen=chosen,
        validation=list(means),
        values=values,
        seconds=seconds,
    )


def best_candidate(values: ArrayLike, metric: Metric) -> tuple[int, float]:
    """Choose the best candidate, the first among equals; return it and its mean.

    `values` are those of the metric that selects, of shape (parts, candidates); a part where it is undefined
    (NaN) does not count. Where it is so on every part, the candidate is 0, and the mean NaN.
    """
    columns = np.asarray(values, dtype=np.float64).T
    defined = [column[~np.isnan(column)] for column in columns]
    means = np.array([column.mean() if len(column) else np.nan for column in defined])
    if np.isnan(means).all():
        return 0, float("nan")
    best = np.nanargmax(means) if metric.higher_is_better else np.nanargmin(means)
    return int(best), float(means[best])


def at_edge(
    candidate: Params,
    grid: Grid,
    candidates: Sequence[Params] = (),
    values: ArrayLike = (),
    metric: str | Metric = "precision@k",
) -> list[str]:
    """Find the numeric parameters chosen at an edge of their grid, of three or more values.

    `values` are those of the `candidates` on the inner folds, of shape (candidates, folds). Parameters with
    an equally good value inside the grid are left out: a wider grid would not help.
    """
    table, edges = np.asarray(values, dtype=np.float64), []
    tolerance = np.nan_to_num(default_tolerance(metric)) + 1e-12  # rounding aside
    for name, values_tried in grid.items():
        numbers = [v for v in values_tried if isinstance(v, (int, float))]
        if not len(numbers) == len(values_tried) > 2 or candidate[name] not in (min(numbers), max(numbers)):
            continue
        inside = [i for i, c in enumerate(candidates) if c[name] not in (min(numbers), max(numbers))]
        parts = (inside, slice(None)) if inside else ()
        means = [best_candidate(table[rows].T, get_metric(metric))[1] for rows in parts]
        if not (means and abs(means[1] - means[0]) <= tolerance):
            edges.append(name)
    return edges
