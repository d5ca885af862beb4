"""Summaries, the order of methods, tops in order, and what it costs to train for another one."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from attop.extending import Top, main_top, sort_tops
from attop.metrics import METRICS
from attop_bench.report import summarise
from attop_bench.report.compute.judgements import judge_all, rank_methods
from attop_bench.report.figures.scene import short_tops
from attop_bench.report.figures.transfer import transfer
from support.rows import CONSTANT, by_method, rows


def test_summary_agrees_with_plain_loops(results):
    evaluation, runs, *_ = results
    found = {
        (r.dataset, r.top, r.metric, r.method): r for r in summarise(evaluation, runs).itertuples(index=False)
    }
    values, folds = {}, {}
    for r in evaluation.itertuples(index=False):
        values.setdefault((r.dataset, r.top, r.metric, r.method), []).append(r.value)
    for table in (evaluation, runs):
        for r in table.itertuples(index=False):
            folds.setdefault(r.dataset, set()).add((r.repeat, r.fold))
    assert set(values) < set(found)  # the failed methods have rows of their own
    assert {0, 1} <= {row.n_undefined for row in found.values()}
    for key, row in found.items():
        defined = [v for v in values.get(key, []) if not math.isnan(v)]
        assert row.n == len(defined)
        assert row.n_undefined == len(values.get(key, [])) - len(defined)
        assert row.n_expected == len(folds[key[0]])
        assert row.reason == ("fewer than k negatives" if row.n_undefined else "")
        if defined:
            assert row.mean == pytest.approx(math.fsum(defined) / len(defined), rel=1e-13)
        else:
            assert math.isnan(row.mean)
        if len(defined) > 1:
            std = statistics.stdev(defined)
            assert row.std == pytest.approx(std, rel=1e-10)
            assert row.se == pytest.approx(std / math.sqrt(len(defined)), rel=1e-10)
        else:
            assert math.isnan(row.std)
            assert math.isnan(row.se)


def test_models_that_rank_nothing_are_counted_in_their_cell():
    evaluation, runs = rows(("a", [CONSTANT, 0.9, CONSTANT]), ("b", [0.9, 0.2, None]), ("c", [CONSTANT]))
    table = summarise(evaluation, runs)
    assert {m: row["n_constant"] for m, row in by_method(table).items()} == {"a": 2, "b": 0, "c": 1}


def test_summary_refuses_values_given_twice_and_missing_columns():
    evaluation, runs = rows(("a", [0.5, 0.7]))
    with pytest.raises(ValueError, match="2 values twice"):
        summarise(pd.concat([evaluation, evaluation]), runs)
    with pytest.raises(ValueError, match="'evaluation' lacks value"):
        summarise(evaluation.drop(columns="value"), runs)


def test_methods_are_ordered_by_mean_rank_unranked_ones_last():
    parts = [
        rows(("a", [1.0, 2.0]), ("b", [3.0, 4.0]), ("c", [9.0, None]), top="k=5", metric="dcg"),
        rows(("a", [10.0, 20.0]), ("b", [11.0, 30.0]), ("c", [99.0, None]), top="k=10", metric="dcg"),
    ]
    evaluation, runs = map(pd.concat, zip(*parts, strict=True))
    judgements = judge_all(evaluation, runs).values()
    assert rank_methods(judgements, "abcd") == ["b", "a", "c", "d"]
    assert rank_methods([], "ab") == ["a", "b"]


def test_tops_are_sorted_by_size_not_as_text():
    assert sort_tops(["tau=0.1", "k=10", "k=5", "tau=0.05", "k=5"]) == ["k=5", "k=10", "tau=0.05", "tau=0.1"]
    assert main_top(["k=5", "k=10", "k=100"]) == "k=10"
    assert main_top(["k=5", "k=10"]) == "k=5"
    assert Top.parse("k=100 of 30000").size == ("tau", 100 / 30000)
    assert sort_tops(["k=30 of 300", "tau=0.05", "k=7"]) == ["k=7", "tau=0.05", "k=30 of 300"]


@pytest.mark.parametrize(
    ("tops", "said"),
    [
        (["k=20 of 1500", "k=100 of 1500"], ("k of 1500", ["20", "100"])),
        (["k=20 of 300", "tau=0.25"], ("tau", ["0.0666667", "0.25"])),
        (["k=5", "k=10"], ("k", ["5", "10"])),
        (["k=100 of 1500", "kappa=0.25"], ("", ["k=100 of 1500", "kappa=0.25"])),
    ],
)
def test_a_figure_names_tops_as_they_were_given(tops, said):
    assert short_tops(tops) == said


def cross_of(values, method="aatp", fold=0):
    """Return rows of the table ``cross``: values[i][j] of the model trained for i and used at j."""
    tops = ["k=5", "k=10", "k=20"]
    key = {"dataset": "wdbc", "method": method, "repeat": 0, "fold": fold, "metric": "precision@k"}
    return [
        {**key, "top": tops[i], "at": tops[j], "value": value}
        for i, row in enumerate(values)
        for j, value in enumerate(row)
    ]


def test_regret_is_what_training_for_another_top_costs():
    first = [[0.9, 0.6, 0.5], [0.8, 0.7, 0.4], [0.5, 0.8, 0.6]]
    second = [[0.7, 0.6, 0.5], [0.8, 0.7, 0.4], [0.5, 0.6, 0.6]]
    cross = pd.DataFrame(cross_of(first) + cross_of(second, fold=1))
    (found,) = transfer(cross, "wdbc", ["aatp", "linear-svm"])
    assert (found.n, found.n_expected) == (2, 2)
    np.testing.assert_allclose(found.value, (np.array(first) + second) / 2)
    np.testing.assert_allclose(found.regret[:, 0], [0, 0, 0.3], atol=1e-15)  # direct 0.8, from k=20 0.5
    np.testing.assert_allclose(found.regret[:, 1], [0.1, 0, 0.0], atol=1e-15)
    np.testing.assert_allclose(found.se[2, 0], np.std([0.4, 0.2], ddof=1) / np.sqrt(2))
    assert found.reading() == "at most 0.300: trained for k=20, used at k=5"


def test_regret_of_a_lower_is_better_metric_and_of_missing_values(monkeypatch):
    lower = replace(METRICS["precision@k"], higher_is_better=False)
    monkeypatch.setattr("attop_bench.report.figures.transfer.get_metric", lambda name: lower)
    whole, gap = [[0.1, 0.2, 0.3]] * 3, [[0.1, np.nan, 0.3]] * 3
    worse = [[0.1, 0.2, 0.3], [0.4, 0.2, 0.3], [0.1, 0.2, 0.3]]
    cross = pd.DataFrame(cross_of(worse) + cross_of(gap, fold=1) + cross_of(gap, "b") + cross_of(whole, "c"))
    a, b, c = transfer(cross, "wdbc", ["aatp", "b", "c"])
    assert (a.n, a.n_expected, b.n) == (1, 2, 0)
    assert a.regret[1, 0] == pytest.approx(0.3)
    assert "no run" in b.reading()
    assert "the same at every top" in c.reading()
    assert transfer(cross[cross["top"] == "k=5"], "wdbc", ["aatp"]) == []
