"""Metrics the field has names for, and metrics as the papers and scikit-learn have them."""

import math
import pickle
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, roc_curve

import oracles.metrics as oracle
from attop.metrics import (
    UndefinedMetricError,
    auc,
    bedroc,
    f_beta_at_k,
    get_metric,
    lift_at_k,
    pap_at_k,
    pap_at_k_risk,
    partial_auc,
    precision_at_k,
    precision_at_recall,
    recall_at_precision,
    roc_points,
    tpr_at_fpr,
)
from attop.metrics._custom import custom_metric
from attop.metrics._registry import FAMILIES, register
from support.ranked_lists import tied_cases


def average(definition, **parameter):
    return partial(oracle.expected, partial(definition, **parameter))


def of_thresholds(definition, least):
    return lambda y, s, k: definition(y, s, least)


CASES = {
    "f2@k": (f_beta_at_k, (2,), average(oracle.f_beta, beta=2)),
    "f0.5@k": (f_beta_at_k, (0.5,), average(oracle.f_beta, beta=0.5)),
    "bedroc-0.1": (bedroc, (0.1,), average(oracle.bedroc, alpha=0.1)),
    "bedroc-3": (bedroc, (3,), average(oracle.bedroc, alpha=3)),
    "tpr@fpr-0": (tpr_at_fpr, (0,), average(oracle.tpr_at_fpr, fpr=0)),
    "tpr@fpr-0.25": (tpr_at_fpr, (0.25,), average(oracle.tpr_at_fpr, fpr="0.25")),
    "tpr@fpr-0.6": (tpr_at_fpr, (0.6,), average(oracle.tpr_at_fpr, fpr="0.6")),
    "recall@precision-0.5": (recall_at_precision, (0.5,), of_thresholds(oracle.recall_at_precision, 0.5)),
    "recall@precision-0.6": (recall_at_precision, (0.6,), of_thresholds(oracle.recall_at_precision, 0.6)),
    "recall@precision-1": (recall_at_precision, (1,), of_thresholds(oracle.recall_at_precision, 1)),
    "precision@recall-0.2": (precision_at_recall, (0.2,), of_thresholds(oracle.precision_at_recall, 0.2)),
    "precision@recall-0.75": (precision_at_recall, (0.75,), of_thresholds(oracle.precision_at_recall, 0.75)),
    "precision@recall-1": (precision_at_recall, (1,), of_thresholds(oracle.precision_at_recall, 1)),
}


@pytest.mark.parametrize("name", CASES)
def test_tied_lists_against_enumeration(name):
    function, parameter, definition = CASES[name]
    metric = get_metric(name)
    for y, scores, k in tied_cases(seed=len(name)):
        expected = float(definition(y, scores, k))
        top = (k,) if metric.needs_top else ()
        # BEDROC divides by the distance of the extremes, which is small for small alpha.
        tolerance = {"rel": 1e-11, "abs": 1e-12}
        assert function(y, scores, *top, *parameter) == pytest.approx(expected, **tolerance)
        assert metric.evaluate(y, scores, k).value == pytest.approx(expected, **tolerance)


def test_early_recognition_of_extreme_alphas_stays_finite():
    y, scores = np.repeat([1, 0], [50, 5000]), np.arange(5050.0)
    for alpha in (1e-6, 1.0, 700.0, 1e5):
        assert bedroc(y, -scores, alpha) == pytest.approx(1.0)
        assert bedroc(y, scores, alpha) == pytest.approx(0.0, abs=1e-9)
    assert lift_at_k(y, -scores, {"tau": 0.01}) == pytest.approx(5050 / 51 * 50 / 50)


def test_shares_are_the_decimals_they_are_written_as():
    # 0.07 * 100 is above 7 in binary, 0.29 * 100 below 29; 9 of 10 has a precision of exactly 0.9.
    y = np.array([1] * 9 + [0] + [1] * 1 + [0] * 99)
    scores = -np.arange(len(y), dtype=float)
    assert recall_at_precision(y[:10], scores[:10], 0.9) == 1.0
    labels = np.tile([0, 1], 100)
    for fpr, allowed in ((0.07, 7), (0.29, 29), (0.28, 28)):
        assert tpr_at_fpr(labels, -np.arange(200.0), fpr) == allowed / 100


