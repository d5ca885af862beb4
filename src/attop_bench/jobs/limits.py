"""The limits of a process, and its result."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Literal

# Status of a training run in its record, the tables and the report.
OK = "ok"
#: There were no data to train on.
NOT_APPLICABLE = "not_applicable"
#: Another try may change these. ``killed``: from outside, at every attempt; see `attop_bench.run.attempts`.
FAILED = ("error", "timeout", "memory", "diverged", "killed")
STATUSES = (OK, NOT_APPLICABLE, *FAILED)


class TimeUp(BaseException):
    """The job's time is over, raised wherever the method is; no Exception, which a method may handle."""


@dataclass(frozen=True)
class Limits:
    """Limits of a job: wall time, resident memory with its children (Linux)."""

    seconds: float | None = None
    memory_mb: float | None = None


@dataclass(frozen=True)
class ProcessResult:
    """The end of a job."""

    #: ``timeout``, ``memory``, ``error``: its own fault; ``failed``: not its own, such as a full disk;
    #: ``killed``: by a signal, usually from outside; ``abandoned``: the client is gone.
    status: Literal[
        "done", "timeout", "memory", "error", "failed", "killed", "abandoned"
    ]
    message: str = ""
    #: The end of its output.
    tail: str = ""
    #: Processor time of the process and its descendants.
    cpu_seconds: float = 0.0


@contextlib.contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `TimeUp` in the main thread after `seconds`, as soon as Python code runs."""
    if seconds is None:
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeUp(f"stopped after its limit of {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
