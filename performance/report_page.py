"""The report in Chromium: seconds to the first paint and to the load, its size; median of five loads.

    python performance/report_page.py [report.html ...]

Needs the `browser` extra and a chromium of the system. Each load has a new profile: nothing is cached.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

#: What a reader waits for a page to appear, in seconds.
GOAL = 2.0
LOADS = 5
TIMES = """() => new Promise(done => requestAnimationFrame(() => setTimeout(() => {
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  const load = performance.getEntriesByType('navigation')[0];
  done([paint ? paint.startTime : NaN, load.domContentLoadedEventEnd, load.loadEventEnd]);
}, 200)))"""


def times(browser, address):
    """Return milliseconds to the first paint, the document and the load, of one load."""
    context = browser.new_context(viewport={"width": 1400, "height": 800}, offline=True)
    page = context.new_page()
    page.goto(address)
    found = page.evaluate(TIMES)
    context.close()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reports", nargs="*", type=Path, default=[Path("results/report.html")])
    args = parser.parse_args()
    print(
        f"{'report':<40} {'MB':>6} {'paint':>8} {'parsed':>8} {'loaded':>8}   goal: paint within {GOAL:g} s"
    )
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
        for report in args.reports:
            if not report.exists():
                print(f"{report!s:<40} is not there: snakemake writes it")
                continue
            loads = [times(browser, report.resolve().as_uri()) for _ in range(LOADS)]
            paint, parsed, loaded = (median(t) / 1000 for t in zip(*loads, strict=True))
            verdict = "met" if paint < GOAL else "missed"
            print(
                f"{str(report)[-40:]:<40} {report.stat().st_size / 1e6:6.2f}"
                f" {paint:6.2f} s {parsed:6.2f} s {loaded:6.2f} s   {verdict}"
            )
        browser.close()


if __name__ == "__main__":
    main()
