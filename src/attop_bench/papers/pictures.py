"""Tables and pictures of the papers' pages: numbers side by side, coloured by verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from scipy.stats import t

from attop.experiment import CONFIDENCE, Verdict
from attop.metrics import get_metric
from attop_bench.report.figures.scene import INK, MUTED, figure_theme

#: Verdict -> its colour, of Okabe and Ito's.
COLOURS: dict[str, str] = {
    Verdict.ABOVE: "#009e73",
    Verdict.EQUAL: "#0072b2",
    Verdict.OPEN: "#8c8c8a",
    Verdict.BELOW: "#d55e00",
}
_OTHER = "#c9c9c7"
#: What a bar is, for the key and the caption of a picture of a paper that prints standard deviations.
BARS = "95% interval of a mean (printed: by its standard deviation)"
#: How far a number and its bar stand from the middle of their row, in rows.
_SHIFT = 0.2
#: Verdict -> its mark in a table; what is not shown has none.
MARKS: dict[str, str] = {
    v: v.mark for v in (Verdict.ABOVE, Verdict.BELOW, Verdict.EQUAL)
}


def beside(
    rows: pd.DataFrame,
    index: str,
    columns: str,
    names: Mapping[str, str],
    digits: int = 2,
) -> pd.DataFrame:
    """Tabulate "printed/ours" with the verdict's mark, a row for each method and a column for each top."""
    printed = rows["printed"].map(f"{{:.{digits}f}}".format).str.replace("nan", "–")
    ours = rows["ours"].map(f"{{:.{digits}f}}".format).str.replace("nan", "–")
    cells = rows.assign(
        cell=printed + "/" + ours + rows["verdict"].map(MARKS).fillna("")
    )
    wide = cells.pivot(index=index, columns=columns, values="cell").fillna("")
    wide = wide.reindex([m for m in names if m in wide.index])[
        list(dict.fromkeys(rows[columns]))
    ]
    wide.index = pd.Index([names[m] for m in wide.index], name="printed/ours")
    return wide.reset_index()


def half_interval(error: pd.Series, n: pd.Series) -> pd.Series:
    """Compute half the 95% interval of means by Student's t, from standard errors and numbers of values.

    It is what all pictures show as the error of a mean. Of one value it is NaN.
    """
    freedom = (n - 1).where(n > 1)
    return error * t.ppf((1 + CONFIDENCE) / 2, freedom)


def counts(verdicts: Iterable[str]) -> str:
    """Count how often each verdict occurs, as marks: "2▲ 1▼", or "open"."""
    numbers = pd.Series(list(verdicts)).value_counts()
    parts = [f"{numbers[v]}{mark}" for v, mark in MARKS.items() if v in numbers]
    return " ".join(parts) or "open"


def panels(
    titles: Sequence[str], height: float, **options: Any
) -> tuple[Figure, list[Axes]]:
    """Make a canvas of a page's width with panels side by side."""
    with figure_theme():
        canvas = Figure(figsize=(7.6, height), layout="constrained")
        axes = list(canvas.subplots(1, len(titles), squeeze=False, **options)[0])
        for one, title in zip(axes, titles, strict=True):
            one.set_title(title)
            one.spines[["top", "right"]].set_visible(False)
    return canvas, axes


def key(
    canvas: Figure,
    verdicts: Iterable[str],
    *,
    hollow: str = "printed",
    filled: str = "ours",
    bars: str = "",
) -> None:
    """Say below the panels what is hollow, which colour is which verdict, and what the bars are, if any."""
    dot: dict[str, Any] = {"marker": "o", "linestyle": "none", "markersize": 5}
    handles: list[Any] = [
        Line2D([], [], **dot, color=INK, markerfacecolor="white", label=hollow)
    ]
    for verdict in (v for v in COLOURS if v in set(verdicts)):
        handles.append(
            Line2D(
                [], [], **dot, color=COLOURS[verdict], label=f"{filled}: {verdict}"
            )
        )
    handles.append(Patch(facecolor="none", edgecolor=MUTED, label=bars))
    shown = [handle for handle in handles if handle.get_label()]
    canvas.legend(handles=shown, loc="outside lower center", ncols=5)


def dumbbells(
    parts: Mapping[str, pd.DataFrame],
    label: str,
    height: float,
    *,
    sharey: bool = False,
) -> Figure:
    """Draw each row of a table, ``row``, ``printed``, ``ours`` and ``verdict``, as two dots on a line.

    Of a paper that prints standard deviations, ``printed_spread``, each dot is on the bar of its 95% interval
    instead, the printed one, hollow, above ours.
    """
    canvas, axes = panels(list(parts), height, sharey=sharey, sharex=sharey)
    every = pd.concat(parts.values())
    bars = BARS if "printed_spread" in every.dropna(axis=1, how="all") else ""
    with figure_theme():
        for one, table in zip(axes, parts.values(), strict=True):
            colours = table["verdict"].map(COLOURS).fillna(_OTHER)
            places = np.arange(len(table))
            if bars:
                _draw_intervals(one, table, colours)
            else:
                one.hlines(
                    places, table["printed"], table["ours"], colours, linewidth=1.6
                )
            shift = _SHIFT if bars else 0.0
            one.scatter(
                table["printed"],
                places - shift,
                22,
                "white",
                edgecolors=MUTED,
                zorder=2,
            )
            one.scatter(table["ours"], places + shift, 22, colours, zorder=3)
            one.set_yticks(places, table["row"], fontsize=7)
            one.set_ylim(len(table) - 0.4, -0.6)
            one.set_xlabel(label)
        key(canvas, every["verdict"], bars=bars)
    return canvas


def _draw_intervals(axes: Axes, table: pd.DataFrame, colours: pd.Series) -> None:
    """Draw the 95% intervals of means, within the metric, from standard deviations over the runs of ours."""
    axes.use_sticky_edges = False  # leaves room around the bars, as around dots
    bounds = get_metric(table["metric"].iloc[0]).bounds
    hollow = {"color": "none", "edgecolor": MUTED}
    filled = {"color": colours, "alpha": 0.4}
    for mean, spread, shift, look in (
        ("printed", "printed_spread", -_SHIFT, hollow),
        ("ours", "spread", _SHIFT, filled),
    ):
        half = half_interval(table[spread] / table["n"] ** 0.5, table["n"])
        low, high = ((table[mean] + side).clip(*bounds) for side in (-half, half))
        axes.barh(
            np.arange(len(table)) + shift,
            high - low,
            left=low,
            height=0.3,
            zorder=1,
            **look,
        )
