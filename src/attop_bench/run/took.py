"""Time and memory of every job, rule by rule: of training from the records, of all else from the notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from attop.extending import count_noun, format_duration
from attop_bench.files import Entry, JsonObject, csv_text, read_json, write_text
from attop_bench.run.job import JOB
from attop_bench.run.record import Record
from attop_bench.run.use import Use

if TYPE_CHECKING:
    import pandas as pd

#: Of the table ``rules``: a row for each rule and data set. Seconds are sums, but for the longest job's.
COLUMNS = (
    "rule",
    "dataset",
    "jobs",
    "seconds",
    "longest",
    "seconds_cpu",
    "peak_memory_mb",
)

#: A rule that is of no data set, in the table.
ALL = ""

#: What nobody measured, in words.
_UNKNOWN = "not measured"


@dataclass(frozen=True)
class Step:
    """A job other than a training: its rule, its data set if it is of one, its first output and its note."""

    rule: str
    dataset: str
    output: Path
    note: Path


#: Rule, data set, and what a job took.
Row = tuple[str, str, Use]


def of_notes(steps: Iterable[Step]) -> Iterator[Row]:
    """Yield the use of each job other than a training, as far as its note is there."""
    for step in steps:
        with suppress(OSError, ValueError, AttributeError):
            note = read_json(step.note)
            amounts = {name: note[name] for name in asdict(Use()) if name in note}
            yield step.rule, step.dataset, Use(**amounts)


def of_runs(runs: pd.DataFrame) -> Iterator[Row]:
    """Yield the use of each training run, by the table ``runs``, which has a row for each top."""
    each = runs.drop_duplicates(JOB)
    seconds = each["ended"] - each["started"]
    columns = (
        each["dataset"],
        seconds,
        each["seconds_cpu"],
        each["peak_memory_mb"],
        each["host"],
    )
    for dataset, *amounts, host in zip(*columns, strict=True):
        took, cpu, peak = (
            None if amount != amount else float(amount) for amount in amounts
        )
        yield "train", dataset, Use(took, cpu, peak, host)


def use_of(record: Record) -> Use:
    """Sum up the use of a training run from its record."""
    seconds = record.total_seconds
    if record.started is not None and record.ended is not None:
        seconds = record.ended - record.started
    host = record.environment.get("host", "")
    return Use(seconds, record.cpu_seconds, record.peak_memory_mb, host)


def by_rule(rows: Iterable[Row]) -> list[JsonObject]:
    """Build the rows of the table ``rules``, in the order in which rules and data sets come first."""
    jobs: dict[tuple[str, str], list[Use]] = {}
    for rule, dataset, use in rows:
        jobs.setdefault((rule, dataset), []).append(use)
    return [
        {
            "rule": rule,
            "dataset": dataset,
            "jobs": len(uses),
            "seconds": _of_known(sum, (use.seconds for use in uses)),
            "longest": _of_known(max, (use.seconds for use in uses)),
            "seconds_cpu": _of_known(sum, (use.cpu_seconds for use in uses)),
            "peak_memory_mb": _of_known(max, (use.peak_memory_mb for use in uses)),
        }
        for (rule, dataset), uses in jobs.items()
    ]


def put_into(table: Path, rows: Iterable[Row]) -> None:
    """Put the rows of further rules after those of a table ``rules``, in place of what these had there."""
    import pandas as pd

    further = pd.DataFrame(by_rule(rows), columns=COLUMNS)
    replaced = {*further["rule"]}
    lines = table.read_text(encoding="utf-8").split("\n")
    others = [
        line for line in lines if line and line.partition(",")[0] not in replaced
    ]
    _, *new = csv_text(further).split("\n")
    write_text(table, "\n".join([*others, *new]))


def _of_known(
    summarise: Callable[[list[float]], float], amounts: Iterable[float | None]
) -> float | None:
    """Summarise the amounts that are known; None if none is."""
    measured = [amount for amount in amounts if amount is not None]
    return summarise(measured) if measured else None


def in_words(rows: Iterable[Row]) -> dict[str, str]:
    """Write a line for each rule, over all data sets, for the page."""
    names = "{}, {} together, {} the longest; {} of processors; {} at most"
    return {
        f"Rule {rule}": names.format(*cells)
        for rule, cells in cells_of_rules(rows).items()
    }


def cells_of_rules(rows: Iterable[Row]) -> dict[str, list[str]]:
    """Write for each rule its jobs, their time together, the longest, processors and memory."""
    table = by_rule((rule, ALL, use) for rule, _, use in rows)
    return {row["rule"]: _cells(row) for row in table}


def _cells(row: Entry) -> list[str]:
    times = [
        _UNKNOWN if row[name] is None else format_duration(row[name])
        for name in ("seconds", "longest", "seconds_cpu")
    ]
    peak = row["peak_memory_mb"]
    memory = _UNKNOWN if peak is None else f"{peak:,.0f} MB"
    return [count_noun(row["jobs"], "job"), *times, memory]
