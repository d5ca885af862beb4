"""A data set by one metric as the page shows it: cells, marks, sentences, tests and downloads, all formatted.

The page, its script and the TeX files show what is made here. Marks are the verdicts of
`attop_bench.report.compute.judgements`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from attop.experiment import Rival, TopJudgement, Verdict, legend, name_models
from attop.extending import (
    Floats,
    capitalise,
    count_noun,
    decimals_for,
    format_cell,
    format_duration,
    format_fixed,
    format_p,
    format_sum,
    join_words,
)
from attop.metrics import Metric, get_metric
from attop_bench.files import plain_cell
from attop_bench.report.compute.judgements import highlighted, rank_methods, reading, shade, unit_of

#: Heads of the table of tests.
TESTS = ("Other", "Difference", "Interval", "Wins", "p ahead", "p equal", "Verdict")
#: What the marks of a table say.
LEGEND = legend("Bold", Verdict.OPEN.mark, Verdict.UNTESTED.mark, "no mark", Verdict.UNRANKED.mark)
#: What the large mark of the strip looks like.
_STRIP = {
    Verdict.OPEN: "pale",
    Verdict.UNTESTED: "dashed",
    Verdict.AHEAD: "hollow",
    Verdict.UNRANKED: "grey",
}
_TEX_ESCAPES = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"}
    | {"°": r"$^\circ$", "†": r"$^\dagger$", "‡": r"$^\ddagger$"}
)


@dataclass(frozen=True)
class Cell:
    """A method at one top: `text`, `brief` (for the map) and `pm` are its mean and standard deviation.

    `runs` has a value a run, None where there is none. `shade` is that of the distance to the best, ``s0`` to
    ``s5``, or ``none`` where it is not ranked; `sign` marks the verdict `state`, `signs` the method (at an
    edge of its grid, ranks nothing); `notes` go below the number, `tip` says all in words.
    """

    text: str
    brief: str
    pm: str
    mean: float
    se: float | None
    runs: list[float | None]
    shade: str
    state: Verdict
    sign: str
    signs: str
    notes: list[str]
    tip: str


@dataclass(frozen=True)
class TopView:
    """The best at one top against all others: card, strip, tests; `order` are the methods, best first."""

    card: dict[str, str]
    note: str
    about: str
    random_baseline: str
    order: list[str]
    highlighted: list[str]
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
    tops: dict[str, TopView]
    exports: dict[str, Download]


def build_view(
    title: str,
    judgements: Sequence[TopJudgement],
    table: pd.DataFrame,
    values: pd.DataFrame,
    titles: Mapping[str, str],
    spent: Mapping[str, float],
    edge: Collection[str],
) -> View:
    """Format one metric of one data set.

    `judgements` has one a top; `table` are rows of `attop_bench.report.compute.tables.summarise`, `values`
    of the evaluation; `spent` are seconds a job, `edge` methods mostly chosen at an edge of their grid.
    """
    metric, order = get_metric(judgements[0].metric), rank_methods(judgements, table["method"].unique())
    unit = unit_of(metric.name)
    factors = {judged.top: judged.factor for judged in judgements}
    places = decimals_for(table["mean"] * table["top"].map(factors))
    rows: dict[str, dict[str, Any]] = {judged.top: {} for judged in judgements}
    for row in table.to_dict("records"):
        rows[row["top"]][row["method"]] = row
    by_run = values.set_index(["top", "method", "repeat", "fold"])["value"].astype(float)
    by_run = by_run.unstack(["repeat", "fold"]).sort_index(axis=1)
    runs = dict(zip(by_run.index, by_run.to_numpy(), strict=True))
    found = {}
    for judged in judgements:
        cells = {
            method: _cell(judged, method, row, runs[judged.top, method], places, method in edge)
            for method, row in rows[judged.top].items()
            if row["n"]
        }
        flat = {method: rows[judged.top][method]["n_constant"] for method in cells}
        found[judged.top] = TopView(
            _card(judged, titles, spent, flat, places),
            _note(judged, metric, cells, flat),
            f"{titles.get(judged.best, '')} minus the other, by {unit} at {judged.top}, over shared "
            "runs. p ahead: corrected resampled t-test, of the best against all or, adjusted, against one. "
            "The interval is above zero exactly where the best is ahead."
            + f" p equal: test of a difference above {judged.tolerance:g}."
            * (judged.tolerance > 0),
            format_cell(judged.random_baseline),
            [judged.best, *(r.model for r in judged.rivals)] if judged.best else [],
            list(highlighted(judged)),
            cells,
            [_test(judged, rival, places) for rival in judged.rivals],
        )
    n = {counts for counts in table["n"] if counts}
    over = "no run" if not n else count_noun(n.pop(), "run") if len(n) == 1 else f"{min(n)} to {max(n)} runs"
    better = "higher" if metric.higher_is_better else "lower"
    return View(
        f"{unit} ({better} is better): mean ± standard deviation over {over}. {LEGEND}.",
        order,
        places,
        [bound if math.isfinite(bound) else None for bound in metric.bounds],
        found,
        _downloads(title, metric, over, order, found, titles),
    )


def _cell(
    judged: TopJudgement, method: str, row: Mapping[str, Any], runs: Floats, places: int, edge: bool
) -> Cell:
    n, m, flat = (row[name] for name in ("n", "n_expected", "n_constant"))
    mean, se = judged.factor * row["mean"], judged.factor * row["se"]
    state, text = judged.state(method), _number(judged, row["mean"], places)
    pm = f" ± {_number(judged, row['std'], places)}" if math.isfinite(row["std"]) else ""
    over = count_noun(n, "run") if n == m else f"{n} of {count_noun(m, 'run')}"
    nothing = [f"{flat} {'ranks' if flat == 1 else 'rank'} nothing"] if flat else []
    words = [f"{unit_of(judged.metric)} {text}{pm} ({over})", state.sentence()]
    if judged.in_hits and judged.k:
        words.append(f"{format_fixed(mean * judged.k, 1)} of the top {judged.k:,}")
    if judged.in_hits and 0 < judged.random_baseline < 0.2:
        words.append(f"{format_fixed(mean / judged.random_baseline, 1)} times a random order")
    words += ["mostly at an edge of its grid"] * edge
    words += [f"{note} of {count_noun(m, 'run')}" for note in nothing]
    return Cell(
        text,
        format_cell(mean),
        pm,
        float(f"{mean:.9g}"),
        float(f"{se:.3g}") if math.isfinite(se) else None,
        [float(f"{x:.5g}") if math.isfinite(x) else None for x in judged.factor * runs],
        "none" if state is Verdict.UNRANKED else f"s{shade(judged, row['mean'])}",
        state,
        state.mark,
        " ⚠" * edge + " ∅" * bool(flat),
        [over] * (n < m) + nothing,
        "; ".join(words),
    )


def _card(
    judged: TopJudgement,
    titles: Mapping[str, str],
    spent: Mapping[str, float],
    flat: Mapping[str, int],
    places: int,
) -> dict[str, str]:
    """Return the parts of a card by class: what, who, verdict and so on."""
    level = {m: spent[m] for m in judged.not_behind if spent.get(m, math.nan) == spent.get(m)}
    cheapest = min(level, key=lambda method: level[method], default="")
    alike = {v: [titles[m] for m in judged.of(v)] for v in (Verdict.EQUAL, Verdict.OPEN)}
    n = flat.get(judged.best, 0)
    return {
        "what": _best_of(judged),
        "who": f"{name_models(judged.first, titles, 3)} {'level at ' * bool(judged.tied)}"
        + _number(judged, judged.mean, places)
        if judged.best
        else "none",
        "verdict": judged.verdict,
        "words": reading(judged, titles),
        "nothing": f"{titles[judged.best]} gives all test items one score in {n} of "
        f"{count_noun(judged.m, 'run')}, where it ranks nothing."
        if n
        else "",
        "alike": " ".join(
            f"{capitalise(v.sentence('it'))}: {join_words(alike[v], 5)}." for v in alike if alike[v]
        ),
        "cheapest": f"Cheapest of these: {titles[cheapest]}, {format_duration(level[cheapest])} a job."
        if cheapest and len(judged.not_behind) > 1
        else "",
    }


def _best_of(judged: TopJudgement) -> str:
    """Say of what the card names the best."""
    if judged.in_sums:
        return f"Largest amount in the first {judged.factor:,.0f}"
    return f"Best {judged.metric} at {judged.top}"


def _note(judged: TopJudgement, metric: Metric, cells: Mapping[str, Cell], flat: Mapping[str, int]) -> str:
    """Return the legend below the strip."""
    if not cells:
        return f"No method has a defined value of {metric.name} at {judged.top}."
    states = {cell.state for cell in cells.values()}
    level = f", or {Verdict.EQUAL.sentence('it')}" if Verdict.EQUAL in states else ""
    parts = [
        f"{unit_of(metric.name)} ({'higher' if metric.higher_is_better else 'lower'} is better). "
        "Large mark: mean; bar: one standard error; dots: runs",
        f"filled: the best{level}",
        *(f"{look}: {state.sentence('it')}" for state, look in _STRIP.items() if state in states),
        *["⚠: mostly at an edge of its grid"] * any("⚠" in cell.signs for cell in cells.values()),
        *["∅: ranks nothing, one score for all items, in some run"] * any(flat.values()),
    ]
    baseline = judged.random_baseline
    known = f" A random order has {_number(judged, baseline, 3)}." if math.isfinite(baseline) else ""
    return f"{'; '.join(parts)}.{known}"


def _test(judged: TopJudgement, rival: Rival, places: int) -> list[object]:
    """Return a row of the table of tests: the method, and a cell for each head."""
    low, high = _number(judged, rival.low, places), _number(judged, rival.high, places)
    numbers = [
        _number(judged, rival.difference, places),
        f"{low} to {high}" if math.isfinite(rival.low) else "–",
        f"{rival.better} of {rival.n}",
        format_p(rival.p),
        format_p(rival.p_equal),
    ]
    notes = [rival.reason] if rival.reason else []
    if rival.verdict is Verdict.OPEN:
        least = _number(judged, rival.least, places)
        notes = [f"shown from a lead of {least}" if math.isfinite(rival.least) else "no lead is shown"]
    verdict = {"text": rival.verdict.word, "notes": notes}
    return [rival.model, *({"text": text} for text in numbers), verdict]


def _downloads(
    title: str,
    metric: Metric,
    over: str,
    order: Sequence[str],
    tops: Mapping[str, TopView],
    titles: Mapping[str, str],
) -> dict[str, Download]:
    """Return the table as CSV, TeX (booktabs) and Markdown."""
    csv, tex, md = {}, {}, {}
    for method in order:
        cells = {top: view.cells.get(method) for top, view in tops.items()}
        lines = [
            (top, c.mean, len(c.runs) - c.runs.count(None), c.state.word) for top, c in cells.items() if c
        ]
        csv[method] = "\n".join(
            f"{_in_csv(method)},{t},{unit_of(metric.name)},{m!r},{n},{w}" for t, m, n, w in lines
        )
        tex[method] = " & ".join([tex_text(titles[method]), *map(as_tex, cells.values())]) + r" \\"
        md[method] = f"| {' | '.join([titles[method], *map(_in_markdown, cells.values())])} |"
    untested = any(cell.state is Verdict.UNTESTED for view in tops.values() for cell in view.cells.values())
    foot = rf"\multicolumn{{{1 + len(tops)}}}{{l}}{{\footnotesize $^\dagger$ not tested: {over}}} \\"
    head = [
        f"% {' '.join(title.split())}, {unit_of(metric.name)}: mean over {over}. {LEGEND}.",
        rf"\begin{{tabular}}{{l{'r' * len(tops)}}}",
        r"\toprule",
        " & ".join(["Method", *map(tex_text, tops)]) + r" \\",
        r"\midrule",
    ]
    rule = f"| --- |{' ---: |' * len(tops)}"
    return {
        "csv": Download("method,top,metric,mean,n,state", {m: rows for m, rows in csv.items() if rows}),
        "tex": Download(
            "\n".join(head), tex, "\n".join([r"\bottomrule", *[foot] * untested, r"\end{tabular}"])
        ),
        "md": Download(f"| {' | '.join(['Method', *tops])} |\n{rule}", md),
    }


def _number(judged: TopJudgement, value: float, places: int) -> str:
    """Format a value, or a difference of two, in the unit of the headline: a sum where that has one."""
    return format_sum(judged.factor * value) if judged.in_sums else format_fixed(value, places)


def _is_bold(cell: Cell) -> bool:
    return cell.state in (Verdict.BEST, Verdict.EQUAL)


def as_tex(cell: Cell | None, short: bool = False) -> str:
    """Return a mean with its mark, as TeX; `short` has two decimals."""
    if cell is None:
        return "--"
    value = (cell.brief if short else cell.text).replace("−", "$-$")
    return f"\\textbf{{{value}}}" if _is_bold(cell) else value + tex_text(cell.sign)


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
