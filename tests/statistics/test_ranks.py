"""Ranks over data sets: Demsar's worked example (JMLR 7, 2006), brute force, and degenerate input."""

import dataclasses
import itertools

import numpy as np
import pandas as pd
import pytest

import oracles.statistics as oracle
from attop.metrics import get_metric
from attop.statistics.matrix import metric_matrix
from attop.statistics.ranks import (
    against_control,
    all_pairs,
    cliques,
    critical_difference,
    friedman,
    holm,
    mean_ranks,
    rank_rows,
)
from support.demsar import DEMSAR


class TestDemsar:
    def test_ranks_and_friedman(self):
        result = friedman(DEMSAR)
        assert result.refused is None
        assert dict(result.ranks.round(3)) == {"C4.5": 3.143, "m": 2.0, "cf": 2.893, "m+cf": 1.964}
        # Printed to two decimals, from ranks printed to three.
        assert result.chi2 == pytest.approx(9.28, abs=0.006)
        assert pytest.approx(3.69, abs=0.006) == result.F
        assert 0.01 < result.p_F < 0.05

    def test_nemenyi(self):
        assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
        assert critical_difference(4, 14, 0.10) == pytest.approx(1.12, abs=0.005)
        assert critical_difference(4, 14) / np.sqrt(4 * 5 / (6 * 14)) == pytest.approx(2.569, abs=5e-4)
        assert all_pairs(DEMSAR).cliques == (("m+cf", "m", "cf", "C4.5"),)
        assert all_pairs(DEMSAR, 0.10).cliques == (("m+cf", "m", "cf"), ("cf", "C4.5"))

    def test_holm_against_control(self):
        result = against_control(DEMSAR, "C4.5")
        assert [p.first for p in result.pairs] == ["m+cf", "m", "cf"]
        assert [abs(p.z) for p in result.pairs] == pytest.approx([2.416, 2.342, 0.512], abs=2e-3)
        assert [p.p for p in result.pairs] == pytest.approx([0.016, 0.019, 0.607], abs=2e-3)
        assert [p.p_adjusted < 0.05 for p in result.pairs] == [True, True, False]


class TestRanks:
    def test_ranks_by_definition(self):
        scores = np.random.default_rng(0).integers(0, 4, (30, 5))
        assert rank_rows(pd.DataFrame(scores)).to_numpy().tolist() == [oracle.rank(row) for row in scores]

    def test_rounding_is_a_tie(self):
        assert rank_rows(pd.DataFrame([[0.1 + 0.2, 0.3]])).to_numpy().tolist() == [[1.5, 1.5]]

    def test_holm_by_definition(self):
        rng = np.random.default_rng(1)
        for n in range(6):
            p = rng.integers(0, 6, n) / 10
            assert holm(p) == pytest.approx(oracle.holm(list(p)))
        with pytest.raises(ValueError, match=r"\[0, 1\]"):
            holm([0.1, np.nan])

    def test_cliques_by_definition(self):
        rng, order = np.random.default_rng(2), list("abcdef")
        for share in np.linspace(0, 1, 60):
            pairs = [frozenset(p) for p in itertools.combinations(order, 2) if rng.random() < share]
            found = cliques(order, set(pairs))
            assert len(found) == len(set(found))
            assert set(found) == oracle.cliques(order, set(pairs))

    def test_same_order_everywhere(self):
        result = friedman(pd.DataFrame([[3, 2, 1]] * 6, columns=list("abc")))
        assert result.chi2 == pytest.approx(12.0)
        assert np.inf == result.F
        assert result.p_F == 0

    def test_holm_all_pairs(self):
        result = all_pairs(DEMSAR, procedure="holm")
        assert [p.p_adjusted for p in result.pairs] == pytest.approx(oracle.holm([p.p for p in result.pairs]))
        assert np.isnan(result.critical_difference)

    @pytest.mark.parametrize(
        ("scores", "why"),
        [
            (pd.DataFrame(), "at least 3 methods, and there are 0"),
            (DEMSAR[["m"]], "at least 3 methods, and there are 1"),
            (DEMSAR[["m", "cf"]], "at least 3 methods, and there are 2"),
            (DEMSAR[:1], "at least 5 data sets, and there are 1"),
            (DEMSAR * 0, "equal on every"),
            (DEMSAR * np.nan, "56 of 56 values are undefined"),
            (DEMSAR.where(DEMSAR != 0.625), "1 of 56 values are undefined"),
        ],
    )
    def test_refusals(self, scores, why):
        results = [friedman(scores), all_pairs(scores)]
        if len(scores.columns):
            results.append(against_control(scores, scores.columns[0]))
        for result in results:
            assert why in result.refused
        assert np.isnan(results[0].chi2)
        assert results[1].pairs == results[1].cliques == ()

    def test_ranks_of_undefined_scores_are_undefined(self):
        assert mean_ranks(pd.DataFrame({"a": [1.0, np.nan], "b": [2.0, 3.0]})).isna().tolist() == [
            False,
            True,
        ]


