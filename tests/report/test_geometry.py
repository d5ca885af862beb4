"""Every size of page, from every side: nothing off its row, over another, blank, cut or without ink.

A few pages are looked at here. All of the grid, 84 pages of ten views, by hand:

    ATTOP_TEST_PAGES=all pytest -n 2 --dist load tests/report/test_geometry.py
"""

from __future__ import annotations

import os
from itertools import product

import numpy as np
import pytest

from attop.metrics import custom_metric, register
from attop_bench.report.page.render import render
from attop_bench.report.page.report import build_page
from support.geometry import faults
from support.html import not_drawn
from support.pages import made_tables

pytestmark = [pytest.mark.workflow, pytest.mark.usefixtures("browser")]

#: Data sets x methods x what is special: nothing; no times, and amounts; results that are missing.
GRID = list(product((1, 2, 5, 9, 12, 25, 36), (2, 5, 12, 40), ("plain", "amounts", "missing")))
SOME = [
    (1, 12, "missing"),
    (1, 2, "amounts"),
    (2, 5, "missing"),
    (9, 5, "amounts"),
    (12, 2, "amounts"),
    (36, 12, "plain"),
]
ALL = os.environ.get("ATTOP_TEST_PAGES") == "all"
PAGES = GRID if ALL else SOME
WIDTHS = (390, 768, 1400, 1920)
VIEWS = list(product(WIDTHS, ("light", "dark"))) if ALL else [*product(WIDTHS, ["light"]), (1400, "dark")]
#: Width and height of what is printed on a sheet of A4.
SHEET, SHEET_HEIGHT = 695, 1024
#: The first number is on the first screen of a phone, below the browser's own bars.
FIRST_SCREEN = 664


def with_long_names(entries):
    """Return entries of a manifest with every third name of forty letters."""
    long = "of forty letters, which is as long as any"
    return {
        name: {**entry, "title": f"{entry['title']} {long}"[:40]} if i % 3 == 0 else entry
        for i, (name, entry) in enumerate(entries.items())
    }


def made_page(n_sets, n_methods, special):
    """Return a page of made-up results."""
    small = n_sets * n_methods <= 150
    tables, manifest = made_tables(
        n_sets, n_methods, tops=("k=10", "k=50", "k=100") if small else ("k=10", "k=50")
    )
    evaluation, runs = tables["evaluation"], tables["runs"]
    if special != "plain":
        manifest["datasets"] = with_long_names(manifest["datasets"])
        manifest["methods"] = with_long_names(manifest["methods"])
    if special == "amounts":
        timed = [name for name in runs if name.startswith("seconds") or name in ("started", "ended")]
        tables["runs"] = runs.assign(**dict.fromkeys(timed, float("nan")), scoring="saved")
        amounts = 1e9 * (evaluation["value"] - 0.5)
        tables["evaluation"] = evaluation.assign(metric="saved", value=amounts)
        for entry in manifest["datasets"].values():
            entry["scoring"] = "saved"
    if special == "missing":
        job = evaluation["dataset"] + evaluation["method"]
        gone = np.random.default_rng(1).choice(job.unique(), job.nunique() // 7 + 1, replace=False)
        tables = {
            name: table[~(table["dataset"] + table["method"]).isin(gone)] for name, table in tables.items()
        }
    return build_page(tables, manifest)


@pytest.fixture(scope="module", params=PAGES, ids=lambda size: "{}x{}-{}".format(*size))
def made(request, tmp_path_factory):
    """Write a page. Its curves are drawn where there is one data set: to draw those of many takes minutes."""
    register(custom_metric("saved", "sklearn.metrics.accuracy_score", bounds=(None, None)))
    with pytest.MonkeyPatch.context() as patch:
        if request.param[0] > 1:
            patch.setattr("attop_bench.report.page.report.drawing", not_drawn)
        page = made_page(*request.param)
    path = tmp_path_factory.mktemp("geometry") / "report.html"
    path.write_text(render(page), encoding="utf-8")
    return request.param, page, path


@pytest.fixture(scope="module")
def report_path(made):
    return made[2]


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_a_screen_has_no_fault(made, open_at, width, scheme):
    opened = open_at(width=width, height=900, scheme=scheme)
    assert faults(opened.page) == {}
    assert opened.overflow() == [0, []]
    number = "#map tbody td[data-top], .current figure .open, .current .strip .value"
    first = opened.page.locator(number).first
    assert first.evaluate("e => e.getBoundingClientRect().bottom") < (FIRST_SCREEN if width < 768 else 900)


def test_all_tops_and_a_data_set_have_no_fault(made, open_at):
    (n_sets, *_), page, _ = made
    if n_sets == 1:
        pytest.skip("the page opens on its one data set")
    opened = open_at("#overview/all", width=1400, height=900)
    found = faults(opened.page)
    found.pop("blank", None)  # a wide map stands above its picture
    assert found == {}
    opened.go(f"#{page.sections[-1].anchor}")
    assert faults(opened.page).keys() <= {"blank"}


def test_what_is_printed_has_no_fault(made, open_at):
    (_, n_methods, _), *_ = made
    opened = open_at(width=SHEET, height=900, media="print")
    found = faults(opened.page)
    found.pop("blank", None)  # paper has margins and ends of pages
    assert found == {}
    assert opened.overflow() == [0, []]  # else all is printed smaller
    breaks = "all => all.filter(e => e.checkVisibility()).map(e => getComputedStyle(e).breakBefore)[0]"
    assert opened.page.locator("section.tab").evaluate_all(breaks) == "auto"  # no empty sheet comes first
    fits = """(all, sheet) => all.filter(e => e.checkVisibility()).slice(0, 1).every(e =>
      e.getBoundingClientRect().bottom <= sheet || getComputedStyle(e).breakInside === "auto")"""
    assert opened.page.locator(".map").evaluate_all(fits, SHEET_HEIGHT)  # else the first is a heading alone
    whole = ".map, .dataset" if n_methods <= 12 else ".map"
    heights = "all => all.filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect().height)"
    # Of one data set there is no map.
    assert max(opened.page.locator(whole).evaluate_all(heights), default=0) <= SHEET_HEIGHT
