"""A data set by one metric as the page shows it: cells, marks, sentences, tests and downloads, all formatted.

The page, its script and the TeX files show what is made here. Marks are the verdicts of
`attop_bench.report.compute.leads`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from attop._core.files import plain_cell
from attop._core.typing import Floats
from attop._core.wording import (
    count_noun,
    decimals_for,
    format_cell,
    format_duration,
    format_fixed,
    format_p,
    join_words,
)
from attop.experiment._judge import Rival
from attop.experiment._lead import Lead
from attop.metrics._metric import Metric
from attop.metrics._registry import get_metric
from attop_bench.report.compute.leads import MARKS, VERDICTS, leader, leaders, reading, shade

#: Heads of the table of tests.
TESTS = ("Other", "Difference", "95% interval", "Wins", "p ahead", "p equal", "Verdict")
_PLACES = {"ahead": "behind", "equal": "equal", "open": "open", "untested": "not tested"}
_IN_WORDS = {
    "best": "the best",
    "ahead": "shown to be behind the best",
    "equal": "shown to be equal to the best",
    "open": "not shown to be behind the best",
    "untested": "not tested against the best",
    "unranked": "fewer runs than others, not ranked",
}
_TEX_ESCAPES = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"} | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"}
)
_TEX = {"": "", "=": "", "°": r"$^\circ$", "†": r"$^\dagger$"}


@dataclass(frozen=True)
class Cell:
    """A method at one top: `text`, `brief` (for the map) and `pm` are its mean and standard deviation.

    `runs` has a value a run, None where there is none. `shade` is that of the distance to the best, ``s0`` to
    ``s5``, or ``none`` where it is not ranked; `state` is `Lead.state`. `sign` marks the verdict, `signs` the
    method (at an edge of its grid, ranks nothing); `notes` go below the number, `tip` says all in words.
    """

    text: str
    brief: str
    pm: str
    mean: float
    se: float | None
    runs: list[float | None]
    shade: str
    state: str
    sign: str
    signs: str
    notes: list[str]
    tip: str


@dataclass(frozen=True)
class LeadView:
    """The best at one top against all others: card, strip, tests; `order` are the methods, best first."""

    card: dict[str, str]
    kind: str
    note: str
    about: str
    chance: str
    order: list[str]
    leaders: list[str]
    cells: dict[str, Cell]
    tests: list[list[object]]


@dataclass(frozen=True)
class Download:
    """A table in a format: what is above the rows, the rows of each method, what is below."""

    head: str
    rows: dict[str, str]
    foot: str = ""

    @property
    def text(self) -> str:
        """The whole table."""
        return "\n".join(filter(None, (self.head, *self.rows.values(), self.foot))) + "\n"


@dataclass(frozen=True)
class View:
    """One metric of one data set: methods down, best first, tops across."""

    caption: str
    order: list[str]
    places: int
    bounds: list[float | None]
    leads: dict[str, LeadView]
    exports: dict[str, Download]


def build_view(
    title: str,
    leads: Sequence[Lead],
    table: pd.DataFrame,
    values: pd.DataFrame,
    order: Sequence[str],
    titles: Mapping[str, str],
    spent: Mapping[str, float],
    edge: Collection[str],
) -> View:
    """Format one metric of one data set.

    `leads` has one a top; `table` are rows of `attop_bench.report.compute.tables.standings`, `values` of the
    evaluation; `spent` are seconds a job, `edge` methods mostly chosen at an edge of their grid.
    """
    metric = get_metric(leads[0].metric)
    places = decimals_for(table["mean"])
    rows: dict[str, dict[str, Any]] = {lead.top: {} for lead in leads}
    for row in table.to_dict("records"):
        rows[row["top"]][row["method"]] = row
    by_run = values.set_index(["top", "method", "repeat", "fold"])["value"].astype(float)
    by_run = by_run.unstack(["repeat", "fold"]).sort_index(axis=1)
    runs = dict(zip(by_run.index, by_run.to_numpy(), strict=True))
    found = {}
    for lead in leads:
        cells = {
            method: _cell(lead, method, row, runs[lead.top, method], places, method in edge)
            for method, row in rows[lead.top].items()
            if row["n"]
        }
        flat = {method: rows[lead.top][method]["n_constant"] for method in cells}
        found[lead.top] = LeadView(
            _card(lead, titles, spent, flat, places),
            lead.verdict,
            _note(lead, metric, cells, flat),
            f"{titles.get(lead.best, '')} minus the other, by {metric.name} at {lead.top}, over shared runs. "
            "p ahead: corrected resampled t-test, adjusted for the choice of the best and its rivals."
            + (f" p equal: that they differ by more than {lead.tolerance:g}." if lead.tolerance > 0 else ""),
            format_cell(lead.chance),
            [lead.best, *(r.model for r in lead.rivals)] if lead.best else [],
            list(leaders(lead)),
            cells,
            [_test(rival, places) for rival in lead.rivals],
        )
    n = {counts for counts in table["n"] if counts}
    over = "no run" if not n else count_noun(n.pop(), "run") if len(n) == 1 else f"{min(n)} to {max(n)} runs"
    better = "higher" if metric.higher_is_better else "lower"
    return View(
        f"{metric.name} ({better} is better): mean ± standard deviation over {over}. Bold: the best and, "
        "with =, what is shown to be equal to it. °: not shown to be behind. †: not tested. No mark: behind.",
        list(order),
        places,
        [bound if math.isfinite(bound) else None for bound in metric.bounds],
        found,
        _downloads(title, metric, over, order, found, titles),
    )


def _cell(lead: Lead, method: str, row: Mapping[str, Any], runs: Floats, places: int, edge: bool) -> Cell:
    mean, n, m, flat, se = (row[name] for name in ("mean", "n", "n_expected", "n_constant", "se"))
    state, text = lead.state(method), format_fixed(mean, places)
    pm = f" ± {format_fixed(row['std'], places)}" if math.isfinite(row["std"]) else ""
    over = count_noun(n, "run") if n == m else f"{n} of {count_noun(m, 'run')}"
    nothing = [f"{flat} {'ranks' if flat == 1 else 'rank'} nothing"] if flat else []
    words = [f"{lead.metric} {text}{pm} ({over})", _IN_WORDS[state]]
    if lead.in_hits and lead.k:
        words.append(f"{format_fixed(mean * lead.k, 1)} of the top {lead.k:,}")
    if lead.in_hits and 0 < lead.chance < 0.2:
        words.append(f"{format_fixed(mean / lead.chance, 1)} times a random order")
    words += ["mostly at an edge of its grid"] * edge
    words += [f"{note} of {count_noun(m, 'run')}" for note in nothing]
    return Cell(
        text,
        format_cell(mean),
        pm,
        float(f"{mean:.9g}"),
        float(f"{se:.3g}") if math.isfinite(se) else None,
        [float(f"{x:.5g}") if math.isfinite(x) else None for x in runs],
        f"s{shade(row['gap'], lead)}" if row["ranked"] else "none",
        state,
        MARKS.get(state, ""),
        " ⚠" * edge + " ∅" * bool(flat),
        [over] * (n < m) + nothing,
        "; ".join(words),
    )


def _card(
    lead: Lead, titles: Mapping[str, str], spent: Mapping[str, float], flat: Mapping[str, int], places: int
) -> dict[str, str]:
    """Return the parts of a card by class: what, who, verdict and so on."""
    level = {m: spent[m] for m in lead.not_behind if spent.get(m, math.nan) == spent.get(m)}
    cheapest = min(level, key=lambda method: level[method], default="")
    alike = {"Shown to be equal to it": lead.of("equal"), "Not shown to be behind it": lead.of("open")}
    n = flat.get(lead.best, 0)
    return {
        "what": f"Best {lead.metric} at {lead.top}",
        "who": leader(lead, titles)
        + (f" {'level at ' if lead.tied else ''}{format_fixed(lead.mean, places)}" if lead.best else ""),
        "verdict": VERDICTS[lead.verdict],
        "words": reading(lead, titles),
        "nothing": f"{titles[lead.best]} gives all test items one score in {n} of "
        f"{count_noun(lead.m, 'run')}, where it ranks nothing."
        if n
        else "",
        "alike": " ".join(
            f"{words}: {join_words([titles[m] for m in its])}." for words, its in alike.items() if its
        ),
        "cheapest": f"Cheapest of these: {titles[cheapest]}, {format_duration(level[cheapest])} a job."
        if cheapest and len(lead.not_behind) > 1
        else "",
    }


def _note(lead: Lead, metric: Metric, cells: Mapping[str, Cell], flat: Mapping[str, int]) -> str:
    """Return the legend below the strip."""
    if not cells:
        return f"No method has a defined value of {metric.name} at {lead.top}."
    parts = [
        f"{metric.name} ({'higher' if metric.higher_is_better else 'lower'} is better). Large mark: mean; "
        "bar: one standard error; dots: runs",
        "filled: the best and its equals; pale: not shown to be behind; dashed: not tested; hollow: behind",
        *["⚠: mostly at an edge of its grid"] * any("⚠" in cell.signs for cell in cells.values()),
        *["∅: ranks nothing, one score for all items, in some run"] * any(flat.values()),
    ]
    known = f" A random order has {format_fixed(lead.chance)}." if math.isfinite(lead.chance) else ""
    return f"{'; '.join(parts)}.{known}"


def _test(rival: Rival, places: int) -> list[object]:
    """Return a row of the table of tests: the method, and a cell for each head."""
    low, high = format_fixed(rival.low, places), format_fixed(rival.high, places)
    numbers = [
        format_fixed(rival.mean, places),
        f"{low} to {high}" if math.isfinite(rival.low) else "–",
        f"{rival.better} of {rival.n}",
        format_p(rival.p),
        format_p(rival.p_equal),
    ]
    verdict = {"text": _PLACES[rival.verdict], "notes": [rival.reason] if rival.reason else []}
    return [rival.model, *({"text": text} for text in numbers), verdict]


def _downloads(
    title: str,
    metric: Metric,
    over: str,
    order: Sequence[str],
    leads: Mapping[str, LeadView],
    titles: Mapping[str, str],
) -> dict[str, Download]:
    """Return the table as CSV, TeX (booktabs) and Markdown."""
    csv, tex, md = {}, {}, {}
    for method in order:
        cells = {top: lead.cells.get(method) for top, lead in leads.items()}
        csv[method] = "\n".join(
            f"{_in_csv(method)},{top},{metric.name},{c.mean!r},{sum(x is not None for x in c.runs)},{c.state}"
            for top, c in cells.items()
            if c
        )
        tex[method] = " & ".join([tex_text(titles[method]), *map(as_tex, cells.values())]) + r" \\"
        md[method] = f"| {' | '.join([titles[method], *map(_in_markdown, cells.values())])} |"
    tops = list(leads)
    untested = any(cell.state == "untested" for lead in leads.values() for cell in lead.cells.values())
    note = rf"\multicolumn{{{1 + len(tops)}}}{{l}}{{\footnotesize $^\dagger$ not tested: {over}}} \\"
    head = [
        f"% {' '.join(title.split())}, {metric.name}: mean over {over}. Bold: the best, or shown to be equal "
        "to it; circle: not shown to be behind; dagger: not tested; no mark: shown to be behind.",
        rf"\begin{{tabular}}{{l{'r' * len(tops)}}}",
        r"\toprule",
        " & ".join(["Method", *map(tex_text, tops)]) + r" \\",
        r"\midrule",
    ]
    rule = f"| --- |{' ---: |' * len(tops)}"
    return {
        "csv": Download("method,top,metric,mean,n,state", {m: rows for m, rows in csv.items() if rows}),
        "tex": Download(
            "\n".join(head), tex, "\n".join([r"\bottomrule", *[note] * untested, r"\end{tabular}"])
        ),
        "md": Download(f"| {' | '.join(['Method', *tops])} |\n{rule}", md),
    }


def _is_bold(cell: Cell) -> bool:
    return cell.state in ("best", "equal")


def as_tex(cell: Cell | None, short: bool = False) -> str:
    """Return a mean with its mark, as TeX; `short` has two decimals."""
    if cell is None:
        return "--"
    value = (cell.brief if short else cell.text).replace("−", "$-$")
    return f"\\textbf{{{value}}}" if _is_bold(cell) else value + _TEX[cell.sign]


def _in_markdown(cell: Cell | None) -> str:
    if cell is None:
        return "–"
    return f"**{cell.text}**" if _is_bold(cell) else cell.text + cell.sign


def _in_csv(text: str) -> str:
    text = plain_cell(text)
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if re.search('[",\r\n]', text) else text


def tex_text(text: str) -> str:
    """Return a text as TeX prints it."""
    return text.translate(_TEX_ESCAPES)


def tex_number(value: float, decimals: int) -> str:
    """Return a number as TeX; a dash where there is none."""
    return format_fixed(value, decimals).replace("–", "--")
