"""A configuration checked against its data, before the first training job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attop.core.top import Top
from attop.core.typing import Ints
from attop.experiment.splits import Fold
from attop.metrics.metric import Metric
from attop_bench.data.base import Dataset, Unavailable
from attop_bench.run.config import Config, ConfigError, DatasetConfig, MethodConfig
from attop_bench.run.fitting import import_estimator, sample_of

__all__ = ["check_method", "check_plan"]


def check_plan(
    config: Config,
    datasets: Mapping[str, Dataset | Unavailable],
    folds: Mapping[tuple[str, int], Sequence[Fold]],
) -> None:
    """Check methods, and tops against the parts of every fold.

    Parameters
    ----------
    config : Config
    datasets : mapping of data set identifier to Dataset, or Unavailable
        What cannot be had is not checked.
    folds : mapping of data set identifier and repeat to folds

    Raises
    ------
    ConfigError
        With every complaint, one a line.
    """
    runs = [m for m in config.methods if any(m.id not in data.skip for data in config.datasets)]
    complaints = [c for method in runs for c in check_method(method)]
    for data in config.datasets:
        dataset = datasets[data.id]
        if isinstance(dataset, Dataset):
            complaints += _check_targets(config, data, dataset, folds)
    if complaints:
        raise ConfigError("\n".join(complaints))


def check_method(method: MethodConfig) -> list[str]:
    """Return what is wrong with a method: nothing, or complaints."""
    where = f"methods: {method.id}"
    try:
        estimator = import_estimator(method.estimator)()
        known = estimator.get_params()
    except (Exception, SystemExit) as error:  # an own class may raise anything
        return [f"{where}: {error}"]
    examples = {**method.params, **{name: values[0] for name, values in method.param_grid.items()}}
    unknown = [
        name
        for name, value in examples.items()
        if name.split("__")[0] not in known and not _takes(estimator, name, value)
    ]
    return [
        f"{where}: {method.estimator} has no parameter {name!r}; it has {', '.join(sorted(known))}"
        for name in unknown
    ]


def _takes(estimator: Any, name: str, value: Any) -> bool:
    """Whether `set_params` takes what `get_params` does not list: a constructor's ``**kwargs``."""
    try:
        estimator.set_params(**{name: value})
    except (TypeError, ValueError):
        return False
    return True


def _check_targets(
    config: Config,
    data: DatasetConfig,
    dataset: Dataset,
    folds: Mapping[tuple[str, int], Sequence[Fold]],
) -> list[str]:
    if config.metric(data.scoring).grouped and dataset.groups is None:
        return [
            f"datasets: {data.id}: scoring is {data.scoring}, a mean over groups, but its items have no "
            "groups: name their column, or select by another metric"
        ]
    complaints = []
    for top in data.tops:
        complaint = _first_complaint(config, data, dataset, folds, top)
        if complaint:
            complaints.append(complaint)
    return complaints


def _first_complaint(
    config: Config,
    data: DatasetConfig,
    dataset: Dataset,
    folds: Mapping[tuple[str, int], Sequence[Fold]],
    top: Top,
) -> str | None:
    for repeat in range(data.protocol.repeats):
        for number, fold in enumerate(folds[data.id, repeat]):
            nested = data.selection == "nested"
            validations = [validation for _, validation in fold.inner] if nested else []
            fits = [fit for fit, _ in fold.inner] if nested else []
            for rows in (fold.train, *fits):
                if len(np.unique(dataset.y[rows])) < 2:
                    return (
                        f"datasets: {data.id}: a training part of repeat {repeat}, fold {number} has one "
                        f"class only ({_counts(dataset, rows)}): fewer folds, or more data"
                    )
            for part, rows in [("test", fold.test), *(("validation", v) for v in validations)]:
                reason = _undefined(dataset, rows, config.metric(data.scoring), top)
                if reason:
                    where = f"the {part} part of repeat {repeat}, fold {number} ({_counts(dataset, rows)})"
                    return (
                        f"datasets: {data.id}: top {top} cannot be selected by {data.scoring}, "
                        f"undefined in {where}: {reason}"
                    )
    return None


def _undefined(dataset: Dataset, rows: Ints, metric: Metric, top: Top) -> str:
    return sample_of(dataset).measure(metric, rows, np.zeros(len(rows)), top).reason or ""


def _counts(dataset: Dataset, rows: Ints) -> str:
    n_pos = int(dataset.y[rows].sum())
    counts = f"{len(rows)} items, {n_pos} positive"
    if dataset.groups is None:
        return counts
    sizes = np.bincount(dataset.groups[rows])
    return f"{counts}, in {len(sizes)} groups of {sizes.min()} to {sizes.max()}"
