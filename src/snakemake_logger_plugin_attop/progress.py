"""Jobs of a run to do, running and done, and the time left."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean

from joblib import cpu_count

#: Data set and method: jobs alike take a similar time.
Pair = tuple[str, str]
#: Subject of a job, and why it failed.
Failure = tuple[str, str]


@dataclass(frozen=True)
class Job:
    """A job of Snakemake: its rule, wildcards, outputs and logs."""

    rule: str
    wildcards: Mapping[str, str]
    output: tuple[str, ...] = ()
    log: tuple[str, ...] = ()

    @property
    def dataset(self) -> str | None:
        """The data set it trains on; None if it does something else."""
        return self.wildcards.get("dataset") if self.rule == "train" else None

    @property
    def pair(self) -> Pair:
        """Its data set and its method, else its rule."""
        return self.wildcards.get("dataset", ""), self.wildcards.get(
            "method", self.rule
        )

    @property
    def key(self) -> tuple[str, ...]:
        """The same for every try of a job."""
        return (self.rule, *self.wildcards.values())

    @property
    def subject(self) -> str:
        """Its name for a reader, the same for all jobs of a method on a data set."""
        w = self.wildcards
        if self.dataset is not None:
            return f"{w['method']} on {self.dataset}"
        return f"{self.rule} {' '.join(w.values())}".strip()


@dataclass
class Progress:
    """Counts of jobs, fed by a run's events; ``clock`` returns seconds."""

    clock: Callable[[], float] = time.monotonic
    cores: int = 1
    #: Cores of this machine.
    machine: int = field(default_factory=cpu_count)
    begun: float = 0.0
    failed: Counter[Failure] = field(default_factory=Counter)
    jobs: dict[int, Job] = field(default_factory=dict)
    running: dict[int, float] = field(default_factory=dict)
    total: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    n_steps: int = 0
    n_done: int = 0
    compiling: int = 0

    def __post_init__(self) -> None:
        self._broken: dict[tuple[str, ...], Failure] = {}
        self._left: Counter[Pair] = Counter()
        self._took: defaultdict[Pair, list[float]] = defaultdict(list)
        #: When the first training job ended, and how many steps were done then.
        self._first_end: tuple[float, int] | None = None

    def plan(
        self, jobs: Iterable[tuple[str, Mapping[str, str]]], *, cores: int
    ) -> None:
        """Set the jobs to do: rule and wildcards of each."""
        self.cores = max(cores, 1)
        self.begun = self.clock()
        for rule, wildcards in jobs:
            job = Job(rule, wildcards)
            self._left[job.pair] += 1
            self.n_steps += 1
            self.compiling += rule == "compile"
            if job.dataset is not None:
                self.total[job.dataset] += 1

    def describe(self, number: int, job: Job) -> None:
        """Set the job of a number, which all later events have."""
        self.jobs[number] = job

    def start(self, numbers: Iterable[int]) -> None:
        """Jobs begin."""
        for number in numbers:
            self.running[number] = self.clock()

    def finish(self, number: int) -> Job | None:
        """A job ended well, which for training means with a record; None if nothing is known of it."""
        since = self.running.get(number)
        job = self.fail(number)
        if job is None:
            return None
        self._left[job.pair] -= 1
        if since is not None:
            self._took[job.pair].append(self.clock() - since)
        self.n_done += 1
        if job.dataset is not None:
            self.done[job.dataset] += 1
            self._first_end = self._first_end or (self.clock(), self.n_done)
        if (failure := self._broken.pop(job.key, None)) is not None:
            self.failed[failure] -= 1
            self.failed = +self.failed
        return job

    def fail(self, number: int) -> Job | None:
        """A job broke off; it may be tried again."""
        self.running.pop(number, None)
        return self.jobs.pop(number, None)

    def add_failure(self, job: Job, why: str, *, is_result: bool) -> bool:
        """Count a failure, and return whether it is the first of its reason.

        A failure that is not a result is taken back if the job ends well after all.
        """
        failure = (job.subject, why)
        self.failed[failure] += 1
        if not is_result:
            self._broken[job.key] = failure
        return self.failed[failure] == 1

    def running_methods(self, dataset: str) -> list[str]:
        """Methods being trained on a data set, each once, in the order of their start."""
        jobs = (self.jobs.get(number) for number in self.running)
        return list(
            dict.fromkeys(
                job.pair[1]
                for job in jobs
                if job is not None and job.dataset == dataset
            )
        )

    def running_others(self) -> list[str]:
        """Rules other than training that run, each once."""
        jobs = (self.jobs.get(number) for number in self.running)
        return list(
            dict.fromkeys(
                job.rule for job in jobs if job is not None and job.dataset is None
            )
        )

    @property
    def steps(self) -> tuple[int, int]:
        """Jobs done, and all of them."""
        return self.n_done, self.n_steps

    @property
    def elapsed(self) -> float:
        """Seconds since the plan."""
        return self.clock() - self.begun

    def seconds_left(self) -> float | None:
        """Estimate how long the rest takes; None while there is nothing to go by.

        Where more jobs are handed over than this machine has cores, as to a cluster, the time of a job
        includes its waiting, and the rate of steps counts. Elsewhere the times of jobs count.
        """
        if self._first_end is None:
            return None
        if self.cores > self.machine:
            return self._left_by_rate(*self._first_end)
        return self._left_by_times()

    def _left_by_rate(self, since: float, done: int) -> float | None:
        """Estimate the time left by the rate of steps since the first training job ended."""
        more = self.n_done - done
        if not more:
            return None
        return (self.clock() - since) / more * (self.n_steps - self.n_done)

    def _left_by_times(self) -> float:
        """Estimate the time left by the mean times of jobs; a running job counts less its time so far."""
        means = _MeanTimes(self._took)
        left = sum(n * means.of(pair) for pair, n in self._left.items() if n > 0)
        now = self.clock()
        for number, since in self.running.items():
            job = self.jobs.get(number)
            if job is not None:
                left -= min(now - since, means.of(job.pair))
        return left / self.cores


class _MeanTimes:
    """Mean times of training jobs, from those that ended."""

    def __init__(self, took: Mapping[Pair, list[float]]) -> None:
        self._by_pair = took
        self._by_dataset: defaultdict[str, list[float]] = defaultdict(list)
        self._by_method: defaultdict[str, list[float]] = defaultdict(list)
        self._all: list[float] = []
        for (dataset, method), seconds in took.items():
            self._by_dataset[dataset] += seconds
            self._by_method[method] += seconds
            self._all += seconds

    def of(self, pair: Pair) -> float:
        """Average the times of data set and method, else of the method, else of the data set, else of all."""
        dataset, method = pair
        times = (
            self._by_pair.get(pair)
            or self._by_method[method]
            or self._by_dataset[dataset]
            or self._all
        )
        return fmean(times)
