"""The metric against the top, a line per method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from attop.core.wording import counted, listed
from attop_bench.report.compute.tops import read_top, sort_tops
from attop_bench.report.figures.scene import Figure, Scene, blank, keep_in_bounds, legend, runs_of
from attop_bench.report.figures.style import figure_theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["top_figure"]

#: How far the marks of a top are set apart, of the width of the panel: a few pixels.
_DODGE = 0.008


def top_figure(scene: Scene, summary: pd.DataFrame) -> Figure:
    """Draw the metric against k, tau or kappa, a line per method."""
    part = scene.of(summary).dropna(subset="mean")
    kinds: dict[str, list[str]] = {}
    for top in sort_tops(part["top"]):
        kinds.setdefault(read_top(top)[0], []).append(top)
    kinds = {kind: tops for kind, tops in kinds.items() if len(tops) > 1}
    if part.empty:
        return scene.sentence(
            "top", f"{scene.metric} has no defined value here, so there is nothing to draw."
        )
    if not kinds:
        only = listed(sort_tops(part["top"]))
        return scene.sentence(
            "top",
            f"{scene.metric} has values at {only} only, so no line over tops is drawn; see the table.",
        )
    with figure_theme():
        canvas, panels = blank(len(kinds), height=4.1)
        for axes, (kind, tops) in zip(panels, kinds.items(), strict=True):
            _draw_tops(axes, scene, part, kind, tops)
        panels[0].set_ylabel(scene.metric)
        shown = [m for m in scene.order if m in set(part["method"])]
        across = listed(list(kinds))
        legend(canvas, scene, shown)
        return scene.picture(
            "top",
            canvas,
            f"Line chart of {scene.metric} against {across}, {counted(len(shown), 'method')}; "
            "the values are in the table.",
            f"{scene.metric} ({scene.direction}) against {across}, mean over {runs_of(scene, part)}; "
            "bars: plus and minus one standard error. Tops are set at equal distances. Legend: best "
            "first, by mean rank over the tops.",
            part[["method", "top", "mean", "std", "se", "n", "n_expected"]],
        )


def _draw_tops(axes: Axes, scene: Scene, part: pd.DataFrame, kind: str, tops: list[str]) -> None:
    place = np.arange(len(tops), dtype=float)
    methods = [m for m in scene.order if m in set(part["method"])]
    room = _DODGE * (len(tops) - 1)
    shifts = np.linspace(-room, room, len(methods)) if len(methods) > 1 else np.zeros(1)
    for method, shift in zip(methods, shifts, strict=True):
        its = part[part["method"] == method].set_index("top").reindex(tops)
        style = scene.styles[method]
        x = place + shift
        bars = axes.errorbar(
            x, its["mean"], yerr=its["se"].fillna(0), fmt="none", ecolor=style.colour, elinewidth=0.8
        )
        line = axes.plot(x, its["mean"], **style.line, **style.mark(), linewidth=1.1)[0]
        for artist in (bars[2][0], line):
            artist.set_gid(f"method:{method}")
    keep_in_bounds(axes, scene.metric)
    axes.set_xticks(place, [f"{read_top(t)[1]:g}" for t in tops])
    axes.grid(axis="x", visible=False)
    axes.set_xlabel(
        {"tau": "tau (share of the items)", "kappa": "kappa (share of the positives)"}.get(kind, kind)
    )
