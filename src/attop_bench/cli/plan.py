"""What a run will do and take, before it starts."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
from joblib import cpu_count

from attop.core.wording import columns, counted, few, seconds
from attop_bench.cli.configuration import read_config
from attop_bench.cli.options import add_configuration, command_line
from attop_bench.run.plan import Plan
from attop_bench.run.record import Record
from attop_bench.run.spec import Run

__all__ = ["add_plan", "count_jobs", "disk_to_come", "existing", "run_plan", "size"]


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``attop plan``."""
    parser.add_argument(
        "--cores", type=int, metavar="N", help="cores of the run; by default those of this machine"
    )
    add_configuration(parser)


def run_plan(options: argparse.Namespace) -> int:
    """Print the jobs of every data set and method, and the time and disk they will take. Runs nothing.

    Times are those of jobs that are done; where there are none the time is unknown.
    """
    plan = Plan(read_config(options))
    jobs = count_jobs(plan)
    print(f"{plan.config.title}: {plan.root / 'report.html'}\n")
    print(columns(_rows(plan, jobs), right=range(2, 8)))
    cores = options.cores or cpu_count()
    print(f"\n{columns(_sums(plan, jobs, disk_to_come(plan, jobs), cores))}")
    print(f"\nThe command: {command_line(options)}")
    for complaint in plan.lost_files():
        print(f"snakemake will refuse: {complaint}")
    print(
        "Core hours are of training alone: starting a job takes about a second more, and preparing data, "
        "evaluation and report are not counted."
    )
    print(
        "Not checked here: the data themselves, and whether code or configuration of jobs that are done "
        "changed since; `snakemake --dry-run` tells which of them run again."
    )
    return 0


def _rows(plan: Plan, jobs: dict[tuple[str, str], Jobs]) -> Iterable[list[str]]:
    yield ["data set", "method", "jobs", "done", "failed", "to do", "core time", "limit"]
    for data in plan.config.datasets:
        name = data.id
        for method in plan.config.methods:
            if method.id in data.skip:
                yield [name, method.id, "-", "", "", "", "", ""]
            else:
                job = jobs[data.id, method.id]
                time = "unknown" if job.seconds is None else seconds(job.seconds)
                counts = [str(n or "") for n in (job.done, job.failed, job.left)]
                limit = "none" if job.limit is None else seconds(job.limit)
                yield [name, method.id, str(job.total), *counts, time if job.left else "", limit]
            name = ""


def _sums(plan: Plan, jobs: dict[tuple[str, str], Jobs], disk: Disk, cores: int) -> Iterable[list[str]]:
    left = [job for job in jobs.values() if job.left]
    total, done, failed, to_do = (
        sum(getattr(job, field) for job in jobs.values()) for field in ("total", "done", "failed", "left")
    )
    tried_again = f", {failed} failed (attop retry has them tried again)" if failed else ""
    yield ["Training jobs", f"{total}: {done} done{tried_again}, {to_do} to do; one core each"]
    yield ["Core hours", _hours(left)]
    if left and all(job.seconds is not None for job in left):
        yield [
            f"On {counted(cores, 'core')}",
            f"about {seconds(sum(job.seconds or 0 for job in left) / cores)}",
        ]
    limits = [job.limit for job in left]
    if left:
        longest = None if None in limits else max(limit for limit in limits if limit is not None)
        yield ["Longest job", "has no limit" if longest is None else f"is stopped after {seconds(longest)}"]
    yield ["Download", _amount(disk.downloads, disk.unsized_files)]
    yield ["Prepared data", _amount(disk.prepared, disk.unsized_datasets)]
    yield ["Predictions", _amount(disk.predictions, disk.untested, "at most ")]
    free = shutil.disk_usage(existing(plan.root)).free
    short = ": too little" if free < disk.total else ""
    yield ["Free disk", f"{size(free)} for {plan.root}{short}"]
    skipped = sum(len(set(data.skip) & {m.id for m in plan.config.methods}) for data in plan.config.datasets)
    if skipped:
        yield ["Left out", f"{counted(skipped, 'pair')} marked -: the configuration skips them (key skip)"]


def _hours(left: list[Jobs]) -> str:
    """Say what the jobs to do take together, and how many of them nothing is known of."""
    known = sum(job.seconds for job in left if job.seconds is not None)
    blind = [job for job in left if job.seconds is None]
    n = sum(job.left for job in blind)
    if not left:
        return "0"
    if not blind:
        return f"{known / 3600:.2g} ({seconds(known)} on one core), by the jobs that are done"
    limits = [job.left * job.limit for job in blind if job.limit is not None]
    worst = f"at most {sum(limits) / 3600:,.3g} by their limits" if len(limits) == len(blind) else "no limit"
    unknown = f"unknown for {counted(n, 'job')} ({worst}): no job of the same method and data set is done"
    return f"{known / 3600:.2g} by the jobs that are done, and {unknown}" if known else unknown


def _amount(known: int, unknown: tuple[str, ...], bound: str = "") -> str:
    names = few(unknown)
    if not unknown:
        return f"{bound if known else ''}{size(known)}"
    return f"{bound}{size(known)}, and an unknown amount for {names}" if known else f"unknown for {names}"


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
    runs: dict[tuple[str, str], list[Run]] = {}
    for run in plan.runs():
        runs.setdefault((run.dataset, run.method), []).append(run)
    return {pair: _count(plan, found) for pair, found in runs.items()}


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


def _count(plan: Plan, runs: Sequence[Run]) -> Jobs:
    limit = plan.config.limits_of(runs[0].method)["seconds"]
    records = [record for run in runs if (record := plan.record(run))]
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


def size(amount: float) -> str:
    """Return a number of bytes in decimal units."""
    for unit, length in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if amount >= length:
            return f"{amount / length:.3g} {unit}"
    return f"{amount:g} bytes"


def existing(folder: Path) -> Path:
    """Return the folder, or the nearest above it that exists."""
    folder = Path(os.path.abspath(folder))
    return next(path for path in (folder, *folder.parents) if path.is_dir())
