"""`attop fit`: one training job of the benchmark in the foreground, for a debugger."""

from __future__ import annotations

import pdb
import traceback
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from attop.experiment import Fold, best_candidate
from attop.extending import columns, count_noun, format_duration
from attop_bench.archives import exists
from attop_bench.cli.configuration import add_pair, list_entry, read_raw
from attop_bench.cli.options import add_configuration, add_top, command_line
from attop_bench.data.base import Dataset, DatasetError, Unavailable, load_arrays
from attop_bench.data.splits.protocols import count_folds
from attop_bench.run.checks import check_tops
from attop_bench.run.config import ConfigError, load_config
from attop_bench.run.fitting import import_estimator, learner_of, sample_of
from attop_bench.run.folds import read_folds
from attop_bench.run.job import Job, Run
from attop_bench.run.parameters import plain
from attop_bench.run.plan import Plan
from attop_bench.run.record import Record
from attop_bench.run.training import run_job


def add_fit(parser: ArgumentParser) -> None:
    """Add the options of ``attop fit``."""
    add_pair(parser)
    for name in ("repeat", "fold"):
        parser.add_argument(
            f"--{name}",
            type=int,
            default=0,
            metavar="N",
            help=f"{name} of the split, from 0 (default)",
        )
    add_top(parser, "train for this top alone; may be given again", action="append")
    parser.add_argument(
        "--pdb",
        action="store_true",
        help="when it fails, or at Ctrl-C, start Python's debugger where it was",
    )
    parser.add_argument(
        "--save",
        metavar="FOLDER",
        help="write scores.npz and record.json to this folder",
    )
    add_configuration(parser)


def run_fit(options: Namespace) -> int:
    """Run one training job in this process.

    It has the data, parts, candidates and random numbers of the benchmark's own, but no limit of time or
    memory and no supervisor: breakpoint() works and errors have their traceback. Results are not touched.
    """
    raw = read_raw(options)
    listed = list_entry(raw, "datasets", options.dataset)
    list_entry(raw, "methods", options.method)
    plan = Plan(load_config(raw))
    run, job = _job(plan, options)
    if not listed:  # nor is it for snakemake
        options.config = [*options.config, f"datasets=[{run.dataset}]"]
    dataset, folds = _load(plan, run, job, options)
    _check(plan, run, job, dataset, folds)
    learner = learner_of(job, dataset)
    n = count_noun(
        learner.n_candidates if learner.draws else len(learner.candidates),
        "candidate",
    )
    print(
        f"{run.method} on {run.dataset}, repeat {run.repeat}, fold {run.fold}: {n} for ",
        end="",
    )
    print(", ".join(str(top) for top in job.tops), flush=True)
    if reason := plan.config.dataset(run.dataset).skip.get(run.method):
        print(f"The benchmark leaves this pair out: {run.method} {reason}.")
    try:
        with threadpool_limits(1):  # as in the benchmark
            record = run_job(job, dataset, folds[run.fold], contain=False)
    except BaseException as error:
        if not options.pdb:
            raise
        traceback.print_exc()
        pdb.post_mortem(error.__traceback__)
        return 1
    _tell(plan, run, job, dataset, record)
    if options.save:
        folder = Path(options.save)
        record.write(folder / "scores.npz", folder / "record.json")
        print(f"\nWritten: {folder / 'scores.npz'} and {folder / 'record.json'}.")
    else:
        print("\nNothing was written; --save FOLDER keeps scores and record.")
    return 0


def _job(plan: Plan, options: Namespace) -> tuple[Run, Job]:
    run = Run(options.dataset, options.method, options.repeat, options.fold)
    protocol = plan.config.dataset(run.dataset).protocol
    folds = count_folds(protocol.kind, **protocol.options)
    for name, number, end in (
        ("repeat", run.repeat, protocol.repeats),
        ("fold", run.fold, folds),
    ):
        if not 0 <= number < end:
            amount = count_noun(end, name)
            raise ConfigError(
                f"--{name} {number}: {run.dataset} has {amount}, numbered from 0"
            )
    if options.save and Path(options.save).resolve().is_relative_to(
        plan.root.resolve()
    ):
        raise ConfigError(
            f"--save {options.save} is within the results in {plan.root}: give another folder"
        )
    learner = plan.config.method(run.method).estimator
    try:
        import_estimator(learner)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    job = plan.job(run)
    return run, replace(job, tops=options.top) if options.top else job


