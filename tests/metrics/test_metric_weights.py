"""Weights of items in metrics: what the top captures, and what weights cannot mean."""

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

import oracles.metrics as oracle
from attop.metrics import (
    METRICS,
    UndefinedMetricError,
    auc,
    average_precision,
    bedroc,
    dcg,
    f_beta_at_k,
    hit_at_k,
    lift_at_k,
    make_top_scorer,
    ndcg,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)
from attop.metrics._precision import AMOUNTS
from attop.metrics._registry import get_metric
from support.ranked_lists import tied_cases

WEIGHTED = [name for name, metric in METRICS.items() if metric.weighted]
FUNCTIONS = {"recall@k": recall_at_k, "lift@k": lift_at_k, "dcg@k": dcg, "dcg": dcg, "auc": auc}


def test_the_metrics_that_take_weights_have_a_definition():
    assert set(WEIGHTED) == set(oracle.WEIGHTED) - set(AMOUNTS) == set(FUNCTIONS)


@pytest.mark.parametrize("name", [*WEIGHTED, *AMOUNTS])
def test_weighted_lists_against_every_order_of_tied_items(name):
    rng = np.random.default_rng(len(name))
    for y, scores, k in tied_cases(len(name), 100, n_max=6):
        weights = rng.choice([0.5, 1, 2, 7.25, 1000], len(y)).tolist()
        expected = float(oracle.weighted(name, y, scores, weights, k))
        found = get_metric(name).evaluate(y, scores, k, sample_weight=weights)
        assert found.value == pytest.approx(expected, rel=1e-12)
        if name in FUNCTIONS:
            top = (k,) if METRICS[name].needs_top else ()
            of_function = FUNCTIONS[name](y, scores, *top, sample_weight=weights)
            assert of_function == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", WEIGHTED)
def test_equal_weights_change_nothing_and_groups_are_averaged(name):
    rng = np.random.default_rng(0)
    y, scores, groups = rng.integers(0, 2, 90), rng.integers(0, 9, 90), rng.integers(0, 5, 90)
    metric, gain = METRICS[name], 1.0 if name in ("dcg", "dcg@k") else 3.0
    plain = metric.evaluate(y, scores, 4, groups)
    assert metric.evaluate(y, scores, 4, groups, np.full(90, gain)).value == pytest.approx(plain.value)
    weights = rng.random(90)
    each = [
        metric.value(y[groups == g], scores[groups == g], 4, sample_weight=weights[groups == g])
        for g in range(5)
    ]
    assert metric.evaluate(y, scores, 4, groups, weights).value == pytest.approx(np.mean(each))


@pytest.mark.parametrize("name", AMOUNTS)
def test_without_amounts_there_is_no_value(name):
    alone = get_metric(name).evaluate([1, 0], [2.0, 1.0], 1)
    assert (str(alone.value), alone.reason) == ("nan", "the data name no amount")
    with pytest.raises(UndefinedMetricError, match="needs amounts: give them as sample_weight"):
        get_metric(name).value([1, 0], [2.0, 1.0], 1)


def test_in_auc_weight_two_is_an_item_that_is_there_twice():
    rng = np.random.default_rng(1)
    for _ in range(50):
        y, scores = rng.permutation([0, 1] * 15), rng.integers(0, 12, 30)
        weights = rng.integers(0, 4, 30)
        twice = np.repeat(np.arange(30), weights)
        for ties in ("expected", "half", "error"):
            assert auc(y, scores, ties=ties, sample_weight=weights) == pytest.approx(
                auc(y[twice], scores[twice], ties=ties), rel=1e-13
            )


def test_positives_that_are_worth_nothing_are_none():
    y, scores = [1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0]
    for function, top in ((recall_at_k, (1,)), (lift_at_k, (1,)), (auc, ())):
        with pytest.raises(UndefinedMetricError) as caught:
            function(y, scores, *top, sample_weight=[0, 1, 0, 1])
        assert caught.value.reason == "no positive"
    with pytest.raises(UndefinedMetricError, match="no negative"):
        auc(y, scores, sample_weight=[1, 0, 1, 0])
    assert dcg(y, scores, sample_weight=[0, 1, 0, 1]) == 0.0
    value = METRICS["recall@k"].evaluate(y, scores, 1, ["a", "a", "b", "b"], [0, 1, 5, 1])
    assert value == (1.0, 1, 1, None)


@pytest.mark.parametrize("name", [name for name in METRICS if name not in WEIGHTED])
def test_other_metrics_refuse_weights_in_words(name):
    with pytest.raises(ValueError, match=f"{name} takes no sample_weight.*recall@k"):
        METRICS[name].evaluate([1, 0], [2.0, 1.0], 1, sample_weight=[1, 2])


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (precision_at_k, {"top": 1}),
        (hit_at_k, {"top": 1}),
        (average_precision, {}),
        (reciprocal_rank, {}),
        (ndcg, {}),
        (f_beta_at_k, {"top": 1, "beta": 2}),
        (bedroc, {"alpha": 20}),
    ],
)
def test_other_functions_refuse_weights_in_words(function, arguments):
    with pytest.raises(ValueError, match=r"takes no sample_weight.*recall@k"):
        function([1, 0], [2.0, 1.0], **arguments, sample_weight=[1, 2])
    unweighted = function([1, 0], [2.0, 1.0], **arguments)
    assert function([1, 0], [2.0, 1.0], **arguments, sample_weight=None) == unweighted


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"a number for each of the 2 items, got float64 of shape \(1,\)"),
        (["a", "b"], "a number for each"),
        ([1.0, -2.0], r"at least 0, got -2.0 at position 1 \(1 such of 2\)"),
        ([math.nan, 1], "finite and at least 0, got nan at position 0"),
        ([1, math.inf], "finite and at least 0"),
        ([1e308, 1], "0 or lie between 1e-140 and 1e140, got 1e.308: .* divide them by their mean"),
        ([1e-170, 1], "0 or lie between"),
    ],
)
def test_malformed_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        auc([1, 0], [2.0, 1.0], sample_weight=weights)


def test_without_routing_weights_of_fit_do_not_reach_a_metric_that_takes_none():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(240, 3))
    y = (X[:, 0] + rng.normal(size=240) > 1).astype(int)
    assert make_top_scorer("auc")._accept_sample_weight()
    assert not make_top_scorer("precision@k", 10)._accept_sample_weight()
    search = GridSearchCV(
        LogisticRegression(), {"C": [0.1, 1.0]}, scoring=make_top_scorer("precision@k", 10), cv=3
    )
    assert np.isfinite(search.fit(X, y, sample_weight=rng.lognormal(3, 1, 240)).best_score_)
