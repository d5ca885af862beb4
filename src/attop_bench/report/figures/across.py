"""Figures over all data sets: the critical-difference diagram and the performance profile."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from attop.core.wording import abridge, counted, fine, fixed, with_p
from attop_bench.report.compute.across import Across
from attop_bench.report.figures.scene import (
    INK,
    MUTED,
    WIDTH,
    Figure,
    Scene,
    blank,
    figure_theme,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["diagram_figure", "profile_figure"]

# The diagram's heights, in rows of labels; downwards is positive.
_ROOM = 1.1  # above the rank axis for its numbers and the critical difference
_BAR = 0.34  # from one bar of a clique to the next
_LETTER = 0.062  # inches, of the labels' font


def diagram_figure(scene: Scene, found: Across) -> Figure:
    """Draw mean ranks, and bars over methods that Nemenyi's test does not tell apart."""
    comparison, friedman = found.nemenyi, found.friedman
    if comparison.refused:
        return scene.sentence("diagram", f"No critical-difference diagram is drawn. {comparison.refused}")
    ranks = comparison.ranks
    order = [str(m) for m in ranks.index]
    with figure_theme():
        rows = math.ceil(len(order) / 2)
        top = 0.45 + _BAR * len(comparison.cliques)
        height = _ROOM + top + rows
        canvas, (axes,) = blank(1, height=0.3 * height + 0.1)
        axes.set_axis_off()
        sides = [_width(scene, order[:rows]), _width(scene, order[rows:])]
        inch = (len(order) - 1) / (WIDTH - 0.2 - sum(sides))
        axes.set(
            xlim=(1 - sides[0] * inch, len(order) + sides[1] * inch), ylim=(top + rows - 0.4, -_ROOM - 0.1)
        )
        _draw_axis(axes, len(order), comparison.critical_difference)
        for i, method in enumerate(order):
            left = i < rows
            row = i if left else len(order) - 1 - i
            end = 1 - 0.25 * inch if left else len(order) + 0.25 * inch
            _draw_method(axes, scene, method, ranks[method], (end, top + row), left)
        for i, clique in enumerate(comparison.cliques):
            ends = [ranks[clique[0]] - 0.05 * inch, ranks[clique[-1]] + 0.05 * inch]
            height = 0.4 + _BAR * i
            axes.plot(ends, [height, height], color=INK, linewidth=2.6, solid_capstyle="butt", zorder=3)
        said = (
            f"Friedman's test: {with_p(friedman.p_F)}"
            if friedman.p_F < comparison.alpha
            else f"Friedman's test does not reject that all rank equally, {with_p(friedman.p_F)}: do not "
            "read single differences"
        )
        data = pd.DataFrame(
            {
                "method": order,
                "mean_rank": ranks.to_numpy(),
                "bars": [
                    " ".join(str(i + 1) for i, clique in enumerate(comparison.cliques) if m in clique)
                    for m in order
                ],
            }
        )
        return scene.picture(
            "diagram",
            canvas,
            f"Critical-difference diagram of {counted(len(order), 'method')}; the ranks are in the table.",
            f"Mean rank over {found.over}, 1 the best, by {found.unit}. A bar joins methods that "
            f"Nemenyi's test does not tell apart at alpha = {comparison.alpha:g}: their mean ranks differ by "
            f"less than the critical difference, CD = {fixed(comparison.critical_difference, 2)}. {said}.",
            data,
        )


def _width(scene: Scene, methods: Sequence[str]) -> float:
    """Return how many inches a column of labels takes."""
    return _LETTER * (max(len(abridge(scene.titles[m])) for m in methods) + 5) + 0.4


def _draw_axis(axes: Axes, k: int, cd: float) -> None:
    axes.plot([1, k], [0, 0], color=MUTED, linewidth=0.8, zorder=1)
    step = math.ceil((k - 1) / 14)
    for rank in range(1, k + 1, step):
        axes.plot([rank, rank], [0, -0.12], color=MUTED, linewidth=0.8)
        axes.text(rank, -0.2, str(rank), ha="center", va="bottom", color=INK)
    # The critical difference from the best rank on; one wider than the axis tells nothing apart.
    end = min(1 + cd, k)
    axes.plot([1, end], [-0.95, -0.95], color=INK, linewidth=0.9)
    for x in (1, end) if end > 1 + cd - 1e-9 else (1,):
        axes.plot([x, x], [-1.05, -0.85], color=INK, linewidth=0.9)
    axes.annotate(
        f"CD = {fixed(cd, 2)}" + ("" if end > 1 + cd - 1e-9 else ", wider than the axis"),
        (end, -0.95),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        color=INK,
    )


def _draw_method(
    axes: Axes, scene: Scene, method: str, rank: float, end: tuple[float, float], left: bool
) -> None:
    style = scene.styles[method]
    x, y = end
    name, number = abridge(scene.titles[method]), fixed(rank, 2)
    text = f"{name}\u2002{number}" if left else f"{number}\u2002{name}"
    artists = [
        axes.plot([rank, rank, x], [0, y, y], **style.line, linewidth=1.0, zorder=2)[0],
        axes.plot([rank, x], [0, y], color=style.colour, linestyle="none", **style.mark(6.0), zorder=4)[0],
        axes.annotate(
            text,
            (x, y),
            xytext=(-5 if left else 5, 0),
            textcoords="offset points",
            ha="right" if left else "left",
            va="center",
            color=INK,
            annotation_clip=False,
        ),
    ]
    for artist in artists:
        artist.set_gid(f"method:{method}")


def profile_figure(scene: Scene, found: Across) -> Figure:
    """Draw the share of data sets on which each method is within a factor, or a gap, of the best."""
    profile = found.profile
    if profile.refused:
        return scene.sentence("profile", f"No performance profile is drawn. {profile.refused}")
    share = profile.share
    if len(share) == 1:
        return scene.sentence(
            "profile", "No performance profile is drawn. All methods are equal on every data set."
        )
    ratio = profile.kind == "ratio"
    start, last = (1.0 if ratio else 0.0), float(share.index[-1])
    wide = ratio and last > 10
    stop = last**1.06 if wide else last + 0.06 * (last - start)
    taus = np.append(share.index.to_numpy(float), stop)
    shown = scene.among(share.columns)
    with figure_theme():
        canvas, (axes,) = blank(1, height=3.9)
        for i, method in enumerate(shown):
            steps = share[method].to_numpy(float)
            places = (i % 6 / 60 + 0.01, 0.15)
            scene.line(
                axes, method, taus, np.append(steps, steps[-1]), drawstyle="steps-post", markevery=places
            )
        if wide:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlim(start if wide else start - 0.02 * (stop - start), stop)
        axes.set_ylim(-0.03, 1.04)
        axes.set_ylabel("share of the data sets")
        axes.set_xlabel(
            "within this factor of the best (best / own value)" if ratio else "within this gap of the best"
        )
        scene.legend(canvas, shown)
        why = (
            "The distance is a ratio, best value over own value, which needs no common unit."
            if ratio
            else "The distance is a difference, best value minus own value, because a value is zero or "
            "negative, of which a ratio means nothing."
        )
        return scene.picture(
            "profile",
            canvas,
            f"Performance profiles of {counted(len(shown), 'method')}.",
            f"Performance profile: the share of {found.over} on which a method comes within a distance of "
            f"the best of that data set, by {found.unit}. Further up is better; at the left end, the share "
            f"of data sets it is best on. {why} The furthest is at {fine(last)}. No test.",
            share.melt(ignore_index=False, var_name="method", value_name="share").reset_index()[
                ["method", "tau", "share"]
            ],
        )
