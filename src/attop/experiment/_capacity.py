"""Capacity curves: the hits among the first rows of a list, up to three times k."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from attop._core.top import Top
from attop._core.typing import Floats
from attop.experiment._forecast import NextList
from attop.metrics._roc import RocPoints

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.lines import Line2D

#: Where a curve is read, in multiples of k.
MULTIPLES = np.linspace(0, 3, 31)
_QUIET = "#8a8a8a"


def capacity(points: RocPoints, top: Top) -> Floats:
    """Return the hits of one scored list at `MULTIPLES` of k, divided by k: at k itself precision@k."""
    n, n_pos = int(points.fp[-1] + points.tp[-1]), int(points.tp[-1])
    k = top.resolve(n, n_pos)
    return points.hits(np.minimum(MULTIPLES * k, n)) / k


#: What a curve may show, and the name of its axis.
UNITS = {
    "hits": "hits among the first k",
    "share": "share of all positives that is found",
    "lift": "times the hits of a random order",
}


def draw_capacity(
    axes: Axes,
    curves: Mapping[str, Floats],
    k: int,
    n: int,
    n_pos: int,
    unit: str = "hits",
    coming: NextList | None = None,
) -> dict[str, tuple[Line2D, FillBetweenPolyCollection]]:
    """Draw the mean curve of each model with a band, the random and the perfect order, and k.

    Parameters
    ----------
    axes : matplotlib Axes
    curves : mapping of str to ndarray of shape (runs, len(MULTIPLES))
        See `capacity`. The band is a standard deviation over the runs wide on each side.
    k, n, n_pos : int
        Rows there are places for, rows of the list, and positives.
    unit : {"hits", "share", "lift"}
    coming : NextList, optional
        Hits of the next list, by `unit` "hits": its band holds for all k at once.

    Returns
    -------
    dict of str to (line, band)
    """
    x = MULTIPLES * k
    x, drawn = x[(x <= n) & ((x > 0) | (unit != "lift"))], {}
    scale = {"hits": np.ones_like(x), "share": np.full_like(x, 1 / n_pos)}.get(unit)
    scale = n / (np.maximum(x, 1e-9) * n_pos) if scale is None else scale
    ends = np.minimum(x, n_pos) * scale, x * n_pos / n * scale
    axes.plot(x, ends[0], color=_QUIET, linewidth=0.8, linestyle="--")
    axes.plot(x, ends[1], color=_QUIET, linewidth=0.8, linestyle=":")
    axes.axvline(k, color=_QUIET, linewidth=0.8, gid="budget")
    budget = f"budget {k:,}"
    if coming and not coming.reason:
        axes.fill_between(
            coming.ks, coming.band_low, coming.band_high, color=_QUIET, alpha=0.15, linewidth=0,
            label="the next list, 95%",
        )  # fmt: skip
        axes.vlines(k, coming.low, coming.high, color="black", linewidth=2.5)
        budget += f": expect {coming.expected:.0f}, in 95% of lists {coming.low:.0f} to {coming.high:.0f}"
    for model, runs in curves.items():
        shown = k * runs[:, np.isin(MULTIPLES * k, x)] * scale
        mean, std = shown.mean(axis=0), shown.std(axis=0)
        (line,) = axes.plot(x, mean, label=model)
        band = axes.fill_between(x, mean - std, mean + std, color=line.get_color(), alpha=0.18, linewidth=0)
        drawn[model] = line, band
    here = axes.get_xaxis_transform()
    axes.text(k, 1.01, budget, transform=here, ha="center", va="bottom", fontsize=8)
    for height, word in ((ends[0][-1], "perfect"), (ends[1][-1], "random")):
        axes.annotate(
            word, (x[-1], height), (-2, 3), textcoords="offset points", ha="right", color=_QUIET,
            fontsize=8,
        )  # fmt: skip
    axes.set(xlim=(0, x[-1]), xlabel="items looked at, k", ylabel=UNITS[unit])
    axes.set_ylim(bottom=0)
    return drawn
