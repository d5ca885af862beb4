"""Which of a method's settings is used: the one with the best mean of the metric that selects.

With ``selection: nested``, the default, a training job takes the means over the inner splits of its training
part. With ``selection: optimistic`` it keeps the test scores of every setting, and the evaluation takes the
means over the test parts of all repeats and folds, per data set, method and top. That choice sees the test
labels, and is marked so in the tables: Boyd et al. (2012, section 5.3) report the parameters with the best
average of the reported metric.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attop.core.top import Top
from attop.core.typing import Floats, Ints
from attop.metrics.metric import Metric
from attop_bench.data.base import Dataset
from attop_bench.run.measure import measure

__all__ = ["at_edge", "best_setting", "values_of"]


def values_of(
    dataset: Dataset, rows: Ints, scores: Iterable[Floats], top: Top, metric: Metric
) -> list[float]:
    """Return the metric of some rows, for each setting's scores of them."""
    return [measure(metric, dataset, rows, one, top).value for one in scores]


def best_setting(values: ArrayLike, metric: Metric) -> tuple[int, float]:
    """Return the best setting, the first among equals, and its mean.

    Parameters
    ----------
    values : array-like of shape (parts, settings)
        Of the metric that selects, on inner splits or test parts. A part where it is undefined (NaN) does not
        count.
    metric : Metric
        The one that selects.

    Returns
    -------
    setting : int
    mean : float
        NaN if the metric is undefined on every part; `setting` is 0 then.
    """
    columns = np.asarray(values, dtype=np.float64).T
    defined = [column[~np.isnan(column)] for column in columns]
    means = np.array([column.mean() if len(column) else np.nan for column in defined])
    if np.isnan(means).all():
        return 0, float("nan")
    best = np.nanargmax(means) if metric.higher_is_better else np.nanargmin(means)
    return int(best), float(means[best])


def at_edge(setting: Mapping[str, Any], param_grid: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the numeric parameters chosen at the lowest or highest of three or more values."""
    edges = []
    for name, values in param_grid.items():
        numeric = len(values) > 2 and all(isinstance(v, (int, float)) for v in values)
        if numeric and setting[name] in (min(values), max(values)):
            edges.append(name)
    return edges
