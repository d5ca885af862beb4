"""Users who like images, ratings of items by users, and features that are made of both."""

import importlib
import sys

import numpy as np
import pytest

from attop_bench.data.base import DatasetError
from attop_bench.data.build import make
from attop_bench.data.columns.features import _umap, interaction_features, masked_nmf, umap_embedding
from attop_bench.data.kinds.images import image_recommendation, recommend, simulate_likes
from attop_bench.data.kinds.ratings import factorise, first_ratings, label_rest, simulate_ratings
from oracles.datasets import interaction, masked_nmf_step, movielens_rows, squared_error
from support import SHARED


def images(seed=0, **options):
    rng = np.random.default_rng(99)
    digit = rng.integers(0, 10, 900)
    features = np.eye(10)[digit] + 0.01 * rng.normal(size=(900, 10))
    options = {"n_users": 20, "liking": (0.1, 0.3), **options}
    return image_recommendation(features, digit, seed=seed, **options), features


def test_users_like_a_few_digits():
    digit = np.repeat(np.arange(10), 300)
    liked = simulate_likes(digit, 40, (2, 3), (0.2, 0.4), 0.0, np.random.default_rng(0))
    per_class = np.array([liked[:, digit == d].mean(axis=1) for d in range(10)]).T
    assert set((per_class > 0).sum(axis=1)) == {2, 3}
    # Shares of 300 images: five standard deviations of sqrt(0.25 / 300) around the range.
    assert per_class[per_class > 0].min() > 0.2 - 0.15
    assert per_class.max() < 0.4 + 0.15


def test_images_that_describe_a_user_leave_the_users_data():
    rng = np.random.default_rng(1)
    liked = rng.random((25, 400)) < rng.uniform(0.01, 0.1, (25, 1))
    rows = recommend(liked, 10, (4, 6), rng)
    kept = np.flatnonzero(liked.sum(axis=1) > 10)
    assert 0 < len(kept) < 25
    np.testing.assert_array_equal(np.unique(rows.user), kept)
    for user in kept:
        mine = rows.user == user
        items, y = rows.item[mine], rows.y[mine]
        assert rows.profile[user].sum() == 10
        assert liked[user, rows.profile[user]].all()
        assert not rows.profile[user, items].any()
        assert len(np.unique(items)) == len(items)
        assert set(items[y == 1]) == set(np.flatnonzero(liked[user] & ~rows.profile[user]))
        assert not liked[user, items[y == 0]].any()
        assert 4 * y.sum() - 0.5 <= (y == 0).sum() <= 6 * y.sum() + 0.5
    assert not rows.profile[np.setdiff1d(np.arange(25), kept)].any()


def test_negatives_end_where_the_items_end():
    liked = np.arange(30)[None, :] < 20
    rows = recommend(liked, 5, (4, 6), np.random.default_rng(0))
    assert (rows.y == 1).sum() == 15
    assert sorted(rows.item[rows.y == 0]) == list(range(20, 30))


def test_user_features_are_the_mean_of_other_images():
    data, features = images(noise=0, liking=(0.4, 0.6))
    assert data.X.shape[1] == 30
    row_of = {tuple(f): i for i, f in enumerate(features)}
    for user in np.unique(data.groups):
        rows = data.X[data.groups == user]
        assert (rows[:, :10] == rows[0, :10]).all()
        assert all(tuple(item) in row_of for item in rows[:, 10:20])
        # One-hot digits, slightly blurred: the mean of ten images is made of tenths, on the digits liked.
        liked = {int(np.argmax(item)) for item in rows[data.y[data.groups == user] == 1][:, 10:20]}
        assert {int(d) for d in np.flatnonzero(rows[0, :10] > 0.05)} <= liked
    np.testing.assert_allclose(data.X[:, 20:], data.X[:, :10] * data.X[:, 10:20])


def test_images_follow_their_seed():
    np.testing.assert_array_equal(images(3)[0].X, images(3)[0].X)
    assert not np.array_equal(images(3)[0].y, images(4)[0].y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_profile": 500}, "none of 20 users likes more than the 500 items"),
        ({"n_classes": (2, 11)}, r"must be two numbers in increasing order from 1 to 10, got \(2, 11\)"),
        ({"liking": 0.1}, "liking must be .*got 0.1"),
        ({"liking": (0.3, 0.2)}, "increasing order"),
        ({"noise": 2}, "noise must be .* 1, got 2"),
        ({"negatives": (0, 6)}, "negatives must be"),
        ({"n_users": 0}, "n_users must be .* 1, got 0"),
    ],
)
def test_images_refuse(options, message):
    with pytest.raises(DatasetError, match=message):
        images(**options)


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


