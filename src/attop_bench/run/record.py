"""The record of a training run: scores, chosen candidates, times and environment."""

from __future__ import annotations

import json
import os
import platform
import re
import resource
import sys
import time
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from attop.extending import count_noun, join_first
from attop_bench.archives import SUFFIX, members, opened
from attop_bench.files import JsonObject, StrPath, parse_json, write_json
from attop_bench.jobs.limits import FAILED, OK, STATUSES
from attop_bench.run.blocks import files_of, set_aside

if TYPE_CHECKING:
    from attop.extending import Floats, Ints

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
)
#: Fields of a record that scores.npz holds, not the JSON.
_ARRAYS = {"test", "scores"}


class RecordError(ValueError):
    """An unreadable record, or a failed run in strict mode; `spoilt` are the records that were damaged."""

    for_the_user = True

    def __init__(self, what: str, spoilt: Sequence[StrPath] = ()) -> None:
        super().__init__(
            f"{what}: delete it, and its run is repeated" if spoilt else what
        )
        self.what = what
        self.spoilt = [Path(path) for path in spoilt]


@dataclass
class Record:
    """The scores of a training run and their origin."""

    #: Of data and specification; see `attop_bench.run.up_to_date.digest`.
    digest: str = ""  # first, for `digest_of`
    #: Of parameters, code and inputs; see `attop_bench.run.made`, which reads it as the second entry.
    made: str = ""
    #: One of `attop_bench.jobs.limits.STATUSES`.
    status: str = OK
    #: Empty if all went well, as `traceback` is.
    error: str = ""
    repeat: int = 0
    fold: int = 0
    seed: int = 0
    scoring: str = ""
    selection: str = "nested"
    #: A mapping for each ``top``; empty if the run failed. After a nested selection it has ``chosen``,
    #: ``at_edge``, ``validation`` (the mean over the inner splits), ``model`` (see `fitting.describe`),
    #: ``constant`` (all scores are equal) and ``inner``: for each ``candidate`` its ``values``, one for each
    #: inner split. Of an ensemble ``chosen`` is the candidate it begins with, ``averaged`` how many it has,
    #: and ``times`` how often each. After an optimistic one ``candidates``: ``candidate``, ``at_edge``,
    #: ``model`` and ``constant`` of each.
    tops: list[JsonObject] = field(default_factory=list)
    #: n_train, n_test: Items; None if it ended before the data were loaded.
    n_train: int | None = None
    n_test: int | None = None
    n_candidates: int = 0
    #: What splits rows within a fit and tears entities or groups, in words.
    torn: list[str] = field(default_factory=list)
    #: Wall time of ``selection``, ``training`` (None if it is part of the selection) and ``scoring``.
    seconds: dict[str, float | None] = field(default_factory=dict)
    #: Processor time, of the job's process and its children.
    cpu_seconds: float | None = None
    #: started, ended: Begin of the job and time of this record, in seconds since 1970 (UTC).
    started: float | None = None
    ended: float | None = None
    peak_memory_mb: float | None = None
    #: See `environment`.
    environment: JsonObject = field(default_factory=dict)
    traceback: str = ""
    #: Shape (n,). Rows of the test part.
    test: Ints = field(default_factory=lambda: _empty(0))
    #: Shape (tops, n), or (tops, candidates, n) for an optimistic selection; empty if the run failed.
    scores: Floats = field(default_factory=lambda: _empty(0, 0))

    @property
    def ok(self) -> bool:
        """True if there are scores."""
        return self.status == OK

    @property
    def failed(self) -> bool:
        """True if a retry may succeed."""
        return self.status in FAILED

    @property
    def reason(self) -> str:
        """First line of the error; the others, of some packages many, are details."""
        return self.error.strip().partition("\n")[0]

    @property
    def total_seconds(self) -> float | None:
        """Wall time of all parts; None if the record has no times."""
        return sum(filter(None, self.seconds.values())) if self.seconds else None

    def fail(self, status: str, error: str, traceback: str = "") -> Self:
        """Set the reason why there are no scores; return the record."""
        self.status = status
        self.error = error
        self.traceback = traceback
        self.environment = environment()
        return self

    def write(
        self,
        scores: StrPath,
        record: StrPath,
        digest: str = "",
        started: float | None = None,
        made: str = "",
    ) -> None:
        """Write the scores, then all else as JSON, each whole or not at all."""
        from attop_bench.data.base import save_arrays

        self.digest = digest
        self.started = started
        self.ended = time.time()
        self.made = made
        save_arrays(scores, {"test": self.test, "scores": self.scores})
        write_json(
            record,
            {
                f.name: getattr(self, f.name)
                for f in fields(self)
                if f.name not in _ARRAYS
            },
        )

    @classmethod
    def read(cls, path: StrPath) -> Self:
        """Read a record of this version or an older one; raise `RecordError` for another file."""
        names = {f.name for f in fields(cls)} - _ARRAYS
        try:
            with opened(path) as file:
                content = parse_json(file.read())
            record = cls(
                **{name: value for name, value in content.items() if name in names}
            )
        except (OSError, ValueError, AttributeError, RecursionError) as error:
            raise RecordError(
                f"{path} is not a record of a run ({error})", [path]
            ) from None
        if record.status not in STATUSES:
            raise RecordError(
                f"{path} has the unknown status {record.status!r}", [path]
            )
        return record


