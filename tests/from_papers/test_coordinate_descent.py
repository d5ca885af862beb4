"""Boosting: the path of the paper's pseudo-code, the optimum, and thresholds as weak rankers."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from attop.from_papers.push._coordinate_descent import LONGEST_STEP, coordinate_descent, line_search
from attop.from_papers.push._threshold_rankers import ThresholdRankers, choose_thresholds
from attop.surrogates._pnorm_push import PNormPushExp
from oracles.push import push_pseudocode, push_value, real_data, threshold_data, threshold_matrix

POWERS = [1, 2, 4, 8, 16, 64]


@pytest.mark.parametrize("centre", [-300.0, -2.0, 1e-9, 0.3, 40.0, 650.0])
@pytest.mark.parametrize("sharpness", [0.05, 1.0, 64.0])
def test_line_search_finds_the_minimum(centre, sharpness):
    def slope(step):
        # log cosh: flat far from the minimum, where Newton alone would fly off.
        z = sharpness * (step - centre)
        return sharpness * np.tanh(z), sharpness**2 / np.cosh(min(abs(z), 300)) ** 2

    assert_allclose(line_search(slope), centre, rtol=1e-12)


def test_line_search_bounds_a_minimum_at_infinity():
    assert line_search(lambda step: (-1.0, 0.0)) == LONGEST_STEP
    assert line_search(lambda step: (1.0, 0.0)) == -LONGEST_STEP
    # Falls towards an asymptote: stops where the derivative drowns in the noise, long before the bound.
    step = line_search(lambda step: (-np.exp(-step), np.exp(-step)), noise=1e-15)
    assert 30 < step < 40
    assert line_search(lambda step: (1e-16, 1.0), noise=1e-15) == 0


def test_line_search_ends_where_rounding_flips_the_sign_next_to_zero():
    calls = []

    def slope(step):
        calls.append(step)
        return (1e-9 if step > 0 else -1e-9), 1e-30

    assert 0 <= line_search(slope, noise=1e-15) <= 1e-15
    assert len(calls) < 80


DATA = {
    "features": real_data(11),
    "columns of thresholds": threshold_data(11),
    "thresholds": real_data(31, n=80, d=3, shift=0.9),
}


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("kind", DATA)
def test_path_is_the_papers(kind, p):
    X, y = DATA[kind]
    rankers = ThresholdRankers.at_quantiles(X, 4) if kind == "thresholds" else X
    H = threshold_matrix(X, rankers.thresholds) if kind == "thresholds" else X
    rounds = 25
    paper = push_pseudocode(H, y, p, rounds)
    assert paper.margin > 1e-6, "a near-tie would leave the paper's path to rounding"
    ours = coordinate_descent(rankers, PNormPushExp(p).bind(y), max_iter=rounds, tol=0)
    assert_array_equal(ours.coordinates, paper.coordinates)
    # Errors of one round enter the next; each line search is good to about 1e-14.
    assert_allclose(ours.steps, paper.steps, rtol=1e-9, atol=1e-11)
    assert_allclose(ours.coef[:, 0], paper.lambdas[-1], rtol=1e-10, atol=1e-11)
    objective = [push_value(H @ lam, y, "exponential", "power", p) for lam in paper.lambdas[::8]]
    assert_allclose(np.ravel(ours.history.objective)[1::8], objective, rtol=1e-11)


@pytest.mark.parametrize("p", [1, 2, 4])
@pytest.mark.parametrize("data", [real_data, threshold_data])
def test_optimum_agrees_with_lbfgs(data, p):
    X, y = data(12)
    bound = PNormPushExp(p).bind(y)

    def objective(w):
        value, coef = bound(X @ w)
        return value, X.T @ coef

    options = {"ftol": 1e-15, "gtol": 1e-9, "maxiter": 5000}
    other = minimize(objective, np.zeros(X.shape[1]), jac=True, method="L-BFGS-B", options=options)
    ours = coordinate_descent(X, bound, max_iter=5000, tol=1e-9)
    assert ours.status == "converged"
    assert np.abs(objective(ours.coef[:, 0])[1]).max() <= 2e-9
    assert_allclose(ours.objective[0], other.fun, rtol=1e-11)
    # ftol lets L-BFGS stop at a gradient of about the square root of the rounding of its value.
    assert_allclose(ours.coef[:, 0], other.x, rtol=1e-3, atol=1e-4)
    loose = coordinate_descent(X, bound, tol=1e-2)
    assert loose.status == "converged"
    assert loose.n_iter < ours.n_iter


@pytest.mark.parametrize("p", [1, 4, 64])
def test_separable_data_end_finite_and_separated(p):
    y = np.array([1, 1, 1, 0, 0, 0, 0])
    X = np.column_stack([[3.0, 2, 4, -1, 0, 1, -3], np.linspace(-1, 1, 7)])
    solution = coordinate_descent(X, PNormPushExp(p).bind(y), max_iter=200)
    assert np.isfinite(solution.coef).all()
    scores = X @ solution.coef[:, 0]
    assert scores[y == 1].min() > scores[y == 0].max()
    assert np.abs(solution.steps[0]) * np.ptp(X[:, 0]) <= LONGEST_STEP * (1 + 1e-12)
    assert solution.status == "max_iter"  # no minimum: log F falls without end


def test_one_sided_threshold_goes_to_its_asymptote():
    # The ranker fires on positives only: the objective falls towards, and never reaches, an infimum.
    y = np.array([1, 1, 1, 0, 0])
    X = np.array([[1.0], [1], [0], [0], [0]])
    solution = coordinate_descent(X, PNormPushExp(2).bind(y))
    assert solution.status == "converged"
    assert_allclose(np.exp(solution.objective[0]), 2 * 1**2, rtol=1e-12)  # one positive ties both negatives
    assert 20 < solution.coef[0, 0] < 45


@pytest.mark.parametrize("value", [0.0, 1.0, 1e9, 0.1])
def test_constant_feature_is_never_chosen(value):
    X, y = real_data(15)
    with_constant = np.column_stack([np.full(len(y), value), X])
    solution = coordinate_descent(with_constant, PNormPushExp(8).bind(y), tol=0)
    assert 0 not in solution.coordinates
    assert solution.coef[0, 0] == 0
    plain = coordinate_descent(X, PNormPushExp(8).bind(y), tol=0, max_iter=20)
    assert_array_equal(solution.coordinates[:20], plain.coordinates + 1)
    alone = coordinate_descent(np.full((len(y), 1), value), PNormPushExp(8).bind(y), tol=0)
    assert alone.status == "converged"
    assert alone.coef[0, 0] == 0


def test_shift_of_a_feature_changes_nothing():
    X, y = real_data(16)
    shifted = X + np.array([0, 1e4, -50, 0, 3, 7])
    plain, moved = (coordinate_descent(Z, PNormPushExp(16).bind(y), max_iter=20) for Z in (X, shifted))
    assert_array_equal(plain.coordinates, moved.coordinates)
    # Adding 1e4 costs a feature four digits.
    assert_allclose(moved.steps, plain.steps, rtol=1e-8, atol=1e-10)


def test_holds_nothing_larger_than_the_features():
    X, y = real_data(25, n=20_000, d=40)
    bound = PNormPushExp(4).bind(y)
    tracemalloc.start()
    try:
        coordinate_descent(X, bound, max_iter=3)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.nbytes


def test_all_midpoints_where_there_are_few():
    assert_array_equal(choose_thresholds(np.array([3.0, 1, 1, 2]), 2), [1.5, 2.5])
    assert_array_equal(choose_thresholds(np.array([3.0, 1, 1, 2]), None), [1.5, 2.5])
    assert len(choose_thresholds(np.full(5, 0.1), 3)) == 0
    neighbours = np.array([1.0, np.nextafter(1.0, 2.0), np.nextafter(np.nextafter(1.0, 2.0), 2.0)])
    for n in (1, None):
        for t in choose_thresholds(neighbours, n):
            assert 0 < (neighbours > t).sum() < 3
    assert_array_equal(choose_thresholds(np.array([-1.7e308, 1.7e308]), 4), [0])


def test_quantiles_where_there_are_many():
    rng = np.random.default_rng(9)
    for column in (rng.normal(size=1000), rng.exponential(size=1000), rng.integers(0, 50, 1000) / 7):
        thresholds = choose_thresholds(column, 9)
        assert len(thresholds) == 9
        above = (column[:, None] > thresholds).mean(axis=0)
        # No midpoint is nearer to its quantile than the chosen one: half a tie of the heaviest value.
        heaviest = np.unique(column, return_counts=True)[1].max() / 1000
        assert_allclose(above, 1 - np.arange(1, 10) / 10, atol=heaviest / 2 + 1e-12)
    mostly_one_value = np.r_[np.zeros(990), np.arange(1, 11)]
    assert 1 <= len(choose_thresholds(mostly_one_value, 4)) <= 4


@pytest.mark.parametrize("n_thresholds", [1, 5, 300, None])
def test_threshold_rankers_are_their_matrix(n_thresholds):
    rng = np.random.default_rng(10)
    X = np.column_stack([rng.normal(size=700), rng.integers(0, 4, 700), np.ones(700)])
    rankers = ThresholdRankers.at_quantiles(X, n_thresholds)
    H = threshold_matrix(X, rankers.thresholds)
    assert rankers.shape == H.shape
    assert_array_equal(np.ptp(H, axis=0), rankers.width)
    assert len(np.unique(H, axis=1).T) == H.shape[1]
    c, C = rng.normal(size=700), rng.normal(size=(700, 2))
    w, W = rng.normal(size=H.shape[1]), rng.normal(size=(H.shape[1], 2))
    # Sums of up to 700 numbers of size 1 in another order.
    assert_allclose(rankers.correlate(c), H.T @ c, atol=1e-12)
    assert_allclose(rankers.T @ C, H.T @ C, atol=1e-12)
    assert_allclose(rankers @ w, H @ w, atol=1e-12)
    assert_allclose(rankers @ W, H @ W, atol=1e-12)
    for j in rng.integers(0, H.shape[1], 20):
        assert_array_equal(rankers.column(j), H[:, j] == 1)
    votes = rankers.by_feature(w)
    fresh = np.vstack([X[:50], rng.normal(size=(50, 3)), np.repeat(rankers.thresholds[1][:1], 3)[None]])
    assert_allclose(
        ThresholdRankers(fresh, rankers.thresholds) @ np.concatenate(votes),
        threshold_matrix(fresh, rankers.thresholds) @ w,
        atol=1e-12,
    )


def test_a_threshold_at_a_value_is_not_exceeded_by_it():
    x = np.array([1.0, np.nextafter(1.0, 2.0)])  # no number lies between, so the lower is the threshold
    rankers = ThresholdRankers.at_quantiles(x[:, None], None)
    assert_array_equal(rankers.column(0), [False, True])
    assert_array_equal(ThresholdRankers(x[:, None], rankers.thresholds) @ np.array([3.0]), [0, 3])


def test_thresholds_hold_less_than_the_features():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(20_000, 10))
    y = (X[:, 0] + rng.normal(size=20_000) > 1).astype(int)
    ThresholdRankers.at_quantiles(X[:10], 32).correlate(
        y[:10].astype(float)
    )  # compiled before memory is measured
    tracemalloc.start()
    try:
        rankers = ThresholdRankers.at_quantiles(X, 32)
        held = tracemalloc.get_traced_memory()[0]
        coordinate_descent(rankers, PNormPushExp(4).bind(y), max_iter=2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert held < X.nbytes / 6
    assert peak < 1.5 * X.nbytes  # some arrays of length n; the matrix would be 32 times X
