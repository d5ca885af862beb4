"""Training jobs by their state, and the time and disk of those left."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attop.extending import Ints
from attop_bench.archives import exists
from attop_bench.run.job import Run
from attop_bench.run.options import DatasetConfig
from attop_bench.run.plan import Plan
from attop_bench.run.provenance import outdated
from attop_bench.run.record import Record, RecordError
from attop_bench.run.resources import size_mb
from attop_bench.run.took import Step, of_notes
from attop_bench.run.up_to_date import digest

OTHER = "were done with another configuration and are done again"
DAMAGED = "are damaged: `attop retry` removes them"


class State(NamedTuple):
    """Status, reason and record of a run; it is ``left`` without a record of its own."""

    status: str
    why: str = ""
    record: Record | None = None


def read_states(plan: Plan) -> dict[Run, State]:
    """Read the state of every run."""
    return {run: _state(plan, run) for run in plan.runs()}


def _state(plan: Plan, run: Run) -> State:
    if not all(map(exists, plan.results(run))):
        return State("left")
    try:
        record = Record.read(plan.record_path(run))
    except RecordError:
        return State("left", DAMAGED)
    if record.digest != digest(plan, run):
        return State("left", OTHER)
    return State(record.status, record.reason, record)


def outdated_packages(state: State) -> dict[str, str]:
    """Map the packages whose version a run was done with differs from the installed one to both."""
    return outdated(state.record.environment) if state.record else {}


@dataclass(frozen=True)
class Jobs:
    """Training jobs of one method on one data set; a failed one is not left."""

    counts: Counter[str]  # by status, those left among them
    seconds: float | None  # of those left on one core, by the mean of those done
    limit: float | None  # seconds
    n_test: int | None  # items tested by one of those done, at most

    @property
    def left(self) -> int:
        """Number of jobs to do."""
        return self.counts["left"]


#: Data set and method -> their training jobs.
JobsByPair = dict[tuple[str, str], Jobs]


class Amount(NamedTuple):
    """Known bytes, and the files or data sets of unknown size."""

    size: int
    unknown: list[str]


def count_jobs(plan: Plan, states: Mapping[Run, State]) -> JobsByPair:
    """Count the jobs of each data set and method that has any, in the order of the configuration."""
    pairs: dict[tuple[str, str], list[State]] = {}
    for run, state in states.items():
        pairs.setdefault((run.dataset, run.method), []).append(state)
    return {
        pair: _count(plan.config.limits_of(pair[1])["seconds"], states_of_pair)
        for pair, states_of_pair in pairs.items()
    }


def disk_to_come(plan: Plan, jobs: JobsByPair) -> dict[str, Amount]:
    """Add up the bytes still to be downloaded and written; tables and report are small compared to them.

    A training job leaves a number for each item it tests and each top, and the item's row. Without a job that
    is done, all items of the data set count as tested.
    """
    sets = [_DataToCome.of(plan, data, jobs) for data in plan.config.datasets]
    prepared = [(data.name, data.prepared) for data in sets]
    predictions = [(data.name, data.predictions) for data in sets]
    return {
        "Download": _together(_to_download(plan).items()),
        "Prepared data": _together(prepared),
        "Predictions": _together(predictions),
    }


def _together(parts: Iterable[tuple[str, int | None]]) -> Amount:
    """Add up the bytes of named parts; those of unknown size are None."""
    parts = list(parts)
    size = sum(n for _, n in parts if n is not None)
    return Amount(size, [name for name, n in parts if n is None])


def _to_download(plan: Plan) -> dict[str, int | None]:
    """Look up the size of each file that is not in the cache."""
    cache = Path(plan.config.cache)
    files = {
        file.path: file.bytes
        for data in plan.config.datasets
        for file in data.files.values()
    }
    return {path: n for path, n in files.items() if not (cache / path).exists()}


class _DataToCome(NamedTuple):
    """Bytes still to be written of a data set; None if it is not known how many."""

    name: str
    prepared: int | None
    predictions: int | None

    @classmethod
    def of(cls, plan: Plan, data: DatasetConfig, jobs: JobsByPair) -> _DataToCome:
        """Estimate the bytes of a data set from its entry."""
        path = plan.stage_path(data.id)
        is_staged = path.exists()
        if is_staged:
            labels = read_labels(path)
            items = None if labels is None else len(labels)
        else:
            items = data.expect.items
        left = {
            method: job
            for (dataset, method), job in jobs.items()
            if dataset == data.id and job.left
        }
        tested = max(
            (job.n_test for job in _of_data(jobs, data.id) if job.n_test),
            default=items,
        )
        if tested is None:
            # Of data that are unavailable nothing is predicted.
            predictions = None if left and not is_staged else 0
        else:
            rows = sum(
                job.left * _numbers_of_a_row(plan, data, method)
                for method, job in left.items()
            )
            predictions = 8 * tested * rows
        return cls(
            data.id, 0 if is_staged else _size_of_prepared(data), predictions
        )


def _of_data(jobs: JobsByPair, name: str) -> list[Jobs]:
    return [job for (dataset, _), job in jobs.items() if dataset == name]


def _size_of_prepared(data: DatasetConfig) -> int | None:
    """Estimate the bytes of a prepared data set by what its entry expects: features, label and group."""
    items = data.expect.items
    features = data.expect.features
    return 8 * items * (features + 2) if items and features else None


def _numbers_of_a_row(plan: Plan, data: DatasetConfig, method: str) -> int:
    """Count the numbers that a job writes for a row that it tests."""
    param_grid = plan.config.method(method).param_grid
    n_candidates = (
        prod(map(len, param_grid.values())) if data.selection == "optimistic" else 1
    )
    return n_candidates * len(data.tops) + 1


def steps_left(plan: Plan) -> list[Step]:
    """List the jobs other than trainings whose results are incomplete."""
    steps = [*plan.steps(), *plan.last_steps()]
    return [
        step for step in steps if not (step.output.exists() and step.note.exists())
    ]


def step_seconds(plan: Plan, left: Sequence[Step]) -> float | None:
    """Estimate the time of jobs other than trainings on one core, by the mean of each rule's that are done.

    None if one of the rules has no job that is done.
    """
    took: dict[str, list[float]] = {}
    for rule, _, use in of_notes([*plan.steps(), *plan.last_steps()]):
        if use.seconds is not None:
            took.setdefault(rule, []).append(use.seconds)
    if any(step.rule not in took for step in left):
        return None
    return sum(float(np.mean(took[step.rule])) for step in left)


def _count(limit: float | None, states: Sequence[State]) -> Jobs:
    records = [state.record for state in states if state.record]
    took = [
        time for record in records if (time := _seconds(record, limit)) is not None
    ]
    counts = Counter(state.status for state in states)
    left = counts["left"]
    return Jobs(
        counts=counts,
        seconds=left * float(np.mean(took)) if took else None if left else 0.0,
        limit=limit,
        n_test=max(
            (record.n_test for record in records if record.n_test), default=None
        ),
    )


def _seconds(record: Record, limit: float | None) -> float | None:
    """Look up the time of a job; None if its record has none."""
    if record.status == "timeout":
        return limit
    return record.total_seconds if record.ok else None


def read_labels(prepared: Path) -> Ints | None:
    """Read the labels of a prepared data set, without its features; None without data."""
    with np.load(prepared, allow_pickle=False) as file:
        return np.asarray(file["y"]) if "y" in file.files else None


def input_mb(plan: Plan, dataset: str) -> float:
    """Measure the data and folds that a training job reads, in MB, as far as they exist."""
    paths = [plan.stage_path(dataset), plan.folds_path(dataset, 0)]
    return size_mb(path for path in paths if path.exists())


def folds_of_a_job(plan: Plan, dataset: str) -> int:
    """Count the folds that one training job trains at most."""
    granularity = plan.config.granularity
    if granularity == "fold":
        return 1
    n_folds = plan.folds_of[dataset] * plan.config.dataset(dataset).protocol.repeats
    return n_folds if granularity == "method" else min(int(granularity), n_folds)


def size(amount: float) -> str:
    """Write a number of bytes in decimal units."""
    for unit, length in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if amount >= length:
            return f"{amount / length:.3g} {unit}"
    return f"{amount:g} bytes"


def existing(folder: Path) -> Path:
    """Find the folder itself, or the nearest above it that exists."""
    folder = Path(os.path.abspath(folder))
    return next(path for path in (folder, *folder.parents) if path.is_dir())
