"""The frame of all figures: colour and marker of each method, canvas, legend, and SVG for the page."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha1
from typing import Any, NamedTuple
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure as Canvas
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from numpy.typing import ArrayLike

from attop.experiment import Units
from attop.extending import Top, abridge, count_noun, join_words
from attop.metrics import get_metric
from attop_bench.report.compute.judgements import unit_of
from attop_bench.report.compute.tables import Titles, rows_of

# Okabe and Ito's colours, distinguishable with any colour vision, without black and yellow, which vanish on
# one of the two backgrounds, and with a violet; grey is for methods that do not lead. Their number and that
# of the markers share no divisor, so 7 x 13 methods differ; lines differ by dash too once colours repeat.
_COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#8a63c4",
)
#: Colour of methods that do not lead, where their own would hide those that do.
QUIET = "#b0b0ae"
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*", "d")
_SIZES = {"*": 1.55, "d": 1.25, "P": 1.15, "X": 1.15, "s": 0.9, "D": 0.85}
_DASHES: tuple[tuple[float, ...], ...] = (
    (1, 0),
    (4, 1.5),
    (1.2, 1.2),
    (5, 1.5, 1.2, 1.5),
)

# Stand-ins that `to_svg` turns into the page's own colours.
INK, MUTED, GRID, _PAPER = "#1b1b1a", "#6b6b6a", "#d5d5d4", "#fffffd"
_PAGE = {
    INK: "currentColor",
    MUTED: "var(--muted, #66686c)",
    GRID: "var(--rule, #d5d7da)",
    _PAPER: "var(--paper, #fff)",
}


@dataclass(frozen=True)
class MethodStyle:
    """Colour (hexadecimal), marker (matplotlib's code) and dash pattern (points) of a method."""

    colour: str
    marker: str
    dash: tuple[float, ...]

    @property
    def line(self) -> dict[str, Any]:
        """Keyword arguments for a line."""
        return {"color": self.colour, "dashes": self.dash}

    def mark(self, size: float = 5.0) -> dict[str, Any]:
        """Choose keyword arguments for markers that look equally large."""
        return {
            "marker": self.marker,
            "markersize": size * _SIZES.get(self.marker, 1.0),
            "markeredgecolor": _PAPER,
            "markeredgewidth": 0.5,
        }


def method_styles(
    methods: Sequence[str] | Mapping[str, str],
) -> dict[str, MethodStyle]:
    """Give each method its style, the same for all figures of a report.

    A mapping is method -> family, such as its estimator, which shares a colour.
    """
    families = (
        methods
        if isinstance(methods, Mapping)
        else {method: method for method in methods}
    )
    colours = {
        family: i % len(_COLOURS)
        for i, family in enumerate(dict.fromkeys(families.values()))
    }
    used = [0] * len(_COLOURS)
    styles = {}
    for method, family in families.items():
        colour = colours[family]
        variant, used[colour] = used[colour], used[colour] + 1
        marker = _MARKERS[(colour + variant * len(_COLOURS)) % len(_MARKERS)]
        styles[method] = MethodStyle(
            _COLOURS[colour], marker, _DASHES[variant % len(_DASHES)]
        )
    return styles


def key_svg(style: MethodStyle) -> str:
    """Draw a method's marker as a small SVG path, for keys outside the figures."""
    marker = MarkerStyle(style.marker)
    outline = marker.get_path().transformed(marker.get_transform())
    x, y = np.asarray(outline.to_polygons()[0]).T
    area = abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2
    # All as large as half of the 2 x 2 box.
    x = x * np.sqrt(2 / area)
    y = -y * np.sqrt(2 / area)
    corners = " ".join(f"{a:.2f},{b:.2f}" for a, b in zip(x, y, strict=True))
    colour = that_can_be_quiet(_PAGE.get(style.colour, style.colour))
    return f'<polygon points="{corners}" style="fill:{colour}"/>'


def that_can_be_quiet(svg: str) -> str:
    """Replace method colours by a CSS variable, so that the page can grey them."""
    return re.sub("|".join(_COLOURS), lambda m: f"var(--method, {m[0]})", svg)


#: DejaVu Sans comes with matplotlib: the same layout on every machine. Journals refuse PDF fonts of type 3.
_THEME = {
    "font.family": ["DejaVu Sans"], "font.size": 8, "axes.labelsize": 8.5, "axes.titlesize": 9,
    "axes.titleweight": "bold", "axes.titlelocation": "left", "xtick.labelsize": 8, "ytick.labelsize": 8,
    "legend.fontsize": 8, "legend.frameon": False, "legend.handlelength": 2.6, "text.color": INK,
    "text.parse_math": False, "axes.edgecolor": MUTED, "axes.labelcolor": INK, "xtick.color": MUTED,
    "ytick.color": MUTED, "xtick.labelcolor": INK, "ytick.labelcolor": INK, "axes.linewidth": 0.7,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
    "grid.color": GRID, "grid.linewidth": 0.6, "axes.facecolor": "none", "figure.facecolor": "none",
    "svg.fonttype": "none", "pdf.fonttype": 42, "lines.linewidth": 1.4, "lines.markersize": 4.5,
    "path.simplify_threshold": 0.3,  # points, for lines of 128 and more of them
    "figure.dpi": 72, "savefig.dpi": 150,
}  # fmt: skip


@contextmanager
def figure_theme() -> Iterator[None]:
    """Draw with the report's theme, whatever the user's matplotlib settings."""
    import seaborn

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        seaborn.set_theme(context="paper", style="ticks")
        matplotlib.rcParams.update(_THEME)  # type: ignore[arg-type]
        yield


def to_svg(canvas: Canvas, name: str, alt: str) -> str:
    """Write a figure as SVG for a page: text as text, the page's colours, the same bytes every time.

    Ids begin with `name`; groups with the id ``method:<id>`` become ``<g class="m" data-m="<id>">``,
    ``by:<unit>`` and ``budget`` classes. The layout, which takes longer than to draw, is made here and stays.
    """
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name}):
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        FigureCanvasSVG(canvas).print_svg(buffer, metadata=nothing)
    canvas.set_layout_engine("none")
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    svg = ElementTree.fromstring(buffer.getvalue())
    svg.attrib = {"role": "img", "aria-label": alt, **svg.attrib}
    for metadata in svg.findall(f"{{{_SVG}}}metadata"):
        svg.remove(metadata)
    values = (value for element in svg.iter() for value in element.attrib.values())
    references = (old for value in values for _, old in _REFERENCE.findall(value))
    ids = {old: f"{name}-{i}" for i, old in enumerate(dict.fromkeys(references))}
    rules: dict[str, str] = {}
    for element in svg.iter():
        element.attrib = dict(_attributes(element, ids, rules))
        if not element.tag.endswith(("text", "tspan", "style")):
            element.text = (element.text or "").strip()
        element.tail = (element.tail or "").strip()
    style = ElementTree.Element(f"{{{_SVG}}}style")
    style.text = "".join(f".{rule}{{{css}}}" for css, rule in rules.items())
    svg.insert(0, style)
    return ElementTree.tostring(svg, encoding="unicode").replace(" />", "/>")


