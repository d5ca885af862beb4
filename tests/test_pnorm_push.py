"""The p-norm push: surrogate, coordinate descent and estimator against the paper's pair-wise form."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import check_estimator

from attop.estimators.pnorm_push import PNormPush
from attop.solvers.coordinate_descent import LONGEST_STEP, coordinate_descent, line_search
from attop.surrogates.pnorm_push import PNormPushExp
from oracles_push import push_objective, push_pseudocode

POWERS = [1, 2, 4, 8, 16, 64]


def real_data(seed, n=50, d=6, share=0.4, shift=0.6):
    """Overlapping classes, features in [-1, 1]."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < share * n).astype(int)
    X = rng.normal(size=(n, d)) + shift * y[:, None] * rng.uniform(-1, 1, d)
    return MinMaxScaler((-1, 1)).fit_transform(X), y


def threshold_data(seed, n=60, d=3):
    """Two threshold rankers in {0, 1} per real feature."""
    X, y = real_data(seed, n, d)
    return np.hstack([np.quantile(X, q, axis=0) < X for q in (0.4, 0.7)]).astype(float), y


# --- surrogate -------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [1, 1.5, 2, 7, 64])
def test_value_is_log_of_the_sum_over_pairs(p):
    rng = np.random.default_rng(0)
    for n in (2, 3, 9, 20):
        y = rng.permutation(np.arange(n) < max(1, n // 3)).astype(int)
        for scores in (rng.normal(size=n), np.zeros(n), rng.integers(-1, 2, n).astype(float)):
            value, _ = PNormPushExp(p).value_and_coef(scores, y)
            # The oracle's power costs it p roundings of the logarithm.
            assert_allclose(value, np.log(push_objective(scores, y, p)), rtol=1e-12, atol=1e-12 * p)


@pytest.mark.parametrize("p", [1, 3.5, 64])
@pytest.mark.parametrize("grouped", [False, True])
def test_coef_is_the_gradient(p, grouped):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 30)
    groups = rng.integers(0, 4, 30) if grouped else None
    bound = PNormPushExp(p).bind(y, groups)
    scores = rng.normal(size=30)
    _, coef = bound(scores)
    h = 1e-6
    numeric = [(bound(scores + h * e)[0] - bound(scores - h * e)[0]) / (2 * h) for e in np.eye(30)]
    # Central differences: error p^3 h^2 of the formula, eps |value| / h of rounding.
    assert_allclose(coef, numeric, atol=1e-6 * p)


def test_gradient_is_the_papers_derivative():
    X, y = real_data(2, n=20, d=3)
    w = np.array([0.5, -1.0, 0.3])
    p = 4
    _, coef = PNormPushExp(p).value_and_coef(X @ w, y)
    M = X[y == 1][:, None] - X[y == 0][None]
    q = np.exp(-M @ w)
    derivative = p * np.einsum("k,ik,ikj->j", q.sum(0) ** (p - 1), q, -M)
    assert_allclose(X.T @ coef, derivative / push_objective(X @ w, y, p), rtol=1e-11)


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


def test_convex_on_random_segments():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 15)
    for p in (1, 2.5, 64):
        bound = PNormPushExp(p).bind(y)
        for _ in range(50):
            a, b = rng.normal(scale=5, size=(2, 15))
            t = rng.uniform()
            chord = t * bound(a)[0] + (1 - t) * bound(b)[0]
            assert bound(t * a + (1 - t) * b)[0] <= chord + 1e-12 * max(1, abs(chord))


def test_bounds_the_positives_at_or_below_the_highest_negative():
    rng = np.random.default_rng(5)
    for p in POWERS:
        y = rng.permutation([1] * 8 + [0] * 9)
        for _ in range(20):
            scores = rng.integers(-3, 4, 17).astype(float)
            r_max = np.sum(scores[y == 1] <= scores[y == 0].max())
            value, _ = PNormPushExp(p).value_and_coef(scores, y)
            assert np.exp(value / p) >= r_max * (1 - 1e-12)


@pytest.mark.parametrize("scale", [1e3, 1e6])
def test_huge_scores_do_not_overflow(scale):
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 40)
    scores = scale * rng.uniform(-1, 1, 40)
    value, coef = PNormPushExp(64).value_and_coef(scores, y)
    # Far apart, each log-sum-exp is its largest term.
    assert_allclose(value, 64 * (scores[y == 0].max() - scores[y == 1].min()), rtol=1e-3)
    assert np.isfinite(coef).all()
    assert_allclose([coef.sum(), np.abs(coef).sum()], [0, 128], atol=1e-11)


