"""A sparse matrix gives the scores of the dense one: of every learner that takes one, but for rounding."""

import numpy as np
import pytest
from scipy.sparse import random_array
from sklearn.base import clone

from attop import (
    ROCSVM,
    SVMPAUC,
    BundleRanker,
    GDPApK,
    GDRanker,
    InfinitePush,
    OnePMB,
    PatMat,
    PerceptronAtK,
    SGDAtK,
    SVMPerf,
    TopPush,
)
from attop.extending import Top

TOP = Top(tau=0.1)
#: Their steps are the same ones, so that only rounding differs.
BY_STEPS = {
    "GDRanker, pauc": GDRanker("pauc", top=TOP, max_iter=50),
    "GDRanker, prec@k-avg": GDRanker("prec@k-avg", top=TOP, max_iter=50),
    "GDPApK, avg": GDPApK(top=TOP, max_iter=50),
    "GDPApK, ramp": GDPApK(surrogate="ramp", top=TOP, max_iter=50),
    "OnePMB": OnePMB(top=TOP, batch_size=50, random_state=0),
    "PerceptronAtK, avg": PerceptronAtK(top=TOP, batch_size=50, random_state=0),
    "PerceptronAtK, max": PerceptronAtK(surrogate="max", top=TOP, batch_size=50, random_state=0),
    "PerceptronAtK, averaged": PerceptronAtK(top=TOP, batch_size=50, average=True, random_state=0),
    "SGDAtK": SGDAtK(top=TOP, batch_size=50, random_state=0),
}
#: These end at a certified gap, where rounding decides which of the models within the gap it is.
TO_A_GAP = {
    "BundleRanker, pauc": BundleRanker("pauc", top=TOP, lam=0.1, tol=1e-10),
    "BundleRanker, top-push-k": BundleRanker("top-push-k", top=TOP, lam=0.1, tol=1e-10),
    "InfinitePush": InfinitePush(lam=0.1, tol=1e-10),
    "PatMat": PatMat(top=TOP, lam=0.1, tol=1e-10),
    "ROCSVM": ROCSVM(lam=0.1, tol=1e-10),
    "SVMPAUC": SVMPAUC(top=TOP, lam=0.1, tol=1e-10),
    "SVMPerf": SVMPerf(top=TOP, lam=10, tol=1e-10),
    "TopPush": TopPush(lam=0.1, tol=1e-10),
}


@pytest.fixture(scope="module")
def rows():
    """Return features of few values to train on, their labels, and features to score."""
    rng = np.random.default_rng(0)
    X = random_array((150, 20), density=0.2, format="csr", rng=rng)
    y = (X.toarray()[:, :5].sum(axis=1) + 0.3 * rng.normal(size=150) > 0.8).astype(int)
    return X, y, random_array((100, 20), density=0.2, format="csr", rng=rng)


def scores_of_both(learner, rows):
    """Return scores of the model of the dense rows and of that of the sparse ones."""
    X, y, X_test = rows
    dense = clone(learner).fit(X.toarray(), y).decision_function(X_test.toarray())
    sparse = clone(learner).fit(X, y).decision_function(X_test)
    assert np.ptp(dense) > 0
    return dense, sparse


@pytest.mark.parametrize("name", BY_STEPS)
def test_scores_are_those_of_the_dense_matrix(name, rows):
    dense, sparse = scores_of_both(BY_STEPS[name], rows)
    np.testing.assert_allclose(sparse, dense, rtol=0, atol=1e-10 * np.abs(dense).max())


@pytest.mark.parametrize("name", TO_A_GAP)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scores_are_those_of_the_dense_matrix_as_far_as_the_gap_says(name, rows):
    dense, sparse = scores_of_both(TO_A_GAP[name], rows)
    np.testing.assert_allclose(sparse, dense, rtol=0, atol=1e-6 * np.abs(dense).max())
