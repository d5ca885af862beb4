"""Where the server for a process listens.

Two processes that would differ in what they have imported, or in how many threads it uses, have two servers.
So have two jobs of a batch system: a server belongs to their control group, and ends with it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import resource
import socket
import stat
import struct
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

__all__ = ["locked", "peer", "socket_path"]

_ROOT = Path(__file__).parents[1]

#: Variables that count when modules are imported, by their beginnings.
_VARIABLES = (
    *("OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "BLIS_", "NUMEXPR_", "NUMBA_", "NPY_", "SCIPY_"),
    *("SKLEARN_", "PYTHON", "LD_", "MALLOC_", "GLIBC_", "ATTOP_", "SLURM_JOB_ID", "SLURM_STEP_ID"),
)


def socket_path(preload: Sequence[str]) -> Path:
    """Return where the server for this process listens, in a folder of the user's own."""
    folder = Path(tempfile.gettempdir()) / f"attop-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) != 0o700:
        raise OSError(f"{folder} is not a private folder")
    path = folder / _key(preload)
    if len(str(path)) > 100:
        raise OSError(f"{path} is too long for a socket")
    return path


def _key(preload: Sequence[str]) -> str:
    """Return a digest of all that a warm process shares with the process it works for."""
    state: list[Any] = [list(preload), sys.version, sys.executable, sys.prefix]
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


def peer(connection: socket.socket) -> int:
    """Return the user at the other end."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return struct.unpack("3i", credentials)[1]


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of the socket at `path`."""
    with open(path.with_suffix(".lock"), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
