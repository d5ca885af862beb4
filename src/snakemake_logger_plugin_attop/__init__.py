"""The display of a run on the terminal: ``snakemake --logger attop``, which ``profiles/default`` chooses.

One bar for each data set, the methods that run, failures as they come with their reason, the time left; and
at the end the path of the report and its headline. Where there is no terminal (a file, a scheduler, CI) the
same in plain lines. A dry run, ``--verbose`` and ``--quiet all`` look as they do without this plugin, and
Snakemake's own log under ``.snakemake/log`` holds every event either way.
"""

from __future__ import annotations

import itertools
import shutil
from logging import ERROR, INFO, WARNING, Handler, LogRecord
from pathlib import Path
from typing import Any

from rich.console import Console
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from attop_bench.files import read_json
from attop_bench.run.blocks import files_of
from attop_bench.run.interrupt import is_stopped
from attop_bench.run.record import Record, RecordError
from attop_bench.run.snakemake import WORDS, plain_handler
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

#: Beginnings of what it says before it answers.
_PLANNING = ("Building DAG", "Assuming unrestricted")

#: An error that the event of its job tells, and one that follows from all others.
_KNOWN, _UNFINISHED = (
    "CalledProcessError",
    "At least one job did not complete successfully",
)

#: Follows the words of every scheduler.
_CLOSING = "For further error details see"

#: Seconds in which Ctrl-C, which ends the jobs, reaches this process too.
_MOMENT = 0.05

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
        #: Of jobs of a group: what the scheduler said of it.
        self._refused: dict[int, str] = {}
        #: What Snakemake says until a run begins, the answer of a command that runs nothing, such as --lint;
        #: None once something else was said.
        self._answer: list[str] | None = []
        quiet = map(str, settings.quiet or ())
        if (
            settings.dryrun
            or settings.verbose
            or settings.debug_dag
            or "all" in quiet
        ):
            self._plain = plain_handler(settings)
        else:
            console = Console(
                stderr=not settings.stdout,
                no_color=settings.nocolor or None,
                highlight=False,
            )
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
            for sentence in self._answer or ():
                self._display.say(sentence)
            self._answer = None
            self._display.end()
        super().close()

    def _take(self, display: Display, record: LogRecord) -> None:
        event: Any = getattr(record, "event", None)
        facts: dict[str, Any] = vars(record)
        if event == "attop_todo":
            self._answer = None
            self._progress.plan(facts["jobs"], cores=facts["cores"])
            display.begin(
                **{
                    name: facts[name]
                    for name in ("report", "manifest", "configfiles")
                }
            )
        elif event == LogEvent.JOB_INFO:
            self._progress.describe(
                facts["jobid"], _job(facts, dict(facts["wildcards"]))
            )
        elif event == LogEvent.JOB_STARTED:
            self._progress.start(
                facts["jobs"]
                if isinstance(facts["jobs"], list)
                else [facts["jobs"]]
            )
            display.update()
        elif event == LogEvent.JOB_FINISHED:
            job = self._progress.finish(facts["job_id"])
            if job is not None and (why := reason_of(job)):
                display.failure(job, why, is_result=True)
            display.update()
        elif event == LogEvent.GROUP_ERROR:
            failed_jobs = facts["job_error_info"]
            self._refused |= {
                job["jobid"]: facts.get(WORDS, "") for job in failed_jobs
            }
        elif event == LogEvent.JOB_ERROR:
            self._break_off(display, facts)
        elif event is None or event == LogEvent.ERROR:
            self._say(display, record)

    def _break_off(self, display: Display, facts: dict[str, Any]) -> None:
        """Say why a job ended without its results, unless because the run was told to stop."""
        number = facts["jobid"]
        job = self._progress.fail(number) or _job(facts, {})
        of_group = self._refused.pop(number, "")
        if is_stopped(within=_MOMENT):
            return
        words = facts.get("rule_msg") or of_group
        reason = (
            _last_line(job)
            or _full_disk(job)
            or _sentence(words)
            or "no reason given"
        )
        display.failure(job, reason)

    def _say(self, display: Display, record: LogRecord) -> None:
        """Print a message of Snakemake that is not about a job, if a user waits for it."""
        message = record.getMessage()
        if record.levelno >= ERROR:
            # A CalledProcessError is said by the job's own event.
            if _KNOWN in message or (is_stopped() and _UNFINISHED in message):
                return
            style = "red"
        elif record.levelno >= WARNING:
            style = "yellow"
        elif record.levelno == INFO and message.startswith(_SHOWN):
            style = ""
        else:
            if self._answer is not None and not message.startswith(_PLANNING):
                self._answer.append(message)
            return
        self._answer = None
        display.say(message, style=style)


def _sentence(words: str) -> str:
    """Cut the scheduler's words on a job to its reason, without the command and Snakemake's closing words."""
    lines = words.partition(_CLOSING)[0].splitlines()
    head = itertools.takewhile(lambda line: not line.startswith("    "), lines)
    return " ".join(line.strip() for line in head)


def _job(facts: dict[str, Any], wildcards: dict[str, str]) -> Job:
    return Job(
        facts["rule_name"], wildcards, tuple(facts["output"]), tuple(facts["log"])
    )


def reason_of(job: Job) -> str:
    """Find the reason why a job that ended well failed all the same; empty if there is none.

    A training job has a record, which may say that its method failed; a download has a receipt, which may
    say that the files are unavailable.
    """
    files = [Path(file) for file in job.output]
    _, records = files_of(files)
    for path in [*records, *files]:
        if path.name == "record.json":
            try:
                record = Record.read(path)
            except RecordError as error:
                return str(error)
            if record.failed:
                return f"{record.status}: {record.error}"
        if path.name == "fetch.json" and path.exists():
            missing = read_json(path).get("unavailable")
            return f"unavailable: {' '.join(missing)}" if missing else ""
    return ""


def _full_disk(job: Job) -> str:
    for place in (
        parent
        for path in map(Path, job.output)
        for parent in path.parents
        if parent.exists()
    ):
        full = shutil.disk_usage(place).free < _FULL
        return (
            f"no space left on the disk of {place}: free some, and run it again"
            if full
            else ""
        )
    return ""


def _last_line(job: Job) -> str:
    for log in filter(Path.exists, map(Path, job.log)):
        if text := log.read_text(encoding="utf-8", errors="replace").strip():
            return f"{text.splitlines()[-1].strip()} (all of it: {log})"
    return ""
