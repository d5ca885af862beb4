"""Curves of what the first k rows of a list hold: hits, or the amounts that the positives are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from attop.experiment import (
    AMOUNT,
    MULTIPLES,
    UNITS,
    capacity,
    curve_interval,
    draw_capacity,
)
from attop.extending import Floats, Top, abridge, count_noun, format_sum, main_top
from attop_bench.report.compute.judgements import ERROR_BAR
from attop_bench.report.compute.tables import RUN, rows_of
from attop_bench.report.figures.curves import points_of
from attop_bench.report.figures.scene import Drawn, Scene, blank

#: Most curves in a figure, each with its name: the rest is in its data.
_NAMED = 8
#: Between two names, of the height of the panel.
ROOM = 0.055
#: Place of k itself on a curve.
BUDGET = int(np.flatnonzero(MULTIPLES == 1)[0])


@dataclass(frozen=True)
class _List:
    """The list that a curve is about: `k` places among `n` rows, of which `n_pos` are positive."""

    k: int
    n: int
    n_pos: int
    words: str

    @classmethod
    def of(cls, size: Top, runs: pd.DataFrame) -> _List:
        """Take a test part's list or, for a top that names its list, that one, cut at the same share."""
        n_neg, n_pos = (round(runs[name].mean()) for name in ("n_neg", "n_pos"))
        n = n_neg + n_pos
        if size.out_of and size.k:
            words = f"a list of {size.out_of:,} items, from test parts cut at the same share"
            return cls(
                size.k, size.out_of, max(1, round(n_pos / n * size.out_of)), words
            )
        return cls(
            size.resolve(n, n_pos),
            n,
            n_pos,
            f"a test part of {n:,} items ({n_pos:,} positive)",
        )


def capacity_figure(scene: Scene, roc: pd.DataFrame) -> Drawn | str:
    """Draw the hits among the first k against k, of the models trained for the main top.

    Where methods are compared by amounts, amounts come first.
    """
    part = scene.of(roc)
    if scene.grouped:
        return "No curve of hits is drawn: each group is a list of its own."
    if part.empty:
        return "No curve of hits is drawn: no run here has stored scores."
    top = main_top(part["top"])
    part = rows_of(part, top=top)
    size = Top.parse(top)
    about = _List.of(size, part.drop_duplicates(RUN))
    methods = scene.among(part["method"])
    rows = {method: rows_of(part, method=method) for method in methods}
    hits = {
        m: np.array([capacity(points, size) for points in points_of(rows[m])])
        for m in methods
    }
    amounts = (
        {m: _amounts(rows[m], size) for m in methods}
        if _in_amounts(scene, part)
        else {}
    )
    worth = _worth(part) * about.n if amounts else 0.0
    first = [method for method in methods if method in scene.highlighted]
    named = scene.among([*first, *methods][:_NAMED])
    units = ["amount", *UNITS] if amounts else [*UNITS]
    canvas, (whole,) = blank(1, height=3.3, width=4.6)
    others = [canvas.add_subplot(1, 1, 1) for _ in units[1:]]
    for unit, axes in zip(units, (whole, *others), strict=True):
        axes.set_gid(f"by:{unit}")
        curves = amounts if unit == "amount" else hits
        _draw(axes, scene, {m: curves[m] for m in named}, about, unit, worth)
    most = max(len(curves) for curves in hits.values())
    what = (
        f"{AMOUNT.capitalize()}, and positives there,"
        if amounts
        else "Positives among the first k"
    )
    return Drawn(
        canvas,
        f"{what} of {about.words}, models trained for {top}: mean over {count_noun(most, 'run')}, ties in "
        f"random order; band, of the best and the baseline: {ERROR_BAR}. Dashed: a perfect order; dotted: a "
        "random one.",
        _numbers(hits, amounts, about, worth),
    )


def _in_amounts(scene: Scene, part: pd.DataFrame) -> bool:
    """Tell whether methods are compared by amounts, and every run has some."""
    compared = scene.metric.startswith("amount")
    return (
        compared
        and "amounts" in part
        and all(len(amounts) > 0 for amounts in part["amounts"])
    )


