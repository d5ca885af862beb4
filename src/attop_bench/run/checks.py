"""A configuration checked against its data, before the first training job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from attop._core.top import Top
from attop._core.typing import Ints
from attop.experiment._splits import Fold
from attop.metrics._metric import Metric
from attop_bench.data.base import Dataset, Unavailable
from attop_bench.run.config import ConfigError
from attop_bench.run.fitting import import_estimator, sample_of
from attop_bench.run.options import Config, DatasetConfig, MethodConfig


def check_plan(
    config: Config,
    datasets: Mapping[str, Dataset | Unavailable],
    folds: Mapping[tuple[str, int], Sequence[Fold]],
) -> None:
    """Check methods, and tops against every fold of the available data."""
    runs = [m for m in config.methods if any(m.id not in data.skip for data in config.datasets)]
    complaints = [c for method in runs for c in check_method(method)]
    for data in config.datasets:
        dataset = datasets[data.id]
        if isinstance(dataset, Dataset):
            named = {
                f"repeat {repeat}, fold {number}": fold
                for repeat in range(data.protocol.repeats)
                for number, fold in enumerate(folds[data.id, repeat])
            }
            complaints += _check_tops(config, data, dataset, named)
    if complaints:
        raise ConfigError("\n".join(complaints))


def check_method(method: MethodConfig) -> list[str]:
    """Return the complaints about a method."""
    examples = {**method.params, **{name: values[0] for name, values in method.param_grid.items()}}
    try:
        import_estimator(method.estimator)().set_params(**examples)
    except (Exception, SystemExit) as error:  # an own class may raise anything
        return [f"methods: {method.id}: {method.estimator}: {error}"]
    return []


def _check_tops(
    config: Config, data: DatasetConfig, dataset: Dataset, folds: Mapping[str, Fold]
) -> Iterator[str]:
    """Yield the first complaint of each top; `folds` are named by repeat and fold."""
    metric = config.metric(data.scoring)
    if metric.grouped and dataset.groups is None:
        yield (
            f"datasets: {data.id}: scoring is {data.scoring}, a mean over groups, but its items have no "
            "groups: name their column, or select by another metric"
        )
        return
    for top in data.tops:
        yield from islice(_complaints(data, dataset, folds, metric, top), 1)


def _complaints(
    data: DatasetConfig, dataset: Dataset, folds: Mapping[str, Fold], metric: Metric, top: Top
) -> Iterator[str]:
    sample = sample_of(dataset)
    for name, fold in folds.items():
        inner = fold.inner if data.selection == "nested" else []
        for rows in (fold.train, *(fit for fit, _ in inner)):
            if len(np.unique(dataset.y[rows])) < 2:
                yield (
                    f"datasets: {data.id}: a training part of {name} has one class only "
                    f"({_counts(dataset, rows)}): fewer folds, or more data"
                )
        for part, rows in [("test", fold.test), *(("validation", rows) for _, rows in inner)]:
            if reason := sample.measure(metric, rows, np.zeros(len(rows)), top).reason:
                yield (
                    f"datasets: {data.id}: top {top} cannot be selected by {data.scoring}, undefined in "
                    f"the {part} part of {name} ({_counts(dataset, rows)}): {reason}"
                )


def _counts(dataset: Dataset, rows: Ints) -> str:
    n_pos = int(dataset.y[rows].sum())
    counts = f"{len(rows)} items, {n_pos} positive"
    if dataset.groups is None:
        return counts
    sizes = np.bincount(dataset.groups[rows])
    return f"{counts}, in {len(sizes)} groups of {sizes.min()} to {sizes.max()}"
