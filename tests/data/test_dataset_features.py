"""Features that are made: interactions, embeddings, factors."""

import numpy as np
import pytest

from attop_bench.data import DatasetError
from attop_bench.data.features import interaction_features, masked_nmf, umap_embedding
from oracles.datasets import interaction, masked_nmf_step, squared_error


def test_interaction_features_are_user_item_and_product():
    rng = np.random.default_rng(0)
    user, item = rng.normal(size=(2, 6, 3))
    np.testing.assert_array_equal(interaction_features(user, item), interaction(user, item))


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
