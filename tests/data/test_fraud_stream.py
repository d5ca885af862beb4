"""The simulated card purchases: windows by enumeration, and nothing known before its time."""

import numpy as np
import pytest

from attop_bench.data.base import DatasetError
from attop_bench.data.build import make
from attop_bench.data.kinds import simulated as kind


def enumerate_window(key, hour, value, since, until):
    n = range(len(hour))
    return [sum(value[j] for j in n if key[j] == key[i] and -since <= hour[j] - hour[i] < -until) for i in n]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("since", "until"), [(1.0, 0.0), (5.0, 0.0), (9.0, 2.0), (1000.0, 0.0), (3.0, 3.0)])
def test_sums_over_windows_are_those_by_enumeration(seed, since, until):
    rng = np.random.default_rng(seed)
    hour = np.sort(rng.integers(0, 20, 40) / 2)  # with ties
    key = rng.integers(0, 4, 40)
    value = rng.integers(0, 5, 40).astype(float)
    np.testing.assert_allclose(
        kind._sum(key, hour, value, since, until), enumerate_window(key, hour, value, since, until), atol=1e-9
    )


def test_a_fraud_is_known_after_the_delay_only():
    rng = np.random.default_rng(0)
    n = 400
    hour = np.sort(rng.uniform(0, 60 * 24.0, n))
    customer, terminal = rng.integers(0, 10, (2, n))
    amount, distance = rng.random((2, n))
    y = rng.integers(0, 2, n)
    delay = 7 * 24.0
    now = 300
    unknown = hour >= hour[now] - delay
    other = np.where(unknown, 1 - y, y)
    before, after = (
        kind._features(customer, terminal, hour, amount, labels, distance, delay) for labels in (y, other)
    )
    np.testing.assert_array_equal(before[: now + 1], after[: now + 1])
    assert (before[now + 1 :] != after[now + 1 :]).any()


def test_the_stream_has_customers_days_and_few_frauds():
    data = make("fraud-stream", seed=1)
    counts = data.summary()
    assert counts["days"] == 77
    assert counts["entities"] <= 300
    assert (np.diff(data.day) >= 0).all()
    assert 0.01 < data.y.mean() < 0.04
    assert sum(data.facts["counts"].values()) == data.n_pos
    assert all(count > 0 for count in data.facts["counts"].values())


def test_the_same_seed_gives_the_same_stream_and_another_another():
    one, two = (make("fraud-stream", seed=4, n_customers=40, n_days=30) for _ in range(2))
    np.testing.assert_array_equal(one.X, two.X)
    other = make("fraud-stream", seed=5, n_customers=40, n_days=30)
    assert other.X.shape != one.X.shape or (other.X != one.X).any()


@pytest.mark.parametrize("params", [{"n_customers": 3}, {"n_terminals": 2.5}, {"n_days": 10}, {"delay": -1}])
def test_what_cannot_be_simulated_is_refused(params):
    with pytest.raises(DatasetError, match=f"{next(iter(params))} must be"):
        make("fraud-stream", **params)
