"""The top of the page: one sentence, and the short facts below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from attop.core.wording import counted, fixed, listed, seconds
from attop_bench.report.compute.across import Across
from attop_bench.report.compute.clock import wall_clock
from attop_bench.report.compute.comparison import Lead
from attop_bench.report.page.model import Chip, Failures, Section
from attop_bench.statuses import FAILED

__all__ = ["chips", "left_out", "page_headline"]


def page_headline(found: Across, every: Sequence[Lead], titles: Mapping[str, str]) -> str:
    """Say who ranks best, who leads at how many tops, and at how many the leader is shown to be ahead.

    Ranks are of one top a data set, so that the best of them need not lead at most tops.
    """
    ranked = [s for s in found.standings if not s.reason and s.rank == s.rank]
    compared = [lead for lead in every if lead.ranked]
    said = []
    if len(ranked) > 1 and found.n_datasets > 1:
        first = [s.method for s in ranked if s.rank == ranked[0].rank]
        if len(first) == len(ranked):
            said.append(f"All {len(ranked)} methods rank alike over {found.over}.")
        else:
            said.append(
                f"{_named(first, titles)} {'ranks' if len(first) == 1 else 'rank'} best over {found.over}, "
                f"at the middle top of each (mean rank {fixed(ranked[0].rank, 1)} of {len(ranked)} methods)"
                f"{_leads(first, compared, titles)}."
            )
    shown = sum(lead.verdict == "better" for lead in compared)
    tops = f"the {len(compared)} tops" if len(compared) > 1 else "the one top"
    if not compared:
        said.append("No two methods can be compared.")
    elif shown:
        said.append(f"At {shown} of {tops} the leader is shown to be ahead of the runner-up.")
    else:
        said.append(f"At none of {tops} is the leader shown to be ahead of the runner-up.")
    return " ".join(said)


def _leads(first: Sequence[str], compared: Sequence[Lead], titles: Mapping[str, str]) -> str:
    """Say which methods have the best mean at the most tops, and at how many those that rank best have it."""
    times = Counter(method for lead in compared for method in (lead.best, *lead.tied))
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
    methods: Mapping[str, Any],
    failures: Failures,
    runs: pd.DataFrame,
    manifest: Mapping[str, Any],
) -> list[Chip]:
    """Return data sets, methods, jobs, time, version and warnings."""
    jobs = failures.jobs
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
    if failures.constant:
        models = sum(row["models"] for row in failures.constant)
        found.append(
            Chip(
                f"{counted(models, 'model')} {'scores' if models == 1 else 'score'} all items alike",
                "warn",
                "#constant",
            )
        )
    if failures.n_undefined:
        found.append(
            Chip(f"{failures.n_undefined:,} of {failures.n_values:,} values undefined", "warn", "#undefined")
        )
    return found


def left_out(sections: Sequence[Section], methods: Mapping[str, Any]) -> dict[str, str]:
    """Return the methods that were run on no data set, each with the reason."""
    ran = {method for section in sections for method in section.order}
    if not ran:
        return {}
    why = {m: [s.skipped[m] for s in sections if m in s.skipped] for m in methods if m not in ran}
    return {method: "; ".join(dict.fromkeys(its)) or "not run" for method, its in why.items()}
