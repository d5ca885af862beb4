"""The smoothed precision@k against its definition, its invariances and its limits."""

import numpy as np
import pytest
from scipy.optimize import brentq

import oracles.soft_top as oracle
from attop.surrogates import PatMatLoss, SoftmaxLossAtK, SoftPrecAtK

TOPS = [{"k": 1}, {"k": 2}, {"k": 3}, {"tau": 0.3}, {"kappa": 0.5}, {"kappa": 1.5}]


def case(rng, i):
    """Scores (two in three with ties), labels, groups, weights (whole numbers, fractions and zeros)."""
    n = int(rng.integers(4, 13))
    scores = rng.normal(size=n) * 2 if i % 3 == 0 else rng.integers(-2, 3, n) / (1 + i % 2)
    y = (rng.random(n) < 0.4).astype(int)
    y[rng.integers(n)] = 1
    groups = rng.integers(0, 1 + i % 3, n)
    weights = [None, rng.integers(0, 4, n).astype(float), rng.random(n) * 2][i % 3]
    return scores.astype(float), y, groups, weights


@pytest.mark.workflow
def test_value_and_gradient_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    checked = undefined = 0
    for i in range(200):
        scores, y, groups, weights = case(rng, i)
        top, h = TOPS[int(rng.integers(len(TOPS)))], float(rng.choice([0.1, 0.3, 1.0, 4.0]))

        def loss(s, y=y, groups=groups, top=top, h=h, weights=weights):
            return oracle.mean_over_groups(s, y, groups, top, h, weights)

        if loss(scores) is None:
            undefined += 1
            with pytest.raises(ValueError, match=r"counted by sample_weight|k items"):
                SoftPrecAtK(top, h).bind(y, groups, weights)
            continue
        value, coef = SoftPrecAtK(top, h).bind(y, groups, weights)(scores)
        assert value == pytest.approx(loss(scores), abs=1e-12)
        if i % 5 == 0:  # it takes many evaluations; of more cases: test_surrogate_gradients.py
            np.testing.assert_allclose(coef, oracle.gradient(loss, scores), atol=1e-6)
        checked += 1
    assert checked >= 150
    assert undefined >= 5


def test_the_soft_top_is_optimal_transport_with_an_entropy_of_twice_the_width():
    rng = np.random.default_rng(3)
    for k, h in ((1, 0.2), (3, 0.5), (7, 2.0)):
        scores, y = rng.normal(size=12), rng.permutation(np.repeat([1, 0], [4, 8]))
        plan = np.exp(-((scores[:, None] - [0.0, 1.0]) ** 2) / (2 * h))
        for _ in range(5000):  # Sinkhorn's iterations: items to "left out" and "at the top"
            plan *= [12 - k, k] / plan.sum(axis=0)
            plan /= plan.sum(axis=1, keepdims=True)
        value, _ = SoftPrecAtK(k, h).value_and_coef(scores, y)
        assert value == pytest.approx(1 - plan[y == 1, 1].sum() / k, abs=1e-9)


def test_a_constant_and_a_scale_change_nothing():
    rng = np.random.default_rng(2)
    scores, y = rng.integers(-5, 6, 60).astype(float), (rng.random(60) < 0.2).astype(int)
    value, coef = SoftPrecAtK(7, 0.5).value_and_coef(scores, y)
    # Whole numbers: no digits are lost in adding.
    for constant in (1.0, -3.0, 2.0**40):
        moved, coef_moved = SoftPrecAtK(7, 0.5).value_and_coef(scores + constant, y)
        assert moved == value
        np.testing.assert_array_equal(coef_moved, coef)
    for scale in (2.0**-30, 8.0, 2.0**40):
        scaled, coef_scaled = SoftPrecAtK(7, 0.5 * scale).value_and_coef(scores * scale, y)
        assert scaled == value
        np.testing.assert_allclose(coef_scaled * scale, coef, rtol=1e-13)
    assert coef.sum() == pytest.approx(0, abs=1e-15)


def test_narrow_is_precision_at_k_and_wide_is_the_share_of_positives():
    rng = np.random.default_rng(3)
    for _ in range(100):
        scores, y = rng.permutation(40).astype(float), (rng.random(40) < 0.4).astype(int)
        y[0] = 1
        k = int(rng.integers(1, 40))
        precision = y[np.argsort(-scores)[:k]].mean()
        assert SoftPrecAtK(k, 1e-3).value_and_coef(scores, y)[0] == pytest.approx(1 - precision, abs=1e-12)
        assert SoftPrecAtK(k, 1e9).value_and_coef(scores, y)[0] == pytest.approx(1 - y.mean(), abs=1e-6)


def test_a_million_ties_add_up_without_drift():
    size, positive, k = np.array([1000, 10**6]), np.array([400, 30_000]), 100
    scores, y = np.repeat([0.3, -1.1], size), np.zeros(size.sum(), int)
    y[: positive[0]] = y[size[0] : size[0] + positive[1]] = 1

    def sigma(cut):
        return 1 / (1 + np.exp(cut - np.array([0.3, -1.1])))

    cut = brentq(lambda cut: size @ sigma(cut) - k, 0, 50, xtol=1e-15, rtol=1e-15)
    value, _ = SoftPrecAtK(k).value_and_coef(scores, y)
    assert value == pytest.approx(1 - positive @ sigma(cut) / k, abs=2e-13)


@pytest.mark.parametrize("constant", [0.0, 1e-300, -7.5, 1e300])
def test_constant_scores(constant):
    y = np.array([1, 0, 0, 0, 1])
    value, coef = SoftPrecAtK(2).value_and_coef(np.full(5, constant), y)
    assert value == pytest.approx(1 - 2 / 5, abs=1e-14)
    # sigma = k/n for all: q is the same for all, and the gradient pulls the two classes apart.
    q = 2 / 5 * 3 / 5
    np.testing.assert_allclose(coef, q * (2 / 5 - y) / 2, rtol=1e-12)


def test_one_positive_and_all_items_at_the_top():
    scores = np.array([0.3, -1.0, 2.0, 0.1])
    value, coef = SoftPrecAtK(4, 0.5).value_and_coef(scores, [0, 1, 0, 0])
    assert value == 3 / 4
    np.testing.assert_array_equal(coef, 0)
    value, coef = SoftPrecAtK(1, 0.5).value_and_coef(scores, [0, 1, 0, 0])
    assert 0.99 < value < 1
    assert coef[1] < 0 < coef[2]
    value, _ = SoftPrecAtK(3, 0.01).value_and_coef(scores, [1, 1, 1, 1])
    assert value == pytest.approx(0, abs=1e-13)


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1e12, 1e150, 8e307])
def test_huge_and_tiny_scores(scale):
    rng = np.random.default_rng(4)
    scores, y = rng.permutation(np.linspace(-1, 1, 20)) * scale, np.repeat([1, 0], 10)
    value, coef = SoftPrecAtK(5).value_and_coef(scores, y)
    assert np.isfinite(coef).all()
    if scale < 1:
        assert value == pytest.approx(1 / 2, abs=1e-9)
    else:
        assert value == pytest.approx(1 - y[np.argsort(-scores)[:5]].mean(), abs=1e-12)


@pytest.mark.parametrize("value", [0, -1.0, np.inf, np.nan, True, "1"])
def test_bandwidth_and_beta_are_positive(value):
    for kind, name in ((SoftPrecAtK, "bandwidth"), (SoftmaxLossAtK, "bandwidth"), (PatMatLoss, "beta")):
        with pytest.raises(
            (ValueError, TypeError), match=f"{name} must be a positive number, got|real number"
        ):
            kind(2, value)
