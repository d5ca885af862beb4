"""What boosters are told: the surrogate's gradient, and second derivatives of log loss; no booster needed."""

import math
import pickle

import numpy as np
import pytest

from attop import Top
from attop.metrics import METRICS, UndefinedMetricError
from attop.objectives import EvaluationMetric, Objective
from attop.surrogates import SoftPrecAtK
from attop.surrogates._registry import SURROGATES, get_surrogate

RNG = np.random.default_rng(0)
N = 60
Y = (RNG.random(N) < 0.3).astype(int)
GROUPS = RNG.integers(0, 3, N)
WEIGHT = RNG.uniform(0.5, 2.0, N)
#: Surrogates that count items, and refuse weights.
UNWEIGHTED = {"exp-push", "prec@k-avg"}
SCORES = {
    "random": RNG.normal(size=N),
    "tied": RNG.integers(0, 3, N).astype(float),
    "constant": np.zeros(N),
    "huge": 1e4 * RNG.normal(size=N),
    "tiny": 1e-9 * RNG.normal(size=N),
}


def second_derivatives(scores, weight, first):
    """Of log loss, but at least the size of the first, written out."""
    p = [1 / (1 + math.exp(-max(-700.0, min(700.0, s)))) for s in scores]
    return [max(abs(g), w * max(q * (1 - q), 1e-6)) for q, w, g in zip(p, weight, first, strict=True)]


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("groups", [None, GROUPS])
@pytest.mark.parametrize(
    ("name", "weight"),
    [(name, None) for name in SURROGATES] + [(name, WEIGHT) for name in SURROGATES if name not in UNWEIGHTED],
)
def test_value_and_gradient_are_the_surrogates(name, weight, groups, kind):
    scores = SCORES[kind]
    sample = (Y, groups, weight)
    objective = Objective(name, 4)
    value, coef = get_surrogate(name, Top(k=4)).value_and_coef(scores, *sample)
    found, gradient = objective.value_and_gradient(scores, *sample)
    first, second = objective.derivatives(scores, *sample)
    assert found == pytest.approx(value, rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(gradient, coef, rtol=1e-12, atol=1e-12)
    each = np.ones(N) if weight is None else weight
    largest = max(np.abs(coef / each).max(), np.finfo(float).tiny)
    np.testing.assert_allclose(first * largest, coef, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(second, second_derivatives(scores, each, first), rtol=1e-9)
    assert (np.abs(first) <= each * (1 + 1e-12)).all()
    assert (second > 0).all()


def test_an_item_of_weight_two_is_two_items():
    weight = RNG.integers(0, 3, N)
    twice = np.repeat(np.arange(N), weight)
    s = SCORES["random"]
    objective = Objective("prec@k-soft", 5)
    first, second = objective.derivatives(s, Y, None, weight)
    one, other = objective.derivatives(s[twice], Y[twice])
    for whole, parts in ((first, one), (second, other)):
        np.testing.assert_allclose(whole, np.bincount(twice, parts, N), rtol=1e-12, atol=1e-12)


def test_a_sample_is_bound_once_and_another_anew():
    objective = Objective("prec@k-soft", 5)
    s = SCORES["random"]
    labels = Y.copy()
    same = [objective.derivatives(s, labels)[0] for _ in range(2)]
    np.testing.assert_array_equal(*same)
    labels[:30] = labels[:30][::-1].copy()
    for changed in ((labels,), (labels, GROUPS), (labels, None, np.full(N, 0.5)), (labels[:40],)):
        given = s[: len(changed[0])]
        np.testing.assert_array_equal(
            objective.derivatives(given, *changed)[0],
            Objective("prec@k-soft", 5).derivatives(given, *changed)[0],
        )


def test_a_copy_forgets_the_sample():
    objective = Objective(SoftPrecAtK(5, bandwidth=0.3))
    first = objective.derivatives(SCORES["random"], Y)[0]
    again = pickle.loads(pickle.dumps(objective))
    assert len(pickle.dumps(again)) < 1000
    np.testing.assert_array_equal(again.derivatives(SCORES["random"], Y)[0], first)


def test_what_is_refused():
    with pytest.raises(TypeError, match="prec@k-soft is a loss of the top: give top"):
        Objective("prec@k-soft")
    with pytest.raises(ValueError, match="unknown surrogate 'prec@k-sof': did you mean 'prec@k-soft'"):
        Objective("prec@k-sof", 5)
    with pytest.raises(ValueError, match="positive"):
        Objective("prec@k-soft", 5).derivatives(np.zeros(8), np.zeros(8))


@pytest.mark.parametrize("groups", [None, GROUPS])
@pytest.mark.parametrize("name", METRICS)
def test_every_metric_is_itself(name, groups):
    for weight in (None, WEIGHT) if METRICS[name].weighted else (None,):
        found = EvaluationMetric(name, 4).value(SCORES["random"], Y, groups, weight)
        assert found == METRICS[name].evaluate(Y, SCORES["random"], 4, groups, weight).value


def test_names_say_the_top():
    named = {name: EvaluationMetric(name, {"k": 100, "of": 3000}).name for name in ("precision@k", "auc")}
    assert named == {"precision@k": "precision@k=100-of-3000", "auc": "auc"}


def test_an_undefined_metric_stops_the_training():
    with pytest.raises(UndefinedMetricError, match="no positive"):
        EvaluationMetric("auc").value(np.zeros(3), np.zeros(3))
    with pytest.raises(TypeError, match="precision@k is a metric of the top: give top"):
        EvaluationMetric("precision@k")
    with pytest.raises(ValueError, match="precision@k takes no sample_weight"):
        EvaluationMetric("precision@k", 2).value(np.arange(3), [0, 1, 0], None, np.ones(3))
