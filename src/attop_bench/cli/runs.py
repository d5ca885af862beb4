"""`attop status` and `attop retry`: the training jobs of a configuration, and clearing those that failed."""

from __future__ import annotations

import math
import shutil
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from joblib import cpu_count

from attop.experiment import MIN_RUNS, Units, least_lead, warn_of_plan
from attop.extending import (
    Top,
    columns,
    count_noun,
    did_you_mean,
    format_duration,
    join_first,
    main_top,
)
from attop.metrics import get_metric
from attop_bench.cli import estimate
from attop_bench.cli.configuration import read_config
from attop_bench.cli.estimate import DAMAGED, OTHER, Amount, Jobs, JobsByPair, State
from attop_bench.cli.options import (
    GATE,
    add_configuration,
    add_gate,
    command_line,
    read_number,
)
from attop_bench.data.splits.protocols import PROTOCOLS
from attop_bench.files import read_json
from attop_bench.jobs.limits import FAILED, STATUSES
from attop_bench.run.blocks import clear
from attop_bench.run.config import ConfigError
from attop_bench.run.job import Run
from attop_bench.run.options import DatasetConfig
from attop_bench.run.plan import Plan
from attop_bench.run.resources import (
    LOCAL,
    Requests,
    size_mb,
    step_memory_mb,
    step_minutes,
)
from attop_bench.run.took import Step, cells_of_rules, of_notes, use_of


def add_status(parser: ArgumentParser) -> None:
    """Add the options of ``attop status``."""
    parser.add_argument(
        "--cores",
        type=read_number,
        metavar="N",
        help="of the run; by default those of this machine",
    )
    add_gate(parser, ["failed", "left"])
    add_configuration(parser, by_position=True)


def add_retry(parser: ArgumentParser) -> None:
    """Add the options of ``attop retry``."""
    add_configuration(parser, by_position=True)
    parser.add_argument("--dataset", help="only this data set")
    parser.add_argument("--method", help="only this method")
    parser.add_argument("--status", choices=FAILED, help="only this status")
    parser.add_argument(
        "--outdated",
        action="store_true",
        help="clear instead those that were done with other versions of packages than are installed",
    )


def run_status(options: Namespace) -> int:
    """Print the training jobs that are done, failed and left, and the time the rest will take.

    Runs nothing.
    """
    plan = Plan(read_config(options))
    states = estimate.read_states(plan)
    jobs = estimate.count_jobs(plan, states)
    print(f"{plan.config.title}: {plan.root / 'report.html'}\n")
    print(columns(_table(plan, jobs), right=range(2, 11)))
    print(f"\n{columns(_sums(plan, jobs, options.cores or cpu_count()))}\n")
    if took := _took(plan, states):
        print(f"{columns(took, right=range(1, 6))}\n")
    print("\n".join(_remarks(plan, states)))
    command = command_line(options)
    has_failed = any(state.status in FAILED for state in states.values())
    has_more = any(job.left for job in jobs.values())
    lacks_data = any(_missing(plan))
    if has_failed:
        print(
            f"\nAfter fixing the cause: {command_line(options, 'attop', 'retry')} && {command}"
        )
    elif has_more or lacks_data:
        print(f"\nGo on with: {command}")
    is_so = {"failed": has_failed or lacks_data, "left": has_more}
    return GATE if any(is_so[state] for state in options.fail_on) else 0


def _remarks(plan: Plan, states: Mapping[Run, State]) -> Iterator[str]:
    """Yield failures with their reasons, runs that are done again, and warnings before a start."""
    for reason in (OTHER, DAMAGED):
        if n := sum(state.why == reason for state in states.values()):
            yield f"Of those left, {n} {reason}."
    yield from _versions(states.values())
    failed = [
        (run, state) for run, state in states.items() if state.status in FAILED
    ]
    failures = Counter(
        (run.dataset, run.method, state.status, state.why) for run, state in failed
    )
    for (dataset, method, status, why), n in failures.items():
        yield f"{dataset} {method}: {status} in {count_noun(n, 'run')}: {why}"
    for dataset, _, why in _missing(plan):
        yield f"{dataset}: unavailable: {why}"
    for data in plan.config.datasets:
        if warning := _warn_of(plan, data):
            yield f"{data.id}: {warning}"
    for complaint in plan.lost_files():
        yield f"snakemake will refuse: {complaint}"
    yield (
        "Not checked here: the data themselves, and whether code of jobs that are done changed since; "
        "`snakemake --dry-run` tells which of them run again."
    )


