"""What the figures of one data set share: names, order, look, canvas and legend."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from attop.core.wording import abridge, counted, listed
from attop.metrics import get_metric
from attop_bench.report.figures.style import INK, QUIET, MethodStyle, that_can_be_quiet, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

__all__ = [
    "WIDTH",
    "Figure",
    "Scene",
    "as_csv",
    "blank",
    "keep_in_bounds",
    "legend",
    "quieten",
    "runs_of",
    "to_column",
]

#: Inches: both columns of a page of a paper, and one of them.
WIDTH, COLUMN = 7.0, 3.4


@dataclass(frozen=True)
class Figure:
    """A figure for the report, or, if `svg` is empty, the sentence that stands in for it.

    Attributes
    ----------
    name : str
        Unique on the page.
    svg : str
    caption : str
        Metric, top, direction, number of runs and what the error bars are.
    data : str
        What is drawn, as CSV; a column ``method`` holds identifiers.
    canvas : matplotlib figure or None
        What `svg` was made of, to write it in another format.
    """

    name: str
    svg: str
    caption: str
    data: str = ""
    canvas: Canvas | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Scene:
    """What all figures of one data set have in common.

    Attributes
    ----------
    name : str
        Identifier for ids inside the page.
    dataset, metric : str
        The data set and the metric methods are compared by.
    order : sequence of str
        Methods run on it, best first: the order of legends and rows.
    titles : mapping
        Method -> name shown.
    styles : mapping
        Method -> colour and marker.
    leaders : collection of str
        Methods in colour and in front, the others are grey.
    grouped : bool
        Whether its items come in groups.
    """

    name: str
    dataset: str
    metric: str
    order: Sequence[str]
    titles: Mapping[str, str]
    styles: Mapping[str, MethodStyle]
    leaders: Collection[str]
    grouped: bool = False

    @property
    def direction(self) -> str:
        """Which way the metric is better."""
        return "higher is better" if get_metric(self.metric).higher_is_better else "lower is better"

    def of(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of a table on this data set and, if it has metrics, on this metric."""
        table = table[table["dataset"] == self.dataset]
        return table[table["metric"] == self.metric] if "metric" in table else table

    def sentence(self, figure: str, text: str) -> Figure:
        """Return a sentence instead of a figure."""
        return Figure(f"{self.name}-{figure}", "", text)

    def picture(self, figure: str, canvas: Canvas, alt: str, caption: str, data: pd.DataFrame) -> Figure:
        """Return a drawn figure with the numbers in it; methods that do not lead lie behind the others.

        On the page all have their colours, and its script makes those quiet that do not lead where the reader
        looks.
        """
        name = f"{self.name}-{figure}"
        for method, artist in _marks(canvas):
            artist.set_zorder(artist.get_zorder() + (method in self.leaders))
        return Figure(name, that_can_be_quiet(to_svg(canvas, name, alt)), caption, as_csv(data), canvas)


def quieten(canvas: Canvas, leaders: Collection[str]) -> None:
    """Turn the marks of all methods but the leaders grey; none where no leader is drawn."""
    marks = _marks(canvas)
    if any(method in leaders for method, _ in marks):
        for method, artist in marks:
            if method not in leaders:
                artist.set_color(QUIET)


def _marks(canvas: Canvas) -> list[tuple[str, Any]]:
    """Return the lines of methods, in panels and legend, with the method of each."""
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

    lines: list[Any] = canvas.findobj(lambda artist: isinstance(artist, (Line2D, LineCollection)))
    return [(line.get_gid().removeprefix("method:"), line) for line in lines if line.get_gid()]


def as_csv(data: pd.DataFrame) -> str:
    """Return a figure's numbers as CSV, six significant digits each."""
    return data.to_csv(index=False, float_format="%.6g", lineterminator="\n")


def blank(panels: int, height: float) -> tuple[Canvas, list[Axes]]:
    """Return a canvas and its panels side by side."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(WIDTH, height), layout="constrained")
    return canvas, list(canvas.subplots(1, panels, squeeze=False)[0])


def keep_in_bounds(axes: Axes, metric: str) -> None:
    """Shorten a y axis of metric values that reaches beyond the metric's range."""
    low, high = axes.get_ylim()
    least, greatest = get_metric(metric).bounds
    room = 0.03 * (high - low)
    axes.set_ylim(max(low, least - room), min(high, greatest + room))


def legend(canvas: Canvas, scene: Scene, methods: Sequence[str], lines: bool = True) -> None:
    """List the methods beside the panels, in the order given."""
    from matplotlib.lines import Line2D

    handles: list[Any] = [
        Line2D(
            [],
            [],
            **(scene.styles[m].line if lines else {"color": scene.styles[m].colour, "linestyle": "none"}),
            **scene.styles[m].mark(),
            label=abridge(scene.titles[m]),
        )
        for m in methods
    ]
    canvas.set_figheight(max(canvas.get_figheight(), 0.18 * len(methods)))
    box = canvas.legend(handles=handles, loc="outside right center", labelspacing=0.55)
    for text, handle, method in zip(box.get_texts(), box.legend_handles, methods, strict=True):
        text.set(color=INK, gid=f"method:{method}")
        if handle is not None:
            handle.set_gid(f"method:{method}")


def to_column(canvas: Canvas) -> bool:
    """Lay a figure of one panel out anew for one column of a paper, its methods below.

    Returns
    -------
    bool
        Whether it was; several panels keep the width of the page.
    """
    if len(canvas.axes) != 1 or not canvas.legends:
        return False
    handles, labels = canvas.legends[0].legend_handles, [t.get_text() for t in canvas.legends[0].get_texts()]
    canvas.legends[0].remove()
    canvas.set_size_inches(COLUMN, 2.7 + 0.17 * math.ceil(len(labels) / 2))
    canvas.legend(handles=handles, labels=labels, loc="outside lower center", ncols=2)
    return True


def runs_of(scene: Scene, part: pd.DataFrame) -> str:
    """Say over how many runs the means of a part of the summary are, and which have fewer."""
    most = part["n"].max()
    fewer = part[part["n"] < most].groupby("method")["n"].min()
    names = [f"{scene.titles[m]} {fewer[m]}" for m in scene.order if m in fewer]
    return counted(int(most), "run") + (f" (fewer: {listed(names)})" if names else "")
