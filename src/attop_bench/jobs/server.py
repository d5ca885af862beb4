"""Warm processes: a server has imported what jobs need, and forks a process for each script.

Importing NumPy, SciPy, scikit-learn and numba takes longer than most training jobs. The first script starts a
server, which listens at a Unix socket; a script's own process (`attop_bench.jobs.client`) hands it over and
waits. If that is gone, the script is ended; if the server goes, its scripts stay. A function in a process of
its own (`run_in_process`) is forked from the script's process, warm or not, by the same code. A server ends
when it was idle for a while, or when the process that adopted it ends. It works on as many scripts as there
are processors, and others wait: 16 at a time on two cores take a seventh longer than two at a time.

Processes that differ in anything that a process inherits have other servers: environment, limits, groups,
namespaces, priority. So have two jobs of a batch system: a server belongs to their control group. What a
script starts ends with it; it gets no server, which would not end with it. ``ATTOP_WARM=0`` does without
servers; so does a job of SLURM, unless a process in it adopts them. Linux only.
"""

from __future__ import annotations

import fcntl
import gc
import marshal
import os
import runpy
import select
import signal
import socket
import struct
import sys
import time
import traceback
from contextlib import suppress
from importlib import import_module
from multiprocessing import Pipe
from typing import Any

import psutil

from attop_bench.jobs.limits import Limits, ProcessResult
from attop_bench.jobs.supervise import (
    Condition,
    adopt_orphans,
    kill_descendants,
    supervise,
)

#: Function, argument, log and limits.
_Call = tuple[str, Any, str, Limits]

#: Names of processes that start scripts.
_SHELLS = ("sh", "bash", "dash")

#: Seconds without a job after which a server ends, and between two looks for an end while others wait.
_IDLE, _TURN = 20.0, 0.02

#: In a process that runs a client's script: says whether the client is gone.
_gone: Condition | None = None


def run_in_process(
    function: str, argument: Any, log: str, limits: Limits
) -> ProcessResult:
    """Call the function at a dotted path in a process of its own, which ends with this process's parent.

    `argument` reaches it by the fork; `log` takes the output. An exception is the function's fault, but for a
    full disk and `attop_bench.jobs.supervise.CannotRun`.
    """
    call = function, argument, log, limits
    if _gone is None:
        return _run_apart(call, _orphaned(os.getpid()))
    # From here on `supervise` asks, and clears up.
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    return _supervise(call, _gone)


def _run_apart(call: _Call, orphaned: Condition) -> ProcessResult:
    """Run a call below a supervisor of its own, which a job may kill, but not this process.

    Meanwhile Ctrl-C ends this process without a traceback, and its end the supervisor, which clears up.
    """
    receiver, sender = Pipe()
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    supervisor = os.fork()
    if supervisor == 0:
        try:
            receiver.close()
            sender.send(_supervise(call, sender.poll))
        finally:
            os._exit(0)
    if interrupt is not signal.SIG_IGN:  # as it is in the background of a shell
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sender.close()
    end = None
    with receiver, suppress(EOFError):
        while not receiver.poll(0.5) and end is None:
            if orphaned():
                end = ProcessResult(
                    "abandoned", "stopped: nobody waits for the result"
                )
        end = end or receiver.recv()
    os.waitpid(supervisor, 0)
    signal.signal(signal.SIGINT, interrupt)
    return end or ProcessResult(
        "killed",
        "the process that watched the job was killed by SIGKILL, by the job itself or from outside",
    )


def _supervise(call: _Call, abandoned: Condition) -> ProcessResult:
    """Run a call in a child of this process."""
    function, argument, log, limits = call

    def work() -> None:
        module, _, name = function.rpartition(".")
        getattr(import_module(module), name)(argument)

    return supervise(work, log, limits, abandoned)


def _orphaned(pid: int) -> Condition:
    """Make a function that tells whether the process that started `pid`, perhaps by a shell, is gone."""
    before = _starters(pid)
    return lambda: _starters(pid) != before


