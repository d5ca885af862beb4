"""Each picture of the first screen is titled by what it shows."""

import math

import pandas as pd
import pytest

from attop_bench.report.page.report import _finding, build_page
from support.html import not_drawn
from support.pages import made_tables

TITLES = {"a": "A", "b": "B", "logistic-regression": "LR"}


@pytest.mark.parametrize(
    ("lost", "seconds", "finding"),
    [
        (
            {"a": 0.5, "b": 1.4, "logistic-regression": 9.0},
            {"a": 12, "b": 0.25, "logistic-regression": 0.1},
            "A loses least, in 12 s a job; B loses 0.9 more, in 250 ms",
        ),
        (
            {"a": 0.5, "b": 1.6},
            {"a": 12, "b": 0.25},
            "A loses least, in 12 s a job; no method within 1 of 100 of it is faster",
        ),
        (
            {"a": 0.5, "b": 0.6},
            {"a": 12, "b": 60},
            "A loses least, in 12 s a job; no method within 1 of 100 of it is faster",
        ),
        ({"a": 0.5, "logistic-regression": 9.0}, {"a": 12}, "A loses least, 0.5 of 100; LR 9.0"),
        ({"a": 0.5, "b": 9.0}, {}, "A loses least, 0.5 of 100"),
        (
            {"a": 0.0, "b": math.nan},
            {"a": 1.0},
            "A loses least, in 1.0 s a job; no method within 1 of 100 of it is faster",
        ),
        ({"a": math.nan}, {}, "Behind the best"),
        ({}, {}, "Behind the best"),
    ],
)
def test_the_picture_beside_the_map_is_titled_by_what_it_shows(lost, seconds, finding):
    assert _finding(lost, list(lost), seconds, TITLES) == finding


def test_each_button_has_a_finding_of_its_order(monkeypatch):
    monkeypatch.setattr("attop_bench.report.page.report.drawing", not_drawn)
    page = build_page(*made_tables(6, 4))
    for overview in page.overview[""].values():
        assert overview.finding.startswith(f"{page.titles[overview.order[0]]} loses least, in ")


def test_a_curve_of_equal_methods_is_titled_by_all_of_them():
    tables, manifest = made_tables(1, 3)
    evaluation = tables["evaluation"]
    first, second = evaluation["method"].unique()[:2]
    best = evaluation[evaluation["method"] == first]
    again = [frame.assign(method=second) for frame in (best, tables["roc"][tables["roc"]["method"] == first])]
    for name, frame in zip(("evaluation", "roc"), again, strict=True):
        others = tables[name][tables[name]["method"] != second]
        tables[name] = pd.concat([others, frame], ignore_index=True)
    page = build_page(tables, manifest)
    names = f"{page.titles[first]} and {page.titles[second]}"
    assert page.sections[0].finding(page.titles).startswith(f"At 50 checks {names} find ")
