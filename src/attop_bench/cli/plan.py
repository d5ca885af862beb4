"""What a run will do and take, before it starts."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterable

from joblib import cpu_count

from attop.core.wording import counted, few, seconds
from attop_bench.cli.configuration import command_line, read_config
from attop_bench.cli.estimate import Disk, Jobs, count_jobs, disk_to_come
from attop_bench.cli.text import columns, existing, size
from attop_bench.run.plan import Plan

__all__ = ["show"]


def show(options: argparse.Namespace) -> int:
    """Print the jobs of every data set and method, and what time and disk they will take."""
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
