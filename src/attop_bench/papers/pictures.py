"""Tables and pictures of the papers' pages: numbers side by side, coloured by verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.stats import t

from attop.experiment import CONFIDENCE, Verdict
from attop_bench.report.figures.scene import INK, MUTED, figure_theme

#: Verdict -> its colour, of Okabe and Ito's.
COLOURS: dict[str, str] = {
    Verdict.ABOVE: "#009e73",
    Verdict.EQUAL: "#0072b2",
    Verdict.OPEN: "#8c8c8a",
    Verdict.BELOW: "#d55e00",
}
_OTHER = "#c9c9c7"
#: Verdict -> its mark in a table; what is not shown has none.
MARKS: dict[str, str] = {v: v.mark for v in (Verdict.ABOVE, Verdict.BELOW, Verdict.EQUAL)}


def beside(
    rows: pd.DataFrame, index: str, columns: str, names: Mapping[str, str], digits: int = 2
) -> pd.DataFrame:
    """Return a table with a row a method, a column a top, and "printed/ours" with the verdict's mark."""
    printed = rows["printed"].map(f"{{:.{digits}f}}".format).str.replace("nan", "–")
    ours = rows["ours"].map(f"{{:.{digits}f}}".format).str.replace("nan", "–")
    cells = rows.assign(cell=printed + "/" + ours + rows["verdict"].map(MARKS).fillna(""))
    wide = cells.pivot(index=index, columns=columns, values="cell").fillna("")
    wide = wide.reindex([m for m in names if m in wide.index])[list(dict.fromkeys(rows[columns]))]
    wide.index = pd.Index([names[m] for m in wide.index], name="printed/ours")
    return wide.reset_index()


def half_interval(error: pd.Series, n: pd.Series) -> pd.Series:
    """Return half the 95% interval of means by Student's t, from standard errors and numbers of values.

    It is what all pictures show as the error of a mean. Of one value it is NaN.
    """
    freedom = (n - 1).where(n > 1)
    return error * t.ppf((1 + CONFIDENCE) / 2, freedom)


def counts(verdicts: Iterable[str]) -> str:
    """Return how often each verdict occurs, as marks: "2▲ 1▼", or "open"."""
    numbers = pd.Series(list(verdicts)).value_counts()
    parts = [f"{numbers[v]}{mark}" for v, mark in MARKS.items() if v in numbers]
    return " ".join(parts) or "open"


def panels(titles: Sequence[str], height: float, **options: Any) -> tuple[Figure, list[Axes]]:
    """Return a canvas of a page's width with panels side by side."""
    with figure_theme():
        canvas = Figure(figsize=(7.6, height), layout="constrained")
        axes = list(canvas.subplots(1, len(titles), squeeze=False, **options)[0])
        for one, title in zip(axes, titles, strict=True):
            one.set_title(title)
            one.spines[["top", "right"]].set_visible(False)
    return canvas, axes


def key(canvas: Figure, verdicts: Iterable[str], *, hollow: str = "printed", filled: str = "ours") -> None:
    """Say below the panels what is hollow, and which colour is which verdict."""
    dot: dict[str, Any] = {"marker": "o", "linestyle": "none", "markersize": 5}
    handles = [Line2D([], [], **dot, color=INK, markerfacecolor="white", label=hollow)] if hollow else []
    for verdict in (v for v in COLOURS if v in set(verdicts)):
        handles.append(Line2D([], [], **dot, color=COLOURS[verdict], label=f"{filled}: {verdict}"))
    canvas.legend(handles=handles, loc="outside lower center", ncols=5)


def dumbbells(
    parts: Mapping[str, pd.DataFrame], label: str, height: float, *, sharey: bool = False
) -> Figure:
    """Draw each row of a table, ``row``, ``printed``, ``ours`` and ``verdict``, as two dots on a line."""
    canvas, axes = panels(list(parts), height, sharey=sharey, sharex=sharey)
    with figure_theme():
        for one, table in zip(axes, parts.values(), strict=True):
            for y, row in enumerate(table.to_dict("records")):
                colour = COLOURS.get(row["verdict"], _OTHER)
                one.plot([row["printed"], row["ours"]], [y, y], color=colour, linewidth=1.6, zorder=1)
                one.plot(row["printed"], y, "o", color=MUTED, markerfacecolor="white", markersize=5, zorder=2)
                one.plot(row["ours"], y, "o", color=colour, markersize=5, zorder=3)
            one.set_yticks(range(len(table)), table["row"], fontsize=7)
            one.set_ylim(len(table) - 0.4, -0.6)
            one.set_xlabel(label)
        key(canvas, pd.concat(parts.values())["verdict"])
    return canvas