def _versions(states: Iterable[State]) -> Iterator[str]:
    """Say how many results are of other versions of packages than are installed, and of which."""
    changes = [
        change for state in states if (change := estimate.outdated_packages(state))
    ]
    if not changes:
        return
    packages = dict(pair for change in changes for pair in change.items())
    words = join_first(
        [f"{package} {versions}" for package, versions in sorted(packages.items())]
    )
    yield f"{count_noun(len(changes), 'result')} of other versions: {words}: `attop retry --outdated` clears."


def _warn_of(plan: Plan, data: DatasetConfig) -> str:
    """Say what the planned runs cannot show, from folds, positives and the middle top; empty if nothing."""
    runs = {(run.repeat, run.fold) for run in plan.runs(data.id)}
    n = len(runs)
    folds = len({fold for _, fold in runs})
    models = len(plan.config.methods) - len(data.skip)
    items = data.expect.items
    positives = data.expect.positives
    path = plan.stage_path(data.id)
    if path.exists() and (labels := estimate.read_labels(path)) is not None:
        items = len(labels)
        positives = int(labels.sum())
    top = Top.parse(main_top(map(str, data.tops)))
    precision = get_metric("precision@k")
    if (
        not PROTOCOLS[data.protocol.kind].crossed
        or None in (items, positives)
        or data.scoring != precision.name
    ):
        return warn_of_plan(n)
    ratio = 1 / (folds - 1)
    units = Units.of(
        precision,
        top,
        ratio,
        items=items,
        positives=positives,
        groups=data.expect.groups,
    )
    warning = warn_of_plan(
        n, least_lead(units, n, ratio) if models > 1 else math.nan
    )
    if n < MIN_RUNS or not warning:
        return warning
    return f"with {n} runs and {positives:,} positives {warning} at {top}"


def _table(plan: Plan, jobs: JobsByPair) -> Iterable[list[str]]:
    """Yield a row for each data set and method: its jobs by status, and the time of those left."""
    present = {status for job in jobs.values() for status in job.counts}
    shown = [status for status in (*STATUSES, "left") if status in present]
    yield ["data set", "method", *shown, "core time", "limit"]
    for data in plan.config.datasets:
        name = data.id
        for method in plan.config.methods:
            if job := jobs.get((data.id, method.id)):
                time = (
                    "unknown"
                    if job.seconds is None
                    else format_duration(job.seconds)
                )
                limit = "none" if job.limit is None else format_duration(job.limit)
                counts = [str(job.counts[status] or "") for status in shown]
                yield [name, method.id, *counts, time if job.left else "", limit]
            else:
                yield [name, method.id, "-"]
            name = ""


def _sums(plan: Plan, jobs: JobsByPair, cores: int) -> Iterable[list[str]]:
    """Yield rows on all jobs: how many are left, and what they will take."""
    yield from _trainings(plan, jobs, cores)
    steps = estimate.steps_left(plan)
    yield from _other_jobs(plan, steps)
    has_trainings = any(job.left for job in jobs.values())
    if has_trainings or any(step.rule not in LOCAL for step in steps):
        yield _largest_request(plan, jobs, steps)
    if has_trainings:
        yield from _disk(plan, jobs)


