"""Why a job did not do what it was for, in one line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from attop_bench.run.record import Record, RecordError
from snakemake_logger_plugin_attop.progress import Job

__all__ = ["reason_of"]


def reason_of(job: Job, *, ended: bool = True) -> str:
    """Return the reason of a failure; empty if there is none.

    A training job that ``ended`` has a record, which may say that its method failed; a download has a
    receipt, which may say that the files could not be had. The reason of a job that broke off is the last
    line of its log.
    """
    if not ended:
        return next(_last_lines(job), "")
    for path in map(Path, job.output):
        if path.name == "record.json":
            try:
                record = Record.read(path)
            except RecordError as error:
                return str(error)
            return f"{record.status}: {record.error}" if record.failed else ""
        if path.name == "fetch.json" and path.exists():
            missing = json.loads(path.read_text(encoding="utf-8")).get("unavailable")
            return f"unavailable: {' '.join(missing)}" if missing else ""
    return ""


def _last_lines(job: Job) -> Iterator[str]:
    for log in map(Path, job.log):
        if log.exists():
            lines = [s for s in log.read_text(encoding="utf-8", errors="replace").splitlines() if s.strip()]
            if lines:
                yield f"{lines[-1].strip()} (all of it: {log})"
