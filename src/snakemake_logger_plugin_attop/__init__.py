"""What a run shows on the terminal: ``snakemake --logger attop``, which ``profiles/default`` chooses.

One bar for each data set, the methods that run, failures as they come with their reason, the time left; and
at the end the path of the report and its headline. Where there is no terminal (a file, a scheduler, CI) the
same in plain lines. A dry run, ``--verbose`` and ``--quiet all`` look as they do without this plugin, and
Snakemake's own log under ``.snakemake/log`` holds every event either way.
"""

from __future__ import annotations

import sys
from logging import ERROR, INFO, WARNING, LogRecord
from typing import Any

from rich.console import Console
from snakemake.logging import ColorizingTextHandler, DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_attop.display import Display
from snakemake_logger_plugin_attop.failures import reason_of
from snakemake_logger_plugin_attop.progress import Job, Progress

__all__ = ["LogHandler"]

# Of Snakemake's own sentences those that a user waits for; the others describe its inner life.
_TOLD = ("Nothing to be done", "SLURM run ID", "Unlocking", "Removing", "Terminating processes", "Cancelling")


class LogHandler(LogHandlerBase):
    """Shows the events of a run as progress on its data sets."""

    def __post_init__(self) -> None:
        """Choose between Snakemake's own text and the display."""
        settings = self.common_settings
        quiet = set(settings.quiet or ())
        self._plain: ColorizingTextHandler | None = None
        self._display: Display | None = None
        self._progress = Progress()
        if settings.dryrun or settings.verbose or settings.debug_dag or "all" in {str(q) for q in quiet}:
            self._plain = ColorizingTextHandler(
                nocolor=settings.nocolor,
                stream=sys.stdout if settings.stdout else sys.stderr,
                formatter=DefaultFormatter(quiet, settings.show_failed_logs),
                filter=DefaultFilter(
                    quiet, settings.debug_dag, settings.verbose, settings.dryrun, settings.printshellcmds
                ),
            )
        else:
            console = Console(stderr=not settings.stdout, no_color=settings.nocolor or None, highlight=False)
            self._display = Display(console, self._progress)

    def emit(self, record: LogRecord) -> None:
        """Take one event."""
        try:
            if self._display is None:
                if self._plain is not None:
                    self._plain.handle(record)
            else:
                self._take(self._display, record)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """End the display: the failures once more, then where the report is."""
        if self._display is not None:
            self._display.end()
        super().close()

    def _take(self, display: Display, record: LogRecord) -> None:
        event: Any = getattr(record, "event", None)
        told: dict[str, Any] = vars(record)
        if event == "attop_todo":
            self._progress.plan(told["jobs"], cores=told["cores"])
            display.begin(report=told["report"], manifest=told["manifest"], configfiles=told["configfiles"])
        elif event == LogEvent.JOB_INFO:
            self._progress.describe(
                told["jobid"],
                Job(told["rule_name"], dict(told["wildcards"]), tuple(told["output"]), tuple(told["log"])),
            )
        elif event == LogEvent.JOB_STARTED:
            self._progress.start(told["jobs"] if isinstance(told["jobs"], list) else [told["jobs"]])
            display.update()
        elif event == LogEvent.JOB_FINISHED:
            job = self._progress.finish(told["job_id"])
            if job is not None and (why := reason_of(job)):
                display.failure(job, why, kept=True)
            display.update()
        elif event == LogEvent.JOB_ERROR:
            job = Job(told["rule_name"], {}, tuple(told["output"]), tuple(told["log"]))
            known = self._progress.fail(told["jobid"]) or job
            display.failure(known, reason_of(known, ended=False) or told.get("rule_msg") or "no reason given")
        elif event is None or event == LogEvent.ERROR:
            message = record.getMessage()
            if (
                record.levelno >= ERROR and "CalledProcessError" not in message
            ):  # the job's own event says why
                display.say(message, style="red")
            elif WARNING <= record.levelno < ERROR:
                display.say(message, style="yellow")
            elif record.levelno == INFO and message.startswith(_TOLD):
                display.say(message)

    @property
    def writes_to_stream(self) -> bool:
        """It takes the place of Snakemake's text."""
        return True

    @property
    def writes_to_file(self) -> bool:
        """Snakemake's log file stays as it is."""
        return False

    @property
    def has_filter(self) -> bool:
        """It sees every event."""
        return True

    @property
    def has_formatter(self) -> bool:
        """It formats by itself."""
        return True

    @property
    def needs_rulegraph(self) -> bool:
        """What there is to do is told by the Snakefile."""
        return False
