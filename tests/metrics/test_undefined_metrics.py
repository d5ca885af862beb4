"""What is undefined says why; what is malformed is refused."""

import pickle

import numpy as np
import pytest

from attop.metrics import (
    METRICS,
    UndefinedMetricError,
    auc,
    average_precision,
    ndcg,
    pap_at_k,
    pap_at_k_risk,
    partial_auc,
    positives_at_top,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
    roc_points,
)
from support.ranked_lists import NAMES


@pytest.mark.parametrize(
    ("function", "y", "top", "reason"),
    [
        (precision_at_k, [1, 0], 3, "k > n"),
        (precision_at_k, [1, 1, 1, 1], {"kappa": 1.5}, "k > n"),
        (recall_at_k, [0, 0], 1, "no positive"),
        (ndcg, [0, 0], 1, "no positive"),
        (partial_auc, [0, 0], 1, "no positive"),
        (partial_auc, [1, 0], 2, "fewer than k negatives"),
        (pap_at_k, [1, 1], 1, "fewer than k negatives"),
        (pap_at_k_risk, [1, 0, 0], 3, "fewer than k negatives"),
        (average_precision, [0], None, "no positive"),
        (reciprocal_rank, [0], None, "no positive"),
        (positives_at_top, [1], None, "no negative"),
        (auc, [1, 1], None, "no negative"),
        (auc, [0, 0], None, "no positive"),
    ],
)
def test_undefined_says_why(function, y, top, reason):
    with pytest.raises(UndefinedMetricError, match=reason) as caught:
        function(y, np.arange(len(y)), *(() if top is None else (top,)))
    assert caught.value.reason == reason
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.reason, str(copy)) == (caught.value.reason, str(caught.value))


def test_message_of_an_undefined_metric_gives_the_counts_and_a_remedy():
    with pytest.raises(UndefinedMetricError, match="k=3, 4 items, 2 positive and 2 negative: lower k"):
        pap_at_k([1, 1, 0, 0], [1, 2, 3, 4], 3)


def test_counts_without_positives_are_zero_not_undefined():
    for name in ("precision@k", "hit@k", "dcg@k", "dcg", "ndcg-aatp@k", "positives@top"):
        assert METRICS[name].evaluate([0, 0, 0], [1, 2, 3], 2) == (0.0, 1, 0, None)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("y", "scores", "message"),
    [
        ([1, 0, 0], [1.0, np.nan, np.inf], "2 of the 3 scores are NaN or infinite, the first at position 1"),
        ([1, 0, 0], [1.0, 2.0], r"shape \(3,\)"),
        ([1, 0], [[1.0], [2.0]], r"shape \(2,\)"),
        ([1, 0], ["high", "low"], "real numbers"),
        ([1, 0], [1 + 2j, 0], "real numbers"),
        ([], [], "empty"),
        ([0, 1, 2], [1.0, 2.0, 3.0], "labels must be"),
    ],
)
def test_malformed_input_is_refused(name, y, scores, message):
    with pytest.raises(ValueError, match=message) as caught:
        METRICS[name].evaluate(y, scores, 1)
    assert not isinstance(caught.value, UndefinedMetricError)


def test_unknown_rule_for_ties_is_refused():
    with pytest.raises(ValueError, match="ties must be"):
        auc([1, 0], [1, 2], ties="random")


def test_roc_rates_are_undefined_without_both_classes():
    assert roc_points([0, 0], [1, 1]).fp.tolist() == [0, 2]
    for label, reason in ((0, "no positive"), (1, "no negative")):
        with pytest.raises(UndefinedMetricError) as caught:
            roc_points([label], [1.0]).rates()
        assert caught.value.reason == reason
