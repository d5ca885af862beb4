"""The report as a reader meets it: in a real Chromium, offline, on a phone and on a desk, by keyboard.

The page is one made up here; with ATTOP_REPORT=path another one is checked as well.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from attop.analysis import write_analysis
from support.made_up import METHODS, as_tables, make_results
from support.report_page import DESK, PHONE, Opened, started

PAGES = ("made", "given") if os.environ.get("ATTOP_REPORT") else ("made",)


@pytest.fixture(scope="module")
def browser():
    with started() as browser:
        yield browser


@pytest.fixture(scope="module", params=PAGES)
def path(request, tmp_path_factory):
    if request.param == "given":
        return Path(os.environ["ATTOP_REPORT"])
    *tables, manifest = make_results(
        ("wdbc", "many-users"),
        [METHODS[0], METHODS[3], METHODS[5], "pnorm-push-16"],
        ("precision@k", "pap@k", "micro-pap@k", "dcg"),
    )
    folder = tmp_path_factory.mktemp("page")
    write_analysis(as_tables(*tables), manifest, report=folder / "report.html", tables=folder)
    return folder / "report.html"


@pytest.fixture
def open_at(browser, path):
    """Return what opens the report; every page it opened must have been silent and alone."""
    opened = []

    def open_at(**options):
        opened.append(Opened(browser, path, **options))
        return opened[-1]

    yield open_at
    for o in opened:
        o.context.close()
        assert o.printed == []
        assert [url for url in o.requests if not url.startswith(("file:", "data:", "blob:"))] == []


def test_it_opens_offline_and_is_small(open_at, path):
    opened = open_at()
    assert opened.requests == [path.resolve().as_uri()]  # nothing but itself
    assert opened.page.title()
    assert path.stat().st_size < 5_000_000


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_every_figure_is_drawn_and_nothing_sticks_out(open_at, width):
    opened = open_at(width=width)
    assert opened.overflow() == [0, []]
    opened.unfold()
    assert opened.overflow() == [0, []]
    figures = opened.page.locator("figure")
    assert figures.count() > 0
    for figure in figures.all():
        box = figure.locator("svg").first.bounding_box()
        assert min(box["width"], box["height"]) > 100, figure.get_attribute("id")
        drawn = figure.locator("svg path, svg use, svg text").evaluate_all(
            "all => all.map(e => e.getBoundingClientRect()).filter(r => r.width + r.height > 0).length"
        )
        assert drawn > 10, figure.get_attribute("id")


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (DESK, "dark")])
def test_axe_finds_nothing_serious(open_at, width, scheme):
    opened = open_at(width=width, scheme=scheme)
    opened.unfold()
    assert opened.audit() == []


def test_dark_is_dark(open_at):
    shades = [
        open_at(scheme=scheme).page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g)")
        for scheme in ("light", "dark")
    ]
    assert min(map(int, shades[0])) > 200
    assert max(map(int, shades[1])) < 60


def test_a_click_on_a_header_sorts_and_another_turns_it_round(open_at):
    opened = open_at()
    spread = """t => { const found = [...t.tBodies[0].rows].map(r => r.cells[1].dataset.v);
                       return new Set(found.filter(Boolean)).size > 1; }"""
    tables = opened.page.locator("table.sortable:visible", has=opened.page.locator("th[data-target]")).all()
    table = next(t for t in tables if t.evaluate(spread))
    rows = table.locator("tbody tr")
    heads = table.locator("thead th")
    number = heads.nth(1)
    written = rows.evaluate_all("rows => rows.map(r => r.cells[0].textContent)")

    def values():
        found = rows.evaluate_all("rows => rows.map(r => r.cells[1].dataset.v)")
        return [float(v) if v else math.nan for v in found]

    number.get_by_role("button").click()
    assert number.get_attribute("aria-sort") == "descending"
    down = values()
    defined = [v for v in down if not math.isnan(v)]
    assert down[: len(defined)] == sorted(defined, reverse=True)
    number.get_by_role("button").click()
    assert number.get_attribute("aria-sort") == "ascending"
    assert values()[: len(defined)] == sorted(defined)  # what has no value is last either way

    heads.nth(0).get_by_role("button").click()
    assert number.get_attribute("aria-sort") is None
    assert heads.nth(0).get_attribute("aria-sort") == "ascending"
    names = rows.evaluate_all("rows => rows.map(r => r.cells[0].textContent.trim().toLowerCase())")
    assert names == sorted(names)
    assert sorted(rows.evaluate_all("rows => rows.map(r => r.cells[0].textContent)")) == sorted(written)


def test_the_keyboard_reaches_the_results_and_sorts(open_at):
    page = open_at().page
    focus = "document.activeElement"
    page.keyboard.press("Tab")
    assert page.evaluate(f"{focus}.className") == "skip"
    assert page.evaluate(f"{focus}.getBoundingClientRect().left >= 0")  # seen once it has the focus
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#results"
    for _ in range(100):
        page.keyboard.press("Tab")
        # Whoever tabs must see where they are.
        assert page.evaluate(f"getComputedStyle({focus}).outlineStyle") != "none"
        if page.evaluate(f"{focus}.matches('thead button')"):
            break
    else:
        pytest.fail("a hundred tabs from the results there is no button that sorts")
    page.keyboard.press("Enter")
    assert page.evaluate(f"{focus}.closest('th').ariaSort") in ("ascending", "descending")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate(f"{focus} !== document.body")  # no trap


def test_print_keeps_every_table(open_at):
    opened = open_at()
    count = "[...document.querySelectorAll('table')].filter(t => t.checkVisibility()).length"
    on_screen = opened.page.evaluate(count)
    assert on_screen > 0
    opened.page.emulate_media(media="print")
    assert opened.page.evaluate(count) == opened.page.locator("table").count() >= on_screen  # unfolded, too
    assert not opened.page.locator("#filters").is_visible()
    assert opened.page.pdf(format="A4").startswith(b"%PDF")


def test_figures_fit_on_paper(open_at):
    opened = open_at(width=680, media="print")  # A4 without margins of 15 mm
    sticking_out = opened.page.locator("figure svg").evaluate_all(
        "all => all.filter(e => e.getBoundingClientRect().right > innerWidth).length"
    )
    assert sticking_out == 0


def test_a_figure_names_the_method_pointed_at_and_gives_its_data(open_at):
    page = open_at().page
    figure = page.locator("figure", has=page.locator(".m")).first
    mark = figure.locator(".m").first
    method = mark.get_attribute("data-m")
    mark.dispatch_event("mouseover")
    assert figure.locator(".m:not(.on)").count() > 0
    assert set(figure.locator(".m.on").evaluate_all("a => a.map(m => m.dataset.m)")) == {method}
    with page.expect_download() as download:
        figure.get_by_text("Data (CSV)").click()
    given = Path(download.value.path()).read_text(encoding="utf-8")
    written = figure.locator("script").evaluate("s => s.textContent")
    assert given.strip() == written.strip()
    assert download.value.suggested_filename == figure.get_attribute("id") + ".csv"
    header, *rows = given.strip().splitlines()
    assert rows
    assert "method" in header.split(",")


@pytest.fixture
def filtered(open_at):
    opened = open_at()
    if opened.page.locator("#filters").count() == 0:
        pytest.skip("this report has no filters")
    opened.unfold()
    return opened


def choices(page, name):
    found = page.locator(f"#filters select[name={name}] option").evaluate_all("a => a.map(o => o.value)")
    return [value for value in found if value]


def test_the_filter_of_data_sets_leaves_one(filtered):
    page = filtered.page
    before = filtered.shown("main [data-dataset]", "data-dataset")
    chosen = choices(page, "dataset")[-1]
    page.select_option("#filters [name=dataset]", chosen)
    assert set(filtered.shown("main [data-dataset]", "data-dataset")) == {chosen}
    assert filtered.overflow() == [0, []]
    page.locator("#filters [type=reset]").click()
    page.wait_for_function("!document.querySelector('main [data-dataset][hidden]')")
    assert filtered.shown("main [data-dataset]", "data-dataset") == before


def test_the_filter_of_targets_leaves_its_columns_and_rows(filtered):
    page = filtered.page
    chosen = choices(page, "target")[0]
    assert len(filtered.shown("main [data-target]", "data-target")) > 1
    page.select_option("#filters [name=target]", chosen)
    assert set(filtered.shown("main [data-target]", "data-target")) == {chosen}
    ragged = page.locator("main table").evaluate_all(
        """tables => tables.filter(t => t.offsetHeight && t.tHead).filter(t => {
          const seen = row => [...row.cells].reduce((n, c) => n + (c.hidden ? 0 : c.colSpan), 0);
          return [...t.tBodies[0].rows].some(r => !r.hidden && seen(r) !== seen(t.tHead.rows[0]));
        }).map(t => t.caption.textContent)"""
    )
    assert ragged == []  # header and body lose the same columns


def test_the_filter_of_metrics_leaves_its_tables(filtered):
    page = filtered.page
    chosen = next(m for m in choices(page, "metric") if m in filtered.shown("[data-metric]", "data-metric"))
    assert len(filtered.shown("main [data-metric]", "data-metric")) > 1
    page.select_option("#filters [name=metric]", chosen)
    assert set(filtered.shown("main [data-metric]", "data-metric")) == {chosen}


def without(counts, key):
    return {k: n for k, n in counts.items() if k != key}


def test_the_filter_of_methods_hides_rows_and_marks(filtered):
    page = filtered.page
    boxes = page.locator("#filters input[name=method]")
    out = boxes.first.get_attribute("value")
    marks = filtered.shown("main [data-m]", "data-m")
    rows = filtered.shown("main [data-method]", "data-method")
    assert marks[out] > 0
    assert rows[out] > 0
    boxes.first.uncheck()
    assert filtered.shown("main [data-m]", "data-m") == without(marks, out)
    assert filtered.shown("main [data-method]", "data-method") == without(rows, out)
    boxes.first.check()
    assert filtered.shown("main [data-method]", "data-method") == rows


def test_sorting_holds_while_filtered(filtered):
    page = filtered.page
    page.select_option("#filters [name=target]", choices(page, "target")[0])
    table = page.locator("table.sortable:visible", has=page.locator("th[data-target]:visible")).first
    head = table.locator("th[data-target]:visible")
    index = head.evaluate("h => h.cellIndex")
    head.get_by_role("button").click()
    head.get_by_role("button").click()
    shown = table.locator("tbody tr:visible")
    values = shown.evaluate_all(
        "(rows, i) => rows.map(r => r.cells[i].dataset.v).filter(Boolean).map(Number)", index
    )
    assert len(values) > 1
    assert values == sorted(values)
