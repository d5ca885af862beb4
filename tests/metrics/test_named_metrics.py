"""Metrics the field has names for: lift, BEDROC, RIE, F-beta, points of curves, first and last."""

import math
import pickle
from functools import partial

import numpy as np
import pytest

import oracles.metrics as oracle
from attop.metrics import (
    UndefinedMetricError,
    bedroc,
    f_beta_at_k,
    get_metric,
    lift_at_k,
    precision_at_recall,
    rank_of_last_positive,
    recall_at_precision,
    rie,
    top_1,
    tpr_at_fpr,
)
from attop.metrics.custom import custom_metric
from attop.metrics.registry import FAMILIES, register


def tied_cases(seed, count=300, n_max=8):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(2, n_max + 1))
        n_pos = int(rng.integers(1, n))
        y = rng.permutation(np.repeat([1, 0], [n_pos, n - n_pos]))
        yield y.tolist(), rng.integers(0, rng.integers(1, 5), n).tolist(), int(rng.integers(1, n + 1))


def average(definition, **parameter):
    return partial(oracle.expected, partial(definition, **parameter))


def of_thresholds(definition, least):
    return lambda y, s, k: definition(y, s, least)


CASES = {
    "lift@k": (lift_at_k, (), average(oracle.lift)),
    "f1@k": (f_beta_at_k, (1,), average(oracle.f_beta)),
    "f2@k": (f_beta_at_k, (2,), average(oracle.f_beta, beta=2)),
    "f0.5@k": (f_beta_at_k, (0.5,), average(oracle.f_beta, beta=0.5)),
    "rie-1.5": (rie, (1.5,), average(oracle.rie, alpha=1.5)),
    "rie-80.5": (rie, (80.5,), average(oracle.rie, alpha=80.5)),
    "bedroc-0.1": (bedroc, (0.1,), average(oracle.bedroc, alpha=0.1)),
    "bedroc-3": (bedroc, (3,), average(oracle.bedroc, alpha=3)),
    "bedroc-20": (bedroc, (), average(oracle.bedroc)),
    "top-1": (top_1, (), average(oracle.top_1)),
    "last-rank": (rank_of_last_positive, (), average(oracle.last_rank)),
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


def test_bedroc_as_its_paper_writes_it():
    # Truchon and Bayly (2007), eq. 36, from hyperbolic functions.
    rng = np.random.default_rng(2)
    for alpha in (5.0, 20.0, 100.0):
        y = rng.permutation(np.repeat([1, 0], [7, 93]))
        share, scores = 0.07, -np.arange(100.0)
        factor = share * math.sinh(alpha / 2) / (math.cosh(alpha / 2) - math.cosh(alpha / 2 - alpha * share))
        printed = rie(y, scores, alpha) * factor + 1 / (1 - math.exp(alpha * (1 - share)))
        assert bedroc(y, scores, alpha) == pytest.approx(printed, rel=1e-9)


def test_early_recognition_of_extreme_alphas_stays_finite():
    y, scores = np.repeat([1, 0], [50, 5000]), np.arange(5050.0)
    for alpha in (1e-6, 1.0, 700.0, 1e5):
        assert rie(y, -scores, alpha) >= 1.0
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
        (rie, math.inf, "alpha must be above 0, got inf"),
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
