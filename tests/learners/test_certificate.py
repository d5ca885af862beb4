"""Certified models: the gap is measured by what is gained over w = 0, and a zero optimum is known as one."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.preprocessing import MinMaxScaler

from attop.from_papers import ROCSVM, SVMPAUC, InfinitePush, SVMPerf, TopPush
from attop.learners._base import ConstantModelWarning
from attop.learners._bundle_ranker import BundleRanker
from attop.learners._gd_ranker import GDRanker
from attop.solvers._base import relative_gap
from support.every_estimator import NAMES, make


def test_relative_gap():
    assert relative_gap(10.0, 10.0, 6.0) == 1.0  # w = 0, and something to gain
    assert relative_gap(10.0, 7.0, 6.0) == 0.25
    assert relative_gap(10.0, 6.0, 6.0) == 0.0
    assert relative_gap(10.0, 5.9, 6.0) == 0.0  # rounding
    assert relative_gap(10.0, 10.0, 10.0) == 0.0  # w = 0 is the optimum
    assert relative_gap(10.0, 10.0, 10.0 - 1e-12) == 0.0
    assert relative_gap(10.0, -5.0, -10.0) == 0.25  # losses may be negative
    assert relative_gap(10.0, 10.0, -np.inf) == 1.0  # no bound yet


def words(seed, n=600, d=20):
    """Shares of words in [0, 1], most of them 0; three occur often in positives and hardly elsewhere."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    X = rng.exponential(size=(n, d)) * (rng.random((n, d)) < 0.2)
    X[:, :3] *= np.where(y, 3.0, 0.3)[:, None]
    return MinMaxScaler().fit_transform(X), y


@pytest.mark.parametrize("model", [TopPush(lam=4.0), InfinitePush(lam=4.0)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_strong_regularisation_is_no_reason_to_return_zero(model, seed):
    X, y = words(seed)
    model.fit(X, y)
    # The gain is below the default tolerance of 1e-3, as a share of the objective.
    assert 1e-7 < 1.0 - model.objective_ < 1e-3
    assert model.converged_
    assert model.gap_ <= model.tol
    scores = X @ model.coef_
    assert scores.max() > scores[y == 0].max(), "a positive is above all negatives at the optimum"


def test_five_points():
    X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
    y = np.array([1, 1, 0, 0, 0])
    lam = 1 / 0.2028397565922981  # where the optimum is 0, which is no measure of a gap
    model = SVMPerf(top=1, lam=lam).fit(X, y)
    assert abs(model.objective_) < 1e-3
    exact = SVMPerf(top=1, lam=lam, tol=1e-9).fit(X, y)
    for found in (model, exact):
        assert found.converged_
        assert 0 <= found.gap_ <= found.tol
    assert model.objective_ - exact.objective_ <= model.tol


ZERO = {
    "top-push": TopPush(),
    "infinite-push": InfinitePush(),
    "svm-perf": SVMPerf(),
    "svm-pauc": SVMPAUC(top=2),
    "bundle": BundleRanker("top-push"),
    "roc-svm": ROCSVM(),
}


def mixed(name):
    """Labels for which 0 is a subgradient at 0, without all subgradients being 0."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((400, 5))
    y = (np.arange(400) % 4 == 0).astype(int)
    if name == "roc-svm":
        X[y == 1] -= X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    return X, y


@pytest.mark.filterwarnings("ignore::attop.learners._base.ConstantModelWarning")
@pytest.mark.parametrize("lam", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("name", ZERO)
def test_zero_optimum_is_recognised(name, lam):
    X, y = mixed(name)
    model = ZERO[name]
    model.set_params(lam=lam).fit(X, y)
    assert model.converged_
    assert model.gap_ == 0.0
    assert_array_equal(model.coef_, 0.0)
    assert model.n_iter_ <= 40
    # It is the optimum: no direction descends.
    bound = model._loss().bind(y)
    start = bound(np.zeros(len(y)))[0]
    for w in np.random.default_rng(4).standard_normal((200, 5)):
        assert bound(1e-3 * X @ w)[0] >= start * (1 - 1e-12)


@pytest.mark.filterwarnings("ignore::attop.learners._base.ConstantModelWarning")
@pytest.mark.parametrize("unit", [1e-3, 1e3, 1e6])
def test_zero_optimum_is_recognised_in_any_unit(unit):
    X, y = mixed("infinite-push")
    for name in ("pap@k-avg", "pauc", "infinite-push", "top-push"):
        model = BundleRanker(name, top=10).fit(unit * X, y)
        assert model.converged_
        assert model.gap_ == 0.0
        assert model.n_iter_ <= 100
        assert_array_equal(model.coef_, 0.0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", NAMES)
def test_a_model_that_ranks_nothing_is_warned_of(name):
    """Features that are the same for all items leave nothing to rank by."""
    X, y = np.full((40, 3), 0.1), np.arange(40) % 4 == 0
    with pytest.warns(ConstantModelWarning, match=f"^{name} scores all training items alike, and so ranks"):
        model = make(name).fit(X, y)
    assert model.constant_
    assert np.ptp(model.decision_function(X)) <= 1e-12


@pytest.mark.filterwarnings("error::attop.learners._base.ConstantModelWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", NAMES)
def test_a_model_that_ranks_is_not_warned_of(name):
    rng = np.random.default_rng(5)
    y = np.arange(60) % 3 == 0
    X = rng.standard_normal((60, 3)) + 3.0 * y[:, None]
    # Planes of these are all but parallel there, and they would use every iteration they are given.
    few = {"max_iter": 20} if name in ("PatMat", "SVMPerf") else {}
    for Z in (X, 1e6 + X):  # far from the origin scores are large, and none the less different
        assert not make(name, **few).fit(Z, y).constant_


def test_the_reason_is_given():
    X, y = mixed("infinite-push")
    with pytest.warns(ConstantModelWarning, match="w = 0 minimises its objective.* try a loss that looks"):
        TopPush().fit(X, y)
    with pytest.warns(ConstantModelWarning, match="^2 of 2 models of SVMPerf score all .*: w = 0 min"):
        SVMPerf().fit_many(X, y, candidates=[{"lam": 1.0}, {"lam": 0.1}])
    with pytest.warns(ConstantModelWarning, match="no iterate improved on w = 0, .* init='normal'"):
        GDRanker("pauc", top=3, init="zero").fit(X, y)
