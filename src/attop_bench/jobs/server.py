"""Running a function in a process of its own, forked from a server with its imports if there is one.

Importing NumPy, SciPy, scikit-learn and numba takes longer than most training jobs. The first call starts a
server: a process that has imported them, listens at a Unix socket and forks a supervisor for each call, which
forks a child that does the work. If the client goes, its work is killed; if the server goes, the supervisors
stay. Without an answer the call is run here, by the same code. A server ends when it was idle for a while, or
when the process that adopted it ends. It works on as many calls as there are processors, and others wait:
16 at a time on two cores take a seventh longer than two at a time.

Processes with other imports or numbers of threads have other servers. So have two jobs of a batch system: a
server belongs to their control group. ``ATTOP_WARM=0`` does without servers; so does a job of SLURM, unless a
process in it adopts them. Linux only.
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
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil

from attop_bench.jobs.limits import Limits, ProcessResult
from attop_bench.jobs.supervise import ADOPTER, supervise

#: Function, argument, log and limits.
_Call = tuple[str, Any, str, Limits]

#: Where the code that a server has imported lies.
_HOME = Path(__file__).parents[2]
_SOURCES = [_HOME / "attop", _HOME / "attop_bench"]

#: A server. In an environment without attop it is found where it was here, behind what is installed there.
_PROGRAM = "import sys; sys.path.append(sys.argv[1]); from attop_bench.jobs.server import _main; _main()"

#: Beginnings of the variables that modules read when imported.
_VARIABLES = (
    *("OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "BLIS_", "NUMEXPR_", "NUMBA_", "NPY_", "SCIPY_"),
    *("SKLEARN_", "PYTHON", "LD_", "MALLOC_", "GLIBC_", "ATTOP_", "SLURM_JOB_ID", "SLURM_STEP_ID"),
)

#: Names of processes that start scripts.
_SHELLS = ("sh", "bash", "dash")

#: Seconds without a job after which a server ends, and between two looks for an end while others wait.
_IDLE, _TURN = 20.0, 0.02


def run_in_process(
    function: str, argument: Any, log: str, limits: Limits, preload: str = ""
) -> ProcessResult:
    """Call the function at a dotted path in a process of its own, which ends with this process's parent.

    `argument` is pickled; `log` takes the output. An exception is the function's fault, but for a full disk
    and `attop_bench.jobs.supervise.CannotRun`. A server imports the module `preload` before any call.
    """
    call, orphaned = (function, argument, log, limits), _orphaned()
    return _ask(call, preload, orphaned) or _run_apart(call, orphaned)


def _ask(call: _Call, preload: str, orphaned: Callable[[], bool]) -> ProcessResult | None:
    """Return the result of a call by a server; None without a server or its answer."""
    at_large = "SLURM_JOB_ID" in os.environ and ADOPTER not in os.environ
    if sys.platform != "linux" or os.environ.get("ATTOP_WARM") == "0" or at_large:
        return None
    with contextlib.suppress(OSError), _connection(_socket_path(preload), preload) as connection:
        connection.send((os.getcwd(), sys.path, dict(os.environ)))
        connection.send(call)
        return _wait(connection, orphaned)
    return None


def _run_apart(call: _Call, orphaned: Callable[[], bool]) -> ProcessResult:
    """Run a call below a supervisor of its own, which a job may kill, but not this process."""
    mine, its = Pipe()
    supervisor = os.fork()
    if supervisor == 0:
        try:
            mine.close()
            its.send(_supervise(call, its))
        finally:
            os._exit(0)
    its.close()
    with mine:
        end = _wait(mine, orphaned)
    os.waitpid(supervisor, 0)
    return end or ProcessResult(
        "killed", "the process that watched the job was killed by SIGKILL, by the job itself or from outside"
    )


def _supervise(call: _Call, client: Connection) -> ProcessResult:
    """Run a call in a child of this process; a client sends nothing more but its end."""
    function, argument, log, limits = call

    def work() -> None:
        module, _, name = function.rpartition(".")
        getattr(import_module(module), name)(argument)

    return supervise(work, log, limits, client.poll)


def _wait(connection: Connection, orphaned: Callable[[], bool]) -> ProcessResult | None:
    """Wait for the end of a call; None if the connection closes without an answer."""
    while not connection.poll(0.5):
        if orphaned():
            return ProcessResult("abandoned", "stopped: nobody waits for the result")
    try:
        return connection.recv()
    except EOFError:
        return None


def _orphaned() -> Callable[[], bool]:
    """Return a function: whether the process that started this one, perhaps by a shell, is gone."""
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


def _connection(path: Path, preload: str) -> Connection:
    """Connect to the server at `path`, starting it first if need be."""
    try:
        return _connect(path)
    except OSError:
        with _locked(path):  # one of several jobs starts it
            try:
                return _connect(path)
            except OSError:
                _start(path, preload)
                return _connect(path)


def _connect(path: Path) -> Connection:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(path))
        return Connection(connection.detach())


def _start(path: Path, preload: str) -> None:
    """Listen at `path` and hand the socket to a new server: who connects now waits until it is ready."""
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        listener.listen(512)
        number = listener.fileno()
        # -P: a file of the working directory must not stand in for a module.
        command = [sys.executable, "-P", "-c", _PROGRAM, *map(str, (_HOME, path, number)), preload]
        nothing = subprocess.DEVNULL
        subprocess.run(command, cwd="/", stdin=nothing, stdout=nothing, stderr=nothing, pass_fds=[number])


def _socket_path(preload: str) -> Path:
    """Return the socket of the server for this process, in a folder that nobody else can enter."""
    folder = Path(tempfile.gettempdir()) / f"attop-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    about = folder.lstat()
    if about.st_uid != os.getuid() or about.st_mode != stat.S_IFDIR | 0o700:
        raise OSError(f"{folder} is not a private folder")
    path = folder / _key(preload)
    if len(str(path)) > 100:
        raise OSError(f"{path} is too long for a socket")
    return path


def _key(preload: str) -> str:
    """Return the key of a reusable server: a digest of all that must match its client."""
    state: list[Any] = [preload, sys.version, sys.executable, sys.prefix]
    state += sorted(item for item in os.environ.items() if item[0].startswith(_VARIABLES))
    state += [sorted(os.sched_getaffinity(0)), os.getpriority(os.PRIO_PROCESS, 0)]
    state += [resource.getrlimit(kind) for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    with contextlib.suppress(OSError):
        state.append(Path("/proc/self/cgroup").read_text())
    for folder in sys.path:
        if folder.endswith(("site-packages", "dist-packages")):  # something is installed, or upgraded
            with contextlib.suppress(OSError):
                state.append([folder, os.stat(folder).st_mtime_ns])
    for file in sorted(file for source in _SOURCES for file in source.rglob("*.py")):
        about = file.stat()
        state.append([str(file), about.st_mtime_ns, about.st_size])
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()[:24]


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of the socket at `path`."""
    with open(path.with_suffix(".lock"), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _serve(path: Path, listener: socket.socket, preload: str) -> None:
    """Answer calls until idle, or until the adopter ends."""
    with contextlib.suppress(ImportError, ValueError):  # the job says so itself
        import_module(preload)
    gc.freeze()
    listener.setblocking(False)
    running: set[int] = set()
    active = time.monotonic()
    adopter = os.getppid()
    while os.getppid() == adopter:
        full = len(running) >= len(os.sched_getaffinity(0))
        if select.select([] if full else [listener], [], [], _TURN if full else 1.0)[0]:
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
        while _accept(listener, running):  # clients that connected just before
            pass


def _accept(listener: socket.socket, running: set[int]) -> bool:
    """Fork the supervisor of a client; False if no client waits."""
    try:
        connection, _ = listener.accept()
    except OSError:
        return False
    with connection:
        pid = os.fork()
        if pid == 0:
            try:
                listener.close()
                connection.setblocking(True)
                _answer(Connection(connection.detach()))
            finally:
                os._exit(0)
        running.add(pid)
    return True


def _answer(connection: Connection) -> None:
    """Supervise one call of a client."""
    if not connection.poll(30):
        return
    folder, path, environment = connection.recv()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:] = path
    end = _supervise(connection.recv(), connection)
    with contextlib.suppress(OSError):
        connection.send(end)


def _main() -> None:
    _, _, path, number, preload = sys.argv
    starter = os.getpid()
    if os.fork():  # the process that starts a server does not wait for its end
        return
    os.setsid()
    while os.getppid() == starter:
        time.sleep(0.001)
    listener = socket.socket(fileno=int(number))
    listener.set_inheritable(False)
    _serve(Path(path), listener, preload)
