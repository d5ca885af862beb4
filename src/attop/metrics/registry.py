"""All metrics by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from attop.core.wording import did_you_mean
from attop.metrics import (
    absolute_top,
    cumulative_gain,
    enrichment,
    f_beta,
    operating_point,
    pap,
    precision,
    roc_area,
)
from attop.metrics.card_metric import CARD_FAMILIES
from attop.metrics.metric import Metric

__all__ = ["DEFAULT_METRICS", "FAMILIES", "METRICS", "get_metric", "is_known", "register"]

#: What a benchmark run evaluates unless told otherwise.
_EVERY_RUN = (
    precision.PRECISION,
    precision.RECALL,
    precision.HIT,
    precision.AVERAGE_PRECISION,
    cumulative_gain.DCG_AT_K,
    cumulative_gain.DCG,
    cumulative_gain.NDCG_AT_K,
    cumulative_gain.NDCG,
    cumulative_gain.NDCG_AATP,
    absolute_top.POSITIVES_AT_TOP,
    absolute_top.RECIPROCAL_RANK,
    roc_area.AUC,
    roc_area.PARTIAL_AUC,
    pap.PAP,
    pap.MICRO_PAP,
)
#: Metrics that differ in a number; any other number than those below may be written into the name.
FAMILIES = (
    f_beta.F_BETA,
    enrichment.RIE,
    enrichment.BEDROC,
    operating_point.RECALL_AT_PRECISION,
    operating_point.PRECISION_AT_RECALL,
    operating_point.TPR_AT_FPR,
    *CARD_FAMILIES,
)
_ON_REQUEST = (
    enrichment.LIFT,
    f_beta.F_BETA.at(1),
    absolute_top.TOP_1,
    absolute_top.LAST_RANK,
    enrichment.RIE.at(20),
    enrichment.BEDROC.at(20),
    operating_point.RECALL_AT_PRECISION.at(0.9),
    operating_point.PRECISION_AT_RECALL.at(0.5),
    operating_point.TPR_AT_FPR.at(0.01),
)
#: Metrics by name, in the order in which reports show them.
METRICS: Mapping[str, Metric] = MappingProxyType({m.name: m for m in (*_EVERY_RUN, *_ON_REQUEST)})
#: Names of those a benchmark run evaluates unless told otherwise.
DEFAULT_METRICS = tuple(m.name for m in _EVERY_RUN)


#: Metrics from outside attop, of this process.
_OWN: dict[str, Metric] = {}


def register(metric: Metric) -> None:
    """Make a metric from outside attop known to `get_metric` in this process, instead of one of its name.

    For the report alone, which finds metrics by the names in its tables. Whatever computes is given the
    metric itself: see `attop.metrics.own.find_metric`.
    """
    _OWN[metric.name] = metric


def is_known(name: str) -> bool:
    """Whether a name is that of one of attop's metrics.

    Raises
    ------
    ValueError
        If a number in it is out of range.
    """
    return name in METRICS or any(family.read(name) for family in FAMILIES)


def get_metric(name: str | Metric) -> Metric:
    """Return the metric called `name`, such as ``"pap@k"`` or ``"bedroc-80.5"``; a `Metric` as it is.

    Raises
    ------
    ValueError
        If there is none, with the nearest names; or a number in it is out of range.

    Examples
    --------
    >>> get_metric("pap@k").bounds
    (0.0, 1.0)
    >>> get_metric("tpr@fpr-0.001").definition
    'Share of the positives above all but floor(0.001 n-) of the negatives.'
    """
    if isinstance(name, Metric):
        return name
    known = {**METRICS, **_OWN}
    if name in known:
        return known[name]
    for family in FAMILIES:
        found = family.read(str(name))
        if found is not None:
            return found
    raise ValueError(f"unknown metric {name!r}: {did_you_mean(name, known)}")
