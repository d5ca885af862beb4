"""The first screen at many sizes: who is best, nothing blank, no text over another; and a large report."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from attop_bench.report.page.render import render
from attop_bench.report.page.report import build_page
from support.geometry import BLANK, OVERLAPS
from support.html import not_drawn
from support.pages import made_tables
from support.report_page import DESK, PHONE, walk_with_tab

pytestmark = [pytest.mark.workflow, pytest.mark.usefixtures("browser")]
WIDE = 1920
#: Data sets, methods and runs of each method; 36 x 40 was looked at by hand: it takes a minute.
SIZES = [(1, 3, 3), (1, 12, 5), (2, 2, 5), (5, 12, 3), (8, 3, 5), (12, 12, 5), (36, 2, 5), (20, 28, 5)]
MANY, LARGE = [(5, 12, 3), (12, 12, 5), (36, 2, 5)], (20, 28, 5)

VISIBLE = """() => [...document.querySelectorAll('#map tr[data-method] td[data-top]')]
    .filter(c => getComputedStyle(c).display !== 'none')
    .map(c => [c.dataset.dataset, c.dataset.top, c.parentNode.dataset.method, c.className])"""
HEIGHTS = "all => all.map(p => [p.dataset.m, Number(p.firstChild.getAttribute('cy'))])"
BOTTOMS = "all => all.map(e => e.getBoundingClientRect().bottom)"


@pytest.fixture(scope="module", params=SIZES, ids=str)
def made(request, tmp_path_factory):
    """Write a page: several data sets have no figures, and of more than ten every other has its own tops."""
    n_sets, n_methods, n_runs = request.param
    tables, manifest = made_tables(n_sets, n_methods, n_runs)
    if n_sets > 10:
        for table in tables.values():
            table["top"] += table["dataset"].str.contains("[13579]$").map({True: "0", False: ""})
    with pytest.MonkeyPatch.context() as patch:
        if n_sets > 1:
            patch.setattr("attop_bench.report.page.report.drawing", not_drawn)
        page = build_page(tables, manifest)
    path = tmp_path_factory.mktemp("layout") / "report.html"
    path.write_text(render(page), encoding="utf-8")
    means = tables["evaluation"].groupby(["dataset", "top", "method"], sort=False)["value"].mean().unstack()
    return SimpleNamespace(n_sets=n_sets, n_runs=n_runs, page=page, path=path, means=means)


@pytest.fixture(scope="module")
def report_path(made):
    return made.path


@pytest.mark.parametrize("width", [DESK, WIDE, PHONE])
def test_the_first_screen_is_full_and_nothing_lies_over_another(made, open_at, width):
    opened = open_at(width=width, height=900)
    page = opened.page
    assert opened.overflow() == [0, []]
    assert page.evaluate(OVERLAPS) == []
    assert page.evaluate(BLANK) < 300 or width == WIDE
    tabs = page.locator(".tabs > *").evaluate_all("all => all.map(e => e.getBoundingClientRect().right)")
    assert max(tabs) <= width
    said = page.locator("#headline").inner_text()
    assert len(said.split()) <= 40
    untested = "Not tested" if made.n_sets == 1 else "No set is tested alone"
    assert (f"{untested}: 3 shared runs, 5 needed." in said) == (made.n_runs == 3)
    assert "hown " in said or made.n_runs == 3
    (shows_one if made.n_sets == 1 else shows_several)(made, opened, said, width)


def shows_several(made, opened, said, width):
    """The sentence names the method of least regret at the middle tops, and the map fits."""
    page, means = opened.page, made.means.groupby("dataset").nth(1)
    regret = 100 * means.rsub(means.max(axis=1), axis=0).mean()
    assert f"{made.page.titles[regret.idxmin()]} " in said
    assert f"{regret.min():.1f}".removesuffix(".0") + " of 100 behind" in said
    assert page.locator("#headline").evaluate("e => e.getBoundingClientRect().bottom") < 900
    assert page.locator("#map tbody tr").first.evaluate("e => e.getBoundingClientRect().top") < 900
    if made.n_sets <= 6 or width == DESK:  # on a phone more scroll in their own box
        wide, room = page.locator("#overview .scroll").first.evaluate("e => [e.scrollWidth, e.clientWidth]")
        assert wide <= room


def shows_one(made, opened, said, width):
    """Winner, number, verdict, strip and curve."""
    page, figure = opened.page, opened.page.locator(".current figure[id$=-capacity]")
    assert said.startswith(f"{made.page.titles[made.means.loc[('set-0', 'k=50')].idxmax()]} finds ")
    assert page.locator("#overview, #map, nav a[data-tab=overview]").count() == 0
    bottoms = page.locator("#headline, .current .strip li[data-m]:first-child").evaluate_all(BOTTOMS)
    assert len(bottoms) == 2
    assert max(bottoms) < 900
    if width == DESK:
        assert figure.locator("svg").evaluate_all(BOTTOMS)[0] < 900
    for unit in ("lift", "share", "hits"):
        figure.locator(f"input[value={unit}]").evaluate("e => e.click()")
        assert opened.shown(".current figure .by", "class") == {f"by {unit}": 1}


@pytest.mark.parametrize("made", MANY, indirect=True, ids=str)
def test_one_top_at_a_time_and_all_on_demand_with_and_without_script(made, open_at):
    tops, n_rows = made.means.reset_index("top").groupby("dataset")["top"].unique(), made.means.shape[1]
    for script in (True, False):
        page = open_at(script=script).page
        for i in (1, 2):
            page.locator(".places label").nth(i).click()
            cells = page.evaluate(VISIBLE)
            assert len(cells) == made.n_sets * n_rows
            assert all(top == tops[dataset][i] for dataset, top, *_ in cells)
        page.locator(".places label", has_text="all tops").click()
        cells = page.evaluate(VISIBLE)
        assert len(cells) == 3 * made.n_sets * n_rows
    views = {(s.id, top): view for s in made.page.sections for top, view in s.view.tops.items()}
    for dataset, top, method, look in cells:
        cell = views[dataset, top].cells[method]
        assert look == f"{cell.shade} {cell.state}"


@pytest.mark.parametrize("made", MANY, indirect=True, ids=str)
def test_arrow_keys_walk_what_is_seen(made, open_at):
    page = open_at().page
    page.locator("#map td[tabindex='0']").focus()
    seen = [page.locator(":focus").bounding_box()]
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
        seen.append(page.locator(":focus").bounding_box())
    x, y = ([box[name] for box in seen] for name in ("x", "y"))
    assert x[0] < x[1] == x[2] > x[3] == x[0]
    assert y[0] == y[1] < y[2] == y[3] > y[4] == y[0]
    assert (page.locator("#map.turned").count() == 1) == (made.n_sets > made.means.shape[1])


@pytest.mark.parametrize("made", [LARGE], indirect=True, ids=str)
def test_a_large_report_can_be_mailed_and_has_few_stops_of_the_tab_key_which_can_be_seen(made, open_at):
    assert 300_000 < made.path.stat().st_size < 1_000_000
    opened = open_at()
    walk_with_tab(opened, ("overview", "set-14", "tuning", "cost", "about"))
    assert opened.page.locator("#cost tr[data-method]").count() > 20 * 28  # that came compressed


@pytest.mark.parametrize("made", MANY[:1], indirect=True, ids=str)
@pytest.mark.parametrize("place", ["0", "1", "2"])
def test_map_and_picture_follow_the_button_and_point_at_each_other(made, open_at, place):
    view, shown = made.page.overview[""][place], open_at(f"#overview/{place}", height=900).page
    assert shown.locator("#headline").inner_text() == view.headline
    rows = shown.locator("#map tbody tr[data-method]")
    assert rows.evaluate_all("all => all.map(r => r.dataset.method)") == view.order
    heights = dict(shown.locator(".plot .point").evaluate_all(HEIGHTS))
    assert sorted(heights, key=heights.get) == view.order
    method = view.order[-1]
    shown.locator(f".plot .point[data-m='{method}']").dispatch_event("mouseover")
    assert shown.locator("#map tr.on").evaluate_all("all => all.map(r => r.dataset.method)") == [method]
    shown.locator("#map td[data-top]:visible").first.hover()
    assert shown.locator(".plot .point.on").get_attribute("data-m") == view.order[0]
