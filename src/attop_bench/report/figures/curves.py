"""Figures of a data set with a line or point per method: against the top, ROC, tuning, training, cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter

from attop.extending import (
    Floats,
    Top,
    count_noun,
    format_duration,
    join_words,
    main_top,
    sort_tops,
)
from attop.metrics import RocPoints, get_metric
from attop_bench.report.compute.across import pareto_front
from attop_bench.report.compute.judgements import ERROR_BAR
from attop_bench.report.compute.tables import RUN, rows_of
from attop_bench.report.figures.scene import (
    GRID,
    MUTED,
    Drawn,
    Scene,
    blank,
    short_tops,
)

#: How far the marks of a top are set apart, of the width of the panel: a few pixels.
_DODGE = 0.008
_TIMED = ["seconds_selection", "seconds_training"]
_INSTANT = 1e-4  # seconds; a log axis has no place for 0
_AXIS = {
    "tau": "tau (share of the items)",
    "kappa": "kappa (share of the positives)",
}


def top_figure(scene: Scene, summary: pd.DataFrame) -> Drawn | str:
    """Draw the metric against k, tau or kappa."""
    part = scene.of(summary).dropna(subset="mean")
    if part.empty:
        return f"{scene.metric} has no defined value here, so there is nothing to draw."
    kinds: dict[str, list[str]] = {}
    for top in sort_tops(part["top"]):
        kinds.setdefault(Top.parse(top).size[0], []).append(top)
    kinds = {kind: tops for kind, tops in kinds.items() if len(tops) > 1}
    if not kinds:
        only = join_words(sort_tops(part["top"]))
        return f"{scene.metric} has values at {only} only, so no line over tops is drawn; see the table."
    methods = scene.among(part["method"])
    names = {}
    canvas, panels = blank(len(kinds), height=4.1)
    for axes, (kind, tops) in zip(panels, kinds.items(), strict=True):
        room = _DODGE * (len(tops) - 1)
        shifts = (
            np.linspace(-room, room, len(methods))
            if len(methods) > 1
            else np.zeros(1)
        )
        for method, shift in zip(methods, shifts, strict=True):
            rows = rows_of(part, method=method).set_index("top").reindex(tops)
            _draw_bars(axes, scene, method, np.arange(len(tops)) + shift, rows)
        scene.keep_in_bounds(axes)
        names[kind], labels = short_tops(tops)
        axes.set_xticks(range(len(tops)), labels)
        axes.grid(axis="x", visible=False)
        axes.set_xlabel(_AXIS.get(names[kind], names[kind]))
    panels[0].set_ylabel(scene.unit)
    scene.legend(canvas, methods)
    return Drawn(
        canvas,
        f"{scene.unit} ({scene.direction}) against {join_words([*names.values()])}, mean over "
        f"{scene.runs_of(part)}; bars: {ERROR_BAR}. Tops are set at equal distances. "
        "Legend: best first, by mean rank over the tops.",
        part[["method", "top", "mean", "std", "low", "high", "n", "n_expected"]],
    )


def _draw_bars(
    axes: Axes, scene: Scene, method: str, x: Floats, rows: pd.DataFrame
) -> None:
    look: dict[str, Any] = {
        "fmt": "none",
        "ecolor": scene.styles[method].colour,
        "elinewidth": 0.8,
    }
    bars = axes.errorbar(x, rows["mean"], yerr=_reach(rows), **look)
    bars[2][0].set_gid(f"method:{method}")
    scene.line(axes, method, x, rows["mean"])


def _reach(rows: pd.DataFrame) -> Floats:
    """Compute how far the intervals reach below and above the means; 0 where there is none."""
    reach = np.array(
        [rows["mean"] - rows["low"], rows["high"] - rows["mean"]], dtype=float
    )
    return np.maximum(np.nan_to_num(reach), 0.0)


def roc_figure(scene: Scene, roc: pd.DataFrame) -> Drawn | str:
    """Draw the mean ROC curve of each method at the main top, whole and with its left end enlarged."""
    part = scene.of(roc)
    part = part[(part["n_neg"] > 0) & (part["n_pos"] > 0)]
    if part.empty:
        return "No run here has ROC points, so no ROC curve is drawn."
    top = main_top(part["top"])
    part = rows_of(part, top=top)
    runs = part.drop_duplicates(RUN)
    end = left_end(top, runs["n_neg"].mean(), runs["n_pos"].mean(), scene.grouped)
    methods = scene.among(part["method"])
    counts = set()
    drawn = []
    canvas, (whole, left) = blank(2, height=3.9)
    for i, method in enumerate(methods):
        for axes, limit in ((whole, 1.0), (left, end)):
            fpr = np.linspace(0, limit, 131)
            tpr, n = mean_roc(rows_of(part, method=method), fpr)
            scene.line(axes, method, fpr, tpr, markevery=(3 + 4 * i % 26, 26))
            drawn.append(
                pd.DataFrame(
                    {"method": method, "fpr": fpr[::8], "tpr": tpr[::8], "n": n}
                )
            )
        counts.add(n)
    whole.plot([0, 1], [0, 1], color=MUTED, linewidth=0.7, linestyle=":")
    whole.axvspan(0, end, color=GRID, alpha=0.6, linewidth=0)
    whole.set(
        xlim=(-0.01, 1.01),
        ylim=(-0.01, 1.02),
        title="Whole curve",
        ylabel="true-positive rate",
    )
    left.set(
        xlim=(0, end),
        title=f"Left end: the first {100 * end:.2g}% of the negatives",
    )
    for axes in (whole, left):
        axes.set_xlabel("false-positive rate")
        axes.locator_params(axis="x", nbins=5)
    scene.legend(canvas, methods)
    low = min(counts)
    high = max(counts)
    return Drawn(
        canvas,
        f"ROC curves of the models trained for {top}: mean true-positive rate at each false-positive "
        f"rate over {count_noun(high, 'run') if low == high else f'{low} to {high} runs'} (vertical "
        f"averaging; no error bars, they would cover the lines). Right: the first {100 * end:.2g}% of "
        "the negatives, grey on the left; its vertical axis does not start at 0. Dotted: chance."
        + (" All groups are pooled." if scene.grouped else ""),
        pd.concat(drawn),
    )


def points_of(roc: pd.DataFrame) -> Iterator[RocPoints]:
    """Yield the ROC curve of each run, as counts."""
    for fp, tp in zip(roc["fp"], roc["tp"], strict=True):
        yield RocPoints(np.asarray(fp), np.asarray(tp))


def expected_best(values: Floats) -> Floats:
    """Compute the expected maximum of n of the values, drawn without replacement, for n = 1, ..., len.

    Of N values in ascending order the i-th is the largest of n drawn with probability
    ``C(i - 1, n - 1) / C(N, n)``.
    """
    rising = np.sort(np.asarray(values, dtype=float))
    N = len(rising)
    best = np.empty(N)
    chance = np.full(N, 1.0 / N)  # of each to be the largest of one drawn
    for n in range(1, N + 1):
        best[n - 1] = chance @ rising
        # C(i-1, n) / C(N, n+1) from C(i-1, n-1) / C(N, n); for i <= n it is 0.
        chance = (
            chance
            * np.maximum(np.arange(N) - n + 1, 0)
            / n
            * (n + 1)
            / max(N - n, 1)
        )
    return best


def budget_figure(scene: Scene, selection: pd.DataFrame) -> Drawn | str:
    """Draw the validation value of the best of n candidates tried, at the main top."""
    part = scene.of(selection)
    if part.empty:
        return "No method was tuned here, so there is no budget to draw."
    top = main_top(part["top"])
    part = rows_of(part, top=top)
    sign = 1.0 if get_metric(scene.metric).higher_is_better else -1.0
    means = (
        part.groupby(["method", *RUN, "candidate"], sort=False)["value"]
        .mean()
        .dropna()
    )
    curves = {}
    for method in scene.among(means.index.get_level_values("method")):
        runs = [
            sign * expected_best(sign * run.to_numpy())
            for _, run in means.loc[method].groupby(RUN)
        ]
        # An undefined validation value shortens a run.
        shortest = min(map(len, runs))
        curves[method] = (
            np.mean([run[:shortest] for run in runs], axis=0),
            len(runs),
        )
    longest = max((len(curve) for curve, _ in curves.values()), default=0)
    if longest < 2:
        return "No method has two candidates, so there is no budget to draw."
    canvas, (axes,) = blank(1, height=3.6)
    for method, (curve, _) in curves.items():
        scene.line(axes, method, np.arange(1, len(curve) + 1), curve, 4.5)
    _log_scale(
        axes,
        [n for n in (1, 2, 3, 5, 10, 20, 50, 100, 200) if n <= longest],
        base=2,
    )
    axes.set_xlabel("candidates tried (log scale)")
    axes.set_ylabel(f"{scene.metric} at {top}, validation")
    scene.keep_in_bounds(axes)
    scene.legend(canvas, list(curves))
    on_test = set(part["part"]) == {"test"}
    return Drawn(
        canvas,
        f"Was the baseline tuned? {scene.metric} at {top} ({scene.direction}) on the "
        f"{'test parts, by which this run selects,' if on_test else 'inner splits'} of the best of n "
        "candidates: the expectation over all ways to draw n from the grid, mean over "
        f"{count_noun(max(n for _, n in curves.values()), 'run')}. The values are those selected by and so "
        "optimistic. A line that still rises at its end would gain from a larger grid; a single point "
        "has one candidate.",
        pd.concat(
            pd.DataFrame(
                {
                    "method": m,
                    "candidates": np.arange(1, len(c) + 1),
                    "value": c,
                    "n": n,
                }
            )
            for m, (c, n) in curves.items()
        ),
    )


def trace_figure(scene: Scene, traces: pd.DataFrame) -> Drawn | str:
    """Draw, against the iterations, each method's objective and the metric on training and test part."""
    part = rows_of(traces, dataset=scene.dataset)
    lengths = part.groupby("method")["iterations"].size()
    methods = [m for m in scene.order if lengths.get(m, 0) > 1]
    if not methods:
        return "No method here was stopped along its training, so no training curve is drawn."
    part = part[part["method"].isin(methods)]
    # Objectives of different methods have different units: each as the share of its fall that is left.
    ends = part.groupby("method")["objective"].agg(["first", "min"])
    fall = (ends["first"] - ends["min"]).replace(0.0, np.nan)
    left = (part["objective"] - part["method"].map(ends["min"])) / part[
        "method"
    ].map(fall)
    part = part.assign(remaining=left)
    top = part["top"].iloc[0]
    most = part["iterations"].max()
    ticks = (
        [10**i for i in range(9) if 10**i <= most] if most >= 10 else [1, 2, 4, 8]
    )
    titles = {
        "remaining": "Objective: fall left",
        "train": f"{scene.metric}, training",
        "test": f"{scene.metric}, test",
    }
    canvas, panels = blank(3, height=3.4)
    for axes, (column, title) in zip(panels, titles.items(), strict=True):
        for method in methods:
            rows = rows_of(part, method=method)
            scene.line(
                axes, method, rows["iterations"], rows[column], 4, linewidth=1.0
            )
        _log_scale(axes, ticks)
        axes.set_title(title, fontsize=8)
        axes.set_xlabel("iterations (log scale)")
    for axes in panels[1:]:
        scene.keep_in_bounds(axes)
    lows, highs = zip(*(axes.get_ylim() for axes in panels[1:]), strict=True)
    for axes in panels[1:]:
        axes.set_ylim(min(lows), max(highs))
    scene.legend(canvas, methods)
    return Drawn(
        canvas,
        f"Surrogate and {scene.metric} ({scene.direction}) along training at {top}: one run, the "
        "first fold of the first repeat, with the candidate it selected, trained again and stopped after "
        "1, 2, 4, ... iterations (steps, rounds or passes, as the method counts). Left: what is left of "
        "the fall of the objective each method minimises on its training part, from 1 after the first "
        "iteration to 0 at its lowest; the objectives themselves are in the data.",
        part[
            [
                "method",
                "top",
                "iterations",
                "objective",
                "remaining",
                "train",
                "test",
            ]
        ],
    )


