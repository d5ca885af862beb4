"""The bundle solver against CVXPY."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix

from attop._core.top import Top
from attop.solvers._bundle.bundle import bundle
from attop.solvers._bundle.cutting_planes import Planes
from attop.solvers._bundle.working_set import WorkingSet
from attop.surrogates import AUCStruct, PrecAtKStruct, TopPushLoss
from attop.surrogates._base import BoundSurrogate
from attop.surrogates._registry import SURROGATES, get_surrogate
from oracles.bundle import PLAIN, optimum, sample


def certified(name, X, y, k, lam, tol=1e-6):
    """Solve both ways; compare the optimum, and the bounds of every iteration with it."""
    pytest.importorskip("cvxpy")
    expected, _ = optimum(name, X, y, k, lam)
    loss = get_surrogate(name, Top(k=k)).bind(y)
    solution = bundle(X, loss, lam=lam, tol=tol, max_iter=3000)
    objective, gap = solution.objective[0], solution.gap[0]
    slack = 1e-8 * max(1, abs(expected))  # CLARABEL's
    history = solution.history
    lower = np.ravel(history.objective) - np.ravel(history.gap)
    gain = history.objective[0][0] - lower[-1]
    assert solution.status == "converged"
    assert solution.relative_gap[0] <= tol * (1 + 1e-6)
    assert gap <= max(tol * gain * (1 + 1e-6), 1e-12 * history.objective[0][0])
    assert expected - slack <= objective <= expected + tol * gain + slack
    assert (lower <= expected + slack).all(), "a lower bound exceeds the optimum"
    assert (np.diff(np.ravel(history.objective)) <= 0).all()
    return solution


@pytest.mark.parametrize("lam", [1e-2, 0.3])
@pytest.mark.parametrize("name", PLAIN)
def test_certified_optimum(name, lam):
    X, y = sample(0)
    solution = certified(name, X, y, 5, lam)
    if lam == 1e-2:
        assert np.linalg.norm(solution.coef) > 0.1, "the problem should not be trivial"


NASTY = {
    "ties": lambda X, y: (np.round(X), y),
    "one positive": lambda X, y: (X, np.arange(len(y)) == 3),
    "one negative": lambda X, y: (X, np.arange(len(y)) != 3),
    "constant feature": lambda X, y: (np.column_stack([X, np.full(len(X), 7.0)]), y),
    "all features constant": lambda X, y: (np.ones_like(X), y),
    "duplicates": lambda X, y: (np.repeat(X, 3, axis=0), np.repeat(y, 3)),
    "labels contradict": lambda X, y: (np.vstack([X, X]), np.concatenate([y, 1 - y])),
    "separable": lambda X, y: (X + 9 * y[:, None], y),
    "collinear": lambda X, y: (np.column_stack([X, X, X @ np.ones(X.shape[1])]), y),
}


@pytest.mark.parametrize("case", NASTY)
@pytest.mark.parametrize("name", ["auc", "prec@k-struct", "infinite-push", "top-push"])
def test_nasty_input(name, case):
    X, y = NASTY[case](*sample(3, n=24, n_pos=8))
    certified(name, X, np.asarray(y, int), 1 if case.startswith("one") else 4, 0.1)


def top_push(X, y, lam, tol, **more):
    return bundle(X, TopPushLoss().bind(y), lam=lam, tol=tol, **more)


@pytest.mark.parametrize("shift", [0.5, 2.0])
def test_top_push_in_any_unit(shift):
    X, y = sample(9, n=80, shift=shift)
    plain = top_push(X, y, lam=0.1, tol=1e-6)
    for s in 10.0 ** np.arange(-6, 10):
        scaled = top_push(s * X, y, lam=0.1 * s**2, tol=1e-6)
        assert scaled.status == "converged"
        assert scaled.relative_gap[0] <= 1e-6
        gain = 1 - plain.objective[0]
        assert_allclose(scaled.objective, plain.objective, rtol=0, atol=1.1e-6 * gain)
        # Strong convexity: each is within sqrt(2 tol gain / lam) of the optimum.
        bound = 2.1 * np.sqrt(2e-6 * gain / 0.1)
        assert np.linalg.norm(s * scaled.coef - plain.coef) <= bound
    for s in (2.0**-480, 2.0**480):
        scaled = top_push(s * X, y, lam=0.1 * s**2, tol=1e-6)
        assert scaled.relative_gap[0] <= 1e-6
        assert np.linalg.norm(s * scaled.coef - plain.coef) <= bound


def test_features_much_larger_than_lam_allows_for():
    # Classes that can be told apart: no scale is too large; else, the gap says how far it came.
    X, y = sample(9, n=80, shift=6.0)
    for s in (1e3, 1e6, 1e9):
        assert top_push(s * X, y, lam=0.01, tol=1e-3).status == "converged"
    X, y = sample(9, n=80, shift=1.0)
    far = top_push(1e9 * X, y, lam=0.01, tol=1e-3, max_iter=20)
    assert far.status == "max_iter"
    assert 0 < far.gap[0] <= far.objective[0] <= 1


@pytest.mark.parametrize("lam", [1e-8, 1e8])
def test_extreme_regularisation(lam):
    X, y = sample(5, n=200, n_pos=40)
    solution = bundle(X, AUCStruct().bind(y), lam=lam, tol=1e-6)
    assert solution.status == "converged"
    if lam > 1:
        assert_allclose(solution.objective, 1, rtol=1e-6)  # w = 0 up to 1 / lam


class RowsCounted:
    """Counts the products with X, a product with some of its rows as their share of all."""

    def __init__(self, X, share=1.0, log=None):
        self.X, self.shape, self.share = X, X.shape, share
        self.log = [] if log is None else log

    def __matmul__(self, other):
        self.log.append(self.share)
        return self.X @ other

    def __getitem__(self, rows):
        return RowsCounted(self.X[rows], len(rows) / len(self.X), self.log)

    @property
    def T(self):
        return RowsCounted(self.X.T, self.share, self.log)


def test_reads_the_sample_twice_an_iteration_and_rarely():
    X, y = sample(8, n=3000, d=20, n_pos=150, shift=0.5)
    counted = RowsCounted(X)
    solution = bundle(counted, AUCStruct().bind(y), lam=1e-3, tol=1e-3)
    assert solution.status == "converged"
    assert counted.log == [1.0] * (2 * solution.n_iter)
    assert len(counted.log) <= 40


def test_a_loss_of_the_top_rarely_reads_all_rows(monkeypatch):
    X, y = sample(10, n=5000, d=30, n_pos=100, shift=0.4)
    loss = PrecAtKStruct(100).bind(y)
    counted = RowsCounted(X)
    solution = bundle(counted, loss, lam=1.0, tol=1e-3)
    assert solution.status == "converged"
    assert sum(share == 1 for share in counted.log) <= solution.n_iter + 1  # and the objective at the end
    read = sum(counted.log)
    monkeypatch.setattr("attop.solvers._bundle.working_set._FEW", 0.0)
    counted = RowsCounted(X)
    plain = bundle(counted, loss, lam=1.0, tol=1e-3)
    assert read < 0.6 * sum(counted.log)
    # Either objective is within its gap of the same optimum.
    assert abs(solution.objective[0] - plain.objective[0]) <= max(solution.gap[0], plain.gap[0])
    assert_array_equal(bundle(csr_matrix(X), loss, lam=1.0, tol=1e-3).status, "converged")


def test_planes_at_stale_scores_are_below_the_loss(monkeypatch):
    # Go on while there is anything to gain.
    monkeypatch.setattr("attop.solvers._bundle.working_set._SHARE", 0.0)
    rng = np.random.default_rng(11)
    X, y = sample(11, n=400, d=6, n_pos=30, shift=0.4)
    loss = PrecAtKStruct(30).bind(y)
    few, planes = WorkingSet(X), Planes(6)
    scores = X @ (best := 0.3 * rng.standard_normal(6))
    value, c = loss(scores)
    planes.add(few.slopes(c[:, np.newaxis]), np.array([value - c @ scores]))
    objective = value + 0.05 * best @ best
    lower = planes.minimise(0.1)[1]
    candidate, higher = few.refine(loss, planes, 0.1, best, scores, objective, lower)
    assert len(planes.offsets) > 5, "too few planes to be a test"
    assert higher > lower  # though the candidate itself may be worse than the best iterate
    for w in [best, candidate, *rng.standard_normal((50, 6))]:
        at_w = loss(X @ w)[0]
        assert (planes.slopes @ w + planes.offsets).max() <= at_w + 1e-9 * abs(at_w)


def test_planes_are_dropped_and_the_bound_survives(monkeypatch):
    monkeypatch.setattr("attop.solvers._bundle.cutting_planes._PATIENCE", 2)
    X, y = sample(9, n=400, d=15, n_pos=40, shift=0.4)
    loss = PrecAtKStruct(20).bind(y)
    solution = bundle(X, loss, lam=0.1, tol=1e-5, max_iter=3000)
    assert solution.status == "converged"
    monkeypatch.undo()
    assert_allclose(solution.objective, bundle(X, loss, lam=0.1, tol=1e-5).objective, rtol=2e-5)


@pytest.mark.parametrize(("seed", "lam"), [(11, 10), (19, 10), (22, 1)])
def test_the_objective_is_that_of_the_model(seed, lam):
    # Rare features and few positives: candidates so much alike that errors of combined scores would grow.
    rng = np.random.default_rng(seed)
    y = (rng.random(600) < 0.03).astype(int)
    y[:3] = 1
    rare = rng.random((600, 12)) < rng.uniform(0.005, 0.2, 12)
    X = np.column_stack([rare, rng.lognormal(0, 1, (600, 6)) + y[:, None] * rng.normal(0, 1.5, 6)])
    X = X[:, X.std(axis=0) > 0]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    loss = SURROGATES["top-push"]().bind(y)
    for max_iter in range(1, 22, 4):
        solution = bundle(X, loss, lam=lam, tol=1e-6, max_iter=max_iter)
        w = solution.coef[:, 0]
        assert_allclose(solution.history.objective[-1], loss(X @ w)[0] + lam / 2 * w @ w, rtol=1e-10)


def test_overflow_is_contained():
    X, y = sample(11)
    solution = bundle(X * 1e200, AUCStruct().bind(y), lam=1.0)
    assert solution.status == "diverged"
    assert_array_equal(solution.coef, 0)
    assert_allclose(solution.objective, 1)


def test_loss_that_is_not_convex_is_refused():
    class Concave(BoundSurrogate):
        n, n_groups, n_left_out = 40, 1, 0

        def __call__(self, scores):
            return float(-np.abs(scores).sum()), -np.sign(scores) - (scores == 0)

    X, _ = sample(12)
    with pytest.raises(ValueError, match="not convex"):
        bundle(X, Concave(), lam=10.0, tol=1e-6)
