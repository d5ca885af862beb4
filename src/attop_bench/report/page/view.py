"""A data set by one metric as the page shows it: cells, marks, sentences, tests and downloads, all formatted.

The page, its script and the TeX files show what is made here. Marks are the verdicts of
`attop_bench.report.compute.judgements`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
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
from attop_bench.report.compute.judgements import (
    ERROR_BAR,
    highlighted,
    rank_methods,
    reading,
    shade,
    unit_of,
)
from attop_bench.report.compute.tables import Titles

#: Heads of the table of tests.
TESTS = ("Other", "Difference", "Interval", "Wins", "p ahead", "p equal", "Verdict")
#: What the marks of a table say.
LEGEND = legend(
    "Bold",
    Verdict.OPEN.mark,
    Verdict.UNTESTED.mark,
    "no mark",
    Verdict.UNRANKED.mark,
)
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

    `low` and `high` are the ends of the mean's 95% interval, None where there is none. `runs` has a value a
    run, None where there is none. `shade` is that of the distance to the best, ``s0`` to
    ``s5``, or ``none`` where it is not ranked; `sign` marks the verdict `state`, `signs` the method (at an
    edge of its grid, ranks nothing); `notes` go below the number, `tip` says all in words.
    """

    text: str
    brief: str
    pm: str
    mean: float
    low: float | None
    high: float | None
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
        return (
            "\n".join(filter(None, (self.head, *self.rows.values(), self.foot)))
            + "\n"
        )


@dataclass(frozen=True)
class View:
    """One metric of one data set: methods down, best first, tops across."""

    #: Before the spread, the spread, which paper has no room for, and after it.
    caption: list[str]
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
    titles: Titles,
    spent: Mapping[str, float],
    edge: Collection[str],
) -> View:
    """Format one metric of one data set.

    `judgements` has one a top; `table` are rows of `Results.summary`, `values` of the evaluation; `spent`
    are seconds a job, `edge` methods mostly chosen at an edge of their grid.
    """
    metric = get_metric(judgements[0].metric)
    order = rank_methods(judgements, table["method"].unique())
    factors = {judged.top: judged.factor for judged in judgements}
    places = decimals_for(table["mean"] * table["top"].map(factors))
    summaries: dict[str, dict[str, Any]] = {judged.top: {} for judged in judgements}
    for row in table.to_dict("records"):
        summaries[row["top"]][row["method"]] = row
    by_run = values.set_index(["top", "method", "repeat", "fold"])["value"].astype(
        float
    )
    by_run = by_run.unstack(["repeat", "fold"]).sort_index(axis=1)
    runs = dict(zip(by_run.index, by_run.to_numpy(), strict=True))
    tops = {}
    for judged in judgements:
        cells = {
            method: _cell(
                judged,
                method,
                row,
                runs[judged.top, method],
                places,
                method in edge,
            )
            for method, row in summaries[judged.top].items()
            if row["n"]
        }
        flat = {
            method: summaries[judged.top][method]["n_constant"] for method in cells
        }
        tops[judged.top] = TopView(
            card=_card(judged, titles, spent, flat, places),
            note=_note(judged, metric, cells, flat),
            about=_about_tests(judged, titles),
            random_baseline=format_cell(judged.random_baseline),
            order=[judged.best, *(rival.model for rival in judged.rivals)]
            if judged.best
            else [],
            highlighted=list(highlighted(judged)),
            cells=cells,
            tests=[_test(judged, rival, places) for rival in judged.rivals],
        )
    over = _runs_behind(table)
    better = "higher" if metric.higher_is_better else "lower"
    unit = unit_of(metric.name)
    return View(
        caption=[
            f"{unit} ({better} is better): mean ",
            "± standard deviation ",
            f"over {over}. {LEGEND}.",
        ],
        order=order,
        places=places,
        bounds=[_number_or_none(bound) for bound in metric.bounds],
        tops=tops,
        exports=_downloads(title, metric, over, order, tops, titles),
    )


def _runs_behind(table: pd.DataFrame) -> str:
    """Say over how many runs the means are."""
    counts = {count for count in table["n"] if count}
    if not counts:
        return "no run"
    if len(counts) == 1:
        return count_noun(counts.pop(), "run")
    return f"{min(counts)} to {max(counts)} runs"


def _about_tests(judged: TopJudgement, titles: Titles) -> str:
    """Say what the numbers of the table of tests are."""
    words = (
        f"{titles.get(judged.best, '')} minus the other, by {unit_of(judged.metric)} at {judged.top}, over "
        "shared runs. p ahead: corrected resampled t-test, of the best against all or, adjusted, against "
        "one. The interval is above zero exactly where the best is ahead."
    )
    if judged.tolerance > 0:
        words += f" p equal: test of a difference above {judged.tolerance:g}."
    return words


