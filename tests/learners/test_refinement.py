"""What SoftTop is made of, against scikit-learn, scipy and definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime, minimize
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from attop._core.top import Top
from attop.learners.soft_top._bases import PointwiseBases, newton_path
from attop.learners.soft_top._lbfgs_many import lbfgs_many
from attop.learners.soft_top._refinement import RefinedRows, precision_about, refine
from attop.learners.soft_top._search import subsampled
from attop.learners.soft_top._standardised import standardise
from attop.metrics._held_out import TopPrecision
from attop.surrogates import SoftPrecAtK
from oracles.metrics import smoothed_precision
from support.misspecified import misspecified


def sample(y, groups=None, weight=None):
    return RefinedRows(np.arange(len(y)), y, groups, weight)


X, Y = misspecified()
ALL = sample(Y)
Z = StandardScaler().fit_transform(X)


def test_standardised_features_are_those_of_scikit_learn():
    rng = np.random.default_rng(2)
    # More rows than are made at a time, other units, a constant, and weights that leave rows out.
    raw = rng.normal(size=(5000, 5)) * [1.0, 1e-200, 1e200, 3.0, 0.0] + [0.0, 0.0, 0.0, 1e6, 7.0]
    weight, W, C = rng.integers(0, 3, 5000), rng.normal(size=(5, 2)), rng.normal(size=(5000, 2))
    shown = raw / [1.0, 1e-200, 1e200, 1.0, 1.0]  # whose squares overflow in scikit-learn
    want = StandardScaler().fit(shown, sample_weight=weight).transform(shown)
    Z, scale = standardise(raw, weight)
    assert_allclose(Z[:], want, atol=1e-8)
    assert_array_equal(Z[[4000, 3]], Z[:][[4000, 3]])
    for ours, theirs in ((Z @ W, want @ W), (Z @ W[:, 0], want @ W[:, 0]), (Z.T @ C, want.T @ C)):
        assert_allclose(ours, theirs, atol=1e-6)
    assert_allclose(
        scale,
        np.sqrt(np.cov(shown.T, aweights=weight, bias=True).diagonal()) * [1.0, 1e-200, 1e200, 1.0, 0.0]
        + [0.0, 0.0, 0.0, 0.0, 7.0],
    )


def test_sparse_features_are_divided_as_dense_ones_are():
    sparse, dense_scale = csr_matrix(np.where(X > 0, X, 0.0)), standardise(np.where(X > 0, X, 0.0), Y)[1]
    before = sparse.copy()
    divided, scale = standardise(sparse, Y)
    assert_allclose(scale, dense_scale)
    assert_allclose(divided.toarray(), sparse.toarray() / scale)
    assert (sparse != before).nnz == 0


def test_what_is_learnt_from_blocks_of_rows_is_what_is_learnt_from_all():
    blocks, _ = standardise(X, np.ones(len(Y)))
    bases = PointwiseBases()
    assert_allclose(bases.fit(blocks, ALL, [3, 20]), bases.fit(Z, ALL, [3, 20]), atol=1e-6)
    start = bases.fit(Z, ALL, [3])[:, 0]
    setting = np.array([1.0]), np.array([0.03])
    refined = [refine(features, ALL, Top(k=40), start, *setting) for features in (blocks, Z)]
    assert_allclose(*refined, atol=1e-3)


def test_logistic_regression_is_that_of_scikit_learn():
    weight = np.random.default_rng(1).integers(0, 3, len(Y)).astype(float)
    Cs = [10.0, 0.01, 1.0]
    coef = newton_path(X, Y, weight, Cs, "logistic")
    for j, C in enumerate(Cs):
        theirs = LogisticRegression(C=C, tol=1e-10, max_iter=2000).fit(X, Y, weight)
        assert_allclose(coef[:, j], theirs.coef_[0], atol=1e-5)


def test_squared_hinge_is_that_of_scikit_learn():
    coef = newton_path(Z, Y, np.ones(len(Y)), [0.1], "squared-hinge")[:, 0]
    # Its intercept is penalised: hardly, where it is the coefficient of a large constant.
    theirs = LinearSVC(C=0.1, dual=False, tol=1e-10, intercept_scaling=1e3, max_iter=10**5).fit(Z, Y)
    assert_allclose(coef, theirs.coef_[0], atol=1e-5)


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge"])
def test_products_with_the_hessian_lead_where_its_factors_do(loss):
    dense = newton_path(Z, Y, np.ones(len(Y)), [0.01, 1.0], loss)
    assert_allclose(newton_path(csr_matrix(Z), Y, np.ones(len(Y)), [0.01, 1.0], loss), dense, atol=1e-6)


def test_separable_and_constant_features():
    for loss in ("logistic", "squared-hinge"):
        coef = newton_path(np.c_[Y, np.zeros(len(Y))], Y, np.ones(len(Y)), [100.0], loss)
        assert coef[0, 0] > 1
        assert coef[1, 0] == 0


def test_each_model_finds_its_minimum_whatever_its_neighbours_do():
    rng = np.random.default_rng(2)
    A = [np.diag(rng.uniform(0.1, 10, 6)) for _ in range(5)]
    b = rng.normal(size=(6, 5)) * 10.0 ** np.arange(-2, 3)

    def quadratics(columns):
        def objective(W, models):
            which = columns[models]
            gradient = np.column_stack([A[j] @ W[:, i] for i, j in enumerate(which)]) - b[:, which]
            return np.array(
                [0.5 * W[:, i] @ A[j] @ W[:, i] - b[:, j] @ W[:, i] for i, j in enumerate(which)]
            ), gradient

        return objective

    together, values = lbfgs_many(quadratics(np.arange(5)), np.zeros((6, 5)), max_iter=200, tol=0.0)
    for j in range(5):
        assert_allclose(together[:, j], np.linalg.solve(A[j], b[:, j]), rtol=1e-6)
        alone, value = lbfgs_many(quadratics(np.array([j])), np.zeros((6, 1)), max_iter=200, tol=0.0)
        assert_allclose(alone[:, 0], together[:, j], rtol=1e-9)
        assert value[0] == pytest.approx(values[j])


def test_a_valley_that_is_not_convex():
    asked = []

    def rosenbrock(W, models):
        asked.append(len(models))
        x, z = W
        return (1 - x) ** 2 + 100 * (z - x**2) ** 2, np.array(
            [-2 * (1 - x) - 400 * x * (z - x**2), 200 * (z - x**2)]
        )

    W, value = lbfgs_many(rosenbrock, np.array([[-1.2, 3.0, 0.0], [1.0, -1.0, 0.0]]), max_iter=400, tol=0.0)
    assert_allclose(W, 1.0, atol=1e-4)
    assert (value < 1e-8).all()
    assert asked == sorted(asked, reverse=True)  # models that are done are not asked for
    assert asked[-1] < 3


def test_values_that_are_not_finite_are_stepped_back_from_and_none_is_worse_than_the_start():
    def barrier(W, models):
        with np.errstate(invalid="ignore"):
            return np.where(W[0] < 2, -np.log(2 - W[0]) - 3 * W[0], np.nan), np.array([1 / (2 - W[0]) - 3])

    W, value = lbfgs_many(barrier, np.array([[0.0, 1.9999, 5.0]]), max_iter=100, tol=0.0)
    assert_allclose(W[0, :2], 5 / 3, rtol=1e-5)
    assert W[0, 2] == 5.0
    assert np.isnan(value[2])


def test_refining_lowers_its_objective_to_a_stationary_point():
    start = newton_path(Z, Y, np.ones(len(Y)), [1.0], "logistic")[:, 0]
    top, width, anchor = Top(k=40), 0.5, 0.05
    w = refine(Z, ALL, top, start, np.array([width]), np.array([anchor]), max_iter=300)[:, 0]
    scores = np.sort(Z @ start)[::-1]
    w0 = start / scores[:160].std()
    loss = SoftPrecAtK(top, width).bind(Y)

    def objective(w):
        return loss(Z @ w)[0] + anchor / 2 * (w - w0) @ (w - w0)

    assert objective(w) < objective(w0)
    assert_allclose(approx_fprime(w, objective, 1e-7), 0, atol=2e-3)
    theirs = minimize(objective, w0, method="BFGS").fun
    assert objective(w) < theirs + 1e-3


def test_the_scale_of_the_start_changes_nothing_and_a_strong_anchor_keeps_it():
    start = newton_path(Z, Y, np.ones(len(Y)), [1.0], "logistic")[:, 0]
    one = refine(Z, ALL, Top(k=40), start, np.ones(1), np.array([0.03]))
    assert_allclose(refine(Z, ALL, Top(k=40), 64 * start, np.ones(1), np.array([0.03])), one, rtol=1e-9)
    held = refine(Z, ALL, Top(k=40), start, np.ones(1), np.array([1e6]))[:, 0]
    assert held @ start / np.linalg.norm(held) / np.linalg.norm(start) == pytest.approx(1, abs=1e-9)


def test_a_part_is_trained_on_as_if_there_were_no_other_rows():
    rows = np.flatnonzero(np.arange(len(Y)) % 3)
    setting = Top(k=20), np.ones(4), np.ones(2), np.array([0.03, 0.3])
    part = refine(Z, ALL.take(rows), *setting)
    alone = refine(Z[rows], sample(Y[rows]), *setting)
    assert_allclose(part, alone, rtol=1e-6)


@pytest.mark.parametrize("levels", [3, 1000])
def test_in_precision_about_the_cut_an_item_of_weight_two_is_two(levels):
    rng = np.random.default_rng(3)
    for _ in range(100):
        n = int(rng.integers(2, 30))
        y, scores, weight = rng.integers(0, 2, n), rng.integers(0, levels, (n, 2)) / 3, rng.integers(1, 4, n)
        y[0], top, rows = 1, Top(k=int(rng.integers(1, n + 1))), np.repeat(np.arange(n), weight)
        weighted = precision_about(scores, sample(y, weight=weight.astype(float)), top)
        repeated = precision_about(scores[rows], sample(y[rows]), top)
        assert_allclose(weighted, repeated, atol=1e-12)
        measure = TopPrecision(y[rows], top)
        assert_allclose(repeated, [measure.smoothed(s) for s in scores[rows].T], atol=1e-12)


def test_precision_about_is_a_mean_over_the_groups_it_is_defined_on():
    y, groups = np.array([1, 0, 0, 0, 0, 1, 1]), np.array([0, 0, 0, 1, 1, 2, 2])
    scores = np.array([[3.0], [2.0], [1.0], [1.0], [0.0], [2.0], [1.0]])
    part = sample(y, groups)
    want = (smoothed_precision([1, 0, 0], [3, 2, 1], 1) + 1) / 2
    assert precision_about(scores, part, Top(k=1))[0] == pytest.approx(want)
    assert np.isnan(precision_about(scores, part, Top(k=5))[0])


@pytest.mark.parametrize(("n_pos", "kept"), [(300, (200, 200)), (50, (50, 350)), (900, (300, 100))])
def test_a_thinned_sample_weighs_what_the_whole_does(n_pos, kept):
    y = np.r_[np.ones(n_pos, int), np.zeros(1000 - n_pos, int)]
    given = np.random.default_rng(1).uniform(0.5, 2, 1000)
    for weight, own in ((None, np.ones(1000)), (given, given)):
        some = subsampled(sample(y, weight=weight), 400, seed=2)
        assert (some.y.sum(), (some.y == 0).sum()) == kept
        assert len(np.unique(some.rows)) == 400
        assert np.array_equal(some.y, y[some.rows])
        for label in (0, 1):
            factor = (y == label).sum() / (some.y == label).sum()
            assert_allclose(some.weight[some.y == label], factor * own[some.rows][some.y == label])


def test_of_groups_whole_ones_are_kept_and_small_samples_are_what_they_were():
    groups = np.arange(1000) % 50
    part = sample((np.arange(1000) < 300).astype(int), groups)
    some = subsampled(part, 410, seed=0)
    assert len(some.rows) == 400
    assert set(np.bincount(some.groups)) == {0, 20}
    assert some.weight is None
    assert subsampled(part, 1000, seed=0) is part
    one_class = sample((groups == 0).astype(int), groups)
    assert subsampled(one_class, 20, seed=0) is one_class  # one group, which is all positive or all negative
