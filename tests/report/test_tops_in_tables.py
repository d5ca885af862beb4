"""Tops in order, and what it costs to train for another one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from attop.core.top import Top, main_top, sort_tops
from attop.metrics.registry import METRICS
from attop_bench.report.figures.transfer import transfer


def test_tops_are_sorted_by_size_not_as_text():
    assert sort_tops(["tau=0.1", "k=10", "k=5", "tau=0.05", "k=5"]) == ["k=5", "k=10", "tau=0.05", "tau=0.1"]
    assert main_top(["k=5", "k=10", "k=100"]) == "k=10"
    assert main_top(["k=5", "k=10"]) == "k=5"
    assert Top.parse("k=100 of 30000").size == ("tau", 100 / 30000)
    assert sort_tops(["k=30 of 300", "tau=0.05", "k=7"]) == ["k=7", "tau=0.05", "k=30 of 300"]


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
