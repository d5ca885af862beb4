"""Requests of jobs to a scheduler: of a training by its entry, by past records, else by default.

Too much waits long in a queue, too little is killed. So the first attempt asks for what past runs of the same
method took, with a margin; the second for no less than the limits of the configuration, the third for more.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Hashable, Iterable
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from attop_bench.files import StrPath
from attop_bench.run.options import ResourcesConfig
from attop_bench.run.plan import Plan
from attop_bench.run.record import Record, RecordError
from attop_bench.run.snakemake import asked_often
from attop_bench.run.up_to_date import Wildcards, either

#: Of a method on a data set so many records are read: all of 10,000 would take seconds at every start.
_MOST_RECORDS = 20

#: A first request is a multiple of the most that past runs took, and an amount more: the processes of
#: Snakemake and of its step, which take 700 MB together, belong to the job, too.
_MEMORY_FACTOR, _MORE_MB = 1.5, 900
_TIME_FACTOR, _MORE_MINUTES = 3, 5

#: Without any record: Python and its packages, and some copies of the data; minutes of a fold.
_BASE_MB, _COPIES, _MINUTES = 1000, 10, 10


#: Rules whose jobs are never submitted.
LOCAL = frozenset(["fetch", "report"])

#: Minutes of a job other than a training, by its rule.
_STEP_MINUTES = {"compile": 10}
_OTHER_MINUTES = 30

#: Resource of Snakemake's plugin for SLURM -> its name in an entry of `methods`, and what is asked of nobody.
_OF_ENTRY: dict[str, tuple[str, object]] = {
    # A group of jobs on one CPU (`cores: 1` of its profile) would get one thread, whatever `threads` says.
    "cpus_per_task": ("threads", 1),
    "gpu": ("gpus", 0),
    "gpu_model": ("gpu_model", None),
    "slurm_partition": ("partition", None),
}


def size_mb(files: Iterable[StrPath]) -> float:
    """Add up the sizes of files in MB.

    Not Snakemake's `input.size_mb`, an asynchronous question about each file of each job: 0.3 s for a
    thousand jobs.
    """
    return sum(map(os.path.getsize, files)) / 1e6


def step_memory_mb(input_mb: float, attempt: int) -> int:
    """Request memory for a job other than a training: Python and its packages, some copies of the data."""
    return attempt * (_BASE_MB + _COPIES * round(input_mb))


def step_minutes(rule: str, attempt: int) -> int:
    """Request time for a job other than a training."""
    return attempt * _STEP_MINUTES.get(rule, _OTHER_MINUTES)


def needs(rule: str) -> dict[str, Callable[..., int]]:
    """Define the resources of a rule other than training."""
    return {
        "mem_mb": lambda wildcards, input, attempt: step_memory_mb(  # noqa: A006
            size_mb(input), attempt
        ),
        "runtime": lambda wildcards, attempt: step_minutes(rule, attempt),
    }


class Use(NamedTuple):
    """Memory and time of the past runs of a method on a data set, at most."""

    memory_mb: float
    seconds: float


class Requests:
    """Requests of the training jobs of a plan."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.use_of = cache(self._use_of)

    def entry(self, dataset: str, method: str) -> ResourcesConfig:
        """Look up the requests in the entry of a method for a data set."""
        resources = self.plan.config.method(method).resources
        of_dataset = resources.datasets.get(dataset)
        if of_dataset is None:
            return resources
        return resources.model_copy(
            update=of_dataset.model_dump(exclude_unset=True)
        )

    def of_training(self, *, is_limited: bool) -> dict[str, Any]:
        """Define the resources of rule train; memory and time only where something reads them."""
        asked = {
            resource: self.configured(name)
            for resource, (name, _) in _OF_ENTRY.items()
        }
        some = {
            name: value
            for name, value in asked.items()
            if value != _OF_ENTRY[name][1]
        }
        if not is_limited:
            return some

        def memory(
            wildcards: Wildcards,
            input: Iterable[StrPath],  # noqa: A002
            attempt: int,
        ) -> int:
            return self.memory_mb(
                wildcards.dataset, wildcards.method, attempt, size_mb(input)
            )

        def minutes(wildcards: Wildcards, attempt: int) -> int:
            n_folds = len(self.plan.runs_of(wildcards))
            return self.minutes(
                wildcards.dataset, wildcards.method, attempt, n_folds
            )

        return some | {
            "mem_mb": asked_often(memory),
            "runtime": asked_often(minutes),
        }

    def configured(self, name: str) -> Any:
        """Look up a request in the entries of methods: a value, or a function of the wildcards."""
        config = self.plan.config
        pairs = [
            (data.id, method.id)
            for data in config.datasets
            for method in config.methods
        ]
        asked: dict[Hashable, object] = {
            pair: getattr(self.entry(*pair), name) for pair in pairs
        }
        return either(asked, lambda w: (w.dataset, w.method))

    def memory_mb(
        self, dataset: str, method: str, attempt: int, input_mb: float
    ) -> int:
        """Request memory at an attempt, counted from 1, for inputs of `input_mb` MB."""
        limit = self.plan.config.limits_of(method)["memory_mb"]
        default = step_memory_mb(input_mb, 1)
        configured = self.entry(dataset, method).memory_mb
        if configured is not None:
            first = round(configured)
        elif use := self._past(dataset, method):
            # Beyond its limit a job is stopped anyway.
            most = math.inf if limit is None else limit
            first = round(min(_MEMORY_FACTOR * use.memory_mb, most)) + _MORE_MB
        else:
            first = default
        if attempt == 1:
            return first
        return max(
            default * attempt,
            first * attempt,
            round(((limit or 0) + 500) * attempt / 2),
        )

    def minutes(self, dataset: str, method: str, attempt: int, n_folds: int) -> int:
        """Request time at an attempt, counted from 1, for a job of `n_folds` folds."""
        limit = self.plan.config.limits_of(method)["seconds"]
        configured = self.entry(dataset, method).minutes
        if configured is not None:
            first = math.ceil(configured)
        elif use := self._past(dataset, method):
            seconds = _TIME_FACTOR * use.seconds
            most = seconds if limit is None else min(seconds, limit)
            first = math.ceil(most / 60) + _MORE_MINUTES
        else:
            first = _MINUTES
        if attempt == 1:
            return n_folds * first
        return n_folds * max(
            _MINUTES * attempt, first * attempt, round((limit or 0) / 60) + 5
        )

    def _past(self, dataset: str, method: str) -> Use | None:
        """Find the use of past runs on the data set, else on the one nearest in size, scaled up to it."""
        if use := self.use_of(dataset, method):
            return use
        size = self._size(dataset)
        if not size:
            return None
        others = {name: self._size(name) for name in self.plan.folds_of}
        near = sorted(
            (abs(math.log(size / other)), name)
            for name, other in others.items()
            if other
        )
        for _, name in near:
            if use := self.use_of(name, method):
                ratio = max(1.0, size / others[name])
                return Use(ratio * use.memory_mb, ratio * use.seconds)
        return None

    def _size(self, dataset: str) -> int:
        """Measure the bytes of a prepared data set; 0 if it is still to be prepared."""
        try:
            return os.path.getsize(self.plan.stage_path(dataset))
        except OSError:
            return 0

    def _use_of(self, dataset: str, method: str) -> Use | None:
        """Find the largest use of the runs that are done; None without a record of one."""
        uses = []
        for run in islice(self.plan.runs(dataset, only=method), _MOST_RECORDS):
            try:
                record = Record.read(self.plan.record_path(run))
            except RecordError:
                continue
            if record.ok and record.peak_memory_mb:
                uses.append(Use(record.peak_memory_mb, record.total_seconds or 0.0))
        if not uses:
            return None
        return Use(
            max(use.memory_mb for use in uses), max(use.seconds for use in uses)
        )
