"""Pushes of every price and loss, threshold rankers, RankBoost, and the bound of theorem 2."""

import itertools
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from attop.diagnostics.push_bound import log_covering_number, margin_risk, push_bound
from attop.estimators.pnorm_push import PNormPush
from attop.estimators.rankboost import RankBoost
from attop.solvers.boosting.coordinate_descent import coordinate_descent
from attop.solvers.boosting.threshold_rankers import ThresholdRankers, choose_thresholds, score_by_steps
from attop.solvers.descent.lbfgs import lbfgs
from attop.surrogates.convex_push import HingePush, LogisticPush
from attop.surrogates.exp_push import ExpPushExp
from attop.surrogates.pnorm_push import PNormPushExp
from attop.surrogates.push_sums import hinge_sums, logistic_sums
from oracles.push import LOSSES, PRICES, push_pseudocode, push_value, real_data, threshold_matrix

COMBINATIONS = list(itertools.product(LOSSES, PRICES))
SMOOTH = [c for c in COMBINATIONS if c[0] != "hinge"]


def surrogate(loss, price, p=4.0):
    if loss == "exponential":
        return PNormPushExp(p) if price == "power" else ExpPushExp()
    return {"hinge": HingePush, "logistic": LogisticPush}[loss](price, p)


def nasty_list(rng):
    """Scores and labels of a short list: ties, kinks of the hinge, one-item classes, any scale."""
    n = int(rng.integers(2, 11))
    n_pos = int(rng.choice([1, n - 1, rng.integers(1, n)]))
    y = rng.permutation(np.arange(n) < n_pos).astype(int)
    kind = rng.integers(4)
    if kind == 0:
        return rng.integers(-2, 3, n).astype(float), y
    if kind == 1:
        return rng.choice([-1.0, 0.0, 0.5], n), y
    return rng.normal(scale=rng.choice([1e-3, 1.0, 4.0]), size=n), y


# --- surrogates ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("loss", "price"), COMBINATIONS)
def test_value_is_the_sum_over_pairs(loss, price):
    rng = np.random.default_rng(0)
    for _ in range(200):
        scores, y = nasty_list(rng)
        p = rng.choice([1.0, 1.5, 2.0, 7.0, 64.0])
        value, coef = surrogate(loss, price, p).value_and_coef(scores, y)
        # A few roundings of numbers of size max |s| and 1; log F also of its p summands.
        scale = max(1.0, np.abs(scores).max()) * (p if (loss, price) == ("exponential", "power") else 1.0)
        assert_allclose(value, push_value(scores, y, loss, price, p), rtol=1e-13, atol=1e-14 * scale)
        assert coef.shape == scores.shape
        assert abs(coef.sum()) <= 1e-12 * max(1.0, np.abs(coef).sum())
        assert (coef[y == 1] <= 0).all()
        assert (coef[y == 0] >= 0).all()


@pytest.mark.parametrize(("loss", "price"), SMOOTH)
@pytest.mark.parametrize("p", [1.0, 3.5, 64.0])
def test_coef_is_the_gradient(loss, price, p):
    rng = np.random.default_rng(1)
    for _ in range(10):
        scores, y = nasty_list(rng)
        bound = surrogate(loss, price, p).bind(y)
        h = 1e-5
        differences = [
            (bound(scores + h * e)[0] - bound(scores - h * e)[0]) / (2 * h) for e in np.eye(len(y))
        ]
        value, coef = bound(scores)
        # The formula's error is h^2 times a third derivative of at most about p^2 times the slope.
        slope = np.abs(coef).max()
        assert_allclose(coef, differences, atol=1e-9 * (1 + p**2) * (1 + slope) + 1e-10 * abs(value))


