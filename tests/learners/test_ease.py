"""Learners of lists beside FactorRanker: EASE against its definition, popularity against a count."""

import tracemalloc

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csc_matrix, csr_matrix
from sklearn.base import clone

from attop import EASE, PopularityRanker
from attop.learners import _ease
from oracles.ease import ease_weights


def random_pairs(seed, n_users=30, n_items=12):
    """Users of all numbers of pairs, from none to all items, and an item that nobody has."""
    rng = np.random.default_rng(seed)
    share = np.linspace(0, 1, n_users)[:, None]
    X = (rng.random((n_users, n_items)) < share).astype(np.int8)
    X[:, 3] = 0
    return X


@pytest.mark.parametrize("block", [1, 5, 512])
@pytest.mark.parametrize("lam", [1e-3, 1.0, 500.0])
def test_ease_is_a_ridge_regression_of_each_item_on_all_others(lam, block, monkeypatch):
    monkeypatch.setattr(_ease, "_BLOCK", block)
    X = random_pairs(0)
    weights = EASE(lam=lam).fit(csr_matrix(X)).item_weights_
    np.testing.assert_allclose(weights, ease_weights(X.astype(float), lam), rtol=1e-5, atol=1e-6)
    assert not weights.diagonal().any()


def nearly_singular(lam):
    """Users of twice the same items, and the inverse by its definition, in double precision."""
    X = random_pairs(5, 60, 20)
    X = np.hstack([X, X])
    return csr_matrix(X), np.linalg.inv(X.T.astype(float) @ X + lam * np.eye(40))


@pytest.mark.parametrize("lam", [1e-4, 1e-2, 1.0, 100.0])
def test_the_error_of_single_precision_is_what_is_estimated(lam):
    X, inverse = nearly_singular(lam)
    rough = _ease._inverse_in_place(_ease._gram_matrix(X, lam, np.float32))
    error = np.linalg.norm(rough - inverse) / np.linalg.norm(inverse)
    assert error / 5 < _ease._error_of(rough, X, lam) < 5 * error + 1e-7


def test_a_nearly_singular_matrix_is_inverted_in_double_precision():
    lam = 1e-4
    X, inverse = nearly_singular(lam)
    rough = _ease._inverse_in_place(_ease._gram_matrix(X, lam, np.float32))
    assert np.linalg.norm(rough - inverse) > 1e-4 * np.linalg.norm(inverse)
    np.testing.assert_allclose(_ease._inverse(X, lam), inverse, rtol=1e-6, atol=1e-6)
    weights = EASE(lam=lam).fit(X).item_weights_
    np.testing.assert_allclose(weights, ease_weights(X.toarray().astype(float), lam), atol=1e-5)


def test_a_fit_holds_one_matrix_of_items_in_single_precision(monkeypatch):
    monkeypatch.setattr(_ease, "_BLOCK", 32)
    X = csr_matrix(np.random.default_rng(6).random((50, 900)) < 0.05)
    model = EASE(lam=100.0).fit(X[:, :9])
    tracemalloc.start()
    model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.item_weights_.nbytes == 4 * 900**2
    assert peak < 2 * model.item_weights_.nbytes


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (4, 1), (3, 40)])
def test_ease_takes_fewer_users_than_items_and_one_of_each(shape):
    X = np.ones(shape)
    np.testing.assert_allclose(
        EASE(lam=2.0).fit(csr_matrix(X)).item_weights_, ease_weights(X, 2.0), rtol=1e-5
    )


@pytest.mark.parametrize("model", [EASE(lam=3.0), PopularityRanker()])
def test_a_layout_and_repeats_do_not_matter(model):
    X = random_pairs(1)
    scores = clone(model).fit(csr_matrix(X)).decision_function([4, 29])
    for same in (csc_matrix(X), coo_matrix(7.0 * X), np.vstack([np.argwhere(X)[::-1]] * 2)):
        np.testing.assert_array_equal(clone(model).fit(same).decision_function([4, 29]), scores)


@pytest.mark.parametrize("model", [EASE(lam=3.0), PopularityRanker()])
def test_nobody_is_recommended_what_they_have(model):
    X = random_pairs(2)
    users = np.flatnonzero(X.sum(axis=1) <= 8)
    model = clone(model).fit(csr_matrix(X))
    best = model.recommend(users, 4)
    assert not X[users[:, None], best].any()
    scores = np.where(X[users], -np.inf, model.decision_function(users))
    np.testing.assert_allclose(np.take_along_axis(scores, best, axis=1), -np.sort(-scores, axis=1)[:, :4])


def test_scores_are_those_of_the_items_a_user_has():
    X = random_pairs(3)
    model = EASE(lam=10.0).fit(csr_matrix(X))
    np.testing.assert_allclose(model.decision_function(np.arange(30)), X @ model.item_weights_, rtol=1e-5)


def test_popularity_counts_users():
    X = random_pairs(4)
    model = PopularityRanker().fit(csr_matrix(X))
    np.testing.assert_array_equal(model.item_counts_, X.sum(axis=0))
    np.testing.assert_array_equal(model.decision_function([0, 5]), [X.sum(axis=0)] * 2)


@pytest.mark.parametrize("lam", [0, -1, np.nan, np.inf, "1", True, None])
def test_a_weight_that_cannot_be_is_refused(lam):
    with pytest.raises(ValueError, match="lam must be"):
        EASE(lam=lam).fit([[0, 1]])


def test_a_matrix_that_cannot_be_inverted_is_said():
    with pytest.raises(ValueError, match=r"cannot be inverted with lam=1e-300: take a larger lam"):
        EASE(lam=1e-300).fit([[0, 0], [0, 1]])


@pytest.mark.parametrize("model", [EASE(), PopularityRanker()])
def test_a_fit_that_fails_leaves_no_model(model):
    model = clone(model)
    with pytest.raises(ValueError, match="no pair"):
        model.fit(csr_matrix((3, 3)))
    assert not hasattr(model, "seen_")
