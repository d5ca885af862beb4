"""A metric as the evaluation metric of a booster."""

from __future__ import annotations

from numpy.typing import ArrayLike

from attop._core.top import Top
from attop._core.typing import TopLike
from attop.metrics._metric import Metric
from attop.metrics._registry import get_metric


class EvaluationMetric:
    """A metric and its top, to be called by a booster.

    Parameters
    ----------
    metric : str or Metric
        Such as ``"precision@k"``, see `attop.metrics.METRICS`.
    top : Top, int or mapping, optional
        For metrics that need it; resolved in each group.

    Attributes
    ----------
    name : str
        Of metric and top, such as ``"precision@k=100"``.

    Raises
    ------
    ValueError, TypeError
        As `make_top_scorer`.

    Examples
    --------
    >>> EvaluationMetric("recall@k", {"tau": 0.05}).name
    'recall@tau=0.05'
    """

    def __init__(self, metric: str | Metric, top: TopLike | None = None):
        self.metric = get_metric(metric)
        self.name = self.metric.name
        self.top = None
        if self.metric.needs_top:
            if top is None:
                raise TypeError(
                    f"{self.name} is a metric of the top: give top, for example {{'tau': 0.05}}"
                )
            self.top = Top.of(top)
            # Without spaces, at which XGBoost divides what it reports.
            self.name = f"{self.name.removesuffix('k')}{self.top}".replace(" ", "-")

    def value(
        self,
        scores: ArrayLike,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Compute the metric's value, the mean over `groups` where there are any.

        An undefined one is an error: a number in its place would stop training early for no reason.
        """
        return self.metric.group_mean(
            y, scores, self.top, groups, sample_weight
        ).value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"