def test_interaction_features_are_user_item_and_product():
    rng = np.random.default_rng(0)
    user, item = rng.normal(size=(2, 6, 3))
    np.testing.assert_array_equal(interaction_features(user, item), interaction(user, item))


@pytest.mark.workflow
def test_umap_keeps_neighbours_and_repeats_itself(monkeypatch):
    known, config = {"umap", "pynndescent"} & sys.modules.keys(), importlib.import_module("numba.core.config")
    compiles = not config.DISABLE_JIT
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(3), 30)
    X = np.rint(100 * np.eye(3)[cluster] @ rng.normal(size=(3, 8)) + 10 * rng.normal(size=(90, 8)))
    with _umap(search=False) as UMAP:  # compiled once for both
        embedding = umap_embedding(X, 2, random_state=1, n_neighbors=10)
        module, search = sys.modules[UMAP.__module__], "fast_knn_indices"  # takes seconds to compile
        monkeypatch.setattr(module, search, getattr(module, search).py_func)
        its = UMAP(10, 2, random_state=1, n_jobs=1).fit_transform(X).astype(float)
    assert {"umap", "pynndescent"} & sys.modules.keys() == known, "what is not compiled is forgotten"
    assert compiles == (not config.DISABLE_JIT)
    assert embedding.shape == (90, 2)
    assert embedding.dtype == np.float64
    np.testing.assert_allclose(embedding.mean(axis=0), 0, atol=1e-12)
    distance = np.square(embedding[:, None] - embedding).sum(axis=2)
    np.fill_diagonal(distance, np.inf)
    assert (cluster[distance.argmin(axis=1)] == cluster).all()
    # UMAP that looks for the neighbours itself gives the same of integers.
    np.testing.assert_array_equal(embedding, its - its.mean(axis=0))


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        (np.zeros((10, 2)), {}, "n_components=10, n_neighbors=15"),
        (np.zeros((30, 2)), {"n_neighbors": 30}, "n_neighbors=30"),
    ],
)
def test_umap_refuses(X, options, message):
    with pytest.raises(DatasetError, match=message):
        umap_embedding(X, **options)


def entries(V, observed):
    row, column = np.nonzero(observed)
    return row, column, V[row, column]


def small_matrix(seed, empty=False):
    rng = np.random.default_rng(seed)
    V = rng.integers(0, 6, (7, 9)).astype(float)
    observed = rng.random(V.shape) < 0.6
    if empty:
        observed[2], observed[:, 4] = False, False
    return V, observed


@pytest.mark.parametrize("seed", range(4))
def test_factorisation_follows_the_plain_loops(seed):
    V, observed = small_matrix(seed)
    shuffled = np.random.default_rng(seed).permutation(observed.sum())
    row, column, value = (a[shuffled] for a in entries(V, observed))
    runs = [
        masked_nmf(row, column, value, V.shape, 3, seed=seed, max_iter=steps, tol=0) for steps in range(4)
    ]
    W, H, _ = runs[0]
    for its_W, its_H, _ in runs[1:]:
        W, H = masked_nmf_step(V, observed, W, H)
        # Sums of up to nine products in another order.
        np.testing.assert_allclose(its_W, W, rtol=1e-12)
        np.testing.assert_allclose(its_H, H, rtol=1e-12)
    assert runs[3][2][-1] == pytest.approx(squared_error(V, observed, W, H), rel=1e-12)


@pytest.mark.parametrize("rank", [1, 4, 12])
def test_factorisation_never_increases_the_objective_and_stops_by_its_rule(rank):
    V, observed = small_matrix(rank, empty=True)
    W, H, objective = masked_nmf(*entries(V, observed), V.shape, rank, seed=0, tol=1e-5)
    drop = -np.diff(objective)
    assert (drop >= -1e-12 * objective[0]).all()
    assert drop[-1] <= 1e-5 * objective[0]
    assert (drop[:-1] > 1e-5 * objective[0]).all()
    assert W.min() >= 0
    assert H.min() >= 0
    assert np.isfinite(W).all()
    assert not W[2].any()
    assert not H[4].any()
