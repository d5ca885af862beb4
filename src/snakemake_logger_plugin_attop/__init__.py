"""The display of a run on the terminal: ``snakemake --logger attop``, which ``profiles/default`` chooses.

One bar for each data set, the methods that run, failures as they come with their reason, the time left; and
at the end the path of the report and its headline. Where there is no terminal (a file, a scheduler, CI) the
same in plain lines. A dry run, ``--verbose`` and ``--quiet all`` look as they do without this plugin, and
Snakemake's own log under ``.snakemake/log`` holds every event either way.
"""

from __future__ import annotations

import json
import shutil
from logging import ERROR, INFO, WARNING, Handler, LogRecord
from pathlib import Path
from typing import Any

from rich.console import Console
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from attop_bench.run.record import Record, RecordError
from attop_bench.run.snakemake import plain_handler
from snakemake_logger_plugin_attop.display import Display
from snakemake_logger_plugin_attop.progress import Job, Progress

__all__ = ["LogHandler"]

# Of Snakemake's own sentences those that a user waits for; the others describe its inner life.
_SHOWN = (
    "Nothing to be done",
    "SLURM run ID",
    "Unlocking",
    "Removing",
    "Terminating processes",
    "Cancelling",
)

#: Bytes below which a disk is full: a job that fails then cannot say why in its log.
_FULL = 1 << 16


class LogHandler(LogHandlerBase):
    """Shows the events of a run as progress on its data sets, in place of Snakemake's text."""

    writes_to_stream = has_filter = has_formatter = True
    writes_to_file = needs_rulegraph = False

    def __post_init__(self) -> None:
        """Choose between Snakemake's own text and the display."""
        settings = self.common_settings
        self._plain: Handler | None = None
        self._display: Display | None = None
        self._progress = Progress()
        quiet = map(str, settings.quiet or ())
        if settings.dryrun or settings.verbose or settings.debug_dag or "all" in quiet:
            self._plain = plain_handler(settings)
        else:
            console = Console(stderr=not settings.stdout, no_color=settings.nocolor or None, highlight=False)
            self._display = Display(console, self._progress)

    def emit(self, record: LogRecord) -> None:
        """Take one event."""
        try:
            if self._display is not None:
                self._take(self._display, record)
            elif self._plain is not None:
                self._plain.handle(record)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """End the display: the failures once more, then where the report is."""
        if self._display is not None:
            self._display.end()
        super().close()

    def _take(self, display: Display, record: LogRecord) -> None:
        event: Any = getattr(record, "event", None)
        facts: dict[str, Any] = vars(record)
        if event == "attop_todo":
            self._progress.plan(facts["jobs"], cores=facts["cores"])
            display.begin(**{name: facts[name] for name in ("report", "manifest", "configfiles")})
        elif event == LogEvent.JOB_INFO:
            self._progress.describe(facts["jobid"], _job(facts, dict(facts["wildcards"])))
        elif event == LogEvent.JOB_STARTED:
            self._progress.start(facts["jobs"] if isinstance(facts["jobs"], list) else [facts["jobs"]])
            display.update()
        elif event == LogEvent.JOB_FINISHED:
            job = self._progress.finish(facts["job_id"])
            if job is not None and (why := reason_of(job)):
                display.failure(job, why, kept=True)
            display.update()
        elif event == LogEvent.JOB_ERROR:
            known = self._progress.fail(facts["jobid"]) or _job(facts, {})
            why = _last_line(known) or _full_disk(known) or facts.get("rule_msg") or "no reason given"
            display.failure(known, why)
        elif event is None or event == LogEvent.ERROR:
            message = record.getMessage()
            # A CalledProcessError is said by the job's own event.
            if record.levelno >= ERROR and "CalledProcessError" not in message:
                display.say(message, style="red")
            elif WARNING <= record.levelno < ERROR:
                display.say(message, style="yellow")
            elif record.levelno == INFO and message.startswith(_SHOWN):
                display.say(message)


def _job(facts: dict[str, Any], wildcards: dict[str, str]) -> Job:
    return Job(facts["rule_name"], wildcards, tuple(facts["output"]), tuple(facts["log"]))


def reason_of(job: Job) -> str:
    """Return the reason why a job that ended well failed all the same; empty if there is none.

    A training job has a record, which may say that its method failed; a download has a receipt, which may
    say that the files are unavailable.
    """
    files = [Path(file) for file in job.output]
    for path in files + [record for file in files for record in file.parent.glob("*/record.json")]:
        if path.name == "record.json":
            try:
                record = Record.read(path)
            except RecordError as error:
                return str(error)
            if record.failed:
                return f"{record.status}: {record.error}"
        if path.name == "fetch.json" and path.exists():
            missing = json.loads(path.read_text(encoding="utf-8")).get("unavailable")
            return f"unavailable: {' '.join(missing)}" if missing else ""
    return ""


def _full_disk(job: Job) -> str:
    for place in (parent for path in map(Path, job.output) for parent in path.parents if parent.exists()):
        full = shutil.disk_usage(place).free < _FULL
        return f"no space left on the disk of {place}: free some, and run it again" if full else ""
    return ""


def _last_line(job: Job) -> str:
    for log in filter(Path.exists, map(Path, job.log)):
        if text := log.read_text(encoding="utf-8", errors="replace").strip():
            return f"{text.splitlines()[-1].strip()} (all of it: {log})"
    return ""