def _number_or_none(value: float, digits: int = 12) -> float | None:
    """Round a number to some digits for JSON; None for one that is not finite."""
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def _cell(
    judged: TopJudgement,
    method: str,
    row: Mapping[str, Any],
    runs: Floats,
    places: int,
    edge: bool,
) -> Cell:
    mean = judged.factor * row["mean"]
    state = judged.state(method)
    notes = []
    if row["n"] < row["n_expected"]:
        notes.append(_over_runs(row))
    signs = ""
    if edge:
        signs += " ⚠"
    if row["n_constant"]:
        signs += " ∅"
        notes.append(_rank_nothing(row))
    return Cell(
        text=_number(judged, row["mean"], places),
        brief=format_cell(mean),
        pm=_spread(judged, row, places),
        mean=float(f"{mean:.9g}"),
        low=_number_or_none(judged.factor * row["low"], 6),
        high=_number_or_none(judged.factor * row["high"], 6),
        runs=[_number_or_none(value, 5) for value in judged.factor * runs],
        shade="none"
        if state is Verdict.UNRANKED
        else f"s{shade(judged, row['mean'])}",
        state=state,
        sign=state.mark,
        signs=signs,
        notes=notes,
        tip="; ".join(_tip(judged, method, row, places, edge)),
    )


def _over_runs(row: Mapping[str, Any]) -> str:
    """Say how many runs a mean is over, of those there should be."""
    every = count_noun(row["n_expected"], "run")
    return every if row["n"] == row["n_expected"] else f"{row['n']} of {every}"


def _rank_nothing(row: Mapping[str, Any]) -> str:
    verb = "ranks" if row["n_constant"] == 1 else "rank"
    return f"{row['n_constant']} {verb} nothing"


def _spread(judged: TopJudgement, row: Mapping[str, Any], places: int) -> str:
    """Write the standard deviation over the runs behind its sign; nothing for a single run."""
    return (
        f" ± {_number(judged, row['std'], places)}"
        if math.isfinite(row["std"])
        else ""
    )


def _tip(
    judged: TopJudgement,
    method: str,
    row: Mapping[str, Any],
    places: int,
    edge: bool,
) -> Iterator[str]:
    """Yield all that is to say of a method at a top."""
    text = _number(judged, row["mean"], places)
    spread = _spread(judged, row, places)
    yield f"{unit_of(judged.metric)} {text}{spread} ({_over_runs(row)})"
    yield judged.state(method).sentence()
    if judged.in_hits and judged.k:
        yield f"{format_fixed(judged.k * row['mean'], 1)} of the top {judged.k:,}"
    if judged.in_hits and 0 < judged.random_baseline < 0.2:
        yield f"{format_fixed(row['mean'] / judged.random_baseline, 1)} times a random order"
    if edge:
        yield "mostly at an edge of its grid"
    if row["n_constant"]:
        yield f"{_rank_nothing(row)} of {count_noun(row['n_expected'], 'run')}"


def _card(
    judged: TopJudgement,
    titles: Titles,
    spent: Mapping[str, float],
    flat: Mapping[str, int],
    places: int,
) -> dict[str, str]:
    """Write the parts of a card by class: what, who, verdict and so on."""
    return {
        "what": _best_of(judged),
        "who": _who(judged, titles, places),
        "verdict": judged.verdict,
        "words": reading(judged, titles),
        "nothing": _ranks_nothing(judged, titles, flat.get(judged.best, 0)),
        "alike": _name_equal_methods(judged, titles),
        "cheapest": _cheapest(judged, titles, spent),
    }


def _who(judged: TopJudgement, titles: Titles, places: int) -> str:
    """Name the best and its value."""
    if not judged.best:
        return "none"
    level = "level at " if judged.tied else ""
    return f"{name_models(judged.first, titles, 3)} {level}{_number(judged, judged.mean, places)}"


def _ranks_nothing(judged: TopJudgement, titles: Titles, n: int) -> str:
    """Warn that the best gives all items one score in some runs."""
    if not n:
        return ""
    runs = f"{n} of {count_noun(judged.m, 'run')}"
    return f"{titles[judged.best]} gives all test items one score in {runs}, where it ranks nothing."


def _name_equal_methods(judged: TopJudgement, titles: Titles) -> str:
    """Name the methods that are equal to the best, and those not shown to be behind it."""
    sentences = []
    for verdict in (Verdict.EQUAL, Verdict.OPEN):
        names = [titles[method] for method in judged.of(verdict)]
        if names:
            sentences.append(
                f"{capitalise(verdict.sentence('it'))}: {join_words(names, 5)}."
            )
    return " ".join(sentences)


