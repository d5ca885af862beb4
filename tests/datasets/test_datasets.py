"""Data sets: known counts, prepared as defined, stage by stage, refused with a reason."""

import subprocess
import sys

import numpy as np
import pytest

from attop.datasets import (
    KINDS,
    Dataset,
    DatasetError,
    Kind,
    Stage,
    build,
    input_files,
    make,
    stage_parameters,
)
from attop.datasets.base import load_arrays, save_arrays
from attop.datasets.catalogue import kind_of
from attop.datasets.features.embedding import umap_embedding
from attop.datasets.features.factorisation import masked_nmf
from attop.datasets.features.interaction import interaction_features
from attop.datasets.kinds.images import image_recommendation, recommend, simulate_likes
from attop.datasets.kinds.ratings import factorise, first_ratings, label_rest, simulate_ratings
from attop.datasets.kinds.table import file_table
from oracles.datasets import interaction, masked_nmf_step, movielens_rows, squared_error
from support import SHARED

MOVIELENS = SHARED / "data/ml-100k/u.data"

# Bundled data


def test_wdbc_has_malignant_tumours_as_positives():
    data = make("wdbc")
    assert data.X.shape == (569, 30)
    assert data.n_pos == 212
    # Malignant tumours are larger: the first feature is the mean radius.
    assert data.X[data.y == 1, 0].mean() > data.X[data.y == 0, 0].mean() + 4
    np.testing.assert_array_equal(make("wdbc", n_features=6).X, data.X[:, :6])
    with pytest.raises(DatasetError, match="n_features must be an integer from 1 to 30, got 31"):
        make("wdbc", n_features=31)


def test_each_digit_is_one_in_ten():
    counts = [make("digit", digit=d).n_pos for d in range(10)]
    assert sum(counts) == 1797
    assert min(counts) >= 174
    assert make("digit", digit=8).X.shape == (1797, 64)


@pytest.mark.parametrize("digit", [-1, 10, 3.0, "3", True, None])
def test_no_other_digit(digit):
    with pytest.raises(DatasetError, match=r"digit must be an integer from 0 to 9, got"):
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


# Simulation


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


# Features and embedding


def test_interaction_features_are_user_item_and_product():
    rng = np.random.default_rng(0)
    user, item = rng.normal(size=(2, 6, 3))
    np.testing.assert_array_equal(interaction_features(user, item), interaction(user, item))
    with pytest.raises(DatasetError, match=r"got \(6, 3\) and \(6, 2\)"):
        interaction_features(user, item[:, :2])


@pytest.mark.workflow
def test_umap_keeps_neighbours_and_repeats_itself():
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(3), 30)
    X = 10 * np.eye(3)[cluster] @ rng.normal(size=(3, 8)) + rng.normal(size=(90, 8))
    embedding = umap_embedding(X, 2, random_state=1, n_neighbors=10)
    assert embedding.shape == (90, 2)
    assert embedding.dtype == np.float64
    np.testing.assert_allclose(embedding.mean(axis=0), 0, atol=1e-12)
    distance = np.square(embedding[:, None] - embedding).sum(axis=2)
    np.fill_diagonal(distance, np.inf)
    assert (cluster[distance.argmin(axis=1)] == cluster).all()
    np.testing.assert_array_equal(embedding, umap_embedding(X, 2, random_state=1, n_neighbors=10))


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        (np.full((30, 2), np.nan), {}, "NaN"),
        (np.zeros(30), {}, r"got shape \(30,\)"),
        (np.zeros((10, 2)), {}, "n_components=10, n_neighbors=15"),
        (np.zeros((30, 2)), {"n_neighbors": 30}, "n_neighbors=30"),
    ],
)
def test_umap_refuses(X, options, message):
    with pytest.raises(DatasetError, match=message):
        umap_embedding(X, **options)


# Factorisation


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
    W, H = runs[0].W, runs[0].H
    for run in runs[1:]:
        W, H = masked_nmf_step(V, observed, W, H)
        # Sums of up to nine products in another order.
        np.testing.assert_allclose(run.W, W, rtol=1e-12)
        np.testing.assert_allclose(run.H, H, rtol=1e-12)
    assert runs[3].objective[-1] == pytest.approx(squared_error(V, observed, W, H), rel=1e-12)


