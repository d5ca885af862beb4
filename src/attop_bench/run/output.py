"""The folder of results: one run at a time writes to it."""

from __future__ import annotations

import fcntl
import os
import platform
import warnings
from collections.abc import Callable
from pathlib import Path

from attop_bench.files import StrPath
from attop_bench.run.queue import Asked, in_words, submitted_here
from attop_bench.run.up_to_date import known_outputs, number_run, refusal

#: Is given a sentence for the user.
Tell = Callable[[str], object]


def lock_output(
    output: StrPath,
    attempts: int | None = None,
    since: float | None = None,
    tell: Tell = warnings.warn,
) -> str:
    """Lock a folder of results until this process ends, however it ends, and number the run.

    Jobs look up there how many `attempts` the run gives each; None if it is not known. `since` is the time at
    which the folder was taken over; without it one that is not known is refused. `tell` is given what the
    user should know nevertheless. Returns who else writes there, jobs in the queue of a cluster among them,
    and what to do; nothing if the folder is this run's now.
    """
    path = Path(output) / ".lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # The kernel closes it, which unlocks.
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        refused = _locked(file, output, tell) or _taken(output, since, tell)
        if refused:
            os.close(file)
            return refused
        os.ftruncate(file, 0)
        os.write(
            file,
            f"process {os.getpid()} on {platform.node()}, in {os.getcwd()}".encode(),
        )
        number_run(output, attempts, since)
    except OSError as error:
        return f"{output} cannot be written to: {error}"
    return ""


def _locked(file: int, output: StrPath, tell: Tell) -> str:
    """Lock a file of a folder of results; say which run has locked it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        other = (
            os.pread(file, 4096, 0).decode(errors="replace") or "an unknown process"
        )
        return (
            f"Another run writes to {output}: {other}. "
            "Wait for it, stop it, or give another output (--config output=FOLDER)."
        )
    except OSError as error:
        tell(
            f"The file system of {output} has no locks ({error.strerror}): whether another run writes "
            "there is not checked. Start one at a time."
        )
    return ""


def _taken(output: StrPath, since: float | None, tell: Tell) -> str:
    """Say why a folder that no run holds is not free nevertheless: it is another's, or jobs write there."""
    unknown = refusal(output) if since is None else ""
    return unknown or _left_in_queue(output, tell)


def _left_in_queue(output: StrPath, tell: Tell) -> str:
    """Say which jobs of an earlier run are in the queue; only tell it, if they may be of one that lives."""
    try:
        jobs = submitted_here()
    except Asked as error:
        tell(
            f"It is not known whether jobs of an earlier run are still in the queue: {error}"
        )
        return ""
    if not jobs:
        return ""
    words = in_words(jobs)
    if living := [
        other
        for other in known_outputs()
        if _is_held(Path(other)) and other != os.fspath(output)
    ]:
        tell(
            f"{words} They may be those of the run that writes to {', '.join(living)}."
        )
        return ""
    return words


def _is_held(output: Path) -> bool:
    """Tell whether a run that lives writes to a folder of results."""
    try:
        with open(output / ".lock", "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
