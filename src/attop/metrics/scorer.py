"""Metrics as scorers of scikit-learn's model selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop.metrics.metric import Metric, TopLike
from attop.metrics.registry import get_metric
from attop.top import Top

__all__ = ["TopScorer", "make_top_scorer"]


@dataclass(frozen=True)
class TopScorer:
    """Scorer ``scorer(estimator, X, y) -> float``; made by `make_top_scorer`."""

    metric: Metric
    top: Top | None

    def __call__(self, estimator: Any, X: Any, y: ArrayLike) -> float:
        """Score a fitted binary classifier on `X` with labels `y` of shape (n,), taken from `classes_`."""
        classes = getattr(estimator, "classes_", None)
        if classes is None or len(classes) != 2:
            known = "no classes_" if classes is None else f"classes_ {np.asarray(classes).tolist()}"
            raise ValueError(
                f"{self.metric.name} needs a classifier fitted on two classes, "
                f"got {type(estimator).__name__} with {known}"
            )
        labels = np.asarray(y)
        unknown = np.setdiff1d(labels, classes)
        if len(unknown):
            raise ValueError(f"y holds {unknown[:5].tolist()}, the classifier knows {classes.tolist()} only")
        return self.metric.value(labels == classes[1], _scores(estimator, X), self.top)


def _scores(estimator: Any, X: Any) -> NDArray[np.float64]:
    if hasattr(estimator, "decision_function"):
        return estimator.decision_function(X)
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X))[:, 1]
    raise TypeError(
        f"{type(estimator).__name__} gives no scores: a ranking needs decision_function or predict_proba"
    )


def make_top_scorer(metric: str | Metric, top: TopLike | None = None) -> TopScorer:
    """Make a scorer for ``GridSearchCV``, ``cross_val_score`` and the like.

    It ranks by ``decision_function``, or else by the probability of ``classes_[1]``, which is the positive
    class. All test items form one list. Where the metric is undefined, the scorer raises
    `UndefinedMetricError`, which scikit-learn turns into its `error_score`.

    Parameters
    ----------
    metric : str or Metric
        Such as ``"precision@k"``, see `METRICS`.
    top : Top, int or mapping, optional
        How much of the top, for metrics that need it. It is resolved on each test fold, so that a `k`
        chosen for the whole sample should shrink with the fold, or be given as ``{"tau": ...}``.

    Returns
    -------
    TopScorer

    Raises
    ------
    ValueError
        If the metric is unknown, or `top` malformed.
    TypeError
        If the metric needs a top and there is none.

    Examples
    --------
    >>> make_top_scorer("precision@k", {"tau": 0.05})
    TopScorer(metric=Metric(precision@k), top=Top(tau=0.05))
    """
    found = get_metric(metric)
    if found.needs_top and top is None:
        raise TypeError(f"{found.name} is a metric of the top: give top, for example {{'tau': 0.05}}")
    return TopScorer(found, None if top is None else Top.of(top))