@pytest.mark.parametrize(
    ("function", "argument", "message"),
    [
        (bedroc, 0, "alpha must be above 0, got 0"),
        (bedroc, -1.0, "alpha must be above 0"),
        (bedroc, math.inf, "alpha must be above 0, got inf"),
        (recall_at_precision, 0, "precision must be above 0 and at most 1, got 0"),
        (precision_at_recall, 50, "recall must be above 0 and at most 1, got 50"),
        (tpr_at_fpr, 1.0, "fpr must be at least 0 and below 1, got 1.0"),
    ],
)
def test_numbers_out_of_range_are_refused(function, argument, message):
    with pytest.raises(ValueError, match=message) as caught:
        function([1, 0], [2.0, 1.0], argument)
    assert not isinstance(caught.value, UndefinedMetricError)


def test_a_number_may_be_written_into_a_name():
    metric = get_metric("recall@precision-0.95")
    assert metric.parameter == ("precision", 0.95)
    assert pickle.loads(pickle.dumps(metric)) == metric == get_metric("recall@precision-0.950")
    for family in FAMILIES:
        number = 0.123456789 if family.allowed(0.123456789) else 123456789.0
        assert family.read(family.at(number).name) == family.at(number)
    with pytest.raises(ValueError, match="recall must be above 0 and at most 1, got 2"):
        get_metric("precision@recall-2")
    with pytest.raises(ValueError, match=r"unknown metric 'bedroc'.*did you mean 'bedroc-20'"):
        get_metric("bedroc")
    with pytest.raises(ValueError, match="is already the name of one of attop's metrics"):
        register(custom_metric("f3@k", "sklearn.metrics.log_loss"))


TABLE_1 = [
    # labels best first, k, AUC, pAUC(0, k/n-], prec@k, pAp@k: Hiranandani et al. (2020)
    ("01101110000", 2, "22/30", "2/10", None, "2/4"),
    ("10111000001", 2, "21/30", "5/10", None, "3/4"),
    ("11000000111", 2, "12/30", "4/10", None, "1"),
    ("11011100000", 6, None, None, "5/6", "27/30"),
    ("11101100000", 6, None, None, "5/6", "28/30"),
]


@pytest.mark.parametrize("ties", ["expected", "error", "half"])
@pytest.mark.parametrize(("best_first", "k", "in_auc", "in_pauc", "in_precision", "in_pap"), TABLE_1)
def test_table_1_of_pap(best_first, k, in_auc, in_pauc, in_precision, in_pap, ties):
    y = [int(label) for label in best_first]
    scores = np.arange(len(y), 0, -1)
    computed = {
        "auc": (auc(y, scores, ties=ties), in_auc),
        "pauc": (partial_auc(y, scores, k, ties=ties), in_pauc),
        "precision": (precision_at_k(y, scores, k), in_precision),
        "pap": (pap_at_k(y, scores, k, ties=ties), in_pap),
        "risk": (1 - pap_at_k_risk(y, scores, k, ties=ties), in_pap),
    }
    for value, printed in computed.values():
        if printed is not None:
            assert Fraction(value).limit_denominator(1000) == Fraction(printed)
            assert value == pytest.approx(float(Fraction(printed)), rel=1e-15)


def test_auc_and_roc_points_agree_with_scikit_learn():
    rng = np.random.default_rng(6)
    for size in (30, 500):
        y = rng.integers(0, 2, size)
        scores = rng.integers(0, 20, size) / 7
        assert auc(y, scores) == pytest.approx(roc_auc_score(y, scores), rel=1e-12)
        fpr, tpr, _ = roc_curve(y, scores, drop_intermediate=False)
        ours = roc_points(y, scores).rates()
        np.testing.assert_allclose(ours, (fpr, tpr), rtol=1e-14)
        assert np.trapezoid(ours[1], ours[0]) == pytest.approx(auc(y, scores), rel=1e-12)
