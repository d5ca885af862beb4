"""Users who like some of the images."""

import numpy as np
import pytest

from attop_bench.data import DatasetError
from attop_bench.data.kinds.images import image_recommendation, recommend, simulate_likes


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
