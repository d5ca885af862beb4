"""The report as a reader sees and uses it: in a real Chromium, offline, on a phone, on a desk and on paper.

The page is one made up here; with ATTOP_REPORT=path another one is checked in what its content decides.
"""

from __future__ import annotations

import io
import os
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attop_bench.report.compute.judgements import judge_all, reading
from attop_bench.report.page.report import build_page
from support.made_up import as_tables
from support.report_page import CHOSEN, DESK, PHONE, data_of, tabs, walk_with_tab

pytestmark = [pytest.mark.workflow, pytest.mark.usefixtures("browser")]

PAGES = ("made", "given") if os.environ.get("ATTOP_REPORT") else ("made",)
on_each_page = pytest.mark.parametrize("report_path", PAGES, indirect=True)


@pytest.fixture
def page(open_at):
    return open_at().page


@pytest.fixture
def data(page):
    """What the script of the page works with."""
    return data_of(page)


def at(page, where):
    """Go to an address inside the page."""
    page.evaluate("where => { location.hash = where; }", where)


@on_each_page
def test_it_opens_offline_with_the_headline_and_the_map_and_little_to_read(open_at, report_path):
    assert report_path.stat().st_size < 2_000_000
    opened = open_at(height=900)
    page = opened.page
    assert opened.requests == [report_path.resolve().as_uri()]  # nothing but itself
    assert page.title()
    bottom = "e => e.getBoundingClientRect().bottom"
    assert page.locator("#headline").evaluate(bottom) < 900
    assert page.locator("#map").evaluate(bottom) < 900
    words = page.locator("p").evaluate_all(
        "all => all.filter(p => p.checkVisibility() && p.getBoundingClientRect().top < 900)"
        ".map(p => p.textContent.trim().split(/\\s+/).length)"
    )
    assert max(words) <= 60


#: Whether every figure of the tab is drawn.
DRAWN = "[...document.querySelectorAll('.current figure')].every(f => f.querySelector('.drawing svg'))"

#: The size of each figure once it is opened, and how many of its parts have one.
FIGURES = """() => [...document.querySelectorAll("figure")].map((figure) => {
    figure.querySelector(".open").click();
    const size = (e) => e.getBoundingClientRect(), svg = figure.querySelector("svg");
    const { width, height } = size(svg);
    const parts = [...svg.querySelectorAll("path, use, text")].map(size);
    return [figure.id, Math.min(width, height), parts.filter((r) => r.width + r.height > 0).length];
})"""


@on_each_page
@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (DESK, "dark")])
def test_nothing_sticks_out_every_figure_is_drawn_and_axe_finds_nothing_serious(open_at, width, scheme):
    opened = open_at(width=width, scheme=scheme)
    for tab in tabs(opened.page):
        opened.go(f"#{tab}")  # which fills it; all of them are then looked at together
        opened.unfold()  # which draws the figures that were folded
        opened.page.wait_for_function(DRAWN)
    opened.page.evaluate("document.querySelectorAll('.tab').forEach(s => s.classList.add('current'))")
    opened.unfold()
    opened.page.evaluate("dispatchEvent(new Event('resize'))")  # as no tab was chosen
    assert opened.overflow() == [0, []]
    for figure, size, parts in opened.page.evaluate(FIGURES):
        assert size > 60, figure
        assert parts > 10, figure
    assert opened.overflow() == [0, []]
    assert opened.audit() == []


def test_dark_is_dark_on_a_screen_and_paper_is_white(page):
    found = []
    for scheme, media in (("light", "screen"), ("dark", "screen"), ("dark", "print")):
        page.emulate_media(media=media, color_scheme=scheme)
        found.append(page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g)"))
    light, dark, paper = found
    assert min(map(int, light)) > 200
    assert max(map(int, dark)) < 60
    assert paper == light


def test_the_headline_is_in_sight_wherever_one_begins(open_at):
    page = open_at("#tuning", width=PHONE).page
    page.wait_for_function("document.readyState === 'complete'")
    page.evaluate("() => new Promise(done => setTimeout(() => requestAnimationFrame(done)))")
    assert page.evaluate("scrollY") == 0
    assert page.locator("#tuning.current").count() == 1


