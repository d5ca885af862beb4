"""The p-norm push: surrogate against the paper's sum over pairs, and estimator."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from attop.estimators.pnorm_push import PNormPush
from attop.solvers.boosting.coordinate_descent import coordinate_descent
from attop.surrogates.pnorm_push import PNormPushExp
from oracles.push import real_data


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
    model = PNormPush(p=8, max_iter=30).fit(X, np.where(y == 1, "yes", "no"))
    solution = coordinate_descent(X, PNormPushExp(8).bind(y), max_iter=30)
    assert_array_equal(model.coef_, solution.coef[:, 0])
    assert model.objective_ == solution.objective[0]
    assert (model.n_iter_, model.status_) == (30, "max_iter")
    assert len(model.history_.objective) == 31
    assert_allclose(model.decision_function(X), X @ model.coef_ + model.intercept_)
    assert (model.predict(X) == "yes").sum() == y.sum()
    assert PNormPush(p=1, max_iter=5000).fit(X, y).status_ == "converged"


def test_equal_settings_share_a_fit():
    X, y = real_data(22)
    settings = [{"p": 1}, {"p": 16}, {"p": 1.0}]
    models = PNormPush(max_iter=15).fit_many(X, y, candidates=settings)
    assert models[0].history_ is models[2].history_
    for model, setting in zip(models, settings, strict=True):
        assert_array_equal(model.coef_, PNormPush(max_iter=15).set_params(**setting).fit(X, y).coef_)


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
