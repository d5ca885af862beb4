"""Objectives and evaluation metrics for LightGBM."""

from __future__ import annotations

from typing import Any

from attop._core.typing import Floats
from attop.objectives._evaluation import EvaluationMetric
from attop.objectives._objective import Objective, read_call


class LightGBMObjective(Objective):
    """A surrogate as ``objective`` of ``lightgbm.train`` and ``LGBMClassifier``.

    Labels, groups and weights are those of the data set. Parameters, scale and second derivatives are those
    of `Objective`.

    See Also
    --------
    attop.TopBooster : Starts from log loss, and tells whether it pays.

    Notes
    -----
    Start from a booster of log loss: train one with ``objective="binary"``, and hand it to the second call
    as ``init_model``. The booster returned holds the trees of both. Its scores are not log-odds any more.
    """

    def __call__(
        self, first: Any, second: Any, weight: Any = None, group: Any = None
    ) -> tuple[Floats, Floats]:
        """Compute first and second derivatives.

        Called as ``(scores, data set)`` by ``lightgbm.train``, as ``(y, scores, weight, group)`` by
        ``LGBMClassifier``.
        """
        return self.derivatives(*read_call(first, second, weight, group))


class LightGBMMetric(EvaluationMetric):
    """A metric as ``feval`` of ``lightgbm.train`` and ``eval_metric`` of ``LGBMClassifier.fit``.

    Labels, groups and weights are those of the data set that is evaluated. Parameters are those of
    `EvaluationMetric`. Set LightGBM's parameter ``metric="none"`` for early stopping to look at no other.
    """

    def __call__(
        self, first: Any, second: Any, weight: Any = None, group: Any = None
    ) -> tuple[str, float, bool]:
        """Compute name, value and whether higher is better; called as `LightGBMObjective` is."""
        value = self.value(*read_call(first, second, weight, group))
        return self.name, value, self.metric.higher_is_better
