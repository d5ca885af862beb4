"""A training job as a process: where it runs, within which limits, and what it leaves however it ends."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attop.core.files import write_text
from attop_bench.jobs.limits import FAILED, NOT_APPLICABLE, Call, Exit, Limits
from attop_bench.jobs.server import perform
from attop_bench.run.spec import Job

if TYPE_CHECKING:
    from attop_bench.run.training import Outcome

__all__ = ["train", "work"]


def train(
    job: Job, *, data: str, folds: str, scores: str, record: str, log: str, limits: Limits, digest: str = ""
) -> None:
    """Run a training job in a process of its own, and write the record it could not write itself.

    Parameters
    ----------
    job : Job
    data, folds, scores, record, log : str
        Paths.
    limits : Limits
    digest : str
        For the record; see `attop_bench.run.plan.Plan.digest`.

    Raises
    ------
    SystemExit
        If it left nothing: it was killed, its input is broken, or its results could not be written. What a
        method does, crashing included, is a result.
    """
    # Absolute, for a method may change the working directory.
    files = {"data": data, "folds": folds, "scores": scores, "record": record}
    request: dict[str, Any] = {name: os.path.abspath(path) for name, path in files.items()}
    request |= {"job": job.as_dict(), "digest": digest, "seconds": limits.seconds, "started": time.time()}
    exit = perform(Call("attop_bench.run.job.work", request, log, limits, ("attop_bench.run.preload",)))
    exit = _unless_again(exit, Path(request["record"]).with_name("killed"), digest)
    if exit.status in FAILED:
        exit = _write_failure(job, request, exit)
    if exit.status != "done":
        sys.stderr.write(f"\n{exit.message}\nThe job's output is in {log}\n\n")
        raise SystemExit(1)


def work(request: dict[str, Any]) -> None:
    """Do the work of a training job; in the process of its own."""
    from attop_bench.data.base import Dataset, DatasetError, Unavailable, load_available
    from attop_bench.jobs.supervise import CannotRun
    from attop_bench.run.folds import read_folds
    from attop_bench.run.training import failure, run_job

    job = Job.from_dict(request["job"])
    try:
        dataset = load_available(request["data"])
        folds = read_folds(request["folds"], dataset, job.split) if isinstance(dataset, Dataset) else []
    except DatasetError as error:
        raise CannotRun(str(error)) from error
    if isinstance(dataset, Unavailable):
        outcome = failure(job, request["data"], NOT_APPLICABLE, str(dataset))
    else:
        outcome = run_job(job, dataset, folds[job.fold], seconds=request["seconds"])
    print(outcome.record.traceback, outcome.record.error or "ok", flush=True)
    _write(outcome, request)


def _write_failure(job: Job, request: dict[str, Any], exit: Exit) -> Exit:
    from attop_bench.run.training import failure

    try:
        _write(failure(job, request["data"], exit.status, exit.message, exit.tail), request)
    except OSError as error:
        return Exit("failed", f"{type(error).__name__}: {error}")
    return Exit("done")


def _write(outcome: Outcome, request: dict[str, Any]) -> None:
    from attop_bench.run.training import write_outcome

    outcome.record.digest = request["digest"]
    outcome.record.started, outcome.record.ended = request["started"], time.time()
    write_outcome(outcome, request["scores"], request["record"])


def _unless_again(exit: Exit, note: Path, digest: str) -> Exit:
    """Return the end of a job as it is to be recorded: what is killed twice in a row may do so for ever.

    The note lies beside the results, where Snakemake leaves it: it removes log and outputs before a job.
    """
    with contextlib.suppress(OSError):
        killed = exit.status == "killed" and "SIGKILL" in exit.message
        again = killed and note.is_file() and note.read_text() == digest
        if again or not killed:
            note.unlink(missing_ok=True)
        else:
            write_text(note, digest)
        if again:
            return Exit("error", f"twice in a row, so perhaps by the method itself: {exit.message}")
    return exit
