"""Objectives and evaluation metrics for XGBoost."""

from __future__ import annotations

import re
from typing import Any

from attop._core.typing import Floats, TopLike
from attop.metrics._metric import Metric
from attop.objectives._evaluation import EvaluationMetric
from attop.objectives._objective import Objective, read_call

#: What names of metrics begin with, all but "mape", that `xgboost.callback.EarlyStopping` maximises.
_MAXIMISED = ("pre", "auc", "map", "ndcg")


class XGBoostObjective(Objective):
    """A surrogate as ``obj`` of ``xgboost.train`` and ``objective`` of ``XGBClassifier``.

    Labels, groups and weights are those of the matrix. Parameters, scale and second derivatives are those
    of `Objective`.

    Notes
    -----
    Start from a booster of log loss: train one with ``objective="binary:logistic"``, and hand it to the
    second call as ``xgb_model``. Scores are what ``predict(..., output_margin=True)`` gives.

    XGBoost refuses a matrix that has groups and weights of items. For both, hand it a function that leaves
    them out of the matrix: ``lambda scores, _: objective.derivatives(scores, y, groups, weight)``.
    """

    def __call__(
        self, first: Any, second: Any, sample_weight: Any = None
    ) -> tuple[Floats, Floats]:
        """Compute first and second derivatives.

        Called as ``(scores, matrix)`` by ``xgboost.train``, as ``(y, scores, sample_weight)`` by
        ``XGBClassifier``.
        """
        return self.derivatives(*read_call(first, second, sample_weight))


class XGBoostMetric(EvaluationMetric):
    """A metric as ``custom_metric`` of ``xgboost.train`` and ``eval_metric`` of ``XGBClassifier``.

    Labels, groups and weights are those of the matrix that is evaluated. Parameters are those of
    `EvaluationMetric`.

    Attributes
    ----------
    name : str
        Of metric and top, such as ``"precision@k=100"``, and before it ``"prefer-high-"`` or
        ``"low-is-better-"`` where XGBoost would else take the wrong direction.

    Notes
    -----
    XGBoost reads from a metric's name which way is better: it maximises those that begin with ``pre``,
    ``auc``, ``map`` or ``ndcg``, and minimises all others. The name is such that early stopping keeps the
    best round, by ``early_stopping_rounds`` as by `xgboost.callback.EarlyStopping`.

    Examples
    --------
    >>> XGBoostMetric("recall@k", 30).name
    'prefer-high-recall@k=30'
    """

    def __init__(self, metric: str | Metric, top: TopLike | None = None):
        super().__init__(metric, top)
        self.name = _name_with_direction(self.name, self.metric.higher_is_better)
        self.__name__ = self.name  # what XGBClassifier shows

    def __call__(
        self, first: Any, second: Any, sample_weight: Any = None
    ) -> tuple[str, float] | float:
        """Compute name and value, the value alone for ``XGBClassifier``; called as `XGBoostObjective` is."""
        value = self.value(*read_call(first, second, sample_weight))
        return (self.name, value) if hasattr(second, "get_label") else value


def _name_with_direction(name: str, higher_is_better: bool) -> str:
    """Name a metric so that XGBoost optimises it in the right direction; spaces and colons become hyphens."""
    name = re.sub(r"[\s:]+", "-", name)
    maximised = name.startswith(_MAXIMISED) and name != "mape"
    if maximised == higher_is_better:
        return name
    return ("prefer-high-" if higher_is_better else "low-is-better-") + name
