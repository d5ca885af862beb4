"""Work in a child process, which may raise, hang, eat memory, print megabytes, exit, crash or leave children.

Imports nothing heavy: a supervisor is one of many small processes.
"""

from __future__ import annotations

import ctypes
import errno
import faulthandler
import io
import math
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TextIO

import psutil

from attop_bench.jobs.client import ADOPTER
from attop_bench.jobs.limits import Limits, ProcessResult
from attop_bench.jobs.log import BoundedLog

#: Seconds between two looks at time and at the child's memory.
_LOOK = 0.05

#: Signals of a user, a batch system, or a kernel that is short of memory.
_OUTSIDE = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}

#: Seconds between two searches for descendants: each reads the whole process table.
_SEARCH = 0.5

#: Options of prctl(2): to get a signal when the parent ends, and to become the parent of orphans below.
_DEATH_SIGNAL, _SUBREAPER = 1, 36

#: Tells whether something is so at the time of the call.
Condition = Callable[[], bool]


class CannotRun(Exception):
    """A job cannot do its work for reasons that are not its own, such as broken input."""


def supervise(
    work: Callable[[], None],
    log: str | os.PathLike[str],
    limits: Limits,
    abandoned: Condition,
) -> ProcessResult:
    """Run `work` in a child process, wait for its end, and kill all that it leaves.

    An exception is its own fault (``error``), but for `CannotRun` and a full disk (``failed``). The log takes
    its output and its children's, without the middle of more than a megabyte. `abandoned` says whether to
    stop because nobody waits for the result.
    """
    # A full disk: the job says so itself, when its results do not fit.
    with suppress(OSError):
        os.makedirs(os.path.dirname(log) or ".", exist_ok=True)
    adopt_orphans()
    printed, printing = os.pipe()
    status_read, status_write = os.pipe()
    secret = os.urandom(16).hex().encode()
    parent = os.getpid()
    before = _cpu_of_children()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _work(work, parent, printing, status_write, secret)
    os.close(printing)
    os.close(status_write)
    output = BoundedLog(log)
    try:
        ending = _watch(
            child,
            printed,
            _StatusPipe(status_read, secret),
            output,
            limits,
            abandoned,
        )
    finally:
        _kill_all(child)
        output.drain(printed)
        os.close(printed)
        os.close(status_read)
    output.close(ending.message)
    return replace(
        ending, tail=output.tail(), cpu_seconds=_cpu_of_children() - before
    )


def _cpu_of_children() -> float:
    """Measure the processor time of the children that ended, and of theirs."""
    # os.times counts in hundredths of a second.
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _work(
    work: Callable[[], None],
    parent: int,
    printing: int,
    status_write: int,
    secret: bytes,
) -> None:
    """Do the work in the child, write its status and exit."""
    status = 1
    try:
        os.setsid()  # the terminal's signals are for the supervisor
        _prctl(_DEATH_SIGNAL, signal.SIGKILL)
        os.environ["ATTOP_WARM"] = "0"  # a server would not end with the job
        if os.getppid() != parent:
            os._exit(1)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(printing, 1)
        os.dup2(printing, 2)
        # What else is open is not for a job to write to.
        os.closerange(3, status_write)
        os.closerange(status_write + 1, 1 << 20)
        sys.stdout = _stream(1)
        sys.stderr = _stream(2)
        faulthandler.enable()
        # Says where the work is when its time is over.
        faulthandler.register(signal.SIGUSR1)
        work()
        message = "done"
        status = 0
    except BaseException as error:
        with suppress(BaseException):
            traceback.print_exc()
        full = isinstance(error, OSError) and error.errno in (
            errno.ENOSPC,
            errno.EDQUOT,
        )
        kind = "failed" if full or isinstance(error, CannotRun) else "error"
        message = f"{kind} {in_words(error)}"
    with suppress(BaseException):
        sys.stdout.flush()
        sys.stderr.flush()
    with suppress(OSError):
        os.write(
            status_write, secret + message.encode(errors="replace")[:3000] + b"\0"
        )
    # No threads, handlers or exit functions of a job may hold it up.
    os._exit(status)


def in_words(error: BaseException) -> str:
    """Write type and message of an exception, whose ``__str__`` may raise or give no UTF-8."""
    name = type(error).__name__
    try:
        text = f"{name}: {error}"
    except BaseException as second:
        text = f"{name}, whose message is unknown: its __str__ raises {type(second).__name__}"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _stream(descriptor: int) -> TextIO:
    return io.TextIOWrapper(
        io.FileIO(descriptor, "w", closefd=False),
        "utf-8",
        "replace",
        line_buffering=True,
        write_through=True,
    )