@pytest.mark.parametrize(("loss", "price"), COMBINATIONS)
def test_subgradient_lies_below_everywhere(loss, price):
    rng = np.random.default_rng(2)
    for _ in range(200):
        a, y = nasty_list(rng)
        bound = surrogate(loss, price, rng.choice([1.0, 2.0, 64.0])).bind(y)
        value, coef = bound(a)
        for b in (a + rng.normal(scale=rng.choice([0.01, 1.0, 10.0]), size=len(a)), rng.permutation(a)):
            there = bound(b)[0]
            assert there >= value + coef @ (b - a) - 1e-12 * (abs(value) + np.abs(coef) @ np.abs(b - a) + 1)


def test_a_mean_instead_of_the_sum_would_not_be_convex_under_two_logarithms():
    # The remark in ExpPushExp: log log of the mean over k has a chord below it, log log of the sum none.
    v = np.full(1000, -20.0)
    centre, h = np.log(np.log(1000.0)), 0.2

    def values(minus):
        def value(top):
            u = np.exp(np.append(v, top))
            return np.log(np.log(np.exp(u).sum()) - minus)

        return value(centre - h) + value(centre + h) - 2 * value(centre)

    assert values(np.log(1001)) < -1e-3
    assert values(0.0) >= 0


def test_logarithm_of_the_norm_would_not_be_convex_for_the_hinge():
    y = np.array([1, 0])
    a, b = np.array([0.0, 0.5]), np.array([0.0, -0.9])
    value = [HingePush(p=2).value_and_coef(s, y)[0] for s in (a, (a + b) / 2, b)]
    assert value[1] <= (value[0] + value[2]) / 2 + 1e-15
    assert np.log(value[1]) > (np.log(value[0]) + np.log(value[2])) / 2


@pytest.mark.parametrize(("loss", "price"), COMBINATIONS)
def test_bounds(loss, price):
    rng = np.random.default_rng(3)
    for _ in range(100):
        scores, y = nasty_list(rng)
        p = rng.choice([1.0, 4.0, 64.0])
        value = surrogate(loss, price, p).value_and_coef(scores, y)[0]
        below = (scores[y == 1] <= scores[y == 0][:, None]).sum(axis=1)
        n_pos, n_neg = (y == 1).sum(), (y == 0).sum()
        if loss == "exponential":
            at_least = np.exp(value / p) if price == "power" else np.exp(value)
            assert at_least >= below.max() * (1 - 1e-12)
        elif price == "power":
            assert value >= ((below / n_pos) ** p).mean() ** (1 / p) - 1e-12
            assert value >= below.max() / n_pos / n_neg ** (1 / p) - 1e-12
        else:
            assert value >= np.log(np.exp(below).mean()) / n_pos - 1e-12
        if loss != "exponential":
            assert value >= below.mean() / n_pos - 1e-12


@pytest.mark.parametrize(("loss", "price"), COMBINATIONS)
@pytest.mark.parametrize("scale", [1e3, 1e6])
def test_long_margins_do_not_overflow(loss, price, scale):
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 40)
    for scores in (scale * rng.uniform(-1, 1, 40), scale * (2.0 * y - 1), scale * (1.0 - 2 * y)):
        value, coef = surrogate(loss, price, 64.0).value_and_coef(scores, y)
        assert np.isfinite(value)
        assert np.isfinite(coef).all()
    worst = scores[y == 0].max() - scores[y == 1].min()
    if loss == "exponential":
        # Every pair is misranked by the same margin: all that is left is the number of terms.
        factor = 64 if price == "power" else 1
        assert_allclose(value, factor * (worst + np.log(y.sum())), rtol=1e-2)
    else:
        assert_allclose(value, worst / np.log(2) if loss == "logistic" else worst + 1, rtol=1e-12)


@pytest.mark.parametrize(("loss", "price"), COMBINATIONS)
def test_perfect_ranking_by_far(loss, price):
    y = np.array([1, 0, 1, 0, 0])
    value, coef = surrogate(loss, price, 8.0).value_and_coef(2000.0 * y, y)
    if loss == "exponential":
        # log F falls by p times the margin; log log F towards log log K, from which F is exp(0) each.
        expected = 8 * (np.log(2) - 2000) + np.log(3) if price == "power" else np.log(np.log(3))
        assert_allclose(value, expected, rtol=1e-12)
    else:
        assert value == 0
        assert_array_equal(coef, 0)


