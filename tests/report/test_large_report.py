"""A report on 27 data sets and 22 methods: small enough to be mailed, fits a phone, few stops of the Tab."""

import pytest

import support.made_up as made_up
from attop_bench.report import build_report
from support.html import not_drawn
from support.report_page import DESK, PHONE, Opened, started

pytestmark = pytest.mark.workflow

METHODS = [*made_up.METHODS, *(f"learner-{i}" for i in range(22 - len(made_up.METHODS)))]
METRICS = ("precision@k", "recall@k", "pap@k", "micro-pap@k", "ap", "ndcg@k", "auc", "dcg")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Write the report. Its figures would be files beside it, so they are not drawn."""
    kinds = [("wdbc", 1, 5), ("digit-8", 1, 5), ("many-users", 5, 1)]
    datasets = {}
    for i in range(27):
        name, repeats, folds = kinds[i % 3]
        tops, _, _, *others = made_up.DATASETS[name]
        datasets[f"set-{i + 1}"] = (tops, repeats, folds, *others)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(made_up, "DATASETS", datasets)
        patch.setattr("attop_bench.report.page.report.drawing", not_drawn)
        *tables, manifest = made_up.make_results(tuple(datasets), METHODS, METRICS)
        path = tmp_path_factory.mktemp("large") / "report.html"
        build_report(made_up.as_tables(*tables), manifest, path)
    return path


def test_it_is_below_three_megabytes(path):
    assert 500_000 < path.stat().st_size < 3_000_000


def test_it_can_be_read_and_walked_through(path):
    with started() as browser:
        opened = Opened(browser, path, width=PHONE)
        assert opened.overflow() == [0, []]
        opened.context.close()
        opened = Opened(browser, path, width=DESK)
        page, focus = opened.page, "document.activeElement"
        page.evaluate("location.hash = '#set-14/k=10/auc'")
        page.wait_for_selector("#set-14.current .strip li[data-m]")
        assert page.locator(".current .strip li[data-m]").count() == len(METHODS)
        assert "Best auc at k=10" in page.locator(".current .card.live").inner_text()
        for tab in ("overview", "set-14", "tuning", "cost", "about"):
            opened.go(f"#{tab}")
            page.evaluate("document.querySelector('.skip').focus()")
            for stops in range(1, 61):  # noqa: B007
                page.keyboard.press("Tab")
                if page.evaluate(f"{focus} === document.body || {focus}.className === 'skip'"):
                    break
            assert stops < 60, tab
        assert opened.printed == []
        opened.context.close()
