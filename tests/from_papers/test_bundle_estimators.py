"""The estimators on the bundle solver."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attop.from_papers import ROCSVM, SVMPAUC, InfinitePush, SVMPerf, TopPush
from attop.learners._bundle_ranker import BundleRanker
from attop.surrogates._registry import SURROGATES
from oracles.bundle import optimum, sample

ESTIMATORS = {
    "prec@k-struct": SVMPerf(top=5),
    "pauc": SVMPAUC(top=5),
    "auc": ROCSVM(),
    "infinite-push": InfinitePush(),
    "top-push": TopPush(),
}


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("C", [1.0, 30.0])
def test_estimator_solves_its_problem(name, C):
    pytest.importorskip("cvxpy")
    X, y = sample(20)
    expected, w = optimum(name, X, y, 5, 1 / C)
    model = ESTIMATORS[name].set_params(lam=1 / C, tol=1e-8).fit(X, y == 1)
    assert model.converged_
    assert 0 <= model.gap_ <= 1e-8
    assert_allclose(model.objective_, expected, rtol=3e-8, atol=1e-8)
    # Strong convexity: ||w - w*||^2 <= 2 C (J - J*).
    assert np.linalg.norm(model.coef_ - w) <= np.sqrt(2 * C * 6e-8 * max(1, abs(expected)))
    assert model.n_iter_ == len(model.history_.objective)
    assert model.predict(X).sum() == y.sum() or np.allclose(model.coef_, 0)


@pytest.mark.parametrize("name", [name for name, kind in SURROGATES.items() if kind.convex])
def test_bundle_ranker_on_every_surrogate(name):
    X, y = sample(22, n=100, n_pos=20)
    model = BundleRanker(name, top=10, lam=0.2, tol=1e-4).fit(X, y)
    assert model.converged_
    loss, _ = model._loss().value_and_coef(X @ model.coef_, y)
    assert_allclose(model.objective_, loss + 0.1 * model.coef_ @ model.coef_, rtol=1e-12)
    assert model._loss().convex


def test_settings_that_do_not_matter_share_a_fit():
    X, y = sample(23)
    settings = [{"top": 1}, {"top": 5}, {"top": {"k": 5}}, {"top": 5, "lam": 2.0}]
    one, five, same, other = SVMPAUC(lam=1.0).fit_many(X, y, candidates=settings)
    assert five.history_ is same.history_
    assert len({id(m.history_) for m in (one, five, other)}) == 3
    assert_array_equal(five.coef_, SVMPAUC(top=5).fit(X, y).coef_)
    without = BundleRanker("auc").fit_many(X, y, candidates=settings[:3])
    assert len({id(m.history_) for m in without}) == 1


def test_svm_perf_scaling_of_C():
    """The problem of Joachims (2005): labels -1 and 1, loss a percentage of k."""
    cp = pytest.importorskip("cvxpy")
    X, y = sample(24, shift=2.0)
    k, C = 8, 3.0
    u = cp.Variable(4)
    s = 2 * X @ u
    loss = cp.sum_largest(s + 100 / k * (1 - y), k) - cp.sum(s[np.flatnonzero(y)])
    cp.Problem(cp.Minimize(cp.sum_squares(u) / 2 + C * loss)).solve(solver=cp.CLARABEL)
    model = SVMPerf(top=k, lam=25 / (k * C), tol=1e-9).fit(X, y)
    assert_allclose(model.coef_ * 50 / k, u.value, atol=2e-3 * np.abs(u.value).max())


@pytest.mark.parametrize("surrogate", ["pap@k-avg", "pauc", "infinite-push", "top-push"])
def test_huge_features_do_not_make_a_convex_loss_look_otherwise(surrogate):
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.3).astype(int)
    X = 1e6 * (rng.standard_normal((300, 6)) + 0.6 * y[:, None])
    model = BundleRanker(surrogate, top=10, max_iter=300).fit(X, y)
    assert model.converged_
    assert model.gap_ <= 1e-3
