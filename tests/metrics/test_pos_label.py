"""Metrics of any two labels by `pos_label`, against the definitions of labels 0 and 1."""

import numpy as np
import pytest

import oracles.metrics as oracle
from attop.metrics import (
    METRICS,
    auc,
    auc_at_k,
    card_precision,
    get_metric,
    macro_pap_at_k,
    micro_pap_at_k,
    pap_at_k_risk,
    precision_at_k,
    roc_points,
)
from attop.metrics._registry import DEFAULT_METRICS
from support.ranked_lists import NAMES, ROUNDING, random_cases

PAIRS = [("ok", "fraud"), ("a", "b"), (1, 0), (True, False), (2.0, 5.0)]


@pytest.mark.parametrize("name", NAMES)
def test_metric_of_labels_by_name_agrees_with_its_definition(name):
    metric, defined = METRICS[name], 0
    for i, (y, scores, k) in enumerate(random_cases(seed=41, count=150)):
        pair = PAIRS[i % len(PAIRS)]
        value = metric.evaluate([pair[label] for label in y], scores, k, pos_label=pair[1])
        assert np.isnan(value.value) == (not oracle.defined(name, y, k))
        if oracle.defined(name, y, k):
            defined += 1
            assert value.value == pytest.approx(float(oracle.metric(name, y, scores, k)), **ROUNDING)
    assert defined >= 30


@pytest.mark.parametrize("name", DEFAULT_METRICS)
def test_groups_and_weights_of_labels_by_name(name):
    rng = np.random.default_rng(42)
    y, groups, weights = rng.integers(0, 2, 60), np.repeat(np.arange(6), 10), rng.integers(0, 3, 60)
    scores = rng.integers(0, 5, 60).astype(float)
    words = np.where(y, "fraud", "ok")
    metric = get_metric(name)
    columns = [None, weights] if metric.weighted else [None]
    for weight in columns:
        by_number = metric.evaluate(y, scores, 3, groups, weight)
        assert metric.evaluate(words, scores, 3, groups, weight, pos_label="fraud") == by_number


def test_functions_of_lists_take_it_too():
    y, scores = np.array([1, 0, 1, 0, 0, 1]), np.array([3.0, 3.0, 2.0, 2.0, 1.0, 0.0])
    words, groups, days = np.where(y, "ill", "well"), [0, 0, 0, 1, 1, 1], [1, 1, 1, 2, 2, 2]
    for function, arguments in (
        (precision_at_k, (2,)),
        (auc, ()),
        (auc_at_k, (3,)),
        (pap_at_k_risk, (2,)),
        (macro_pap_at_k, (1, groups)),
        (micro_pap_at_k, (1, groups)),
        (get_metric("bedroc-20").value, ()),
    ):
        assert function(words, scores, *arguments, pos_label="ill") == function(y, scores, *arguments)
    points, plain = roc_points(words, scores, pos_label="ill"), roc_points(y, scores)
    np.testing.assert_array_equal([points.fp, points.tp], [plain.fp, plain.tp])
    cards = [card_precision(labels, scores, 1, groups, days, **named).per_day for labels, named in
             ((words, {"pos_label": "ill"}), (y, {}))]  # fmt: skip
    np.testing.assert_array_equal(*cards)


def test_labels_that_do_not_fit_their_name_are_refused():
    scores = [3.0, 2.0, 1.0]
    with pytest.raises(ValueError, match=r"pos_label must be one of the labels \['ill', 'well'\], got 'Ill'"):
        precision_at_k(["ill", "well", "ill"], scores, 1, pos_label="Ill")
    with pytest.raises(ValueError, match="y must hold two labels, got 3: 'a', 'b', 'c'"):
        precision_at_k(["a", "b", "c"], scores, 1, pos_label="a")
    with pytest.raises(ValueError, match="y has missing values"):
        precision_at_k(["a", None, "b"], scores, 1, pos_label="a")
    with pytest.raises(ValueError, match=r"got <U4 such as 'ill': name the positive one, .* pos_label="):
        precision_at_k(["ill", "well", "ill"], scores, 1)
    # A list of one class has no positive, or no negative.
    assert METRICS["recall@k"].evaluate(["well"] * 3, scores, 1, pos_label="ill").reason == "no positive"
    assert precision_at_k(["ill"] * 3, scores, 1, pos_label="ill") == 1
