"""A paper's findings as files: a page, the same as Markdown, and every table and figure for itself."""

from __future__ import annotations

import html
import io
from itertools import groupby
from pathlib import Path

import pandas as pd

from attop.core.files import write_bytes, write_csv
from attop_bench.papers.findings import COLUMNS, Comparison, Findings, Plot
from attop_bench.report.figures.scene import to_svg
from attop_bench.report.page.render import base_style
from attop_bench.run.paper import configuration_of

__all__ = ["write_findings"]

_STYLE = """
.scroll { overflow-x: auto; } svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.6rem; text-align: right; border-bottom: 1px solid var(--rule);
  white-space: nowrap; }
th.t, td.t { text-align: left; } figure { margin: 1rem 0; }
"""


def write_findings(findings: Findings, folder: Path, paper: str) -> None:
    """Write ``index.html``, ``README.md``, and a CSV file and a picture per table and figure, into a folder.

    `paper` is the name of its configuration.
    """
    parts = [_head(findings)]
    for comparison in findings.comparisons:
        write_csv(folder / f"{comparison.name}.csv", comparison.table)
        parts.append(_section(comparison))
    for plot in findings.plots:
        parts.append(_figure(plot, folder))
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(findings.title)}</title><style>{base_style()}{_STYLE}</style></head>\n<body><main>\n"
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )
    write_bytes(folder / "index.html", page.encode())
    write_bytes(folder / "README.md", _markdown(findings, paper).encode())


def _markdown(findings: Findings, paper: str) -> str:
    """Return the findings for a reader without a browser: tables are linked, figures shown."""
    lists = [
        ("What the paper says, and what was found", findings.answers),
        ("What the paper leaves open", findings.choices),
    ]
    return "\n".join(
        [
            f"# {findings.title}\n",
            f"{findings.citation}\n",
            f"    {'PYTHONPATH=. ' * ('.' in paper)}snakemake --cores 16 "
            f"--configfile {configuration_of(paper)}\n",
            _counts(findings) + "\n",
            *(
                f"## {title}\n\n" + "".join(f"- {item}\n" for item in items)
                for title, items in lists
                if items
            ),
            "## Tables\n",
            *(
                f"- {', '.join(f'[{c.title}]({c.name}.csv)' for c in alike)}. {note}"
                for note, alike in groupby(findings.comparisons, key=lambda c: c.note)
            ),
            *(f"\n## {p.name}\n\n![{p.name}]({p.name}.png)\n\n{p.caption}" for p in findings.plots),
            "",
        ]
    )


def _counts(findings: Findings) -> str:
    """Say how many numbers are printed, and how ours came out beside them: its methods and its baselines."""
    tables = [c.table for c in findings.comparisons if {"printed", "verdict"} <= {*c.table}]
    told = [c.table["printed"].count() for c in findings.comparisons if "printed" in c.table]
    if not tables:
        return f"{sum(told)} printed numbers." if told else "No printed numbers are set beside ours."
    rows = pd.concat(tables, ignore_index=True)
    named = rows["method"].replace(dict(findings.own))
    printed = rows.assign(method=named)[["dataset", "top", "metric", "method"]].drop_duplicates()
    said = [f"{len(printed)} printed numbers"]
    if len(rows) > len(printed):
        said[0] += f", beside which {len(rows)} of ours stand"
    own = rows["method"].isin(list(findings.own))
    for who, part in (("the paper's methods", rows[own]), ("its baselines", rows[~own])):
        if len(part):
            counts = part["verdict"].value_counts()
            said.append(f"of {who}, " + ", ".join(f"{n} {verdict}" for verdict, n in counts.items()))
    return "; ".join(said) + "."


def _head(findings: Findings) -> str:
    return "\n".join(
        [
            f"<h1>{html.escape(findings.title)}</h1>",
            f'<p class="muted">{html.escape(findings.citation)}</p>',
            f"<p>{html.escape(_counts(findings))}</p>",
            *_list("What the paper says, and what was found", findings.answers),
            *_list("What the paper leaves open", findings.choices),
        ]
    )


def _list(title: str, items: object) -> list[str]:
    entries = [f"<li>{html.escape(str(item))}</li>" for item in items]  # type: ignore[attr-defined]
    return [f"<h2>{html.escape(title)}</h2><ul>", *entries, "</ul>"] if entries else []


def _section(comparison: Comparison) -> str:
    table = comparison.table
    numeric = {c for c in table if pd.api.types.is_numeric_dtype(table[c])}
    heads = "".join(
        f'<th scope="col"{"" if c in numeric else " class=t"}>{html.escape(_spell(str(c)))}</th>'
        for c in table
    )
    rows = "\n".join(
        "<tr>" + "".join(_cell(c, v, c in numeric) for c, v in zip(table, row, strict=True)) + "</tr>"
        for row in table.itertuples(index=False)
    )
    return (
        f"<section><h2>{html.escape(comparison.title)}</h2><p>{html.escape(comparison.note)}</p>"
        f'<div class="scroll" tabindex="0" role="region" aria-label="{html.escape(comparison.title)}">'
        f"<table><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table></div>"
        f'<p><a href="{comparison.name}.csv">{comparison.name}.csv</a></p></section>'
    )


def _spell(column: str) -> str:
    return column.replace("_", " ") if column in COLUMNS else column


def _cell(column: str, value: object, numeric: bool) -> str:
    if not numeric:
        return f'<td class="t">{html.escape("" if pd.isna(value) else str(value))}</td>'
    if pd.isna(value):
        return "<td>–</td>"
    return f"<td>{value:g}</td>" if isinstance(value, int) else f"<td>{value:.3f}</td>"


def _figure(plot: Plot, folder: Path) -> str:
    write_csv(folder / f"{plot.name}.csv", plot.data)
    svg = to_svg(plot.canvas, plot.name, plot.caption)
    buffer = io.BytesIO()
    plot.canvas.savefig(buffer, format="png", dpi=150, facecolor="white", metadata={"Software": None})
    write_bytes(folder / f"{plot.name}.png", buffer.getvalue())
    return (
        f"<figure>{svg}<figcaption>{html.escape(plot.caption)} "
        f'(<a href="{plot.name}.csv">data</a>)</figcaption></figure>'
    )
