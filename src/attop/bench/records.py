"""The record of a training run: what was chosen, how long it took, and where."""

from __future__ import annotations

import json
import os
import platform
import resource
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = [
    "FailedRuns",
    "check_all_ok",
    "environment",
    "peak_memory_mb",
    "read_json",
    "write_json",
    "write_text",
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


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file, whole or not at all."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_json(path: str | os.PathLike[str], content: Mapping[str, Any]) -> None:
    """Write JSON, whole or not at all; NaN is written as null."""
    write_text(path, json.dumps(_plain(content), indent=1, allow_nan=False) + "\n")


def read_json(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what `write_json` wrote."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def _plain(value: Any) -> Any:
    """Turn NumPy scalars into Python's and numbers JSON cannot hold into null."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and value - value != 0:
        return None
    return value
