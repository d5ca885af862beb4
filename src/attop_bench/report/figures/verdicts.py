"""Figures over the data sets: map and strip at the middle tops, regret, and win rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import seaborn
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from attop.experiment import TopJudgement, Verdict, legend, regrets
from attop.extending import abridge, count_noun, format_cell
from attop.statistics import bootstrap_means, difference
from attop_bench.report.compute.judgements import ERROR_BAR, shade
from attop_bench.report.compute.tables import Titles, rows_of
from attop_bench.report.figures.scene import (
    GRID,
    INK,
    MUTED,
    WIDTH,
    Drawn,
    Scene,
    blank,
)

#: The page's colours of distances to the best, and of the numbers on them.
_SHADES = ("#2f6bb3", "#8fb4e3", "#b7cfee", "#d4e2f5", "#e8f0fa", "#f7f9fc")
_EDGE, _MARK = "#0a2f5c", "#0b5cad"
_MARKS = legend("Outlined", "no mark", "dotted", "grey", "italic")
_FILLED = legend("Filled", "pale", "crossed", "hollow", "grey")
_FILLS = {Verdict.BEST: _MARK, Verdict.EQUAL: _MARK, Verdict.OPEN: "#a8c6e4"}


def map_figure(
    scene: Scene, judgements: Sequence[TopJudgement], names: Titles
) -> Drawn:
    """Draw the mean of every method on every data set, coloured by its distance to the best."""
    rows = list(scene.order)
    columns = [judged.dataset for judged in judgements]
    turned = len(columns) > len(rows)
    labels = [
        [abridge(scene.titles[m], 24) for m in rows],
        [abridge(names[d], 24) for d in columns],
    ]
    if turned:
        labels.reverse()
    height = len(labels[0])
    width = len(labels[1])
    canvas, (axes,) = blank(
        1, 1.5 + 0.19 * height, width=min(WIDTH, 2.2 + 0.6 * width)
    )
    for i, method in enumerate(rows):
        for j, judged in enumerate(judgements):
            if (value := judged.means.get(method)) is not None:
                _draw_cell(
                    axes, (i, j) if turned else (j, i), value, judged, method
                )
    axes.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5))
    axes.set_yticks(range(height), labels[0])
    axes.set_xticks(
        range(width), labels[1], rotation=55, ha="left", rotation_mode="anchor"
    )
    axes.tick_params(
        length=0, top=True, labeltop=True, bottom=False, labelbottom=False
    )
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    table = [
        (
            method,
            judged.dataset,
            judged.metric,
            judged.top,
            value,
            judged.state(method).word,
        )
        for judged in judgements
        for method, value in judged.means.items()
    ]
    return Drawn(
        canvas,
        "Mean over the runs, at the middle top of each data set. Darkest: within a hundredth of the "
        f"metric's range of the best; each paler shade doubles the distance. {_MARKS}.",
        pd.DataFrame(
            table, columns=["method", "dataset", "metric", "top", "mean", "state"]
        ),
    )


def _draw_cell(
    axes: Axes,
    place: tuple[int, int],
    value: float,
    judged: TopJudgement,
    method: str,
) -> None:
    x, y = place
    state = judged.state(method)
    step = len(_SHADES) - 1 if state is Verdict.UNRANKED else shade(judged, value)
    loud = state in (Verdict.BEST, Verdict.EQUAL)
    axes.add_patch(
        Rectangle((x - 0.47, y - 0.45), 0.94, 0.9, color=_SHADES[step], linewidth=0)
    )
    if loud:
        axes.add_patch(
            Rectangle(
                (x - 0.42, y - 0.4),
                0.84,
                0.8,
                fill=False,
                edgecolor=_EDGE,
                linewidth=1.3,
            )
        )
    if state is Verdict.UNTESTED:
        axes.plot(
            [x - 0.4, x + 0.4],
            [y + 0.38] * 2,
            color=_EDGE,
            linewidth=1.3,
            linestyle=(0, (1, 1)),
        )
    quiet = MUTED if state is Verdict.AHEAD else "#0d1b2a"
    look: dict[str, Any] = {
        "color": "#ffffff" if step == 0 else quiet,
        "weight": "bold" if loud else "normal",
        "style": "italic" if state is Verdict.UNRANKED else "normal",
    }
    axes.text(
        x,
        y + 0.02,
        format_cell(value),
        ha="center",
        va="center",
        fontsize=7,
        **look,
    )


def strip_figure(
    scene: Scene,
    judgements: Sequence[TopJudgement],
    names: Titles,
    evaluation: pd.DataFrame,
    summary: pd.DataFrame,
) -> Drawn:
    """Draw every run of every method, a panel for each data set, with the mean, its interval and its mark."""
    wide = min(len(judgements), 3)
    rows = range(len(scene.order))
    place = dict(zip(scene.order, rows, strict=True))
    high = math.ceil(len(judgements) / wide)
    height = high * (0.55 + 0.15 * len(rows))
    canvas, panels = blank(
        wide, height, width=2.6 + 4.4 * wide / 3, rows=high, sharey=True
    )
    parts = []
    for axes, judged in zip(panels, judgements, strict=False):
        columns = ["dataset", "method", "repeat", "fold", "metric", "top", "value"]
        part = _at(evaluation, judged)[columns].dropna()
        parts.append(part)
        axes.scatter(
            part["value"],
            part["method"].map(place),
            color=MUTED,
            alpha=0.35,
            s=2.2**2,
            linewidth=0,
        )
        ends = _at(summary, judged).dropna(subset="low")
        axes.hlines(
            ends["method"].map(place),
            ends["low"],
            ends["high"],
            color=_MARK,
            linewidth=1.2,
        )
        states = {method: judged.state(method) for method in judged.means}
        for marker, crossed in (("X", True), ("o", False)):
            those = [
                m
                for m, state in states.items()
                if (state is Verdict.UNTESTED) == crossed
            ]
            x = [judged.means[m] for m in those]
            y = [place[m] for m in those]
            fills = [_FILLS.get(states[m], "#ffffff") for m in those]
            edges = [
                MUTED if states[m] is Verdict.UNRANKED else _MARK for m in those
            ]
            axes.scatter(
                x,
                y,
                s=5**2,
                c=fills,
                marker=marker,
                edgecolor=edges,
                linewidth=1,
                zorder=3,
            )
        axes.set_title(
            f"{abridge(names[judged.dataset], 26)}, {judged.top}", fontsize=8
        )
        axes.set(xlabel="", ylabel="", ylim=(len(rows) - 0.5, -0.5))
        axes.set_yticks(rows, [abridge(scene.titles[m], 24) for m in scene.order])
        axes.locator_params(axis="x", nbins=4)
    for axes in panels[len(judgements) :]:
        axes.set_axis_off()
    caption = f"Every run (small dots), the mean and the {ERROR_BAR}, at the middle top of each data set."
    return Drawn(canvas, f"{caption} {_FILLED}.", pd.concat(parts))


def _at(table: pd.DataFrame, judged: TopJudgement) -> pd.DataFrame:
    """Select the rows of a table that a judgement is about."""
    place = {name: getattr(judged, name) for name in ("dataset", "metric", "top")}
    return rows_of(table, **place)


def regret_figure(scene: Scene, judgements: Sequence[TopJudgement]) -> Drawn | str:
    """Draw the regret of each method on each data set, its mean over the tops."""
    lost = regrets(judgements).dropna(axis=1)
    if lost.shape[1] < 2:
        return "No regret is drawn: fewer than two methods are ranked everywhere."
    lost = lost[lost.mean().sort_values(kind="stable").index]
    canvas, (axes,) = blank(1, height=0.7 + 0.19 * lost.shape[1])
    resampled = bootstrap_means(lost, higher_is_better=False)
    seaborn.barplot(
        lost,
        orient="h",
        errorbar=None,
        width=0.62,
        color="#b7cfee",
        saturation=1,
        ax=axes,
    )
    seaborn.stripplot(
        lost, orient="h", jitter=False, color=_MARK, alpha=0.5, size=3, ax=axes
    )
    if not resampled.refused:
        ends = resampled.low[list(lost)], resampled.high[list(lost)]
        axes.hlines(range(lost.shape[1]), *ends, color=INK, linewidth=1.2, zorder=3)
    axes.set_yticks(range(lost.shape[1]), [abridge(scene.titles[m]) for m in lost])
    axes.set(xlabel="mean regret, hundredths of the metric", ylabel="")
    axes.set_xlim(left=0)
    axes.grid(axis="y", visible=False)
    data = lost.melt(
        ignore_index=False, var_name="method", value_name="regret"
    ).rename_axis("dataset")
    return Drawn(
        canvas,
        "Regret: what the best of a data set and top has more, in hundredths of the metric (hits per "
        f"100 of precision@k). Dots: {count_noun(len(lost), 'data set')}, mean over tops; bar: their mean"
        + (
            "."
            if resampled.refused
            else "; line: 95% interval, bootstrap over data sets."
        ),
        data.reset_index(),
    )


def wins_figure(scene: Scene, judgements: Sequence[TopJudgement]) -> Drawn | str:
    """Draw the win rates of each method against each other one, over data sets and tops."""
    order = list(scene.order)
    if len(order) < 2:
        return "No win rates are drawn: there are fewer than two methods."
    sign = [1.0 if judged.higher_is_better else -1.0 for judged in judgements]
    table = pd.DataFrame([judged.means for judged in judgements]).mul(sign, axis=0)
    means = table.reindex(columns=order).to_numpy(float)
    ahead = difference(means[:, :, None], means[:, None, :])
    known = np.isfinite(ahead)
    wins = np.where(known, (np.sign(ahead) + 1) / 2, 0.0).sum(axis=0)
    with np.errstate(invalid="ignore"):
        rate = wins / known.sum(axis=0)
    np.fill_diagonal(rate, np.nan)
    canvas, (axes,) = blank(1, height=0.7 + 0.2 * len(order))
    numbers = range(1, len(order) + 1)
    labels = [
        f"{abridge(scene.titles[m])}  {i}"
        for i, m in zip(numbers, order, strict=True)
    ]
    look: dict[str, Any] = {
        "cmap": "RdBu",
        "cbar": False,
        "linecolor": GRID,
        "linewidths": 0.3,
    }
    look |= {"annot": True, "fmt": ".0f", "annot_kws": {"size": 7}}
    seaborn.heatmap(
        100 * rate,
        vmin=0,
        vmax=100,
        xticklabels=numbers,
        yticklabels=labels,
        ax=axes,
        **look,
    )
    axes.tick_params(
        length=0,
        top=True,
        labeltop=True,
        bottom=False,
        labelbottom=False,
        rotation=0,
    )
    axes.grid(visible=False)
    rows = [
        (a, b, rate[i, j])
        for i, a in enumerate(order)
        for j, b in enumerate(order)
        if i != j
    ]
    return Drawn(
        canvas,
        f"Of 100 comparisons, how many the row wins against the column: means over the runs, at "
        f"every top of every data set, {len(judgements)} in all; equal means count half. No test.",
        pd.DataFrame(rows, columns=["method", "other", "share"]),
    )
