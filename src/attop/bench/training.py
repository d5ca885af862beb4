"""One training job: select, train and score one method on one fold, for every target.

With ``selection="nested"`` the job chooses among the settings of a method on inner splits of its training
part. With ``"optimistic"`` it chooses nothing: it trains every setting on the whole training part and keeps
the test scores of all, so that the evaluation can report, as some papers did, the one setting that is best on
the test parts themselves; see `attop.bench.optimistic`.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import random
import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline

from attop.bench.environment import environment, peak_memory_mb
from attop.bench.record import Record
from attop.bench.spec import JobSpec
from attop.datasets.base import Dataset, save_arrays
from attop.datasets.preparation import scaler
from attop.datasets.splits.folds import Fold
from attop.estimators.base import all_alike, fit_many
from attop.jobs.limits import TimeUp, time_limit
from attop.jobs.supervise import in_words
from attop.metrics import Metric
from attop.seeds import derive_seed
from attop.top import Top
from attop.typing import Floats, Ints

__all__ = [
    "Diverged",
    "Outcome",
    "failure",
    "fit_settings",
    "import_estimator",
    "run_job",
    "score_items",
    "settings_of",
    "write_outcome",
]


class Diverged(ArithmeticError):
    """A model whose weights or scores are not finite."""


@dataclass(frozen=True)
class Outcome:
    """Scores of the test items and the record of a run.

    Attributes
    ----------
    test : ndarray of shape (n,)
        Rows of the test part.
    scores : ndarray of shape (targets, n), or (targets, settings, n) for an optimistic selection
        Empty if the run failed.
    record : Record
    """

    test: Ints
    scores: Floats
    record: Record


def settings_of(search: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return all combinations of the search space, in the order they are listed."""
    return [dict(zip(search, values, strict=True)) for values in itertools.product(*search.values())]


def import_estimator(path: str) -> Any:
    """Return the class at a dotted path the configuration names."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"estimator {path!r} cannot be imported: {error}") from None


def rehearse(estimator: Any, settings: Sequence[Mapping[str, Any]]) -> None:
    """Fit an estimator on a toy sample: compiles, or loads, whatever a fit of it needs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    groups = np.arange(60) // 30
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit_many(estimator, X, y, groups, settings=[{**setting, "top": 3} for setting in settings[:2]])


def run_job(
    job: JobSpec, dataset: Dataset, fold: Fold, seconds: float | None = None, *, contain: bool = True
) -> Outcome:
    """Run a training job; a method that fails yields a record of the failure, not an exception.

    Selection happens on the inner splits of the training part only, which are the same for every method:
    each setting is scored by ``select_by`` at the target, averaged over the inner splits where it is
    defined; the best wins, the first listed among equals.

    The status in the record is ``ok``, ``timeout`` (after `seconds`), ``diverged`` (weights or scores that
    are not finite), ``memory`` or ``error``. A full disk is no fault of the method and raises OSError.
    Without `contain` whatever the method raises is raised, for a debugger.
    """
    record = _record(job, dataset.name)
    record.n_train, record.n_test = len(fold.train), len(fold.test)
    _seed_globals(record.seed)
    scores = np.empty((0, len(fold.test)))
    train = _train_all if job.selection == "optimistic" else _select_and_train
    try:
        with time_limit(seconds):
            scores = train(job, dataset, fold, record)
    except BaseException as error:  # whatever a method raises is its result
        if not contain or (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)):
            raise
        record.status = _status_of(error)
        record.error = in_words(error)
        record.traceback = _readable(traceback.format_exc())
    record.peak_memory_mb = peak_memory_mb()
    record.environment = environment()
    return Outcome(fold.test, scores, record)


