"""Card precision by name: metrics that need, besides scores, whose each item is and on which day."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attop.core.typing import TopLike
from attop.metrics.card_precision import CardPrecision, card_precision, card_precision_in_order
from attop.metrics.family import Family
from attop.metrics.metric import Metric, MetricValue, UndefinedMetricError

__all__ = ["CARD_FAMILIES", "CardMetric"]


@dataclass(frozen=True, repr=False)
class CardMetric(Metric):
    """A metric of entities checked day by day, k of them a day; k is its `parameter`, whatever the target.

    `kernel` is called as ``kernel(y_true, y_score, k, entities, days)`` and returns the value.
    """

    def evaluate(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        top: TopLike | None = None,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        entities: ArrayLike | None = None,
        days: ArrayLike | None = None,
    ) -> MetricValue:
        """Value on a sample, or NaN and the reason; `top` and `groups` are not looked at.

        Parameters
        ----------
        y_true, y_score, sample_weight
            See `Metric.evaluate`; there may be no weights.
        entities, days : array-like of shape (n,), optional
            See `card_precision`; without them there is no value.
        """
        if sample_weight is not None:
            self._check_weights(sample_weight, len(np.asarray(y_true)))
        if entities is None or days is None:
            return MetricValue(float("nan"), 0, 1, "the data name no entities or no days")
        assert self.parameter is not None
        try:
            value = self.kernel(y_true, y_score, int(self.parameter[1]), entities, days)
        except UndefinedMetricError as error:
            return MetricValue(float("nan"), 0, 1, error.reason)
        return MetricValue(float(value), 1, 0)


def _of(
    y_true: ArrayLike, y_score: ArrayLike, k: int, entities: ArrayLike, days: ArrayLike, *, which: str
) -> float:
    found: CardPrecision = card_precision(y_true, y_score, k, entities, days)
    return float(getattr(found, which))


def _family(suffix: str, said: str, ties: str, kernel: Callable[..., Any]) -> Family:
    def make(k: float) -> Metric:
        return CardMetric(
            name=f"card-precision-{k:.12g}{suffix}",
            title=f"Card precision@{k:.12g}{said}",
            definition=f"Share of compromised cards among the {k:.12g} checked each day, mean over the days; "
            "each counts once a day, by its highest item, and not at all once it was found.",
            bounds=(0.0, 1.0),
            ties=ties,
            edge_cases="Undefined without entities and days, or where a day has fewer than k cards.",
            needs=(),
            kernel=kernel,
            parameter=("k", k),
        )

    return Family(f"card-precision-{{}}{suffix}", "k", make, "a whole number of at least 1", _whole)


def _whole(k: float) -> bool:
    return k >= 1 and k == int(k)


#: Expectation, bounds, and one order of tied cards.
CARD_FAMILIES = (
    _family("", "", "mean over 200 random orders of tied cards", partial(_of, which="value")),
    _family("-low", ", least", "tied cards ordered against the model", partial(_of, which="low")),
    _family("-high", ", greatest", "tied cards ordered in favour of the model", partial(_of, which="high")),
    _family(
        "-in-order",
        ", in order",
        "as in the handbook: tied cards in the order in which an unstable sort leaves them",
        card_precision_in_order,
    ),
)
