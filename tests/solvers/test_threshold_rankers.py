"""Thresholds of features as weak rankers."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attop.estimators.pnorm_push import PNormPush
from attop.solvers.boosting.coordinate_descent import coordinate_descent
from attop.solvers.boosting.threshold_rankers import ThresholdRankers, choose_thresholds, score_by_steps
from attop.surrogates.pnorm_push import PNormPushExp
from oracles.push import push_pseudocode, real_data, threshold_matrix


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
