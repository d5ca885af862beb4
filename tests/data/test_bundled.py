"""Data that ship with scikit-learn, and simulated users: known counts and distributions."""

import numpy as np
import pytest

from attop_bench.data.base import DatasetError
from attop_bench.data.build import make


def test_wdbc_has_malignant_tumours_as_positives():
    data = make("wdbc")
    assert data.X.shape == (569, 30)
    assert data.n_pos == 212
    # Malignant tumours are larger: the first feature is the mean radius.
    assert data.X[data.y == 1, 0].mean() > data.X[data.y == 0, 0].mean() + 4
    np.testing.assert_array_equal(make("wdbc", n_features=6).X, data.X[:, :6])
    with pytest.raises(DatasetError, match=r"n_features must be .* 30, got 31"):
        make("wdbc", n_features=31)


def test_each_digit_is_one_in_ten():
    counts = [make("digit", digit=d).n_pos for d in range(10)]
    assert sum(counts) == 1797
    assert min(counts) >= 174
    assert make("digit", digit=8).X.shape == (1797, 64)


@pytest.mark.parametrize("digit", [-1, 3.0, True])
def test_no_other_digit(digit):
    with pytest.raises(DatasetError, match=f"digit must be .*, got {digit!r}"):
        make("digit", digit=digit)


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


def test_squares_that_do_not_fit_are_refused():
    with pytest.raises(DatasetError, match="pool must divide 8"):
        make("digit", digit=3, pool=3)


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


@pytest.mark.parametrize(
    "params", [{"n_users": 0}, {"n_pos": 10}, {"n_pos": [0]}, {"n_neg": 1.5}, {"n_neg": True}, {"d": "5"}]
)
def test_simulation_refuses(params):
    with pytest.raises(DatasetError, match=f"{next(iter(params))} must be"):
        make("simulation", **params)
