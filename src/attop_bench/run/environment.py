"""Where a run takes place, and how much memory it took."""

from __future__ import annotations

import os
import platform
import resource
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = [
    "environment",
    "peak_memory_mb",
]

_PACKAGES = (
    "attop",
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "cvxpy",
    "scs",
    "umap-learn",
    "pandas",
    "snakemake",
)


def environment() -> dict[str, Any]:
    """Say where a run took place: versions, host, processor, threads."""
    return {
        "python": platform.python_version(),
        "versions": _versions(),
        "host": platform.node(),
        "platform": platform.platform(),
        "cpu": _cpu(),
        "threads": int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)),
    }


@cache
def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def peak_memory_mb() -> float:
    """Return the largest resident memory of this process so far, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)