@on_each_page
@pytest.mark.parametrize(("width", "media"), [(PHONE, "screen"), (680, "print")])
def test_the_numbers_of_a_scale_do_not_overlap(open_at, width, media):
    page = open_at(width=width, media=media).page
    for about in data_of(page)["datasets"]:
        for vs in ("", f"/vs={CHOSEN[0]}"):
            at(page, f"#{about['anchor']}/{about['main']}{vs}")
            page.wait_for_selector(f"section.current[data-dataset='{about['id']}']", state="attached")
            ends = page.locator("section.current .axis .line i").evaluate_all(
                "all => all.map(e => e.getBoundingClientRect()).filter(r => r.width)"
                ".map(r => [r.left, r.right])"
            )
            assert all(a[1] < b[0] for a, b in pairwise(ends)), about["id"]


@on_each_page
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


#: What a data set shows at each address.
SEEN = """async (wheres) => {
    const seen = [];
    for (const where of wheres) {
        const changed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
        location.hash = where;
        await changed;
        const section = document.querySelector(".current"), card = section.querySelector(".card");
        const said = [".what", ".words", ".verdict", ".nothing"].map((part) => card.querySelector(part));
        const rows = [...section.querySelectorAll(".strip li[data-m]")];
        const marks = Object.fromEntries(rows.map((r) => [r.dataset.m, r.className.split(" ")[0]]));
        seen.push([card.checkVisibility() && section.dataset.dataset, said.map((e) => e.textContent), marks]);
    }
    return seen;
}"""


def test_what_the_page_shows_is_what_python_found(page, data, shown):
    """For every data set, top and metric: the verdict in words, and the mark of every method."""
    titles = dict(data["methods"])
    anchors = {about["id"]: about["anchor"] for about in data["datasets"]}
    flat = shown[1].groupby(["dataset", "top", "method"])["constant"].sum()
    found = judge_all(*shown[:2], shown[-1]["datasets"])
    seen = page.evaluate(SEEN, [f"#{anchors[dataset]}/{top}/{metric}" for dataset, metric, top in found])
    for ((dataset, metric, top), judged), (section, texts, marks) in zip(found.items(), seen, strict=True):
        what, words, verdict, nothing = texts
        assert (section, what) == (dataset, f"Best {metric} at {top}")
        assert (words, verdict) == (reading(judged, titles), judged.verdict)
        assert marks == {m: judged.state(m) for m in (judged.best, *(r.model for r in judged.rivals)) if m}
        n = flat[dataset, top, judged.best] if judged.best else 0
        assert (f" in {n} of " in nothing) == bool(n)


COLOURS = """(all) => all.map(e => [
    e.closest('figure').id, e.closest('[data-m]').dataset.m, getComputedStyle(e).stroke
])"""


def test_colour_is_for_leaders_the_baseline_and_what_is_pointed_at(page, data):
    about = next(d for d in data["datasets"] if d["views"])
    order = about["views"][about["metric"]]["order"]
    base = order[-1]
    grey = page.evaluate(
        "() => { const e = document.createElement('i'); e.style.color = 'var(--quiet)';"
        "document.body.append(e); return getComputedStyle(e).color; }"
    )
    for top in about["tops"]:
        at(page, f"#{about['anchor']}/{top}/vs={base}")
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


@on_each_page
def test_print_fits_and_is_an_overview_and_a_page_for_each_data_set(open_at):
    opened = open_at(width=680, media="print")  # A4 without margins of 15 mm
    page = opened.page
    datasets = [d for d in data_of(page)["datasets"] if d["views"]]
    assert opened.overflow() == [0, []]
    assert page.locator(".dataset .strip li[data-m]:visible").count() == sum(
        len(d["views"][d["metric"]]["tops"][d["main"]]["cells"]) for d in datasets
    )
    assert page.locator("#map").is_visible()
    assert not page.locator("#filters").is_visible()
    pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))
    assert len(datasets) < pages <= 12


def test_the_numbers_it_shows_are_those_of_the_tables(data, shown):
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


def best_first(about):
    """Return the methods of a data set, by its own metric."""
    return about["views"][about["metric"]]["order"] if about["views"] else []


def map_cells(page):
    return page.locator("#map td[data-top]").all_inner_texts()


def test_a_click_in_the_map_opens_the_data_set_at_that_top(page):
    cell = page.locator("#map tbody td[data-top]:visible").nth(1)
    dataset, top = cell.get_attribute("data-dataset"), cell.get_attribute("data-top")
    cell.click()
    page.wait_for_selector(f"section.current[data-dataset='{dataset}']")  # the hash changes first
    assert page.locator(".current .tops [aria-pressed=true]").inner_text() == top


