"""Who is at work: claims on a working directory and on a folder of results.

A run makes a claim: a file that names host and process. A claim is stale if its process is one of this host
that is gone; a claim from another host may not be.

- `claim` is about Snakemake's lock of a working directory. A run that is killed leaves it, and Snakemake does
  not say whose it is. It is removed if all that ever made a claim are gone. Without this a user would have to
  run ``snakemake --unlock`` after every kill or power cut before the same command goes on, and to know that
  nobody else is at work: Snakemake's own command does not ask.
- `hold` is about the results. Snakemake's lock lies in the working directory, so runs of two working
  directories with the same ``output`` would not know of each other.
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

from attop.core.files import write_text

__all__ = ["claim", "hold"]


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
    locks = Path(state) / "locks"
    try:
        mine = _make_claim(Path(state).resolve() / "claims")
        claims = mine.parent
        others = _others(mine)
        if not any(locks.glob("*.lock")):
            _forget([path for path in others if _is_gone(path)])
            return ""
        if not others:
            return f"{locks} was left by another version; if no other run is at work here: snakemake --unlock"
        if all(_is_gone(path) for path in others):
            shutil.rmtree(locks)
            _forget(others)
            return "The last run here was killed; its lock is removed, and what it had finished is kept."
        elsewhere = [_host(path) for path in others if not _is_here(_read(path))]
    except OSError:
        return ""  # a full disk, or one that cannot be written to: Snakemake says so itself
    if not elsewhere:
        return ""
    return (
        f"A run on {', '.join(elsewhere)} holds the lock of this directory or was killed there. If it is no "
        f"longer at work: delete {claims} and run snakemake --unlock."
    )


def hold(output: str | os.PathLike[str]) -> str:
    """Claim a folder of results until this process ends.

    Of two runs that start at the same moment each may see the other; then neither gets the folder.

    Parameters
    ----------
    output : path

    Returns
    -------
    message : str
        Who else writes there, and what to do; empty if nobody does, and the folder is claimed.
    """
    try:
        mine = _make_claim(Path(output).resolve() / ".claims")
        others = _others(mine)
        _forget([path for path in others if _is_gone(path)])
    except OSError:
        return ""  # as above
    others = [path for path in others if path.exists()]
    if not others:
        return ""
    _withdraw(mine, os.getpid())
    said = _read(others[0])
    if _is_here(said):
        remedy = f"wait for it, or stop it (process {said['pid']})"
    else:
        remedy = f"wait for it; if it is no longer at work, delete {others[0]}"
    return (
        f"Another run writes to {output}: that of {said.get('folder', 'an unknown folder')} on "
        f"{_host(others[0])}. Give another output (--config output=FOLDER), {remedy}."
    )


def _make_claim(claims: Path) -> Path:
    """Write the claim of this process, which is withdrawn when it ends."""
    mine = claims / f"{platform.node()}.{os.getpid()}.json"
    write_text(mine, json.dumps(_identity(os.getpid())))
    atexit.register(_withdraw, mine, os.getpid())
    return mine


def _others(mine: Path) -> list[Path]:
    return [path for path in mine.parent.glob("*.json") if path != mine]


def _host(claim: Path) -> str:
    return claim.stem.rpartition(".")[0]


def _identity(pid: int) -> dict[str, Any]:
    """Say which process of which machine, boot and process namespace; a process number may come again."""
    return {"pid": pid, "started": _started(pid), "where": _where(), "folder": os.getcwd()}


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
            mine.parent.rmdir()  # unless it holds others