def _trainings(plan: Plan, jobs: JobsByPair, cores: int) -> Iterable[list[str]]:
    """Yield rows on the training jobs."""
    left = [job for job in jobs.values() if job.left]
    total = sum(job.counts.total() for job in jobs.values())
    to_do = sum(job.left for job in left)
    failed = sum(job.counts[status] for job in jobs.values() for status in FAILED)
    tried_again = (
        f", {failed} failed (attop retry has them tried again)" if failed else ""
    )
    done = f"{total}: {total - failed - to_do} done"
    yield ["Training jobs", f"{done}{tried_again}, {to_do} to do; one core each"]
    skipped = sum(
        len(set(data.skip) & {m.id for m in plan.config.methods})
        for data in plan.config.datasets
    )
    if skipped:
        yield [
            "Left out",
            f"{count_noun(skipped, 'pair')} marked -: the configuration skips them (key skip)",
        ]
    if not left:
        return
    yield ["Core hours of training", _hours(left)]
    if all(job.seconds is not None for job in left):
        together = sum(job.seconds or 0 for job in left)
        yield [
            f"On {count_noun(cores, 'core')}",
            f"about {format_duration(together / cores)}",
        ]
    longest = max(math.inf if job.limit is None else job.limit for job in left)
    end = (
        f"is stopped after {format_duration(longest)}"
        if math.isfinite(longest)
        else "has no limit"
    )
    yield ["Longest job", end]


def _other_jobs(plan: Plan, steps: list[Step]) -> Iterator[list[str]]:
    """Yield a row on the jobs other than trainings."""
    if not steps:
        return
    n = count_noun(len(steps), "job")
    seconds = estimate.step_seconds(plan, steps)
    if seconds is None:
        time = "core hours unknown until one of each rule is done"
    else:
        time = f"{seconds / 3600:.2g} core hours, by the jobs that are done"
    yield ["Data, tables, report", f"{n} to do; {time}"]


def _disk(plan: Plan, jobs: JobsByPair) -> Iterator[list[str]]:
    """Yield rows on what is still to be written."""
    disk = estimate.disk_to_come(plan, jobs)
    for name, amount in disk.items():
        yield [name, _amount(amount, "at most " if name == "Predictions" else "")]
    free = shutil.disk_usage(estimate.existing(plan.root)).free
    short = (
        ": too little"
        if free < sum(amount.size for amount in disk.values())
        else ""
    )
    yield ["Free disk", f"{estimate.size(free)} for {plan.root}{short}"]


def _largest_request(plan: Plan, jobs: JobsByPair, steps: list[Step]) -> list[str]:
    """Write a row on what the jobs left ask of a scheduler at most, each at its first attempt."""
    requests = Requests(plan)
    memory = {}
    minutes = {}
    threads = 1
    gpus = 0
    for (dataset, method), job in jobs.items():
        if job.left:
            name = f"{method} on {dataset}"
            memory[name] = requests.memory_mb(
                dataset, method, 1, estimate.input_mb(plan, dataset)
            )
            minutes[name] = requests.minutes(
                dataset, method, 1, estimate.folds_of_a_job(plan, dataset)
            )
            entry = requests.entry(dataset, method)
            threads = max(threads, entry.threads)
            gpus = max(gpus, entry.gpus)
    for step in steps:
        if step.rule in LOCAL:
            continue
        name = " of ".join(filter(None, [step.rule, step.dataset]))
        data = plan.stage_path(step.dataset)
        memory[name] = step_memory_mb(
            size_mb(path for path in [data] if path.exists()), 1
        )
        minutes[name] = step_minutes(step.rule, 1)
    parts = [
        _most(memory, "MB"),
        _most(minutes, "min"),
        count_noun(threads, "thread"),
    ]
    if gpus:
        parts.append(count_noun(gpus, "GPU"))
    return ["Largest request", f"{', '.join(parts)}; where a scheduler reads it"]


def _most(amounts: Mapping[str, int], unit: str) -> str:
    """Name the largest amount, with the job that it is of."""
    name, amount = max(amounts.items(), key=lambda item: item[1])
    return f"{amount:,} {unit} ({name})"


