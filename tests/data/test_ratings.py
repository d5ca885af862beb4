"""Ratings of items by users, prepared as the paper says."""

import numpy as np
import pytest

from attop_bench.data import DatasetError, make
from attop_bench.data.kinds.ratings import factorise, first_ratings, label_rest, simulate_ratings
from oracles.datasets import movielens_rows
from support import SHARED

MOVIELENS = SHARED / "data/ml-100k/u.data"


@pytest.mark.parametrize("seed", range(6))
def test_preparation_of_ratings_is_as_described(seed):
    rng = np.random.default_rng(seed)
    n = 150
    user, item = rng.integers(1, 8, n), rng.integers(100, 130, n)
    rating, time = rng.integers(1, 6, n), rng.integers(0, 40, n)  # many ties in time
    first = first_ratings(user, time, 4)
    rows, y = label_rest(user, item, rating, first, positive=4, min_rows=9)
    lists = (a.tolist() for a in (user, item, rating, time))
    expected_first, expected_rows, expected_y = movielens_rows(*lists, 4, 4, 9)
    assert set(np.flatnonzero(first)) == expected_first
    assert rows.tolist() == expected_rows
    assert y.tolist() == expected_y


@pytest.mark.skipif(not MOVIELENS.exists(), reason="needs MovieLens 100K, which may not be redistributed")
def test_movielens_comes_out_as_in_the_paper():
    user, item, rating, time = np.loadtxt(MOVIELENS, dtype=np.int64, unpack=True)
    rows, y = label_rest(user, item, rating, first_ratings(user, time, 20), positive=5, min_rows=20)
    # The paper: 638 users, 70K instances, 15.5K positives.
    assert (len(np.unique(user[rows])), len(rows), y.sum()) == (638, 70032, 15489)


def test_no_rating_left_is_refused():
    with pytest.raises(DatasetError, match=r"no user has 20 ratings .* the most is 3: lower min_rows"):
        label_rest([1, 1, 1, 1], [5, 5, 5, 5], [1, 2, 3, 4], np.array([True, False, False, False]))


def test_simulated_ratings_look_like_ratings():
    ratings = simulate_ratings(seed=0)
    assert set(ratings["rating"]) == {1, 2, 3, 4, 5}
    pairs = ratings["user"] * 300 + ratings["item"]
    assert len(np.unique(pairs)) == len(pairs)
    assert len(np.unique(ratings["time"])) == len(pairs)
    per_user = np.bincount(ratings["user"])
    assert len(per_user) == 150
    assert per_user.min() >= 30
    assert per_user.max() <= 300
    assert 0.1 < (ratings["rating"] == 5).mean() < 0.3


def test_factors_see_the_first_ratings_only():
    ratings = simulate_ratings(n_users=30, n_items=60, n_rated=(30, 60), seed=0)
    before = factorise(**ratings, seed=1)
    later = {**ratings, "rating": np.where(before["first"], ratings["rating"], 6 - ratings["rating"])}
    after = factorise(**later, seed=1)
    np.testing.assert_array_equal(before["user_factors"], after["user_factors"])
    np.testing.assert_array_equal(before["item_factors"], after["item_factors"])
    assert (np.bincount(ratings["user"], weights=before["first"]) == 20).all()


def test_ratings_as_a_data_set():
    data = make("ratings", seed=0)
    assert data.X.shape[1] == 30
    assert 10_000 < len(data.y) < 25_000
    assert np.bincount(data.groups).min() >= 20
    counts = data.facts["counts"]
    assert counts["users"] == len(np.unique(data.groups))
    assert counts["users"] + counts["users left out"] == 150
    np.testing.assert_allclose(data.X[:, 20:], data.X[:, :10] * data.X[:, 10:20])
    other = make("ratings", seed=1)
    assert other.X.shape != data.X.shape or not np.array_equal(other.X, data.X)