@pytest.mark.parametrize("rank", [1, 4, 12])
def test_factorisation_never_increases_the_objective_and_stops_by_its_rule(rank):
    V, observed = small_matrix(rank, empty=True)
    run = masked_nmf(*entries(V, observed), V.shape, rank, seed=0, tol=1e-5)
    drop = -np.diff(run.objective)
    assert (drop >= -1e-12 * run.objective[0]).all()
    assert drop[-1] <= 1e-5 * run.objective[0]
    assert (drop[:-1] > 1e-5 * run.objective[0]).all()
    assert run.W.min() >= 0
    assert run.H.min() >= 0
    assert np.isfinite(run.W).all()
    assert not run.W[2].any()
    assert not run.H[4].any()


def test_factorisation_of_a_full_matrix_reaches_what_scikit_learn_reaches():
    from sklearn.decomposition import NMF

    rng = np.random.default_rng(1)
    V = rng.random((30, 4)) @ rng.random((4, 20)) + 0.1 * rng.random((30, 20))
    ours = min(
        masked_nmf(*entries(V, V > -1), V.shape, 4, seed=s, max_iter=1000, tol=1e-7).objective[-1]
        for s in range(3)
    )
    peers = [
        NMF(4, init="random", tol=1e-6, max_iter=2000, random_state=s).fit(V).reconstruction_err_
        for s in range(3)
    ]
    # Both stop in local minima of their own starts.
    assert ours == pytest.approx(0.5 * min(peers) ** 2, rel=0.1)


def test_factorisation_recovers_hidden_entries_of_a_low_rank_matrix():
    rng = np.random.default_rng(3)
    V = rng.uniform(0.5, 1.5, (40, 2)) @ rng.uniform(0.5, 1.5, (2, 30))
    observed = rng.random(V.shape) < 0.5
    run = masked_nmf(*entries(V, observed), V.shape, 2, seed=0, max_iter=5000, tol=1e-9)
    hidden = (V - run.W @ run.H.T)[~observed]
    assert np.sqrt(np.mean(hidden**2)) < 0.1 * V.std()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], [0], [np.nan], (1, 1), 1), "finite"),
        (([0], [0], [-1.0], (1, 1), 1), "non-negative"),
        (([0], [0], [0.0], (1, 1), 1), "not all 0"),
        (([], [], [], (1, 1), 1), "of one length"),
        (([0, 1], [0], [1.0], (2, 1), 1), "of one length"),
        (([0, 0], [1, 1], [1.0, 2.0], (2, 2), 1), "given twice"),
        (([2], [0], [1.0], (2, 2), 1), "outside the 2 x 2 matrix"),
        (([0], [0], [1.0], (1, 1), 0), "rank must be at least 1"),
    ],
)
def test_factorisation_refuses(arguments, message):
    with pytest.raises(DatasetError, match=message):
        masked_nmf(*arguments, seed=0)


# Ratings


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


# Images


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
        (
            {"n_classes": (2, 11)},
            r"must be two numbers in increasing order from 1 to 10, got \(2, 11\)",
        ),
        ({"liking": 0.1}, "liking must be two numbers"),
        ({"liking": (0.3, 0.2)}, "increasing order"),
        ({"noise": 2}, "noise must be a number from 0 to 1, got 2"),
        ({"negatives": (0, 6)}, "negatives must be"),
        ({"n_users": 0}, "n_users must be an integer of at least 1"),
    ],
)
def test_images_refuse(options, message):
    with pytest.raises(DatasetError, match=message):
        images(**options)


# The user's own file


def table(tmp_path, text):
    path = tmp_path / "mine.csv"
    path.write_text(text)
    return path


GOOD = "a,who,b,class\n1,bob,0.5,yes\n2,ann,1.5,no\n3,bob,2.5,no\n"


def test_csv(tmp_path):
    path = table(tmp_path, GOOD)
    data = file_table(path, label="class", positive="yes", group="who")
    np.testing.assert_array_equal(data.X, [[1, 0.5], [2, 1.5], [3, 2.5]])
    assert data.y.tolist() == [1, 0, 0]
    assert data.groups.tolist() == [1, 0, 1]
    assert data.name == "mine"
    assert data.facts["features"] == ["a", "b"]