@pytest.mark.parametrize(("loss", "price"), COMBINATIONS)
def test_batch_of_models_is_column_by_column(loss, price):
    rng = np.random.default_rng(5)
    y, groups = rng.integers(0, 2, 25), rng.integers(0, 3, 25)
    scores = rng.normal(size=(25, 4))
    for given in (None, groups):
        bound = surrogate(loss, price, 3.0).bind(y, given)
        values, coefs = bound(scores)
        assert values.shape == (4,)
        assert coefs.shape == (25, 4)
        for m in range(4):
            value, coef = bound(scores[:, m])
            assert isinstance(value, float)
            assert_allclose(values[m], value, rtol=1e-13)
            assert_allclose(coefs[:, m], coef, rtol=1e-12)


@pytest.mark.parametrize(("loss", "price"), COMBINATIONS)
def test_groups_are_averaged_and_one_sided_groups_left_out(loss, price):
    y = np.array([1, 0, 0, 1, 1, 0, 1, 1, 0])
    groups = np.array(list("aabcccaad"))  # b and d have no positive
    scores = np.linspace(-1, 2, 9)
    push = surrogate(loss, price, 2.0)
    bound = push.bind(y, groups)
    value, coef = bound(scores)
    parts = [push.value_and_coef(scores[groups == g], y[groups == g]) for g in "ac"]
    assert (bound.n_groups, bound.n_left_out) == (2, 2)
    assert_allclose(value, np.mean([v for v, _ in parts]), rtol=1e-14)
    for g, (_, c) in zip("ac", parts, strict=True):
        assert_allclose(coef[groups == g], c / 2, rtol=1e-14)
    assert_array_equal(coef[np.isin(groups, ["b", "d"])], 0)
    with pytest.raises(ValueError, match="a positive and a negative"):
        push.bind([1, 1])


def test_prices_and_declarations():
    for loss, price in COMBINATIONS:
        push = surrogate(loss, price)
        assert push.convex
        assert push.smooth == (loss != "hinge")
        assert push.bounds == (None if loss == "exponential" else "AUC")
        if loss != "exponential":
            assert push.value_and_coef([0.3, 0.3, 0.3], [1, 0, 0])[0] == pytest.approx(1, abs=1e-15)
    assert repr(HingePush("exp")) == "HingePush(price='exp', p=4.0)"
    with pytest.raises(ValueError, match="'power' or 'exp', got 'cubic'"):
        HingePush("cubic")
    with pytest.raises(ValueError, match="price would be concave"):
        LogisticPush(p=0.5)


def test_hinge_sums_keep_their_digits_far_from_zero():
    # A difference of prefix sums would leave about four digits of these sums, and p = 64 none.
    rng = np.random.default_rng(6)
    offset = 2.0**20
    pos = offset + 1 + rng.integers(0, 2**10, 3000) * 2.0**-30  # exact in floating point
    neg = offset + rng.integers(0, 2**10, 50) * 2.0**-30
    exact = np.maximum(1 - (pos - neg[:, None]), 0).sum(axis=1)
    assert_allclose(hinge_sums(pos, neg, np.ones(len(pos)))[0], exact, rtol=1e-12)


@pytest.mark.parametrize("size", [1, 7, 40, 10**6])
def test_block_size_does_not_change_logistic_sums(size):
    rng = np.random.default_rng(7)
    pos, neg, weight = rng.normal(size=7), rng.normal(size=23), rng.uniform(size=23)
    sums, pull_back = logistic_sums(pos, neg, np.ones(len(pos)))
    again, pull_back_again = logistic_sums(pos, neg, np.ones(len(pos)), size)
    assert_allclose(again, sums, rtol=1e-15)
    for one, other in zip(pull_back(weight), pull_back_again(weight), strict=True):
        assert_allclose(other, one, rtol=1e-14)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_pairs_are_never_held_at_once(loss):
    rng = np.random.default_rng(8)
    y = np.arange(5000) % 2
    bound = surrogate(loss, "power").bind(y)
    scores = rng.normal(size=5000)
    tracemalloc.start()
    try:
        bound(scores)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2500 * 2500 * 8 / 4


