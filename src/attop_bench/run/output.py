"""The folder of results: one run at a time writes to it."""

from __future__ import annotations

import fcntl
import os
import platform
from pathlib import Path

__all__ = ["hold"]


def hold(output: str | os.PathLike[str]) -> str:
    """Lock a folder of results until this process ends, however it ends.

    Parameters
    ----------
    output : path

    Returns
    -------
    refusal : str
        Who else writes there, and what to do; empty if the folder is locked now.
    """
    try:
        path = Path(output) / ".lock"
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)  # the kernel closes it, which unlocks
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(file, 0)
        os.write(file, f"process {os.getpid()} on {platform.node()}, in {os.getcwd()}".encode())
    except BlockingIOError:
        return (
            f"Another run writes to {output}: {path.read_text(errors='replace') or 'an unknown process'}. "
            "Wait for it, stop it, or give another output (--config output=FOLDER)."
        )
    except OSError:
        pass  # no locks, or a full disk: Snakemake finds out itself what cannot be written
    return ""