def _starters(pid: int) -> list[int]:
    """List the parents of a process, up to the first that is not a shell."""
    parents: list[int] = []
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        while not parents or process.name() in _SHELLS:
            parents.append(process.ppid())
            process = psutil.Process(parents[-1])
    return parents


def serve() -> None:
    """Be the server that the command line describes, and let the process that starts it go on."""
    _, _, path, number, preload = sys.argv
    starter = os.getpid()
    if os.fork():
        return
    os.setsid()
    while os.getppid() == starter:
        time.sleep(0.001)
    listener = socket.socket(fileno=int(number))
    listener.set_inheritable(False)
    _serve(path, listener, preload)


def _serve(path: str, listener: socket.socket, preload: str) -> None:
    """Run scripts until idle, or until the adopter ends."""
    with suppress(ImportError, ValueError):  # the job says so itself
        import_module(preload)
    gc.freeze()
    listener.setblocking(False)
    running: set[int] = set()
    active = time.monotonic()
    adopter = os.getppid()
    while os.getppid() == adopter:
        full = len(running) >= len(os.sched_getaffinity(0))
        if select.select(
            [] if full else [listener], [], [], _TURN if full else 1.0
        )[0]:
            _accept(listener, running)
        for pid in list(running):
            if os.waitpid(pid, os.WNOHANG)[0]:
                running.remove(pid)
        now = time.monotonic()
        if running:
            active = now
        elif now - active > _IDLE:
            break
    with open(f"{path}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            os.unlink(path)
        while _accept(listener, running):  # clients that connected just before
            pass


def _accept(listener: socket.socket, running: set[int]) -> bool:
    """Fork the process of a client's script; False if no client waits."""
    try:
        connection, _ = listener.accept()
    except OSError:
        return False
    with connection:
        if _descends(connection):
            return True
        pid = os.fork()
        if pid == 0:
            try:
                listener.close()
                _answer(connection)
            finally:
                os._exit(0)
        running.add(pid)
    return True


def _descends(connection: socket.socket) -> bool:
    """Tell whether a client was started by a script of this server, whose limits it would leave behind."""
    credentials = connection.getsockopt(
        socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")
    )
    pid, _, _ = struct.unpack("3i", credentials)
    try:
        return os.getpid() in (
            process.pid for process in psutil.Process(pid).parents()
        )
    except psutil.Error:  # it is gone
        return True


def _answer(connection: socket.socket) -> None:
    """Run a client's script in its place, and tell it the exit status."""
    connection.settimeout(30)
    size, streams, _, _ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as sent:
        client, folder, environment, command = marshal.loads(
            sent.read(int.from_bytes(size, "big"))
        )
    connection.settimeout(None)
    orphaned = _orphaned(client)

    def gone() -> bool:
        return bool(select.select([connection], [], [], 0)[0]) or orphaned()

    global _gone
    _gone = gone
    # The end of the client ends a script, as a signal would that both get.
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(
        connection,
        fcntl.F_SETFL,
        fcntl.fcntl(connection, fcntl.F_GETFL) | os.O_ASYNC,
    )
    if gone():
        return
    for stream, descriptor in enumerate(streams):
        os.dup2(descriptor, stream)
        os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    adopt_orphans()
    status = _run(command)
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    kill_descendants()
    with suppress(OSError):
        connection.send(bytes([status]))


def _run(command: list[str]) -> int:
    """Run a script as the interpreter would, and return its exit status."""
    script, *_ = sys.argv[:] = command
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    status: object = 0
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        status = end.code
    except BaseException:
        with suppress(OSError):  # nobody may read it any more
            traceback.print_exc()
        status = 1
    if not isinstance(status, int | None):
        with suppress(OSError):
            print(status, file=sys.stderr)
        status = 1
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        status = status or 120  # as the interpreter has it
    return (status or 0) & 0xFF
