"""Two methods compared over data sets."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

import oracles.statistics as oracle
from attop.statistics._two_methods import bayesian_signed_rank, effect_sizes, wilcoxon
from support.demsar import DEMSAR


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


class TestSignedRankPosterior:
    def test_by_definition(self):
        d, rope, draws = DEMSAR["m"] - DEMSAR["C4.5"], 0.01, 500
        result = bayesian_signed_rank(DEMSAR["m"], DEMSAR["C4.5"], rope=rope, seed=4, n_draws=draws)
        weights = np.random.default_rng(4).dirichlet([0.5] + [1] * 14, size=draws)
        shares = [oracle.signed_rank_shares([0, *d], w, rope) for w in weights]
        wins = np.bincount(np.argmax(shares, axis=1), minlength=3) / draws
        assert [result.worse, result.equivalent, result.better] == pytest.approx(wins, abs=1e-9)

    def test_edge_of_the_rope(self):
        x = np.linspace(0.5, 0.9, 12)
        assert bayesian_signed_rank(x, x, rope=0, seed=0).equivalent == 1
        # Exactly on the rope's edge is within it, although 0.6 - 0.5 is a little less than 0.1.
        assert bayesian_signed_rank(x + 0.1, x, rope=0.1, seed=0).equivalent == 1

    def test_bad_rope(self):
        with pytest.raises(ValueError, match="rope"):
            bayesian_signed_rank([1] * 5, [2] * 5, rope=-0.1, seed=0)


def test_the_effect_is_the_mean_difference_and_its_t_interval():
    d = random_differences(3)
    effect, interval = effect_sizes(d, 0 * d), stats.ttest_1samp(d, 0).confidence_interval()
    assert (effect.mean, effect.low, effect.high) == pytest.approx((d.mean(), *interval))
    assert np.isnan(effect_sizes([0.6], [0.5]).low)


@pytest.mark.parametrize("test", [partial(bayesian_signed_rank, rope=0.01, seed=0), wilcoxon, effect_sizes])
def test_pairs_refuse(test):
    x = np.linspace(0, 1, 6)
    assert "6 of 6 pairs" in test(x, x * np.nan).refused
    assert "1 of 6 pairs" in test(x, np.where(x == 1, np.inf, x)).refused
    assert "there are 0" in test([], []).refused
    with pytest.raises(ValueError, match="paired"):
        test(x, x[:3])


def test_no_difference():
    x = np.linspace(0, 1, 6)
    assert "equal on all 6" in wilcoxon(x, x).refused
    assert "At least 5" in wilcoxon(x[:4], x[:4] + 1).refused
