"""The report on many data sets, of runs that can be tested and of too few: its first screen, and its map."""

from __future__ import annotations

import pytest

from attop_bench.report import build_report
from support import made_up
from support.html import not_drawn
from support.made_up import METHODS, as_tables, make_results
from support.report_page import DESK, PHONE, Opened, started

pytestmark = pytest.mark.workflow

VISIBLE = """() => [...document.querySelectorAll('#map tr[data-method] td[data-top]')]
    .filter(c => getComputedStyle(c).display !== 'none')
    .map(c => [c.dataset.dataset, c.dataset.top, c.className, Number(c.textContent)])"""


@pytest.fixture(scope="module", params=[(5, 3), (10, 5), (40, 5)], ids=str)
def made(request, tmp_path_factory):
    """Write the report of so many data sets of so many runs, without figures; return all there is."""
    n_sets, n_runs = request.param
    kinds = [made_up.DATASETS[name] for name in ("wdbc", "digit-8")]
    datasets = {f"set-{i}": (kinds[i % 2][0], 1, n_runs, *kinds[i % 2][3:]) for i in range(n_sets)}
    path = tmp_path_factory.mktemp("many") / "report.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(made_up, "DATASETS", datasets)
        patch.setattr("attop_bench.report.page.report.drawing", not_drawn)
        methods = METHODS[: 6 if n_sets == 40 else 13]
        *tables, manifest = make_results(
            tuple(datasets), methods, ("precision@k",), failures=False, noise=0.2
        )
        build_report(as_tables(*tables), manifest, path)
    return n_sets, n_runs, path, tables[0], {m: entry["title"] for m, entry in manifest["methods"].items()}


@pytest.fixture(scope="module")
def browser():
    with started() as found:
        yield found


@pytest.fixture(scope="module")
def open_at(made, browser):
    return lambda **options: Opened(browser, made[2], height=900, **options)


@pytest.mark.parametrize("width", [DESK, PHONE])
def test_the_first_screen_names_the_method_of_least_regret_and_fits(made, open_at, width):
    n_sets, n_runs, _, evaluation, titles = made
    means = evaluation.groupby(["dataset", "top", "method"])["value"].mean().unstack()
    regret = means.rsub(means.max(axis=1), axis=0).groupby("dataset").mean().mean()
    opened = open_at(width=width)
    page = opened.page
    said = page.locator("#headline").inner_text()
    assert f"{titles[regret.idxmin()]} " in said
    assert f" {100 * regret.min():.1f}".removesuffix(".0") in said or 100 * regret.min() >= 9.95
    assert len(said.split()) <= 40
    assert ("Not tested: 3 shared runs, 5 needed." in said) == (n_runs == 3)
    assert ("hown " in said) == (n_runs == 5)
    assert page.locator("#headline").evaluate("e => e.getBoundingClientRect().bottom") < 900
    assert page.locator("#map tbody tr").first.evaluate("e => e.getBoundingClientRect().top") < 900
    assert opened.overflow() == [0, []]
    if n_sets <= 6 or width == DESK:  # on a phone more scroll in their own box
        wide, room = page.locator("#overview .scroll").first.evaluate("e => [e.scrollWidth, e.clientWidth]")
        assert wide <= room
    opened.context.close()


def test_one_top_at_a_time_and_all_on_demand_with_and_without_script(made, open_at):
    n_sets, _, _, evaluation, titles = made
    tops = evaluation.groupby("dataset")["top"].unique()
    for script in (True, False):
        opened = open_at(script=script)
        page = opened.page
        for i, name in ((1, "middle top"), (2, "largest top")):
            page.locator(".places label", has_text=name).click()
            cells = page.evaluate(VISIBLE)
            assert len(cells) == n_sets * len(titles)
            assert all(top == tops[dataset][i] for dataset, top, *_ in cells)
        page.locator(".places label", has_text="all tops").click()
        cells = page.evaluate(VISIBLE)
        assert len(cells) == 3 * n_sets * len(titles)
        opened.context.close()
    best: dict[tuple[str, str], float] = {}
    for dataset, top, _, value in cells:
        best[dataset, top] = max(value, best.get((dataset, top), 0.0))
    for dataset, top, look, value in cells:
        if {"best", "equal"} & set(look.split()):
            assert value > best[dataset, top] - 0.3


def test_arrow_keys_walk_what_is_seen(made, open_at):
    n_sets, _, _, _, titles = made
    opened = open_at()
    page = opened.page
    page.locator("#map td[tabindex='0']").focus()
    seen = [page.locator(":focus").bounding_box()]
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
        seen.append(page.locator(":focus").bounding_box())
    x, y = ([box[name] for box in seen] for name in ("x", "y"))
    assert x[0] < x[1] == x[2] > x[3] == x[0]
    assert y[0] == y[1] < y[2] == y[3] > y[4] == y[0]
    assert (page.locator("#map.turned").count() == 1) == (n_sets > len(titles))
    opened.context.close()


@pytest.mark.parametrize("n_runs", [3, 5])
def test_the_first_screen_has_winner_number_verdict_strip_and_curve(n_runs, browser, tmp_path):
    evaluation, runs, roc, manifest = make_results(("wdbc",), METHODS[3:9], ("precision@k",), failures=False)
    tables = as_tables(*(table[table["fold"] < n_runs] for table in (evaluation, runs, roc)))
    build_report(tables, manifest, tmp_path / "report.html")
    means = evaluation[(evaluation["fold"] < n_runs) & (evaluation["top"] == "k=10")]
    best = means.groupby("method")["value"].mean().idxmax()
    for width in (DESK, PHONE):
        opened = Opened(browser, tmp_path / "report.html", width=width, height=900)
        page = opened.page
        said = page.locator("#headline").inner_text()
        assert said.startswith(f"{manifest['methods'][best]['title']} finds ")
        assert ("Not tested: 3 shared runs, 5 needed." in said) == (n_runs == 3)
        assert len(said.split()) <= 40
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
