"""What a run will do and take, before it starts."""

from __future__ import annotations

import argparse
import math
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib import cpu_count

from attop.core.wording import columns, counted, few, seconds
from attop.experiment.lead import too_few_runs
from attop_bench.cli.configuration import read_config
from attop_bench.cli.options import add_configuration, command_line
from attop_bench.run.job import Run
from attop_bench.run.plan import Plan
from attop_bench.run.record import Record, RecordError
from attop_bench.run.up_to_date import is_done


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
    for data in plan.config.datasets:
        n = len({(run.repeat, run.fold) for run in plan.runs(data.id)})
        if warning := too_few_runs(n):
            print(f"warning: {data.id}: {warning}")
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


def _sums(
    plan: Plan, jobs: dict[tuple[str, str], Jobs], disk: dict[str, Amount], cores: int
) -> Iterable[list[str]]:
    left = [job for job in jobs.values() if job.left]
    total, done, failed, to_do = (
        sum(getattr(job, field) for job in jobs.values()) for field in ("total", "done", "failed", "left")
    )
    tried_again = f", {failed} failed (attop retry has them tried again)" if failed else ""
    yield ["Training jobs", f"{total}: {done} done{tried_again}, {to_do} to do; one core each"]
    yield ["Core hours", _hours(left)]
    if left and all(job.seconds is not None for job in left):
        together = sum(job.seconds or 0 for job in left)
        yield [f"On {counted(cores, 'core')}", f"about {seconds(together / cores)}"]
    if left:
        longest = max(math.inf if job.limit is None else job.limit for job in left)
        end = f"is stopped after {seconds(longest)}" if math.isfinite(longest) else "has no limit"
        yield ["Longest job", end]
    for name, amount in disk.items():
        yield [name, _amount(amount, "at most " if name == "Predictions" else "")]
    free = shutil.disk_usage(existing(plan.root)).free
    short = ": too little" if free < sum(amount.known for amount in disk.values()) else ""
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


def _amount(amount: Amount, bound: str) -> str:
    known = f"{bound if amount.known else ''}{size(amount.known)}"
    if not amount.unknown:
        return known
    names = few(amount.unknown)
    return f"{known}, and an unknown amount for {names}" if amount.known else f"unknown for {names}"


@dataclass(frozen=True)
class Jobs:
    """Training jobs of one method on one data set; a failed one is not left: nothing repeats it by itself."""

    total: int
    failed: int
    left: int
    seconds: float | None  # of those left on one core, by the mean of those done
    limit: float | None  # seconds
    n_test: int | None  # items tested by one of those done, at most

    @property
    def done(self) -> int:
        """Number of jobs that ended well or had nothing to do."""
        return self.total - self.failed - self.left


class Amount(NamedTuple):
    """Bytes as far as they are known, and the files or data sets they are not known of."""

    known: int
    unknown: list[str]


def count_jobs(plan: Plan) -> dict[tuple[str, str], Jobs]:
    """Return the jobs of each data set and method that has any, in the order of the configuration."""
    runs: dict[tuple[str, str], list[Run]] = {}
    for run in plan.runs():
        runs.setdefault((run.dataset, run.method), []).append(run)
    return {pair: _count(plan, found) for pair, found in runs.items()}


def disk_to_come(plan: Plan, jobs: Mapping[tuple[str, str], Jobs]) -> dict[str, Amount]:
    """Add up what is still to be downloaded and written; tables and report are small beside it.

    A training job leaves a number for each item it tests and each top, and the row of the item. Without a
    job that is done, all items of the data set count as tested, which is more than will be.
    """
    files = {file.path: file.bytes for data in plan.config.datasets for file in data.files.values()}
    files = {path: n for path, n in files.items() if not (Path(plan.config.cache) / path).exists()}
    download = Amount(sum(filter(None, files.values())), [path for path, n in files.items() if n is None])
    prepared = predictions = 0
    unsized, untested = [], []
    for data in plan.config.datasets:
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
    prepared_data, bound = Amount(prepared, unsized), Amount(predictions, untested)
    return {"Download": download, "Prepared data": prepared_data, "Predictions": bound}


def _count(plan: Plan, runs: Sequence[Run]) -> Jobs:
    limit = plan.config.limits_of(runs[0].method)["seconds"]
    records = [record for run in runs if (record := _record(plan, run))]
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


def _record(plan: Plan, run: Run) -> Record | None:
    """Return the record of a run; None if results are missing, damaged or of another configuration."""
    try:
        return Record.read(plan.record_path(run)) if is_done(plan, run) else None
    except RecordError:
        return None


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