def test_batch_of_models_is_column_by_column():
    rng = np.random.default_rng(7)
    y, groups = rng.integers(0, 2, 25), rng.integers(0, 3, 25)
    scores = rng.normal(size=(25, 4))
    for given in (None, groups):
        bound = PNormPushExp(3).bind(y, given)
        values, coefs = bound(scores)
        assert values.shape == (4,)
        assert coefs.shape == (25, 4)
        for m in range(4):
            value, coef = bound(scores[:, m])
            assert_allclose(values[m], value, rtol=1e-14)
            assert_allclose(coefs[:, m], coef, rtol=1e-13)


def test_groups_are_averaged_and_one_sided_groups_left_out():
    y = np.array([1, 0, 0, 1, 1, 0, 1, 1, 0])
    groups = np.array(list("aabcccaad"))  # b and d have no positive
    scores = np.linspace(-1, 2, 9)
    bound = PNormPushExp(2).bind(y, groups)
    value, coef = bound(scores)
    parts = [PNormPushExp(2).value_and_coef(scores[groups == g], y[groups == g]) for g in "ac"]
    assert (bound.n_groups, bound.n_left_out) == (2, 2)
    assert_allclose(value, np.mean([v for v, _ in parts]))
    for g, (_, c) in zip("ac", parts, strict=True):
        assert_allclose(coef[groups == g], c / 2)
    assert_array_equal(coef[np.isin(groups, ["b", "d"])], 0)


def test_undefined_without_both_classes():
    with pytest.raises(ValueError, match="a positive and a negative"):
        PNormPushExp().bind([1, 1])
    with pytest.raises(ValueError, match="no group has a positive and a negative"):
        PNormPushExp().bind([1, 0], [0, 1])


@pytest.mark.parametrize("p", [0.99, 0, -1, np.nan, np.inf])
def test_p_below_one_or_not_finite_is_refused(p):
    with pytest.raises(ValueError, match="price would be concave"):
        PNormPushExp(p)


@pytest.mark.parametrize("p", ["4", None, True, [2]])
def test_p_must_be_a_number(p):
    with pytest.raises(TypeError, match="real number"):
        PNormPushExp(p)


# --- line search -----------------------------------------------------------------------------------


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


# --- solver ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("data", [real_data, threshold_data])
def test_path_is_the_papers(data, p):
    X, y = data(11)
    rounds = 25
    paper = push_pseudocode(X, y, p, rounds)
    assert paper.margin > 1e-6, "a near-tie would leave the paper's path to rounding"
    ours = coordinate_descent(X, PNormPushExp(p).bind(y), max_iter=rounds, tol=0)
    assert_array_equal(ours.coordinates, paper.coordinates)
    # Errors of one round enter the next; each line search is good to about 1e-14.
    assert_allclose(ours.steps, paper.steps, rtol=1e-9, atol=1e-11)
    assert_allclose(ours.coef[:, 0], paper.lambdas[-1], rtol=1e-10, atol=1e-11)
    objective = [push_objective(X @ lam, y, p) for lam in paper.lambdas]
    assert_allclose(np.ravel(ours.history.objective)[1:], np.log(objective), rtol=1e-11)


def test_figure_1s_normalisation_leaves_the_path_alone_but_overflows_for_large_p():
    X, y = real_data(11)
    text, figure = (push_pseudocode(X, y, 2, 4, normalisation=z) for z in ("text", "figure"))
    assert_array_equal(text.coordinates, figure.coordinates)
    assert_allclose(text.steps, figure.steps, rtol=1e-9)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        push_pseudocode(X, y, 64, 4, normalisation="figure")


@pytest.mark.parametrize("p", [1, 2, 4])
@pytest.mark.parametrize("data", [real_data, threshold_data])
def test_optimum_agrees_with_lbfgs(data, p):
    X, y = data(12)
    bound = PNormPushExp(p).bind(y)

    def objective(w):
        value, coef = bound(X @ w)
        return value, X.T @ coef

    other = minimize(
        objective,
        np.zeros(X.shape[1]),
        jac=True,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 5000},
    )
    ours = coordinate_descent(X, bound, max_iter=5000, tol=1e-9)
    assert ours.status == "converged"
    assert np.abs(objective(ours.coef[:, 0])[1]).max() <= 2e-9
    assert_allclose(ours.objective[0], other.fun, rtol=1e-11)
    # ftol lets L-BFGS stop at a gradient of about the square root of the rounding of its value.
    assert_allclose(ours.coef[:, 0], other.x, rtol=1e-3, atol=1e-4)


def test_each_round_minimises_exactly_and_never_climbs():
    X, y = real_data(13)
    for p in (1, 64):
        bound = PNormPushExp(p).bind(y)
        solution = coordinate_descent(X, bound, max_iter=40, tol=0)
        values = np.ravel(solution.history.objective)
        assert (np.diff(values) <= 1e-13 * np.abs(values[:-1])).all()
        lam = np.zeros(X.shape[1])
        for j, step in zip(solution.coordinates, solution.steps, strict=True):
            lam[j] += step
            assert abs(X[:, j] @ bound(X @ lam)[1]) < 1e-11 * p
        assert_allclose(solution.coef[:, 0], lam, rtol=1e-12)
        assert_allclose(solution.objective[0], values.min())


