"""The page as HTML, and its figures and tables as files for a paper: PDF, TeX and CSV."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import pandas as pd
from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from attop.experiment import TopJudgement, mean_regrets
from attop.extending import (
    count_noun,
    format_cell,
    format_duration,
    format_fixed,
    format_p,
)
from attop.metrics import Metric
from attop_bench.bibliography import Publication
from attop_bench.files import (
    Entry,
    check_stem,
    write_bytes,
    write_csv,
    write_parquet,
)
from attop_bench.report.compute.across import ROPE, Across
from attop_bench.report.compute.judgements import BASELINE, unit_of
from attop_bench.report.compute.results import Failures, Records
from attop_bench.report.figures.scene import QUIET, Figure
from attop_bench.report.page.section import Chip, Section
from attop_bench.report.page.view import LEGEND, TESTS, as_tex, tex_text

#: Parts of the script, in the order they are joined.
_SCRIPTS = ("state", "map", "front", "tables", "dataset", "figures", "main")
#: Runs before the page is laid out: what only the script can use is hidden without it.
_STARTER = 'document.documentElement.className = "js";'
#: Shares in words, for the buttons over the map.
_SHARES = {
    "kappa=0.25": "quarter of the positives",
    "kappa=0.5": "half of the positives",
    "kappa=1.0": "all of the positives",
    "tau=0.01": "1% of the items",
}
#: Of a section, for the script.
_PACKED = ("id", "anchor", "title", "metric", "main", "tops", "views")
#: Characters of tables of tuning and cost from which on a page holds them compressed.
_LATE = 300_000
#: Bytes of figures a page may hold, before they are packed, so that it opens at once and can be mailed.
MOST_FIGURES = 2_500_000


@dataclass(frozen=True)
class Overview:
    """The data sets, by a metric at a top each: the sentence, and the methods by mean regret, `behind`.

    `finding` is the title of the picture of regret, against time where there are times. `between` has the
    ends of its 95% interval over the data sets, or nothing where they are too few. `shows` says how large a
    lead these runs could have shown.
    """

    headline: str
    finding: str
    order: list[str]
    behind: dict[str, str]
    between: dict[str, list[float]]
    shows: str
    highlighted: list[str]


#: Metric, "" for each data set's own, and number of the button, or "all" -> the overview.
Overviews = dict[str, dict[str, Overview]]


@dataclass(frozen=True)
class Page:
    """The report. `overview` is by metric, "" for each data set's own, and by number of the button, or "all".

    `buttons` are those of `find_buttons`, `middle` is the number of the one that is on first. `across` is by
    each data set's own metric; `seconds` are of a job, by method; `costs` are sums.
    """

    title: str
    overview: Overviews
    buttons: dict[str, dict[str, str]]
    middle: str
    seconds: dict[str, float]
    costs: Records
    chips: list[Chip]
    methods: Mapping[str, Entry]
    keys: Mapping[str, str]
    sections: list[Section]
    left_out: list[tuple[str, str]]
    across: Across
    summary: pd.DataFrame
    board: pd.DataFrame
    ranking: tuple[str, ...]
    figures: list[Figure]
    paper: list[Figure]
    metrics: list[Metric]
    failures: Failures
    citations: list[Publication]
    provenance: list[tuple[str, str]]
    config: str

    @property
    def first(self) -> Overview:
        """The view the page opens on: each data set by its own metric, at its middle top."""
        return self.overview[""][self.middle]

    @property
    def alone(self) -> bool:
        """True if there is one data set, on which the page opens."""
        return len(self.sections) == 1

    def total(self, name: str) -> float:
        """Sum a column of `costs`."""
        return math.fsum(row[name] for row in self.costs if row[name] == row[name])

    def place_of(self, section: Section, top: str) -> str:
        """List the numbers of the buttons that show a top of a data set."""
        return " ".join(
            str(i)
            for i, its in enumerate(self.buttons.values())
            if its.get(section.id) == top
        )

    @property
    def titles(self) -> dict[str, str]:
        """Method -> name shown."""
        return {name: method["title"] for name, method in self.methods.items()}

    @property
    def places(self) -> dict[str, int]:
        """Number of each method, for ids on the page."""
        return {method: i for i, method in enumerate(self.methods)}

    @property
    def against(self) -> list[str]:
        """Methods to compare others with, the baseline first."""
        return sorted(
            self.first.order,
            key=lambda method: (method != BASELINE, self.places[method]),
        )

    @property
    def figures_inside(self) -> bool:
        """True if the page holds the figures of the data sets, which a large run has as files."""
        drawn = (figure for section in self.sections for figure in section.figures)
        return (
            sum(len(figure.svg) + len(figure.data) for figure in drawn)
            <= MOST_FIGURES
        )

    @property
    def drawn(self) -> list[Figure]:
        """The figures that the page holds."""
        own = [
            figure
            for section in self.sections
            for figure in section.figures
            if self.figures_inside
        ]
        return [figure for figure in (*self.figures, *own) if figure.svg]

    @property
    def dataset_titles(self) -> dict[str, str]:
        """Data set -> name shown."""
        return {section.id: section.title for section in self.sections}


def find_buttons(sections: Sequence[Section]) -> dict[str, dict[str, str]]:
    """Map the text of each button over the map to the top of each data set that it shows."""
    ran = [s for s in sections if s.order]
    if max((len(s.tops) for s in ran), default=0) < 2:
        return {}
    if (
        len(same := {tuple(s.tops) for s in ran}) == 1
        and len(tops := same.pop()) <= 6
    ):
        return {_SHARES.get(top, top): {s.id: top for s in ran} for top in tops}
    ends = {"smallest top": 0, "middle top": None, "largest top": -1}
    return {
        name: {s.id: s.main if i is None else s.tops[i] for s in ran}
        for name, i in ends.items()
    }


def base_style() -> str:
    """Read the style of all pages."""
    return (
        files(__package__)
        .joinpath("templates/base.css")
        .read_text(encoding="utf-8")
    )


def _policy(scripts: Sequence[str]) -> Markup:
    """Write the content security policy of a page that runs these scripts, no other, and loads nothing."""
    digests = [
        b64encode(hashlib.sha256(script.encode()).digest()).decode()
        for script in scripts
    ]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    rules = [
        "default-src 'none'",
        f"script-src {allowed}",
        "style-src 'unsafe-inline'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return Markup("; ".join(rules))


@cache
def _templates() -> Environment:
    """Compile the templates once: this takes longer than to fill in a small page."""
    loader = PackageLoader("attop_bench.report.page", "templates")
    pages = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    formats = (format_fixed, format_cell, format_duration, format_p, count_noun)
    pages.filters |= {format_.__name__: format_ for format_ in formats}
    pages.filters |= {
        "thousands": "{:,}".format,
        "interval": _interval,
        "raw": Markup,
        "unit": unit_of,
    }

    def asset(name: str) -> Markup:
        return Markup(loader.get_source(pages, name)[0])

    script = Markup("\n").join(asset(f"script/{name}.js") for name in _SCRIPTS)
    pages.globals |= {
        "css": Markup(base_style()) + asset("report.css"),
        "starter": Markup(_STARTER),
        "script": script,
        "policy": _policy([_STARTER, script]),
        "rope": ROPE,
        "nan": float("nan"),
        "quiet": QUIET,
        "baseline": BASELINE,
    }
    return pages


def render(page: Page) -> str:
    """Write the page as one HTML document that refers to nothing outside."""
    pages = _templates()
    parts = {
        name: pages.get_template(f"parts/{name}.html.j2").render(page=page)
        for name in ("tuning", "cost")
    }
    # Of a large run these tables are most of a page's bytes, so the script has them, compressed.
    late = parts if sum(map(len, parts.values())) > _LATE else {}
    data = Markup(_packed(page, late))
    return pages.get_template("report.html.j2").render(
        page=page, parts=parts, late=late, data=data
    )


def _packed(page: Page, late: Mapping[str, str]) -> str:
    """Compress the data of the script, most of a page's bytes, as JSON."""
    content = {
        "late": late,
        "quiet": QUIET,
        "baseline": BASELINE if BASELINE in page.titles else "",
        "methods": list(page.titles.items()),
        "tests": TESTS,
        "overview": page.overview,
        "middle": page.middle,
        "seconds": page.seconds,
        "units": {metric.name: unit_of(metric.name) for metric in page.metrics},
        "figures": {
            figure.name: (figure.svg, figure.data) for figure in page.drawn
        },
        "datasets": [
            {name: getattr(s, name) for name in _PACKED} for s in page.sections
        ],
    }
    text = json.dumps(content, separators=(",", ":"), allow_nan=False, default=vars)
    return b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _interval(bounds: tuple[float, float]) -> str:
    low, high = bounds
    return f"[{low:g}, {high:g}]" if high != float("inf") else f"[{low:g}, ∞)"


