"""Data that ship with scikit-learn, and simulated ones: counts, distributions, nothing known too early."""

import re

import numpy as np
import pytest

from attop_bench.data.base import DatasetError
from attop_bench.data.build import make
from attop_bench.data.kinds.simulated import _features, _sum


def test_wdbc_has_malignant_tumours_as_positives():
    data = make("wdbc")
    assert data.X.shape == (569, 30)
    assert data.n_pos == 212
    # Malignant tumours are larger: the first feature is the mean radius.
    assert data.X[data.y == 1, 0].mean() > data.X[data.y == 0, 0].mean() + 4
    np.testing.assert_array_equal(make("wdbc", n_features=6).X, data.X[:, :6])


def test_each_digit_is_one_in_ten():
    counts = [make("digit", digit=d).n_pos for d in range(10)]
    assert sum(counts) == 1797
    assert min(counts) >= 174
    assert make("digit", digit=8).X.shape == (1797, 64)


@pytest.mark.parametrize("pool", [2, 4])
def test_pooled_pixels_are_means_of_squares(pool):
    whole, pooled = make("digit", digit=3), make("digit", digit=3, pool=pool)
    side = 8 // pool
    image = whole.X[17].reshape(8, 8)
    squares = [
        image[i * pool : (i + 1) * pool, j * pool : (j + 1) * pool].mean()
        for i in range(side)
        for j in range(side)
    ]
    np.testing.assert_allclose(pooled.X[17], squares)
    np.testing.assert_array_equal(pooled.y, whole.y)


def test_simulated_users_have_the_papers_counts_and_distributions():
    data = make("simulation", seed=2)
    assert data.X.shape == (60 * 175, 5)
    positives = np.bincount(data.groups, weights=data.y)
    assert sorted(set(positives)) == [10, 20]
    assert (positives == 10).sum() == 30
    assert (np.bincount(data.groups, weights=1 - data.y) == 160).all()
    # 900 positives: the standard error of a mean is 1/30, of a variance sqrt(2)/30; five of them.
    for label, mean in ((1, -1), (0, 0)):
        rows = data.X[data.y == label]
        np.testing.assert_allclose(rows.mean(axis=0), mean, atol=5 / 30)
        np.testing.assert_allclose(np.cov(rows.T), np.eye(5), atol=5 * np.sqrt(2) / 30)


def test_simulation_with_three_sizes_of_users():
    data = make("simulation", n_users=7, n_pos=[1, 2, 5], n_neg=3, d=2)
    assert np.bincount(data.groups, weights=data.y).tolist() == [1, 2, 5, 1, 2, 5, 1]
    assert data.facts["counts"]["users with 1 positives"] == 3


def enumerate_window(key, hour, value, since, until):
    n = range(len(hour))
    return [sum(value[j] for j in n if key[j] == key[i] and -since <= hour[j] - hour[i] < -until) for i in n]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("since", "until"), [(1.0, 0.0), (5.0, 0.0), (9.0, 2.0), (1000.0, 0.0), (3.0, 3.0)])
def test_sums_over_windows_are_those_by_enumeration(seed, since, until):
    rng = np.random.default_rng(seed)
    hour = np.sort(rng.integers(0, 20, 40) / 2)  # with ties
    key = rng.integers(0, 4, 40)
    value = rng.integers(0, 5, 40).astype(float)
    np.testing.assert_allclose(
        _sum(key, hour, value, since, until), enumerate_window(key, hour, value, since, until), atol=1e-9
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
        _features(customer, terminal, hour, amount, labels, distance, delay) for labels in (y, other)
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


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("wdbc", {"n_features": 31}),
        *(("digit", {"digit": digit}) for digit in (-1, 3.0, True)),
        ("digit", {"pool": 3, "digit": 3}),
        *(("simulation", params) for params in ({"n_users": 0}, {"n_pos": 10}, {"n_pos": [0]})),
        *(("simulation", params) for params in ({"n_neg": 1.5}, {"n_neg": True}, {"d": "5"})),
        *(("fraud-stream", params) for params in ({"n_customers": 3}, {"n_terminals": 2.5})),
        *(("fraud-stream", params) for params in ({"n_days": 10}, {"delay": -1})),
    ],
)
def test_a_parameter_out_of_range_is_refused(kind, params):
    name, value = next(iter(params.items()))
    with pytest.raises(DatasetError, match=rf"{name} must .*, got {re.escape(repr(value))}"):
        make(kind, **params)
