"""Far more columns than rows: vectors as combinations of rows, and TopPush by its dual."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import random_array

from attop import BundleRanker, TopPush
from attop.from_papers.top_push._dual_descent import dual_descent
from attop.solvers._bundle.rows import RowFeatures


def wide(n, d):
    X = random_array((n, d), density=10 / d, format="csr", rng=np.random.default_rng(0))
    return X, np.arange(n) % 4 == 0


def test_combinations_of_rows_have_the_scores_of_the_vectors():
    X, y = wide(20, 90)
    assert_allclose((RowFeatures(X)[y].T @ np.ones((5, 2)))[20:, 1], X @ X.T @ y)


@pytest.mark.parametrize("name", ["prec@k-struct", "auc", "top-push", "pat-mat"])
def test_planes_by_rows_reach_the_optimum_of_planes_by_columns(name):
    X, y = wide(40, 200)
    model = BundleRanker(name, top=5, lam=0.01, tol=1e-8)
    dense = model.fit(X.toarray(), y).coef_
    assert_allclose(model.fit(X, y).coef_, dense, atol=5e-3 * np.abs(dense).max())
    assert model.converged_


def test_few_vectors_have_a_number_a_column():
    X, y = wide(60, 200_000)
    tracemalloc.start()
    BundleRanker("auc", lam=1e-4, tol=1e-6).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * 8 * X.shape[1]


@pytest.mark.parametrize("lam", [0.1, 1e-4])
def test_the_dual_of_wide_features_has_the_optimum_of_the_planes(lam):
    X, y = wide(100, 1500)
    planes = BundleRanker("top-push", lam=lam, tol=1e-7).fit(X, y)
    model = TopPush(lam=lam, tol=1e-7).fit(X, y)
    assert 0 < model.gap_ <= 1e-7
    assert_allclose(model.objective_, planes.objective_, atol=1e-7)
    assert_allclose(TopPush(lam=lam, tol=1e-7).fit(X.toarray(), y).coef_, model.coef_, atol=1e-9)


def test_the_dual_diverges_in_words():
    X, y = wide(20, 50)
    with np.errstate(all="ignore"):
        assert dual_descent(X * 1e200, y, lam=1.0, certified=True).status == "diverged"
