"""Layout of the first screen at many sizes: nothing blank, nothing over another text, one winner."""

from __future__ import annotations

import csv
import re

import pytest

from attop_bench.report.page.render import render, write_exports
from attop_bench.report.page.report import build_page
from support.html import not_drawn
from support.pages import made_tables
from support.report_page import DESK, PHONE, Opened, started

pytestmark = pytest.mark.workflow
WIDE = 1920
#: 36 x 40 was looked at by hand: it takes a minute.
SIZES = [(1, 3), (1, 12), (2, 2), (5, 12), (8, 3), (12, 12), (36, 2), (25, 40)]

#: Rectangles of all lines of text that are seen, by the text, and pairs of them that overlap.
OVERLAPS = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), boxes = [];
  for (let node; (node = walker.nextNode());) {
    const box = node.parentElement;
    if (!node.data.trim() || !box.checkVisibility() || box.closest("script, style, .skip, option")) continue;
    if (!box.getClientRects().length) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const { left, right, top, bottom } of range.getClientRects()) {
      const r = { left, right, top, bottom };
      for (let p = box; p && p !== document.body; p = p.parentElement) {
        if (p.closest("svg") || getComputedStyle(p).overflow === "visible") continue;
        const clip = p.getBoundingClientRect();
        r.left = Math.max(r.left, clip.left); r.right = Math.min(r.right, clip.right);
        r.top = Math.max(r.top, clip.top); r.bottom = Math.min(r.bottom, clip.bottom);
      }
      if (r.right - r.left > 1 && r.bottom > r.top) boxes.push([node.data.trim(), r, box]);
    }
  }
  const cut = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  return boxes.flatMap(([text, r, own], i) => boxes.slice(i + 1)
    .filter(([, other, box]) => own !== box && cut(r, other)).map(([other]) => [text, other]));
}"""

#: Side of the largest square without text, cell, mark or figure, from the first line to the last.
BLANK = """() => {
  const seen = [...document.querySelectorAll("body *")].filter((e) => e.checkVisibility()
    && (e.matches("td, th, li, p, h1, h2, h3, button, label, select, summary, figure, .plot, .card, a")));
  const boxes = seen.map((e) => e.getBoundingClientRect()).filter((r) => r.width && r.height);
  const step = 10, bottom = Math.min(900, Math.max(...boxes.map((r) => r.bottom)));
  const rows = Math.floor(bottom / step), columns = Math.floor(document.body.clientWidth / step);
  const { left } = document.body.getBoundingClientRect();
  const full = Array.from({ length: rows }, () => new Uint8Array(columns));
  for (const r of boxes) {
    for (let y = Math.max(0, Math.floor(r.top / step)); y < Math.min(rows, r.bottom / step); y++)
      full[y].fill(1, Math.max(0, Math.floor((r.left - left) / step)), Math.ceil((r.right - left) / step));
  }
  let most = 0;
  const side = full.map((row) => [...row].fill(0));
  for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) if (!full[y][x]) {
    side[y][x] = 1 + (x && y ? Math.min(side[y - 1][x], side[y][x - 1], side[y - 1][x - 1]) : 0);
    most = Math.max(most, side[y][x]);
  }
  return most * step;
}"""


@pytest.fixture(scope="module")
def browser():
    with started() as found:
        yield found


@pytest.mark.parametrize(("n_sets", "n_methods"), SIZES)
def test_the_first_screen_is_full_and_nothing_lies_over_another(
    n_sets, n_methods, browser, tmp_path, monkeypatch
):
    if n_sets > 1:
        monkeypatch.setattr("attop_bench.report.page.report.drawing", not_drawn)
    page = build_page(*made_tables(n_sets, n_methods))
    path = tmp_path / "report.html"
    path.write_text(render(page), encoding="utf-8")
    assert path.stat().st_size < 2_000_000
    for width in (DESK, WIDE, PHONE):
        opened = Opened(browser, path, width=width, height=900)
        assert opened.overflow() == [0, []]
        assert opened.page.evaluate(OVERLAPS) == []
        assert opened.page.evaluate(BLANK) < 300 or width == WIDE
        tabs = opened.page.locator(".tabs > *").evaluate_all(
            "all => all.map(e => e.getBoundingClientRect().right)"
        )
        assert max(tabs) <= width
        opened.context.close()


def test_the_winner_is_one_in_sentence_map_picture_tex_and_csv(browser, tmp_path, monkeypatch):
    monkeypatch.setattr("attop_bench.report.page.report.drawing", not_drawn)
    page = build_page(*made_tables(4, 5))
    write_exports(page, tmp_path / "figures", tmp_path / "tables")
    (tmp_path / "report.html").write_text(render(page), encoding="utf-8")
    opened = Opened(browser, tmp_path / "report.html")
    winner = page.titles[page.first.order[0]]
    points = opened.page.locator(".plot .point").evaluate_all(
        "all => all.map(p => [p.dataset.m, Number(p.firstChild.getAttribute('cy'))])"
    )
    tex = (tmp_path / "tables" / "all.tex").read_text(encoding="utf-8").split(r"\midrule")[1]
    with (tmp_path / "tables" / "board.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["top"] == page.sections[0].main]
    found = [
        re.split(r" finds | \(", opened.page.locator("#headline").inner_text().split("best: ")[-1])[0],
        opened.page.locator("#map tbody th").first.inner_text(),
        page.titles[min(points, key=lambda point: point[1])[0]],
        tex.split("&")[0].strip().splitlines()[-1],
        page.titles[min(rows, key=lambda row: float(row["regret"]))["method"]],
    ]
    assert found == [winner] * 5


@pytest.mark.parametrize("place", [0, 1, 2])
def test_map_and_picture_follow_the_button_and_point_at_each_other(place, browser, tmp_path, monkeypatch):
    monkeypatch.setattr("attop_bench.report.page.report.drawing", not_drawn)
    page = build_page(*made_tables(3, 5))
    (tmp_path / "report.html").write_text(render(page), encoding="utf-8")
    opened = Opened(browser, tmp_path / "report.html", where=f"#overview/{place}")
    view, shown = page.overview[""][str(place)], opened.page
    assert shown.locator("#headline").inner_text() == view.headline
    rows = shown.locator("#map tbody tr[data-method]")
    assert rows.evaluate_all("all => all.map(r => r.dataset.method)") == view.order
    heights = dict(
        shown.locator(".plot .point").evaluate_all(
            "all => all.map(p => [p.dataset.m, Number(p.firstChild.getAttribute('cy'))])"
        )
    )
    assert sorted(heights, key=heights.get) == view.order
    method = view.order[-1]
    shown.locator(f".plot .point[data-m='{method}']").dispatch_event("mouseover")
    assert shown.locator("#map tr.on").evaluate_all("all => all.map(r => r.dataset.method)") == [method]
    shown.locator("#map td[data-top]:visible").first.hover()
    assert shown.locator(".plot .point.on").get_attribute("data-m") == view.order[0]
