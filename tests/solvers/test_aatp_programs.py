"""AATP's quadratic programs, certified by their dual and against CVXPY."""

import numpy as np
import pytest

import oracles.aatp as oracle
from attop.solvers.aatp.box_qp import interior_point, relative_gap
from attop.solvers.aatp.difference_rows import DifferenceRows
from attop.solvers.aatp.threshold_svm import ThresholdSVM
from attop.surrogates.accuracy_at_top import item_weights
from support.threshold_programs import sample


def assert_certified(X, y, upper, solution, tol=1e-6):
    """Both objectives again, from raw differences and the definitions."""
    sign = np.where(y == 1, 1.0, -1.0)[:, None]
    assert (solution.dual >= 0).all()
    assert (solution.dual <= upper[:, None]).all()
    for b, k in enumerate(solution.threshold_items):
        V = sign * (X - X[k])
        w, alpha = solution.coef[:, b], solution.dual[:, b]
        primal = 0.5 * w @ w + upper @ np.maximum(1 - V @ w, 0)
        dual = alpha.sum() - 0.5 * np.sum((V.T @ alpha) ** 2)
        assert solution.objective[b] == pytest.approx(primal, rel=1e-9)
        if upper.sum() - dual <= 1e-12 * upper.sum():
            assert solution.gap[b] == 0
            continue
        gain = min(primal, upper.sum() - dual)
        rounding = 2e-14 * upper.sum() / gain
        assert (primal - dual) / gain <= tol + rounding
        assert solution.gap[b] == pytest.approx((primal - dual) / gain, rel=1e-2, abs=1e-11 + rounding)


