"""Losses of users' lists: their definitions, what they bound, and lists at the limits."""

from functools import partial

import numpy as np
import pytest

import oracles.surrogates as oracle
from attop.surrogates import BPRLoss, PairwiseSoftmaxLoss, SoftmaxLoss, SoftmaxLossAtK, TalosLossAtK
from oracles.soft_top import gradient
from support.surrogate_cases import EXACT, small_cases

APPROX = {"rel": EXACT["rtol"], "abs": EXACT["atol"]}


def test_values_are_the_definitions():
    checked = 0
    for _, s, y in small_cases(100, 0, most_pos=5, most_neg=5):
        assert SoftmaxLoss().value_and_coef(s, y)[0] == pytest.approx(oracle.softmax(s, y), **APPROX)
        for k in range(1, len(y) + 1):
            for width in (0.1, 1.0, 12.5):
                value = SoftmaxLossAtK(k, width).value_and_coef(s, y)[0]
                assert value == pytest.approx(oracle.softmax_at_k(s, y, np.sort(s)[-k], width), **APPROX)
                checked += 1
            for temperature in (0.05, 0.3, 2.0):
                value = TalosLossAtK(k, temperature).value_and_coef(s, y)[0]
                want = oracle.talos(s, y, np.sort(s)[-k], temperature)
                assert value == pytest.approx(want, **APPROX)
        for power in (2, 3, 10, 40):
            value = PairwiseSoftmaxLoss(power).value_and_coef(s, y)[0]
            assert value == pytest.approx(oracle.psl(s, y, power), **APPROX)
        if not y.all():
            assert BPRLoss().value_and_coef(s, y)[0] == pytest.approx(oracle.bpr(s, y), **APPROX)
    assert checked > 500


def test_a_power_tends_to_the_exponential_from_below():
    s, y = np.random.default_rng(6).normal(size=30), np.repeat([1, 0], 15)
    *powers, whole = (
        loss.value_and_coef(s, y)[0]
        for loss in (*(PairwiseSoftmaxLoss(p) for p in (2, 10, 100, 2**20)), SoftmaxLoss())
    )
    assert powers == sorted(powers)
    assert powers[-1] == pytest.approx(whole, rel=1e-5)
    assert powers[-1] < whole


def test_they_bound_the_logarithm_of_dcg():
    """Theorem 3.2, without ties: half the logarithm where one positive is among the k highest."""
    rng = np.random.default_rng(1)
    hits = np.zeros(3, int)
    for _ in range(150):
        n = int(rng.integers(2, 12))
        s, y = rng.permutation(n) * rng.choice([0.01, 1.0, 10.0]), (rng.random(n) < 0.4).astype(int)
        y[rng.integers(n)] = 1
        gain = y[np.argsort(-s)] / np.log2(np.arange(2, n + 2))
        for whole in (SoftmaxLoss(), PairwiseSoftmaxLoss(2), PairwiseSoftmaxLoss(9)):
            assert whole.value_and_coef(s, y)[0] / y.sum() >= -np.log(gain.sum())
        for k in range(1, n + 1):
            hit = min(2, np.count_nonzero(gain[:k]))
            hits[hit] += 1
            if hit:
                for width in (0.1, 100.0):
                    value = SoftmaxLossAtK(k, width).value_and_coef(s, y)[0]
                    assert value >= -np.log(gain[:k].sum()) / (1 if hit == 2 else 2)
    assert hits.min() > 30


def test_coef_is_the_gradient_with_the_kth_score_held():
    rng = np.random.default_rng(5)
    for _ in range(30):
        s, y = rng.normal(size=8) * 2, rng.permutation(np.repeat([1, 0], [3, 5]))
        k, width = int(rng.integers(1, 9)), float(rng.choice([0.2, 1.0, 10.0]))
        coef = SoftmaxLossAtK(k, width).value_and_coef(s, y)[1]
        held = partial(oracle.softmax_at_k, y=y, quantile=np.sort(s)[-k], bandwidth=width)
        np.testing.assert_allclose(coef, gradient(held, s, step=1e-6), atol=1e-7)
        coef = TalosLossAtK(k, width).value_and_coef(s, y)[1]
        held = partial(oracle.talos, y=y, threshold=np.sort(s)[-k], temperature=width)
        np.testing.assert_allclose(coef, gradient(held, s, step=1e-6), atol=1e-6)


def test_talos_bounds_the_logarithm_of_precision():
    """Theorem 3.1 for cosines: the loss of a list, and a constant, are above -log precision@k."""
    rng = np.random.default_rng(3)
    checked = 0
    for _ in range(300):
        n, k = int(rng.integers(3, 12)), int(rng.integers(1, 4))
        s, y = rng.uniform(-1, 1, n), (rng.random(n) < 0.4).astype(int)
        hits = y[np.argsort(-s)[:k]].sum()
        if hits:
            for temperature in (0.05, 0.1, 0.3):
                value = TalosLossAtK(k, temperature).value_and_coef(s, y)[0] / y.sum()
                constant = np.log(1 + np.exp(2) / 2) / temperature
                assert value + constant >= -np.log(hits / k)
                checked += 1
    assert checked > 300


def test_talos_tells_apart_what_is_below_the_top_and_not_what_is_far_above():
    s, y = np.array([40.0, 30.0, 0.0, -1.0, -5.0]), np.array([0, 1, 0, 1, 0])
    coef = TalosLossAtK(3, 0.5).value_and_coef(s, y)[1]
    assert abs(coef[1]) < 1e-9  # a positive far above the third score is at no loss it could lower
    assert coef[3] < 0 < coef[2]
    whole = SoftmaxLoss().value_and_coef(s / 0.5, y)[1]
    assert coef[0] < 1e-9 < whole[0]


def test_a_group_of_one_item_and_one_without_a_positive():
    y, groups = np.array([1, 0, 0, 1, 0]), np.array([0, 1, 1, 2, 2])
    scores = np.array([3.0, 5.0, 1.0, 0.5, 0.5])
    for loss, want in ((SoftmaxLoss(), np.log(2)), (SoftmaxLossAtK(1), np.log(2) / 2)):
        bound = loss.bind(y, groups)
        value, coef = bound(scores)
        assert (bound.n_groups, bound.n_left_out) == (2, 1)
        assert value == pytest.approx(want / 2, rel=1e-14)  # the list of one item adds 0
        np.testing.assert_array_equal(coef[:3], 0)
        assert coef[3] < 0 < coef[4]


def test_scores_in_single_precision_are_the_same_numbers():
    rng = np.random.default_rng(2)
    scores, y = rng.normal(size=40).astype(np.float32), np.repeat([1, 0], 20)
    for loss in (SoftmaxLoss(), SoftmaxLossAtK(5), TalosLossAtK(5), PairwiseSoftmaxLoss(), BPRLoss()):
        value, coef = loss.bind(y)(scores)
        expected, expected_coef = loss.bind(y)(scores.astype(float))
        assert value == expected
        np.testing.assert_array_equal(coef, expected_coef)


@pytest.mark.parametrize("power", [1, 2.5, True, "2"])
def test_a_power_that_is_none_is_refused(power):
    with pytest.raises(ValueError, match="power must be an integer, at least 2"):
        PairwiseSoftmaxLoss(power)
