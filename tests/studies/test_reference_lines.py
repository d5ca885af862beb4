"""What a paper's table is read against."""

import numpy as np
from studies.movielens.reference_lines import InnerProduct, ItemMean
from studies.papk2020.baselines import RandomDirection

from attop_bench.data.columns.features import interaction_features


def test_random_direction_hangs_on_its_seed_alone():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    a, b = RandomDirection(1).fit(X, y), RandomDirection(1).fit(X[::-1], 1 - y)
    np.testing.assert_array_equal(a.coef_, b.coef_)
    assert not np.allclose(a.coef_, RandomDirection(2).fit(X, y).coef_)


def test_inner_product_of_the_factors():
    u, v = np.random.default_rng(0).normal(size=(2, 30, 4))
    y = np.arange(30) % 2
    model = InnerProduct().fit(interaction_features(u, v), y)
    scores = model.decision_function(interaction_features(u, v)) - model.intercept_
    np.testing.assert_allclose(scores, (u * v).sum(axis=1))


def test_item_mean_by_counting():
    rng = np.random.default_rng(0)
    user, item = rng.integers(8, size=60), rng.integers(6, size=60)
    factors = rng.normal(size=(8, 2))
    X = interaction_features(factors[user], factors[item])
    y = rng.integers(2, size=60)
    model = ItemMean().fit(X[:50], y[:50])
    for row in range(60):
        seen = y[:50][item[:50] == item[row]]
        expected = (seen.sum() + y[:50].mean()) / (len(seen) + 1)
        np.testing.assert_allclose(model.decision_function(X[row : row + 1]), expected)
    unknown = interaction_features(factors[:1], np.full((1, 2), 9.0))
    np.testing.assert_allclose(model.decision_function(unknown), y[:50].mean())
