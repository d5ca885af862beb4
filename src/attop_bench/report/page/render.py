"""The page as HTML, and its figures and tables as files for a paper: SVG, PDF, TeX and CSV."""

from __future__ import annotations

import gzip
import io
import json
from base64 import b64encode
from collections.abc import Collection, Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from attop.core import wording
from attop.core.files import write_bytes, write_csv
from attop_bench.report.compute.across import ROPE
from attop_bench.report.compute.leads import BASELINE
from attop_bench.report.figures.scene import QUIET, Figure, figure_theme, on_paper, quieten, to_column, to_svg
from attop_bench.report.page.view import TESTS, brief

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from attop_bench.report.page.report import Page

__all__ = ["base_style", "render", "write_exports"]

#: Parts of the script, in the order they are joined.
_SCRIPTS = ("state", "map", "tables", "dataset", "figures", "main")


def base_style() -> str:
    """Return the style all pages share: colours for light and dark, and text."""
    return files(__package__).joinpath("templates/base.css").read_text(encoding="utf-8")


def render(page: Page) -> str:
    """Return the page as one HTML document that refers to nothing outside."""
    from jinja2 import Environment, PackageLoader
    from markupsafe import Markup

    loader = PackageLoader("attop_bench.report.page", "templates")
    pages = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    pages.filters |= {
        "fixed": wording.fixed,
        "brief": brief,
        "seconds": wording.seconds,
        "chance": wording.chance,
        "counted": wording.counted,
        "thousands": "{:,}".format,
        "interval": _interval,
        "raw": Markup,
    }

    def asset(name: str) -> Markup:
        return Markup(loader.get_source(pages, name)[0])

    pages.globals |= {
        "css": Markup(base_style()) + asset("report.css"),
        "js": Markup("\n").join(asset(f"script/{name}.js") for name in _SCRIPTS),
        "data": Markup(_packed(page)),
        "rope": ROPE,
        "nan": float("nan"),
        "quiet": QUIET,
        "baseline": BASELINE,
    }
    return pages.get_template("report.html.j2").render(page=page)


def _packed(page: Page) -> str:
    """Return what the script shows, JSON of `View` and `Overview`: most of a page's bytes, so compressed."""
    content = {
        "quiet": QUIET,
        "baseline": BASELINE if BASELINE in page.titles else "",
        "methods": list(page.titles.items()),
        "tests": TESTS,
        "overview": page.overview,
        "datasets": [
            {
                "id": s.id,
                "anchor": s.anchor,
                "title": s.title,
                "metric": s.metric,
                "main": s.main,
                "tops": s.tops,
                "views": s.views,
            }
            for s in page.sections
        ],
    }
    text = json.dumps(content, separators=(",", ":"), allow_nan=False, default=vars)
    return b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _interval(bounds: tuple[float, float]) -> str:
    low, high = bounds
    return f"[{low:g}, {high:g}]" if high != float("inf") else f"[{low:g}, ∞)"


def write_exports(page: Page, figures: Path, tables: Path) -> None:
    """Write each figure as SVG and PDF, and the main table of each data set as TeX; the board as CSV.

    Parameters
    ----------
    page : Page
    figures, tables : Path
        Folders. Files are called after the data set: ``digit-8-roc.pdf``, ``digit-8.tex``; figures over all
        data sets ``across-diagram.pdf``. Figures of one panel are as wide as a column of a paper, 3.4 inches,
        others as both, 7 inches; no letter is below 7 points.
    """
    figures.mkdir(parents=True, exist_ok=True)
    with figure_theme():
        for stem, figure, canvas, leaders in _pictures(page):
            quieten(canvas, leaders)
            to_column(canvas)
            svg = to_svg(canvas, figure.name, figure.caption)
            write_bytes(figures / f"{stem}.svg", on_paper(svg).encode())
            buffer = io.BytesIO()
            canvas.savefig(buffer, format="pdf", metadata={"CreationDate": None})
            write_bytes(figures / f"{stem}.pdf", buffer.getvalue())
    for section in page.sections:
        if section.view:
            write_bytes(tables / f"{section.id}.tex", section.view.exports["tex"].text.encode())
    if len(page.board):
        write_csv(tables / "board.csv", page.board)


def _pictures(page: Page) -> Iterator[tuple[str, Figure, Canvas, Collection[str]]]:
    """Yield what the file of each drawn figure is called, figure and canvas, and the methods in colour."""
    groups = [("across", page.figures, page.leaders), *((s.id, s.figures, s.leaders) for s in page.sections)]
    for name, figures, leaders in groups:
        for figure in figures:
            if figure.canvas is not None:
                yield f"{name}-{figure.name.partition('-')[2]}", figure, figure.canvas, leaders