def failure(job: JobSpec, data: str | Path, status: str, message: str, output: str = "") -> Outcome:
    """Return the outcome of a job that could not write its own.

    Parameters
    ----------
    job : JobSpec
    data : path
        File of the data set.
    status, message : str
    output : str
        The end of what it printed.
    """
    with np.load(data, allow_pickle=False) as file:
        name = json.loads(str(file["meta"]))["name"]
    record = _record(job, name)
    record.status, record.error, record.traceback = status, message, output
    record.environment = environment()
    return Outcome(np.empty(0, np.int64), np.empty((0, 0)), record)


def write_outcome(outcome: Outcome, scores: str | Path, record: str | Path) -> None:
    """Write scores and record, each whole or not at all."""
    save_arrays(scores, {"test": outcome.test, "scores": outcome.scores})
    outcome.record.write(record)


def _record(job: JobSpec, name: str) -> Record:
    return Record(
        repeat=job.repeat,
        fold=job.fold,
        select_by=job.select_by,
        selection=job.selection,
        seed=derive_seed(job.seed, name, job.repeat, job.fold),
    )


def _seed_globals(seed: int) -> None:
    """Seed the generators a method should not use, but may."""
    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002


def _status_of(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, TimeUp):
        return "timeout"
    return "diverged" if isinstance(error, (Diverged, FloatingPointError, OverflowError)) else "error"


def _train_all(job: JobSpec, dataset: Dataset, fold: Fold, record: Record) -> Floats:
    """Train every setting for every target on the whole training part and score the test part by all."""
    tops = job.tops
    settings = settings_of(job.search)
    estimator = _seeded(import_estimator(job.estimator)(**job.params), record.seed)
    start = time.perf_counter()
    models, transform = _train(estimator, job, dataset, fold.train, tops, settings)
    trained = time.perf_counter()
    test = transform(fold.test)
    scores = np.array([[score_items(model, test) for model in row] for row in models])
    for top, row, scored in zip(tops, models, scores, strict=True):
        kept = [
            {
                "setting": s,
                "at_edge": _at_edge(s, job.search),
                "model": _describe(m),
                "constant": all_alike(z),
            }
            for s, m, z in zip(settings, row, scored, strict=True)
        ]
        record.targets.append({"target": str(top), "settings": kept})
    record.n_settings = len(settings)
    record.seconds = {
        "selection": 0.0,
        "training": trained - start,
        "scoring": time.perf_counter() - trained,
    }
    return scores


def _select_and_train(job: JobSpec, dataset: Dataset, fold: Fold, record: Record) -> Floats:
    tops = job.tops
    settings = settings_of(job.search)
    estimator = _seeded(import_estimator(job.estimator)(**job.params), record.seed)

    selecting = len(settings) > 1 or not fold.refit
    if not selecting:  # else the first inner split loads what the seconds of training are not to count
        with contextlib.suppress(Exception):
            rehearse(estimator, settings)
    start = time.perf_counter()
    values = np.full((len(tops), len(settings), len(fold.inner)), np.nan)
    if selecting:
        for i, (fit, validation) in enumerate(fold.inner):
            models, transform = _train(estimator, job, dataset, fit, tops, settings)
            values[:, :, i] = _validate(models, transform(validation), job, dataset, validation, tops)
    chosen = [_best(values[t], job.metric) for t in range(len(tops))]
    selected = time.perf_counter()

    if fold.refit:
        picks = [{**settings[c], "top": top} for c, top in zip(chosen, tops, strict=True)]
        finals, transform = fit_settings(estimator, job, dataset, fold.train, picks)
    else:  # the single inner split trained on the whole training part already
        finals = [models[t][c] for t, c in enumerate(chosen)]
    trained = time.perf_counter()

    test = transform(fold.test)
    scores = np.vstack([score_items(model, test) for model in finals])
    scored = time.perf_counter()

    for t, top in enumerate(tops):
        record.targets.append(
            {
                "target": str(top),
                "chosen": settings[chosen[t]],
                "at_edge": _at_edge(settings[chosen[t]], job.search),
                "validation": _mean(values[t, chosen[t]]),
                "model": _describe(finals[t]),
                "constant": all_alike(scores[t]),
                "inner": [
                    {"setting": setting, "values": list(values[t, s])} for s, setting in enumerate(settings)
                ],
            }
        )
    record.n_settings = len(settings)
    record.seconds = {
        "selection": selected - start,
        "training": trained - selected if fold.refit else None,  # else it is part of the selection
        "scoring": scored - trained,
    }
    return scores


