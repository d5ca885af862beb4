"""Regret, and means resampled."""

import numpy as np
import pandas as pd
import pytest

import oracles.statistics as oracle
from attop.statistics.regret import bootstrap_means, regret


def test_regret():
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