def test_line_along_a_boolean_direction_is_the_line_along_its_numbers():
    rng = np.random.default_rng(14)
    for _ in range(100):
        scores, y = nasty_list(rng)
        n = len(y)
        bound = PNormPushExp(rng.choice([1.0, 4.0, 64.0])).bind(np.tile(y, 3), np.repeat([2, 0, 1], n))
        scores = np.concatenate([scores, -scores, scores + 1])
        moves = rng.uniform(size=3 * n) < rng.choice([0.1, 0.5, 1.0])
        step = rng.normal()
        fast, plain = (bound.along(scores, direction)(step) for direction in (moves, moves.astype(float)))
        assert_allclose(fast, plain, rtol=1e-11, atol=1e-13)


# --- thresholds ------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("n_thresholds", [0, -1, 2.0, True, "4"])
def test_bad_number_of_thresholds(n_thresholds):
    X, y = real_data(30)
    with pytest.raises(ValueError, match="n_thresholds"):
        PNormPush(weak_rankers="thresholds", n_thresholds=n_thresholds).fit(X, y)


@pytest.mark.parametrize("n_thresholds", [1, 5, 300, None])
def test_threshold_rankers_are_their_matrix(n_thresholds):
    rng = np.random.default_rng(10)
    X = np.column_stack([rng.normal(size=700), rng.integers(0, 4, 700), np.ones(700)])
    rankers = ThresholdRankers(X, n_thresholds)
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
        score_by_steps(fresh, rankers.thresholds, votes),
        threshold_matrix(fresh, rankers.thresholds) @ w,
        atol=1e-12,
    )


def test_a_threshold_at_a_value_is_not_exceeded_by_it():
    x = np.array([1.0, np.nextafter(1.0, 2.0)])  # no number lies between, so the lower is the threshold
    rankers = ThresholdRankers(x[:, None], None)
    assert_array_equal(rankers.column(0), [False, True])
    assert_array_equal(score_by_steps(x[:, None], rankers.thresholds, [np.array([3.0])]), [0, 3])


