"""A paper's findings as files: a page, the same as Markdown, its pictures, and all numbers as CSV."""

from __future__ import annotations

import gzip
import hashlib
import html
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from attop_bench.files import csv_text, write_bytes
from attop_bench.papers.findings import Findings, Tables
from attop_bench.report.figures.scene import to_svg
from attop_bench.report.page.render import base_style
from attop_bench.run.paper import configuration_of

_STYLE = """
.scroll { overflow-x: auto; } svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.6rem; text-align: right; border-bottom: 1px solid var(--rule);
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } figure { margin: 1rem 0; }
"""


def write_tables(tables: Tables, folder: Path) -> None:
    """Write the CSV files of a paper, compressed where the name says so."""
    for name, table in tables.items():
        content = csv_text(table).encode()
        packed = (
            gzip.compress(content, mtime=0) if name.endswith(".gz") else content
        )
        write_bytes(folder / _file(name), packed)


def read_tables(folder: Path) -> Tables:
    """Read the CSV files of a paper, of a run or of a published page."""
    return {file.name.removesuffix(".csv"): _read(file) for file in _files(folder)}


def _read(file: Path) -> pd.DataFrame:
    """Read a table; a file without content, as of a run without a board, is one without rows and columns."""
    return pd.read_csv(file) if file.stat().st_size else pd.DataFrame()


def _file(name: str) -> str:
    return name if name.endswith(".csv.gz") else f"{name}.csv"


def _files(folder: Path) -> list[Path]:
    return sorted([*folder.glob("*.csv"), *folder.glob("*.csv.gz")])


def digest_of_tables(folder: Path) -> str:
    """Digest the CSV files of a folder; the pictures made of them carry it as a comment."""
    files = b"".join(
        file.name.encode() + file.read_bytes() for file in _files(folder)
    )
    return hashlib.sha256(files).hexdigest()


def write_findings(findings: Findings, folder: Path, paper: str) -> None:
    """Write ``index.html``, ``README.md`` and the pictures of a paper into a folder."""
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(findings.title)}</title><style>{base_style()}{_STYLE}</style></head>\n<body><main>\n"
        + "\n".join(
            _as_html(kind, value) for kind, value in _blocks(findings, paper)
        )
        + "\n</main></body></html>\n"
    )
    write_bytes(folder / "index.html", page.encode())
    write_bytes(folder / "README.md", markdown(findings, paper).encode())
    for plot in (findings.picture, *findings.plots):
        write_bytes(
            folder / f"{plot.name}.png", png(plot.canvas, digest_of_tables(folder))
        )


def png(canvas: Figure, comment: str) -> bytes:
    """Write a picture as PNG, with a comment.

    It is laid out again where it was for SVG, whose letters are narrower.
    """
    canvas.set_layout_engine("constrained")
    buffer = io.BytesIO()
    metadata = {"Software": None, "Comment": comment}
    canvas.savefig(
        buffer, format="png", dpi=150, facecolor="white", metadata=metadata
    )
    return buffer.getvalue()


def markdown(findings: Findings, paper: str) -> str:
    """Write the page as Markdown."""
    return (
        "\n\n".join(
            _as_markdown(kind, value) for kind, value in _blocks(findings, paper)
        )
        + "\n"
    )


def _blocks(findings: Findings, paper: str) -> Iterator[tuple[str, Any]]:
    """Yield the parts of the page in their order, each with its kind."""
    yield "h1", findings.title
    yield "p", findings.verdict[0]
    yield "picture", findings.picture
    if more := " ".join(findings.verdict[1:]):
        yield "p", more
    for table in findings.tables:
        yield "h2", table.title
        if table.by:
            parts = table.cells.groupby(table.by, sort=False)
            yield (
                "tops",
                {str(top): rows.drop(columns=table.by) for top, rows in parts},
            )
        else:
            yield "table", table.cells
        if table.note:
            yield "p", table.note
    if findings.reasons:
        yield "h2", "What differs, and why"
        yield "list", findings.reasons
    if findings.plots:
        yield "h2", "The paper's figures"
    for plot in findings.plots:
        yield "picture", plot
        yield "caption", plot.caption
    yield "h2", "Make it again"
    yield "p", findings.citation
    yield "code", f"snakemake --cores 16 --configfile {configuration_of(paper)}"
    if findings.files:
        yield (
            "list",
            [
                f"[{_file(name)}]({_file(name)}): {what}"
                for name, what in findings.files.items()
            ],
        )


def _as_markdown(kind: str, value: Any) -> str:
    match kind:
        case "h1" | "h2":
            return f"{'#' * int(kind[1])} {value}"
        case "table":
            lines = list(value), *value.to_numpy().tolist()
            head, *rows = [
                "| " + " | ".join(map(str, line)) + " |" for line in lines
            ]
            return "\n".join(
                [head, "|---" + "|---:" * (value.shape[1] - 1) + "|", *rows]
            )
        case "tops":
            return _as_html(kind, value)
        case "list":
            return "\n".join(f"- {item}" for item in value)
        case "picture":
            return f"![{value.caption.partition(':')[0]}]({value.name}.png)"
        case "code":
            return f"    {value}"
    return str(value)


def _fold(title: str, table: pd.DataFrame, *, is_open: bool) -> str:
    """Write a table in HTML that a click on its title shows or hides."""
    opened = " open" if is_open else ""
    summary = (
        f'<details name="tops"{opened}><summary>{html.escape(title)}</summary>'
    )
    return f"{summary}\n{_as_html('table', table)}\n</details>"


def _as_html(kind: str, value: Any) -> str:
    match kind:
        case "table":
            head = "".join(
                f'<th scope="col">{html.escape(str(c))}</th>' for c in value
            )
            rows = "\n".join(
                "<tr>"
                + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row)
                + "</tr>"
                for row in value.to_numpy().tolist()
            )
            return (
                '<div class="scroll" tabindex="0" role="region" aria-label="table"><table><thead><tr>'
                f"{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>"
            )
        case "tops":
            first = next(iter(value), None)
            return "\n".join(
                _fold(top, rows, is_open=top == first)
                for top, rows in value.items()
            )
        case "list":
            return (
                "<ul>"
                + "\n".join(f"<li>{_inline(item)}</li>" for item in value)
                + "</ul>"
            )
        case "picture":
            svg = to_svg(value.canvas, value.name, value.caption)
            return f"<figure>{svg}<figcaption>{html.escape(value.caption)}</figcaption></figure>"
        case "caption":  # of the picture above
            return ""
        case "code":
            return f"<pre>{html.escape(value)}</pre>"
    return f"<{kind}>{_inline(value)}</{kind}>"


def _inline(text: str) -> str:
    """Convert the bold parts and the links of a sentence to HTML."""
    bold = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(text))
    return re.sub(r"\[([^]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', bold)
