"""Surrogates and metrics in LightGBM and XGBoost: what every round is given, and that the loss falls."""

import copy
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from attop.metrics import get_metric
from attop.objectives import LightGBMMetric, LightGBMObjective, XGBoostMetric, XGBoostObjective
from attop.surrogates import SoftPrecAtK

RNG = np.random.default_rng(0)
N = 240
X = RNG.normal(size=(N, 4))
Y = (X[:, 0] + X[:, 1] ** 2 + RNG.normal(size=N) > 2.2).astype(int)
SIZES = [60, 100, 80]
GROUPS = np.repeat([0, 1, 2], SIZES)
WEIGHT = RNG.uniform(0.5, 2.0, N).astype(np.float32)


class LightGBM:
    objective, metric, raw = LightGBMObjective, LightGBMMetric, {"raw_score": True}
    params: ClassVar = {"verbosity": -1, "num_threads": 1, "min_data_in_leaf": 5, "num_leaves": 4}

    def __init__(self):
        self.module = pytest.importorskip("lightgbm", reason="the extra boosters is not installed")

    def data(self, sizes=None, weight=None):
        return self.module.Dataset(X, Y, group=sizes, weight=weight, free_raw_data=False)

    def train(self, data, rounds, objective="binary", start=None, metric=None):
        """The model, its scores, and the metric's values on the same data by name."""
        params, history = {**self.params, "objective": objective, "metric": "none"}, {}
        shown = {"valid_sets": [data], "callbacks": [self.module.record_evaluation(history)]}
        model = self.module.train(params, data, rounds, init_model=start, feval=metric, **shown)
        return model, model.predict(X, raw_score=True), history.get("training")

    def classifier(self, objective):
        params = {"num_leaves": 4, "min_child_samples": 5, "verbosity": -1, "n_jobs": 1}
        return self.module.LGBMClassifier(n_estimators=4, objective=objective, **params)


class XGBoost:
    objective, metric, raw = XGBoostObjective, XGBoostMetric, {"output_margin": True}
    params: ClassVar = {"verbosity": 0, "nthread": 1, "max_depth": 2, "base_score": 0.5}

    def __init__(self):
        self.module = pytest.importorskip("xgboost", reason="the extra boosters is not installed")

    def data(self, sizes=None, weight=None):
        data = self.module.DMatrix(X, Y, weight=weight)
        if sizes is not None:
            data.set_group(sizes)
        return data

    def train(self, data, rounds, objective=None, start=None, metric=None):
        params = {**self.params, "objective": "binary:logistic", "disable_default_eval_metric": True}
        history = {}
        shown = {"evals": [(data, "training")], "evals_result": history, "verbose_eval": False}
        given = {"obj": objective, "xgb_model": start, "custom_metric": metric}
        model = self.module.train(params, data, rounds, **given, **shown)
        return model, model.predict(data, output_margin=True), history.get("training")

    def classifier(self, objective):
        params = {"max_depth": 2, "base_score": 0.5, "n_jobs": 1, "n_estimators": 4}
        metric = self.metric("precision@k", 10)
        return self.module.XGBClassifier(objective=objective, eval_metric=metric, **params)


@pytest.fixture(params=[LightGBM, XGBoost], ids=["lightgbm", "xgboost"])
def booster(request):
    return request.param()


def watched(objective):
    """A function that does as `objective`, and a list of the scores it was given and what it answered."""
    calls = []

    def told(first, second, *given):
        scores = first if hasattr(second, "get_label") else second
        calls.append((scores.copy(), objective(first, second, *given)))
        return calls[-1][1]

    return told, calls


def assert_rounds(calls, groups, weight):
    assert len(calls) == 5
    for scores, (gradient, _) in calls:
        _, coef = SoftPrecAtK(10).bind(Y, groups, weight)(scores)
        scale = np.abs(coef / (1.0 if weight is None else weight)).max()
        np.testing.assert_allclose(gradient * scale, coef, rtol=0, atol=1e-12)


@pytest.mark.parametrize("sizes", [None, SIZES])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_every_round_is_given_the_surrogate_at_its_scores(booster, sizes, weight):
    objective, groups = booster.objective("prec@k-soft", 10), None if sizes is None else GROUPS
    told, calls = watched(objective)
    data = booster.data(sizes, weight)
    # The matrix of XGBoost refuses both: they go round it.
    if isinstance(booster, XGBoost) and sizes and weight is not None:
        told, calls = watched(lambda scores, _: objective.derivatives(scores, Y, GROUPS, WEIGHT))
        data = booster.data()
    booster.train(data, 5, told)
    assert_rounds(calls, groups, weight)


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_the_classifier_trains_as_train_does(booster, weight):
    objective = booster.objective("prec@k-soft", 10)
    xgboost = isinstance(booster, XGBoost)
    model = booster.classifier(copy.deepcopy(objective))
    model.fit(X, Y, sample_weight=weight, **({"eval_set": [(X, Y)], "verbose": False} if xgboost else {}))
    _, margins, _ = booster.train(booster.data(None, weight), 4, objective)
    np.testing.assert_allclose(model.predict(X, **booster.raw), margins, rtol=0, atol=1e-6)
    if xgboost:
        last = model.evals_result()["validation_0"]["precision@k=10"][-1]
        assert last == pytest.approx(get_metric("precision@k").value(Y, margins, 10))


def test_a_model_of_log_loss_is_continued(booster):
    data = booster.data()
    start, first, _ = booster.train(data, 3)
    objective = booster.objective("prec@k-soft", {"kappa": 0.5})
    told, calls = watched(objective)
    _, last, _ = booster.train(data, 20, told, start)
    np.testing.assert_allclose(calls[0][0], first, atol=1e-6)
    assert len(calls) == 20
    assert objective.value_and_gradient(last, Y)[0] < objective.value_and_gradient(first, Y)[0]


@pytest.mark.parametrize("name", ["softmax", "softmax@k"])
def test_the_softmax_losses_fall_and_lift_ndcg(booster, name):
    objective = booster.objective(name, 10)
    _, scores, _ = booster.train(booster.data(SIZES), 20, objective)
    start, end = (objective.value_and_gradient(s, Y, GROUPS)[0] for s in (np.zeros(N), scores))
    assert end < 0.9 * start
    assert get_metric("ndcg@k").evaluate(Y, scores, 10, GROUPS).value > 0.7


RISK = replace(get_metric("auc"), name="risk", higher_is_better=False)


@pytest.mark.parametrize("name", ["precision@k", "auc", RISK])
def test_evaluation_is_the_metric_at_the_scores(booster, name):
    metric = booster.metric(name, {"k": 10, "of": 100})
    data = booster.data(SIZES)
    _, scores, history = booster.train(data, 3, metric=metric)
    expected = get_metric(name).evaluate(Y, scores, {"k": 10, "of": 100}, GROUPS).value
    assert history[metric.name][-1] == pytest.approx(expected, abs=1e-6)
    if isinstance(booster, LightGBM):
        assert metric(scores, data)[2] is get_metric(name).higher_is_better
