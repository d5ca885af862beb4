"""The benchmark's page for a comparison by `attop.compare_at_top`."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from importlib.metadata import version

import pandas as pd

from attop.core.files import write_bytes
from attop.experiment.result import TopComparison
from attop_bench.report.page.render import render
from attop_bench.report.page.report import build_page

__all__ = ["write_comparison"]


def write_comparison(comparison: TopComparison, path: str | os.PathLike[str]) -> None:
    """Write the page of a comparison; `TopComparison.report` calls it.

    Parameters
    ----------
    comparison : TopComparison
    path : path
        The HTML file.
    """
    top, metric, runs = str(comparison.top), comparison.metric, comparison.runs
    job = pd.DataFrame(
        {"dataset": "items", "method": runs["model"], "repeat": 0, "fold": runs["run"], "top": top}
    )
    evaluation = job.assign(metric=metric, value=runs["value"], reason=runs["reason"])
    unknown = ("validation", "seconds_selection", "seconds_scoring", "started", "ended", "peak_memory_mb")
    jobs = job.assign(
        status="ok",
        chosen=[json.dumps(setting, default=str) for setting in runs["setting"]],
        n_settings=1,
        at_edge="[]",
        constant=False,
        n_train=runs["n_train"],
        n_test=runs["n_test"],
        seconds_training=runs["seconds"],
        host=None,
        error="",
        **dict.fromkeys(unknown, float("nan")),
    )
    entry: dict[str, object] = {"title": "Your items", "scoring": metric, "tops": [top]}
    if not comparison.grouped:
        n = int((runs["n_train"] + runs["n_test"]).max())
        entry |= {"items": n, "positives": round(comparison.share * n)}
    manifest = {
        "title": f"Models compared at {top}",
        "datasets": {"items": entry},
        "environment": {"versions": {"attop": version("attop")}},
    }
    page = build_page({"evaluation": evaluation, "runs": jobs}, manifest)
    page.overview[""] = replace(page.overview[""], headline=comparison.sentence)
    write_bytes(path, render(page).encode())
