"""A training job as a process: where it runs, within which limits, and what it leaves however it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypedDict

from attop.bench.limits import Limits
from attop.bench.supervise import Ending, supervise

__all__ = ["Request", "run", "train"]


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
    """Run a training job in a warm process if one is to be had, else in a child of this one.

    Raises
    ------
    SystemExit
        If it left nothing: it was killed, or its results could not be written. What a method does, crashing
        included, is a result.
    """
    from attop.bench import warm

    orphaned = _orphaned()
    ending = warm.ask(request, orphaned)
    if ending is None:
        ending = run(request, orphaned)
    if ending.status != "done":
        sys.stderr.write(f"\n{ending.message}\nThe job's output is in {request['log']}\n\n")
        raise SystemExit(1)


def run(request: Request, abandoned: Callable[[], bool]) -> Ending:
    """Run a training job in a child of this process, and write the record it could not write itself.

    Returns
    -------
    ending : Ending
        ``done``, ``failed``, ``killed`` or ``abandoned``.
    """
    limits = Limits(request["seconds"], request["memory_mb"])
    ending = supervise(lambda: _perform(request, limits), request["log"], limits, abandoned)
    if ending.status not in ("timeout", "memory", "error"):
        return ending
    from attop.bench.training import failure, write_outcome

    try:
        outcome = failure(_job(request), request["data"], ending.status, ending.message, ending.tail)
        write_outcome(outcome, request["scores"], request["record"])
    except OSError as error:
        return Ending("failed", f"{type(error).__name__}: {error}")
    return Ending("done")


def _perform(request: Request, limits: Limits) -> None:
    """Do the work; in the child."""
    from attop.bench.training import failure, run_job, write_outcome
    from attop.datasets.base import Dataset, Unavailable

    job = _job(request)
    try:
        dataset = Dataset.load(request["data"])
    except Unavailable as error:
        outcome = failure(job, request["data"], "not_applicable", str(error))
    else:
        outcome = run_job(job, dataset, seconds=limits.seconds)
    print(outcome.record.get("traceback") or outcome.record["error"] or "ok", flush=True)
    write_outcome(outcome, request["scores"], request["record"])


def _job(request: Request) -> Any:
    from attop.bench.training import Job

    return Job(request["repeat"], request["fold"], **request["spec"])


def _orphaned() -> Callable[[], bool]:
    """Return whether the process that started this one, through a shell perhaps, is gone; a function."""
    chain = [os.getppid()]
    if _status(chain[0]).get("Name") in ("sh", "bash", "dash"):
        chain.append(int(_status(chain[0]).get("PPid", 0)))

    def orphaned() -> bool:
        if os.getppid() != chain[0]:
            return True
        return len(chain) > 1 and int(_status(chain[0]).get("PPid", 0)) != chain[1]

    return orphaned


def _status(pid: int) -> dict[str, str]:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
