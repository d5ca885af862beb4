"""The p-norm push, and pushes of every price and loss, trained."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attop.from_papers.push._coordinate_descent import coordinate_descent
from attop.from_papers.push._pnorm_push import PNormPush
from attop.from_papers.push._threshold_rankers import ThresholdRankers
from attop.metrics._roc import auc
from attop.solvers._lbfgs import lbfgs
from attop.surrogates._pnorm_push import PNormPushExp
from oracles.push import real_data, threshold_matrix
from support.pushes import COMBINATIONS, SMOOTH, surrogate


@pytest.mark.parametrize("weak_rankers", ["features", "thresholds"])
@pytest.mark.parametrize(("loss", "price"), SMOOTH)
def test_lbfgs_finds_a_stationary_point(loss, price, weak_rankers):
    X, y = real_data(33, n=120, d=3, shift=0.7)
    rankers = X if weak_rankers == "features" else ThresholdRankers.at_quantiles(X, 2)
    H = X if weak_rankers == "features" else threshold_matrix(X, rankers.thresholds)
    bound = surrogate(loss, price, 2.0).bind(y)
    solution = lbfgs(rankers, bound, max_iter=2000, tol=1e-7)
    assert solution.status == "converged"
    value, coef = bound(H @ solution.coef[:, 0])
    assert_allclose(solution.objective[0], value, rtol=1e-12)
    # It may stop at the rounding of the value instead, where the gradient is its square root or so.
    assert np.abs(H.T @ coef).max() < 1e-5
    values = np.ravel(solution.history.objective)
    assert_allclose(values[0], bound(np.zeros(len(y)))[0], rtol=1e-14)
    assert values[-1] == values.min() == solution.objective[0]
    assert len(values) == solution.n_iter + 1


def test_hinge_descends_to_the_optimum_of_a_linear_program():
    # p = 1: the mean hinge of all pairs, whose minimum a general solver finds from its epigraph form.
    X, y = real_data(34, n=40, d=2)
    M = (X[y == 1][:, None] - X[y == 0][None]).reshape(-1, 2)
    from scipy.optimize import linprog

    pairs = len(M)
    program = linprog(
        np.r_[np.zeros(2), np.full(pairs, 1 / pairs)],
        A_ub=-np.hstack([M, np.eye(pairs)]),
        b_ub=-np.ones(pairs),
        bounds=[(None, None)] * 2 + [(0, None)] * pairs,
    )
    model = PNormPush(p=1, loss="hinge", max_iter=2000).fit(X, y)
    assert program.fun <= model.objective_ <= program.fun * (1 + 1e-3)


@pytest.mark.parametrize("weak_rankers", ["features", "thresholds"])
@pytest.mark.parametrize(("loss", "price"), COMBINATIONS)
def test_every_combination_ranks(loss, price, weak_rankers):
    X, y = real_data(36, n=150, d=4, shift=2.5)
    model = PNormPush(p=4, price=price, loss=loss, weak_rankers=weak_rankers, n_thresholds=8, max_iter=50)
    scores = model.fit(X, y).decision_function(X)
    assert auc(y, scores, ties="error") > 0.9
    assert np.isfinite(scores).all()
    push = surrogate(loss, price, 4.0)
    assert_allclose(push.value_and_coef(scores, y)[0], model.objective_, rtol=1e-9)
    assert model.objective_ <= push.value_and_coef(np.zeros(150), y)[0]
    assert (model.predict(X) == 1).sum() == y.sum() or len(np.unique(scores)) < 150
    assert hasattr(model, "coef_") == (weak_rankers == "features")
    assert hasattr(model, "votes_") == (weak_rankers == "thresholds")


def test_step_functions_rank_what_no_linear_model_can():
    rng = np.random.default_rng(12)
    X = rng.uniform(-1, 1, (400, 2))
    y = (np.abs(X[:, 0]) < 0.3).astype(int)
    linear, steps = (
        auc(y, PNormPush(weak_rankers=w, max_iter=50).fit(X, y).decision_function(X), ties="error")
        for w in ("features", "thresholds")
    )
    assert linear < 0.7
    assert steps > 0.98


def test_line_derivatives_match_finite_differences():
    rng = np.random.default_rng(3)
    y = np.array([1, 0, 0, 1, 0, 1, 0, 0])
    for p in (1, 4, 16):
        for groups in (None, [0, 0, 0, 0, 1, 1, 1, 2]):
            bound = PNormPushExp(p).bind(y, groups)
            scores, direction = rng.normal(size=8), rng.normal(size=8)
            slope = bound.along(scores, direction)
            first, second = slope(0.7)
            h = 1e-5
            below, above = (bound(scores + (0.7 + s * h) * direction)[0] for s in (-1, 1))
            assert_allclose(first, (above - below) / (2 * h), rtol=1e-6)
            assert_allclose(second, (slope(0.7 + h)[0] - slope(0.7 - h)[0]) / (2 * h), rtol=1e-6)
            assert_allclose(first, bound(scores + 0.7 * direction)[1] @ direction, rtol=1e-12)


def test_estimator_is_the_solver():
    X, y = real_data(20)
    model = PNormPush(p=8, max_iter=30).fit(X, y == 1)
    solution = coordinate_descent(X, PNormPushExp(8).bind(y), max_iter=30)
    assert_array_equal(model.coef_, solution.coef[:, 0])
    assert model.objective_ == solution.objective[0]
    assert (model.n_iter_, model.status_) == (30, "max_iter")
    assert len(model.history_.objective) == 31
    assert_allclose(model.decision_function(X), X @ model.coef_ + model.intercept_)
    assert model.predict(X).sum() == y.sum()
    assert PNormPush(p=1, max_iter=5000).fit(X, y).status_ == "converged"
    steps = PNormPush(p=8, weak_rankers="thresholds", n_thresholds=4, max_iter=30).fit(X, y)
    solution = coordinate_descent(ThresholdRankers.at_quantiles(X, 4), PNormPushExp(8).bind(y), max_iter=30)
    assert_array_equal(np.concatenate(steps.votes_), solution.coef[:, 0])


def test_a_larger_push_serves_the_top():
    # One ranker is good but for a few negatives at its very top, the other weak but clean there.
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [60, 120])
    good = y + rng.normal(scale=0.4, size=180)
    good[-4:] = 2.0
    clean = rng.uniform(0, np.where(y == 1, 1.0, 0.6))
    X = np.column_stack([good, clean])

    def at_the_top(p):
        scores = PNormPush(p=p).fit(X, y).decision_function(X)
        return np.sum(scores[y == 1] > scores[y == 0].max())

    assert at_the_top(1) < at_the_top(4) < at_the_top(64)
