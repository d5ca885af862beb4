"""The report as a reader sees it: in a real Chromium, offline, on a phone, on a desk and on paper.

The page is one made up here; with ATTOP_REPORT=path another one is checked as well.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from attop_bench.report.compute.judgements import judge_all, reading
from support.report_page import CHOSEN, DESK, PHONE, data_of, tabs

pytestmark = pytest.mark.workflow


def test_it_opens_offline_and_is_small(open_at, report_path):
    opened = open_at()
    assert opened.requests == [report_path.resolve().as_uri()]  # nothing but itself
    assert opened.page.title()
    assert report_path.stat().st_size < 2_000_000


def test_the_first_screen_has_the_headline_and_the_map_and_little_to_read(open_at):
    page = open_at(height=900).page
    bottom = "e => e.getBoundingClientRect().bottom"
    assert page.locator("#headline").evaluate(bottom) < 900
    assert page.locator("#map").evaluate(bottom) < 900
    words = page.locator("p").evaluate_all(
        "all => all.filter(p => p.checkVisibility() && p.getBoundingClientRect().top < 900)"
        ".map(p => p.textContent.trim().split(/\\s+/).length)"
    )
    assert max(words) <= 60


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_nothing_sticks_out_and_every_figure_is_drawn(open_at, width):
    opened = open_at(width=width)
    for tab in tabs(opened.page):
        opened.go(f"#{tab}")
        opened.unfold()
        assert opened.overflow() == [0, []], tab
        for figure in opened.page.locator(f"#{tab} figure").all():
            figure.locator(".open").click()
            box = figure.locator("svg").first.bounding_box()
            assert min(box["width"], box["height"]) > 60, figure.get_attribute("id")
            drawn = figure.locator("svg path, svg use, svg text").evaluate_all(
                "all => all.map(e => e.getBoundingClientRect()).filter(r => r.width + r.height > 0).length"
            )
            assert drawn > 10, figure.get_attribute("id")
        assert opened.overflow() == [0, []], tab


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (DESK, "dark")])
def test_axe_finds_nothing_serious(open_at, width, scheme):
    opened = open_at(width=width, scheme=scheme)
    last = [s["anchor"] for s in data_of(opened.page)["datasets"]][-1]
    for tab in ("overview", last, "tuning", "cost", "about"):
        opened.go(f"#{tab}")
        opened.unfold()
        assert opened.audit() == [], tab


def test_dark_is_dark_on_a_screen_and_paper_is_white(open_at):
    light, dark, paper = (
        open_at(scheme=scheme, media=media).page.evaluate(
            "getComputedStyle(document.body).backgroundColor.match(/\\d+/g)"
        )
        for scheme, media in (("light", "screen"), ("dark", "screen"), ("dark", "print"))
    )
    assert min(map(int, light)) > 200
    assert max(map(int, dark)) < 60
    assert paper == light


@pytest.mark.parametrize("where", ["#tuning", "#about"])
def test_the_headline_is_in_sight_wherever_one_begins(open_at, where):
    page = open_at(where, width=PHONE).page
    page.wait_for_function("document.readyState === 'complete'")
    page.evaluate("() => new Promise(done => setTimeout(() => requestAnimationFrame(done)))")
    assert page.evaluate("scrollY") == 0
    assert page.locator(f"{where}.current").count() == 1


@pytest.mark.parametrize(("width", "media"), [(PHONE, "screen"), (680, "print")])
def test_the_numbers_of_a_scale_do_not_overlap(open_at, width, media):
    page = open_at(width=width, media=media).page
    for about in data_of(page)["datasets"]:
        for vs in ("", f"/vs={CHOSEN[0]}"):
            page.evaluate("where => { location.hash = where; }", f"#{about['anchor']}/{about['main']}{vs}")
            page.wait_for_selector(f"section.current[data-dataset='{about['id']}']", state="attached")
            ends = page.locator("section.current .axis .line i").evaluate_all(
                "all => all.map(e => e.getBoundingClientRect()).filter(r => r.width)"
                ".map(r => [r.left, r.right])"
            )
            assert all(a[1] < b[0] for a, b in pairwise(ends)), about["id"]


def test_the_map_needs_no_script_and_the_script_changes_nothing_in_it(open_at):
    seen = [open_at(script=script).page for script in (False, True)]
    cells = [
        page.locator("#map td[data-top]").evaluate_all(
            "all => all.map(c => [c.textContent, [...c.classList].filter(Boolean).sort().join(' ')])"
        )
        for page in seen
    ]
    assert cells[0] == cells[1]
    assert len(cells[0]) > 20
    rows = [page.locator("#map tbody tr").evaluate_all("a => a.map(r => r.dataset.method)") for page in seen]
    assert rows[0] == rows[1]
    assert seen[0].locator(".card:visible").count() == seen[0].locator(".card").count() > 0


def test_what_the_page_shows_is_what_python_found(open_at, shown):
    """For every data set, top and metric: the verdict in words, and the mark of every method."""
    page = open_at().page
    data = data_of(page)
    titles = dict(data["methods"])
    if set(titles) != set(CHOSEN):
        pytest.skip("the results behind this report are not at hand")
    anchors = {about["id"]: about["anchor"] for about in data["datasets"]}
    marks = "all => Object.fromEntries(all.map(r => [r.dataset.m, r.className.split(' ')[0]]))"
    for (dataset, metric, top), judged in judge_all(*shown[:2]).items():
        page.evaluate("where => { location.hash = where; }", f"#{anchors[dataset]}/{top}/{metric}")
        card = page.locator(f".current[data-dataset='{dataset}'] .card.live")
        card.locator(".what", has_text=re.compile(f"^Best {metric} at {top}$")).wait_for()
        assert card.locator(".words").inner_text() == reading(judged, titles)
        assert card.locator(".verdict").text_content() == judged.verdict
        strip = page.locator(".current .strip li[data-m]").evaluate_all(marks)
        assert strip == {m: judged.state(m) for m in (judged.best, *(r.model for r in judged.rivals)) if m}
        flat = (
            shown[1].query("dataset == @dataset and top == @top and method == @judged.best")["constant"].sum()
        )
        assert (f" in {flat} of " in card.locator(".nothing").inner_text()) == bool(flat)


COLOURS = """(all) => all.map(e => [
    e.closest('figure').id, e.closest('[data-m]').dataset.m, getComputedStyle(e).stroke
])"""


def test_colour_is_for_leaders_the_baseline_and_what_is_pointed_at(open_at):
    page = open_at().page
    data = data_of(page)
    about = next(d for d in data["datasets"] if d["views"])
    order = about["views"][about["metric"]]["order"]
    base = order[-1]
    grey = page.evaluate(
        "() => { const e = document.createElement('i'); e.style.color = 'var(--quiet)';"
        "document.body.append(e); return getComputedStyle(e).color; }"
    )
    for top in about["tops"]:
        page.evaluate("where => { location.hash = where; }", f"#{about['anchor']}/{top}/vs={base}")
        page.wait_for_selector(f".current .tops [data-top='{top}'][aria-pressed=true]")
        highlighted = {*about["views"][about["metric"]]["tops"][top]["highlighted"], base, data["baseline"]}
        lines = page.locator(".current figure .m:not(text) > path").evaluate_all(COLOURS)
        assert {method for _, method, _ in lines} > {base}
        led = {figure for figure, method, _ in lines if method in highlighted}
        for figure, method, colour in lines:
            assert (colour == grey) == (figure in led and method not in highlighted), (top, figure, method)
        quiet = page.locator(".current .strip li.quiet")
        assert quiet.count() == len(set(order) - highlighted)
    if not quiet.count():
        pytest.skip("here every method is equal to the best")
    method = quiet.first.get_attribute("data-m")
    figure = page.locator(".current figure", has=page.locator(f".m[data-m='{method}']")).first
    line = figure.locator(f".m[data-m='{method}'] path").first
    assert line.evaluate("e => getComputedStyle(e).stroke") == grey
    with page.expect_download() as download:
        figure.locator(".open").click()
        figure.get_by_text("Picture (SVG)").click()
    picture = Path(download.value.path()).read_text(encoding="utf-8")
    assert data["quiet"] in picture
    figure.locator(f".m[data-m='{method}']").first.dispatch_event("mouseover")
    assert line.evaluate("e => getComputedStyle(e).stroke") != grey


def test_print_is_an_overview_and_a_page_for_each_data_set(open_at):
    opened = open_at(media="print")
    page = opened.page
    datasets = [d for d in data_of(page)["datasets"] if d["views"]]
    assert page.locator(".dataset .strip li[data-m]:visible").count() == sum(
        len(d["views"][d["metric"]]["tops"][d["main"]]["cells"]) for d in datasets
    )
    assert page.locator("#map").is_visible()
    assert not page.locator("#filters").is_visible()
    pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))
    assert len(datasets) < pages <= 12


def test_what_is_seen_fits_on_paper(open_at):
    assert open_at(width=680, media="print").overflow() == [0, []]  # A4 without margins of 15 mm


def test_the_numbers_it_shows_are_those_of_the_tables(open_at, shown):
    data = data_of(open_at().page)
    if {method for method, _ in data["methods"]} != set(CHOSEN):
        pytest.skip("the results behind this report are not at hand")
    evaluation = shown[0].dropna(subset="value")
    means = evaluation.groupby(["dataset", "metric", "top", "method"])["value"].agg(["mean", "count"])
    found = {
        (about["id"], metric, top, method): cell
        for about in data["datasets"]
        for metric, view in about["views"].items()
        for top, judged in view["tops"].items()
        for method, cell in judged["cells"].items()
    }
    assert set(found) == set(means.index)
    for key, cell in found.items():
        assert cell["mean"] == pytest.approx(means.loc[key, "mean"], rel=1e-8)
        assert sum(value is not None for value in cell["runs"]) == means.loc[key, "count"]
