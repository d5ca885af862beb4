"""Whose child a process becomes that is left by its parent: a server is, by the job that started it."""

from __future__ import annotations

import ctypes
import os
import sys

__all__ = ["ADOPTER", "adopt_orphans", "adopt_servers", "prctl"]

_SUBREAPER = 36  # of prctl(2)

#: Variable of the environment that says which process adopts servers.
ADOPTER = "ATTOP_ADOPTER"


def adopt_servers() -> None:
    """Have servers that jobs below this process start be its children.

    SLURM finds what belongs to a job by who is whose child. A server that is nobody's would not be in the
    accounts of the job, nor end with it.
    """
    adopt_orphans()
    os.environ[ADOPTER] = str(os.getpid())


def adopt_orphans() -> None:
    """Become the parent of all below this process that lose theirs."""
    prctl(_SUBREAPER, 1)


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process; see the manual page, of Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