def write_exports(page: Page, figures: Path, tables: Path) -> None:
    """Write each figure as PDF, the tables of means as TeX, the summary and the board as CSV.

    Files are named after the data set, ``digit-8-roc.pdf``, ``digit-8.tex``, those over all data sets after
    their content, ``map.pdf``, ``all.tex``. Figures of one panel are as wide as a column of a paper, 3.4
    inches, others as both, 7 inches; no letter is below 7 points.
    """
    for section in page.sections:
        check_stem(section.id, "data set")
    figures.mkdir(parents=True, exist_ok=True)
    drawn = [("", figure) for figure in (*page.figures, *page.paper)]
    drawn += [
        (f"{section.id}-", figure)
        for section in page.sections
        for figure in section.figures
    ]
    for prefix, figure in drawn:
        if figure.pdf:
            write_bytes(
                figures / f"{prefix}{figure.name.partition('-')[2]}.pdf", figure.pdf
            )
    for section in page.sections:
        if section.view:
            write_bytes(
                tables / f"{section.id}.tex",
                section.view.exports["tex"].text.encode(),
            )
    if shown := [s for s in page.sections if s.view]:
        write_bytes(tables / "all.tex", _paper_table(page, shown).encode())
    write_csv(tables / "summary.csv", page.summary)
    write_parquet(tables / "summary.parquet", page.summary)
    # Perhaps of more data sets than one.
    (tables / "board.csv").unlink(missing_ok=True)
    if len(page.board):
        write_csv(tables / "board.csv", page.board)