@pytest.mark.parametrize("C", [0.01, 0.1, 1.0, 10.0])
@pytest.mark.parametrize(("n", "d"), [(105, 34), (230, 57)])
def test_interior_point_agrees_with_cvxpy(n, d, C):
    pytest.importorskip("cvxpy")
    from attop.solvers.aatp.threshold_svm_cvxpy import CvxpyThresholdSVM

    X, y = sample(n, d, seed=n)
    upper = np.full(n, C)
    threshold_items = np.array([0, 1, n // 2, n - 1])
    ours = ThresholdSVM(X, y, upper).solve(threshold_items)
    assert_certified(X, y, upper, ours)
    theirs = CvxpyThresholdSVM(X, y, upper).solve(threshold_items)
    assert_certified(X, y, upper, theirs)
    assert ours.objective == pytest.approx(theirs.objective, rel=1e-6)
    w, value = oracle.solve(X, y, 1, C)
    assert ours.objective[1] == pytest.approx(value, rel=1e-7)
    # Strong convexity: 1/2 |w - w*|^2 is at most the distance from the minimum.
    assert np.sum((w - ours.coef[:, 1]) ** 2) <= 2 * 1e-7 * value


@pytest.mark.parametrize("C", [1e-4, 1e-2, 1.0, 1e2, 1e4])
@pytest.mark.parametrize("weights", ["items", "pairs"])
def test_every_program_is_certified(weights, C):
    X, y = sample(60, 12, seed=3)
    upper = C * item_weights(y, weights).astype(float)
    solution = ThresholdSVM(X, y, upper).solve(np.arange(60))
    assert_certified(X, y, upper, solution)
    # The definition itself, in loops.
    assert solution.objective[7] == pytest.approx(
        oracle.primal(X, y, 7, C, solution.coef[:, 7], weights), rel=1e-10
    )
    assert oracle.dual(X, y, 7, solution.dual[:, 7]) == pytest.approx(solution.objective[7], rel=1e-6)


NASTY = {
    "constant features": lambda X: np.hstack([X, np.full((len(X), 2), 7.3)]),
    "duplicate features": lambda X: np.hstack([X, X]),
    "duplicate items": lambda X: np.vstack([X[:20], X[:20]]),
    "all zero": np.zeros_like,
    "huge": lambda X: 1e6 * X,
    "tiny": lambda X: 1e-6 * X,
    "unlike scales": lambda X: X * 10.0 ** np.linspace(-5, 5, X.shape[1]),
    "one feature": lambda X: X[:, :1],
    "wide": lambda X: np.random.default_rng(0).standard_normal((len(X), 90)),
    "separable": lambda X: X + 20 * np.sign(X[:, :1]),
}


@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("one_positive", [False, True])
@pytest.mark.parametrize("nasty", NASTY)
def test_nasty_features_are_certified(nasty, one_positive, C):
    X, y = sample(40, 6, seed=5)
    X = NASTY[nasty](X)
    if one_positive:
        y = np.eye(40, dtype=int)[3]
    upper = np.full(40, C)
    problem = ThresholdSVM(X, y, upper)
    solution = problem.solve(np.arange(40))
    assert (solution.gap <= 1e-6).all()
    # Raw differences lose digits to cancellation at these scales; the gap must hold all the same.
    assert_certified(X, y, upper, solution)
    alone = problem.solve([3])
    assert alone.objective[0] == pytest.approx(solution.objective[3], rel=2e-6)


def test_cautious_steps_find_the_same_minimum():
    X, y = sample(50, 9, seed=6)
    sign = np.where(y == 1, 1.0, -1.0)[:, None]
    rows = DifferenceRows(X, sign, 4)
    usual = interior_point(rows, np.ones((50, 1)), tol=1e-9)
    cautious = interior_point(rows, np.ones((50, 1)), tol=1e-9, max_iter=300, cautious=True)
    assert usual.n_iter[0] < cautious.n_iter[0]
    assert relative_gap(cautious.start, cautious.primal_value, cautious.dual_value)[0] <= 1e-9
    assert cautious.primal_value[0] == pytest.approx(usual.primal_value[0], rel=2e-9)


def test_a_program_cut_short_returns_its_best_points():
    X, y = sample(80, 10, seed=7)
    sign = np.where(y == 1, 1.0, -1.0)[:, None]
    values = [
        interior_point(DifferenceRows(X, sign, 0), np.ones((80, 1)), tol=1e-12, max_iter=i) for i in range(12)
    ]
    primal = np.array([v.primal_value[0] for v in values])
    dual = np.array([v.dual_value[0] for v in values])
    assert (np.diff(primal) <= 0).all()
    assert (np.diff(dual) >= 0).all()
    assert primal[0] == 80  # w = 0
    assert (dual <= primal[-1]).all()


def test_more_features_than_items_is_a_rotation():
    X, y = sample(25, 10, seed=8)
    rotation = np.linalg.qr(np.random.default_rng(0).standard_normal((60, 10)))[0]
    narrow = ThresholdSVM(X, y, np.ones(25)).solve(np.arange(25))
    wide = ThresholdSVM(X @ rotation.T, y, np.ones(25)).solve(np.arange(25))
    assert wide.coef.shape == (60, 25)
    assert wide.objective == pytest.approx(narrow.objective, rel=1e-7)


def test_many_features_are_solved_one_by_one():
    X, y = sample(200, 170, seed=9)
    problem = ThresholdSVM(X, y, np.ones(200))
    assert problem.batch_size == 1
    assert_certified(X, y, np.ones(200), problem.solve([0, 5]))


def test_scale_and_shift_of_features():
    X, y = sample(60, 5, seed=10)
    reference = ThresholdSVM(X, y, np.full(60, 1.0)).solve(np.arange(60))
    moved = ThresholdSVM(100 * X + 1e5, y, np.full(60, 1e-4)).solve(np.arange(60))
    assert 1e4 * moved.objective == pytest.approx(reference.objective, rel=1e-7)


@pytest.mark.parametrize("d", [1, 2, 5, 8, 13])
@pytest.mark.parametrize("m", [1, 16, 21])
def test_tile_cholesky(d, m):
    from attop.solvers.aatp.kernels import factor, solve

    rng = np.random.default_rng(d)
    V = rng.standard_normal((30, d))
    threshold_item, theta, b = rng.standard_normal((d, m)), rng.random((30, m)), rng.standard_normal((d, m))
    rows, columns = np.tril_indices(d)
    packed = (V[:, rows] * V[:, columns]).T @ theta
    factor(packed, V.T @ theta, theta.sum(axis=0), threshold_item)
    x = b.copy()
    solve(packed, x)
    for j in range(m):
        D = V - threshold_item[:, j]
        expected = np.linalg.solve(np.eye(d) + (D.T * theta[:, j]) @ D, b[:, j])
        assert x[:, j] == pytest.approx(expected, rel=1e-9, abs=1e-12)
