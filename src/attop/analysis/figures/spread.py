"""The values of all runs, a box per method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from attop.analysis.compute.targets import main_target, sort_targets
from attop.analysis.figures.scene import Figure, Scene, blank, keep_in_bounds, runs_of
from attop.analysis.figures.style import figure_theme
from attop.analysis.wording import abridge, listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["spread_figure"]

_DENSE = 2000  # points from which on they are embedded as an image instead of one element each
_BOX_RUNS = 5  # fewer runs than this have no quartiles worth a box


def spread_figure(scene: Scene, summary: pd.DataFrame, evaluation: pd.DataFrame) -> Figure:
    """Draw every run's value and a box per method, at the smallest, the middle and the largest target."""
    part = scene.of(evaluation).dropna(subset="value")
    if part.empty:
        return scene.sentence(
            "spread", f"{scene.metric} has no defined value here, so there is no spread to draw."
        )
    if part.groupby(["method", "target"]).size().max() == 1:
        return scene.sentence(
            "spread", "One run per method and target: there is no spread to draw; see the table."
        )
    targets = sort_targets(part["target"])
    shown = list(dict.fromkeys([targets[0], main_target(targets), targets[-1]]))
    with figure_theme():
        canvas, panels = blank(len(shown), height=0.9 + 0.26 * len(scene.order), share=True)
        for axes, target in zip(panels, shown, strict=True):
            _draw_spread(axes, scene, part[part["target"] == target])
            axes.set_title(target)
        keep_in_bounds(panels[0], scene.metric, axis="x")
        _name_rows(panels[0], scene)
        rest = "" if len(shown) == len(targets) else f", {len(shown)} of the {len(targets)} targets"
        return scene.picture(
            "spread",
            canvas,
            f"Box plots of {scene.metric} by method at {listed(shown)}; the means are in the table.",
            f"{scene.metric} ({scene.direction}) of every run at {listed(shown)}{rest}; "
            f"{runs_of(scene, scene.of(summary))}. Small dots: runs; large mark: their mean; box: quartiles "
            f"and median, whiskers: furthest run within 1.5 box lengths, no box below {_BOX_RUNS} runs. "
            "Best first, by mean rank over the targets.",
            part.loc[part["target"].isin(shown), ["method", "target", "repeat", "fold", "value"]],
        )


def _draw_spread(axes: Axes, scene: Scene, part: pd.DataFrame) -> None:
    for row, method in enumerate(scene.order):
        values = part.loc[part["method"] == method, "value"].to_numpy()
        if len(values) == 0:
            continue
        style = scene.styles[method]
        if len(values) >= _BOX_RUNS:
            pen = {"color": style.colour, "linewidth": 0.9}
            axes.boxplot(
                [values],
                positions=[row],
                orientation="horizontal",
                widths=0.62,
                showfliers=False,
                boxprops=pen,
                whiskerprops=pen,
                capprops=pen,
                medianprops=pen,
            )
        # Spread by the order of the runs, not at random: the same picture every time.
        height = row + 0.2 * np.linspace(-1, 1, len(values)) if len(values) > 1 else [row]
        axes.scatter(
            values,
            height,
            s=9,
            color=style.colour,
            alpha=0.75,
            linewidths=0,
            rasterized=len(part) > _DENSE,
            zorder=2.5,
        )
        axes.plot([values.mean()], [row], color=style.colour, **style.mark(6.5), zorder=4)
    axes.set_ylim(len(scene.order) - 0.4, -0.6)
    axes.set_xlabel(scene.metric)
    axes.set_ylabel("")
    axes.grid(axis="y", visible=False)
    axes.locator_params(axis="x", nbins=5)
    axes.tick_params(axis="y", length=0)


def _name_rows(axes: Axes, scene: Scene) -> None:
    axes.set_yticks(range(len(scene.order)), [abridge(scene.titles[m]) for m in scene.order])
