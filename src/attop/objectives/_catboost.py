"""Evaluation metrics for CatBoost."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from attop.objectives._evaluation import EvaluationMetric


class CatBoostMetric(EvaluationMetric):
    """A metric as ``eval_metric`` of ``CatBoostClassifier``.

    Labels and weights are those of the pool that is evaluated; CatBoost hands on no groups, so all rows of
    the pool are one list. Parameters are those of `EvaluationMetric`. CatBoost shows the name of this class.
    """

    #: CatBoost would else try to compile `evaluate`, and warn that it cannot.
    no_jit = True

    def is_max_optimal(self) -> bool:
        """Tell CatBoost whether higher is better."""
        return self.metric.higher_is_better

    def evaluate(
        self,
        approxes: Sequence[ArrayLike],
        target: ArrayLike,
        weight: ArrayLike | None,
    ) -> tuple[float, float]:
        """Compute the value at raw scores, of shape (1, n), and a weight that does not count."""
        (scores,) = approxes
        return self.value(scores, target, sample_weight=weight), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Leave the value as `evaluate` computes it."""
        return error
