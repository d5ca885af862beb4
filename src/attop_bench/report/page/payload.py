"""The numbers the page's script computes with."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from attop.metrics.registry import get_metric
from attop_bench.report.compute.comparison import BASELINE, FEW, MIN_RUNS, SURE, default_rope, split_ratio
from attop_bench.report.compute.heat_map import SHADES, by_chance
from attop_bench.report.compute.tops import sort_tops
from attop_bench.report.figures.scene import QUIET
from attop_bench.report.page.model import Section

__all__ = ["payload"]


def payload(
    sections: Sequence[Section],
    methods: Mapping[str, Mapping[str, Any]],
    metrics: Sequence[str],
    results: Mapping[str, pd.DataFrame],
    ranks: Mapping[str, float],
    leaders: Sequence[str],
) -> str:
    """Return as JSON every value by data set, metric, top and method, and what names them."""
    evaluation, runs = results["evaluation"], results["runs"]
    alike = runs[runs["constant"].astype(bool)].groupby(["dataset", "top", "method"]).size()
    content = {
        "rules": {"minRuns": MIN_RUNS, "sure": SURE, "shades": SHADES, "few": FEW, "quiet": QUIET},
        "baseline": BASELINE if BASELINE in methods else "",
        "methods": [{"id": id, "title": method["title"]} for id, method in methods.items()],
        "metrics": {m: _metric(m) for m in metrics},
        "ranks": {m: None if math.isnan(rank) else round(rank, 4) for m, rank in ranks.items()},
        "leaders": leaders,
        "datasets": [
            {
                "id": s.id,
                "anchor": s.anchor,
                "title": s.title,
                "metric": s.metric,
                "main": s.main,
                "tops": s.tops,
                "order": s.order,
                "ratio": _number(split_ratio(runs, s.id)),
                "chance": {m: c for m in metrics if (c := _number(by_chance(m, s.about))) is not None},
                "edge": sorted({c.method for c in s.at_edge}),
                "constant": {
                    top: {m: int(alike.get((s.id, top, m), 0)) for m in s.order if (s.id, top, m) in alike}
                    for top in s.tops
                },
                "seconds": {row["method"]: _number(_spent(row)) for row in s.costs},
                **_values(evaluation[evaluation["dataset"] == s.id]),
            }
            for s in sections
        ],
    }
    return json.dumps(content, separators=(",", ":"), allow_nan=False).replace("</", "<\\/")


def _metric(name: str) -> dict[str, Any]:
    metric = get_metric(name)
    return {
        "up": metric.higher_is_better,
        "rope": _number(default_rope(name)),
        "bounds": [*map(_number, metric.bounds)],
    }


def _spent(row: Mapping[str, Any]) -> float:
    known = [row[name] for name in ("selection", "training") if row[name] == row[name]]
    return sum(known) if known else math.nan


def _values(part: pd.DataFrame) -> dict[str, Any]:
    """Return the runs' names, and metric -> top -> method -> a value per run."""
    labels = part[["repeat", "fold"]].drop_duplicates().sort_values(["repeat", "fold"])
    index = pd.MultiIndex.from_frame(labels)
    values: dict[str, dict[str, dict[str, list[float | None]]]] = {}
    for metric, its in part.groupby("metric", sort=False):
        wide = its.pivot(index=["repeat", "fold"], columns=["top", "method"], values="value").reindex(index)
        values[str(metric)] = {
            top: {str(m): [_number(v) for v in wide[top][m]] for m in wide[top].columns}
            for top in sort_tops(its["top"])
        }
    return {"runs": [f"{r}.{f}" for r, f in index], "values": values}


def _number(value: float) -> float | None:
    """Return nine significant digits; null where there is no number."""
    return float(f"{value:.9g}") if math.isfinite(value) else None
