"""Coordinate ascent on the metric: it never falls, and ends where no step helps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attop.estimators import CoordinateAscent
from attop.metrics import get_metric, precision_at_k
from attop.solvers.descent.coordinate_ascent import coordinate_ascent
from oracles.bundle import sample


def ascend(X, value, **settings):
    given = {"n_starts": 1, "max_iter": 20, "rng": np.random.default_rng(0), **settings}
    return coordinate_ascent(X, value, **given)


def precision(y, k):
    return lambda scores: precision_at_k(y, scores, k)


@pytest.mark.parametrize("seed", range(6))
def test_the_value_never_falls_and_is_that_of_the_model(seed):
    X, y = sample(seed, n=60, n_pos=15, shift=0.7)
    X = np.round(X) if seed % 2 else X  # ties
    for value in (precision(y, 8), lambda s: get_metric("auc").value(y, s)):
        solution = ascend(X, value, n_starts=3)
        values = -np.ravel(solution.history.objective)
        assert (np.diff(values) >= 0).all()
        assert value(X @ solution.coef[:, 0]) == values[-1] == -solution.objective[0]
        assert solution.history.iteration == list(range(solution.n_iter + 1))
        # The first start is one of three: equal weights of standardised features.
        assert values[-1] >= value(X @ (1 / X.std(axis=0)))


def test_more_starts_are_never_worse():
    X, y = sample(1, n=60, d=6, n_pos=15, shift=0.3)
    best = -np.inf
    for n_starts in (1, 2, 4, 8):
        value = -ascend(X, precision(y, 10), n_starts=n_starts).objective[0]
        assert value >= best
        best = value


def test_two_features_reach_the_best_direction_there_is():
    for seed in range(5):
        X, y = sample(seed, n=30, d=2, n_pos=8, shift=0.8)
        angles = np.linspace(0, 2 * np.pi, 20001)
        directions = np.array([np.cos(angles), np.sin(angles)])
        order = np.argsort(-(X @ directions), axis=0)[:8]
        # One minus one item of eight: jumps narrower than the shortest step may be missed.
        best = y[order].mean(axis=0).max()
        assert -ascend(X, precision(y, 8), n_starts=10).objective[0] >= best - 1 / 8 - 1e-12


def test_at_the_end_no_step_along_a_coefficient_helps():
    X, y = sample(2, n=50, n_pos=12, shift=0.5)
    value = precision(y, 6)
    solution = ascend(X, value)
    assert solution.status == "converged"
    w = solution.coef[:, 0]
    for j in range(X.shape[1]):
        unit = (X @ w).std() / X[:, j].std()
        for step in [*(sign * unit * 2.0**i for i in range(-8, 5) for sign in (1, -1)), -w[j]]:
            assert value(X @ w + step * X[:, j]) <= -solution.objective[0]


def test_units_of_the_features_do_not_matter():
    X, y = sample(3, n=80, n_pos=20, shift=0.5)
    units = 2.0 ** np.array([-20, 0, 3, 40])
    plain = ascend(X, precision(y, 10), n_starts=3)
    scaled = ascend(X * units, precision(y, 10), n_starts=3)
    assert_allclose(scaled.coef[:, 0] * units, plain.coef[:, 0], rtol=1e-12)


def test_a_linear_value_of_one_feature_is_found_through_zero():
    X, y = sample(4, n=40, shift=0.0)
    X[:, 0] = 3.0 * y - 1  # this one alone ranks all
    X[:, 3] = 7.0  # constant: never touched
    solution = ascend(X, precision(y, int(y.sum())))
    assert solution.objective[0] == -1
    assert solution.coef[3, 0] == 0


def test_seeds_and_limits():
    X, y = sample(5, n=60, d=6, n_pos=15, shift=0.3)
    one, same = (ascend(X, precision(y, 10), n_starts=4) for _ in range(2))
    assert_array_equal(one.coef, same.coef)
    late = ascend(X, precision(y, 10), n_starts=4, time_limit=1e-9)
    assert late.status == "deadline"
    assert_allclose(late.coef[:, 0], 1 / X.std(axis=0))
    once = ascend(X, precision(y, 10), max_iter=1)
    assert (once.n_iter, once.status) == (1, "max_iter")
    constant = ascend(np.ones((60, 2)), precision(y, 10))
    assert not constant.coef.any()


# --- estimator ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["precision@k", "ap", "pap@k", "dcg@k", "last-rank"])
def test_estimator_reports_the_metric_of_its_training_items(metric):
    known = get_metric(metric)
    X, y = sample(6, n=60, n_pos=15, shift=0.7)
    groups = np.arange(60) % 3
    for given in (None, groups):
        model = CoordinateAscent(4, metric, n_starts=2).fit(X, y, given)
        value = known.group_mean(y, X @ model.coef_, 4, given).value
        assert model.value_ == value
        start = model.history_.objective[0][0]
        assert model.history_.objective[-1][0] <= start
        assert model.history_.objective[-1][0] == (-value if known.higher_is_better else value)


def test_refusals():
    X, y = sample(7)
    with pytest.raises(ValueError, match="n_starts must be an integer of at least 1"):
        CoordinateAscent(n_starts=0).fit(X, y)
    with pytest.raises(ValueError, match="precision@k is undefined: k > n"):
        CoordinateAscent(top=1000).fit(X, y)
    with pytest.raises(ValueError, match="precision@q"):
        CoordinateAscent(metric="precision@q").fit(X, y)
