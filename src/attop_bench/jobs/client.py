"""Running a call: in a server that has imported what it needs if there is one, else in a child.

Importing NumPy, SciPy, scikit-learn and numba takes longer than most training jobs. The first call starts a
server (`attop_bench.jobs.server`); each call is sent over a Unix socket, and waited for. If there is no answer, the
call is run here. ``ATTOP_WARM=0`` in the environment does without servers; so does a job of SLURM, unless a
process in it adopts them (`attop_bench.jobs.adoption`).
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import psutil

from attop_bench.jobs.address import locked, peer, socket_path
from attop_bench.jobs.adoption import ADOPTER
from attop_bench.jobs.limits import Exit
from attop_bench.jobs.run import Call, run

__all__ = ["perform"]

#: A process that a script may have been started through.
_SHELLS = ("sh", "bash", "dash")


def perform(call: Call) -> Exit:
    """Run a call to its end, whatever it does; nothing of it goes on when this process's parent is gone."""
    orphaned = _orphaned()
    return _ask(call, orphaned) or _run_apart(call, orphaned)


def _ask(call: Call, orphaned: Callable[[], bool]) -> Exit | None:
    """Have a call done by a server; None if there is no server, or it gave no answer."""
    at_large = "SLURM_JOB_ID" in os.environ and ADOPTER not in os.environ
    if sys.platform != "linux" or os.environ.get("ATTOP_WARM") == "0" or at_large:
        return None
    try:
        connection = _connection(socket_path(call.preload), call.preload)
    except OSError:
        return None
    if connection is None:
        return None
    sent = {"call": call.as_dict(), "cwd": os.getcwd(), "path": sys.path, "environ": dict(os.environ)}
    with connection, contextlib.suppress(OSError):
        connection.sendall(json.dumps(sent).encode() + b"\n")
        return _answer(connection, orphaned)
    return None


def _run_apart(call: Call, orphaned: Callable[[], bool]) -> Exit:
    """Run a call below a supervisor of its own: a job may kill its supervisor, but not this process."""
    mine, its = socket.socketpair()
    supervisor = os.fork()
    if supervisor == 0:
        try:
            mine.close()
            exit = run(call, lambda: bool(select.select([its], [], [], 0)[0]))
            its.sendall(json.dumps(asdict(exit)).encode() + b"\n")
        finally:
            os._exit(0)
    its.close()
    with mine:
        end = _answer(mine, orphaned)
    os.waitpid(supervisor, 0)
    return end or Exit(
        "killed", "the process that watched the job was killed by SIGKILL, by the job itself or from outside"
    )


def _answer(connection: socket.socket, orphaned: Callable[[], bool]) -> Exit | None:
    """Wait for how a call ended; None if nobody says so."""
    answer = b""
    while not answer.endswith(b"\n"):
        if orphaned():
            return Exit("abandoned", "stopped: nobody waits for the result")
        if select.select([connection], [], [], 0.5)[0]:
            chunk = connection.recv(1 << 16)
            if not chunk:
                return None
            answer += chunk
    return Exit(**json.loads(answer))


def _orphaned() -> Callable[[], bool]:
    """Return whether the process that started this one, through a shell perhaps, is gone; a function."""
    parent = os.getppid()
    above = _above_shell(parent)

    def orphaned() -> bool:
        return os.getppid() != parent or (above is not None and _above_shell(parent) != above)

    return orphaned


def _above_shell(pid: int) -> int | None:
    """Return the parent of a shell; None if it is none, or gone."""
    try:
        process = psutil.Process(pid)
        return process.ppid() if process.name() in _SHELLS else None
    except psutil.Error:
        return None


def _connection(path: Path, preload: tuple[str, ...]) -> socket.socket | None:
    """Connect to the server at `path`, starting it first if need be."""
    connection = _connect(path)
    if connection is not None:
        return connection
    with locked(path):  # one of several jobs starts it
        connection = _connect(path)
        if connection is None:
            _start(path, preload)
            connection = _connect(path)
    return connection


def _connect(path: Path) -> socket.socket | None:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(str(path))
        if peer(connection) == os.getuid():
            return connection
    except (FileNotFoundError, ConnectionRefusedError):
        pass
    connection.close()
    return None


def _start(path: Path, preload: tuple[str, ...]) -> None:
    """Listen at `path` and hand the socket to a new server: who connects now waits until it is ready."""
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        listener.listen(512)
        number = listener.fileno()
        # -P: a file of the working directory must not stand in for a module.
        command = [sys.executable, "-P", "-m", "attop_bench.jobs.server", str(path), str(number), *preload]
        nothing = subprocess.DEVNULL
        subprocess.run(
            command, cwd="/", stdin=nothing, stdout=nothing, stderr=nothing, pass_fds=[number], check=False
        )
