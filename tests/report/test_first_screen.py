"""The headline, the chips below it and the map."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from attop_bench.report import summarise
from attop_bench.report.compute.across import across
from attop_bench.report.compute.comparison import leads
from attop_bench.report.compute.heat_map import heat_map
from attop_bench.report.compute.tables import standings
from attop_bench.report.page.model import Chip, Failures
from attop_bench.report.page.render import render
from attop_bench.report.page.report import build_page
from attop_bench.report.page.summary_line import chips, left_out, page_headline
from support.html import Page, not_drawn
from support.made_up import as_tables
from support.rows import rows

#: Parts of a job that are timed.
SPENT = ("selection", "training", "scoring")


@pytest.fixture
def undrawn(monkeypatch):
    for module in ("section", "report"):
        monkeypatch.setattr(f"attop_bench.report.page.{module}.draw", not_drawn)


@pytest.mark.usefixtures("undrawn")
def test_headline_chips_and_map_say_what_was_run(small):
    *tables, manifest = small
    page = build_page(as_tables(*tables), manifest)
    assert page.headline.startswith("At ")  # two data sets: nothing to rank over
    chips = {chip.text: chip for chip in page.chips}
    assert chips["2 data sets"].tone == ""
    assert chips["5 jobs failed"] == Chip("5 jobs failed", "bad", "#failures")
    assert any(text.startswith("attop 0.1.0 · 0123456") for text in chips)
    assert any(" by the clock; the jobs add up to " in text for text in chips)
    assert {(c.dataset, c.top) for c in page.map.columns} == {
        (s.id, top) for s in page.sections for top in s.tops
    }
    for section in page.sections:
        for lead in section.leads:
            place = page.map.columns.index(
                next(c for c in page.map.columns if (c.dataset, c.top) == (section.id, lead.top))
            )
            states = {row.method: row.cells[place].state for row in page.map.rows}
            level = {m for m, state in states.items() if state in ("best", "level")}
            assert level == set(lead.level)
            assert {m for m, state in states.items() if state == "untested"} == set(lead.untested)


def test_what_is_not_applicable_has_not_failed():
    jobs = {"expected": 9, "ok": 4, "timeout": 2, "not_applicable": 3, "missing": 0}
    failures = Failures(jobs, list(jobs)[1:], [], [], [], 0, [])
    runs = pd.DataFrame(
        columns=[*("dataset", "method", "repeat", "fold"), *(f"seconds_{s}" for s in SPENT)], dtype=float
    )
    found = [(chip.text, chip.tone) for chip in chips([], {}, failures, runs, {})]
    assert found[2:] == [("4 of 9 jobs ok", ""), ("2 jobs failed", "bad"), ("3 jobs not applicable", "")]


def test_a_method_that_runs_nowhere_is_named_on_the_first_screen():
    class Section:
        id, title, at_edge = "wdbc", "WDBC", ()

        def __init__(self, *order, **skipped):
            self.order, self.skipped = order, skipped

    runs = pd.DataFrame(
        columns=[*("dataset", "method", "repeat", "fold"), *(f"seconds_{s}" for s in SPENT)], dtype=float
    )
    jobs = {"expected": 1, "ok": 1, "missing": 0}
    failures = Failures(jobs, list(jobs)[1:], [], [], [], 0, [])
    methods = {"boosted": {"title": "Boosting"}, "aatp": {"title": "AATP"}}
    sections = [Section(boosted="needs a package", aatp="slow"), Section("aatp", boosted="needs a package")]
    assert Chip("Boosting left out", "warn", "#left-out") in chips(sections, methods, failures, runs, {})
    assert left_out(sections, methods) == {"boosted": "needs a package"}
    methods["own"] = {"title": "Mine"}
    assert Chip("2 methods left out", "warn", "#left-out") in chips(sections, methods, failures, runs, {})
    assert left_out(sections, methods) == {"boosted": "needs a package", "own": "not run"}


@pytest.mark.usefixtures("undrawn")
def test_the_map_has_no_row_for_a_method_that_ran_nowhere_but_names_it(small):
    *tables, manifest = small
    skipped = {d: {**entry, "skip": {"boosted": "slow"}} for d, entry in manifest["datasets"].items()}
    methods = {**manifest["methods"], "boosted": {"title": "Boosting"}, "own": {"title": "Mine"}}
    page = build_page(as_tables(*tables), {**manifest, "datasets": skipped, "methods": methods})
    assert {row.method for row in page.map.rows} == set(manifest["methods"])
    assert page.left_out == [("Boosting", "slow"), ("Mine", "not run")]
    assert "Run on no data set: Boosting (slow); Mine (not run)." in Page(render(page)).words


def headline_of(**values):
    """Return the headline of five data sets with three tops each, from the values at the tops."""
    evaluation = pd.concat(
        rows(*((m, [v[i] + e for e in (-0.01, 0, 0.01)]) for m, v in values.items()), dataset=f"d{d}", top=k)[
            0
        ]
        for d in range(5)
        for i, k in enumerate(("k=5", "k=10", "k=20"))
    )
    titles = {m: m.upper() for m in values}
    found = across(evaluation, {f"d{d}": "precision@k" for d in range(5)}, titles=titles)
    every = [
        lead for d in range(5) for lead in leads(evaluation, f"d{d}", "precision@k", test_train_ratio=0.5)
    ]
    return page_headline(found, every, titles)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"a": (0.5, 0.9, 0.5), "b": (0.6, 0.8, 0.6), "c": (0.1, 0.1, 0.1)},
            "A ranks best over 5 data sets, at the middle top of each (mean rank 1.0 of 3 "
            "methods), but B most often has the best mean, at 10 of 15 tops (A at 5).",
        ),
        (
            {"a": (0.9, 0.9, 0.5), "b": (0.6, 0.8, 0.6), "c": (0.1, 0.1, 0.1)},
            "A ranks best over 5 data sets, at the middle top of each (mean rank 1.0 of 3 "
            "methods) and most often has the best mean, at 10 of 15 tops.",
        ),
        (
            {"a": (0.9, 0.9, 0.5), "b": (0.9, 0.8, 0.6), "c": (0.1, 0.1, 0.1)},
            "A ranks best over 5 data sets, at the middle top of each (mean rank 1.0 of 3 "
            "methods) and, with B, most often has the best mean, at 10 of 15 tops each.",
        ),
        (
            {"a": (0.5, 0.9, 0.5), "b": (0.5, 0.9, 0.5), "c": (0.6, 0.1, 0.6)},
            "A and B rank best over 5 data sets, at the middle top of each (mean rank 1.5 of 3 "
            "methods), but C most often has the best mean, at 10 of 15 tops (A at 5, B at 5).",
        ),
        (
            {"a": (0.6, 0.9, 0.5), "b": (0.5, 0.9, 0.5), "c": (0.1, 0.1, 0.6)},
            "A and B rank best over 5 data sets, at the middle top of each (mean rank 1.5 of 3 "
            "methods), of which A most often has the best mean, at 10 of 15 tops (B at 5).",
        ),
        (
            {"a": (0.6, 0.9, 0.5), "b": (0.5, 0.9, 0.5), "c": (0.6, 0.1, 0.6)},
            "A and B rank best over 5 data sets, at the middle top of each (mean rank 1.5 of 3 "
            "methods), but A and C most often have the best mean, at 10 of 15 tops each (B at 5).",
        ),
    ],
)
def test_the_headline_says_who_ranks_best_and_who_leads_most_often(values, said):
    none = "At none of the 15 tops is the leader shown to be ahead of the runner-up."
    assert headline_of(**values) == f"{said} {none}"


def test_shades_are_multiples_of_the_rope():
    values = {"a": 0.9, "b": 0.89, "c": 0.88, "d": 0.875, "e": 0.83, "f": 0.75, "g": 0.7}
    evaluation, runs = rows(*((m, [v + e for e in (-0.001, 0.001)]) for m, v in values.items()))
    table = standings(summarise(evaluation, runs))
    found = {"wdbc": leads(evaluation, "wdbc", "precision@k", test_train_ratio=0.2)}
    map = heat_map(table, found, dict.fromkeys(values, math.nan), {"wdbc": {"items": 50, "positives": 5}})
    assert [row.cells[0].shade for row in map.rows] == [0, 0, 1, 2, 3, 4, 5]
    assert [row.cells[0].state for row in map.rows] == ["best"] + 6 * ["untested"]  # two runs are too few
    assert map.columns[0].chance == 0.1


def test_shades_are_those_of_values_of_nine_digits():
    """The page's script has no more; the second method is four ropes behind, on the edge of two shades."""
    series = {"a": [*3 * [2 / 3], 0.0, 0.0], "b": [*3 * [1 / 3], 0.44, 0.36]}  # rounded up, and down
    shades = []
    for digits in (17, 9):
        evaluation, runs = rows(*((m, [float(f"{v:.{digits}g}") for v in vs]) for m, vs in series.items()))
        found = {"wdbc": leads(evaluation, "wdbc", "precision@k", test_train_ratio=0.2)}
        map = heat_map(standings(summarise(evaluation, runs)), found, dict.fromkeys(series, math.nan), {})
        shades.append([row.cells[0].shade for row in map.rows])
    assert shades == [[0, 2], [0, 2]]