class _StatusPipe:
    """The child's final status, read from a pipe and verified by a secret."""

    def __init__(self, descriptor: int, secret: bytes):
        self.descriptor = descriptor
        self.closed = False
        self._secret = secret
        self._taken = b""

    def take(self) -> ProcessResult | None:
        """Read the pipe; return the child's status if it is there."""
        if not select.select([self.descriptor], [], [], 0)[0]:
            return None
        chunk = os.read(self.descriptor, 1 << 16)
        self.closed = not chunk
        self._taken += chunk
        _, secret, text = self._taken.rpartition(self._secret)
        if not secret:
            self._taken = self._taken[-len(self._secret) :]
        if not secret or not text.endswith(b"\0"):
            return None
        status, _, message = text[:-1].decode(errors="replace").partition(" ")
        return ProcessResult(status, message)  # type: ignore[arg-type]


def _watch(
    child: int,
    printed: int,
    pipe: _StatusPipe,
    output: BoundedLog,
    limits: Limits,
    abandoned: Condition,
) -> ProcessResult:
    start = looked = time.monotonic()
    seconds = math.inf if limits.seconds is None else limits.seconds
    # Code that does not return to Python cannot end itself.
    hard = seconds + min(5.0, 0.5 + 0.1 * seconds)
    memory = _Memory(child)
    sources = [printed, pipe.descriptor]
    while True:
        ready, _, _ = select.select(sources, [], [], _LOOK)
        if printed in ready and not output.take(printed):
            sources.remove(printed)
        # Before the pipe is read, which holds the status of a child that ended.
        ended, status = os.waitpid(child, os.WNOHANG)
        if (pipe.descriptor in ready or ended) and (end := pipe.take()):
            return end
        if ended:
            return _end_of(status)
        if pipe.closed and pipe.descriptor in sources:
            sources.remove(pipe.descriptor)
        now = time.monotonic()
        if now - looked < _LOOK / 2:
            continue
        looked = now
        if abandoned():
            return ProcessResult(
                "abandoned", "stopped: nobody waits for the result"
            )
        if now - start > hard:
            _ask_where(child, printed, output)
            return ProcessResult(
                "timeout", f"killed after its limit of {limits.seconds:g} s"
            )
        if (
            limits.memory_mb is not None
            and (used := memory.used_mb(limits.memory_mb)) > limits.memory_mb
        ):
            _ask_where(child, printed, output)
            text = (
                f"killed with {used:.0f} MB in use, its limit is {limits.memory_mb:g} MB, that of "
                "limits: {memory_mb: ...}"
            )
            return ProcessResult("memory", text)


def _ask_where(child: int, printed: int, output: BoundedLog) -> None:
    """Have the child print its traceback, before it is killed."""
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGUSR1)
    output.drain(printed, seconds=0.2)


def _end_of(status: int) -> ProcessResult:
    if not os.WIFSIGNALED(status):
        return ProcessResult(
            "error", f"it ended its process with status {os.WEXITSTATUS(status)}"
        )
    number = os.WTERMSIG(status)
    name = (
        signal.Signals(number).name
        if number in set(signal.Signals)
        else f"signal {number}"
    )
    if number in _OUTSIDE:
        return ProcessResult(
            "killed",
            f"the job was killed by {name} from outside; if the machine is short of memory, give less of it "
            "to each job by limits: {memory_mb: ...}",
        )
    return ProcessResult("error", f"its process crashed: {name}")


def adopt_servers() -> None:
    """Become the parent of the servers that jobs below this process start.

    A scheduler follows the process tree: an orphan would escape its accounting, and outlive the job.
    """
    adopt_orphans()
    os.environ[ADOPTER] = str(os.getpid())


def adopt_orphans() -> None:
    """Become the parent of all processes below this one whose parent ends."""
    _prctl(_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    """Set an attribute of this process; see prctl(2) of Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _kill_all(child: int) -> None:
    """Kill the child and all its descendants; orphans became children of this process."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    kill_descendants()


def kill_descendants() -> None:
    """Kill all processes below this one, and wait for their ends."""
    while True:
        for process in _descendants():
            with suppress(psutil.Error):
                process.kill()
        try:
            # To wait for ever would be for one started meanwhile.
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.005)
        except ChildProcessError:
            return


def _descendants() -> list[psutil.Process]:
    try:
        return psutil.Process().children(recursive=True)
    except psutil.Error:
        return []


class _Memory:
    """The memory of a child and its descendants."""

    def __init__(self, child: int):
        self._child = child
        self._others: list[psutil.Process] = []
        self._looked = time.monotonic()

    def used_mb(self, enough: float) -> float:
        """Measure the resident memory in MB; shared pages count once if it is more than `enough`."""
        now = time.monotonic()
        if now - self._looked > _SEARCH:
            self._looked = now
            self._others = [
                process for process in _descendants() if process.pid != self._child
            ]
        pids = [self._child, *(process.pid for process in self._others)]
        used = sum(map(_resident_mb, pids))
        return (
            used
            if used <= enough or not self._others
            else sum(map(_proportional_mb, pids))
        )


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