def _load(
    plan: Plan, run: Run, job: Job, options: Namespace
) -> tuple[Dataset, list[Fold]]:
    """Load a prepared data set and its folds; `options` are those of the snakemake that makes them."""
    prepared = plan.stage_path(run.dataset)
    cut = plan.folds_path(run.dataset, run.repeat)
    if not (prepared.exists() and cut.exists()):
        raise ConfigError(
            f"the data set is not prepared yet; first:\n{command_line(options, cut)}"
        )
    try:
        dataset = Dataset.load(prepared)
        if not _as_configured(plan, run.dataset, dataset):
            raise DatasetError(
                "the data set is not prepared with this configuration"
            )
        return dataset, read_folds(cut, dataset, job.split)
    except Unavailable as error:
        raise ConfigError(f"the data are unavailable: {error}") from None
    except DatasetError as error:
        raise ConfigError(
            f"{error}; first:\n{command_line(options, cut)}"
        ) from None


def _check(
    plan: Plan, run: Run, job: Job, dataset: Dataset, folds: list[Fold]
) -> None:
    """Refuse a top that cannot be selected, as rule check does before the benchmark trains."""
    data = plan.config.dataset(run.dataset).model_copy(update={"tops": job.tops})
    up_to_its_own: list[list[Fold]] = [*([] for _ in range(run.repeat)), folds]
    check_tops(data, job.metric, dataset, up_to_its_own, job.selector.metric)


def _as_configured(plan: Plan, name: str, dataset: Dataset) -> bool:
    """Tell whether a prepared data set is of the kind, parameters and seed of the configuration."""
    specs = [plan.stage_spec(name, stage) for stage in plan.stages(name)]
    params = {
        name: value for spec in specs for name, value in spec["params"].items()
    }
    seed = plan.config.seed
    facts = [
        dataset.facts.get("kind"),
        dataset.facts.get("parameters"),
        dataset.facts.get("seed", seed),
    ]
    return plain(facts) == plain([plan.config.dataset(name).kind, params, seed])


def _tell(plan: Plan, run: Run, job: Job, dataset: Dataset, record: Record) -> None:
    took = [
        f"{part} {format_duration(s)}"
        for part, s in record.seconds.items()
        if s is not None
    ]
    print(
        f"{record.n_train} items train, {record.n_test} test; {', '.join(took)}\n"
    )
    print(columns(_rows(plan, job, dataset, record), right=range(1, 99)))
    scores_file = plan.scores_path(run)
    if exists(scores_file) and job.tops == plan.config.dataset(run.dataset).tops:
        before = load_arrays(scores_file)[0]["scores"]
        same = (
            "the same scores as"
            if np.array_equal(before, record.scores)
            else "other scores than"
        )
        print(f"\nThese are {same} those in {scores_file}.")


def _rows(
    plan: Plan, job: Job, dataset: Dataset, record: Record
) -> Iterable[list[str]]:
    """Yield a table with a column for each top: its candidate, and the metrics of the test scores."""
    tops = job.tops
    sample = sample_of(dataset)
    chosen = []
    validation = []
    scores = []
    for top, record_of_top, row in zip(
        tops, record.tops, record.scores, strict=True
    ):
        if "candidates" in record_of_top:
            values = [
                sample.measure(job.metric, record.test, one, top).value
                for one in row
            ]
            best, mean = best_candidate([values], job.metric)
            record_of_top = {
                "chosen": record_of_top["candidates"][best]["candidate"],
                "validation": mean,
            }
            row = row[best]
        first = (
            ", ".join(f"{k}={v}" for k, v in record_of_top["chosen"].items()) or "-"
        )
        others = record_of_top.get("averaged", 1) - 1
        chosen.append(f"{first}, averaged with {others} more" if others else first)
        validation.append(record_of_top["validation"])
        scores.append(row)
    part = "test part itself" if job.selection == "optimistic" else "validation"
    yield ["", *map(str, tops)]
    yield ["chosen", *chosen]
    yield [f"{job.scoring}, {part}", *map(_number, validation)]
    for name in dict.fromkeys([job.scoring, *plan.config.metrics]):
        metric = plan.config.metric(name)
        values = [
            sample.measure(metric, record.test, s, t).value
            for t, s in zip(tops, scores, strict=True)
        ]
        yield [f"{name}, test", *map(_number, values)]


def _number(value: float | None) -> str:
    return "undefined" if value is None or np.isnan(value) else f"{value:.4f}"
