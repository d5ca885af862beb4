"""Statistics over data sets: Demsar's worked example (JMLR 7, 2006), brute force, and degenerate input."""

import dataclasses
import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import oracles.statistics as oracle
from attop.metrics import get_metric
from attop.statistics.bayesian import bayesian_signed_rank, correlated_t
from attop.statistics.effects import effect_sizes
from attop.statistics.matrix import metric_matrix
from attop.statistics.profiles import performance_profile, regret
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
from attop.statistics.resampling import bootstrap_means
from attop.statistics.two_methods import corrected_t_test, wilcoxon
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
    return pd.DataFrame(rows, columns=["dataset", "method", "repeat", "fold", "target", "metric", "value"])


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
        assert matrix.without_datasets == {"y": "no target was chosen for it"}

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


def random_differences(seed):
    """Differences with ties and zeros, 5 to 10 of them."""
    rng = np.random.default_rng(seed)
    d = rng.integers(-3, 5, rng.integers(5, 11)) / 4
    return d if d.any() else d + 1


class TestWilcoxon:
    def test_demsar(self):
        result = wilcoxon(DEMSAR["m"], DEMSAR["C4.5"])
        assert (result.r_plus, result.r_minus, result.T, result.n_zero) == (93, 12, 12, 2)
        assert result.p < 0.05  # the critical value for 14 data sets is 21

    @pytest.mark.parametrize("seed", range(25))
    def test_by_definition(self, seed):
        d = random_differences(seed)
        result = wilcoxon(d, 0 * d)
        assert (result.T, result.p) == pytest.approx(oracle.wilcoxon(list(d)))

    def test_scipy_without_ties(self):
        d = np.random.default_rng(3).normal(0.4, 1, 40)
        assert wilcoxon(d, 0 * d).p == pytest.approx(stats.wilcoxon(d, method="exact").pvalue, rel=1e-9)


class TestFolds:
    a = np.array([0.81, 0.85, 0.78, 0.90, 0.84])
    b = np.array([0.80, 0.80, 0.79, 0.83, 0.80])

    def test_corrected_t(self):
        result = corrected_t_test(self.a, self.b, test_train_ratio=0.25)
        d = self.a - self.b
        assert result.t == pytest.approx(d.mean() / np.sqrt((1 / 5 + 1 / 4) * d.var(ddof=1)))
        # The correction shrinks the plain paired t by sqrt(1/n / (1/n + ratio)).
        plain = stats.ttest_rel(self.a, self.b)
        assert result.t == pytest.approx(plain.statistic * np.sqrt(0.2 / 0.45))
        assert result.low < 0 < result.high
        assert result.p > 0.05 > plain.pvalue / 2

    def test_interval_and_p_agree(self):
        p = corrected_t_test(self.a, self.b, test_train_ratio=0.25).p
        edge = corrected_t_test(self.a, self.b, test_train_ratio=0.25, confidence=1 - p)
        assert edge.low == pytest.approx(0, abs=1e-9)

    def test_correlated_t_is_one_sided_p(self):
        result = correlated_t(self.a, self.b, rope=0, test_train_ratio=0.25)
        assert result.equivalent == pytest.approx(0, abs=1e-12)
        p = corrected_t_test(self.a, self.b, test_train_ratio=0.25).p
        assert result.worse == pytest.approx(p / 2)

    def test_rope_takes_from_both_sides(self):
        narrow, wide = (correlated_t(self.a, self.b, rope=r, test_train_ratio=0.25) for r in (0.01, 1.0))
        assert narrow.worse + narrow.equivalent + narrow.better == pytest.approx(1)
        assert narrow.better > narrow.equivalent > 0
        assert wide.equivalent > 0.999

    @pytest.mark.parametrize("ratio", [0, -1, np.inf, np.nan])
    def test_ratio(self, ratio):
        with pytest.raises(ValueError, match="test_train_ratio"):
            corrected_t_test(self.a, self.b, test_train_ratio=ratio)


class TestSignedRankPosterior:
    def test_by_definition(self):
        d, rope, draws = DEMSAR["m"] - DEMSAR["C4.5"], 0.01, 500
        result = bayesian_signed_rank(DEMSAR["m"], DEMSAR["C4.5"], rope=rope, seed=4, n_draws=draws)
        weights = np.random.default_rng(4).dirichlet([0.5] + [1] * 14, size=draws)
        shares = [oracle.signed_rank_shares([0, *d], w, rope) for w in weights]
        wins = np.bincount(np.argmax(shares, axis=1), minlength=3) / draws
        assert [result.worse, result.equivalent, result.better] == pytest.approx(wins, abs=1e-9)

    def test_mirrored_and_reproducible(self):
        x, y = DEMSAR["m"], DEMSAR["C4.5"]
        one, two = (bayesian_signed_rank(*p, rope=0.01, seed=0) for p in ((x, y), (y, x)))
        assert (one.worse, one.equivalent, one.better) == (two.better, two.equivalent, two.worse)
        assert one == bayesian_signed_rank(x, y, rope=0.01, seed=0)

    def test_clear_cases(self):
        x = np.linspace(0.5, 0.9, 12)
        assert bayesian_signed_rank(x + 0.1, x, rope=0.01, seed=0).better > 0.99
        assert bayesian_signed_rank(x, x, rope=0, seed=0).equivalent == 1
        # Exactly on the rope's edge is within it, although 0.6 - 0.5 is a little less than 0.1.
        assert bayesian_signed_rank(x + 0.1, x, rope=0.1, seed=0).equivalent == 1

    def test_bad_rope(self):
        with pytest.raises(ValueError, match="rope"):
            bayesian_signed_rank([1] * 5, [2] * 5, rope=-0.1, seed=0)