def places_of(trained: Iterable[StrPath]) -> tuple[list[Path], list[Path]]:
    """Split the outputs of training jobs into files of scores and records; see `blocks.files_of`.

    Raises
    ------
    RecordError
        If an archive is damaged.
    """
    paths = list(map(Path, trained))
    damaged = [
        path for path in paths if path.suffix == SUFFIX and not members(path)
    ]
    if damaged:
        raise RecordError(
            f"{join_first(list(map(str, damaged)))} cannot be read", damaged
        )
    return files_of(paths)


def _empty(*shape: int) -> Any:
    # Not above: the process that starts a training job does without.
    import numpy as np

    return np.empty(shape, float if len(shape) > 1 else np.int64)


def name_of_data(path: StrPath) -> str:
    """Read the name of a prepared data set, which need not be available."""
    import numpy as np

    with np.load(path, allow_pickle=False) as file:
        return str(json.loads(str(file["meta"]))["name"])


def digest_of(path: StrPath) -> str:
    """Read the digest in the record at `path` without parsing it: every start asks every record."""
    try:
        with opened(path) as file:
            start = re.match(
                r'\{\s*"digest": "(\w+)"', file.read(64).decode("utf-8", "replace")
            )
    except OSError:
        return ""
    return start[1] if start else ""


@contextmanager
def repeating_spoilt() -> Iterator[None]:
    """Set aside each record that is found to be damaged, so that the same command trains its run again."""
    try:
        yield
    except RecordError as error:
        if not error.spoilt:
            raise
        for record in error.spoilt:
            set_aside(record)
        aside = f"{count_noun(len(error.spoilt), 'record')} set aside as spoilt"
        remedy = "the same command trains again what is missing."
        raise RecordError(f"{error.what}\n{aside}: {remedy}") from None


def is_whole(scores: StrPath, record: StrPath, digest: str) -> bool:
    """Tell whether a job left scores and a record of its own."""
    try:
        return Record.read(record).digest == digest and zipfile.is_zipfile(scores)
    except (RecordError, OSError):
        return False


def check_all_ok(paths: Sequence[StrPath]) -> None:
    """Raise `RecordError`, with status and error, unless every run has the status ``ok``."""
    records = [(path, Record.read(path)) for path in paths]
    failed = [f"{path}: {r.status}: {r.reason}" for path, r in records if not r.ok]
    if failed:
        raise RecordError(
            f"{len(failed)} of {len(paths)} training jobs failed, and strict is set:\n"
            + "\n".join(failed[:20])
            + "\nFix the cause and run `attop retry`, then the same command again. Without strict the run "
            "goes on, and the report lists what failed."
        )


def environment() -> JsonObject:
    """Describe versions, host, processor and threads of this process."""
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
    # As slow as half of this module's imports.
    from importlib.metadata import PackageNotFoundError, version

    versions = {}
    for package in (*_PACKAGES, "snakemake"):
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


def _cpu() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def peak_memory_mb() -> float:
    """Measure the largest resident memory of this process so far, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)
