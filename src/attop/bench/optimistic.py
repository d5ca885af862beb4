"""The setting that is best on the test parts themselves, as some papers chose it.

Boyd et al. (2012, section 5.3) report the parameters with the best average of the reported metric over the
test parts. Such a choice sees the test labels: it is optimistic, and marked so in the tables. To ask for it,
give the data set ``selection: optimistic`` in the configuration. Its training jobs then keep the scores of
every setting, and the evaluation chooses, per data set, method and target, the one setting whose mean of
``select_by`` over all repeats and folds is best. The honest way, ``nested``, is the default.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attop.datasets.base import Dataset
from attop.metrics import Metric
from attop.top import Top
from attop.typing import Floats, Ints

__all__ = ["best_setting", "test_values"]


def test_values(dataset: Dataset, test: Ints, scores: Floats, top: Top, metric: Metric) -> list[float]:
    """Return the metric that selects on one test part, for each setting's scores (a row each)."""
    groups = None if dataset.groups is None else dataset.groups[test]
    return [metric.evaluate(dataset.y[test], row, top=top, groups=groups).value for row in scores]


def best_setting(values: Sequence[Sequence[float]], metric: Metric) -> tuple[int, float]:
    """Return the best setting, the first among equals, and its mean.

    Parameters
    ----------
    values : sequence of shape (runs, settings)
        Of the metric that selects; where it is undefined (NaN) the run does not count.
    metric : Metric
        The one that selects.
    """
    table = np.asarray(values, dtype=np.float64)
    defined = ~np.isnan(table)
    count = defined.sum(axis=0)
    means = np.where(count > 0, np.where(defined, table, 0).sum(axis=0) / np.maximum(count, 1), np.nan)
    if np.isnan(means).all():
        return 0, float("nan")
    best = np.nanargmax(means) if metric.higher_is_better else np.nanargmin(means)
    return int(best), float(means[best])