def _took(plan: Plan, states: Mapping[Run, State]) -> list[list[str]]:
    """Tabulate what the jobs that are done took, a row for each rule; empty without any."""
    steps = [*plan.steps(), *plan.last_steps()]
    trained = [
        (run.dataset, state.record) for run, state in states.items() if state.record
    ]
    rows = [
        *of_notes(steps),
        *(("train", name, use_of(record)) for name, record in trained),
    ]
    if not rows:
        return []
    order = list(
        dict.fromkeys(
            [
                "fetch",
                "prepare",
                "split",
                "compile",
                "train",
                *(row[0] for row in rows),
            ]
        )
    )
    rows.sort(key=lambda row: order.index(row[0]))
    heads = ["rule", "jobs", "together", "longest", "processors", "memory at most"]
    return [
        heads,
        *([rule, *cells] for rule, cells in cells_of_rules(rows).items()),
    ]


def _hours(left: list[Jobs]) -> str:
    """Core hours left, and number of jobs without a timing."""
    seconds = sum(job.seconds for job in left if job.seconds is not None)
    blind = [job for job in left if job.seconds is None]
    n = sum(job.left for job in blind)
    if not blind:
        return f"{seconds / 3600:.2g} ({format_duration(seconds)} on one core), by the jobs that are done"
    limits = [job.left * job.limit for job in blind if job.limit is not None]
    worst = (
        f"{sum(limits) / 3600:,.3g} if each took its limit"
        if len(limits) == len(blind)
        else "no limit"
    )
    unknown = f"unknown for {count_noun(n, 'job')} until one of each method and data set is done ({worst})"
    return (
        f"{seconds / 3600:.2g} by the jobs that are done, and {unknown}"
        if seconds
        else unknown
    )


def _amount(amount: Amount, bound: str) -> str:
    prefix = bound if amount.size else ""
    size = f"{prefix}{estimate.size(amount.size)}"
    if not amount.unknown:
        return size
    names = join_first(amount.unknown)
    return (
        f"{size}, and an unknown amount for {names}"
        if amount.size
        else f"unknown for {names}"
    )


def run_retry(options: Namespace) -> int:
    """Remove the outputs of failed training runs and the receipts of failed downloads.

    A run failed with the status error, timeout, memory, diverged or killed. With --outdated those of runs
    that were done with other versions of packages are removed instead. Nothing else is touched.
    """
    plan = Plan(read_config(options))
    for what, entries in (
        ("dataset", plan.config.datasets),
        ("method", plan.config.methods),
    ):
        name = getattr(options, what)
        names = [entry.id for entry in entries]
        if name not in (None, *names):
            raise ConfigError(
                f"--{what}: unknown {what} {name!r}; {did_you_mean(name, names)}"
            )
    removed = 0
    for run, state in estimate.read_states(plan).items():
        asked = (
            (options.dataset, run.dataset),
            (options.method, run.method),
            (options.status, state.status),
        )
        if _is_to_clear(state, options.outdated) and all(
            only in (None, one) for only, one in asked
        ):
            # The scores first: a record without them is a run that is left.
            clear(*plan.results(run))
            print(
                f"cleared: {run.dataset} {run.method}, repeat {run.repeat}, fold {run.fold} ({state.status})"
            )
            removed += 1
    if options.method is None and options.status is None and not options.outdated:
        for dataset, receipt, _ in _missing(plan):
            if options.dataset in (None, dataset):
                receipt.unlink()
                print(f"cleared: the failed download of {dataset}")
                removed += 1
    nothing = (
        "None of these is of other versions"
        if options.outdated
        else "None of these failed"
    )
    print(
        f"\nNow: {command_line(options)}"
        if removed
        else f"{nothing}: there is nothing to clear."
    )
    return 0


def _is_to_clear(state: State, outdated: bool) -> bool:
    if outdated:
        return bool(estimate.outdated_packages(state))
    return state.status in FAILED or state.why == DAMAGED


def _missing(plan: Plan) -> Iterator[tuple[str, Path, str]]:
    """Yield the data sets whose files are unavailable, the receipt and the reason."""
    for dataset in plan.with_files():
        receipt = plan.receipt_path(dataset)
        content = read_json(receipt) if receipt.exists() else {}
        if "unavailable" in content:
            yield dataset, receipt, " ".join(content["unavailable"])