def evaluation(values):
    """The table of {(dataset, method): values per fold}."""
    rows = [(d, m, 0, f, "k=5", "precision@k", v) for (d, m), vs in values.items() for f, v in enumerate(vs)]
    return pd.DataFrame(rows, columns=["dataset", "method", "repeat", "fold", "top", "metric", "value"])


class TestMatrix:
    def test_folds_are_averaged(self):
        table = evaluation({("x", "a"): [0.2, 0.4], ("x", "b"): [0.6, 0.8]})
        matrix = metric_matrix(table, "precision@k", "k=5")
        assert matrix.complete.loc["x"].tolist() == pytest.approx([0.3, 0.7])
        assert matrix.scores is matrix.complete
        assert not matrix.without_datasets
        assert not matrix.without_methods

    def test_lower_is_better(self):
        metric = dataclasses.replace(get_metric("precision@k"), higher_is_better=False)
        matrix = metric_matrix(evaluation({("x", "a"): [0.2], ("x", "b"): [0.6]}), metric, "k=5")
        assert mean_ranks(matrix.scores).to_dict() == {"a": 1, "b": 2}

    def test_missing_is_left_out_with_reason(self):
        nan = np.nan
        table = evaluation(
            {
                ("x", "a"): [0.2, 0.4],
                ("x", "b"): [0.6, nan],
                ("y", "a"): [0.1, nan],
                ("y", "b"): [0.3, nan],
                ("z", "a"): [nan, nan],
                ("v", "a"): [0.5, 0.5],
                ("v", "b"): [0.5, np.inf],
                ("u", "a"): [0.5],
                ("u", "b"): [0.5],
            }
        )
        matrix = metric_matrix(table, "precision@k", "k=5", methods=["a", "b", "c"], expected={"u": 3})
        assert list(matrix.complete.index) == ["y", "u"]
        assert list(matrix.complete.columns) == ["a", "b"]
        assert matrix.without_datasets == {
            "x": "b has 1 of 2 runs",
            "v": "b has 1 of 2 runs",
            "z": "no method has a value of precision@k at k=5",
        }
        assert matrix.without_methods == {"c": "complete on 0 of 4 data sets"}
        assert matrix.expected.to_dict() == {"x": 2, "y": 2, "z": 2, "v": 2, "u": 3}
        assert matrix.counts.loc["x"].tolist() == [2, 1, 0]

    def test_what_lacks_most_is_left_out(self):
        values = {(d, m): [0.5] for d in "uvwxyz" for m in "abcde"}
        for hole in [("u", "a"), ("v", "b"), *(("z", m) for m in "cde")]:
            del values[hole]
        matrix = metric_matrix(evaluation(values), "precision@k", "k=5", methods=list("abcde"))
        # z lacks 3 of 5, then a as much as u (1 of 5), then v 1 of 4 and b 1 of 5
        assert matrix.without_datasets == {
            "z": "c has 0 of 1 runs; d has 0 of 1 runs; e has 0 of 1 runs",
            "v": "b has 0 of 1 runs",
        }
        assert matrix.without_methods == {"a": "complete on 5 of 6 data sets"}
        assert matrix.complete.shape == (4, 4)

    def test_target_per_dataset(self):
        table = evaluation({("x", "a"): [0.2], ("y", "a"): [0.4]})
        matrix = metric_matrix(table, "precision@k", {"x": "k=5"})
        assert list(matrix.complete.index) == ["x"]
        assert matrix.without_datasets == {"y": "no top was chosen for it"}

    def test_bad_tables(self):
        table = evaluation({("x", "a"): [0.2]})
        with pytest.raises(ValueError, match="twice"):
            metric_matrix(pd.concat([table, table]), "precision@k", "k=5")
        with pytest.raises(ValueError, match="lacks fold"):
            metric_matrix(table.drop(columns="fold"), "precision@k", "k=5")

    def test_nothing_at_all(self):
        for table in (evaluation({}), evaluation({("x", "a"): [np.nan]})):
            matrix = metric_matrix(table, "precision@k", "k=5")
            assert matrix.complete.empty
            assert friedman(matrix.scores).refused