@pytest.mark.parametrize("p", [1, 2, 4, 16])
def test_threshold_path_is_the_papers_on_the_matrix(p):
    X, y = real_data(31, n=80, d=3, shift=0.9)
    rankers = ThresholdRankers(X, 4)
    rounds = 20
    paper = push_pseudocode(threshold_matrix(X, rankers.thresholds), y, p, rounds)
    assert paper.margin > 1e-6, "a near-tie would leave the paper's path to rounding"
    ours = coordinate_descent(rankers, PNormPushExp(p).bind(y), max_iter=rounds, tol=0)
    assert_array_equal(ours.coordinates, paper.coordinates)
    assert_allclose(ours.steps, paper.steps, rtol=1e-8, atol=1e-10)
    model = PNormPush(p=p, weak_rankers="thresholds", n_thresholds=4, max_iter=rounds, tol=0).fit(X, y)
    assert_allclose(np.concatenate(model.votes_), paper.lambdas[-1], rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("p", [1, 2, 64])
def test_steps_of_binary_rankers_have_a_closed_form(p):
    X, y = real_data(32, n=80, d=3, shift=0.9)
    rankers = ThresholdRankers(X, 4)
    H = threshold_matrix(X, rankers.thresholds)
    path = coordinate_descent(rankers, PNormPushExp(p).bind(y), max_iter=15, tol=0)
    lam = np.zeros(H.shape[1])
    for j, step in zip(path.coordinates, path.steps, strict=True):
        q = np.exp(-(H[y == 1] @ lam)[:, None] + p * (H[y == 0] @ lam))
        M = H[y == 1][:, None, j] - H[y == 0][None, :, j]
        # For p = 1 RankBoost's 1/2 log(W+ / W-). The factorisation extends it to any p, with
        # q = exp(-f(x_i) + p f(x_k)) for the weights of the pairs and p + 1 for 2.
        expected = np.log(q[M == 1].sum() / q[M == -1].sum()) / (p + 1)
        assert_allclose(step, expected, rtol=1e-9, atol=1e-12)
        lam[j] += step


def test_thresholds_hold_less_than_the_features():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(20_000, 10))
    y = (X[:, 0] + rng.normal(size=20_000) > 1).astype(int)
    ThresholdRankers(X[:10], 32).correlate(y[:10].astype(float))  # compiled before memory is measured
    tracemalloc.start()
    try:
        rankers = ThresholdRankers(X, 32)
        held = tracemalloc.get_traced_memory()[0]
        coordinate_descent(rankers, PNormPushExp(4).bind(y), max_iter=2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert held < X.nbytes / 6
    assert peak < 1.5 * X.nbytes  # some arrays of length n; the matrix would be 32 times X


# --- solvers and estimators ------------------------------------------------------------------------


@pytest.mark.parametrize("weak_rankers", ["features", "thresholds"])
@pytest.mark.parametrize(("loss", "price"), SMOOTH)
def test_lbfgs_finds_a_stationary_point(loss, price, weak_rankers):
    X, y = real_data(33, n=120, d=3, shift=0.7)
    rankers = X if weak_rankers == "features" else ThresholdRankers(X, 2)
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


def test_lbfgs_stops_on_time_and_callback():
    X, y = real_data(35)
    bound = LogisticPush().bind(y)
    assert lbfgs(X, bound, time_limit=1e-9).status == "deadline"
    seen = []

    def third(iteration, coef, objective):
        seen.append((iteration, coef.shape, objective.shape))
        return iteration == 3

    stopped = lbfgs(X, bound, callback=third)
    assert (stopped.status, stopped.n_iter) == ("stopped", 3)
    assert seen == [(i, (6, 1), (1,)) for i in range(4)]
    assert lbfgs(X, bound, max_iter=2).status == "max_iter"
    assert lbfgs(X, bound, callback=lambda *_: True).status == "stopped"
    for change in ({"max_iter": 0}, {"tol": -1}, {"time_limit": 0}):
        with pytest.raises(ValueError, match=next(iter(change))):
            lbfgs(X, bound, **change)
    with pytest.raises(ValueError, match=r"shape \(49, d\)"):
        lbfgs(X, LogisticPush().bind(y[1:]))


@pytest.mark.parametrize("weak_rankers", ["features", "thresholds"])
@pytest.mark.parametrize(("loss", "price"), COMBINATIONS)
def test_every_combination_ranks(loss, price, weak_rankers):
    X, y = real_data(36, n=150, d=4, shift=2.5)
    model = PNormPush(p=4, price=price, loss=loss, weak_rankers=weak_rankers, n_thresholds=8, max_iter=50)
    scores = model.fit(X, y).decision_function(X)
    assert margin_risk(scores, y, theta=0, p=1) < 0.1
    assert np.isfinite(scores).all()
    push = surrogate(loss, price, 4.0)
    assert_allclose(push.value_and_coef(scores, y)[0], model.objective_, rtol=1e-9)
    assert model.objective_ <= push.value_and_coef(np.zeros(150), y)[0]
    assert (model.predict(X) == 1).sum() == y.sum() or len(np.unique(scores)) < 150
    assert hasattr(model, "coef_") == (weak_rankers == "features")
    assert hasattr(model, "votes_") == (weak_rankers == "thresholds")


@pytest.mark.parametrize("estimator", [PNormPush(max_iter=20), RankBoost(max_iter=20)])
def test_decision_function_of_thresholds_is_the_sum_of_votes(estimator):
    X, y = real_data(37)
    fresh = np.vstack([X, 3 * np.random.default_rng(0).normal(size=(40, 6))])
    model = estimator.set_params(weak_rankers="thresholds", n_thresholds=5).fit(X, y)
    explicit = np.full(len(fresh), model.intercept_)
    for i, x in enumerate(fresh):
        for j, (thresholds, votes) in enumerate(zip(model.thresholds_, model.votes_, strict=True)):
            for t, vote in zip(thresholds, votes, strict=True):
                explicit[i] += vote if x[j] > t else 0.0
    assert_allclose(model.decision_function(fresh), explicit, atol=1e-12)


def test_step_functions_rank_what_no_linear_model_can():
    rng = np.random.default_rng(12)
    X = rng.uniform(-1, 1, (400, 2))
    y = (np.abs(X[:, 0]) < 0.3).astype(int)
    linear, steps = (
        margin_risk(PNormPush(weak_rankers=w, max_iter=50).fit(X, y).decision_function(X), y, theta=0, p=1)
        for w in ("features", "thresholds")
    )
    assert linear > 0.3
    assert steps < 0.02


def test_rounds_share_a_path():
    X, y = real_data(38)
    for weak_rankers in ("features", "thresholds"):
        model = PNormPush(weak_rankers=weak_rankers, n_thresholds=3)
        settings = [{"max_iter": 5}, {"max_iter": 30}, {"max_iter": 1}, {"max_iter": 5, "p": 1}]
        for got, setting in zip(model.fit_many(X, y, settings=settings), settings, strict=True):
            alone = PNormPush(weak_rankers=weak_rankers, n_thresholds=3).set_params(**setting).fit(X, y)
            assert_array_equal(got.decision_function(X), alone.decision_function(X))
            assert (got.n_iter_, got.objective_) == (alone.n_iter_, alone.objective_)
            assert got.status_ == alone.status_
            assert got.history_.objective == alone.history_.objective
    with pytest.raises(ValueError, match="max_iter"):
        PNormPush().fit_many(X, y, settings=[{"max_iter": 0}, {"max_iter": 5}])


def test_rankboost_is_the_push_without_push():
    X, y = real_data(39)
    for weak_rankers in ("features", "thresholds"):
        boost = RankBoost(weak_rankers, max_iter=15).fit(X, y)
        push = PNormPush(p=1, weak_rankers=weak_rankers, max_iter=15).fit(X, y)
        assert_array_equal(boost.decision_function(X), push.decision_function(X))
    assert set(RankBoost().get_params()) == {"weak_rankers", "n_thresholds", "max_iter", "tol", "time_limit"}


@pytest.mark.parametrize("weak_rankers", ["features", "thresholds"])
@pytest.mark.parametrize(("loss", "price"), COMBINATIONS)
def test_constant_features_leave_nothing_to_learn(loss, price, weak_rankers):
    y = np.array([0, 1, 0, 1])
    model = PNormPush(price=price, loss=loss, weak_rankers=weak_rankers).fit(np.ones((4, 2)), y)
    assert_array_equal(model.decision_function(np.ones((3, 2))), 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"loss": "square"}, "loss must be one of exponential, logistic, hinge, got 'square'"),
        ({"price": "cubic"}, "price must be one of power, exp, got 'cubic'"),
        ({"weak_rankers": "trees"}, "weak_rankers must be one of features, thresholds, got 'trees'"),
        ({"loss": "hinge", "p": 0.5}, "at least 1"),
        ({"loss": "hinge", "eta": 0}, "eta"),
    ],
)
def test_bad_parameters(change, message):
    X, y = real_data(40)
    with pytest.raises(ValueError, match=message):
        PNormPush(**change).fit(X, y)