def test_a_data_set_leads_to_its_tuning_and_its_cost(page, data):
    anchor = [d["anchor"] for d in data["datasets"] if d["views"]][-1]
    for part in ("tuning", "cost"):
        at(page, f"#{anchor}")
        page.locator(f".current .cards a[href='#{part}-{anchor}']").click()
        page.wait_for_selector(f"#{part}.current")
        page.wait_for_function(
            "id => document.getElementById(id).getBoundingClientRect().top < 800", arg=f"{part}-{anchor}"
        )
        assert page.locator(f"#{part}-{anchor}").bounding_box()["y"] >= 0


def test_a_link_restores_what_was_seen(page, data, open_at):
    first, about = page, data["datasets"][0]
    out, other = best_first(about)[:2]
    first.locator(f"nav a[data-tab='{about['anchor']}']").click()
    first.locator(".current .tops button").last.click()
    first.select_option("#filters [name=metric]", "auc")
    first.locator("#filters summary").click()
    first.locator(f"#filters input[value='{out}']").uncheck()
    first.select_option("#filters [name=against]", other)
    where = first.evaluate("location.hash")
    assert where == f"#{about['anchor']}/{about['tops'][-1]}/auc/-{out}/vs={other}"
    again = open_at(where).page
    assert again.locator("#filters [name=against]").input_value() == other
    for selector in ("#headline", ".current .card:visible", ".current .strip"):
        assert again.locator(selector).inner_text() == first.locator(selector).inner_text()
    assert again.evaluate("location.hash") == where


def test_the_address_has_the_top_and_the_back_button_goes_back(page, data, open_at):
    about = data["datasets"][0]
    page.locator("[name=place]").last.evaluate("e => e.click()")
    assert page.evaluate("location.hash") == "#overview/all"
    page.locator(f"nav a[data-tab='{about['anchor']}']").click()
    page.wait_for_selector(f"section.current[data-dataset='{about['id']}']")
    page.locator(".current .tops button").last.click()
    assert page.evaluate("location.hash") == f"#{about['anchor']}/{about['tops'][-1]}"
    page.go_back()
    assert page.locator(".current .tops button[aria-pressed=true]").get_attribute("data-top") == about["main"]
    page.go_back()
    assert page.locator("#overview.current [name=place]:checked").get_attribute("value") == "all"
    page.go_back()
    assert page.evaluate("document.querySelector('[name=place]:checked').defaultChecked")
    assert open_at("#overview/all").page.locator("[name=place]:checked").get_attribute("value") == "all"


def test_the_slider_reads_the_curves_at_its_k(page, data):
    at(page, f"#{data['datasets'][0]['anchor']}")
    figure = page.locator(".current figure[id$=-capacity]")
    slider, said = figure.locator("[type=range]"), figure.locator("output")
    rows = pd.read_csv(io.StringIO(data["figures"][figure.get_attribute("id")][1]))
    slider.evaluate("e => { e.value = 15; e.dispatchEvent(new Event('input')); }")
    ks = sorted(rows["k"].unique())
    for line in said.inner_text().splitlines():
        numbers = line.split(": ")[1]
        k, hits, share, lift = (float(part.split()[1]) for part in numbers.split(", "))
        assert k == ks[15]
        mine = rows[(rows["k"] == k) & np.isclose(rows["hits"], hits)]
        assert len(mine)
        assert share == pytest.approx(mine["share"].iloc[0])
        assert lift == pytest.approx(mine["lift"].iloc[0])
    assert said.inner_text()
    assert int(slider.get_attribute("max")) == len(ks) - 1


def test_a_method_taken_out_is_hidden_and_verdicts_stay(page, data):
    titles, about = dict(data["methods"]), data["datasets"][0]
    at(page, f"#{about['anchor']}/{about['main']}")
    card = page.locator(".current .card:visible").inner_text()
    best = page.locator(".current .strip li").first.get_attribute("data-m")
    page.locator("#filters summary").click()
    page.locator(f"#filters input[value='{best}']").uncheck()
    page.locator("#filters summary").click()
    assert "verdicts are of all" in page.locator("#filters output").inner_text()
    assert page.locator(".current .card:visible").inner_text() == card
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    parts = ".current :is(.strip, .tests tbody, .wide tbody, svg text)"
    words = page.locator(parts).evaluate_all(
        "all => all.filter(t => t.getBoundingClientRect().width).map(t => t.textContent)"
    )
    assert not re.search(rf"(?<![\w@]){re.escape(titles[best])}(?![\w@-])", "\n".join(words))
    page.evaluate("document.querySelector('nav a').click()")
    assert page.locator(f"#map tr[data-method='{best}']:visible").count() == 0
    page.locator("#filters [type=reset]").click()
    assert page.locator(f"#map tr[data-method='{best}']:visible").count() == 1


