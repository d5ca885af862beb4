"""A training job as a process: where it runs, within which limits, and what it leaves however it ends."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attop_bench.jobs.limits import FAILED, NOT_APPLICABLE, Call, Exit, Limits
from attop_bench.jobs.server import perform
from attop_bench.run.spec import JobSpec

__all__ = ["Job", "train", "work"]


@dataclass(frozen=True)
class Job:
    """A training run with its files.

    Attributes
    ----------
    spec : JobSpec
    data, folds, scores, record, log : str
        Paths.
    limits : Limits
    digest : str
        For the record; see `attop_bench.run.plan.Plan.digest`.
    """

    spec: JobSpec
    data: str
    folds: str
    scores: str
    record: str
    log: str
    limits: Limits
    digest: str = ""


def train(job: Job) -> None:
    """Run a training job in a process of its own, and write the record it could not write itself.

    Raises
    ------
    SystemExit
        If it left nothing: it was killed, its input is broken, or its results could not be written. What a
        method does, crashing included, is a result.
    """
    # Absolute, for a method may change the working directory.
    files = {name: os.path.abspath(getattr(job, name)) for name in ("data", "folds", "scores", "record")}
    started = time.time()
    argument = {
        "spec": job.spec.as_dict(),
        "digest": job.digest,
        "seconds": job.limits.seconds,
        "started": started,
        **files,
    }
    before = _last_line(job.log)
    exit = perform(
        Call("attop_bench.run.job.work", argument, job.log, job.limits, ("attop_bench.run.preload",))
    )
    if exit.status == "killed":
        if before == exit.message and "SIGKILL" in before:
            exit = Exit("error", f"twice in a row, so perhaps by the method itself: {exit.message}")
        else:
            _append(job.log, exit.message)
    if exit.status in FAILED:
        exit = _write_failure(job, exit, started)
    if exit.status != "done":
        sys.stderr.write(f"\n{exit.message}\nThe job's output is in {job.log}\n\n")
        raise SystemExit(1)


def work(request: dict[str, Any]) -> None:
    """Do the work of a training job; in the process of its own."""
    from attop_bench.data.base import Dataset, DatasetError, Unavailable
    from attop_bench.jobs.supervise import CannotRun
    from attop_bench.run.available import load_available
    from attop_bench.run.folds import read_folds
    from attop_bench.run.training import failure, run_job, write_outcome

    spec = JobSpec.from_dict(request["spec"])
    try:
        dataset = load_available(request["data"])
        folds = read_folds(request["folds"], dataset, spec.split) if isinstance(dataset, Dataset) else []
    except DatasetError as error:
        raise CannotRun(str(error)) from error
    if isinstance(dataset, Unavailable):
        outcome = failure(spec, request["data"], NOT_APPLICABLE, str(dataset))
    else:
        outcome = run_job(spec, dataset, folds[spec.fold], seconds=request["seconds"])
    outcome.record.digest = request["digest"]
    outcome.record.started, outcome.record.ended = request["started"], time.time()
    print(outcome.record.traceback, outcome.record.error or "ok", flush=True)
    write_outcome(outcome, request["scores"], request["record"])


def _write_failure(job: Job, exit: Exit, started: float) -> Exit:
    from attop_bench.run.training import failure, write_outcome

    try:
        outcome = failure(job.spec, job.data, exit.status, exit.message, exit.tail)
        outcome.record.digest = job.digest
        outcome.record.started, outcome.record.ended = started, time.time()
        write_outcome(outcome, job.scores, job.record)
    except OSError as error:
        return Exit("failed", f"{type(error).__name__}: {error}")
    return Exit("done")


def _last_line(path: str) -> str:
    """Return the last line of the log of the try before, empty if there was none."""
    try:
        return Path(path).read_text(errors="replace").rstrip().rpartition("\n")[2]
    except OSError:
        return ""


def _append(path: str, line: str) -> None:
    with contextlib.suppress(OSError), open(path, "a") as log:
        log.write(f"{line}\n")
