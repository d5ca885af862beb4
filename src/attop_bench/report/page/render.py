"""The page as HTML: templates filled in, style and script inside."""

from __future__ import annotations

from importlib.resources import files

from attop.core import wording
from attop_bench.report.compute.across import ROPE
from attop_bench.report.compute.comparison import BASELINE
from attop_bench.report.figures.scene import QUIET
from attop_bench.report.page.model import Page

__all__ = ["base_style", "render"]

#: Parts of the script, in the order they are joined.
_SCRIPTS = ("statistics", "state", "map", "dataset", "figures", "tables", "main")


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
        "brief": _brief,
        "seconds": wording.seconds,
        "listed": wording.listed,
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
        "rope": ROPE,
        "nan": float("nan"),
        "quiet": QUIET,
        "baseline": BASELINE,
    }
    return pages.get_template("report.html.j2").render(page=page)


def _brief(value: float) -> str:
    """Return a number for a small cell: two decimals below 10, without the zero before the point."""
    text = wording.fixed(value, 2 if abs(value) < 10 else 1)
    return text[1:] if text.startswith("0.") else text


def _interval(bounds: tuple[float, float]) -> str:
    low, high = bounds
    return f"[{low:g}, {high:g}]" if high != float("inf") else f"[{low:g}, ∞)"
