"""Snakemake's lock of a working directory, after a run that was killed.

A run that is killed leaves its lock, and Snakemake does not say whose it is. So every run makes a claim
before it takes the lock: a file that names host and process. A lock is stale if all that ever made a claim
and did not withdraw it are processes of this host that are gone; it is removed then. A claim from another
host, or none, leaves it alone.

Without this a user would have to run ``snakemake --unlock`` after every kill or power cut before the same
command goes on, and to know that nobody else is at work: Snakemake's own command does not ask.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import platform
import shutil
from pathlib import Path
from typing import Any

from attop.files import write_text

__all__ = ["claim"]


def claim(state: str | os.PathLike[str] = ".snakemake") -> str:
    """Claim a working directory and remove its lock if it is stale.

    Parameters
    ----------
    state : path
        Snakemake's folder in the working directory.

    Returns
    -------
    message : str
        What a user should know: empty if there was no lock, or if its owner is at work.
    """
    claims, locks = Path(state).resolve() / "claims", Path(state) / "locks"
    mine = claims / f"{platform.node()}.{os.getpid()}.json"
    try:
        claims.mkdir(parents=True, exist_ok=True)
        write_text(mine, json.dumps(_identity(os.getpid())))
        atexit.register(_withdraw, mine, os.getpid())
        others = [path for path in claims.glob("*.json") if path != mine]
        if not any(locks.glob("*.lock")):
            _forget([path for path in others if _is_gone(path)])
            return ""
        if not others:
            return f"{locks} was left by another version; if no other run is at work here: snakemake --unlock"
        if all(_is_gone(path) for path in others):
            shutil.rmtree(locks)
            _forget(others)
            return "The last run here was killed; its lock is removed, and what it had finished is kept."
        elsewhere = [path.stem.rpartition(".")[0] for path in others if not _is_here(_read(path))]
    except OSError:
        return ""  # a full disk, or one that cannot be written to: Snakemake says so itself
    if not elsewhere:
        return ""
    return (
        f"A run on {', '.join(elsewhere)} holds the lock of this directory or was killed there. If it is no "
        f"longer at work: delete {claims} and run snakemake --unlock."
    )


def _identity(pid: int) -> dict[str, Any]:
    """Say which process of which machine, boot and process namespace; a process number may come again."""
    return {"pid": pid, "started": _started(pid), "where": _where()}


def _where() -> list[str]:
    where = [platform.node()]
    with contextlib.suppress(OSError):
        where.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        where.append(os.readlink("/proc/self/ns/pid"))
    return where


def _started(pid: int) -> str:
    """Return when a process started, in ticks; empty if that is not known."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _read(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {}


def _is_here(identity: dict[str, Any]) -> bool:
    """Whether a process is of this machine; also if it was, before the machine was started again."""
    where, here = identity.get("where", []), _where()
    restarted = where[:1] == here[:1] and len(where) == len(here) == 3 and where[1] != here[1]
    return where == here or restarted


def _is_gone(path: Path) -> bool:
    identity = _read(path)
    if not _is_here(identity):
        return False
    if identity["where"] != _where():
        return True  # the machine was started again
    try:
        os.kill(identity["pid"], 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return _started(identity["pid"]) != identity["started"]


def _forget(paths: list[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _withdraw(mine: Path, pid: int) -> None:
    if os.getpid() == pid:
        with contextlib.suppress(OSError):
            mine.unlink(missing_ok=True)
