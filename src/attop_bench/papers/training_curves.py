"""Surrogates against metrics along training."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attop.core.sample import check_groups, check_labels
from attop.core.typing import Floats, TopLike
from attop.metrics.metric import Metric
from attop.metrics.registry import get_metric
from attop.surrogates.base import Surrogate

__all__ = ["Measure", "TrainingCurve"]

#: A metric without a top, a metric and its top, or a surrogate.
Measure = str | Metric | tuple[str | Metric, TopLike] | Surrogate


class TrainingCurve:
    """A solver's callback that records metrics and surrogates of its models as it goes.

    Give it to a solver of `attop.solvers` as ``callback``, then read `rows`. It never stops the solver.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
        What is scored by ``X @ coef``: the training sample or another.
    y : array-like of shape (n,)
        Binary labels.
    measures : mapping of str to Measure
        What to record, by the name it shall have: ``{"AUC": "auc", "P@10": ("precision@k", 10),
        "ramp": PApKRamp(10)}``.
    groups : array-like of shape (n,), optional
        Measures are means over eligible groups.
    iterations : collection of int, optional
        Iterations to record at; None for all the solver reports.

    Attributes
    ----------
    rows : list of dict
        One row per iteration, model and measure, with keys "iteration", "model" (column of the solver's
        `coef`), "measure" and "value". The measure "objective" is what the solver itself reports.

    Raises
    ------
    UndefinedMetricError, ValueError
        If a measure is undefined on the sample, for lack of positives, say, or the input is malformed:
        at once, not in the midst of training.

    Notes
    -----
    Most solvers hand over their best iterate so far, the mini-batch solver its average and the perceptron
    its last. Time spent here counts for the solver's clock and deadline.

    Examples
    --------
    >>> import numpy as np
    >>> from attop.solvers.descent.gradient_descent import gradient_descent
    >>> from attop.surrogates import PApKAvg
    >>> X, y = np.array([[2.0], [1.0], [0.0]]), np.array([1, 0, 0])
    >>> curve = TrainingCurve(X, y, {"AUC": "auc"}, iterations=[0, 1])
    >>> _ = gradient_descent(X, PApKAvg(1).bind(y), eta=0.5, lam=0.0, max_iter=3, callback=curve)
    >>> [(row["iteration"], row["measure"], row["value"]) for row in curve.rows]
    [(0, 'objective', 1.0), (0, 'AUC', 0.5), (1, 'objective', 0.5), (1, 'AUC', 1.0)]
    """

    def __init__(
        self,
        X: Any,
        y: ArrayLike,
        measures: Mapping[str, Measure],
        *,
        groups: ArrayLike | None = None,
        iterations: Collection[int] | None = None,
    ):
        self.X = X
        self.y = check_labels(y)
        if X.shape[0] != len(self.y):
            raise ValueError(f"X has {X.shape[0]} rows but y has {len(self.y)} labels")
        self.groups = None if groups is None else check_groups(groups, len(self.y))
        if "objective" in measures:
            raise ValueError("'objective' is the name of the solver's own value: choose another")
        self._measures = {name: self._prepare(measure) for name, measure in measures.items()}
        self.iterations = None if iterations is None else frozenset(iterations)
        self.rows: list[dict[str, Any]] = []

    def _prepare(self, measure: Measure) -> Any:
        """Return a function of scores of shape (n,)."""
        if isinstance(measure, Surrogate):
            bound = measure.bind(self.y, self.groups)
            return lambda scores: float(bound(scores)[0])
        kind, top = measure if isinstance(measure, tuple) else (measure, None)
        metric = get_metric(kind)

        def value(scores: Floats) -> float:
            return metric.group_mean(self.y, scores, top, self.groups).value

        # Whether a metric is defined depends on labels, groups and top, not on scores.
        value(np.zeros(len(self.y)))
        return value

    def __call__(self, iteration: int, coef: Floats, objective: Floats) -> None:
        """Record; see `attop.solvers.base.Callback`."""
        if self.iterations is not None and iteration not in self.iterations:
            return
        scores = self.X @ coef
        for model in range(coef.shape[1]):
            at = {"iteration": int(iteration), "model": model}
            self.rows.append({**at, "measure": "objective", "value": float(objective[model])})
            column = np.ascontiguousarray(scores[:, model])
            for name, measure in self._measures.items():
                self.rows.append({**at, "measure": name, "value": measure(column)})