def _log_scale(axes: Axes, ticks: list[int], base: int = 10) -> None:
    axes.set_xscale("log", base=base)
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_xticks([], minor=True)


def cost_figure(
    scene: Scene, summary: pd.DataFrame, runs: pd.DataFrame
) -> Drawn | str:
    """Draw the metric at the main top against time, tuning included, and memory, a point per method."""
    part = scene.of(summary).dropna(subset="mean")
    jobs = scene.of(runs).drop_duplicates(["method", *RUN])
    jobs = jobs.assign(spent=jobs[_TIMED].fillna(0).sum(axis=1))
    jobs = jobs[(jobs["status"] == "ok") & jobs[_TIMED].notna().any(axis=1)]
    if part.empty or jobs.empty:
        return "No run here has both a time and a value, so cost is not drawn."
    top = main_top(part["top"])
    part = rows_of(part, top=top)
    zeros = sorted(
        {scene.titles[m] for m in jobs.loc[jobs["spent"] < _INSTANT, "method"]}
    )
    points = part.set_index("method")[["mean", "low", "high", "n"]].join(
        _quartiles(jobs), how="inner"
    )
    points = points.reindex([m for m in scene.order if m in points.index])
    sign = 1.0 if get_metric(scene.metric).higher_is_better else -1.0
    canvas, (time, memory) = blank(2, height=3.9)
    for axes, cost in ((time, "seconds"), (memory, "memory")):
        front = pareto_front(points[cost], sign * points["mean"])
        points[f"on_front_{cost}"] = points.index.isin(front)
        axes.plot(
            *points.loc[front, [cost, "mean"]].T.to_numpy(),
            color=MUTED,
            linewidth=0.8,
            zorder=1,
        )
        _draw_costs(axes, scene, points, cost)
    _scale_time(time, points["seconds"].min(), points["seconds"].max())
    time.set_xlabel("tuning and training of one job (log scale)")
    time.set_ylabel(f"{scene.unit} at {top}")
    memory.set_xlabel("peak memory of one job, MB")
    memory.locator_params(axis="x", nbins=5)
    scene.legend(canvas, list(points.index), lines=False)
    return Drawn(
        canvas,
        f"{scene.unit} at {top} ({scene.direction}; mean, bars: {ERROR_BAR}) "
        "against the time and the memory of one job, which tunes and trains all its candidates and tops "
        f"(median; quartiles are in the data), over {scene.runs_of(part)}. Memory is that of the whole "
        "process, Python and its libraries included. Grey line: methods no other beats at both."
        + (
            f" Faster than {format_duration(_INSTANT)}, drawn there: {join_words(zeros)}."
            if zeros
            else ""
        ),
        points.reset_index(names="method"),
    )


