"""Capacity curves: the hits among the first k of a list against k, up to three times the budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from attop.core.top import Top
from attop.core.typing import Floats
from attop.metrics.roc import RocPoints

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.lines import Line2D

__all__ = ["BUDGETS", "capacity", "draw_capacity"]

#: Where a curve is read, in budgets.
BUDGETS = np.linspace(0, 3, 31)
_QUIET = "#8a8a8a"


def capacity(points: RocPoints, top: Top) -> Floats:
    """Return the hits at `BUDGETS` of one scored list, both in budgets: hits at k are precision@k times k."""
    n, n_pos = int(points.fp[-1] + points.tp[-1]), int(points.tp[-1])
    k = top.resolve(n, n_pos)
    return points.hits(np.minimum(BUDGETS * k, n)) / k


def draw_capacity(
    axes: Axes, curves: Mapping[str, Floats], k: int, n: int, n_pos: int
) -> dict[str, tuple[Line2D, FillBetweenPolyCollection]]:
    """Draw the mean curve of each model with a band, the random and the perfect order, and the budget.

    Parameters
    ----------
    axes : matplotlib Axes
    curves : mapping of str to ndarray of shape (runs, len(BUDGETS))
        See `capacity`. The band is a standard deviation over the runs wide on each side.
    k, n, n_pos : int
        The budget, and the list it is spent on: its items and positives.

    Returns
    -------
    dict of str to (line, band)
    """
    x = BUDGETS * k
    x, drawn = x[x <= n], {}
    axes.plot(x, np.minimum(x, n_pos), color=_QUIET, linewidth=0.8, linestyle="--")
    axes.plot(x, x * n_pos / n, color=_QUIET, linewidth=0.8, linestyle=":")
    axes.axvline(k, color=_QUIET, linewidth=0.8)
    for model, runs in curves.items():
        mean, spread = k * runs.mean(axis=0)[: len(x)], k * runs.std(axis=0)[: len(x)]
        (line,) = axes.plot(x, mean, label=model)
        band = axes.fill_between(
            x, mean - spread, mean + spread, color=line.get_color(), alpha=0.18, linewidth=0
        )
        drawn[model] = line, band
    here = axes.get_xaxis_transform()
    axes.text(k, 1.01, f"budget {k:,}", transform=here, ha="center", va="bottom", fontsize=8)
    for height, word in ((min(x[-1], n_pos), "perfect"), (x[-1] * n_pos / n, "random")):
        axes.annotate(
            word, (x[-1], height), (-2, 3), textcoords="offset points", ha="right", color=_QUIET,
            fontsize=8,
        )  # fmt: skip
    axes.set(xlim=(0, x[-1]), xlabel="items looked at, k", ylabel="hits among the first k")
    axes.set_ylim(bottom=0)
    return drawn