class TestEffects:
    @pytest.mark.parametrize("seed", range(5))
    def test_by_definition(self, seed):
        d = random_differences(seed)
        b = np.random.default_rng(seed).integers(0, 3, d.size).astype(float)
        effect, test = effect_sizes(b + d, b), wilcoxon(b + d, b)
        assert effect.a12 == pytest.approx(oracle.a12(b + d, b))
        whole = test.r_plus + test.r_minus
        assert effect.rank_biserial == pytest.approx((test.r_plus - test.r_minus) / whole)
        interval = stats.ttest_1samp(d, 0).confidence_interval()
        assert (effect.mean, effect.low, effect.high) == pytest.approx((d.mean(), *interval))

    def test_degenerate(self):
        same = effect_sizes([0.5, 0.5], [0.5, 0.5])
        assert (same.mean, same.low, same.high, same.a12, same.rank_biserial) == (0, 0, 0, 0.5, 0)
        one = effect_sizes([0.6], [0.5])
        assert np.isnan(one.low)
        assert one.a12 == one.rank_biserial == 1


@pytest.mark.parametrize(
    "test",
    [
        lambda a, b: corrected_t_test(a, b, test_train_ratio=0.25),
        lambda a, b: correlated_t(a, b, rope=0.01, test_train_ratio=0.25),
        lambda a, b: bayesian_signed_rank(a, b, rope=0.01, seed=0),
        wilcoxon,
        effect_sizes,
    ],
)
def test_pairs_refuse(test):
    x = np.linspace(0, 1, 6)
    assert "6 of 6 pairs" in test(x, x * np.nan).refused
    assert "1 of 6 pairs" in test(x, np.where(x == 1, np.inf, x)).refused
    assert "there are 0" in test([], []).refused
    with pytest.raises(ValueError, match="paired"):
        test(x, x[:3])


def test_no_difference_and_no_variance():
    x = np.linspace(0, 1, 6)
    assert "equal on all 6" in wilcoxon(x, x).refused
    assert "at least 5".capitalize() in wilcoxon(x[:4], x[:4] + 1).refused
    for shift in (0.0, 0.1):
        assert "variance" in corrected_t_test(x, x + shift, test_train_ratio=0.25).refused
        assert "variance" in correlated_t(x, x + shift, rope=0.1, test_train_ratio=0.25).refused


class TestProfiles:
    def test_ratios_by_definition(self):
        for higher in (True, False):
            profile = performance_profile(DEMSAR, higher_is_better=higher)
            assert profile.kind == "ratio"
            for tau, row in profile.share.iterrows():
                for method, share in row.items():
                    within = [
                        max(v) / v[method] <= tau + 1e-9 if higher else v[method] / min(v) <= tau + 1e-9
                        for _, v in DEMSAR.iterrows()
                    ]
                    assert share == pytest.approx(np.mean(within))
            assert (profile.share.iloc[-1] == 1).all()

    def test_zeros_make_gaps(self):
        values = pd.DataFrame({"a": [0.0, 0.5], "b": [0.25, 0.5]})
        profile = performance_profile(values, higher_is_better=True)
        assert profile.kind == "gap"
        assert profile.share.to_dict("index") == {0.0: {"a": 0.5, "b": 1.0}, 0.25: {"a": 1.0, "b": 1.0}}

    def test_missing_never_within(self):
        values = pd.DataFrame({"a": [np.nan, 0.5, np.nan], "b": [0.25, 1.0, np.nan]})
        profile = performance_profile(values, higher_is_better=True)
        assert profile.share.loc[2.0].to_dict() == {"a": 0.5, "b": 1.0}
        assert (profile.n.to_dict(), profile.m) == ({"a": 1, "b": 2}, 2)

    def test_refused(self):
        for values in (DEMSAR[["m"]], DEMSAR * np.nan, pd.DataFrame()):
            profile = performance_profile(values, higher_is_better=True)
            assert "needs two methods" in profile.refused
            assert profile.share.empty

    def test_regret(self):
        values = pd.DataFrame({"a": [0.5, np.nan, 0.0], "b": [0.75, 1.0, 0.0]})
        result = regret(values, higher_is_better=True)
        assert result.mean.to_dict() == {"a": 0.125, "b": 0}
        assert result.worst.to_dict() == {"a": 0.25, "b": 0}
        assert (result.n.to_dict(), result.m) == ({"a": 2, "b": 3}, 3)
        assert np.isnan(result.gaps.loc[1, "a"])
        assert regret(values, higher_is_better=False).mean["b"] == pytest.approx(0.25 / 3)


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
    rng = np.random.default_rng(5)
    values = pd.DataFrame({"a": rng.random(8)})
    values["b"] = values["a"]
    same = bootstrap_means(values, higher_is_better=True)
    assert same.p_best.tolist() == [0.5, 0.5]
    assert same.low["a"] < same.mean["a"] < same.high["a"]
    again, other = (bootstrap_means(values, higher_is_better=True, seed=s) for s in (0, 1))
    assert again.low.equals(same.low)
    assert not other.low.equals(same.low)


def test_bootstrap_refuses():
    few = bootstrap_means(pd.DataFrame(np.ones((4, 2))), higher_is_better=True)
    assert few.refused == "A bootstrap needs at least 5 data sets, and there are 4."
    assert few.p_best.isna().all()
    assert few.mean.tolist() == [1, 1]
    with pytest.raises(ValueError, match="not finite"):
        bootstrap_means(pd.DataFrame([[0.5, np.nan]] * 6), higher_is_better=True)