@pytest.mark.parametrize(
    ("values", "positive"),
    [
        ("1,0", 1),
        ("1,0", "1"),
        ("1.0,0.0", 1),
        ("1,-1", 1),
        ("True,False", True),
        ("True,False", "True"),
        ("spam,1", "spam"),
    ],
)
def test_the_positive_class_of_a_csv(tmp_path, values, positive):
    first, second = values.split(",")
    path = table(tmp_path, f"x,y\n3,{first}\n4,{second}\n5,{second}\n")
    assert file_table(path, label="y", positive=positive).y.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (GOOD, {"label": "clas"}, "no column 'clas'; did you mean 'class'"),
        (GOOD, {"group": "whom"}, "no column 'whom'; did you mean 'who'"),
        (GOOD, {}, "column 'who' is not numeric, for example 'bob'"),
        (
            GOOD,
            {"positive": "maybe", "group": "who"},
            "class = 'maybe'; its values are 'yes', 'no'",
        ),
        (GOOD, {"group": "class"}, "both label and group"),
        ("a,class\n1,yes\n,no\n,no\n", {}, "column 'a' has 2 missing values, the first in data row 2"),
        ("a,class\n1,yes\n2,\n", {}, "column 'class' has 1 missing values"),
        ("a,class\ninf,yes\n2,no\n", {}, "column 'a' has infinite values"),
        ('a,class\n"1,5",yes\n2,no\n', {}, "column 'a' is not numeric, for example '1,5'"),
        ("a;class\n1;yes\n2;no\n", {}, "no column 'class'"),
        ("class\nyes\nno\n", {}, "no column is left for the features"),
        ("a,class\n1,yes\n2,yes\n", {}, "all 2 labels are 1, both classes are needed"),
        ("", {}, "not a comma separated file"),
    ],
)
def test_csv_refuses(tmp_path, text, options, message):
    with pytest.raises(DatasetError, match=message):
        file_table(table(tmp_path, text), **{"label": "class", "positive": "yes", **options})


def test_csv_that_is_not_there(tmp_path):
    with pytest.raises(DatasetError, match="there is no such file"):
        file_table(tmp_path / "none.csv", label="y", positive=1)


# Stages


def run_stages(tmp_path, spec, stages=None):
    previous = None
    for stage in stages or KINDS[spec["kind"]].stages:
        out = tmp_path / f"{stage}.npz"
        build(spec, stage, previous, out)
        previous = out
    return previous


def test_stages_from_file_to_file_give_the_same_data_as_in_memory(tmp_path):
    params = {"n_users": 40, "n_items": 80, "n_rated": [30, 80], "n_factors": 3}
    spec = {"id": "my-ratings", "kind": "ratings", "params": params, "seed": 5, "title": "Mine"}
    stored = Dataset.load(run_stages(tmp_path, spec))
    made = make("ratings", 5, **params)
    np.testing.assert_array_equal(stored.X, made.X)
    np.testing.assert_array_equal(stored.y, made.y)
    np.testing.assert_array_equal(stored.groups, made.groups)
    assert stored.name == "my-ratings"
    assert dict(stored.facts) == dict(made.facts)
    assert stored.facts["seed"] == 5
    assert stored.facts["kind"] == "ratings"
    for name, value in {**params, "rank": 3, "n_first": 20, "positive": 5}.items():
        assert stored.facts["parameters"][name] == value


def test_the_last_stage_of_images_reads_the_file_of_umap(tmp_path):
    rng = np.random.default_rng(0)
    digit = rng.integers(0, 10, 500)
    arrays = {"digit": digit, "item_features": np.eye(10)[digit]}
    meta = {"kind": "images", "stage": "umap", "parameters": {"n_components": 10}}
    save_arrays(tmp_path / "umap.npz", arrays, meta)
    spec = {"id": "im", "kind": "images", "params": {"n_users": 9, "liking": [0.2, 0.4]}, "seed": 0}
    build(spec, "dataset", tmp_path / "umap.npz", tmp_path / "dataset.npz")
    data = Dataset.load(tmp_path / "dataset.npz")
    assert data.X.shape[1] == 30
    assert data.facts["parameters"]["n_components"] == 10
    assert data.facts["parameters"]["n_users"] == 9


def test_the_source_of_images_holds_pixels_and_digits(tmp_path):
    run_stages(tmp_path, {"id": "im", "kind": "images", "params": {}, "seed": 0}, ["source"])
    arrays, meta = load_arrays(tmp_path / "source.npz")
    assert arrays["pixels"].shape == (1797, 64)
    assert arrays["digit"].shape == (1797,)
    assert meta["stage"] == "source"


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_kind_ends_in_a_data_set_and_finds_its_inputs(kind):
    stages = KINDS[kind].steps
    assert KINDS[kind].stages[-1] == "dataset"
    assert not stages[0].inputs
    names = [name for s in stages for name in s.options]
    assert len(names) == len(set(names)), "a parameter of two stages would have to mean the same in both"


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("wdbc", {}),
        ("digit", {"digit": 1}),
        ("simulation", {"n_users": 3}),
        ("ratings", {"n_users": 40, "n_items": 80, "n_rated": [30, 80]}),
    ],
)
def test_data_sets_tell_a_report_what_they_are(kind, params):
    facts = make(kind, **params).facts
    assert {"title", "source", "licence", "positive", "kind", "parameters"} <= set(facts)
    assert facts["parameters"].items() >= params.items()
    assert ("seed" in facts) == (kind in ("simulation", "ratings"))


