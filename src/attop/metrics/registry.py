"""All metrics by name."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType

from attop.metrics import absolute_top, cumulative_gain, pap, precision, roc_area
from attop.metrics.metric import Metric

__all__ = ["METRICS", "get_metric", "register"]

#: Metrics by name, in the order in which reports show them.
METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
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
    }
)


#: Metrics from outside attop, of this process.
_OWN: dict[str, Metric] = {}


def register(metric: Metric) -> None:
    """Make a metric from outside attop known to `get_metric` in this process, instead of one of its name.

    Raises
    ------
    ValueError
        If its name is that of one of attop's.
    """
    if metric.name in METRICS:
        raise ValueError(f"{metric.name!r} is the name of a metric of attop's: choose another")
    _OWN[metric.name] = metric


def get_metric(name: str | Metric) -> Metric:
    """Return the metric called `name`; a `Metric` is returned as it is.

    Raises
    ------
    ValueError
        If there is none, with the nearest names.

    Examples
    --------
    >>> get_metric("pap@k").bounds
    (0.0, 1.0)
    """
    if isinstance(name, Metric):
        return name
    known = {**METRICS, **_OWN}
    if name in known:
        return known[name]
    near = get_close_matches(str(name).lower(), known, n=3)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "choose one of " + ", ".join(known)
    raise ValueError(f"unknown metric {name!r}: {hint}")
