"""A process that has imported what jobs need, and forks a child for each.

It listens at a Unix socket that `attop_bench.jobs.client` made. Each connection brings one call; the server forks a
supervisor for it, the supervisor a child that does the work (`attop_bench.jobs.run`, the same code as without a
server). If the client goes, its work is killed; if the server goes, the supervisors stay. A server ends when
it was idle for a while, or when the process that adopted it ends. Linux only.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import socket
import sys
import time
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from attop_bench.jobs.address import locked, peer
from attop_bench.jobs.run import Call, run

#: Seconds without a job after which a server ends.
_IDLE = 20.0


def _serve(path: Path, listener: socket.socket, preload: list[str]) -> None:
    """Be the server."""
    for module in preload:
        with contextlib.suppress(ImportError):
            import_module(module)
    gc.freeze()
    listener.setblocking(False)
    running: set[int] = set()
    active = time.monotonic()
    adopter = os.getppid()
    while os.getppid() == adopter:
        if select.select([listener], [], [], 1.0)[0]:
            _accept(listener, running)
        for pid in list(running):
            if os.waitpid(pid, os.WNOHANG)[0]:
                running.remove(pid)
        now = time.monotonic()
        if running:
            active = now
        elif now - active > _IDLE:
            break
    with locked(path):
        path.unlink(missing_ok=True)
        while _accept(listener, running):  # who connected just before
            pass


def _accept(listener: socket.socket, running: set[int]) -> bool:
    try:
        connection, _ = listener.accept()
    except OSError:
        return False
    with connection:
        if peer(connection) != os.getuid():
            return True
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                listener.close()
                _answer(connection)
                status = 0
            finally:
                os._exit(status)
        running.add(pid)
    return True


def _answer(connection: socket.socket) -> None:
    """Be the supervisor of one job."""
    connection.setblocking(True)
    connection.settimeout(30)
    text = b""
    while not text.endswith(b"\n"):
        chunk = connection.recv(1 << 20)
        if not chunk:
            return
        text += chunk
    call = json.loads(text)
    os.chdir(call["cwd"])
    os.environ.clear()
    os.environ.update(call["environ"])
    sys.path[:] = call["path"]

    def abandoned() -> bool:
        return bool(select.select([connection], [], [], 0)[0])  # it sends nothing more: this is its end

    end = run(Call.from_dict(call["call"]), abandoned)
    with contextlib.suppress(OSError):
        connection.sendall(json.dumps(asdict(end)).encode() + b"\n")


def _main(path: str, number: str, *preload: str) -> None:
    starter = os.getpid()
    if os.fork():  # the process that starts a server does not wait for its end
        return
    os.setsid()
    while os.getppid() == starter:
        time.sleep(0.001)
    listener = socket.socket(fileno=int(number))
    listener.set_inheritable(False)
    _serve(Path(path), listener, list(preload))


if __name__ == "__main__":
    _main(*sys.argv[1:])
