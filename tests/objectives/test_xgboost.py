"""Surrogates and metrics in XGBoost: what it is told, round by round, and that it learns from it."""

import numpy as np
import pytest

from attop.metrics import get_metric
from attop.objectives import XGBoostMetric, XGBoostObjective
from attop.surrogates import SoftPrecAtK

xgb = pytest.importorskip("xgboost", reason="the extra boosters is not installed")

RNG = np.random.default_rng(0)
N = 240
X = RNG.normal(size=(N, 4))
Y = (X[:, 0] + X[:, 1] ** 2 + RNG.normal(size=N) > 2.2).astype(int)
SIZES = [60, 100, 80]
GROUPS = np.repeat([0, 1, 2], SIZES)
WEIGHT = RNG.uniform(0.5, 2.0, N).astype(np.float32)
QUIET = {"verbosity": 0, "nthread": 1, "max_depth": 2}


def watched(objective):
    """A function that does as `objective`, and a list of what it was asked and what it answered."""
    calls = []

    def told(scores, data):
        calls.append((scores.copy(), objective(scores, data)))
        return calls[-1][1]

    return told, calls


def assert_told(calls, groups, weight):
    assert len(calls) == 5
    for scores, (gradient, _) in calls:
        _, coef = SoftPrecAtK(10).bind(Y, groups, weight)(scores)
        scale = np.abs(coef / (1.0 if weight is None else weight)).max()
        np.testing.assert_allclose(gradient * scale, coef, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("groups", "weight"), [(None, None), (GROUPS, None), (None, WEIGHT)])
def test_every_round_is_told_the_surrogate_at_its_scores(groups, weight):
    told, calls = watched(XGBoostObjective("prec@k-soft", 10))
    data = xgb.DMatrix(X, Y, weight=weight)
    if groups is not None:
        data.set_group(SIZES)
    xgb.train(QUIET, data, 5, obj=told)
    assert_told(calls, groups, weight)


def test_groups_and_weights_go_round_the_matrix():
    objective = XGBoostObjective("prec@k-soft", 10)
    told, calls = watched(lambda scores, _: objective.derivatives(scores, Y, GROUPS, WEIGHT))
    xgb.train(QUIET, xgb.DMatrix(X, Y), 5, obj=told)
    assert_told(calls, GROUPS, WEIGHT)


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_the_classifier_trains_as_train_does(weight):
    model = xgb.XGBClassifier(
        n_estimators=4,
        max_depth=2,
        base_score=0.5,
        objective=XGBoostObjective("prec@k-soft", 10),
        eval_metric=XGBoostMetric("precision@k", 10),
        n_jobs=1,
    )
    model.fit(X, Y, sample_weight=weight, eval_set=[(X, Y)], verbose=False)
    data = xgb.DMatrix(X, Y, weight=weight)
    params = {**QUIET, "objective": "binary:logistic", "base_score": 0.5}
    same = xgb.train(params, data, 4, obj=XGBoostObjective("prec@k-soft", 10))
    margins = same.predict(data, output_margin=True)
    np.testing.assert_allclose(model.predict(X, output_margin=True), margins, atol=1e-6)
    shown = model.evals_result()["validation_0"]["precision@k=10"]
    assert shown[-1] == pytest.approx(get_metric("precision@k").value(Y, margins, 10))


def test_a_model_of_log_loss_is_continued():
    data = xgb.DMatrix(X, Y)
    start = xgb.train({**QUIET, "objective": "binary:logistic"}, data, 3)
    objective = XGBoostObjective("prec@k-soft", {"kappa": 0.5})
    told, calls = watched(objective)
    whole = xgb.train(QUIET, data, 20, obj=told, xgb_model=start)
    np.testing.assert_allclose(calls[0][0], start.predict(data, output_margin=True), atol=1e-6)
    before, after = (
        objective.value_and_gradient(model.predict(data, output_margin=True), Y)[0]
        for model in (start, whole)
    )
    assert after < before


@pytest.mark.parametrize("name", ["precision@k", "auc", "last-rank"])
def test_evaluation_is_the_metric_at_the_scores(name):
    data = xgb.DMatrix(X, Y)
    data.set_group(SIZES)
    history = {}
    metric = XGBoostMetric(name, {"k": 10, "of": 100})
    params = {**QUIET, "objective": "binary:logistic", "disable_default_eval_metric": True}
    model = xgb.train(
        params, data, 3, evals=[(data, "t")], custom_metric=metric, evals_result=history, verbose_eval=False
    )
    expected = get_metric(name).evaluate(Y, model.predict(data), {"k": 10, "of": 100}, GROUPS).value
    assert history["t"][metric.name][-1] == pytest.approx(expected, abs=1e-6)
