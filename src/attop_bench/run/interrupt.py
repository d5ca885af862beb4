"""Ctrl-C and SIGTERM stop a run, and do not count as its failure.

Ctrl-C cancels the jobs that run; at SIGTERM Snakemake starts no others and waits for those that run. The
process then ends with the status that a shell gives to one ended by the signal.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any

#: 128 and the number of the last signal, 0 before the first, and the time of the last Ctrl-C that counted.
#: No lock may guard them: a signal comes at any time.
_status, _at = 0, float("-inf")

#: Seconds that the jobs of a cluster take to be cancelled, which a second Ctrl-C would break off.
_CANCELLING = 10.0

#: Whether jobs may have begun.
_has_begun = False

_STOPPING = "\nStopping.\n"
_BEFORE = "\nStopping: no job had begun, and nothing was changed. The same command starts again.\n"
_AGAIN = "\nStopping already: the jobs that ran are being ended.\n"


def heed_interrupt() -> None:
    """Have Ctrl-C end this process by SystemExit, without a traceback; one soon after it changes nothing.

    Where Ctrl-C is ignored, as in the background of a shell, or where another function takes it, nothing
    changes.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


@contextlib.contextmanager
def importing() -> Iterator[None]:
    """Have Ctrl-C end this process at once, while there is nothing to be put in order.

    A library that is being imported may hide SystemExit, and the process would go on.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end_at_once)
    try:
        yield
    finally:
        if before is signal.default_int_handler:
            signal.signal(signal.SIGINT, before)


def heed_termination() -> None:
    """Take notice of SIGTERM, which is then for the function that took it before."""
    before = signal.getsignal(signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread() or not callable(
        before
    ):
        return

    def terminate(number: int, frame: FrameType | None) -> Any:
        _note(number)
        return before(number, frame)

    signal.signal(signal.SIGTERM, terminate)


def jobs_begin() -> None:
    """Take notice that jobs may have begun from now on."""
    global _has_begun
    _has_begun = True


def is_stopped(within: float = 0.0) -> bool:
    """Tell whether this process was told to stop, now or `within` some seconds.

    A job of the same terminal may end by Ctrl-C just before this process takes notice.
    """
    until = time.monotonic() + within
    while not _status and time.monotonic() < until:
        time.sleep(0.01)
    return bool(_status)


def leave() -> None:
    """Raise SystemExit with the status of a process that was told to stop; do nothing if it was not."""
    if is_stopped():
        raise SystemExit(_status)


def _end_at_once(number: int, frame: FrameType | None) -> None:
    os.write(2, _BEFORE.encode())
    os._exit(128 + number)


def _note(number: int) -> None:
    global _status
    _status = 128 + number


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _at
    _note(number)
    now = time.monotonic()
    if now - _at < _CANCELLING:
        os.write(2, _AGAIN.encode())
        return
    _at = now
    os.write(2, (_STOPPING if _has_begun else _BEFORE).encode())
    raise SystemExit(_status)
