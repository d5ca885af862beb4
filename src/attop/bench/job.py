"""A training job as a process: where it runs, within which limits, and what it leaves however it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, TypedDict

from attop.jobs.client import perform
from attop.jobs.limits import Exit, Limits
from attop.jobs.run import Call

__all__ = ["Request", "train", "work"]


class Request(TypedDict):
    """All a training job needs, as JSON.

    ``spec`` has the fields of `attop.bench.training.Job` besides ``repeat`` and ``fold``; the others are
    paths and limits.
    """

    spec: Mapping[str, Any]
    repeat: int
    fold: int
    data: str
    scores: str
    record: str
    log: str
    seconds: float | None
    memory_mb: float | None


def train(request: Request) -> None:
    """Run a training job in a process of its own, and write the record it could not write itself.

    Raises
    ------
    SystemExit
        If it left nothing: it was killed, its input is broken, or its results could not be written. What a
        method does, crashing included, is a result.
    """
    # Absolute, for a method may change the working directory.
    files = {name: os.path.abspath(request[name]) for name in ("data", "scores", "record")}
    limits = Limits(request["seconds"], request["memory_mb"])
    argument = {**request, **files}
    end = perform(Call("attop.bench.job.work", argument, request["log"], limits, ("attop.bench.preload",)))
    if end.status in ("timeout", "memory", "error"):
        end = _write_failure(argument, end)
    if end.status != "done":
        sys.stderr.write(f"\n{end.message}\nThe job's output is in {request['log']}\n\n")
        raise SystemExit(1)


def work(request: Request) -> None:
    """Do the work of a training job; in the process of its own."""
    from attop.bench.training import failure, run_job, write_outcome
    from attop.datasets.base import Dataset, Unavailable
    from attop.jobs.supervise import CannotRun

    job = _job(request)
    try:
        dataset = Dataset.load(request["data"])
    except Unavailable as error:
        outcome = failure(job, request["data"], "not_applicable", str(error))
    except Exception as error:
        raise CannotRun(_broken(request["data"], error)) from error
    else:
        outcome = run_job(job, dataset, seconds=request["seconds"])
    print(outcome.record.get("traceback") or outcome.record["error"] or "ok", flush=True)
    write_outcome(outcome, request["scores"], request["record"])


def _write_failure(request: Any, end: Exit) -> Exit:
    from attop.bench.training import failure, write_outcome

    try:
        outcome = failure(_job(request), request["data"], end.status, end.message, end.tail)
        write_outcome(outcome, request["scores"], request["record"])
    except OSError as error:
        return Exit("failed", f"{type(error).__name__}: {error}")
    return Exit("done")


def _broken(path: str, error: Exception) -> str:
    return f"{path} cannot be read ({type(error).__name__}: {error}): delete it, and it is made again"


def _job(request: Request) -> Any:
    from attop.bench.training import Job

    return Job(request["repeat"], request["fold"], **request["spec"])