def to_pdf(canvas: Canvas) -> bytes:
    """Write a figure as PDF."""
    from matplotlib.backends.backend_pdf import FigureCanvasPdf

    buffer = io.BytesIO()
    with _light_fonts():
        FigureCanvasPdf(canvas).print_pdf(buffer, metadata={"CreationDate": None})
    return buffer.getvalue()


@contextmanager
def _light_fonts() -> Iterator[None]:
    """Leave the tables that space letters out of fonts: a PDF says where each letter stands.

    To subset these tables takes most of the time of a small figure.
    """
    from fontTools.subset import Options

    tables = Options._drop_tables_default
    Options._drop_tables_default = [*tables, "GDEF", "GPOS", "GSUB"]
    try:
        yield
    finally:
        Options._drop_tables_default = tables


_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_REFERENCE = re.compile(r"(^#|url\(#)([^)]+)")


def _attributes(
    element: ElementTree.Element, ids: Mapping[str, str], rules: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield an element's attributes for the page: new ids, short numbers, styles as classes in `rules`."""
    for key, old in element.attrib.items():
        value = (
            old if key == "id" else _REFERENCE.sub(lambda m: m[1] + ids[m[2]], old)
        )
        if key == "id" and value.startswith("method:"):
            yield from (("class", "m"), ("data-m", value.removeprefix("method:")))
        elif key == "id" and value.startswith(("by:", "budget")):
            yield "class", value.replace(":", " ")
        elif key == "id":
            if value in ids:
                yield key, ids[value]
        elif key == "style":
            css = re.sub(
                r"font: ([0-9a-z ]*?[0-9.]+px) [^;]*", r"font: \1 sans-serif", value
            )
            css = re.sub("|".join(_PAGE), lambda m: _PAGE[m[0]], css)
            yield (
                "class",
                rules.setdefault(css, f"f{sha1(css.encode()).hexdigest()[:6]}"),
            )
        elif value.startswith("rotate(-0 "):
            continue
        # A tenth of a point; shapes of markers: a hundredth.
        elif key in ("d", "x", "y", "transform"):
            cut = re.sub(r"(\d\d\.\d|\.\d\d)\d+", r"\1", value)
            yield (
                key,
                re.sub(r"\s*([MLCQz])\s*", r"\1", cut).strip()
                if key == "d"
                else cut,
            )
        else:
            yield key, value


#: What a curve of the first k may show, where the page has a button for it.
_UNIT_WORDS = {"share": "share captured"}
#: Inches: both columns of a page of a paper, and one of them.
WIDTH, COLUMN = 7.0, 3.4


class Drawn(NamedTuple):
    """A picture, a caption with metric, top, direction, runs and error bars, and the numbers."""

    canvas: Canvas
    caption: str
    #: A column ``method`` holds identifiers.
    data: pd.DataFrame


@dataclass(frozen=True)
class Figure:
    """A figure for the report, or, if `svg` is empty, the sentence that stands in for it."""

    #: Unique on the page.
    name: str
    title: str
    caption: str
    svg: str = ""
    #: The numbers, as CSV of six significant digits.
    data: str = ""
    canvas: Canvas | None = field(default=None, compare=False, repr=False)
    pdf: bytes = field(default=b"", repr=False)

    @property
    def units(self) -> list[tuple[str, str]]:
        """States that it shows in turn, the first at first: the class of its parts, and words."""
        classes = dict.fromkeys(re.findall(r'class="by (\w+)"', self.svg))
        return [(unit, _UNIT_WORDS.get(unit, unit)) for unit in classes]


@dataclass(frozen=True)
class Scene:
    """The data set of a figure, its methods and their styles."""

    #: Identifier for ids inside the page.
    name: str
    #: dataset, metric: The data set and the metric methods are compared by.
    dataset: str
    metric: str
    #: Methods run on it, best first: the order of legends and rows.
    order: Sequence[str]
    #: Method -> name shown.
    titles: Titles
    #: Method -> colour and marker.
    styles: Mapping[str, MethodStyle]
    #: Methods in colour and in front, the others are grey.
    highlighted: Collection[str]
    #: Its items come in groups.
    grouped: bool = False
    #: Top -> what a mean is multiplied by where it is shown, see `TopJudgement.factor`.
    factors: Mapping[str, float] = field(default_factory=dict)
    #: units, ratio: Of the hits among the first k at the main top, for the judge's intervals: the rows behind
    #: them in a test part, and test items per training item; NaN if that is not known.
    units: Units = field(default_factory=Units)
    ratio: float = math.nan

    @property
    def direction(self) -> str:
        """The better direction of the metric, in words."""
        return (
            "higher is better"
            if get_metric(self.metric).higher_is_better
            else "lower is better"
        )

    def of(self, table: pd.DataFrame) -> pd.DataFrame:
        """Select the rows of a table on this data set and, if it has metrics, on this metric, in `unit`."""
        table = rows_of(table, dataset=self.dataset)
        if "metric" not in table:
            return table
        table = rows_of(table, metric=self.metric)
        means = [
            column
            for column in ("mean", "std", "se", "low", "high")
            if column in table
        ]
        if not means or not self.factors:
            return table
        return table.assign(
            **table[means].mul(table["top"].map(self.factors), axis=0)
        )

    @property
    def unit(self) -> str:
        """Name of the means on an axis."""
        return unit_of(self.metric)

    def among(self, methods: Collection[str]) -> list[str]:
        """Sort the methods of a collection, best first."""
        known = set(methods)
        return [method for method in self.order if method in known]

    def line(
        self,
        axes: Axes,
        method: str,
        x: ArrayLike,
        y: ArrayLike,
        size: float = 5.0,
        **options: object,
    ) -> Line2D:
        """Draw a method's line with its marks."""
        style = self.styles[method]
        look = {"linewidth": 1.1, **style.line, **style.mark(size), **options}
        line = axes.plot(x, y, **look)[0]
        line.set_gid(f"method:{method}")
        return line

    def keep_in_bounds(self, axes: Axes) -> None:
        """Shorten a y axis of metric values that reaches beyond the metric's range."""
        low, high = axes.get_ylim()
        least, greatest = get_metric(self.metric).bounds
        room = 0.03 * (high - low)
        axes.set_ylim(max(low, least - room), min(high, greatest + room))

    def legend(
        self, canvas: Canvas, methods: Sequence[str], lines: bool = True
    ) -> None:
        """Draw a legend of the methods next to the panels, in the given order."""
        handles: list[Any] = [
            Line2D(
                [],
                [],
                **(
                    self.styles[m].line
                    if lines
                    else {"color": self.styles[m].colour, "linestyle": "none"}
                ),
                **self.styles[m].mark(),
                label=abridge(self.titles[m]),
            )
            for m in methods
        ]
        canvas.set_figheight(max(canvas.get_figheight(), 0.18 * len(methods)))
        box = canvas.legend(
            handles=handles, loc="outside right center", labelspacing=0.55
        )
        for text in box.get_texts():
            text.set_color(INK)
        mark_legend(box, methods)

    def runs_of(self, part: pd.DataFrame) -> str:
        """State the number of runs of the means, and the methods with fewer."""
        most = part["n"].max()
        fewer = part[part["n"] < most].groupby("method")["n"].min()
        names = [f"{self.titles[m]} {fewer[m]}" for m in self.order if m in fewer]
        return count_noun(int(most), "run") + (
            f" (fewer: {join_words(names)})" if names else ""
        )

    def figure(self, name: str, title: str, drawn: Drawn | str) -> Figure:
        """Finish a figure as SVG, the `highlighted` methods in front; the page's script greys the others."""
        name = f"{self.name}-{name}"
        if isinstance(drawn, str):
            return Figure(name=name, title=title, caption=drawn)
        for method, artist in _marks(drawn.canvas):
            artist.set_zorder(artist.get_zorder() + (method in self.highlighted))
        alt = f"{title}, {count_noun(len(self.order), 'method')}; the numbers are in its data."
        svg = that_can_be_quiet(to_svg(drawn.canvas, name, alt))
        data = drawn.data.to_csv(
            index=False, float_format="%.6g", lineterminator="\n"
        )
        return Figure(
            name=name,
            title=title,
            caption=drawn.caption,
            svg=svg,
            data=data,
            canvas=drawn.canvas,
        )


def mark_legend(box: Legend, methods: Sequence[str]) -> None:
    """Mark the entries of a legend as those of the methods."""
    for text, handle, method in zip(
        box.get_texts(), box.legend_handles, methods, strict=True
    ):
        for artist in filter(None, (text, handle)):
            artist.set_gid(f"method:{method}")


def for_paper(canvas: Canvas, highlighted: Collection[str]) -> None:
    """Prepare a figure for a file: the first unit alone, and in grey the methods that are not highlighted."""
    marks = _marks(canvas)
    if any(method in highlighted for method, _ in marks):
        for method, artist in marks:
            if method not in highlighted:
                artist.set_color(QUIET)
    for axes in [
        axes for axes in canvas.axes if str(axes.get_gid()).startswith("by:")
    ][1:]:
        axes.set_visible(False)
    to_column(canvas)


def _marks(canvas: Canvas) -> list[tuple[str, Any]]:
    """Find the lines of methods, in panels and legend, with the method of each."""
    boxes = [
        *canvas.legends,
        *filter(None, (axes.get_legend() for axes in canvas.axes)),
    ]
    lines: list[Any] = [line for box in boxes for line in box.legend_handles]
    lines += [
        line for axes in canvas.axes for line in (*axes.lines, *axes.collections)
    ]
    known = (
        (line.get_gid(), line)
        for line in lines
        if isinstance(line, (Line2D, LineCollection))
    )
    return [(gid.removeprefix("method:"), line) for gid, line in known if gid]


def short_tops(tops: Sequence[str]) -> tuple[str, list[str]]:
    """Shorten tops of one kind to its name and their numbers; of several kinds, to their texts alone."""
    its = [Top.parse(text) for text in tops]
    lists = {top.out_of for top in its}
    kinds = {top.size[0] for top in its}
    if len(lists) == 1 and its[0].out_of:
        return f"k of {its[0].out_of}", [f"{top.k}" for top in its]
    return (
        (kinds.pop(), [f"{top.size[1]:g}" for top in its])
        if len(kinds) == 1
        else ("", [*tops])
    )


def blank(
    panels: int,
    height: float,
    *,
    width: float = WIDTH,
    rows: int = 1,
    sharey: bool = False,
) -> tuple[Canvas, list[Axes]]:
    """Make a canvas and its panels, `panels` of them side by side, row by row."""
    canvas = Canvas(figsize=(width, height), layout="constrained")
    return canvas, list(
        canvas.subplots(rows, panels, squeeze=False, sharey=sharey).flat
    )


def to_column(canvas: Canvas) -> bool:
    """Lay out a figure of one panel for one column of a paper; return whether it has one panel."""
    if len(canvas.axes) != 1 or not canvas.legends:
        return False
    old = canvas.legends[0]
    words = [text.get_text() for text in old.get_texts()]
    old.remove()
    canvas.set_layout_engine("constrained")
    canvas.set_size_inches(COLUMN, 2.7 + 0.17 * math.ceil(len(words) / 2))
    new = canvas.legend(
        handles=old.legend_handles,
        labels=words,
        loc="outside lower center",
        ncols=2,
    )
    mark_legend(
        new,
        [str(text.get_gid()).removeprefix("method:") for text in old.get_texts()],
    )
    return True
