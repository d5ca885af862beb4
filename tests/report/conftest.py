"""Made-up results of a benchmark, and their report in a browser."""

import os
from pathlib import Path

import pytest

from attop_bench.report import build_report
from support.html import not_drawn
from support.made_up import METHODS, as_tables, make_results
from support.report_page import CHOSEN, Opened, started


@pytest.fixture(scope="session")
def results():
    return make_results(metrics=("precision@k", "pap@k"))


@pytest.fixture(scope="session")
def small():
    return make_results(
        ("wdbc", "many-users"),
        [METHODS[3], METHODS[5], "pnorm-push-16"],
        ("precision@k", "pap@k", "micro-pap@k", "dcg"),
    )


@pytest.fixture(scope="session")
def shown():
    """Return the tables and the manifest behind the report; some models rank nothing."""
    metrics = ("precision@k", "pap@k", "micro-pap@k", "auc", "dcg")
    tables = make_results(("wdbc", "ionosphere-windows", "many-users"), CHOSEN, metrics)
    runs = tables[1]
    runs["constant"] = (runs["dataset"] == "wdbc") & (runs["fold"] == 0)
    return tables


@pytest.fixture
def undrawn(monkeypatch):
    monkeypatch.setattr("attop_bench.report.page.report.drawing", not_drawn)


@pytest.fixture(scope="module")
def browser():
    """Return a browser, and its windows of earlier tests, which are used again."""
    with started() as browser:
        yield browser, []


@pytest.fixture(scope="module")
def made_path(shown, tmp_path_factory):
    *tables, manifest = shown
    path = tmp_path_factory.mktemp("page") / "report.html"
    build_report(as_tables(*tables), manifest, path)
    return path


@pytest.fixture(scope="module")
def report_path(request, made_path):
    """The page made here; where a test asks for each page also the one that ATTOP_REPORT names."""
    is_made = getattr(request, "param", "made") == "made"
    return made_path if is_made else Path(os.environ["ATTOP_REPORT"])


@pytest.fixture
def open_at(browser, report_path):
    """Return what opens the report; every page it opened must have been silent and alone."""
    chromium, windows = browser
    opened = []

    def open_at(where="", script=True, **options):
        free = (o for o in windows if o.script == script and o not in opened)
        opened.append(next(free, None) or Opened(chromium, script))
        opened[-1].open(report_path, where=where, **options)
        return opened[-1]

    yield open_at
    windows[:] = dict.fromkeys([*windows, *opened])
    for o in opened:
        assert o.printed == []
        assert [url for url in o.requests if not url.startswith(("file:", "data:", "blob:"))] == []
