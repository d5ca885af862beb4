"""Metrics by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from attop._core.wording import did_you_mean
from attop.metrics._cards import CARD_PRECISION
from attop.metrics._cumulative_gain import dcg, ndcg, ndcg_aatp
from attop.metrics._metric import Metric
from attop.metrics._operating_point import (
    precision_at_recall,
    recall_at_precision,
    tpr_at_fpr,
)
from attop.metrics._pap import MICRO_PAP, pap_at_k, partial_auc
from attop.metrics._precision import (
    AMOUNTS,
    average_precision,
    f_beta_at_k,
    hit_at_k,
    lift_at_k,
    precision_at_k,
    recall_at_k,
    smoothed_precision_at_k,
)
from attop.metrics._ranks import bedroc, positives_at_top, reciprocal_rank
from attop.metrics._roc import auc

#: What a benchmark run evaluates unless told otherwise.
_EVERY_RUN = (
    precision_at_k.metric,
    recall_at_k.metric,
    hit_at_k.metric,
    average_precision.metric,
    dcg.metric,
    dcg.whole,
    ndcg.metric,
    ndcg.whole,
    ndcg_aatp.metric,
    positives_at_top.metric,
    reciprocal_rank.metric,
    auc.metric,
    partial_auc.metric,
    pap_at_k.metric,
    MICRO_PAP,
)
_ON_REQUEST = (
    smoothed_precision_at_k.metric,
    lift_at_k.metric,
    f_beta_at_k.family.at(1),
    bedroc.family.at(20),
    recall_at_precision.family.at(0.9),
    precision_at_recall.family.at(0.5),
    tpr_at_fpr.family.at(0.01),
)
#: Metrics with a number in their name; any other number than those above may be written there.
FAMILIES = (
    *(
        f.family
        for f in (
            f_beta_at_k,
            bedroc,
            recall_at_precision,
            precision_at_recall,
            tpr_at_fpr,
        )
    ),
    CARD_PRECISION,
)
#: Metrics by name, in the order in which reports show them.
METRICS: Mapping[str, Metric] = MappingProxyType(
    {m.name: m for m in (*_EVERY_RUN, *_ON_REQUEST)}
)
#: Names of those a benchmark run evaluates unless told otherwise.
DEFAULT_METRICS = tuple(m.name for m in _EVERY_RUN)


#: Metrics from outside attop, of this process.
_OWN: dict[str, Metric] = {}


def register(metric: Metric) -> None:
    """Register a metric from outside attop for `get_metric`, in this process; it replaces one of its name.

    For the report alone, which finds metrics by the names in its tables; what computes is given the metric.
    """
    _OWN[metric.name] = metric


def is_known(name: str) -> bool:
    """True if attop has a metric of this name; raises a ValueError if a number in it is out of range."""
    return (
        name in METRICS
        or name in AMOUNTS
        or any(family.read(name) for family in FAMILIES)
    )


def get_metric(name: str | Metric) -> Metric:
    """Look up a metric by its name, such as ``"pap@k"`` or ``"bedroc-80.5"``; a `Metric` stays as it is.

    Raises
    ------
    ValueError
        If there is none, with the nearest names, or a number in the name is out of range.

    Examples
    --------
    >>> get_metric("pap@k").bounds
    (0.0, 1.0)
    >>> get_metric("tpr@fpr-0.001").definition
    'Share of the positives above all but floor(0.001 n-) of the negatives.'
    """
    if isinstance(name, Metric):
        return name
    metrics = {**METRICS, **AMOUNTS, **_OWN}
    if name in metrics:
        return metrics[name]
    for family in FAMILIES:
        metric = family.read(str(name))
        if metric is not None:
            return metric
    raise ValueError(f"unknown metric {name!r}: {did_you_mean(name, metrics)}")
