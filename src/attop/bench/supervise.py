"""Work in a child process whose end is known, whatever it does.

The child may raise, loop for ever, eat memory, print megabytes, call ``exit`` or ``os._exit``, crash, or
leave children behind. Imports nothing heavy: a supervisor is one of many small processes.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import io
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

from attop.bench.limits import Limits

__all__ = ["Ending", "supervise"]

#: Seconds between two looks at time and memory.
_LOOK = 0.05

#: Bytes of a log that are kept from its beginning, and from its end.
_HEAD, _TAIL = 1 << 20, 1 << 16

#: Signals that come from outside: a user, a batch system, or a kernel that is short of memory.
_OUTSIDE = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}

_SUBREAPER, _DEATH_SIGNAL = 36, 1  # of prctl(2)


@dataclass(frozen=True)
class Ending:
    """How a child ended.

    Attributes
    ----------
    status : str
        ``done``; ``timeout``, ``memory``, ``error``: its own fault; ``failed``: it could not do its work for
        reasons such as a full disk; ``killed``: from outside; ``abandoned``: nobody waits for it any more.
    message : str
        In words.
    tail : str
        The end of what it printed.
    """

    status: Literal["done", "timeout", "memory", "error", "failed", "killed", "abandoned"]
    message: str = ""
    tail: str = ""


def supervise(
    work: Callable[[], None], log: str | os.PathLike[str], limits: Limits, abandoned: Callable[[], bool]
) -> Ending:
    """Run `work` in a child process and wait for its end; nothing of it is left running.

    Parameters
    ----------
    work : callable
        Raises only for reasons that are not its own fault.
    log : path
        Takes all that the child and its children print; the middle of more than a megabyte is left out.
    limits : Limits
    abandoned : callable
        Says whether to stop because nobody waits for the result.
    """
    with contextlib.suppress(OSError):  # a full disk: the job says so itself, when its results do not fit
        os.makedirs(os.path.dirname(log) or ".", exist_ok=True)
    _prctl(_SUBREAPER, 1)
    printed, printing = os.pipe()
    told, telling = os.pipe()
    parent = os.getpid()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _work(work, parent, printing, telling, [printed, told])
    os.close(printing)
    os.close(telling)
    output = _Log(log)
    try:
        ending = _watch(child, printed, told, output, limits, abandoned)
    finally:
        _kill_all(child)
        output.drain(printed)
        os.close(printed)
        os.close(told)
    output.close(ending.message)
    return Ending(ending.status, ending.message, output.tail())


def _work(work: Callable[[], None], parent: int, printing: int, telling: int, foreign: list[int]) -> None:
    """Be the child."""
    status = 1
    try:
        os.setsid()  # the terminal's signals are for the supervisor
        _prctl(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        for descriptor in foreign:
            os.close(descriptor)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(printing, 1)
        os.dup2(printing, 2)
        sys.stdout = _stream(1)
        sys.stderr = _stream(2)
        faulthandler.enable()
        faulthandler.register(signal.SIGUSR1)  # says where the work is when its time is over
        work()
        told, status = "done", 0
    except BaseException as error:
        traceback.print_exc()
        told = f"{type(error).__name__}: {error}"
    with contextlib.suppress(BaseException):
        sys.stdout.flush()
        sys.stderr.flush()
    os.write(telling, told.encode(errors="replace")[:4000])
    os._exit(status)  # no threads, handlers or exit functions of a method may hold it up


def _stream(descriptor: int) -> TextIO:
    return io.TextIOWrapper(
        io.FileIO(descriptor, "w", closefd=False), "utf-8", "replace", line_buffering=True, write_through=True
    )


def _watch(
    child: int, printed: int, told: int, output: _Log, limits: Limits, abandoned: Callable[[], bool]
) -> Ending:
    start = looked = time.monotonic()
    hard = limits.hard_seconds
    sources = [printed, told]
    while True:
        ready, _, _ = select.select(sources, [], [], _LOOK)
        if printed in ready and not output.take(printed):
            sources.remove(printed)
        if told in ready:
            words = os.read(told, 4096).decode()
            if words:
                return Ending("done") if words == "done" else Ending("failed", words)
            sources.remove(told)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            words = os.read(told, 4096).decode() if select.select([told], [], [], 0)[0] else ""
            if words:
                return Ending("done") if words == "done" else Ending("failed", words)
            return _end_of(status)
        now = time.monotonic()
        if now - looked < _LOOK / 2:
            continue
        looked = now
        if abandoned():
            return Ending("abandoned", "stopped: nobody waits for the result")
        if hard is not None and now - start > hard:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGUSR1)
            output.drain(printed, seconds=0.2)
            return Ending("timeout", f"killed after its limit of {limits.seconds:g} s")
        if limits.memory_mb is not None and (used := _memory_mb(limits.memory_mb)) > limits.memory_mb:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGUSR1)
            output.drain(printed, seconds=0.2)
            return Ending("memory", f"killed with {used:.0f} MB in use, its limit is {limits.memory_mb:g} MB")


def _end_of(status: int) -> Ending:
    if not os.WIFSIGNALED(status):
        return Ending("error", f"the method ended its process with status {os.WEXITSTATUS(status)}")
    number = os.WTERMSIG(status)
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    if number in _OUTSIDE:
        return Ending(
            "killed",
            f"the job was killed by {name} from outside; if the machine is short of memory, give less of it "
            "to each job by limits: {memory_mb: ...}",
        )
    return Ending("error", f"the method's process crashed: {name}")


class _Log:
    """A log of limited size: its beginning goes to the file at once, its end when all is over."""

    def __init__(self, path: str | os.PathLike[str]):
        self._file: int | None = None
        with contextlib.suppress(OSError):
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        self._written = self._taken = 0
        self._last = b""

    def take(self, source: int) -> bool:
        """Read what there is; False at the end."""
        chunk = os.read(source, 1 << 16)
        self._taken += len(chunk)
        self._last = (self._last + chunk)[-_TAIL:]
        head = chunk[: _HEAD - self._written]
        self._write(head)
        self._written += len(head)
        return bool(chunk)

    def drain(self, source: int, seconds: float = 0.0) -> None:
        """Read what is there already, waiting up to `seconds` for the first of it."""
        while select.select([source], [], [], seconds)[0] and self.take(source):
            seconds = 0.0

    def close(self, message: str) -> None:
        left = self._taken - self._written
        if left > len(self._last):
            self._write(f"\n[{left - len(self._last)} bytes left out here]\n".encode())
        if left:
            self._write(self._last[-left:])
        if message:
            self._write(f"{message}\n".encode())
        if self._file is not None:
            os.close(self._file)

    def tail(self) -> str:
        return self._last[-16_000:].decode(errors="replace")

    def _write(self, text: bytes) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.write(self._file, text)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _kill_all(child: int) -> None:
    """Kill the child and all its descendants, orphans too: they became children of this process."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    while True:
        for pid in _descendants():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _descendants() -> list[int]:
    found: list[int] = []
    todo = [os.getpid()]
    while todo:
        pid = todo.pop()
        with contextlib.suppress(OSError):
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                new = [int(word) for word in children.read_text().split()]
                found += new
                todo += new
    return found


def _memory_mb(enough: float) -> float:
    """Return the resident memory of all descendants in MB; shared pages count once if it matters."""
    pids = _descendants()
    used = sum(_resident_mb(pid) for pid in pids)
    return sum(_proportional_mb(pid) for pid in pids) if used > enough and len(pids) > 1 else used


def _resident_mb(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except (OSError, IndexError):  # it ended
        return 0.0


def _proportional_mb(pid: int) -> float:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024 / 1e6
    except OSError:
        return _resident_mb(pid)
    return 0.0
