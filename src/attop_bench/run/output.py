"""The folder of results: one run at a time writes to it."""

from __future__ import annotations

import fcntl
import os
import platform
from pathlib import Path

from attop._core.files import StrPath
from attop_bench.run.up_to_date import number_run, refusal


def hold(output: StrPath, attempts: int | None = None, since: float | None = None) -> str:
    """Lock a folder of results until this process ends, however it ends, and number the run.

    Jobs look up there how many `attempts` the run gives each; None if it is not known. `since` is the time at
    which the folder was taken over; without it one that is not known is refused. Returns who else writes
    there, and what to do; nothing if the folder is this run's now.
    """
    path = Path(output) / ".lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)  # the kernel closes it, which unlocks
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            other = path.read_text(errors="replace") or "an unknown process"
            return (
                f"Another run writes to {output}: {other}. "
                "Wait for it, stop it, or give another output (--config output=FOLDER)."
            )
        except OSError:  # this file system has no locks
            pass
        os.ftruncate(file, 0)
        os.write(file, f"process {os.getpid()} on {platform.node()}, in {os.getcwd()}".encode())
        if since is None and (refused := refusal(output)):
            return refused
        number_run(output, attempts, since)
    except OSError as error:
        return f"{output} cannot be written to: {error}"
    return ""
