"""Surrogates and metrics in LightGBM: what it is told, round by round, and that it learns from it."""

import copy

import numpy as np
import pytest

from attop.metrics import get_metric
from attop.objectives import LightGBMMetric, LightGBMObjective
from attop.surrogates import SoftPrecAtK

lgb = pytest.importorskip("lightgbm", reason="the extra boosters is not installed")

RNG = np.random.default_rng(0)
N = 240
X = RNG.normal(size=(N, 4))
Y = (X[:, 0] + X[:, 1] ** 2 + RNG.normal(size=N) > 2.2).astype(int)
SIZES = [60, 100, 80]
GROUPS = np.repeat([0, 1, 2], SIZES)
WEIGHT = RNG.uniform(0.5, 2.0, N)
QUIET = {"verbosity": -1, "num_threads": 1, "min_data_in_leaf": 5, "num_leaves": 4}


def watched(objective):
    """A function that does as `objective`, and a list of what it was asked and what it answered."""
    calls = []

    def told(first, second, weight=None, group=None):
        scores = first if hasattr(second, "get_label") else second
        calls.append((scores.copy(), objective(first, second, weight, group)))
        return calls[-1][1]

    return told, calls


@pytest.mark.parametrize("groups", [None, GROUPS])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_every_round_is_told_the_surrogate_at_its_scores(groups, weight):
    told, calls = watched(LightGBMObjective("prec@k-soft", 10))
    data = lgb.Dataset(X, Y, group=None if groups is None else SIZES, weight=weight)
    lgb.train({**QUIET, "objective": told}, data, 5)
    seen = None if weight is None else weight.astype(np.float32)
    for scores, (gradient, _) in calls:
        _, coef = SoftPrecAtK(10).bind(Y, groups, seen)(scores)
        scale = np.abs(coef / (1.0 if seen is None else seen)).max()
        np.testing.assert_allclose(gradient * scale, coef, rtol=0, atol=1e-12)
    assert len(calls) == 5


def test_the_classifier_is_told_the_same_as_train():
    told, calls = watched(LightGBMObjective("prec@k-soft", 10))
    same, again = watched(LightGBMObjective("prec@k-soft", 10))
    lgb.train({**QUIET, "objective": told}, lgb.Dataset(X, Y, weight=WEIGHT), 4)
    model = lgb.LGBMClassifier(
        n_estimators=4, num_leaves=4, min_child_samples=5, objective=same, verbosity=-1, n_jobs=1
    )
    model.fit(X, Y, sample_weight=WEIGHT)
    for one, other in zip(calls, again, strict=True):
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])


def test_a_model_of_log_loss_is_continued():
    data = lgb.Dataset(X, Y, free_raw_data=False)
    start = lgb.train({**QUIET, "objective": "binary"}, data, 3)
    objective = LightGBMObjective("prec@k-soft", {"kappa": 0.5})
    told, calls = watched(objective)
    whole = lgb.train({**QUIET, "objective": told}, data, 20, init_model=start)
    np.testing.assert_allclose(calls[0][0], start.predict(X, raw_score=True), atol=1e-6)
    assert whole.num_trees() == 23
    before, after = (
        objective.value_and_gradient(model.predict(X, raw_score=True), Y)[0] for model in (start, whole)
    )
    assert after < before


@pytest.mark.parametrize("name", ["precision@k", "auc", "last-rank"])
def test_evaluation_is_the_metric_at_the_scores(name):
    history = {}
    metric = LightGBMMetric(name, 10)
    data = lgb.Dataset(X, Y, group=SIZES)
    params = {**QUIET, "objective": "binary", "metric": "none"}
    record = [lgb.record_evaluation(history)]
    fitted = lgb.train(params, data, 3, valid_sets=[data], feval=metric, callbacks=record)
    expected = get_metric(name).evaluate(Y, fitted.predict(X, raw_score=True), 10, GROUPS).value
    assert history["training"][metric.name][-1] == pytest.approx(expected, abs=1e-12)
    assert metric(fitted.predict(X), data)[2] is get_metric(name).higher_is_better


def test_early_stopping_by_a_metric():
    data = lgb.Dataset(X[:160], Y[:160])
    params = {**QUIET, "objective": "binary", "metric": "none"}
    held, metric = lgb.Dataset(X[160:], Y[160:], reference=data), LightGBMMetric("precision@k", 5)
    stop = [lgb.early_stopping(5, verbose=False)]
    model = lgb.train(params, data, 200, valid_sets=[held], feval=metric, callbacks=stop)
    assert model.num_trees() < 200
    assert model.best_score["valid_0"]["precision@k=5"] == pytest.approx(
        get_metric("precision@k").value(Y[160:], model.predict(X[160:]), 5)
    )


def test_copies_train_as_the_original():
    objective = LightGBMObjective("prec@k-soft", 10)
    both = (objective, copy.deepcopy(objective))
    raw = [lgb.train({**QUIET, "objective": one}, lgb.Dataset(X, Y), 3).predict(X) for one in both]
    np.testing.assert_array_equal(*raw)