def _paper_cells(
    page: Page, sections: Sequence[Section], judgements: Sequence[TopJudgement]
) -> list[list[str]]:
    """Write the cells of all data sets, each at its middle top, as TeX: heads, then a row a method."""
    lost = mean_regrets([judged for judged in judgements if judged.ranked])
    ranks = {standing.method: standing.rank for standing in page.across.standings}
    heads = [*(tex_text(s.short) for s in sections), "Regret", "Rank"]
    short = len(sections) > 6
    rows = [
        [
            tex_text(page.titles[method]),
            *(
                as_tex(s.views[s.metric].tops[s.main].cells.get(method), short)
                for s in sections
            ),
            *(
                format_fixed(of.get(method, math.nan), 1).replace("–", "--")
                for of in (lost, ranks)
            ),
        ]
        for method in page.first.order
    ]
    return [["Method", *heads], *rows]


def _paper_table(page: Page, sections: Sequence[Section]) -> str:
    """Write all data sets, each at its middle top, as TeX; downwards where they outnumber the methods."""
    judgements = [s.judgements[s.metric, s.main] for s in sections]
    table = _paper_cells(page, sections, judgements)
    turned = len(sections) > len(page.first.order)
    if turned:
        table = [list(row) for row in zip(*table, strict=True)]
        table[0][0] = "Data set"
    if len(table[0]) > 6:
        table[0][1:] = [rf"\rotatebox{{60}}{{{head}}}" for head in table[0][1:]]
    lines = [" & ".join(row) + r" \\" for row in table]
    lines.insert(1, r"\midrule")
    if turned:
        lines.insert(-2, r"\midrule")
    tops = "; ".join(f"{s.title}: {s.metric} at {s.main}" for s in sections)
    reasons = sorted(
        {
            rival.reason
            for judged in judgements
            for rival in judged.ranked
            if rival.reason
        }
    )
    untested = f". Not tested: {'; '.join(reasons)}" if reasons else ""
    return "\n".join(
        [
            f"% Mean over the runs. {' '.join(tops.split())}.",
            r"\begingroup\setlength{\tabcolsep}{3pt}",
            rf"\begin{{tabular}}{{l{'r' * (len(table[0]) - 1)}}}",
            r"\toprule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}\par\endgroup",
            rf"\smallskip{{\footnotesize {tex_text(LEGEND)}{untested}. Regret: hundredths behind the best, "
            r"mean over the data sets; Rank: mean rank.\par}",
            "",
        ]
    )
