"""The child of a supervisor and all its descendants: their memory, and their end."""

from __future__ import annotations

import contextlib
import os
import signal
import time

import psutil

__all__ = ["Memory", "kill_all"]

#: Seconds between two looks for descendants: finding them reads the whole process table.
_LOOK = 0.5


def kill_all(child: int) -> None:
    """Kill the child and all its descendants, orphans too: they became children of this process."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    while True:
        for process in _descendants():
            with contextlib.suppress(psutil.Error):
                process.kill()
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _descendants() -> list[psutil.Process]:
    try:
        return psutil.Process().children(recursive=True)
    except psutil.Error:
        return []


class Memory:
    """The memory of a child and its descendants."""

    def __init__(self, child: int):
        self._child = child
        self._others: list[psutil.Process] = []
        self._looked = time.monotonic()

    def used_mb(self, enough: float) -> float:
        """Return the resident memory in MB; shared pages count once if it matters."""
        now = time.monotonic()
        if now - self._looked > _LOOK:
            self._looked = now
            self._others = [process for process in _descendants() if process.pid != self._child]
        if not self._others:
            return _resident_mb(self._child)
        used = sum(_resident_mb(pid) for pid in (self._child, *(process.pid for process in self._others)))
        if used <= enough:
            return used
        return sum(_proportional_mb(pid) for pid in (self._child, *(p.pid for p in self._others)))


def _resident_mb(pid: int) -> float:
    try:
        return psutil.Process(pid).memory_info().rss / 1e6
    except psutil.Error:  # it ended
        return 0.0


def _proportional_mb(pid: int) -> float:
    try:
        return psutil.Process(pid).memory_full_info().pss / 1e6
    except psutil.NoSuchProcess:
        return 0.0
    except (psutil.Error, AttributeError):
        return _resident_mb(pid)
