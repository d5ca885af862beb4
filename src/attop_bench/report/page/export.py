"""Figures and tables of the report as files for a paper: SVG, PDF and TeX."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from attop.core.files import write_bytes, write_csv
from attop.core.wording import fixed
from attop_bench.report.figures.scene import Figure, figure_theme, on_paper, quieten, to_column, to_svg
from attop_bench.report.page.model import Page, WideTable

__all__ = ["as_tex", "write_exports"]


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
        for stem, figure, leaders in _pictures(page):
            canvas = figure.canvas
            if canvas is None:
                continue
            quieten(canvas, leaders)
            to_column(canvas)
            svg = to_svg(canvas, figure.name, figure.caption)
            write_bytes(figures / f"{stem}.svg", on_paper(svg).encode())
            buffer = io.BytesIO()
            canvas.savefig(buffer, format="pdf", metadata={"CreationDate": None})
            write_bytes(figures / f"{stem}.pdf", buffer.getvalue())
    for section in page.sections:
        if section.table:
            written = as_tex(section.table, page.titles, section.title)
            write_bytes(tables / f"{section.id}.tex", written.encode())
    if len(page.board):
        write_csv(tables / "board.csv", page.board)


def _pictures(page: Page) -> Iterator[tuple[str, Figure, Collection[str]]]:
    """Yield what the file of each drawn figure is called, the figure, and the methods in colour."""
    groups = [("across", page.figures, page.leaders), *((s.id, s.figures, s.leaders) for s in page.sections)]
    for name, thumbnails, leaders in groups:
        for thumbnail in thumbnails:
            if thumbnail.figure.svg:
                yield f"{name}-{thumbnail.figure.name.partition('-')[2]}", thumbnail.figure, leaders


def as_tex(table: WideTable, titles: Mapping[str, str], title: str) -> str:
    """Return a table for booktabs: the best mean bold, a circle at those not told apart from it."""
    rows = []
    for method, cells in table.rows:
        written = [_plain(titles[method])]
        for top, cell in zip(table.tops, cells, strict=True):
            value = fixed(cell.mean, table.decimals).replace("−", "$-$").replace("–", "--")
            level = not cell.best and method in table.level.get(top, ())
            written.append(f"\\textbf{{{value}}}" if cell.best else value + "$^\\circ$" * level)
        rows.append(" & ".join(written) + r" \\")
    return "\n".join(
        [
            f"% {title}, {table.metric.name}: mean over {table.runs}",
            "% bold: the best; circle: not told apart from it by the corrected test of the report",
            r"\begin{tabular}{l" + "r" * len(table.tops) + "}",
            r"\toprule",
            " & ".join(["Method", *map(_plain, table.tops)]) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _plain(text: str) -> str:
    return re.sub(r"([&%$#_{}])", r"\\\1", text)
