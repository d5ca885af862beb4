"""A sparse matrix gives the scores of the dense one: of every learner that takes one, but for rounding."""

import numpy as np
import pytest
from scipy.sparse import random_array

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
#: Those solved to a certified gap stop where rounding decides: at a small gap the place is the same.
LEARNERS = {
    "BundleRanker, pauc": lambda: BundleRanker("pauc", TOP, lam=0.1, tol=1e-10),
    "BundleRanker, top-push-k": lambda: BundleRanker("top-push-k", TOP, lam=0.1, tol=1e-10),
    "GDRanker, pauc": lambda: GDRanker("pauc", TOP, max_iter=50),
    "GDRanker, prec@k-avg": lambda: GDRanker("prec@k-avg", TOP, max_iter=50),
    "GDPApK, avg": lambda: GDPApK(TOP, max_iter=50),
    "GDPApK, ramp": lambda: GDPApK(TOP, surrogate="ramp", max_iter=50),
    "InfinitePush": lambda: InfinitePush(lam=0.1, tol=1e-10),
    "OnePMB": lambda: OnePMB(TOP, batch_size=50, random_state=0),
    "PatMat": lambda: PatMat(TOP, lam=0.1, tol=1e-10),
    "PerceptronAtK, avg": lambda: PerceptronAtK(TOP, batch_size=50, random_state=0),
    "PerceptronAtK, max": lambda: PerceptronAtK(TOP, surrogate="max", batch_size=50, random_state=0),
    "PerceptronAtK, averaged": lambda: PerceptronAtK(TOP, batch_size=50, average=True, random_state=0),
    "ROCSVM": lambda: ROCSVM(lam=0.1, tol=1e-10),
    "SGDAtK": lambda: SGDAtK(TOP, batch_size=50, random_state=0),
    "SVMPAUC": lambda: SVMPAUC(lam=0.1, tol=1e-10),
    "SVMPerf": lambda: SVMPerf(TOP, lam=10, tol=1e-10),
    "TopPush": lambda: TopPush(lam=0.1, tol=1e-10),
}


@pytest.fixture(scope="module")
def rows():
    """Return features of few values to train on, their labels, and features to score."""
    rng = np.random.default_rng(0)
    X = random_array((150, 20), density=0.2, format="csr", rng=rng)
    y = (X.toarray()[:, :5].sum(axis=1) + 0.3 * rng.normal(size=150) > 0.8).astype(int)
    return X, y, random_array((100, 20), density=0.2, format="csr", rng=rng)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scores_are_those_of_the_dense_matrix(name, rows):
    X, y, X_test = rows
    dense = LEARNERS[name]().fit(X.toarray(), y).decision_function(X_test.toarray())
    sparse = LEARNERS[name]().fit(X, y).decision_function(X_test)
    assert np.ptp(dense) > 0
    np.testing.assert_allclose(sparse, dense, rtol=0, atol=1e-10 * np.abs(dense).max())
