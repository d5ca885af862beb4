"""Pushes of every price and loss as sums over pairs."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attop.surrogates._pnorm_push import PNormPushExp
from attop.surrogates._push import HingePush, LogisticPush, hinge_sums, logistic_sums
from oracles.push import push_value
from support.pushes import COMBINATIONS, nasty_list, surrogate


@pytest.mark.parametrize(("loss", "price"), COMBINATIONS)
def test_value_is_the_sum_over_pairs(loss, price):
    rng = np.random.default_rng(0)
    for _ in range(200):
        scores, y = nasty_list(rng)
        p = rng.choice([1.0, 1.5, 2.0, 7.0, 64.0])
        value, coef = surrogate(loss, price, p).value_and_coef(scores, y)
        # A few roundings of numbers of size max |s| and 1; log F also of its p summands.
        scale = max(1.0, np.abs(scores).max()) * (p if (loss, price) == ("exponential", "power") else 1.0)
        assert_allclose(value, push_value(scores, y, loss, price, p), rtol=1e-13, atol=1e-14 * scale)
        assert coef.shape == scores.shape
        assert abs(coef.sum()) <= 1e-12 * max(1.0, np.abs(coef).sum())
        assert (coef[y == 1] <= 0).all()
        assert (coef[y == 0] >= 0).all()


@pytest.mark.parametrize(("loss", "price"), COMBINATIONS)
@pytest.mark.parametrize("scale", [1e3, 1e6])
def test_long_margins_do_not_overflow(loss, price, scale):
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 40)
    bound = surrogate(loss, price, 64.0).bind(y)
    for scores in (scale * rng.uniform(-1, 1, 40), scale * y, -scale * y):
        value, coef = bound(scores)
        assert np.isfinite(value)
        assert np.isfinite(coef).all()
    n_pos, n_neg = y.sum(), 40 - y.sum()
    # All pairs are misranked, or ranked, by the same margin.
    if (loss, price) == ("exponential", "power"):
        worst, best = (64 * (np.log(n_pos) + margin) + np.log(n_neg) for margin in (scale, -scale))
    elif loss == "exponential":
        worst, best = scale + np.log(n_pos), np.log(np.log(n_neg))
    else:
        worst, best = scale / np.log(2) if loss == "logistic" else scale + 1, 0.0
        assert_array_equal(bound(scale * y)[1], 0)
    assert_allclose(value, worst, rtol=1e-12)
    assert_allclose(bound(scale * y)[0], best, rtol=1e-12)


def test_prices_and_declarations():
    for loss, price in COMBINATIONS:
        push = surrogate(loss, price)
        assert push.convex
        assert push.smooth == (loss != "hinge")
        if loss != "exponential":
            assert push.value_and_coef([0.3, 0.3, 0.3], [1, 0, 0])[0] == pytest.approx(1, abs=1e-15)
    assert repr(HingePush("exp")) == "HingePush(price='exp', p=4.0)"
    with pytest.raises(ValueError, match="'power' or 'exp', got 'cubic'"):
        HingePush("cubic")
    with pytest.raises(ValueError, match="price would be concave"):
        LogisticPush(p=0.5)


def test_hinge_sums_keep_their_digits_far_from_zero():
    # A difference of prefix sums would leave about four digits of these sums, and p = 64 none.
    rng = np.random.default_rng(6)
    offset = 2.0**20
    pos = offset + 1 + rng.integers(0, 2**10, 3000) * 2.0**-30  # exact in floating point
    neg = offset + rng.integers(0, 2**10, 50) * 2.0**-30
    exact = np.maximum(1 - (pos - neg[:, None]), 0).sum(axis=1)
    assert_allclose(hinge_sums(pos, neg, np.ones(len(pos)))[0], exact, rtol=1e-12)


@pytest.mark.parametrize("size", [1, 7, 40, 10**6])
def test_block_size_does_not_change_logistic_sums(size):
    rng = np.random.default_rng(7)
    pos, neg, weight = rng.normal(size=7), rng.normal(size=23), rng.uniform(size=23)
    sums, pull_back = logistic_sums(pos, neg, np.ones(len(pos)))
    again, pull_back_again = logistic_sums(pos, neg, np.ones(len(pos)), size)
    assert_allclose(again, sums, rtol=1e-15)
    for one, other in zip(pull_back(weight), pull_back_again(weight), strict=True):
        assert_allclose(other, one, rtol=1e-14)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_pairs_are_never_held_at_once(loss):
    rng = np.random.default_rng(8)
    y = np.arange(5000) % 2
    bound = surrogate(loss, "power").bind(y)
    scores = rng.normal(size=5000)
    tracemalloc.start()
    try:
        bound(scores)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2500 * 2500 * 8 / 4


def test_line_along_a_boolean_direction_is_the_line_along_its_numbers():
    rng = np.random.default_rng(14)
    for _ in range(100):
        scores, y = nasty_list(rng)
        n = len(y)
        bound = PNormPushExp(rng.choice([1.0, 4.0, 64.0])).bind(np.tile(y, 3), np.repeat([2, 0, 1], n))
        scores = np.concatenate([scores, -scores, scores + 1])
        moves = rng.uniform(size=3 * n) < rng.choice([0.1, 0.5, 1.0])
        step = rng.normal()
        fast, plain = (bound.along(scores, direction)(step) for direction in (moves, moves.astype(float)))
        assert_allclose(fast, plain, rtol=1e-11, atol=1e-13)
