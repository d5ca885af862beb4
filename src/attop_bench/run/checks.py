"""Methods, and tops against their data, checked before anything is trained with them.

No fingerprint covers this module or what it imports: a check is not a result, so an edit of it repeats none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from attop.experiment import Fold, Selector, draw_candidates
from attop.extending import Ints, Top
from attop.metrics import Metric, find_metric
from attop_bench.data.base import Dataset
from attop_bench.files import Entry
from attop_bench.jobs.supervise import CannotRun
from attop_bench.run.fitting import (
    compile_method,
    distributions_of,
    import_estimator,
    sample_of,
)
from attop_bench.run.refusal import ConfigError, refuse

if TYPE_CHECKING:
    from attop_bench.run.options import DatasetConfig, MethodConfig


@dataclass(frozen=True)
class Selection:
    """Tops of a data set and the metric that selects for them, as its entry in the configuration says."""

    id: str
    tops: Sequence[Top]
    scoring: str
    selection: str
    select: str = ""


def check_cut(
    entry: Entry,
    custom_metrics: Mapping[str, Mapping[str, object]],
    dataset: Dataset,
    repeat: int,
    folds: Sequence[Fold],
) -> None:
    """Refuse the folds of one repeat, where a top of an entry, given as JSON, cannot be selected."""
    selection = Selection(
        **{**entry, "tops": [Top.of(top) for top in entry["tops"]]}
    )
    no_others: list[Sequence[Fold]] = [[] for _ in range(repeat)]
    metric = find_metric(selection.scoring, custom_metrics)
    selector = Selector.of(
        selection.select or metric, lambda name: find_metric(name, custom_metrics)
    )
    check_tops(selection, metric, dataset, [*no_others, folds], selector.metric)


def check_and_compile(method: Entry) -> None:
    """Refuse a method, given as JSON, that cannot be made, else fill the cache of compiled code for it."""
    complaints = check_method(SimpleNamespace(**method))
    if complaints:
        raise CannotRun("\n".join(complaints))
    compile_method(method)


def check_tops(
    data: Selection | DatasetConfig,
    metric: Metric,
    dataset: Dataset,
    folds: Sequence[Sequence[Fold]],
    selecting: Metric | None = None,
) -> None:
    """Refuse tops that cannot be judged by `metric`, or selected by another, in a fold of a repeat."""
    selecting = metric if selecting is None else selecting
    for key, one in (("scoring", metric), ("select", selecting)):
        if one.grouped and dataset.groups is None:
            raise ConfigError(
                f"datasets: {data.id}: {key} is {one.name}, a mean over groups, but its items have no "
                "groups: name their column, or select by another metric"
            )
    refuse(
        c
        for top in data.tops
        for c in islice(
            _complaints(data, dataset, folds, (metric, selecting), top), 1
        )
    )


def check_method(method: MethodConfig | SimpleNamespace) -> list[str]:
    """List what is wrong with a method: that it cannot be imported, or lacks a parameter."""
    space = distributions_of(getattr(method, "param_distributions", {}))
    first = {name: values[0] for name, values in method.param_grid.items()}
    first |= draw_candidates(space, 1, 0)[0] if space else {}
    try:
        make = import_estimator(method.estimator)
        if isinstance(make, type):
            make().set_params(**method.params, **first)
        else:
            make(**method.params).set_params(**first)
    except (Exception, SystemExit) as error:  # an own class may raise anything
        return [f"methods: {method.id}: {method.estimator}: {error}"]
    return []


def _complaints(
    data: Selection | DatasetConfig,
    dataset: Dataset,
    folds: Sequence[Sequence[Fold]],
    metrics: tuple[Metric, Metric],
    top: Top,
) -> Iterator[str]:
    """Yield what is wrong with a top; `metrics` are those of test parts and of inner ones."""
    sample = sample_of(dataset)
    named = {
        f"repeat {r}, fold {f}": fold
        for r, in_repeat in enumerate(folds)
        for f, fold in enumerate(in_repeat)
    }
    for name, fold in named.items():
        inner = fold.inner if data.selection == "nested" else []
        for rows in (fold.train, *(fit for fit, _ in inner)):
            if len(np.unique(dataset.y[rows])) < 2:
                yield (
                    f"datasets: {data.id}: a training part of {name} has one class only "
                    f"({_counts(dataset, rows)}): fewer folds, or more data"
                )
        parts = [
            ("test", metrics[0], fold.test),
            *(("validation", metrics[1], rows) for _, rows in inner),
        ]
        for part, metric, rows in parts:
            if reason := sample.measure(
                metric, rows, np.zeros(len(rows)), top
            ).reason:
                yield (
                    f"datasets: {data.id}: top {top} cannot be selected by {metric.name}, undefined in "
                    f"the {part} part of {name} ({_counts(dataset, rows)}): {reason}"
                )


def _counts(dataset: Dataset, rows: Ints) -> str:
    n_pos = int(dataset.y[rows].sum())
    counts = f"{len(rows)} items, {n_pos} positive"
    if dataset.groups is None:
        return counts
    sizes = np.bincount(dataset.groups[rows])
    return f"{counts}, in {len(sizes)} groups of {sizes.min()} to {sizes.max()}"