@pytest.mark.usefixtures("undrawn")
def test_headline_order_and_numbers_are_pythons_of_the_metric(page, shown):
    evaluation, *tables, manifest = shown
    for metric in ("auc", ""):
        datasets = {d: {**e, "scoring": metric or e["scoring"]} for d, e in manifest["datasets"].items()}
        own = evaluation["metric"].isin({e["scoring"] for e in datasets.values()})
        whole = build_page(as_tables(evaluation[own], *tables), {**manifest, "datasets": datasets})
        expected = whole.first
        assert " each set’s best" in expected.headline
        page.select_option("#filters [name=metric]", metric)
        assert page.locator("#headline").inner_text() == expected.headline
        rows = page.locator("#map tbody tr[data-method]")
        assert rows.evaluate_all("all => all.map(r => r.dataset.method)") == expected.order
        assert rows.locator(".behind").all_inner_texts() == [expected.behind[m] for m in expected.order]
        views = [view for s in whole.sections for view in s.view.tops.values()]
        assert rows.locator("td[data-top]").all_text_contents() == [
            view.cells[m].brief if m in view.cells else "·" for m in expected.order for view in views
        ]


def shared(about, top, method, other):
    """Return the differences of two methods over the runs both have, and their mean if those are all."""
    cells = about["views"][about["metric"]]["tops"][top]["cells"]
    if not {method, other} <= set(cells):
        return [], None
    pairs = list(zip(cells[method]["runs"], cells[other]["runs"], strict=True))
    found = [a - b for a, b in pairs if a is not None and b is not None]
    return found, sum(found) / len(found) if len(found) == len(pairs) else None


def number(text):
    return None if text == "·" else float(text.replace("−", "-"))


def test_differences_to_a_method_are_shown_in_map_strip_and_table(page, data):
    about = next(d for d in data["datasets"] if len(best_first(d)) > 2)
    base, top = best_first(about)[1], about["tops"][-1]
    values = map_cells(page)
    page.select_option("#filters [name=against]", base)
    assert page.evaluate("location.hash") == f"#overview/vs={base}"
    assert page.locator("#overview p.against b").inner_text() == dict(data["methods"])[base]
    assert map_cells(page) != values
    abouts = {d["id"]: d for d in data["datasets"]}
    for dataset, at_top, method, text in page.locator("#map tr[data-method] td[data-top]").evaluate_all(
        "all => all.map(c => [c.dataset.dataset, c.dataset.top, c.parentNode.dataset.method, c.innerText])"
    ):
        _, mean = shared(abouts[dataset], at_top, method, base)
        assert number(text) == (None if mean is None else pytest.approx(mean, abs=0.0051))
        assert mean is None or (text == "0" if method == base else text[0] in "+−0")
    at(page, f"#{about['anchor']}/{top}/vs={base}")
    page.wait_for_selector(f"section.current[data-dataset='{about['id']}']")
    here = page.locator("section.current")
    table = here.locator(".wide")
    for row in here.locator(".strip li[data-m]").all():
        method = row.get_attribute("data-m")
        found, mean = shared(about, top, method, base)
        assert row.locator(".dot").count() == len(found)
        value = number(row.locator(".value").inner_text())
        assert value == (None if mean is None else pytest.approx(mean, abs=5.1e-4))
        place = 1 + about["tops"].index(top)
        cell = table.locator(f"tr[data-method='{method}'] > *").nth(place)
        assert number(cell.locator(".v").text_content()) == value
    assert here.locator(".strip .zero").count() > 0
    page.locator("#filters [type=reset]").click()
    page.evaluate("document.querySelector('nav a').click()")
    page.wait_for_selector("#overview.current")
    assert map_cells(page) == values


def test_stops_of_the_tab_key_at_figures_can_be_seen(open_at):
    opened = open_at()
    walk_with_tab(opened, tabs(opened.page)[:2])


