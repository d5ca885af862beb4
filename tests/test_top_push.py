"""TopPush: the projection, the dual solver, the estimator."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq
from scipy.sparse import csr_matrix

from attop.estimators.bundle_ranker import BundleRanker
from attop.estimators.top_push import TopPush
from attop.solvers.top_push_dual import balance, top_push_dual
from attop.surrogates import TopPushLoss
from oracles.bundle import optimum, sample


def excess(tau, a, b):
    return np.maximum(a - tau, 0).sum() - np.maximum(b + tau, 0).sum()


def vectors():
    rng = np.random.default_rng(0)
    for t in range(400):
        a, b = (rng.normal(scale=3, size=int(n)) for n in rng.integers(1, 30, 2))
        if t % 3 == 0:
            a, b = np.round(a), np.round(b)
        if t % 7 == 0:
            a, b = a - 3, b - 3
        yield a * 10.0 ** (t % 9 - 4), b * 10.0 ** (t % 9 - 4)


def test_projection_balances_the_sums():
    for a, b in vectors():
        tau = balance(a, b)
        size = np.abs(a).sum() + np.abs(b).sum()
        assert abs(excess(tau, a, b)) <= 1e-13 * size
        if max(a) > -max(b):
            low, high = -max(b), max(a)
            assert_allclose(tau, brentq(excess, low, high, (a, b), xtol=1e-14), rtol=1e-9, atol=1e-9 * size)


def test_projection_is_the_nearest_point():
    rng = np.random.default_rng(1)
    for a, b in list(vectors())[:60]:
        tau = balance(a, b)
        alpha, beta = np.maximum(a - tau, 0), np.maximum(b + tau, 0)
        # Projection onto a convex set: the residual points away from every feasible point.
        for _ in range(20):
            u, v = rng.exponential(size=len(a)), rng.exponential(size=len(b))
            v *= u.sum() / v.sum()
            inner = (a - alpha) @ (u - alpha) + (b - beta) @ (v - beta)
            assert inner <= 1e-12 * (1 + a @ a + b @ b)


def test_projection_edges():
    assert_allclose(balance(np.array([2.0]), np.array([0.0])), 1)
    assert_allclose(balance(np.array([3.0, 3.0, 3.0]), np.array([0.0])), 9 / 4)
    tau = balance(np.array([-1.0, -5.0]), np.array([-2.0]))
    assert -1 <= tau <= 2  # both sums vanish


@pytest.mark.parametrize("lam", [1.0, 0.1, 0.01])
@pytest.mark.parametrize("shift", [0.3, 1.5, 6.0])
def test_dual_solver_reaches_the_optimum(lam, shift):
    pytest.importorskip("cvxpy")
    X, y = sample(0, n=60, shift=shift)
    expected, _ = optimum("top-push", X, y, None, lam)
    solution = top_push_dual(X, y, lam=lam, tol=1e-6)
    assert solution.status == "converged"
    assert solution.gap[0] <= 1e-6 * solution.objective[0]
    slack = 1e-8  # CLARABEL's
    assert expected - slack <= solution.objective[0] <= expected * (1 + 1e-6) + slack
    lower = np.ravel(solution.history.objective) - np.ravel(solution.history.gap)
    assert (lower <= expected + slack).all()
    assert (np.diff(np.ravel(solution.history.objective)) <= 0).all()


NASTY = {
    "ties": lambda X, y: (np.round(X), y),
    "one positive": lambda X, y: (X, (np.arange(len(y)) == 3).astype(int)),
    "one negative": lambda X, y: (X, (np.arange(len(y)) != 3).astype(int)),
    "constant features": lambda X, y: (np.ones_like(X), y),
    "duplicates": lambda X, y: (np.repeat(X, 3, axis=0), np.repeat(y, 3)),
    "labels contradict": lambda X, y: (np.vstack([X, X]), np.concatenate([y, 1 - y])),
    "huge": lambda X, y: (1e6 * X, y),
    "tiny": lambda X, y: (1e-6 * X, y),
}


@pytest.mark.parametrize("case", NASTY)
def test_nasty_input(case):
    pytest.importorskip("cvxpy")
    X, y = NASTY[case](*sample(1, n=24, n_pos=8))
    unit = np.abs(X).max()
    expected, _ = optimum("top-push", X / unit, y, None, 0.1)  # the same problem in other units
    solution = top_push_dual(X, y, lam=0.1 * unit**2, tol=1e-6)
    assert solution.status == "converged"
    assert_allclose(solution.objective, expected, rtol=2e-6)


@pytest.mark.parametrize("shift", [0.5, 2.0])
def test_the_unit_of_the_features_does_not_matter(shift):
    X, y = sample(9, n=80, shift=shift)
    plain = top_push_dual(X, y, lam=0.1, tol=1e-6)
    for exponent in range(-6, 10):
        s = 10.0**exponent
        scaled = top_push_dual(s * X, y, lam=0.1 * s**2, tol=1e-6)
        assert scaled.status == "converged"
        assert scaled.gap[0] <= 1e-6 * scaled.objective[0]
        assert_allclose(scaled.objective, plain.objective, rtol=1e-6)
        # Strong convexity: each is within sqrt(2 tol J / lam) of the optimum.
        bound = 2 * np.sqrt(2e-6 * plain.objective[0] / 0.1)
        assert np.linalg.norm(s * scaled.coef - plain.coef) <= bound
    for exponent in (-480, -30, 30, 480):  # in powers of two nothing is rounded
        s = 2.0**exponent
        scaled = top_push_dual(s * X, y, lam=0.1 * s**2, tol=1e-6)
        assert_array_equal(s * scaled.coef, plain.coef)
        assert_array_equal(np.ravel(scaled.history.objective), np.ravel(plain.history.objective))


def test_features_much_larger_than_lam_allows_for():
    # Classes that can be told apart: no scale is too large; else, the gap says how far it came.
    X, y = sample(9, n=80, shift=6.0)
    for s in (1e3, 1e6, 1e9):
        assert top_push_dual(s * X, y, lam=0.01, tol=1e-3).status == "converged"
    X, y = sample(9, n=80, shift=1.0)
    far = top_push_dual(1e9 * X, y, lam=0.01, tol=1e-3, max_iter=50)
    assert far.status == "max_iter"
    assert 0 < far.gap[0] <= far.objective[0] <= 1


def test_objective_is_that_of_the_model():
    X, y = sample(2)
    solution = top_push_dual(X, y, lam=0.05, tol=1e-5)
    w = solution.coef[:, 0]
    value, _ = TopPushLoss().value_and_coef(X @ w, y)
    assert_allclose(solution.objective, value + 0.025 * w @ w, rtol=1e-12)


def test_sparse_is_dense():
    X, y = sample(3)
    X[np.abs(X) < 0.5] = 0
    dense, sparse = (top_push_dual(Z, y, lam=0.1, tol=1e-6) for Z in (X, csr_matrix(X)))
    assert_allclose(sparse.objective, dense.objective, rtol=1e-6)
    assert_allclose(sparse.coef, dense.coef, rtol=1e-3)


def test_deadline_callback_and_overflow():
    X, y = sample(4)
    late = top_push_dual(X, y, lam=1e-3, tol=1e-9, time_limit=1e-9)
    assert (late.status, late.n_iter) == ("deadline", 1)
    stopped = top_push_dual(X, y, lam=1e-3, tol=1e-9, callback=lambda t, coef, objective: t == 5)
    assert (stopped.status, stopped.n_iter) == ("stopped", 5)
    assert stopped.coef.shape == (4, 1)
    wild = top_push_dual(1e200 * X, y, lam=1.0)
    assert wild.status == "diverged"
    assert np.isfinite(wild.coef).all()
    assert_allclose(wild.objective, 1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"lam": 0.0}, "lam"), ({"lam": np.inf}, "lam"), ({"tol": -1.0}, "tol"), ({"max_iter": 0}, "max_iter")],
)
def test_parameters_out_of_range(wrong, message):
    X, y = sample(5)
    with pytest.raises(ValueError, match=message):
        top_push_dual(X, y, **{"lam": 1.0, **wrong})


def test_both_classes_are_needed():
    X, y = sample(5)
    with pytest.raises(ValueError, match="positives and negatives"):
        top_push_dual(X, np.ones_like(y), lam=1.0)


# --- estimator ---------------------------------------------------------------------------------------


def test_estimator_is_the_bundle_solution():
    X, y = sample(6)
    model = TopPush(lam=0.05, tol=1e-7).fit(X, y)
    other = BundleRanker("top-push", C=20.0, tol=1e-7).fit(X, y)
    assert model.converged_
    assert model.gap_ <= 1e-7
    assert_allclose(model.objective_, other.objective_, rtol=2e-7)
    # Strong convexity, from both sides: ||w - w'|| <= 2 sqrt(2 tol J / lam).
    bound = 2 * np.sqrt(2 * 1e-7 * model.objective_ / 0.05)
    assert np.linalg.norm(model.coef_ - other.coef_) <= bound
    assert np.linalg.norm(model.coef_) > 10 * bound


def test_groups_are_ignored_and_equal_settings_share_a_fit():
    X, y = sample(7)
    plain = TopPush().fit(X, y).coef_
    assert_array_equal(TopPush().fit(X, y, groups=np.arange(len(y)) % 3).coef_, plain)
    one, other, same = TopPush().fit_many(X, y, settings=[{"lam": 0.1}, {"lam": 0.2}, {"lam": 0.1}])
    assert one.history_ is same.history_ is not other.history_


def test_estimator_refuses_bad_lam():
    X, y = sample(8)
    with pytest.raises(ValueError, match="lam must be"):
        TopPush(lam=0).fit(X, y)
