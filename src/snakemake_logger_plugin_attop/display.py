"""Progress on a terminal, as bars that move; elsewhere as a line now and then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from attop.extending import count_noun, format_duration
from attop_bench.data.base import LEDGER
from attop_bench.data.ledger import Ledger
from attop_bench.files import Entry, JsonObject, read_json
from attop_bench.run.interrupt import is_stopped
from snakemake_logger_plugin_attop.progress import Job, Progress

ROWS = 12  # bars; a run on more data sets shows those that are trained on
LINE_EVERY = 30.0  # seconds, without a terminal
FAILURES = 10  # repeated at the end
REPORT = 6.0  # seconds a data set that the report takes, which no other step tells


class Display:
    """Progress of a run while it runs: reads a `Progress`, and adds its failures. Colours follow NO_COLOR."""

    def __init__(self, console: Console, progress: Progress) -> None:
        self._console = console
        self._progress = progress
        self._live: Live | None = None
        self._report = self._manifest = self._options = ""
        self._has_failed_results = self._ended = False
        self._printed_at = float("-inf")
        self._complete: set[str] = set()

    def begin(
        self, *, report: str, manifest: str, configfiles: Sequence[str]
    ) -> None:
        """Show the number of jobs; the files are named at the end."""
        self._report = report
        self._manifest = manifest
        self._options = "".join(f" --configfile {file}" for file in configfiles)
        training = self._progress.total.total()
        datasets = len(self._progress.total)
        _, steps = self._progress.steps
        self.say(
            f"{count_noun(training, 'training job')} on {count_noun(datasets, 'data set')}, "
            f"{count_noun(steps, 'step')} in all, {self._progress.cores} at a time"
        )
        if n := self._progress.compiling:
            self.say(f"compiling {count_noun(n, 'method')}, once per environment")
        if self._console.is_terminal:
            self._live = Live(
                get_renderable=self._bars,
                console=self._console,
                refresh_per_second=2,
                transient=True,
            )
            self._live.start()

    def update(self) -> None:
        """Something began or ended."""
        if self._live is not None or not self._report:
            return
        p = self._progress
        for dataset, total in p.total.items():
            if p.done[dataset] == total and dataset not in self._complete:
                self._complete.add(dataset)
                lacking = any(
                    subject == f"fetch {dataset}" for subject, _ in p.failed
                )
                ended = (
                    "no data, nothing trained"
                    if lacking
                    else f"{total} of {total} training jobs done"
                )
                self.say(f"{self._clock()} {dataset}: {ended}")
        if p.elapsed - self._printed_at >= LINE_EVERY:
            self._printed_at = p.elapsed
            self.say(f"{self._clock()} {self._summary()}")

    def failure(self, job: Job, why: str, *, is_result: bool = False) -> None:
        """Print a failure, of jobs that fail alike the first only.

        A failure that is a result is not tried again by a later run.
        """
        self._has_failed_results |= is_result
        if self._progress.add_failure(job, why, is_result=is_result):
            self.say(f"failed: {job.subject}: {why}", style="red")

    def say(self, text: str, *, style: str = "") -> None:
        """Print a line, above the bars if there are any."""
        self._console.print(
            Text(text, style=style), soft_wrap=not self._console.is_terminal
        )

    def end(self) -> None:
        """Take the bars away; print the result, the place of the report and the failures."""
        if self._live is not None:
            self._live.stop()
            self._live = None
        if not self._report:
            if is_stopped() and not self._ended:
                self.say(
                    "Stopped before the first job; the same command starts again."
                )
            self._ended = True
            return
        done, steps = self._progress.steps
        whole = done == steps
        failed = self._progress.failed
        self.say(
            f"{done} of {steps} steps done in {format_duration(self._progress.elapsed)}"
        )
        if whole:
            manifest = _read_manifest(self._manifest)
            for line in _ledgers(manifest):
                self.say(line)
            if headline := manifest.get("headline"):
                self.say(f"\n{headline}")
            self.say(f"The report: {self._report}", style="bold")
        if failed:
            self._repeat_failures()
        if is_stopped() and not whole:
            self.say(f"Stopped. {self._trained()}; the same command goes on.")
        elif not failed and not whole:
            self.say("Not finished: the same command goes on from here.")
        self._report, self._ended = "", True  # logging closes its handlers twice

    def _repeat_failures(self) -> None:
        """Print each reason once more, and what to do after fixing the cause."""
        failed = self._progress.failed
        self.say(f"\n{failed.total()} failed:")
        for (subject, why), n in list(failed.items())[:FAILURES]:
            times = f" ({n} jobs)" if n > 1 else ""
            self.say(f"  {subject}{times}: {why}", style="red")
        if len(failed) > FAILURES:
            others = count_noun(len(failed) - FAILURES, "other reason")
            self.say(f"  and {others}: attop status{self._options}")
        clear = (
            f"attop retry{self._options}, then " if self._has_failed_results else ""
        )
        self.say(f"After fixing the cause: {clear}the same command again.")

    def _trained(self) -> str:
        """Say how much of this run is done: of its training, or where there is none to do, of its steps."""
        total = self._progress.total.total()
        done = self._progress.done.total()
        if not total:
            done, steps = self._progress.steps
            return f"{done} of {steps} steps are done"
        return f"{done} of {total} training jobs are done"

    def _bars(self) -> RenderableType:
        p = self._progress
        rows = [d for d in p.total if p.done[d] < p.total[d]]
        shown = sorted(rows, key=lambda d: not p.running_methods(d))[:ROWS]
        table = Table.grid(padding=(0, 1))
        for d in sorted(shown, key=list(p.total).index):
            bar = ProgressBar(total=p.total[d], completed=p.done[d], width=24)
            running = Text(
                ", ".join(p.running_methods(d)),
                style="dim",
                overflow="ellipsis",
                no_wrap=True,
            )
            table.add_row(escape(d), bar, f"{p.done[d]}/{p.total[d]}", running)
        if complete := len(p.total) - len(rows):
            what = (
                f"{complete} others" if rows else count_noun(complete, "data set")
            )
            table.add_row(what, Text("done", style="green"), "", "")
        return Group(table, Text(self._summary()))

    def _summary(self) -> str:
        p = self._progress
        done, steps = p.steps
        others = p.running_others()
        left = REPORT * len(p.total) if others == ["report"] else p.seconds_left()
        text = f"{done} of {steps} steps"
        text += (
            f", about {format_duration(max(left, 0))} left"
            if left is not None and done < steps
            else ""
        )
        text += f", {p.failed.total()} failed" if p.failed else ""
        return text + (f"; now: {', '.join(others)}" if others else "")

    def _clock(self) -> str:
        s = round(self._progress.elapsed)
        return f"[{s // 60:3}:{s % 60:02}]"


def _read_manifest(path: str) -> JsonObject:
    """Read a manifest; it is empty if it cannot be read."""
    try:
        return read_json(path)
    except (OSError, ValueError):
        return {}


def _ledgers(manifest: Entry) -> Iterator[str]:
    """Yield what was passed over or left out of each data set, with the counts of all its rows."""
    for name, facts in manifest.get("datasets", {}).items():
        if LEDGER not in facts:
            continue
        ledger = Ledger.from_dict(facts[LEDGER])
        asides = list(map(str, (*ledger.passed, *ledger.left_out)))
        asides += [f"may be none: {entry}" for entry in ledger.doubtful]
        if asides:
            yield f"{name}: {ledger}: {'; '.join(asides)}"
