"""The limits of a process, and how it ends."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Literal

# The end of a training run, in the word that its record, the tables and the report use.
OK = "ok"
#: There were no data to train on, which is no fault of the method.
NOT_APPLICABLE = "not_applicable"
#: Those that another try may change.
FAILED = ("error", "timeout", "memory", "diverged")
STATUSES = (OK, NOT_APPLICABLE, *FAILED)


class TimeUp(BaseException):
    """The job's time is over; raised wherever the method is, so that its traceback says where.

    No Exception: a method that handles those would go on.
    """


@dataclass(frozen=True)
class Limits:
    """What a job may use before it is stopped: wall time, resident memory with its children (Linux)."""

    seconds: float | None = None
    memory_mb: float | None = None


@dataclass(frozen=True)
class Exit:
    """How a job ended."""

    #: ``done``; ``timeout``, ``memory``, ``error``: its own fault; ``failed``: it could not do its work for
    #: reasons such as a full disk; ``killed``: by a signal that usually comes from outside; ``abandoned``:
    #: the client is gone.
    status: Literal["done", "timeout", "memory", "error", "failed", "killed", "abandoned"]
    #: In words.
    message: str = ""
    #: The end of what it printed.
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
