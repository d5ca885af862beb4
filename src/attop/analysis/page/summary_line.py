"""The top of the page: one sentence, and the short facts below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from attop.analysis.compute.across import Across
from attop.analysis.compute.clock import wall_clock
from attop.analysis.compute.comparison import Lead
from attop.analysis.page.model import Chip, Failures, Section
from attop.statuses import FAILED
from attop.wording import counted, fixed, listed, seconds

__all__ = ["chips", "page_headline"]


def page_headline(found: Across, every: Sequence[Lead], titles: Mapping[str, str]) -> str:
    """Say who ranks best, and at how many tops the leader is shown to be ahead."""
    ranked = [s for s in found.standings if not s.reason and s.rank == s.rank]
    said = []
    if len(ranked) > 1 and found.n_datasets > 1:
        best = [titles[s.method] for s in ranked if s.rank == ranked[0].rank]
        if len(best) == len(ranked):
            said.append(f"All {len(ranked)} methods rank alike over {found.over}.")
        else:
            who = listed(best) if len(best) <= 3 else f"{len(best)} methods"
            said.append(
                f"{who} {'ranks' if len(best) == 1 else 'rank'} best over {found.over} "
                f"(mean rank {fixed(ranked[0].rank, 1)} of {len(ranked)} methods)."
            )
    compared = [lead for lead in every if lead.ranked]
    shown = sum(lead.verdict == "better" for lead in compared)
    tops = f"the {len(compared)} tops" if len(compared) > 1 else "the one top"
    if not compared:
        said.append("No two methods can be compared.")
    elif shown:
        said.append(f"At {shown} of {tops} the leader is shown to be ahead of the runner-up.")
    else:
        said.append(f"At none of {tops} is the leader shown to be ahead of the runner-up.")
    return " ".join(said)


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
        by_clock = f"{seconds(clock)} by the clock, " if clock == clock else ""
        found.append(Chip(f"{by_clock}{seconds(float(total))} of computing", href="#cost"))
    commit = (manifest.get("git") or {}).get("commit", "")
    version = manifest.get("environment", {}).get("versions", {}).get("attop", "")
    finished = manifest.get("finished", "").replace("+00:00", " UTC")
    of = " · ".join(filter(None, (f"attop {version}" if version else "", commit[:7], finished)))
    if of:
        found.append(Chip(of, href="#provenance"))
    for method, entry in methods.items():
        if sections and all(method in s.skipped for s in sections):
            found.append(Chip(f"{entry['title']} left out: {sections[0].skipped[method]}", "warn"))
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
