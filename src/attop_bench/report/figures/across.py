"""The critical-difference diagram of mean ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from attop.extending import abridge, format_fixed, format_p
from attop_bench.report.compute.across import Across
from attop_bench.report.figures.scene import INK, MUTED, WIDTH, Drawn, Scene, blank

# The diagram's heights, in rows of labels; downwards is positive.
_ROOM = 1.1  # above the rank axis for its numbers and the critical difference
_BAR = 0.34  # from one bar of a clique to the next
_LETTER = 0.062  # inches, of the labels' font


def diagram_figure(scene: Scene, result: Across) -> Drawn | str:
    """Draw mean ranks, and bars over methods that Nemenyi's test does not separate."""
    comparison = result.nemenyi
    friedman = result.friedman
    if comparison.refused:
        return f"No critical-difference diagram is drawn. {comparison.refused}"
    ranks = comparison.ranks
    order = [str(m) for m in ranks.index]
    rows = math.ceil(len(order) / 2)
    top = 0.45 + _BAR * len(comparison.cliques)
    canvas, (axes,) = blank(1, height=0.3 * (_ROOM + top + rows) + 0.1)
    axes.set_axis_off()
    sides = [_width(scene, order[:rows]), _width(scene, order[rows:])]
    inch = (len(order) - 1) / (WIDTH - 0.2 - sum(sides))
    axes.set(
        xlim=(1 - sides[0] * inch, len(order) + sides[1] * inch),
        ylim=(top + rows - 0.4, -_ROOM - 0.1),
    )
    _draw_axis(axes, len(order), comparison.critical_difference)
    for i, method in enumerate(order):
        left = i < rows
        row = i if left else len(order) - 1 - i
        end = 1 - 0.25 * inch if left else len(order) + 0.25 * inch
        _draw_method(axes, scene, method, ranks[method], (end, top + row), left)
    for i, clique in enumerate(comparison.cliques):
        ends = [ranks[clique[0]] - 0.05 * inch, ranks[clique[-1]] + 0.05 * inch]
        axes.plot(
            ends,
            2 * [0.4 + _BAR * i],
            color=INK,
            linewidth=2.6,
            solid_capstyle="butt",
            zorder=3,
        )
    caption = (
        f"Friedman's test: {format_p(friedman.p_F, 'p')}"
        if friedman.p_F < comparison.alpha
        else f"Friedman's test does not reject that all rank equally, {format_p(friedman.p_F, 'p')}: do not "
        "read single differences"
    )
    bars = [
        " ".join(str(i) for i, its in enumerate(comparison.cliques, 1) if m in its)
        for m in order
    ]
    return Drawn(
        canvas,
        f"Mean rank over {result.over}, 1 the best, by {result.unit}. A bar joins methods that "
        f"Nemenyi's test does not tell apart at alpha = {comparison.alpha:g}: their mean ranks differ by "
        "less than the critical difference, "
        f"CD = {format_fixed(comparison.critical_difference, 2)}. {caption}.",
        pd.DataFrame(
            {"method": order, "mean_rank": ranks.to_numpy(), "bars": bars}
        ),
    )


def _width(scene: Scene, methods: Sequence[str]) -> float:
    """Estimate how many inches a column of labels takes."""
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
        f"CD = {format_fixed(cd, 2)}"
        + ("" if end > 1 + cd - 1e-9 else ", wider than the axis"),
        (end, -0.95),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        color=INK,
    )


def _draw_method(
    axes: Axes,
    scene: Scene,
    method: str,
    rank: float,
    end: tuple[float, float],
    left: bool,
) -> None:
    style = scene.styles[method]
    x, y = end
    name = abridge(scene.titles[method])
    number = format_fixed(rank, 2)
    text = f"{name}\u2002{number}" if left else f"{number}\u2002{name}"
    artists = [
        axes.plot(
            [rank, rank, x], [0, y, y], **style.line, linewidth=1.0, zorder=2
        )[0],
        axes.plot(
            [rank, x],
            [0, y],
            color=style.colour,
            linestyle="none",
            **style.mark(6.0),
            zorder=4,
        )[0],
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