# --- theorem 2 -------------------------------------------------------------------------------------


def test_margin_risk_is_its_definition():
    rng = np.random.default_rng(13)
    for _ in range(200):
        scores, y = nasty_list(rng)
        theta, p = rng.choice([0.0, 0.5, 1.0]), rng.choice([1.0, 2.5, 64.0])
        shares = [
            np.mean([positive <= negative + theta for positive in scores[y == 1]])
            for negative in scores[y == 0]
        ]
        assert_allclose(
            margin_risk(scores, y, theta=theta, p=p), np.mean(np.power(shares, p)) ** (1 / p), atol=1e-15
        )
    for push in (HingePush(p=3), LogisticPush(p=3)):
        assert push.value_and_coef(scores, y)[0] >= margin_risk(scores, y, theta=0, p=3)
    with pytest.raises(ValueError, match="a positive and a negative"):
        margin_risk([1.0, 2.0], [0, 0], theta=0, p=1)
    with pytest.raises(ValueError, match="shape"):
        margin_risk([1.0], [0, 1], theta=0, p=1)


def test_bound_by_hand():
    # epsilon = 2, theta = 1, p = 1: radius 1/4, so 9^3 balls; (2/4)^2 = 1/4; 2^2 / 8 = 1/2.
    bound = push_bound(2.0, 1.0, p=1, n_pos=40, n_neg=60, n_rankers=3)
    assert_allclose(np.exp(bound.log_covering), 9**3, rtol=1e-13)
    assert bound.log_negatives == -2 * 60 / 4
    assert bound.log_positives == -40 / 2
    assert_allclose(bound.failure, 2 * 729 * (np.exp(-30) + np.exp(-20)), rtol=1e-12)
    # p = 2: (1/2)^4 = 1/16, so exp(-7.5), and the bound says nothing.
    weak = push_bound(2.0, 1.0, p=2, n_pos=40, n_neg=60, n_rankers=3)
    assert weak.log_negatives == -7.5
    assert_allclose(weak.log_failure, np.log(2 * 729 * (np.exp(-7.5) + np.exp(-20))), rtol=1e-12)
    assert 0 < weak.failure < 1
    assert push_bound(0.5, 1.0, p=64, n_pos=40, n_neg=60, n_rankers=3).failure == 1
    assert log_covering_number(1.0, 5) == 0
    assert_allclose(log_covering_number(0.5, 2), np.log(25))