def test_a_stage_has_its_own_parameters_only():
    params = {"n_components": 5, "n_users": 7}
    assert stage_parameters("images", "source", params) == {}
    assert stage_parameters("images", "umap", params) == {"n_components": 5, "n_neighbors": 15}
    own = stage_parameters("images", "dataset", params)
    assert own["n_users"] == 7
    assert "n_components" not in own


def test_input_files_are_known():
    assert input_files("file", {"path": "a/b.csv", "label": "y", "positive": 1}) == ["a/b.csv"]
    assert input_files("wdbc", {}) == []


def test_wrong_stages_say_what_is_wrong(tmp_path):
    spec = {
        "id": "r",
        "kind": "ratings",
        "params": {"n_users": 30, "n_items": 40, "n_rated": [30, 40]},
        "seed": 0,
    }
    source, out = run_stages(tmp_path, spec, ["source"]), tmp_path / "out.npz"
    for stage, previous, message in [
        ("factorize", source, "has no stage 'factorize'; did you mean 'factorise'"),
        ("dataset", source, "reads the file of stage 'factorise'.*is of stage 'source' of 'ratings'"),
        ("factorise", None, "got none: build 'source' first"),
        ("factorise", tmp_path / "none.npz", "cannot read"),
        ("source", source, "is the first of 'ratings', it takes no file"),
    ]:
        with pytest.raises(DatasetError, match=message):
            build(spec, stage, previous, out)
    (tmp_path / "broken.npz").write_bytes(b"no zip file")
    with pytest.raises(DatasetError, match="cannot read"):
        build(spec, "factorise", tmp_path / "broken.npz", out)
    assert not out.exists()


@pytest.mark.parametrize(
    ("kind", "params", "message"),
    [
        ("wbdc", {}, "unknown kind of data 'wbdc'; did you mean 'wdbc'"),
        ("songs", {}, "choose one of: wdbc, digit, simulation, fraud-stream, images, ratings, movielens"),
        ("digit", {}, "kind 'digit': parameter 'digit' is not given"),
        ("digit", {"digits": 3}, "unknown parameter 'digits'; did you mean 'digit'"),
        ("wdbc", {"digit": 3}, "unknown parameter 'digit'; choose one of: n_features"),
        ("images", {"n_component": 3}, "unknown parameter 'n_component'; did you mean 'n_components'"),
        ("images", {"pixels": 3}, "unknown parameter 'pixels'"),
        ("no.such.module", {}, "cannot import the kind of data 'no.such.module'"),
        ("attop.datasets.nothing", {}, "cannot import"),
        ("attop.datasets.base.__all__", {}, "name a Kind or a function"),
        ("test_datasets.no_dataset", {}, "must return a Dataset, got <class 'dict'>"),
    ],
)
def test_wrong_requests_say_what_is_wrong(kind, params, message):
    with pytest.raises(DatasetError, match=message):
        make(kind, **params)


def no_dataset():
    return {}


def own_data(n: int = 6, *, seed: int) -> Dataset:
    y = np.arange(n) % 2
    return Dataset("own", np.random.default_rng(seed).normal(size=(n, 2)), y)


def own_source(n=4, *, seed):
    return {"x": np.arange(n), "source_seed": seed}


def own_last(x, source_seed, *, seed):
    return Dataset("own", x[:, None], x % 2, None, {"seeds": [source_seed, seed]})


OWN_KIND = Kind("own", (Stage("source", own_source), Stage("dataset", own_last, ("x", "source_seed"))))


def test_own_data_by_dotted_path():
    assert make("test_datasets.own_data", n=8).X.shape == (8, 2)
    assert kind_of("test_datasets.OWN_KIND") is OWN_KIND
    assert make("test_datasets.OWN_KIND", n=10).X.shape == (10, 1)


def test_each_stage_has_a_seed_of_its_own():
    seeds = [s for run in range(3) for s in make("test_datasets.OWN_KIND", run).facts["seeds"]]
    assert len(set(seeds)) == 6


def test_importing_the_layer_is_light():
    heavy = "umap", "pandas", "sklearn", "numba", "matplotlib"
    code = f"import sys, attop.datasets; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
