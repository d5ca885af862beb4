"""The top of the page: one sentence, and the short facts below it, failures among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from attop.core.wording import counted, fixed, listed, seconds
from attop_bench.jobs.limits import FAILED
from attop_bench.report.compute.across import Across
from attop_bench.report.compute.leads import Lead, headline
from attop_bench.report.compute.runs import (
    constant_models,
    error_list,
    status_counts,
    undefined_values,
    wall_clock,
)
from attop_bench.report.page.section import Entry, Records, Section

__all__ = ["Chip", "Failures", "chips", "failures", "left_out", "page_headline"]


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


def page_headline(found: Across, every: Sequence[Lead], titles: Mapping[str, str]) -> str:
    """Say who ranks best, who leads at how many tops, and at how many the leader is shown to be ahead.

    Ranks are of one top a data set, so that the best of them need not lead at most tops. Of a single data set
    the best of each top is named.
    """
    if len({lead.dataset for lead in every}) == 1:
        return headline(every, titles)
    ranked = [s for s in found.standings if not s.reason and s.rank == s.rank]
    compared = [lead for lead in every if lead.ranked]
    sentences = []
    if len(ranked) > 1 and found.n_datasets > 1:
        first = [s.method for s in ranked if s.rank == ranked[0].rank]
        if len(first) == len(ranked):
            sentences.append(f"All {len(ranked)} methods rank alike over {found.over}.")
        else:
            sentences.append(
                f"{_named(first, titles)} {'ranks' if len(first) == 1 else 'rank'} best over {found.over}, "
                f"at the middle top of each (mean rank {fixed(ranked[0].rank, 1)} of {len(ranked)} methods)"
                f"{_leads(first, compared, titles)}."
            )
    tested = [lead for lead in compared if lead.verdict != "untested"]
    shown = sum(lead.verdict == "ahead" for lead in tested)
    if not compared:
        sentences.append("No two methods can be compared.")
    elif not tested:
        sentences.append(f"Whether a leader is ahead is not tested. {compared[0].ranked[0].reason}")
    else:
        rest = len(compared) - len(tested)
        sentences.append(
            f"The leader is shown to be ahead of the runner-up at {shown or 'none'} of "
            f"{counted(len(compared), 'top')}{f', and not tested at {rest}' if rest else ''}."
        )
    return " ".join(sentences)


def _leads(first: Sequence[str], compared: Sequence[Lead], titles: Mapping[str, str]) -> str:
    """Say which methods have the best mean at the most tops, and at how many those that rank best have it."""
    times = Counter(method for lead in compared for method in lead.first)
    if not times:
        return ""
    most = max(times.values())
    often = [method for method in titles if times[method] == most]
    at = f"the best mean, at {most} of {counted(len(compared), 'top')}{' each' if len(often) > 1 else ''}"
    has = f"{_named(often, titles)} most often {'has' if len(often) == 1 else 'have'} {at}"
    others = ", ".join(f"{titles[m]} at {times[m] or 'none'}" for m in first if m not in often)
    others = f" ({others})" if len(first) <= 3 and others else ""
    if set(often) == set(first):
        return f" and most often {'has' if len(often) == 1 else 'have'} {at}"
    if set(often) < set(first):
        return f", of which {has}{others}"
    if set(often) > set(first):
        level = _named([method for method in often if method not in first], titles)
        return f" and, with {level}, most often {'has' if len(first) == 1 else 'have'} {at}"
    return f", but {has}{others}"


def _named(methods: Sequence[str], titles: Mapping[str, str]) -> str:
    return listed([titles[m] for m in methods]) if len(methods) <= 3 else f"{len(methods)} methods"


def chips(
    sections: Sequence[Section],
    methods: Mapping[str, Entry],
    not_done: Failures,
    runs: pd.DataFrame,
    manifest: Entry,
) -> list[Chip]:
    """Return data sets, methods, jobs, time, version and warnings."""
    jobs = not_done.jobs
    failed = sum(jobs.get(status, 0) for status in FAILED)
    refused = jobs["expected"] - jobs["ok"] - jobs["missing"] - failed
    found = [
        Chip(counted(len(sections), "data set")),
        Chip(counted(len(methods), "method")),
        Chip(
            f"{jobs['ok']:,} of {counted(jobs['expected'], 'job')} ok",
            "good" if jobs["ok"] == jobs["expected"] else "",
        ),
    ]
    if failed:
        found.append(Chip(f"{counted(failed, 'job')} failed", "bad", "#failures"))
    if refused:
        found.append(Chip(f"{counted(refused, 'job')} not applicable", href="#failures"))
    if jobs["missing"]:
        found.append(Chip(f"{counted(jobs['missing'], 'job')} missing", "bad", "#failures"))
    spent = runs.drop_duplicates(["dataset", "method", "repeat", "fold"])
    total = spent[["seconds_selection", "seconds_training", "seconds_scoring"]].sum().sum()
    if total > 0:
        clock = wall_clock(runs)
        by_clock = f"{seconds(clock)} by the clock; " if clock == clock else ""
        found.append(Chip(f"{by_clock}the jobs add up to {seconds(float(total))}", href="#cost"))
    commit = (manifest.get("git") or {}).get("commit", "")
    version = manifest.get("environment", {}).get("versions", {}).get("attop", "")
    finished = manifest.get("finished", "").replace("+00:00", " UTC")
    of = " · ".join(filter(None, (f"attop {version}" if version else "", commit[:7], finished)))
    if of:
        found.append(Chip(of, href="#provenance"))
    out = left_out(sections, methods)
    if out:
        who = methods[next(iter(out))]["title"] if len(out) == 1 else counted(len(out), "method")
        found.append(Chip(f"{who} left out", "warn", "#left-out"))
    edges = {s.title: len({c.method for c in s.at_edge}) for s in sections if s.at_edge}
    if edges:
        where = (
            listed([f"{n} on {title}" for title, n in edges.items()])
            if len(edges) < 3
            else counted(len(edges), "data set")
        )
        found.append(Chip(f"Grids too narrow? Methods mostly at an edge: {where}", "warn", "#tuning"))
    if not_done.constant:
        models = sum(row["models"] for row in not_done.constant)
        found.append(
            Chip(
                f"{counted(models, 'model')} {'scores' if models == 1 else 'score'} all items alike",
                "warn",
                "#constant",
            )
        )
    if not_done.n_undefined:
        found.append(
            Chip(f"{not_done.n_undefined:,} of {not_done.n_values:,} values undefined", "warn", "#undefined")
        )
    return found


def left_out(sections: Sequence[Section], methods: Mapping[str, Entry]) -> dict[str, str]:
    """Return the methods that were run on no data set, each with the reason."""
    ran = {method for section in sections for method in section.order}
    if not ran:
        return {}
    why = {m: [s.skipped[m] for s in sections if m in s.skipped] for m in methods if m not in ran}
    return {method: "; ".join(dict.fromkeys(its)) or "not run" for method, its in why.items()}
