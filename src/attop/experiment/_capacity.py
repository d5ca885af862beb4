"""Capacity curves: the hits among the first rows of a list, up to three times k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attop._core.top import Top
from attop._core.typing import Floats
from attop._core.wording import format_hits
from attop.experiment._forecast import NextList
from attop.experiment._interval import UNKNOWN, Units, interval
from attop.metrics._roc import RocPoints

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation

#: Where a curve is read, in multiples of k.
MULTIPLES = np.linspace(0, 3, 31)
_QUIET = "#8a8a8a"


def capacity(points: RocPoints, top: Top) -> Floats:
    """Compute the capacity curve of one list: its hits at `MULTIPLES` of k, divided by k."""
    n = int(points.fp[-1] + points.tp[-1])
    n_pos = int(points.tp[-1])
    k = top.resolve(n, n_pos)
    return points.hits(np.minimum(MULTIPLES * k, n)) / k


def curve_interval(
    curves: Floats,
    test_train_ratio: float,
    *,
    units: Units = UNKNOWN,
    bounded: bool = True,
) -> Floats:
    """Compute the 95% interval of the mean curve at each multiple of k, divided by k as the curves are.

    Parameters
    ----------
    curves : ndarray of shape (runs, len(MULTIPLES))
        See `capacity`.
    test_train_ratio : float
        Test items per training item, see `interval`.
    units : Units
        Those of precision@k at k itself.
    bounded : bool
        Whether no place holds more than one, as of hits; amounts have no bound.

    Returns
    -------
    ends : ndarray of shape (2, len(MULTIPLES))
        Low and high ends; at k itself the interval of precision@k. NaN where `interval` is, but for 0 at no
        row.
    """
    bounds = 0.0, 1.0 if bounded else np.inf
    ends = np.zeros((2, len(MULTIPLES)))
    for i, multiple in enumerate(MULTIPLES[1:], 1):
        at = Units(max(1.0, multiple * units.n), units.hits and bounded)
        ends[:, i] = interval(
            curves[:, i] / multiple, test_train_ratio, units=at, bounds=bounds
        )
    return ends * MULTIPLES


#: What a curve may show, and the name of its axis.
UNITS = {
    "hits": "hits among the first k",
    "share": "share of all positives that is found",
    "lift": "times the hits of a random order",
}
#: Likewise where positives are worth amounts.
AMOUNT = "amount among the first k"


class Curve(NamedTuple):
    """Line, band and name of a model."""

    line: Line2D
    band: FillBetweenPolyCollection | None
    name: Annotation


def draw_capacity(
    axes: Axes,
    curves: Mapping[str, Floats],
    k: int,
    n: int,
    n_pos: float,
    unit: str = "hits",
    forecast: NextList | None = None,
    bands: Mapping[str, Floats] | None = None,
) -> dict[str, Curve]:
    """Draw the mean curve of each model with its name, the random and the perfect order, and k.

    Parameters
    ----------
    axes : matplotlib Axes
    curves : mapping of str to ndarray of shape (runs, len(MULTIPLES))
        See `capacity`.
    k, n : int
    n_pos : float
        Rows there are places for, rows of the list, and positives; by "amount" what all of these are worth.
    unit : {"hits", "share", "lift", "amount"}
        By "amount" `curves` are amounts divided by k, and no perfect order is drawn.
    forecast : NextList, optional
        Hits of the next list, by `unit` "hits": its band holds for all k at once.
    bands : mapping of str to ndarray of shape (2, len(MULTIPLES)), optional
        The 95% interval of a model's mean, see `curve_interval`.

    Returns
    -------
    dict of str to Curve
    """
    x = MULTIPLES * k
    inside = (x <= n) & ((x > 0) | (unit != "lift"))
    x = x[inside]
    most = 0.0
    drawn: dict[str, Curve] = {}
    legend: dict[str, FillBetweenPolyCollection] = {}
    ends_of = bands or {}
    lift = n / (np.maximum(x, 1e-9) * n_pos)
    scale = {"share": np.full_like(x, 1 / n_pos), "lift": lift}.get(
        unit, np.ones_like(x)
    )
    most_hits = (
        np.full_like(x, np.inf) if unit == "amount" else np.minimum(x, n_pos)
    )
    all_found = n_pos * scale
    perfect = most_hits * scale
    random = x * n_pos / n * scale
    axes.plot(x, perfect, color=_QUIET, linewidth=0.8, linestyle="--")
    axes.plot(x, random, color=_QUIET, linewidth=0.8, linestyle=":")
    axes.axvline(k, color=_QUIET, linewidth=0.8, gid="budget")
    budget = f"budget {k:,}"
    if forecast and not forecast.reason:
        legend["the next list, 95%"] = axes.fill_between(
            forecast.ks,
            forecast.band_low,
            forecast.band_high,
            color=_QUIET,
            alpha=0.15,
            linewidth=0,
        )
        axes.vlines(k, forecast.low, forecast.high, color="black", linewidth=2.5)
        expected = format_hits(forecast.expected, k)
        budget += f": expect {expected}, in 95% of lists {forecast.low:.0f} to {forecast.high:.0f}"
        most = float(np.max(forecast.band_high))
    axes.text(
        k,
        1.01,
        budget,
        transform=axes.get_xaxis_transform(),
        ha="center",
        va="bottom",
        fontsize=8,
    )
    for model, runs in curves.items():
        mean = k * runs[:, inside].mean(axis=0) * scale
        (line,) = axes.plot(x, mean, label=model)
        band = None
        if model in ends_of and np.isfinite(ends_of[model]).all():
            low, high = k * ends_of[model][:, inside] * scale
            colour = line.get_color()
            high = np.minimum(high, all_found)
            band = axes.fill_between(
                x, low, high, color=colour, alpha=0.18, linewidth=0
            )
            legend.setdefault("mean, 95%", band)
        name = axes.annotate(
            model, (x[-1], mean[-1]), (5, 0), fontsize=8, textcoords="offset points", va="center",
            annotation_clip=False,
        )  # fmt: skip
        drawn[model], most = Curve(line, band, name), max(most, float(mean.max()))
    most = min(1.5 * most, 1.05 * float(perfect.max())) or 1.0
    _spread([curve.name for curve in drawn.values()], most)
    seen = np.flatnonzero(perfect <= 0.95 * most)
    ends = [("random", random, -1)]
    if len(seen):
        ends.append(("perfect", perfect, seen[0] if unit == "lift" else seen[-1]))
    for word, height, place in ends:
        # At the left end there is no room before the line: the numbers of the axis stand there.
        side, gap = ("right", -3) if x[place] > 0.2 * x[-1] else ("left", 5)
        axes.annotate(
            word, (x[place], height[place]), (gap, 3), textcoords="offset points", ha=side, color=_QUIET,
            fontsize=8,
        )  # fmt: skip
    axes.set(
        xlim=(0, x[-1]),
        ylim=(0, most),
        xlabel="items looked at, k",
        ylabel=UNITS.get(unit, AMOUNT),
    )
    axes.spines[["top", "right"]].set_visible(False)
    if legend:
        axes.legend(
            [*legend.values()], [*legend], loc="upper right" if unit == "lift" else "upper left",
            fontsize=8, frameon=False,
        )  # fmt: skip
    return drawn


def _spread(names: Sequence[Annotation], most: float) -> None:
    """Move the names at the ends of curves apart, so that none covers another."""
    room = 0.055 * most
    place = -np.inf
    rising = sorted(names, key=lambda name: name.xy[1])
    heights = [place := max(name.xy[1], place + room) for name in rising]
    limit = max(most, room * len(names))
    for name, height in zip(reversed(rising), reversed(heights), strict=True):
        name.xy = (name.xy[0], min(height, limit))
        limit = name.xy[1] - room
