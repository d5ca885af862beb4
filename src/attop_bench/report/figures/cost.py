"""What a score costs: time and memory of a training job against the metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from attop.core.top import main_top
from attop.core.wording import counted, listed, seconds
from attop.metrics.registry import get_metric
from attop_bench.report.compute.board import pareto_front
from attop_bench.report.figures.scene import (
    MUTED,
    Figure,
    Scene,
    blank,
    figure_theme,
    keep_in_bounds,
    legend,
    runs_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["cost_figure"]

_SPENT = ["seconds_selection", "seconds_training"]
_INSTANT = 1e-4  # seconds; a log axis has no place for 0


def cost_figure(scene: Scene, summary: pd.DataFrame, runs: pd.DataFrame) -> Figure:
    """Draw the metric at the main top against time and against memory, a point per method.

    Tuning and training are added because a protocol without a final fit on all training items trains while
    it tunes.
    """
    part = scene.of(summary).dropna(subset="mean")
    jobs = scene.of(runs).drop_duplicates(["method", "repeat", "fold"])
    jobs = jobs.assign(spent=jobs[_SPENT].fillna(0).sum(axis=1))
    jobs = jobs[(jobs["status"] == "ok") & jobs[_SPENT].notna().any(axis=1)]
    if part.empty or jobs.empty:
        return scene.sentence("cost", "No run here has both a time and a value, so cost is not drawn.")
    top = main_top(part["top"])
    part = part[part["top"] == top]
    zeros = sorted({scene.titles[m] for m in jobs.loc[jobs["spent"] < _INSTANT, "method"]})
    points = part.set_index("method")[["mean", "se", "n"]].join(_spread(jobs), how="inner")
    points = points.reindex([m for m in scene.order if m in points.index])
    sign = 1.0 if get_metric(scene.metric).higher_is_better else -1.0
    for cost in ("seconds", "memory"):
        front = pareto_front(points[cost], sign * points["mean"])
        points[f"on_front_{cost}"] = points.index.isin(front)
    with figure_theme():
        canvas, (time, memory) = blank(2, height=3.9)
        for axes, cost in ((time, "seconds"), (memory, "memory")):
            _draw(axes, scene, points, cost)
        _scale_time(time, points["seconds_low"].min(), points["seconds_high"].max())
        time.set_xlabel("tuning and training of one job (log scale)")
        time.set_ylabel(f"{scene.metric} at {top}")
        memory.set_xlabel("peak memory of one job, MB")
        memory.locator_params(axis="x", nbins=5)
        legend(canvas, scene, list(points.index), lines=False)
        return scene.picture(
            "cost",
            canvas,
            f"Scatter plots of {scene.metric} against the time and the memory of a job, "
            f"{counted(len(points), 'method')}.",
            f"{scene.metric} at {top} ({scene.direction}; mean, bars: plus and minus one standard error) "
            "against the time and the memory of one job, which tunes and trains all its settings and tops "
            f"(median, bars: quartiles), over {runs_of(scene, part)}. Memory is that of the whole process, "
            "Python and its libraries included. Grey line: methods no other beats at both."
            + (f" Faster than {seconds(_INSTANT)}, drawn there: {listed(zeros)}." if zeros else ""),
            points.reset_index(names="method"),
        )


def _spread(jobs: pd.DataFrame) -> pd.DataFrame:
    """Return median and quartiles of time and memory by method."""
    costs = {"seconds": jobs["spent"].clip(lower=_INSTANT), "memory": jobs["peak_memory_mb"]}
    columns: dict[str, pd.Series] = {}
    for name, values in costs.items():
        quartiles = values.groupby(jobs["method"]).quantile([0.25, 0.5, 0.75]).unstack()
        columns |= {f"{name}_low": quartiles[0.25], name: quartiles[0.5], f"{name}_high": quartiles[0.75]}
    return pd.DataFrame(columns)


def _draw(axes: Axes, scene: Scene, points: pd.DataFrame, cost: str) -> None:
    sign = 1.0 if get_metric(scene.metric).higher_is_better else -1.0
    front = points.loc[pareto_front(points[cost], sign * points["mean"])]
    axes.plot(front[cost], front["mean"], color=MUTED, linewidth=0.8, zorder=1)
    for method, row in points.iterrows():
        style = scene.styles[str(method)]
        drawn = axes.errorbar(
            [row[cost]],
            [row["mean"]],
            xerr=[[row[cost] - row[f"{cost}_low"]], [row[f"{cost}_high"] - row[cost]]],
            yerr=0 if np.isnan(row["se"]) else row["se"],
            color=style.colour,
            elinewidth=0.8,
            linestyle="none",
            **style.mark(6.5),
        )
        for artist in (drawn[0], *drawn[2]):
            artist.set_gid(f"method:{method}")
    keep_in_bounds(axes, scene.metric)


def _scale_time(axes: Axes, low: float, high: float) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    narrow = high < 30 * low
    axes.set_xscale("log")
    if high < 4 * low:
        middle = np.sqrt(low * high)
        axes.set_xlim(middle / 4, middle * 4)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if narrow else (1,)))
    axes.xaxis.set_major_formatter(lambda value, _: seconds(value).replace(".0 ", " "))
    axes.xaxis.set_minor_formatter(NullFormatter())
