"""TopPush: its loss under the bundle solver, and the estimator."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix

from attop.estimators import TopPush
from attop.estimators.bundle_ranker import BundleRanker
from attop.solvers.bundle.bundle import bundle
from attop.surrogates import TopPushLoss
from oracles.bundle import optimum, sample


def solve(X, y, lam, tol=1e-6, **more):
    return bundle(X, TopPushLoss().bind(y), lam=lam, tol=tol, **more)


@pytest.mark.parametrize("lam", [1.0, 0.1, 0.01])
@pytest.mark.parametrize("shift", [0.3, 1.5, 6.0])
def test_solver_reaches_the_optimum(lam, shift):
    pytest.importorskip("cvxpy")
    X, y = sample(0, n=60, shift=shift)
    expected, _ = optimum("top-push", X, y, None, lam)
    solution = solve(X, y, lam=lam, tol=1e-6)
    assert solution.status == "converged"
    assert solution.relative_gap[0] <= 1e-6
    slack = 1e-8  # CLARABEL's
    assert expected - slack <= solution.objective[0] <= expected + 1e-6 * (1 - expected) + slack
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
    solution = solve(X, y, lam=0.1 * unit**2, tol=1e-6)
    assert solution.status == "converged"
    assert_allclose(solution.objective, expected, rtol=2e-6)


@pytest.mark.parametrize("shift", [0.5, 2.0])
def test_the_unit_of_the_features_does_not_matter(shift):
    X, y = sample(9, n=80, shift=shift)
    plain = solve(X, y, lam=0.1, tol=1e-6)
    for exponent in range(-6, 10):
        s = 10.0**exponent
        scaled = solve(s * X, y, lam=0.1 * s**2, tol=1e-6)
        assert scaled.status == "converged"
        assert scaled.relative_gap[0] <= 1e-6
        gain = 1 - plain.objective[0]
        assert_allclose(scaled.objective, plain.objective, rtol=0, atol=1.1e-6 * gain)
        # Strong convexity: each is within sqrt(2 tol gain / lam) of the optimum.
        bound = 2.1 * np.sqrt(2e-6 * gain / 0.1)
        assert np.linalg.norm(s * scaled.coef - plain.coef) <= bound
    for exponent in (-480, 480):
        s = 2.0**exponent
        scaled = solve(s * X, y, lam=0.1 * s**2, tol=1e-6)
        assert scaled.relative_gap[0] <= 1e-6
        assert np.linalg.norm(s * scaled.coef - plain.coef) <= bound


def test_features_much_larger_than_lam_allows_for():
    # Classes that can be told apart: no scale is too large; else, the gap says how far it came.
    X, y = sample(9, n=80, shift=6.0)
    for s in (1e3, 1e6, 1e9):
        assert solve(s * X, y, lam=0.01, tol=1e-3).status == "converged"
    X, y = sample(9, n=80, shift=1.0)
    far = solve(1e9 * X, y, lam=0.01, tol=1e-3, max_iter=50)
    assert far.status == "max_iter"
    assert 0 < far.gap[0] <= far.objective[0] <= 1


def test_objective_is_that_of_the_model():
    X, y = sample(2)
    solution = solve(X, y, lam=0.05, tol=1e-5)
    w = solution.coef[:, 0]
    value, _ = TopPushLoss().value_and_coef(X @ w, y)
    assert_allclose(solution.objective, value + 0.025 * w @ w, rtol=1e-12)


def test_sparse_is_dense():
    X, y = sample(3)
    X[np.abs(X) < 0.5] = 0
    dense, sparse = (solve(Z, y, lam=0.1, tol=1e-6) for Z in (X, csr_matrix(X)))
    assert_allclose(sparse.objective, dense.objective, rtol=1e-6)
    assert_allclose(sparse.coef, dense.coef, rtol=1e-3)


def test_deadline_callback_and_overflow():
    X, y = sample(4)
    late = solve(X, y, lam=1e-3, tol=1e-9, time_limit=1e-9)
    assert (late.status, late.n_iter) == ("deadline", 1)
    stopped = solve(X, y, lam=1e-3, tol=1e-9, callback=lambda t, coef, objective: t == 3)
    assert (stopped.status, stopped.n_iter) == ("stopped", 3)
    assert stopped.coef.shape == (4, 1)
    wild = solve(1e200 * X, y, lam=1.0)
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
        solve(X, y, **{"lam": 1.0, **wrong})


def test_both_classes_are_needed():
    X, y = sample(5)
    with pytest.raises(ValueError, match="a positive and a negative"):
        solve(X, np.ones_like(y), lam=1.0)


# --- estimator ---------------------------------------------------------------------------------------


def test_estimator_is_the_bundle_solution():
    X, y = sample(6)
    model = TopPush(lam=0.05, tol=1e-7).fit(X, y)
    other = BundleRanker("top-push", C=20.0, tol=1e-7).fit(X, y)
    assert model.converged_
    assert model.gap_ <= 1e-7
    gain = 1 - model.objective_
    assert_allclose(model.objective_, other.objective_, rtol=0, atol=1.1e-7 * gain)
    # Strong convexity, from both sides: ||w - w'|| <= 2 sqrt(2 tol gain / lam).
    bound = 2.1 * np.sqrt(2 * 1e-7 * gain / 0.05)
    assert np.linalg.norm(model.coef_ - other.coef_) <= bound
    assert np.linalg.norm(model.coef_) > 10 * bound


def test_groups_are_used_and_equal_settings_share_a_fit():
    pytest.importorskip("cvxpy")
    X, y = sample(7)
    groups = np.arange(len(y)) % 3
    expected, _ = optimum("top-push", X, y, None, 0.1, groups)
    model = TopPush(lam=0.1, tol=1e-7).fit(X, y, groups=groups)
    assert_allclose(model.objective_, expected, rtol=3e-7, atol=1e-8)
    assert abs(model.objective_ - TopPush(lam=0.1).fit(X, y).objective_) > 1e-3
    one, other, same = TopPush().fit_many(X, y, candidates=[{"lam": 0.1}, {"lam": 0.2}, {"lam": 0.1}])
    assert one.history_ is same.history_ is not other.history_


def test_estimator_refuses_bad_lam():
    X, y = sample(8)
    with pytest.raises(ValueError, match="lam must be"):
        TopPush(lam=0).fit(X, y)
