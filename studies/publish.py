"""A paper's page published again: from the CSV files beside it, with its row in the list of all pages.

``python -m studies.publish studies.aatp2012 docs/papers/aatp2012`` makes page, pictures, and the row of
``docs/papers/README.md``, whose picture is of the paper's `Sizes`, if it has any.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from attop_bench.files import write_bytes
from attop_bench.papers.findings import Findings
from attop_bench.papers.page import digest_of_tables, png, read_tables, write_findings
from attop_bench.papers.pictures import COLOURS
from attop_bench.report.figures.scene import INK, MUTED, figure_theme
from attop_bench.run.paper import load_paper


@dataclass(frozen=True)
class Sizes:
    """The few numbers a page stands on, two ways of each: "printed" and "ours", say."""

    measure: str
    ways: tuple[str, str]
    rows: Mapping[str, tuple[float, float]]

    def draw(self) -> Figure:
        """Draw a line a row, its numbers beside it, to be read on a phone."""
        with figure_theme():
            canvas = Figure(figsize=(3.6, 0.75 + 0.24 * len(self.rows)), layout="constrained")
            axis = canvas.subplots()
            largest = max(max(pair) for pair in self.rows.values())
            digits = 3 if largest < 0.5 else 2 if largest < 10 else 0
            for y, pair in enumerate(self.rows.values()):
                axis.plot(pair, [y, y], color=MUTED, linewidth=1.6, zorder=1)
                axis.plot(pair[0], y, "o", color=INK, markerfacecolor="white", markersize=6, zorder=2)
                axis.plot(pair[1], y, "o", color=COLOURS["equal"], markersize=6, zorder=3)
                said = " → ".join(f"{value:.{digits}f}" for value in pair)
                axis.annotate(said, (1.02, y), xycoords=("axes fraction", "data"), va="center", fontsize=8)
            axis.set_yticks(range(len(self.rows)), list(self.rows), fontsize=8)
            axis.set_ylim(len(self.rows) - 0.5, -0.5)
            axis.margins(x=0.1)
            axis.spines[["top", "right"]].set_visible(False)
            said = f"{self.measure}: {self.ways[0]} (hollow) → {self.ways[1]}"
            canvas.suptitle(said, x=0, ha="left", fontsize=8.5)
        return canvas


def index_row(findings: Findings, sizes: Sizes | None, name: str) -> str:
    """Return the row of a page in the list of all: its sizes, if it has any, and its answer in short."""
    picture = (
        "" if sizes is None else f"![{sizes.measure}, {sizes.ways[0]} and {sizes.ways[1]}]({name}/sizes.png)"
    )
    link = f"[{findings.title}]({name}/README.md)"
    return f"| {link} | **{findings.answer}.** {findings.short} | {picture} |"


def _put(row: str, index: Path, name: str) -> None:
    """Put a page's row in the place of the one it had, that of a new page after all others."""
    lines = index.read_text(encoding="utf-8").splitlines()
    rows = [at for at, line in enumerate(lines) if line.startswith(("| [", "|---"))]
    if not rows:
        raise ValueError(f"{index} has no table of pages: a line |---|---|---| is needed, rows follow it")
    own = [at for at in rows if f"]({name}/README.md)" in lines[at]]
    for at in own:
        lines[at] = row
    if not own:
        lines.insert(rows[-1] + 1, row)
    write_bytes(index, ("\n".join(lines) + "\n").encode())


def publish(paper: str, folder: Path) -> None:
    """Make a published page again, and its row where it is one of a list."""
    module, tables = load_paper(paper), read_tables(folder)
    findings = module.findings(tables)
    write_findings(findings, folder, paper)
    (folder / "index.html").unlink()
    index = folder.parent / "README.md"
    if not index.exists():
        return
    sizes = module.sizes(tables) if hasattr(module, "sizes") else None
    if sizes is not None:
        write_bytes(folder / "sizes.png", png(sizes.draw(), digest_of_tables(folder)))
    _put(index_row(findings, sizes, folder.name), index, folder.name)


if __name__ == "__main__":
    publish(sys.argv[1], Path(sys.argv[2]))
