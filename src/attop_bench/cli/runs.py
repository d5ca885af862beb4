"""Training runs of a configuration by their status, and clearing those that failed."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from attop.core.wording import columns, counted, seconds
from attop_bench.cli.configuration import read_config
from attop_bench.cli.options import add_configuration, command_line
from attop_bench.cli.plan import count_jobs
from attop_bench.jobs.limits import FAILED, STATUSES
from attop_bench.run.job import Run
from attop_bench.run.plan import Plan
from attop_bench.run.record import Record, RecordError
from attop_bench.run.up_to_date import digest

_OTHER = "were done with another configuration and are done again"
_DAMAGED = "are damaged: `attop retry` removes them"


add_status = add_configuration


def add_retry(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``attop retry``."""
    add_configuration(parser)
    parser.add_argument("--dataset", help="only this data set")
    parser.add_argument("--method", help="only this method")
    parser.add_argument("--status", choices=FAILED, help="only this status")


def run_status(options: argparse.Namespace) -> int:
    """Print how many runs are done, failed and left, the failures with their reasons, and what to do."""
    plan = Plan(read_config(options))
    states = {run: _state(plan, run) for run in plan.runs()}
    runs, datasets = counted(len(states), "training run"), counted(len(plan.config.datasets), "data set")
    print(f"{runs} of {datasets}, in {plan.root}\n")
    print(columns(_table(plan, states), right=range(1, 9)))
    for reason in (_OTHER, _DAMAGED):
        if n := sum(why == reason for _, why in states.values()):
            print(f"Of those left, {n} {reason}.")
    failed = [(run, *state) for run, state in states.items() if state[0] in FAILED]
    failures = Counter((run.dataset, run.method, state, why) for run, state, why in failed)
    if failures:
        print()
    for (dataset, method, state, why), n in failures.items():
        print(f"{dataset} {method}: {state} in {n} runs: {why}")
    missing = list(_missing(plan))
    for dataset, _, why in missing:
        print(f"{dataset}: unavailable: {why}")
    command = command_line(options)
    if failures:
        print(f"\nAfter fixing the cause: {command_line(options, 'attop', 'retry')} && {command}")
    elif missing or any(state == "left" for state, _ in states.values()):
        print(f"\nGo on with: {command}")
    return 0


def _table(plan: Plan, states: Mapping[Run, tuple[str, str]]) -> Iterable[list[str]]:
    """Yield a row for each data set: its runs by status, and the core time of those that are left."""
    present = {state for state, _ in states.values()}
    shown = [state for state in (*STATUSES, "left") if state in present]
    yield ["data set", *shown, "time left"]
    jobs = count_jobs(plan)
    for data in plan.config.datasets:
        counts = Counter(state for run, (state, _) in states.items() if run.dataset == data.id)
        left = [job for (dataset, _), job in jobs.items() if dataset == data.id and job.left]
        known = [job.seconds for job in left if job.seconds is not None]
        time = f"{'' if len(known) == len(left) else 'over '}{seconds(sum(known))}" if known else "unknown"
        yield [data.id, *(str(counts[state] or "") for state in shown), time if left else ""]


def run_retry(options: argparse.Namespace) -> int:
    """Remove the outputs of failed training runs and the receipts of failed downloads.

    A run failed with the status error, timeout, memory or diverged. Nothing else is touched.
    """
    plan = Plan(read_config(options))
    removed = 0
    for run in plan.runs():
        state, why = _state(plan, run)
        asked = (options.dataset, run.dataset), (options.method, run.method), (options.status, state)
        if (state in FAILED or why == _DAMAGED) and all(only in (None, one) for only, one in asked):
            for path in plan.results(run):  # the scores first: a record without them is a run that is left
                path.unlink(missing_ok=True)
            print(f"cleared: {run.dataset} {run.method}, repeat {run.repeat}, fold {run.fold} ({state})")
            removed += 1
    if options.method is None and options.status is None:
        for dataset, receipt, _ in _missing(plan):
            if options.dataset in (None, dataset):
                receipt.unlink()
                print(f"cleared: the failed download of {dataset}")
                removed += 1
    print(f"\nNow: {command_line(options)}" if removed else "Nothing failed: there is nothing to clear.")
    return 0


def _state(plan: Plan, run: Run) -> tuple[str, str]:
    """Return status and reason of a run; ``left`` if its outputs are not there, or not its own."""
    if not all(path.exists() for path in plan.results(run)):
        return "left", ""
    try:
        content = Record.read(plan.record_path(run))
    except RecordError:
        return "left", _DAMAGED
    if content.digest != digest(plan, run):
        return "left", _OTHER
    return content.status, content.error


def _missing(plan: Plan) -> Iterator[tuple[str, Path, str]]:
    """Yield the data sets whose files are unavailable, the receipt and the reason."""
    for dataset in plan.with_files():
        receipt = plan.receipt_path(dataset)
        content = json.loads(receipt.read_text(encoding="utf-8")) if receipt.exists() else {}
        if "unavailable" in content:
            yield dataset, receipt, " ".join(content["unavailable"])
