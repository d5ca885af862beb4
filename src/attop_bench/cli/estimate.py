"""What the training jobs and files of a configuration will take, as far as it can be known before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np

from attop_bench.run.carried import made_with
from attop_bench.run.origins import Origins
from attop_bench.run.plan import Plan
from attop_bench.run.record import Record
from attop_bench.run.run import Run

__all__ = ["Disk", "Jobs", "count_jobs", "disk_to_come"]


@dataclass(frozen=True)
class Jobs:
    """Training jobs of one method on one data set.

    Attributes
    ----------
    total, failed, left : int
        A job that failed is not left: nothing tries it again by itself.
    seconds : float or None
        What the jobs that are left will take on one core; None if no such job is done.
    limit : float or None
        Seconds one of them may take.
    n_test : int or None
        Largest number of items that one of them tested; None if none is done.
    """

    total: int
    failed: int
    left: int
    seconds: float | None
    limit: float | None
    n_test: int | None

    @property
    def done(self) -> int:
        """Number of jobs that ended well or had nothing to do."""
        return self.total - self.failed - self.left


@dataclass(frozen=True)
class Disk:
    """Bytes a run will write, as far as they are known.

    Attributes
    ----------
    downloads, prepared, predictions : int
    unsized_files, unsized_datasets, untested : tuple of str
        Files, and data sets, whose size is not known, and data sets of which it is not known how many items
        will be tested; none of them is in the numbers.
    """

    downloads: int
    prepared: int
    predictions: int
    unsized_files: tuple[str, ...]
    unsized_datasets: tuple[str, ...]
    untested: tuple[str, ...]

    @property
    def total(self) -> int:
        """All that is known."""
        return self.downloads + self.prepared + self.predictions


def count_jobs(plan: Plan) -> dict[tuple[str, str], Jobs]:
    """Return the jobs of each data set and method that has any, in the order of the configuration."""
    origins = Origins(plan)
    runs: dict[tuple[str, str], list[Run]] = {}
    for run in plan.runs():
        runs.setdefault((run.dataset, run.method), []).append(run)
    return {pair: _count(plan, origins, found) for pair, found in runs.items()}


def disk_to_come(plan: Plan, jobs: Mapping[tuple[str, str], Jobs]) -> Disk:
    """Add up what is still to be downloaded and written; tables and report are small beside it.

    A training job leaves a number for each item it tests and each top, and the row of the item. Without a
    job that is done, all items of the data set count as tested, which is more than will be.
    """
    downloads: dict[str, int | None] = {}
    prepared = predictions = 0
    unsized, untested = [], []
    for data in plan.config.datasets:
        for file in data.files.values():
            if not (Path(plan.config.cache) / file.path).exists():
                downloads[file.path] = file.bytes
        own = {method: job for (dataset, method), job in jobs.items() if dataset == data.id}
        there = plan.stage_path(data.id).exists()
        items = _count_items(plan.stage_path(data.id)) if there else data.expect.items
        if not there and items and data.expect.features:
            prepared += 8 * items * (data.expect.features + 2)  # a row's features, label and group
        elif not there:
            unsized.append(data.id)
        tested = max((job.n_test for job in own.values() if job.n_test), default=items)
        if tested is None and not there and any(job.left for job in own.values()):
            untested.append(data.id)
        for method, job in own.items():
            param_grid = plan.config.method(method).param_grid
            kept = prod(map(len, param_grid.values())) if data.selection == "optimistic" else 1
            predictions += job.left * 8 * (tested or 0) * (kept * len(data.tops) + 1)
    return Disk(
        downloads=sum(filter(None, downloads.values())),
        prepared=prepared,
        predictions=predictions,
        unsized_files=tuple(path for path, size in downloads.items() if size is None),
        unsized_datasets=tuple(unsized),
        untested=tuple(untested),
    )


def _count(plan: Plan, origins: Origins, runs: Sequence[Run]) -> Jobs:
    limit = plan.config.limits_of(runs[0].method)["seconds"]
    there = [run for run in runs if plan.record_path(run).exists() and plan.scores_path(run).exists()]
    origin = origins.run(runs[0])
    records = [Record.read(path) for path in map(plan.record_path, there) if made_with(path) == origin]
    took = [time for record in records if (time := _seconds(record, limit)) is not None]
    left = len(runs) - len(records)
    return Jobs(
        total=len(runs),
        failed=sum(record.failed for record in records),
        left=left,
        seconds=left * float(np.mean(took)) if took else None if left else 0.0,
        limit=limit,
        n_test=max((record.n_test for record in records if record.n_test), default=None),
    )


def _seconds(record: Record, limit: float | None) -> float | None:
    """Return what a job took; None if its record does not say."""
    if record.status == "timeout":
        return limit
    return record.total_seconds if record.ok else None


def _count_items(prepared: Path) -> int | None:
    """Return how many rows a prepared data set has, without reading its features; None if it has no data."""
    with np.load(prepared, allow_pickle=False) as file:
        return len(file["y"]) if "y" in file.files else None
