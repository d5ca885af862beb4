"""The record of a training run: what was chosen, how long it took, and where; JSON on disk."""

from __future__ import annotations

import os
import platform
import re
import resource
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self, TypedDict

from attop.core.files import read_json, write_json
from attop_bench.jobs.limits import FAILED, OK, STATUSES

__all__ = [
    "FailedRuns",
    "Record",
    "RecordError",
    "TopRecord",
    "check_all_ok",
    "digest_of",
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


class RecordError(ValueError):
    """A record that cannot be read; the message says which, and what to do."""

    for_the_user = True


class FailedRuns(RuntimeError):
    """Training runs failed although the configuration says that none may."""

    for_the_user = True


class TopRecord(TypedDict, total=False):
    """What a run says of one top.

    After a nested selection ``chosen``, ``at_edge``, ``validation`` (its mean over the inner splits),
    ``model`` (what the model says of its training), ``constant`` (whether its scores are all alike) and
    ``inner``: for each ``setting`` its ``values``, one for each inner split. After an optimistic one
    ``settings``: ``setting``, ``at_edge``, ``model`` and ``constant`` of each.
    """

    top: str
    chosen: dict[str, Any]
    at_edge: list[str]
    validation: float | None
    model: dict[str, Any]
    constant: bool
    inner: list[dict[str, Any]]
    settings: list[dict[str, Any]]


@dataclass
class Record:
    """How the scores of a training run came about.

    Attributes
    ----------
    digest : str
        Of data and specification; see `attop_bench.run.plan.Plan.digest`.
    status : str
        One of `attop_bench.jobs.limits.STATUSES`.
    error, traceback : str
        Empty if all went well.
    repeat, fold, seed : int
    scoring, selection : str
    tops : list of TopRecord
        Empty if the run failed.
    n_train, n_test : int or None
        Items; None if the run did not come to have any.
    n_settings : int
    seconds : dict
        Of ``selection``, ``training`` (None if it is part of the selection) and ``scoring``.
    started, ended : float or None
        When the job was begun and its record written, in seconds since 1970 (UTC).
    peak_memory_mb : float or None
    environment : dict
        See `environment`.
    """

    digest: str = ""  # first, for `digest_of`
    status: str = OK
    error: str = ""
    repeat: int = 0
    fold: int = 0
    seed: int = 0
    scoring: str = ""
    selection: str = "nested"
    tops: list[TopRecord] = field(default_factory=list)
    n_train: int | None = None
    n_test: int | None = None
    n_settings: int = 0
    seconds: dict[str, float | None] = field(default_factory=dict)
    started: float | None = None
    ended: float | None = None
    peak_memory_mb: float | None = None
    environment: dict[str, Any] = field(default_factory=dict)
    traceback: str = ""

    @property
    def ok(self) -> bool:
        """Whether there are scores."""
        return self.status == OK

    @property
    def failed(self) -> bool:
        """Whether a retry may succeed."""
        return self.status in FAILED

    @property
    def total_seconds(self) -> float | None:
        """What the run took; None if the record does not say."""
        return sum(filter(None, self.seconds.values())) if self.seconds else None

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, whole or not at all; NaN is written as null."""
        write_json(path, vars(self))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `write` wrote, by this version or an older one.

        Raises
        ------
        RecordError
            If it is damaged, or from a version with other statuses.
        """
        known = {f.name for f in fields(cls)}
        remedy = "delete it, and its run is repeated"
        try:
            said = read_json(path)
            record = cls(**{name: value for name, value in said.items() if name in known})
        except (OSError, ValueError, AttributeError, RecursionError) as error:
            raise RecordError(f"{path} is no record of a run ({error}): {remedy}") from None
        if record.status not in STATUSES:
            raise RecordError(
                f"{path} has the status {record.status!r}, none of {', '.join(STATUSES)}: {remedy}"
            )
        return record


def digest_of(path: str | os.PathLike[str]) -> str:
    """Return the digest in the record at `path` without parsing it; empty if there is none.

    Every start of Snakemake asks this of every record.
    """
    try:
        with open(path, encoding="utf-8") as file:
            start = re.match(r'\{\s*"digest": "(\w+)"', file.read(64))
    except (OSError, ValueError):
        return ""
    return start[1] if start else ""


def check_all_ok(paths: Sequence[str | os.PathLike[str]]) -> None:
    """Check that every run has the status ``ok``.

    Raises
    ------
    FailedRuns
        With the status and the error of those that have not.
    """
    records = [(path, Record.read(path)) for path in paths]
    failed = [f"{path}: {r.status}: {r.error.strip().split(chr(10))[0]}" for path, r in records if not r.ok]
    if failed:
        raise FailedRuns(
            f"{len(failed)} of {len(paths)} training jobs failed, and strict is set:\n"
            + "\n".join(failed[:20])
            + "\nFix the cause and run `attop retry`, then the same command again. Without strict the run "
            "goes on, and the report lists what failed."
        )


def environment() -> dict[str, Any]:
    """Return where this process runs: versions, host, processor, threads."""
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
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


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
