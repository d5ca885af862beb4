"""What a reader sees first: a curve titled by its finding, one unit for amounts, few marks."""

from __future__ import annotations

import re

import pytest

from attop.extending import format_sum
from attop_bench.report.compute.across import across, sentences
from attop_bench.report.compute.judgements import judge_all
from attop_bench.report.page.render import render
from attop_bench.report.page.report import build_page
from attop_bench.report.page.section import short_titles
from attop_bench.report.page.view import build_view
from support.html import Page
from support.pages import made_tables
from support.rows import rows, summary_of


def made(*, n_sets=1, n_methods=3, n_runs=5, metric="precision@k", factor=1.0, **entry):
    """Return the page of made-up results by a metric."""
    tables, manifest = made_tables(n_sets, n_methods, n_runs)
    evaluation = tables["evaluation"]
    tables["evaluation"] = evaluation.assign(metric=metric, value=factor * evaluation["value"])
    tables["runs"] = tables["runs"].assign(scoring=metric)
    for about in manifest["datasets"].values():
        about |= {"scoring": metric, **entry}
    return build_page(tables, manifest)


def hits_at(page, k):
    """Return the best at k, its hits by precision@k, and the title of the curve."""
    section = page.sections[0]
    judged = section.judgements["precision@k", f"k={k}"]
    return judged.best, k * judged.mean, section.finding(page.titles)


def test_the_curve_is_titled_by_what_the_best_finds_on_it():
    best, hits, title = hits_at(page := made(), 50)
    assert title == f"At 50 checks {page.titles[best]} finds {hits:g}; chance finds 1"
    assert title in Page(render(page)).words
    assert made(items=None).sections[0].finding(page.titles).endswith(f"finds {hits:g}")


def test_without_a_curve_its_title_says_nothing():
    tables, manifest = made_tables(1, 3)
    page = build_page({name: tables[name] for name in ("evaluation", "runs")}, manifest)
    assert page.sections[0].finding(page.titles) == ""


@pytest.mark.parametrize("metric", ["amount@k", "pap@k"])
def test_a_curve_of_hits_is_titled_in_hits_whatever_the_metric(metric):
    page = made(metric=metric)
    title = page.sections[0].finding(page.titles)
    assert re.fullmatch(r"At 50 checks .+ finds \d+(\.\d)?; chance finds 1", title)


def test_amounts_have_one_unit_in_sentence_card_strip_map_tests_and_downloads():
    page = made(metric="amount@k", factor=353.8)
    section = page.sections[0]
    judged = section.judgements["amount@k", "k=50"]
    total = format_sum(50 * judged.mean)
    view = section.views["amount@k"]
    shown = view.tops["k=50"]
    best = shown.cells[judged.best]
    assert f"finds an amount of {total} in the first 50" in page.first.headline
    assert shown.card["what"] == "Largest amount in the first 50"
    assert shown.card["who"].endswith(f" {total}")
    assert best.text == total
    assert best.mean == pytest.approx(50 * judged.mean)
    assert sum(best.runs) / len(best.runs) == pytest.approx(best.mean, rel=1e-4)
    assert best.tip.startswith(f"amount in the first k {total}")
    assert format_sum(50 * judged.rivals[0].difference) in shown.card["words"]
    assert shown.tests[0][1]["text"] == format_sum(50 * judged.rivals[0].difference)
    assert all(total in view.exports[name].text for name in ("tex", "md"))
    assert f",amount in the first k,{best.mean!r}," in view.exports["csv"].text
    assert view.tops["k=10"].cells[judged.best].mean < best.mean
    drawn = {figure.name: figure for figure in section.figures}
    assert f"{50 * judged.mean:.6g}" in drawn["d0-top"].data
    assert f"{50 * judged.mean:.6g}" in drawn["d0-cost"].data
    assert "amount in the first k" in drawn["d0-top"].svg


def test_other_metrics_keep_their_unit():
    cells = made(metric="amount-share@k").sections[0].views["amount-share@k"].tops["k=50"].cells
    assert all(0 <= cell.mean <= 1 for cell in cells.values())


@pytest.mark.parametrize(
    ("value", "text"),
    [(17_689.6, "17,690"), (0.0, "0"), (-1234.56, "−1,235"), (1e9, "1,000,000,000"), (float("nan"), "–")],
)
def test_a_sum_has_four_digits(value, text):
    assert format_sum(value) == text


def note_of(**values):
    evaluation, runs = rows(*values.items(), top="k=5")
    sized = runs.assign(n_train=80.0, n_test=20.0)
    judged = list(judge_all(evaluation, sized).values())
    titles = {method: method for method in values}
    return build_view("A", judged, summary_of(evaluation, sized), evaluation, titles, {}, {}).tops["k=5"].note


def test_the_legend_of_the_strip_has_the_marks_that_are_there():
    best, behind = [0.9, 0.8, 0.9, 0.8, 0.9], [0.3, 0.2, 0.3, 0.21, 0.29]
    clear, untested = note_of(a=best, d=behind), note_of(a=best[:3], d=behind[:3])
    assert "filled: the best; hollow: shown to be behind it" in clear
    assert "pale" not in clear
    assert "dashed" not in clear
    assert "dashed: not tested against it" in untested
    assert "hollow" not in untested


def test_what_is_not_tested_is_said_once_and_not_at_each_cell():
    few = made(n_sets=2, n_runs=3)
    assert few.first.shows == "Not tested on 2 data sets: 3 shared runs, 5 needed."
    assert "Not tested" not in made(n_sets=2).first.shows


def test_a_winner_by_rank_is_one_by_rank_alone():
    tables, manifest = made_tables(6, 3)
    titles = {method: about["title"] for method, about in manifest["methods"].items()}
    metrics = dict.fromkeys(manifest["datasets"], "precision@k")
    first, *_ = sentences(across(tables["evaluation"], metrics, titles=titles), titles)
    assert first.startswith("By rank alone, which ignores how much is lost, ")


def test_no_two_data_sets_have_one_short_name():
    titles = {"a": "Fraud (2019)", "b": "Fraud (2020)", "c": "Claims, all of them", "d": "Churn"}
    assert short_titles(titles) == {"a": "Fraud (2019)", "b": "Fraud (2020)", "c": "Claims", "d": "Churn"}
