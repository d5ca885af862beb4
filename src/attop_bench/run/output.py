"""The folder of results: one run at a time writes to it, always from the same working directory."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import platform
from pathlib import Path
from typing import Any
from uuid import uuid4

from attop._core.files import write_json

_STATE = ".snakemake"


def refusal(output: str | os.PathLike[str]) -> str:
    """Say why this working directory must not add to a folder of results; empty if it may.

    Snakemake remembers in ``.snakemake`` what it made each result with, and takes files it does not know for
    results of this configuration. So each run leaves its number there and in ``.attop.json`` of the folder:
    where they differ, the last run was one of another working directory, or ``.snakemake`` is gone.
    """
    folder = Path(output)
    last = _read(folder / ".attop.json")
    if not last and not (folder / "train").is_dir():
        return ""
    if last.get("run") in _read(_known(output)).get("runs", []):
        return ""
    return (
        f"{output} holds results of {last.get('directory', 'an unknown working directory')} that {_STATE} in "
        f"{os.getcwd()} does not know: give another output (--config output=FOLDER), or delete {output}."
    )


def hold(output: str | os.PathLike[str]) -> str:
    """Lock a folder of results until this process ends, however it ends, and number the run.

    Returns who else writes there, and what to do; nothing if the folder is this run's now.
    """
    path = Path(output) / ".lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)  # the kernel closes it, which unlocks
        _lock(file)
        os.ftruncate(file, 0)
        os.write(file, f"process {os.getpid()} on {platform.node()}, in {os.getcwd()}".encode())
        if refused := refusal(output):
            return refused
        run = uuid4().hex
        # The number before too: a kill may come between the two files.
        write_json(_known(output), {"runs": [*_read(_known(output)).get("runs", [])[-1:], run]})
        write_json(path.with_name(".attop.json"), {"run": run, "directory": os.getcwd()})
    except BlockingIOError:
        return (
            f"Another run writes to {output}: {path.read_text(errors='replace') or 'an unknown process'}. "
            "Wait for it, stop it, or give another output (--config output=FOLDER)."
        )
    except OSError as error:
        return f"{output} cannot be written to: {error}"
    return ""


def _lock(file: int) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP):  # this file system has no locks
            raise


def _known(output: str | os.PathLike[str]) -> Path:
    """Return the file of the working directory with the numbers of the last runs of an output."""
    return Path(_STATE, "attop", f"{hashlib.sha256(os.fsencode(output)).hexdigest()[:16]}.json")


def _read(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
