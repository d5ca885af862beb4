"""Handing a script to a warm server, by a process that imports next to nothing.

Snakemake starts a Python for each script, which imports for half a second what a server has imported once.
This program stands in for it (`attop_bench.run.snakemake.hand_to_servers`): a server forks a process that
runs the script with this one's folder, environment, input and output. Without an answer this process becomes
the interpreter that it stands in for.

Whoever imports more here pays for it in every job: ``_socket`` takes a twentieth of the time of ``socket``.
"""

from __future__ import annotations

import _signal
import _socket
import hashlib
import marshal
import os
import sys

#: Where the code that a server has imported lies.
HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

#: Variable of the environment that names the process which adopts servers.
ADOPTER = "ATTOP_ADOPTER"

#: A server. In an environment without attop it is found where it is here, behind what is installed there.
_PROGRAM = "import sys; sys.path.append(sys.argv[1]); from attop_bench.jobs.server import serve; serve()"

#: Runs the script of the command line as the interpreter would, but that Ctrl-C ends it without a traceback,
#: also while it imports; `attop_bench.jobs.log.job_log` sends one to the log.
COLD = """
import _signal, os, runpy, sys
if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
del sys.argv[0]
sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
"""

#: What the kernel says of this process that it inherited, and a server would hand on to another one's jobs.
_INHERITED = (
    "cgroup",
    "limits",
    "oom_score_adj",
    "coredump_filter",
    "timerslack_ns",
)
#: Lines of /proc/self/status that are of this kind.
_STATUS = (
    "Umask",
    "Uid",
    "Gid",
    "Groups",
    "SigBlk",
    "SigIgn",
    "Cap",
    "NoNewPrivs",
    "Seccomp",
    "Mems_allowed:",
)


def main(preload: str = "", installed: tuple[str, ...] = ()) -> None:
    """Run the script of the command line, on a server if there is one, and exit as it does.

    A new server imports the module `preload`; folders of `installed` packages change when one is upgraded.
    Ctrl-C ends this process without a traceback.
    """
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    status = _ask(sys.argv[1:], preload, installed)
    if status is None:
        os.execv(sys.executable, [sys.executable, "-c", COLD, *sys.argv[1:]])
    os._exit(status)


def _ask(
    command: list[str], preload: str, installed: tuple[str, ...]
) -> int | None:
    """Have a server run a script, and wait for its exit status; None without a server or its answer."""
    at_large = "SLURM_JOB_ID" in os.environ and ADOPTER not in os.environ
    if sys.platform != "linux" or os.environ.get("ATTOP_WARM") == "0" or at_large:
        return None
    try:
        connection = _connection(_path(preload, installed), preload)
        call = marshal.dumps((os.getpid(), os.getcwd(), dict(os.environ), command))
        streams = b"".join(
            stream.to_bytes(4, sys.byteorder) for stream in (0, 1, 2)
        )
        size = len(call).to_bytes(8, "big")
        connection.sendmsg(
            [size], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)]
        )
        while call:
            call = call[connection.send(call) :]
        answer = connection.recv(1)
    except OSError:
        return None
    return answer[0] if answer else None


def _connection(path: str, preload: str) -> _socket.socket:
    """Connect to the server at `path`, starting it first if need be."""
    try:
        return _connect(path)
    except OSError:
        import fcntl

        with open(f"{path}.lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # one of several jobs starts it
            try:
                return _connect(path)
            except OSError:
                _start(path, preload)
                return _connect(path)


def _connect(path: str) -> _socket.socket:
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(path)
    return connection


def _start(path: str, preload: str) -> None:
    """Listen at `path` and hand the socket to a new server: who connects now waits until it is ready."""
    import subprocess

    if os.path.exists(path):
        os.unlink(path)
    listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(512)
    number = listener.fileno()
    # -P: a file of the working directory must not stand in for a module.
    command = [
        sys.executable,
        "-P",
        "-c",
        _PROGRAM,
        HOME,
        path,
        str(number),
        preload,
    ]
    nothing = subprocess.DEVNULL
    subprocess.run(
        command,
        cwd="/",
        stdin=nothing,
        stdout=nothing,
        stderr=nothing,
        pass_fds=[number],
    )
    listener.close()


def why_cold(preload: str, installed: tuple[str, ...]) -> str:
    """Explain why jobs of this process find no server, if someone can change it; empty if they find one."""
    if sys.platform != "linux" or os.environ.get("ATTOP_WARM") == "0":
        return ""
    try:
        _path(preload, installed)
    except OSError as error:
        return str(error)
    return ""


def _path(preload: str, installed: tuple[str, ...]) -> str:
    """Name the socket of a server that suits this process, in a folder that nobody else can enter."""
    folder = f"{os.environ.get('TMPDIR') or '/tmp'}/attop-{os.getuid()}"
    os.makedirs(folder, 0o700, exist_ok=True)
    status = os.lstat(folder)
    # Not the bits that a folder takes from the one above, such as that of the group.
    if status.st_uid != os.getuid() or status.st_mode & 0o170777 != 0o40700:
        raise OSError(
            f"{folder} is not a folder that its owner alone can enter: chmod 700"
        )
    state = [preload, sys.version, sys.executable, *_inherited()]
    state += [
        (place, os.stat(place).st_mtime_ns)
        for place in installed
        if os.path.isdir(place)
    ]
    for package in ("attop", "attop_bench"):
        for place, _, files in os.walk(f"{HOME}/{package}"):
            code = [
                f"{place}/{name}" for name in sorted(files) if name.endswith(".py")
            ]
            state += [
                (name, status.st_mtime_ns, status.st_size)
                for name in code
                for status in [os.stat(name)]
            ]
    path = f"{folder}/{hashlib.sha256(repr(state).encode()).hexdigest()[:24]}"
    if len(path) > 100:
        raise OSError(
            f"{path} is too long for a socket: set TMPDIR to a folder with a shorter name"
        )
    return path


def _inherited() -> list[object]:
    """Collect all that a process inherits from the one that starts it, and that may differ between two."""
    state: list[object] = [
        sorted(os.environ.items()),
        sorted(os.sched_getaffinity(0)),
    ]
    state += [
        os.getpriority(os.PRIO_PROCESS, 0),
        os.sched_getscheduler(0),
        os.readlink("/proc/self/root"),
    ]
    state += sorted(
        os.readlink(f"/proc/self/ns/{kind}") for kind in os.listdir("/proc/self/ns")
    )
    for name in _INHERITED:
        if os.path.exists(f"/proc/self/{name}"):
            with open(f"/proc/self/{name}") as file:
                state.append(file.read())
    with open("/proc/self/status") as file:
        state += [line for line in file if line.startswith(_STATUS)]
    return state
