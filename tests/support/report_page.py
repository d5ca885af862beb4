"""A report in a real Chromium: the browser of the system, driven by playwright, with the network off."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.html import packed
from support.made_up import METHODS

#: Set where these tests must run, as in CI: without a browser they then fail, which elsewhere skips them.
REQUIRED = os.environ.get("ATTOP_TEST_BROWSER") == "1"
PHONE, DESK = 390, 1400

#: The methods of the report made here.
CHOSEN = [METHODS[0], METHODS[3], METHODS[5], METHODS[8], "pnorm-push-16"]


def find_browser():
    """Return the path of Chromium; skip, or fail where the tests must run, if it or its driver is absent."""
    for package in ("axe_playwright_python", "playwright"):
        if find_spec(package) is None:
            absent(f"{package} is not installed: pip install -e '.[browser]'")
    paths = map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
    return next(filter(None, paths), None) or absent("there is no Chromium here: apt-get install chromium")


def absent(reason):
    if REQUIRED:
        pytest.fail(f"ATTOP_TEST_BROWSER=1, but {reason}")
    pytest.skip(reason)


@contextmanager
def started():
    """Start the browser."""
    path = find_browser()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path)
        yield browser
        browser.close()


class Opened:
    """A report opened from its file: what it asked for, what it printed, and the page itself."""

    def __init__(self, browser, script):
        self.requests, self.printed, self.script = [], [], script
        context = browser.new_context(offline=True, accept_downloads=True, java_script_enabled=script)
        self.page = context.new_page()
        self.page.set_default_timeout(60_000)  # milliseconds; a busy machine is slow, not wrong
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.printed.append(str(error)))
        self.page.on("console", lambda message: self.printed.append(f"{message.type}: {message.text}"))

    def open(self, path, width=DESK, height=800, scheme="light", media="screen", where=""):
        """Read a report anew, whatever was shown before: a window of its own takes twice the time."""
        self.page.goto("about:blank")
        self.page.mouse.move(0, 0)
        self.requests.clear()
        self.printed.clear()
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(media=media, color_scheme=scheme)
        self.page.goto(Path(path).resolve().as_uri() + where)
        if self.script:
            self.page.wait_for_selector("html.ready", state="attached")

    def go(self, where):
        """Follow a link inside the page."""
        self.page.evaluate("where => { location.hash = where; }", where)
        self.page.wait_for_function("where => document.querySelector(where + '.current')", arg=where)

    def unfold(self):
        """Open everything that is folded, so that nothing escapes a check by being out of sight."""
        self.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")

    def overflow(self):
        """Return by how many pixels the document is wider than the window, and what sticks out."""
        return self.page.evaluate(
            """() => {
              const wide = innerWidth, root = document.documentElement;
              const clipped = e => { for (let p = e.parentElement; p && p !== root; p = p.parentElement)
                if (getComputedStyle(p).overflowX !== 'visible') return true; return false; };
              const right = e => e.checkVisibility() ? e.getBoundingClientRect().right : 0;
              const all = [...document.body.querySelectorAll('*')];
              const out = all.filter(e => right(e) > wide + 1 && !clipped(e)).slice(0, 5);
              return [root.scrollWidth - wide, out.map(e => e.outerHTML.slice(0, 120))];
            }"""
        )

    def audit(self):
        """Return axe's serious and critical findings, a line each.

        Axe takes a minute for a large report, so of each table it gets six rows, and figures as images.
        """
        from axe_playwright_python.sync_playwright import Axe

        self.page.evaluate(
            "document.querySelectorAll('table:not(#map) tbody tr:nth-child(n+7), figure svg > *')"
            ".forEach(e => e.remove())"
        )
        found = Axe().run(self.page, options={"resultTypes": ["violations"]}).response["violations"]
        return [
            f"{v['impact']} {v['id']}, {len(v['nodes'])} times: {v['help']}. "
            f"{v['nodes'][0]['failureSummary']} {v['nodes'][0]['html'][:200]}"
            for v in found
            if v["impact"] in ("serious", "critical")
        ]

    def shown(self, selector, attribute):
        """Return how often each value of an attribute is among the elements that can be seen."""
        values = self.page.locator(selector).evaluate_all(
            "(all, name) => all.filter(e => e.checkVisibility() && e.getClientRects().length)"
            ".map(e => e.getAttribute(name))",  # for a hidden part of an SVG checkVisibility says true
            attribute,
        )
        return Counter(values)


def data_of(page):
    """Return what the script works with."""
    return packed(page.content())


def tabs(page):
    return page.locator("section.tab").evaluate_all("all => all.map(s => s.id)")


#: What has the focus, and whether it can be seen to have it.
_FOCUS = """() => {
    const e = document.activeElement, { left } = e.getBoundingClientRect();
    return [e.className || e.tagName, left >= 0 && getComputedStyle(e).outlineStyle !== "none"];
}"""


def walk_with_tab(opened, some):
    """Press the Tab key until each of some tabs is gone through: its stops are few and can be seen."""
    page = opened.page
    page.keyboard.press("Tab")
    assert page.evaluate(_FOCUS) == ["skip", True]  # seen once it has the focus
    for tab in some:
        opened.go(f"#{tab}")
        page.evaluate("document.querySelector('.skip').focus()")
        for stops in range(1, 61):  # noqa: B007
            page.keyboard.press("Tab")
            name, seen = page.evaluate(_FOCUS)
            if name in ("BODY", "skip"):
                break
            assert seen, (tab, name)
        assert stops < 60, tab
