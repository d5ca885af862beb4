"""A process that has imported what training needs, and forks a child for each job.

Importing NumPy, SciPy, scikit-learn and numba takes longer than most training jobs. The first job of a run
starts this server; each job sends its request over a Unix socket, and waits. The server forks a supervisor,
the supervisor a child that does the work (`attop.bench.job.run`, the same code as without a server). If the
job's process goes, its work is killed; if the server goes, the supervisors stay; if there is no answer, the
job does its work itself. A server serves one state of Python, attop's sources, thread variables, processors
and control group (a SLURM job's, with which it ends), and ends when it was idle for a while. Linux only.

``ATTOP_WARM=0`` in the environment does without.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import hashlib
import json
import os
import resource
import select
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attop.bench.supervise import Ending

if TYPE_CHECKING:
    from attop.bench.job import Request

__all__ = ["ask"]

#: Seconds without a job after which a server ends.
_IDLE = 20.0

_ROOT = Path(__file__).parents[1]

#: Variables that count when modules are imported, by their beginnings.
_VARIABLES = (
    *("OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "BLIS_", "NUMEXPR_", "NUMBA_", "NPY_", "SCIPY_"),
    *("SKLEARN_", "PYTHON", "LD_", "MALLOC_", "GLIBC_", "ATTOP_", "SLURM_JOB_ID", "SLURM_STEP_ID"),
)

#: Imported by the server, as far as it is there: what the catalogue's methods use.
_PRELOAD = (
    "attop.bench.job",
    "attop.bench.training",
    "attop.metrics.registry",
    "sklearn.linear_model",
    "sklearn.svm",
    "sklearn.preprocessing",
)


def ask(request: Request, orphaned: Callable[[], bool]) -> Ending | None:
    """Have a training job done by a server, which is started if there is none.

    Returns
    -------
    ending : Ending or None
        None if no server is to be had, or if it gave no answer.
    """
    if sys.platform != "linux" or os.environ.get("ATTOP_WARM") == "0":
        return None
    try:
        connection = _connection(_socket_path())
    except OSError:
        return None
    if connection is None:
        return None
    call = {"request": request, "cwd": os.getcwd(), "path": sys.path, "environ": dict(os.environ)}
    with connection, contextlib.suppress(OSError, ValueError):
        connection.sendall(json.dumps(call).encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            if orphaned():
                return Ending("abandoned", "stopped: nobody waits for the result")
            if select.select([connection], [], [], 0.5)[0]:
                chunk = connection.recv(1 << 16)
                if not chunk:
                    return None
                answer += chunk
        return Ending(**json.loads(answer))
    return None


def _socket_path() -> Path:
    """Return where the server for this process listens, in a folder of the user's own."""
    folder = Path(tempfile.gettempdir()) / f"attop-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) != 0o700:
        raise OSError(f"{folder} is not a private folder")
    path = folder / _key()
    if len(str(path)) > 100:
        raise OSError(f"{path} is too long for a socket")
    return path


def _key() -> str:
    """Return a digest of all that a warm process shares with the process it works for."""
    state: list[Any] = [sys.version, sys.executable, sys.prefix]
    state += sorted(item for item in os.environ.items() if item[0].startswith(_VARIABLES))
    state += [sorted(os.sched_getaffinity(0)), os.getpriority(os.PRIO_PROCESS, 0)]
    state += [resource.getrlimit(kind) for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    with contextlib.suppress(OSError):
        state.append(Path("/proc/self/cgroup").read_text())
    for folder in sys.path:
        if folder.endswith(("site-packages", "dist-packages")):  # something is installed, or upgraded
            with contextlib.suppress(OSError):
                state.append([folder, os.stat(folder).st_mtime_ns])
    for folder, folders, files in os.walk(_ROOT):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        for name in sorted(files):
            if name.endswith(".py"):
                about = os.stat(os.path.join(folder, name))
                state.append([folder, name, about.st_mtime_ns, about.st_size])
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()[:24]


def _connection(path: Path) -> socket.socket | None:
    """Connect to the server at `path`, starting it first if need be."""
    connection = _connect(path)
    if connection is not None:
        return connection
    with _locked(path):  # one of several jobs starts it
        connection = _connect(path)
        if connection is None:
            _start(path)
            connection = _connect(path)
    return connection


def _connect(path: Path) -> socket.socket | None:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(str(path))
        if _peer(connection) == os.getuid():
            return connection
    except (FileNotFoundError, ConnectionRefusedError):
        pass
    connection.close()
    return None


def _peer(connection: socket.socket) -> int:
    """Return the user at the other end."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return struct.unpack("3i", credentials)[1]


@contextlib.contextmanager
def _locked(path: Path) -> Any:
    with open(path.with_suffix(".lock"), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _start(path: Path) -> None:
    """Listen at `path` and hand the socket to a new server: who connects now waits until it is ready."""
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        listener.listen(512)
        number = listener.fileno()
        # -P: a file of the working directory must not stand in for a module.
        command = [sys.executable, "-P", "-m", "attop.bench.warm", str(path), str(number)]
        nothing = subprocess.DEVNULL
        subprocess.run(
            command, cwd="/", stdin=nothing, stdout=nothing, stderr=nothing, pass_fds=[number], check=False
        )


def _serve(path: Path, listener: socket.socket) -> None:
    """Be the server."""
    for module in _PRELOAD:
        with contextlib.suppress(ImportError):
            import_module(module)
    from attop import estimators
    from attop.bench.records import environment

    for name in estimators.__all__:
        getattr(estimators, name)
    environment()  # what it finds out stays known
    gc.freeze()
    listener.setblocking(False)
    running: set[int] = set()
    active = time.monotonic()
    while True:
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
    with _locked(path):
        path.unlink(missing_ok=True)
        while _accept(listener, running):  # who connected just before
            pass


def _accept(listener: socket.socket, running: set[int]) -> bool:
    try:
        connection, _ = listener.accept()
    except OSError:
        return False
    with connection:
        if _peer(connection) != os.getuid():
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
    from attop.bench.job import run

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

    ending = run(call["request"], abandoned)
    with contextlib.suppress(OSError):
        connection.sendall(json.dumps(asdict(ending)).encode() + b"\n")


def _main(path: str, number: str) -> None:
    if os.fork():  # the process that starts a server does not wait for its end
        return
    os.setsid()
    listener = socket.socket(fileno=int(number))
    listener.set_inheritable(False)
    _serve(Path(path), listener)


if __name__ == "__main__":
    _main(*sys.argv[1:])
