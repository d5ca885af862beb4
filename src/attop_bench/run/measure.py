"""A metric on some rows of a data set."""

from __future__ import annotations

from attop.core.top import Top
from attop.core.typing import Floats, Ints
from attop.metrics.card_precision import CardMetric
from attop.metrics.metric import Metric, MetricValue
from attop_bench.data.base import Dataset

__all__ = ["measure"]


def measure(metric: Metric, dataset: Dataset, rows: Ints, scores: Floats, top: Top) -> MetricValue:
    """Return a metric of the scores of some rows, told what it must know of each row besides the label."""
    y = dataset.y[rows]
    groups = None if dataset.groups is None else dataset.groups[rows]
    if isinstance(metric, CardMetric):
        entities = None if dataset.entity is None else dataset.entity[rows]
        days = None if dataset.day is None else dataset.day[rows]
        return metric.evaluate(y, scores, top, groups, entities=entities, days=days)
    return metric.evaluate(y, scores, top=top, groups=groups)