def test_two_hundred_rounds_at_p_64_are_finite():
    X, y = real_data(14, n=300, d=8)
    solution = coordinate_descent(X, PNormPushExp(64).bind(y), max_iter=200)
    assert np.isfinite(solution.coef).all()
    assert np.isfinite(solution.history.objective).all()
    assert_allclose(PNormPushExp(64).value_and_coef(X @ solution.coef, y)[0], solution.objective, rtol=1e-12)


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


def test_smallest_sample():
    solution = coordinate_descent(np.array([[0.5], [0.7]]), PNormPushExp(64).bind([1, 0]), max_iter=5)
    assert solution.coef[0, 0] < 0
    assert np.isfinite(solution.coef).all()


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


def test_stops_on_time_callback_and_tolerance():
    X, y = real_data(17)
    bound = PNormPushExp(4).bind(y)
    late = coordinate_descent(X, bound, time_limit=1e-9)
    assert (late.status, late.n_iter) == ("deadline", 0)
    assert np.isfinite(late.objective).all()

    seen = []

    def three(iteration, coef, objective):
        seen.append((iteration, coef.shape, objective.shape))
        return iteration == 3

    stopped = coordinate_descent(X, bound, callback=three)
    assert (stopped.status, stopped.n_iter) == ("stopped", 3)
    assert seen == [(i, (6, 1), (1,)) for i in range(4)]
    assert stopped.history.iteration == [0, 1, 2, 3]
    assert stopped.history.seconds == sorted(stopped.history.seconds)
    loose = coordinate_descent(X, bound, tol=1e-2)
    assert loose.status == "converged"
    assert loose.n_iter < coordinate_descent(X, bound, tol=1e-8, max_iter=2000).n_iter
    assert coordinate_descent(X, bound, max_iter=1).n_iter == 1


def test_deterministic_and_leaves_its_input_alone():
    X, y = real_data(18)
    before = X.copy()
    first, second = (coordinate_descent(X, PNormPushExp(4).bind(y)) for _ in range(2))
    assert_array_equal(first.coef, second.coef)
    assert_array_equal(X, before)
    fortran = coordinate_descent(np.asfortranarray(X), PNormPushExp(4).bind(y), max_iter=20)
    assert_array_equal(fortran.coordinates, first.coordinates[:20])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_iter": 0}, "max_iter"),
        ({"max_iter": 2.5}, "max_iter"),
        ({"tol": -1}, "tol"),
        ({"tol": np.nan}, "tol"),
        ({"time_limit": 0}, "time_limit"),
    ],
)
def test_solver_refuses_bad_parameters(change, message):
    X, y = real_data(19)
    with pytest.raises(ValueError, match=message):
        coordinate_descent(X, PNormPushExp().bind(y), **change)


def test_solver_refuses_other_shapes():
    X, y = real_data(19)
    with pytest.raises(ValueError, match=r"shape \(49, d\)"):
        coordinate_descent(X, PNormPushExp().bind(y[1:]))


# --- estimator -------------------------------------------------------------------------------------


def test_scikit_learn_checks():
    check_estimator(PNormPush())


def test_estimator_is_the_solver():
    X, y = real_data(20)
    model = PNormPush(p=8, max_iter=30).fit(X, np.where(y == 1, "yes", "no"))
    solution = coordinate_descent(X, PNormPushExp(8).bind(y), max_iter=30)
    assert_array_equal(model.coef_, solution.coef[:, 0])
    assert model.objective_ == solution.objective[0]
    assert (model.n_iter_, model.converged_) == (30, False)
    assert len(model.history_.objective) == 31
    assert_allclose(model.decision_function(X), X @ model.coef_ + model.intercept_)
    assert (model.predict(X) == "yes").sum() == y.sum()
    assert PNormPush(p=1, max_iter=5000).fit(X, y).converged_


def test_groups_are_ignored():
    X, y = real_data(21)
    model = PNormPush(max_iter=10)
    plain = model.fit(X, y).coef_
    assert_array_equal(model.fit(X, y, groups=np.arange(len(y)) % 5).coef_, plain)


def test_equal_settings_share_a_fit():
    X, y = real_data(22)
    settings = [{"p": 1}, {"p": 16}, {"p": 1.0}]
    models = PNormPush(max_iter=15).fit_many(X, y, settings=settings)
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


def test_estimator_refuses_bad_power():
    X, y = real_data(24)
    with pytest.raises(ValueError, match="concave"):
        PNormPush(p=0.5).fit(X, y)