def _cheapest(
    judged: TopJudgement, titles: Titles, spent: Mapping[str, float]
) -> str:
    """Name the fastest of the best and those not shown to be behind it, if there are several."""
    seconds = {
        m: spent[m]
        for m in judged.not_behind
        if math.isfinite(spent.get(m, math.nan))
    }
    if not seconds or len(judged.not_behind) < 2:
        return ""
    method = min(seconds, key=lambda name: seconds[name])
    return f"Cheapest of these: {titles[method]}, {format_duration(seconds[method])} a job."


def _best_of(judged: TopJudgement) -> str:
    """Say of what the card names the best."""
    if judged.in_sums:
        return f"Largest amount in the first {judged.factor:,.0f}"
    return f"Best {judged.metric} at {judged.top}"


def _note(
    judged: TopJudgement,
    metric: Metric,
    cells: Mapping[str, Cell],
    flat: Mapping[str, int],
) -> str:
    """Write the legend below the strip."""
    if not cells:
        return f"No method has a defined value of {metric.name} at {judged.top}."
    states = {cell.state for cell in cells.values()}
    better = "higher" if metric.higher_is_better else "lower"
    level = (
        f", or {Verdict.EQUAL.sentence('it')}" if Verdict.EQUAL in states else ""
    )
    parts = [
        f"{unit_of(metric.name)} ({better} is better). {_marks(cells)}",
        f"filled: the best{level}",
    ]
    parts += [
        f"{look}: {state.sentence('it')}"
        for state, look in _STRIP.items()
        if state in states
    ]
    if any("⚠" in cell.signs for cell in cells.values()):
        parts.append("⚠: mostly at an edge of its grid")
    if any(flat.values()):
        parts.append("∅: ranks nothing, one score for all items, in some run")
    note = f"{'; '.join(parts)}."
    if math.isfinite(judged.random_baseline):
        note += f" A random order has {_number(judged, judged.random_baseline, 3)}."
    return note


def _marks(cells: Mapping[str, Cell]) -> str:
    """Say what the strip's marks are; without intervals, what they would take."""
    if any(cell.low is not None for cell in cells.values()):
        return f"Large mark: mean; bar: {ERROR_BAR}; dots: runs"
    return "Large mark: mean; dots: runs; an interval takes two runs of known sizes"


def _test(judged: TopJudgement, rival: Rival, places: int) -> list[object]:
    """Write a row of the table of tests: the method, and a cell for each head."""
    low = _number(judged, rival.low, places)
    high = _number(judged, rival.high, places)
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
        notes = [
            f"shown from a lead of {least}"
            if math.isfinite(rival.least)
            else "no lead is shown"
        ]
    verdict = {"text": rival.verdict.word, "notes": notes}
    return [rival.model, *({"text": text} for text in numbers), verdict]


def _downloads(
    title: str,
    metric: Metric,
    over: str,
    order: Sequence[str],
    tops: Mapping[str, TopView],
    titles: Titles,
) -> dict[str, Download]:
    """Write the table as CSV, TeX (booktabs) and Markdown."""
    csv = {}
    tex = {}
    md = {}
    for method in order:
        cells = {top: view.cells.get(method) for top, view in tops.items()}
        lines = [
            (top, c.mean, len(c.runs) - c.runs.count(None), c.state.word)
            for top, c in cells.items()
            if c
        ]
        csv[method] = "\n".join(
            f"{_in_csv(method)},{t},{unit_of(metric.name)},{m!r},{n},{w}"
            for t, m, n, w in lines
        )
        tex[method] = (
            " & ".join([tex_text(titles[method]), *map(as_tex, cells.values())])
            + r" \\"
        )
        md[method] = (
            f"| {' | '.join([titles[method], *map(_in_markdown, cells.values())])} |"
        )
    untested = any(
        cell.state is Verdict.UNTESTED
        for view in tops.values()
        for cell in view.cells.values()
    )
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
        "csv": Download(
            "method,top,metric,mean,n,state",
            {m: rows for m, rows in csv.items() if rows},
        ),
        "tex": Download(
            "\n".join(head),
            tex,
            "\n".join([r"\bottomrule", *[foot] * untested, r"\end{tabular}"]),
        ),
        "md": Download(f"| {' | '.join(['Method', *tops])} |\n{rule}", md),
    }


def _number(judged: TopJudgement, value: float, places: int) -> str:
    """Format a value, or a difference of two, in the unit of the headline: a sum where that has one."""
    return (
        format_sum(judged.factor * value)
        if judged.in_sums
        else format_fixed(value, places)
    )


def _is_bold(cell: Cell) -> bool:
    return cell.state in (Verdict.BEST, Verdict.EQUAL)


def as_tex(cell: Cell | None, short: bool = False) -> str:
    """Write a mean with its mark as TeX; `short` has two decimals."""
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
    return (
        f'"{text.replace(chr(34), chr(34) * 2)}"'
        if re.search('[",\r\n]', text)
        else text
    )


def tex_text(text: str) -> str:
    """Escape a text so that TeX prints it."""
    return text.translate(_TEX_ESCAPES)
