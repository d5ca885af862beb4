"""TopBooster: log loss, weights around its cut by hand, and the choice between the two."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from attop import Top, TopBooster
from attop_bench.conformance import Method, check_all
from support.every_estimator import run_check

lightgbm = pytest.importorskip("lightgbm", reason="the extra boosters is not installed")

RNG = np.random.default_rng(0)
N = 300
X = RNG.normal(size=(N, 4))
Y = (X[:, 0] * X[:, 1] + X[:, 2] + RNG.normal(size=N) > 1.8).astype(int)
GROUPS = RNG.integers(0, 6, N)
WEIGHT = RNG.integers(1, 4, N).astype(float)
REDEALT = "it deals the folds itself"


def booster(**changes):
    return TopBooster(**{"top": 12, "n_estimators": 12, "cv": 2, "min_child_samples": 5, **changes})


@parametrize_with_checks(
    [booster(top=None)],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": REDEALT,
        "check_sample_weight_equivalence_on_sparse_data": REDEALT,
    },
)
def test_scikit_learn_contract(estimator, check, request):
    run_check(check, estimator, request)


def test_the_benchmarks_contract():
    found = check_all(Method(TopBooster, {"n_estimators": 12, "cv": 2}))
    assert {r.check.name: r.reason for r in found if r.status == "FAIL"} == {}


def weights_by_hand(scores, groups, weight, k, width):
    """0.1 + 0.9 * 4 sigma' about the k-th highest score of each list, in spreads of the 4k highest."""
    copies = weight.astype(int)
    lists = [np.flatnonzero(groups == g) for g in np.unique(groups)]
    highest = [-np.sort(-np.repeat(scores[at], copies[at])) for at in lists]
    unit = np.sqrt(np.mean([np.var(s[: 4 * k]) for s in highest]))
    found = np.empty(len(scores))
    for at, s in zip(lists, highest, strict=True):
        sigma = 1 / (1 + np.exp(-(scores[at] - s[k - 1]) / (width * unit)))
        found[at] = weight[at] * (0.1 + 0.9 * 4 * sigma * (1 - sigma))
    return found / found.mean()


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("groups", [None, GROUPS])
def test_the_weighted_model_is_log_loss_with_those_weights(groups, weight):
    k = 4
    model = booster(top=k, bandwidth=1.5, min_gain_se=-np.inf).fit(X, Y, groups, weight)
    parameters = {
        "objective": "binary",
        "num_leaves": 2,
        "min_data_in_leaf": 5,
        "num_threads": 1,
        "verbosity": -1,
        "deterministic": True,
        "force_col_wise": True,
    }

    def boost(w):
        return lightgbm.train(parameters, lightgbm.Dataset(X, Y, weight=w), 12)

    first = boost(weight).predict(X, raw_score=True)
    np.testing.assert_array_equal(model.base_.predict(X, raw_score=True), first)
    one = np.zeros(N) if groups is None else groups
    near = weights_by_hand(first, one, np.ones(N) if weight is None else weight, k, 1.5)
    second = boost(near).predict(X, raw_score=True)
    np.testing.assert_allclose(model.booster_.predict(X, raw_score=True), second, rtol=1e-6)
    assert model.refined_
    assert model.bandwidth_ == 1.5


def test_log_loss_is_kept_where_the_weights_gain_too_little():
    kept = booster(min_gain_se=np.inf).fit(X, Y)
    assert (kept.refined_, kept.bandwidth_, kept.booster_) == (False, None, kept.base_)
    assert np.isfinite([kept.cv_gain_, kept.cv_gain_se_]).all()
    taken = booster(min_gain_se=-np.inf).fit(X, Y)
    assert taken.cv_gain_ == kept.cv_gain_
    assert taken.refined_
    assert taken.bandwidth_ in (1.0, 2.0, 4.0)
    at_gain = taken.cv_gain_ / taken.cv_gain_se_
    assert booster(min_gain_se=at_gain - 1e-6).fit(X, Y).refined_
    assert not booster(min_gain_se=at_gain + 1e-6).fit(X, Y).refined_


def test_too_few_positives_for_folds_keep_log_loss():
    y = np.zeros(N, int)
    y[0] = 1
    model = booster(top=1).fit(X, y)
    assert not model.refined_
    assert np.isnan(model.cv_gain_)


@pytest.mark.parametrize("same", [{"n_jobs": 2}, {"top": Top(k=12, out_of=N)}])
def test_neither_jobs_nor_a_k_as_the_share_of_the_sample_change_a_digit(same):
    one, other = booster().fit(X, Y), booster(**same).fit(X, Y)
    assert one.cv_gain_ == other.cv_gain_
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


@pytest.mark.parametrize("heavy", [1.0, 9.0])
def test_predict_makes_as_many_positive_as_there_were_by_weight(heavy):
    weight = np.where(X[:, 1] > 0, heavy, 1.0)
    model = booster(n_estimators=60, num_leaves=8, bandwidth=0.5).fit(X, Y, sample_weight=weight)
    assert abs(weight @ model.predict(X) - weight @ Y) <= 2 * heavy


def test_missing_values_and_sparse_features_are_lightgbms():
    gaps = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
    assert np.isfinite(booster().fit(gaps, Y).decision_function(gaps)).all()
    S = np.where(X > 0.5, X, 0.0)
    dense, thin = booster().fit(S, Y), booster().fit(sparse.csr_array(S), Y)
    np.testing.assert_allclose(thin.decision_function(sparse.csr_array(S)), dense.decision_function(S))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_estimators": 0}, "n_estimators must be an integer of at least 1, got 0"),
        ({"num_leaves": 1}, "num_leaves must be an integer of at least 2, got 1"),
        ({"learning_rate": 0}, "learning_rate must be a positive number, got 0"),
        ({"min_child_samples": 0}, "min_child_samples must be an integer of at least 1, got 0"),
        ({"top": 301}, "a positive, and at least k"),
    ],
)
def test_bad_parameters(wrong, message):
    with pytest.raises(ValueError, match=message):
        booster(**wrong).fit(X, Y)


def test_without_lightgbm_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "lightgbm", None)
    with pytest.raises(ImportError, match=r"install attop\[boosters\]"):
        booster().fit(X, Y)
