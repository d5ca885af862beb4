"""The short facts at the top of the page, failures among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from attop.core.wording import counted, listed, seconds
from attop_bench.jobs.limits import FAILED
from attop_bench.report.compute.runs import (
    constant_models,
    error_list,
    status_counts,
    undefined_values,
    wall_clock,
)
from attop_bench.report.page.section import Entry, Records, Section

__all__ = ["Chip", "Failures", "chips", "failures", "left_out"]


@dataclass(frozen=True)
class Chip:
    """A short fact at the top; `tone` is "", "good", "bad" or "warn", `href` where it is explained."""

    text: str
    tone: str = ""
    href: str = ""


@dataclass(frozen=True)
class Failures:
    """What did not come out."""

    jobs: Mapping[str, int]
    statuses: list[str]
    incomplete: Records
    errors: Records
    undefined: Records
    n_values: int
    constant: Records

    @property
    def n_undefined(self) -> int:
        """Metric values without a definition."""
        return sum(row["undefined"] for row in self.undefined)


def failures(results: Mapping[str, pd.DataFrame]) -> Failures:
    """Gather failed and missing jobs, undefined values and models that rank nothing."""
    evaluation, runs = results["evaluation"], results["runs"]
    counts = status_counts(evaluation, runs)
    return Failures(
        jobs={c: int(counts[c].sum()) for c in counts.columns[2:]},
        statuses=list(counts.columns[3:]),
        incomplete=counts[counts["ok"] < counts["expected"]].to_dict("records"),
        errors=error_list(runs).to_dict("records"),
        undefined=undefined_values(evaluation).to_dict("records"),
        n_values=len(evaluation),
        constant=constant_models(runs).to_dict("records"),
    )


def chips(
    sections: Sequence[Section],
    methods: Mapping[str, Entry],
    not_done: Failures,
    runs: pd.DataFrame,
    manifest: Entry,
) -> list[Chip]:
    """Return data sets, methods, jobs, time, version and warnings."""
    jobs = not_done.jobs
    ok, expected, missing = (jobs[name] for name in ("ok", "expected", "missing"))
    failed = sum(jobs.get(status, 0) for status in FAILED)
    refused = expected - ok - missing - failed
    spent = runs.drop_duplicates(["dataset", "method", "repeat", "fold"])
    total = float(spent[["seconds_selection", "seconds_training", "seconds_scoring"]].sum().sum())
    cpu, clock = float(spent["seconds_cpu"].sum()), wall_clock(runs)
    took = f"{seconds(clock)} ({seconds(cpu)} CPU)" if clock == clock else f"{seconds(total)} in all"
    version = manifest.get("environment", {}).get("versions", {}).get("attop", "")
    made_by = (
        f"attop {version}" if version else "",
        (manifest.get("git") or {}).get("commit", "")[:7],
        manifest.get("finished", "").replace("+00:00", " UTC"),
    )
    out = [methods[method]["title"] for method in left_out(sections, methods)]
    edges = {s.title: len({c.method for c in s.at_edge}) for s in sections if s.at_edge}
    few = listed([f"{n} on {title}" for title, n in edges.items()])
    where = few if len(edges) < 3 else counted(len(edges), "data set")
    alike = sum(row["models"] for row in not_done.constant)
    same = f"{counted(alike, 'model')} score{'s' * (alike == 1)} all items alike"
    gone = out[0] if len(out) == 1 else counted(len(out), "method")
    undefined = f"{not_done.n_undefined:,} of {not_done.n_values:,} values undefined"
    known = [
        (True, Chip(counted(len(sections), "data set"))),
        (True, Chip(counted(len(methods), "method"))),
        (True, Chip(f"{ok:,} of {counted(expected, 'job')} ok", "good" if ok == expected else "")),
        (failed, Chip(f"{counted(failed, 'job')} failed", "bad", "#failures")),
        (refused, Chip(f"{counted(refused, 'job')} not applicable", href="#failures")),
        (missing, Chip(f"{counted(missing, 'job')} missing", "bad", "#failures")),
        (total > 0, Chip(took, href="#cost")),
        (any(made_by), Chip(" · ".join(filter(None, made_by)), href="#provenance")),
        (out, Chip(f"{gone} left out", "warn", "#left-out")),
        (edges, Chip(f"Grids too narrow? Methods mostly at an edge: {where}", "warn", "#tuning")),
        (alike, Chip(same, "warn", "#constant")),
        (not_done.n_undefined, Chip(undefined, "warn", "#undefined")),
    ]
    return [chip for there, chip in known if there]


def left_out(sections: Sequence[Section], methods: Mapping[str, Entry]) -> dict[str, str]:
    """Return the methods that were run on no data set, each with the reason."""
    ran = {method for section in sections for method in section.order}
    if not ran:
        return {}
    why = {m: [s.skipped[m] for s in sections if m in s.skipped] for m in methods if m not in ran}
    return {method: "; ".join(dict.fromkeys(its)) or "not run" for method, its in why.items()}
