"""Settings chosen, their edges, and what it cost."""

from __future__ import annotations

import json
import math
import statistics
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from attop.experiment import at_edge
from attop_bench.report.compute.across import pareto_front
from attop_bench.report.compute.tables import choices, costs, ensembles, wall_clock
from attop_bench.report.figures.curves import expected_best
from attop_bench.report.page.render import render
from attop_bench.report.page.report import build_page
from support.html import Page
from support.pages import made_tables


@pytest.mark.parametrize(
    ("values", "at_edge", "chosen", "mostly"),
    [
        ([0.1, 1.0, 0.1], "yny", (("0.1", 2), ("1", 1)), True),
        ([0.1, 10.0, 0.1, 10.0, 1.0], "yyyyn", (("0.1", 2), ("10", 2), ("1", 1)), False),  # at both ends
    ],
)
def test_choices_count_values_and_edges(values, at_edge, chosen, mostly):
    runs = pd.DataFrame({"chosen": [json.dumps({"C": value, "kind": "a"}) for value in values]})
    runs["at_edge"] = ['["C"]' if edge == "y" else "[]" for edge in at_edge]
    failed = pd.DataFrame({"chosen": ["{}"], "at_edge": "[]"})
    runs = pd.concat([runs.assign(status="ok"), failed.assign(status="error")])
    runs = runs.assign(dataset="wdbc", method="a", top="k=5")
    tops, (choice,) = choices(runs, "wdbc", ["a"], {"a": {"C": [0.1, 1.0, 10.0], "kind": ["a"]}})
    assert (tops, choice.parameter, choice.grid) == (["k=5"], "C", ("0.1", "1", "10"))
    assert choice.chosen == (chosen,)
    assert (choice.at_edge, choice.total, choice.mostly_at_edge) == (2, len(values), mostly)


@pytest.mark.parametrize(
    ("inner", "edges"),
    [
        ([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]], []),  # the first of equals
        ([[0.51, 0.5], [0.5, 0.5], [0.4, 0.4]], []),  # within the tolerance
        ([[0.6, 0.6], [0.5, 0.5], [0.4, 0.4]], ["C"]),
        ([[0.6, math.nan], [math.nan, 0.59], [0.4, 0.4]], []),
        ([[0.6, 0.6], [math.nan, math.nan], [0.4, 0.4]], ["C"]),
    ],
)
def test_an_edge_counts_where_nothing_inside_is_as_good(inner, edges):
    candidates = [{"C": 0.1}, {"C": 1.0}, {"C": 10.0}]
    assert at_edge(candidates[0], {"C": [0.1, 1.0, 10.0]}, candidates, inner) == edges
    assert at_edge(candidates[1], {"C": [0.1, 1.0, 10.0]}, candidates, inner) == []


def test_costs_are_medians_over_jobs_not_over_tops(results):
    _, runs, *_ = results
    cost = costs(runs, "wdbc")
    jobs = {}
    for r in runs.itertuples(index=False):
        if r.dataset == "wdbc" and r.status == "ok":
            jobs.setdefault(r.method, {})[r.repeat, r.fold] = r.seconds_training
    for method, times in jobs.items():
        assert cost.loc[method, "jobs"] == len(times)
        assert cost.loc[method, "training"] == pytest.approx(statistics.median(times.values()), rel=1e-13)


@pytest.mark.parametrize(
    ("spans", "clock"),
    [
        ([(0, 10)], 10),
        ([(0, 10), (4, 12), (5, 6)], 12),  # side by side
        ([(40, 50), (0, 10)], 50),  # a short wait belongs to it
        ([(0, 1000), (5, 10), (900, 1010), (5000, 5010)], 1020),  # stopped, and resumed later
        ([(0, 10), (np.nan, np.nan)], 10),
        ([(np.nan, 3.0)], np.nan),
    ],
)
def test_the_clock_leaves_out_pauses_between_runs(spans, clock):
    assert wall_clock(pd.DataFrame(spans, columns=["started", "ended"])) == pytest.approx(clock, nan_ok=True)


@pytest.mark.parametrize("values", [[0.3], [0.5, 0.1], [0.2, 0.9, 0.4, 0.4], np.arange(7.0) ** 2])
def test_expected_best_is_the_mean_over_all_subsets(values):
    expected = [np.mean([max(c) for c in combinations(values, n)]) for n in range(1, len(values) + 1)]
    np.testing.assert_allclose(expected_best(np.array(values)), expected, rtol=1e-12)


def test_pareto_front_is_what_nothing_beats_at_both():
    cost = pd.Series({"a": 1.0, "b": 2.0, "c": 2.0, "d": 3.0, "e": 0.5, "f": np.nan, "g": 1.0})
    score = pd.Series({"a": 0.5, "b": 0.9, "c": 0.8, "d": 0.9, "e": 0.1, "f": 1.0, "g": 0.5})
    assert pareto_front(cost, score) == ["e", "a", "g", "b"]


def test_ensembles_are_told_from_choices():
    runs = pd.DataFrame(
        {
            "dataset": "wdbc",
            "method": ["tuned", "averaged", "averaged", "averaged", "once"],
            "status": ["ok", "ok", "ok", "error", "ok"],
            "averaged": [1, 3, 9, 1, 1],
            "n_candidates": [50, 50, 48, 0, 50],
        }
    )
    (averaged,) = ensembles(runs, "wdbc").itertuples()
    assert averaged == ("averaged", 3, 9, 50)
    assert ensembles(runs, "other").empty
    assert ensembles(runs.drop(columns="averaged"), "wdbc").empty


def test_the_page_says_how_many_candidates_are_averaged():
    tables, manifest = made_tables(1, 3)
    method = tables["runs"]["method"].iloc[0]
    sizes = np.where(tables["runs"]["method"] == method, 2, 1)
    tables["runs"] = tables["runs"].assign(averaged=sizes)
    words = Page(render(build_page(tables, manifest))).words
    assert words.count("averaged of 2 of 3 candidates") == 1