def test_bound_is_monotone():
    start = {"epsilon": 0.5, "theta": 0.8, "p": 2.0, "n_pos": 3000, "n_neg": 200_000, "n_rankers": 8}

    def failure(**change):
        return push_bound(**{**start, **change}).log_failure

    for name, smaller in [("n_pos", 6000), ("n_neg", 400_000), ("epsilon", 0.6), ("theta", 1.0)]:
        assert failure(**{name: smaller}) < failure()
    for name, larger in [("p", 2.5), ("n_rankers", 9)]:
        assert failure(**{name: larger}) > failure()
    # Section 3: a power more asks for (4 / epsilon)^2 times the negatives.
    more = push_bound(**{**start, "p": 3.0, "n_neg": 64 * start["n_neg"]})
    assert_allclose(more.log_negatives, push_bound(**start).log_negatives, rtol=1e-12)


@pytest.mark.parametrize(
    "change",
    [{"epsilon": 0}, {"theta": -1}, {"p": 0.5}, {"n_pos": 0}, {"n_neg": 2.5}, {"n_rankers": 0}],
)
def test_bound_refuses(change):
    start = {"epsilon": 0.5, "theta": 1.0, "p": 1, "n_pos": 10, "n_neg": 10, "n_rankers": 2}
    with pytest.raises(ValueError, match=next(iter(change))):
        push_bound(**{**start, **change})


def test_lbfgs_agrees_with_coordinate_descent_on_the_papers_objective():
    X, y = real_data(41)
    bound = PNormPushExp(4).bind(y)
    ours = lbfgs(X, bound, max_iter=5000, tol=1e-9)
    other = coordinate_descent(X, bound, max_iter=5000, tol=1e-9)
    assert_allclose(ours.objective, other.objective, rtol=1e-11)
    plain = minimize(lambda w: bound(X @ w)[0], np.zeros(6), method="Nelder-Mead", options={"maxfev": 8000})
    assert ours.objective[0] <= plain.fun + 1e-9
