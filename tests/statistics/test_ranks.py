"""Ranks over data sets: Demsar's example (JMLR 7, 2006), brute force, degenerate input; regret, resampled."""

import itertools

import numpy as np
import pandas as pd
import pytest

import oracles.statistics as oracle
from attop.statistics._ranks import (
    against_control,
    all_pairs,
    cliques,
    critical_difference,
    friedman,
    holm,
    mean_ranks,
    rank_rows,
)
from attop.statistics._regrets import bootstrap_means, regret
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
        scores = pd.DataFrame({"a": [1.0, np.nan], "b": [2.0, 3.0]})
        assert mean_ranks(scores).isna().tolist() == [False, True]


def test_regret():
    values = pd.DataFrame({"a": [0.5, np.nan, 0.0], "b": [0.75, 1.0, 0.0]})
    expected = pd.DataFrame({"a": [0.25, np.nan, 0.0], "b": [0.0, 0.0, 0.0]})
    pd.testing.assert_frame_equal(regret(values, higher_is_better=True), expected)
    assert regret(values, higher_is_better=False)["b"].tolist() == [0.25, 0.0, 0.0]


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_bootstrap_is_that_of_all_draws(higher_is_better, seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 4, (5, 3)) / 3  # many draws share the best mean
    table[:, 2] = table[::-1, 0] if seed == 3 else table[:, 2]  # in all draws together as good
    found = bootstrap_means(
        pd.DataFrame(table, columns=list("abc")), higher_is_better=higher_is_better, n_resamples=40_000
    )
    means, wins = oracle.bootstrap(table.tolist(), higher_is_better)
    np.testing.assert_allclose(found.p_best, wins, atol=5 * 0.5 / np.sqrt(40_000))
    assert found.p_best.sum() == pytest.approx(1)
    np.testing.assert_allclose(found.mean, table.mean(axis=0))
    # Few values are possible, so the quantiles are compared by what is below and above them.
    for j, name in enumerate("abc"):
        assert np.mean(means[:, j] < found.low[name] - 1e-9) <= 0.03
        assert np.mean(means[:, j] <= found.low[name] + 1e-9) >= 0.02
        assert np.mean(means[:, j] > found.high[name] + 1e-9) <= 0.03
        assert np.mean(means[:, j] >= found.high[name] - 1e-9) >= 0.02


def test_bootstrap_shares_the_best_and_knows_its_seed():
    values = pd.DataFrame(dict.fromkeys("ab", np.random.default_rng(5).random(8)))
    same, again, other = (bootstrap_means(values, higher_is_better=True, seed=s) for s in (0, 0, 1))
    assert same.p_best.tolist() == [0.5, 0.5]
    assert again.low.equals(same.low)
    assert not other.low.equals(same.low)


def test_bootstrap_refuses():
    few = bootstrap_means(pd.DataFrame(np.ones((4, 2))), higher_is_better=True)
    assert few.refused == "A bootstrap needs at least 5 data sets, and there are 4."
    assert few.p_best.isna().all()
    assert few.mean.tolist() == [1, 1]
    with pytest.raises(ValueError, match="not finite"):
        bootstrap_means(pd.DataFrame([[0.5, np.nan]] * 6), higher_is_better=True)
