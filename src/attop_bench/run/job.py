"""One training job: its place in the benchmark, its specification, and running it in its own process."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING

from attop.extending import Top, derive_seed
from attop_bench.files import Entry, JsonObject, StrPath
from attop_bench.jobs.limits import FAILED, Limits, ProcessResult
from attop_bench.jobs.server import run_in_process
from attop_bench.run.attempts import Attempts
from attop_bench.run.record import Record, is_whole, name_of_data

if TYPE_CHECKING:
    from attop.experiment import Selector
    from attop.metrics import Metric

#: What a process of its own runs: by dotted path, for its caller must not import it.
WORK, COMPILE = (
    "attop_bench.run.training.work",
    "attop_bench.run.checks.check_and_compile",
)

NOT_KNOWN = Attempts()

#: Parameters of the rule ``train`` -> entries of a `Job`; Snakemake names the parameter that changed.
PARTS: Mapping[str, tuple[str, ...]] = {
    "data": ("protocol", "scaling", "tops"),
    "selection": ("scoring", "selection", "custom_metrics", "select", "ensemble"),
    "method": (
        "estimator",
        "params",
        "param_grid",
        "input",
        "param_distributions",
        "n_candidates",
        "seconds",
    ),
}
#: Entries of a `Job` that are left out where they say nothing, so that older results stay those of their job.
_LATER = ("select", "param_distributions", "n_candidates", "seconds", "ensemble")
#: Entries that the scores of a candidate do not depend on.
_OF_THE_CHOICE = {
    "scoring",
    "selection",
    "custom_metrics",
    "select",
    "n_candidates",
    "seconds",
    "ensemble",
}


@dataclass(frozen=True)
class Run:
    """The place of a training job in the benchmark: all tops of one data set, method, repeat and fold."""

    dataset: str
    method: str
    repeat: int
    fold: int

    def folder(self, output: StrPath) -> Path:
        """Locate the folder of its results below that of all."""
        return Path(
            output,
            f"train/{self.dataset}/{self.method}/repeat{self.repeat}-fold{self.fold}",
        )


#: Columns of a table that name a run.
JOB = [field.name for field in fields(Run)]


@dataclass(frozen=True)
class Job:
    """Specification of a training job, without the data.

    `seed` is that of the whole benchmark run. `protocol` has ``kind`` and ``options`` of the split. At each
    of `tops` the metric `scoring` selects among the combinations of `param_grid`, by ``"nested"`` or
    ``"optimistic"`` `selection`. `custom_metrics` has the definition of a `scoring` from outside attop; see
    `attop.metrics.custom_metric`. The method is fitted on an `input` of ``"matrix"`` or ``"table"``.

    `select` names what selects in the place of `scoring`. Of `param_distributions`, if there are any,
    `n_candidates` are drawn. No candidate begins after so many `seconds`. Of so many steps is the `ensemble`
    of the candidates, if one is made.
    """

    repeat: int
    fold: int
    seed: int
    protocol: Entry
    scaling: str
    tops: Sequence[Top]
    scoring: str
    estimator: str
    params: Mapping[str, object] = field(default_factory=dict)
    param_grid: Mapping[str, Sequence[object]] = field(default_factory=dict)
    selection: str = "nested"
    custom_metrics: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    input: str = "matrix"
    select: str = ""
    param_distributions: Entry = field(default_factory=dict)
    n_candidates: int | None = None
    seconds: float | None = None
    ensemble: int | None = None

    @property
    def split(self) -> JsonObject:
        """Split specification; must equal the one stored in the folds file."""
        return {
            "options": {},
            **self.protocol,
            "repeat": self.repeat,
            "seed": self.seed,
        }

    @property
    def metric(self) -> Metric:
        """The metric that judges, and selects unless `select` does."""
        from attop.metrics import find_metric

        return find_metric(self.scoring, self.custom_metrics)

    @property
    def selector(self) -> Selector:
        """The rule that selects."""
        from attop.experiment import Selector
        from attop.metrics import find_metric

        return Selector.of(
            self.select or self.scoring,
            lambda name: find_metric(name, self.custom_metrics),
        )

    def record(self, name: str) -> Record:
        """Begin the record of this job on the data set called `name`."""
        place = {
            field: getattr(self, field)
            for field in ("repeat", "fold", "scoring", "selection")
        }
        return Record(
            **place, seed=derive_seed(self.seed, name, self.repeat, self.fold)
        )

    def as_dict(self) -> JsonObject:
        """Convert the specification to JSON."""
        spec = {**vars(self), "tops": [top.as_dict() for top in self.tops]}
        return {
            name: value
            for name, value in spec.items()
            if value or name not in _LATER
        }

    def of_a_candidate(self) -> JsonObject:
        """Select the entries that the scores of a candidate depend on, as a JSON value."""
        left_out = _OF_THE_CHOICE | {
            "repeat",
            "fold",
            "param_grid",
            "param_distributions",
        }
        return {
            name: value
            for name, value in self.as_dict().items()
            if name not in left_out
        }

    @classmethod
    def from_dict(cls, entries: Entry) -> Job:
        """Rebuild the job of `as_dict`; an unknown or missing entry is a ValueError."""
        names = {f.name for f in fields(cls)}
        if unknown := set(entries) - names:
            raise ValueError(
                f"a training run has no {', '.join(sorted(unknown))}; it has {', '.join(names)}"
            )
        try:
            return cls(
                **{**entries, "tops": [Top.of(top) for top in entries["tops"]]}
            )
        except (TypeError, KeyError) as error:
            raise ValueError(f"a training run is not complete: {error}") from None


class Unfinished(SystemExit):
    """The end of a process whose training has no results.

    Attributes
    ----------
    reason : str
        In words, on one line.
    """

    def __init__(self, reason: str):
        super().__init__(1)
        self.reason = " ".join(reason.split())


def train(
    job: Job,
    *,
    data: str,
    folds: str,
    scores: str,
    record: str,
    log: str,
    limits: Limits,
    digest: str = "",
    made: str = "",
    attempts: Attempts = NOT_KNOWN,
    candidates: str = "",
) -> None:
    """Run a training job in a process of its own, and write the record if it could not.

    A method that fails, or crashes, has a record. `candidates` is a digest of what scores of candidates
    depend on; with it they are kept next to the record, and not trained again. Unfinished: the job was killed
    and has another of its `attempts`, its input is broken, or its results could not be written.
    """
    # Absolute: a method may change the working directory.
    data, folds, scores, record = map(
        os.path.abspath, (data, folds, scores, record)
    )
    results = scores, record, digest, time.time(), made
    argument = (job, data, folds, results, limits.seconds, candidates)
    end = run_in_process(WORK, argument, log, limits)
    if end.status == "done" and not is_whole(scores, record, digest):
        end = ProcessResult(
            "error",
            "it ended well, and left no readable record of its run",
            end.tail,
        )
    end = attempts.settle(end, Path(record).with_name("killed"), digest)
    if end.status in FAILED:
        failed = job.record(name_of_data(data)).fail(
            end.status, end.message, end.tail
        )
        failed.cpu_seconds = end.cpu_seconds
        try:
            failed.write(*results)
            return
        except OSError as error:
            end = ProcessResult("failed", f"{type(error).__name__}: {error}")
    if end.status == "done":
        return
    if end.status != "abandoned":  # else nobody is there to read it
        sys.stderr.write(f"\n{end.message}\nThe job's output is in {log}\n\n")
    raise Unfinished(end.message)
