"""The record of a training run: what was chosen, how long it took, and where."""

from __future__ import annotations

import os
import platform
import resource
import sys
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from attop.files import read_json

__all__ = [
    "FailedRuns",
    "check_all_ok",
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


class FailedRuns(RuntimeError):
    """Training runs failed although the configuration says that none may."""

    for_the_user = True


def check_all_ok(records: Sequence[str | os.PathLike[str]]) -> None:
    """Check that every run has the status ``ok``.

    Raises
    ------
    FailedRuns
        With the status and the error of those that have not.
    """
    failed = []
    for path in records:
        record = read_json(path)
        if record["status"] != "ok":
            failed.append(f"{path}: {record['status']}: {record['error'].strip().splitlines()[0]}")
    if failed:
        raise FailedRuns(
            f"{len(failed)} of {len(records)} training jobs failed, and strict is set:\n"
            + "\n".join(failed[:20])
            + "\nMend the cause and run `attop retry`, then the same command again. Without strict the run "
            "goes on, and the report lists what failed."
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