def test_arrow_keys_walk_the_map_the_strip_and_the_figures(page):
    tip = page.locator("#tip")
    page.locator("#map td[tabindex='0']").focus()
    first = tip.inner_text()
    page.keyboard.press("ArrowDown")
    assert tip.is_visible()
    assert tip.inner_text() != first
    assert page.locator("#map td[tabindex='0']").count() == 1
    page.keyboard.press("Enter")
    strip = page.locator(".current .strip")
    strip.focus()
    for i in range(strip.locator("li[data-m]").count()):
        if i:
            page.keyboard.press("ArrowDown")
        name = strip.locator("li.on .name").inner_text()
        assert re.sub(" [⚠∅]", "", name) in tip.inner_text()
    figure = page.locator(".current figure").first
    figure.locator(".open").focus()
    page.keyboard.press("Enter")
    figure.locator("svg").focus()
    found = set()
    methods = figure.locator(".m").evaluate_all("all => [...new Set(all.map(m => m.dataset.m))]")
    for _ in methods:
        page.keyboard.press("ArrowDown")
        found |= set(figure.locator(".m.on").evaluate_all("all => all.map(m => m.dataset.m)"))
    assert found == set(methods)


def test_the_slash_finds_methods(page):
    page.keyboard.press("/")
    page.keyboard.type("push")
    shown = page.locator("#filters fieldset label:visible").all_inner_texts()
    assert shown
    assert all("push" in name.lower() for name in shown)


def test_sorting_begins_with_what_is_best_of_its_column(page, data):
    about = data["datasets"][0]
    at(page, f"#{about['anchor']}")
    page.locator(".current .numbers summary").click()
    table = page.locator(".current .wide table")
    head = table.locator("thead th").nth(1)
    values = "rows => rows.map(r => r.cells[1].dataset.v).filter(Boolean).map(Number)"
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    down = table.locator("tbody tr").evaluate_all(values)
    assert down == sorted(down, reverse=True)
    head.get_by_role("button").click()
    assert table.locator("tbody tr").evaluate_all(values) == down[::-1]
    page.evaluate("location.hash = '#cost'")
    cost = page.locator("#cost table").first
    training = cost.locator("thead th", has_text="Training")
    training.get_by_role("button").click()
    assert training.get_attribute("aria-sort") == "ascending"  # the cheapest


def test_a_figure_names_the_method_pointed_at_and_gives_its_data(page, data):
    about = data["datasets"][0]
    at(page, f"#{about['anchor']}")
    figure = page.locator(".current figure", has=page.locator(".m")).first
    figure.locator(".open").click()
    mark = figure.locator(".m").first
    method = mark.get_attribute("data-m")
    mark.dispatch_event("mouseover")
    assert figure.locator(".m:not(.on)").count() > 0
    assert set(figure.locator(".m.on").evaluate_all("a => a.map(m => m.dataset.m)")) == {method}
    with page.expect_download() as download:
        figure.get_by_text("Data (CSV)").click()
    given = Path(download.value.path()).read_text(encoding="utf-8")
    assert given.strip() == data["figures"][figure.get_attribute("id")][1].strip()
    assert download.value.suggested_filename == figure.get_attribute("id") + ".csv"
    assert "method" in given.splitlines()[0].split(",")
    with page.expect_download() as download:
        figure.get_by_text("Picture (SVG)").click()
    picture = Path(download.value.path()).read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    assert "var(" not in picture
    assert "currentColor" not in picture


def test_the_shown_table_comes_as_csv_tex_and_markdown_without_hidden_methods(page, data):
    about = next(d for d in data["datasets"] if "auc" in d["views"])
    view = about["views"]["auc"]
    out, *kept = view["order"]
    at(page, f"#{about['anchor']}//auc/-{out}")
    page.locator(".current .numbers summary").click()
    assert "auc (higher is better)" in page.locator(".current .wide").inner_text()
    for kind, export in view["exports"].items():
        head, rows, foot = export.values()
        with page.expect_download() as download:
            page.locator(f".current .exports [data-format={kind}]").click()
        given = Path(download.value.path()).read_text(encoding="utf-8")
        assert download.value.suggested_filename == f"{about['id']}-auc.{kind}"
        assert given == "\n".join([head, *(rows[m] for m in kept), foot]).rstrip() + "\n"
