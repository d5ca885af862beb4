"""One look for all figures: a fixed colour and marker per method, and SVG that follows the page's theme."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha1
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

__all__ = [
    "GRID",
    "INK",
    "MUTED",
    "PAPER",
    "QUIET",
    "MethodStyle",
    "figure_theme",
    "key_svg",
    "method_styles",
    "on_paper",
    "that_can_be_quiet",
    "to_svg",
]

# Okabe and Ito's colours, distinguishable with any colour vision, without black and yellow, which vanish on
# one of the two backgrounds, and with a violet; grey is for methods that do not lead. Their number and that
# of the markers share no divisor, so 7 x 13 methods differ; lines differ by dash too once colours repeat.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a63c4")
#: Of methods that do not lead, where their colours would hide those that do.
QUIET = "#b0b0ae"
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*", "d")
_SIZES = {"*": 1.55, "d": 1.25, "P": 1.15, "X": 1.15, "s": 0.9, "D": 0.85}
_DASHES: tuple[tuple[float, ...], ...] = ((1, 0), (4, 1.5), (1.2, 1.2), (5, 1.5, 1.2, 1.5))

# Stand-ins that `to_svg` turns into the page's own colours.
INK, MUTED, GRID, PAPER = "#1b1b1a", "#6b6b6a", "#d5d5d4", "#fffffd"
_PAGE = {
    INK: "currentColor",
    MUTED: "var(--muted, #66686c)",
    GRID: "var(--rule, #d5d7da)",
    PAPER: "var(--paper, #fff)",
}


@dataclass(frozen=True)
class MethodStyle:
    """Colour (hexadecimal), marker (matplotlib's code) and dash pattern (points) of a method."""

    colour: str
    marker: str
    dash: tuple[float, ...]

    @property
    def line(self) -> dict[str, Any]:
        """Return keyword arguments for a line."""
        return {"color": self.colour, "dashes": self.dash}

    def mark(self, size: float = 5.0) -> dict[str, Any]:
        """Return keyword arguments for markers that look equally large."""
        return {
            "marker": self.marker,
            "markersize": size * _SIZES.get(self.marker, 1.0),
            "markeredgecolor": PAPER,
            "markeredgewidth": 0.5,
        }


def method_styles(methods: Sequence[str] | Mapping[str, str]) -> dict[str, MethodStyle]:
    """Give each method its style, the same for all figures of a report.

    Parameters
    ----------
    methods : sequence of str, or mapping of str to str
        Method -> family, such as its estimator: methods of a family share a colour and differ in marker and
        dashes. Of a sequence each is a family of its own.
    """
    families = methods if isinstance(methods, Mapping) else {method: method for method in methods}
    colours = {family: i % len(_COLOURS) for i, family in enumerate(dict.fromkeys(families.values()))}
    used = [0] * len(_COLOURS)
    styles = {}
    for method, family in families.items():
        colour = colours[family]
        variant, used[colour] = used[colour], used[colour] + 1
        marker = _MARKERS[(colour + variant * len(_COLOURS)) % len(_MARKERS)]
        styles[method] = MethodStyle(_COLOURS[colour], marker, _DASHES[variant % len(_DASHES)])
    return styles


def key_svg(style: MethodStyle) -> str:
    """Return a method's marker as a small SVG path, for keys outside the figures."""
    from matplotlib.markers import MarkerStyle

    marker = MarkerStyle(style.marker)
    outline = marker.get_path().transformed(marker.get_transform())
    x, y = np.asarray(outline.to_polygons()[0]).T
    area = abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2
    x, y = x * np.sqrt(2 / area), -y * np.sqrt(2 / area)  # all as large as half of the 2 x 2 box
    corners = " ".join(f"{a:.2f},{b:.2f}" for a, b in zip(x, y, strict=True))
    colour = that_can_be_quiet(_PAGE.get(style.colour, style.colour))
    return f'<polygon points="{corners}" style="fill:{colour}"/>'


def that_can_be_quiet(svg: str) -> str:
    """Let a page turn the methods' colours in an SVG grey: where it sets ``--method``, that is the colour."""
    return re.sub("|".join(_COLOURS), lambda m: f"var(--method, {m[0]})", svg)


@contextmanager
def figure_theme() -> Iterator[None]:
    """Draw with the report's theme, whatever the user's matplotlib settings."""
    import matplotlib
    import seaborn

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        seaborn.set_theme(context="paper", style="ticks")
        matplotlib.rcParams.update(
            {
                "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same layout on every machine
                "font.size": 8,
                "axes.labelsize": 8.5,
                "axes.titlesize": 9,
                "axes.titleweight": "bold",
                "axes.titlelocation": "left",
                "xtick.labelsize": 8,
                "ytick.labelsize": 8,
                "legend.fontsize": 8,
                "legend.frameon": False,
                "legend.handlelength": 2.6,
                "text.color": INK,
                "text.parse_math": False,
                "axes.edgecolor": MUTED,
                "axes.labelcolor": INK,
                "xtick.color": MUTED,
                "ytick.color": MUTED,
                "xtick.labelcolor": INK,
                "ytick.labelcolor": INK,
                "axes.linewidth": 0.7,
                "axes.spines.top": False,
                "axes.spines.right": False,
                "axes.grid": True,
                "axes.axisbelow": True,
                "grid.color": GRID,
                "grid.linewidth": 0.6,
                "axes.facecolor": "none",
                "figure.facecolor": "none",
                "svg.fonttype": "none",
                "pdf.fonttype": 42,  # journals refuse fonts of type 3
                "path.simplify_threshold": 0.3,  # points, for lines of 128 and more of them
                "lines.linewidth": 1.4,
                "lines.markersize": 4.5,
                "figure.dpi": 72,
                "savefig.dpi": 150,
            }
        )
        yield


def to_svg(canvas: Canvas, name: str, alt: str) -> str:
    """Return a figure as SVG to set into a page: text as text, the page's colours, the same bytes every time.

    Parameters
    ----------
    canvas : matplotlib figure
        Groups whose id is ``method:<id>`` become ``<g class="m" data-m="<id>">``.
    name : str
        Prefix of the ids inside, unique on the page.
    alt : str
        What is seen, for those who cannot see it.
    """
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name}):
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        FigureCanvasSVG(canvas).print_svg(buffer, metadata=nothing)
    svg = buffer.getvalue()
    svg = f'<svg role="img" aria-label="{html.escape(alt)}"' + svg[svg.index("<svg") + 4 :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<g id="method:([^"]*)">', r'<g class="m" data-m="\1">', svg)
    used = set(re.findall(r'(?:url\(#|href="#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]*)"', lambda m: f' id="{name}-{m[1]}"' if m[1] in used else "", svg)
    svg = re.sub(r'(url\(#|href="#)', rf"\g<1>{name}-", svg)
    svg = re.sub(r"font: ([0-9a-z ]*?[0-9.]+px) [^;\"]*", r"font: \1 sans-serif", svg)
    for stand_in, page in _PAGE.items():
        svg = svg.replace(stand_in, page)
    svg = re.sub(r' (?:d|x|y|transform)="[^"]*"', lambda m: _shorter(m[0]), svg)
    return re.sub(r"\n\s*", "\n", _styles_once(svg)).strip()


def _shorter(attribute: str) -> str:
    """Cut places to a tenth of a point, in the shapes of markers to a hundredth; take blanks out of paths."""
    cut = re.sub(r"(\d\d\.\d|\.\d\d)\d+", r"\1", attribute)
    return re.sub(r"\s*([MLCQz])\s*", r"\1", cut) if cut.startswith(" d=") else cut


def on_paper(svg: str) -> str:
    """Return an SVG of `to_svg` with the colours of a light page, to stand alone."""
    for stand_in, page in _PAGE.items():
        svg = svg.replace(page, stand_in)
    return svg


def _styles_once(svg: str) -> str:
    """Write each style once, as a class: they are most of a figure's bytes. Equal styles have equal names."""
    found = dict.fromkeys(re.findall(r' style="([^"]*)"', svg))
    names = {style: f"f{sha1(style.encode()).hexdigest()[:6]}" for style in found}
    svg = re.sub(r' style="([^"]*)"', lambda m: f' class="{names[m[1]]}"', svg)
    rules = "".join(f".{name}{{{style}}}" for style, name in names.items())
    end = svg.index(">") + 1
    return f"{svg[:end]}<style>{rules}</style>{svg[end:]}"
