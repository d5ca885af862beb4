"""The page of one data set opens on it: the sentence, the strip and the curve of hits on the first screen."""

from __future__ import annotations

import pytest

from attop_bench.report import build_report
from support.made_up import METHODS, as_tables, make_results
from support.report_page import DESK, PHONE, Opened, started

pytestmark = pytest.mark.workflow


@pytest.mark.parametrize("n_runs", [3, 5])
def test_the_first_screen_has_winner_number_verdict_strip_and_curve(n_runs, tmp_path):
    evaluation, runs, roc, manifest = make_results(("wdbc",), METHODS[3:9], ("precision@k",), failures=False)
    tables = as_tables(*(table[table["fold"] < n_runs] for table in (evaluation, runs, roc)))
    build_report(tables, manifest, tmp_path / "report.html")
    means = evaluation[(evaluation["fold"] < n_runs) & (evaluation["top"] == "k=10")]
    best = means.groupby("method")["value"].mean().idxmax()
    with started() as browser:
        for width in (DESK, PHONE):
            opened = Opened(browser, tmp_path / "report.html", width=width, height=900)
            page = opened.page
            said = page.locator("#headline").inner_text()
            assert said.startswith(f"{manifest['methods'][best]['title']} finds ")
            assert ("Not tested: 3 runs, 5 needed." in said) == (n_runs == 3)
            assert len(said.split()) <= 30
            assert page.locator("#overview, #map, nav a[data-tab=overview]").count() == 0
            assert opened.overflow() == [0, []]
            bottoms = page.locator("#headline, .current .strip li[data-m]:first-child").evaluate_all(
                "all => all.map(e => e.getBoundingClientRect().bottom)"
            )
            assert len(bottoms) == 2
            assert max(bottoms) < 900
            if width == DESK:
                curve = page.locator(".current figure[id$=-capacity] svg")
                assert curve.evaluate("e => e.getBoundingClientRect().bottom") < 900
            figure = page.locator(".current figure[id$=-capacity]")
            for unit in ("lift", "share", "hits"):
                figure.locator(f"input[value={unit}]").evaluate("e => e.click()")
                assert opened.shown(".current figure .by", "class") == {f"by {unit}": 1}
            marks = page.locator(".current .strip li[data-m]").evaluate_all(
                "all => all.map(e => [e.className.split(' ')[0], e.querySelector('.value').textContent])"
            )
            top = max(float(value) for _, value in marks)
            assert all(top - float(value) < 0.3 for mark, value in marks if mark in ("best", "equal"))
            opened.context.close()
