"""One run of a comparison: a model is tuned and fitted on one part and looked at on the other."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid, StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from threadpoolctl import threadpool_limits

from attop.core.seeds import derive_seed
from attop.core.top import Top
from attop.core.typing import Ints
from attop.metrics.metric import Metric
from attop.metrics.registry import get_metric
from attop.metrics.scorer import scores_of

__all__ = ["Candidate", "Sample", "run"]

#: Inner folds of the training items, on which settings are chosen.
_INNER = 3


@dataclass(frozen=True)
class Candidate:
    """A model of the comparison, and the settings it is tuned over."""

    name: str
    estimator: Any
    grid: Any = None

    @classmethod
    def of(cls, name: str, given: Any) -> Candidate:
        """Read an estimator, or a pair of an estimator and a grid.

        Raises
        ------
        TypeError
            If it is neither.
        """
        estimator, grid = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
        if not hasattr(estimator, "fit") or isinstance(estimator, type):
            raise TypeError(
                f"model {name!r} must be an estimator or a pair (estimator, grid), got {given!r}: "
                "write for example LogisticRegression() or (LogisticRegression(), {'C': [0.1, 1]})"
            )
        return cls(str(name), estimator, grid)

    def settings(self) -> list[dict[str, Any]]:
        """Return the settings to choose from, one empty one without a grid."""
        return [{}] if self.grid is None else list(ParameterGrid(self.grid))


@dataclass(frozen=True)
class Sample:
    """Items, labels 0 and 1 beside those the models learn, and what may go with each item."""

    X: Any
    y: NDArray[Any]
    positive: Ints
    groups: NDArray[Any] | None
    weights: NDArray[Any] | None

    def rows(self, rows: Ints) -> Sample:
        """Return some of the items."""
        groups, weights = (None if a is None else a[rows] for a in (self.groups, self.weights))
        return Sample(_safe_indexing(self.X, rows), self.y[rows], self.positive[rows], groups, weights)


def run(
    candidate: Candidate,
    sample: Sample,
    train: Ints,
    test: Ints,
    metric: Metric,
    top: Top,
    seed: int,
) -> dict[str, Any]:
    """Return what a model is worth on the test items, after tuning and fitting on the training items.

    One thread, and a seed for every random state that is None, so that neither the number of jobs nor their
    order makes a difference.
    """
    with (
        threadpool_limits(1),
        config_context(enable_metadata_routing=False),  # what fit takes is handed to it here
        warnings.catch_warnings(record=True) as told,
    ):
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", "'n_jobs' has no effect", FutureWarning)  # see _fixed
        begun = time.perf_counter()
        learnt = sample.rows(train)
        setting = _choose(candidate, learnt, metric, top, seed)
        model = _fit(candidate, setting, learnt, seed)
        seconds = time.perf_counter() - begun
        seen = sample.rows(test)
        scores = scores_of(model, seen.X)
    found = _value(metric, seen, scores, top)
    share = get_metric("lift@k").evaluate(seen.positive, scores, top, seen.groups)
    return {
        "model": candidate.name,
        "value": found.value,
        "reason": found.reason or "",
        "lift": share.value,
        "setting": setting,
        "seconds": seconds,
        "warning": str(told[0].message) if told else "",
    }


def _choose(candidate: Candidate, sample: Sample, metric: Metric, top: Top, seed: int) -> Mapping[str, Any]:
    settings = candidate.settings()
    if len(settings) == 1:
        return settings[0]
    splitter = StratifiedKFold if sample.groups is None else StratifiedGroupKFold
    folds = list(
        splitter(_INNER, shuffle=True, random_state=seed % 2**32).split(
            np.zeros(len(sample.y)), sample.positive, sample.groups
        )
    )
    means = []
    for setting in settings:
        values = []
        for train, test in folds:
            model, seen = _fit(candidate, setting, sample.rows(train), seed), sample.rows(test)
            values.append(_value(metric, seen, scores_of(model, seen.X), top).value)
        means.append(np.mean(values))
    sign = 1 if metric.higher_is_better else -1
    if np.isnan(means).all():
        raise ValueError(
            f"{candidate.name}: {metric.name} at {top} is undefined on the parts it is tuned on, so that "
            "there is nothing to choose a setting by: give more items or another top"
        )
    return settings[int(np.nanargmax(sign * np.array(means)))]


def _value(metric: Metric, sample: Sample, scores: Any, top: Top) -> Any:
    weights = sample.weights if metric.weighted else None
    return metric.evaluate(sample.positive, scores, top, sample.groups, weights)


def _fit(candidate: Candidate, setting: Mapping[str, Any], sample: Sample, seed: int) -> Any:
    model = clone(candidate.estimator).set_params(**setting)
    model.set_params(**_fixed(model, seed))
    given = {"groups": sample.groups, "sample_weight": sample.weights}
    extra = {k: v for name, v in given.items() if v is not None and (k := _argument(model, name))}
    try:
        return model.fit(sample.X, sample.y, **extra)
    except Exception as error:
        error.add_note(f"while model {candidate.name!r} was fitted on {len(sample.y)} items")
        raise


def _fixed(model: Any, seed: int) -> dict[str, Any]:
    """Return a seed for every random state that is None, and one thread wherever their number is None.

    LightGBM, for one, starts as many as there are cores whatever `threadpool_limits` says.
    """
    left = [name for name, value in model.get_params().items() if value is None]
    states = {n: derive_seed(seed, n) % 2**31 for n in left if n.split("__")[-1] == "random_state"}
    return states | {n: 1 for n in left if n.split("__")[-1] == "n_jobs"}


def _argument(model: Any, name: str) -> str | None:
    """Return the name under which `fit` takes something, of a pipeline its last step; None if it does not."""
    prefix = ""
    while isinstance(model, Pipeline):
        step, model = model.steps[-1]
        prefix += f"{step}__"
    return prefix + name if name in signature(model.fit).parameters else None
