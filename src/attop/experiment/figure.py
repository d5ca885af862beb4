"""The figure of a comparison at the top."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["draw"]

_MARK, _RUNS, _CHANCE = "#1f5a96", "#9db8d2", "#8a8a8a"


def draw(found: Any, axes: Any = None) -> Any:
    """Draw a `TopComparison`: means, 95% intervals and single runs, best on top, with chance if in range."""
    from matplotlib.figure import Figure

    table, n = found.table, len(found.table)
    if axes is None:
        figure = Figure(figsize=(6.4, 1.3 + 0.42 * n), layout="constrained")
        axes = figure.subplots()
    rows = np.arange(n)[::-1]
    for row, name in zip(rows, table.index, strict=True):
        values = found.runs.loc[found.runs["model"] == name, "value"]
        axes.plot(values, np.full(len(values), row), "|", color=_RUNS, markersize=9, zorder=1)
    middle = table[found.metric]
    reach = np.nan_to_num([middle - table["low"], table["high"] - middle])
    axes.errorbar(middle, rows, xerr=reach, fmt="o", color=_MARK, capsize=3, zorder=2)
    if found.metric == "precision@k":
        axes.axvline(found.share, color=_CHANCE, linestyle=":", linewidth=1)
        axes.annotate(
            "chance", (found.share, 1), xycoords=("data", "axes fraction"), xytext=(3, -10),
            textcoords="offset points", color=_CHANCE, fontsize="small",
        )  # fmt: skip
    axes.set_yticks(rows, table.index)
    axes.set_ylim(-0.6, n - 0.4)
    axes.set_xlabel(f"{found.metric} ({found.top}), mean, 95% interval and runs")
    axes.spines[["top", "right"]].set_visible(False)
    return axes.get_figure()