def _seeded(estimator: Any, seed: int) -> Any:
    return estimator.set_params(random_state=seed) if "random_state" in estimator.get_params() else estimator


def _train(
    estimator: Any,
    job: JobSpec,
    dataset: Dataset,
    rows: Ints,
    tops: Sequence[Top],
    settings: Sequence[Mapping[str, Any]],
) -> tuple[list[list[Any]], Any]:
    """Fit every setting for every target; return models[target][setting] and the feature transform."""
    combined = [{**setting, "top": top} for top in tops for setting in settings]
    models, transform = fit_settings(estimator, job, dataset, rows, combined)
    width = len(settings)
    return [models[t * width : (t + 1) * width] for t in range(len(tops))], transform


def fit_settings(
    estimator: Any, job: JobSpec, dataset: Dataset, rows: Ints, settings: Sequence[Mapping[str, Any]]
) -> tuple[list[Any], Any]:
    """Fit settings on rows of a data set; return the models and the transform that maps rows to features."""
    X = dataset.X[rows]
    prepare = _preparation(dataset, job.scaling)
    if prepare is not None:
        X = prepare.fit_transform(X)
    groups = None if dataset.groups is None else dataset.groups[rows]
    models = fit_many(estimator, X, dataset.y[rows], groups, settings=settings)
    for model in models:
        _check_weights(model)

    def transform(rows: Ints) -> Floats:
        return dataset.X[rows] if prepare is None else prepare.transform(dataset.X[rows])

    return models, transform


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


def _validate(
    models: Sequence[Sequence[Any]],
    X: Floats,
    job: JobSpec,
    dataset: Dataset,
    rows: Ints,
    tops: Sequence[Top],
) -> Floats:
    metric = job.metric
    y = dataset.y[rows]
    groups = None if dataset.groups is None else dataset.groups[rows]
    return np.array(
        [
            [metric.evaluate(y, score_items(model, X), top=top, groups=groups).value for model in row]
            for row, top in zip(models, tops, strict=True)
        ]
    )


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


def _best(values: Floats, metric: Metric) -> int:
    """Return the setting with the best mean over the inner splits; `values` has shape (settings, splits)."""
    means = np.array([_mean(row) for row in values])
    if len(means) > 1 and np.isnan(means).all():
        raise ValueError(f"{metric.name} is undefined on every inner split: no setting can be selected by it")
    if len(means) == 1:
        return 0
    return int(np.nanargmax(means) if metric.higher_is_better else np.nanargmin(means))


def _mean(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def _at_edge(setting: Mapping[str, Any], search: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the numeric parameters chosen at the lowest or highest of three or more values."""
    edges = []
    for name, values in search.items():
        numeric = len(values) > 2 and all(isinstance(v, (int, float)) for v in values)
        if numeric and setting[name] in (min(values), max(values)):
            edges.append(name)
    return edges


def _describe(model: Any) -> dict[str, Any]:
    """Return what the fitted model says of its training, where it says so."""
    names = ("objective_", "gap_", "quantile_gap_", "n_iter_", "converged_", "status_")
    said = {name.rstrip("_"): _json_value(getattr(model, name, None)) for name in names}
    return {name: value for name, value in said.items() if value is not None}


def _json_value(value: Any) -> Any:
    """Return what can be written as JSON, else None: other packages use these names as they like."""
    try:
        value = np.asarray(value).tolist()
        json.dumps(value)
    except Exception:
        return None
    return value


def _readable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