def _amounts(rows: pd.DataFrame, size: Top) -> Floats:
    """Divide the amounts of each run at `MULTIPLES` of k by k: at k itself this is amount@k."""
    lengths = rows["n_neg"] + rows["n_pos"]
    places = [
        size.resolve(int(n), int(n_pos))
        for n, n_pos in zip(lengths, rows["n_pos"], strict=True)
    ]
    amounts = np.array([np.asarray(one, float)[:-1] for one in rows["amounts"]])
    return amounts / np.array(places)[:, None]


def _worth(part: pd.DataFrame) -> float:
    """Average the worth of a row, which a random order finds at each place."""
    runs = part.drop_duplicates(RUN)
    totals = np.array([float(amounts[-1]) for amounts in runs["amounts"]])
    return float(np.mean(totals / (runs["n_neg"] + runs["n_pos"])))


def _draw(
    axes: Axes,
    scene: Scene,
    curves: Mapping[str, Floats],
    about: _List,
    unit: str,
    worth: float,
) -> None:
    """Draw the curves in a unit, those in colour with the band of their mean."""
    every = worth if unit == "amount" else about.n_pos
    loud = [method for method in curves if method in scene.highlighted]
    bands = {
        method: curve_interval(
            curves[method], scene.ratio, units=scene.units, bounded=unit != "amount"
        )
        for method in loud
    }
    lines = draw_capacity(axes, curves, about.k, about.n, every, unit, bands=bands)
    place_names(axes, lines, loud)
    for method, curve in lines.items():
        style = scene.styles[method]
        curve.line.set(**style.line)
        curve.name.set(
            text=abridge(scene.titles[method]),
            weight="bold" if method in loud else "normal",
        )
        if curve.band is not None:
            curve.band.set(color=style.colour)
        for artist in filter(None, curve):
            artist.set_gid(f"method:{method}")
    if unit == "amount":
        axes.yaxis.set_major_formatter(lambda value, _: format_sum(value))
    if legend := axes.get_legend():
        legend.remove()  # the caption says it


def place_names(axes: Axes, lines: Mapping[str, Any], loud: Sequence[str]) -> None:
    """Put names at the ends of their lines: those in colour, and of the others those with room near by."""
    top = axes.get_ylim()[1]
    taken: list[float] = []
    for method in [*loud, *(name for name in lines if name not in loud)]:
        name = lines[method].name
        heights = np.asarray(lines[method].line.get_ydata(), float)
        end = min(float(heights[-1]), top)
        height = _nearest_free(end, taken, top)
        if method in loud or abs(height - end) <= 2 * ROOM * top:
            name.xy = (name.xy[0], height)
            taken.append(height)
        else:
            name.set_visible(False)


def _nearest_free(end: float, taken: Sequence[float], top: float) -> float:
    """Find the height nearest to the end of a line at which a name covers no other."""
    steps = ROOM * top * np.arange(len(taken) + 2)
    for height in np.stack([end - steps, end + steps], axis=1).ravel():
        if 0 <= height <= top and all(
            abs(height - other) >= 0.99 * ROOM * top for other in taken
        ):
            return float(height)
    return end


def _numbers(
    hits: Mapping[str, Floats],
    amounts: Mapping[str, Floats],
    about: _List,
    worth: float,
) -> pd.DataFrame:
    """Tabulate the curves: a row for each method and k."""
    k = about.k * MULTIPLES
    inside = k <= about.n
    tables = []
    for method, curves in hits.items():
        found = about.k * curves.mean(axis=0)
        table = pd.DataFrame({"method": method, "k": k, "hits": found})
        if amounts:
            table.insert(2, "amount", about.k * amounts[method].mean(axis=0))
        tables.append(table[inside])
    table = pd.concat(tables, ignore_index=True)
    share = table["hits"] / about.n_pos
    table = table.assign(
        share=share.round(3), lift=(share * about.n / table["k"]).round(2)
    )
    return (
        table.assign(amount_by_chance=worth * table["k"] / about.n)
        if amounts
        else table
    )
