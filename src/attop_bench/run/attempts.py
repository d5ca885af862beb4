"""A job that is killed from outside: it is tried again, and a kill is a result after the last attempt alone.

A scheduler kills a job for the memory and time that were asked for it, the kernel because the machine is
short of memory, a user by hand: none is the fault of the method. It is a row of the tables where it happens
at every attempt of a run and at least twice, so that a method that kills itself holds up no other for ever.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from attop_bench.files import StrPath, read_json, write_json
from attop_bench.jobs.limits import FAILED, ProcessResult

#: Of a folder of results: the run that writes there, and how often it tries a job.
RUN = ".attop.json"


@dataclass(frozen=True)
class Attempts:
    """The attempts that a run gives to each of its jobs."""

    run: str = ""
    #: None if it is not known: then no attempt is the last.
    number: int | None = None

    @classmethod
    def of(cls, output: StrPath) -> Attempts:
        """Read the attempts of the run that writes to a folder of results."""
        try:
            entry = read_json(Path(output, RUN))
            return cls(entry["run"], entry.get("attempts"))
        except (OSError, ValueError, LookupError, TypeError):
            return cls()

    def settle(self, end: ProcessResult, note: Path, digest: str) -> ProcessResult:
        """Decide what the end of a job counts as: a kill before the last attempt is ``failed``.

        The `note` counts the kills of jobs of the same `digest`. It lies next to the results, for Snakemake
        removes log and outputs before a job. Its count is at most the number of attempts, for who is killed
        with the job counts nothing.
        """
        if end.status != "killed":
            if end.status == "done" or end.status in FAILED:
                note.unlink(missing_ok=True)
            return end
        before = _kills(note, digest)
        before[self.run] = before.get(self.run, 0) + 1
        last = self.number is not None and before[self.run] >= self.number
        if last and sum(before.values()) > 1:
            note.unlink(missing_ok=True)
            times = f"{sum(before.values())} times, at its last attempt too"
            return replace(
                end,
                message=f"killed {times}, from outside or by itself. Last: {end.message}",
            )
        with suppress(OSError):
            write_json(note, {"digest": digest, "kills": before})
        return replace(end, status="failed")


def _kills(note: Path, digest: str) -> dict[str, int]:
    """Read how often the job was killed, by runs."""
    try:
        entry = read_json(note)
        return dict(entry["kills"]) if entry["digest"] == digest else {}
    except (OSError, ValueError, LookupError, TypeError):
        return {}
