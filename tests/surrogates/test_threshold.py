"""Losses about a threshold: against their definitions, what they bound, and where only w = 0 is left."""

import numpy as np
import pytest

from attop.surrogates import PatMatLoss, PatMatNPLoss, TopPushK
from support.surrogate_cases import THRESHOLD, draw


@pytest.mark.parametrize("beta", [1e-4, 0.1, 1.0, 30.0, 1e6])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_threshold_of_pat_mat_solves_its_equation(beta, weighted):
    """The last positive scores so low that its squared hinge tells the threshold."""
    rng = np.random.default_rng(5)
    for i in range(200):
        n = int(rng.integers(2, 40))
        scores = rng.normal(size=n) if i % 2 else rng.integers(-3, 4, n).astype(float)
        weight = rng.uniform(0.0, 2.0, n) * (rng.random(n) < 0.9) if weighted else np.ones(n)
        weight[0] = 1.0
        k = int(rng.integers(1, max(2, int(weight.sum()) + 1)))
        if k > weight.sum():
            continue
        far = scores.min() - 10.0
        # Over the negatives alone: the positive does not move the threshold.
        y = np.append(np.zeros(n, int), 1)
        bound = PatMatNPLoss(k, beta).bind(y, None, np.append(weight, 1.0) if weighted else None)
        value, coef = bound(np.append(scores, far))
        t = np.sqrt(value) - 1.0 + far
        hinges = np.maximum(0.0, 1.0 + beta * (scores - t))
        # Rounding of t, of the size of t and 1 + beta |t|, in units of the equation.
        rounding = 1e-12 * k + 4e-16 * beta * (abs(t) + 20.0) * 2 * (weight @ hinges)
        assert abs(weight @ hinges**2 - k) <= rounding
        share = coef[:-1] / coef[:-1].sum()
        np.testing.assert_allclose(share, weight * hinges / (weight @ hinges), rtol=1e-6, atol=1e-9)
        assert (weight[share > 0] > 0).all()


def test_pat_mat_at_equal_scores():
    y = np.array([1, 0, 0, 1, 0, 0, 0, 0])
    for k, beta in [(1, 1.0), (2, 0.5), (8, 3.0)]:
        value, coef = PatMatLoss(k, beta).value_and_coef(np.full(8, 7.0), y)
        t = (1 - np.sqrt(k / 8)) / beta
        assert value == pytest.approx((1 + t) ** 2, rel=1e-12)
        # Up with the positives, down with the mean of all.
        np.testing.assert_allclose(coef, 2 * (1 + t) * (1 / 8 - y / 2), rtol=1e-12)


def test_tau_is_a_share_of_the_negatives():
    rng = np.random.default_rng(6)
    s, y = rng.normal(size=50), np.repeat([1, 0], [20, 30])
    for cls, k in [(PatMatNPLoss, 3), (TopPushK, 5), (PatMatLoss, 5)]:
        assert cls({"tau": 0.1}).value_and_coef(s, y)[0] == cls(k).value_and_coef(s, y)[0]
    weight = np.repeat([1.0, 0.5], [20, 30])
    of_weight = [PatMatNPLoss(top).value_and_coef(s, y, None, weight)[0] for top in ({"tau": 0.2}, 3)]
    assert of_weight[0] == of_weight[1]


@pytest.mark.parametrize("cls", THRESHOLD)
@pytest.mark.parametrize("offset", [2.0**20, -(2.0**30)])
def test_a_common_offset_changes_nothing(cls, offset):
    rng = np.random.default_rng(7)
    for _ in range(50):
        bound, s, _ = draw(cls, rng)
        s = np.round(s)
        # A threshold between scores is rounded at the size of the offset.
        assert bound(s + offset)[0] == pytest.approx(bound(s)[0], rel=1e-5, abs=1e-5)


def test_one_heavy_and_many_light_items():
    """Newton's method starts where the highest item alone makes up k, far away if it weighs little."""
    scores = np.append(10.0, np.linspace(-3, 3, 2000))
    weight = np.append(1e-12, np.ones(2000))
    y = np.zeros(2001, int)
    y[1000] = 1
    value, coef = PatMatNPLoss(100, 2.0).bind(y, None, weight)(scores)
    t = np.sqrt(value) - 1 + scores[1000]
    hinges = np.maximum(0.0, 1 + 2.0 * (scores - t)) * (y == 0)
    assert weight @ hinges**2 == pytest.approx(100, rel=1e-11)
    assert np.isfinite(coef).all()