def _quartiles(jobs: pd.DataFrame) -> pd.DataFrame:
    """Compute median and quartiles of time and memory by method."""
    costs = {
        "seconds": jobs["spent"].clip(lower=_INSTANT),
        "memory": jobs["peak_memory_mb"],
    }
    columns: dict[str, pd.Series] = {}
    for name, values in costs.items():
        quartiles = (
            values.groupby(jobs["method"]).quantile([0.25, 0.5, 0.75]).unstack()
        )
        columns |= {
            f"{name}_low": quartiles[0.25],
            name: quartiles[0.5],
            f"{name}_high": quartiles[0.75],
        }
    return pd.DataFrame(columns)


def _draw_costs(axes: Axes, scene: Scene, points: pd.DataFrame, cost: str) -> None:
    for method, row in points.iterrows():
        style = scene.styles[str(method)]
        drawn = axes.errorbar(
            row[cost],
            row["mean"],
            yerr=_reach(points.loc[[method]]),
            color=style.colour,
            elinewidth=0.8,
            linestyle="none",
            **style.mark(6.5),
        )
        for artist in (drawn[0], *drawn[2]):
            artist.set_gid(f"method:{method}")
    scene.keep_in_bounds(axes)


def _scale_time(axes: Axes, low: float, high: float) -> None:
    narrow = high < 30 * low
    axes.set_xscale("log")
    if high < 4 * low:
        middle = np.sqrt(low * high)
        axes.set_xlim(middle / 4, middle * 4)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if narrow else (1,)))
    axes.xaxis.set_major_formatter(
        lambda value, _: format_duration(value).replace(".0 ", " ")
    )
    axes.xaxis.set_minor_formatter(NullFormatter())


def mean_roc(roc: pd.DataFrame, fpr: Floats) -> tuple[Floats, int]:
    """Average the ROC curves of one method vertically; return the mean and the number of curves.

    Curves without a positive or a negative are left out.
    """
    rated = points_of(roc[(roc["n_neg"] > 0) & (roc["n_pos"] > 0)])
    curves = [np.interp(fpr, *points.rates()) for points in rated]
    return (np.mean(curves, axis=0) if curves else np.full(len(fpr), np.nan)), len(
        curves
    )


def left_end(top: str, n_neg: float, n_pos: float, grouped: bool) -> float:
    """Choose the end of the enlarged left part of the false-positive axis.

    Twice the k of the top as a share of the negatives, but at least 10 negatives and at most a tenth of
    them; a tenth with groups, which the curve pools.
    """
    if grouped:
        return 0.1
    try:
        k = Top.parse(top).resolve(int(n_neg + n_pos), int(n_pos))
    # More than there are items: the tenth is all there is to show.
    except ValueError:
        return 0.1
    return min(0.1, max(2 * k, 10) / n_neg)
