"""Scores that are huge, tiny, far from zero, not finite or tied."""

from functools import cache

import numpy as np
import pytest
from numba import njit

from attop.surrogates import (
    HingeLoss,
    InfinitePushHinge,
    LogisticLoss,
    PApKAvg,
    PAUCStruct,
    PrecAtKAvg,
    PrecAtKMax,
    PrecAtKRamp,
    TopPushLoss,
)
from support.surrogate_cases import PAP, THRESHOLD, TOP, WITHOUT_TOP, case, draw, value_of


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e17])
@pytest.mark.parametrize("cls", TOP + WITHOUT_TOP)
def test_huge_and_tiny_scores(cls, scale):
    rng = np.random.default_rng(20)
    for _ in range(40):
        bound, s, _ = draw(cls, rng)
        value, coef = bound(s * scale)
        values, coefs = bound(np.repeat(s[:, None] * scale, 8, axis=1))
        np.testing.assert_allclose(values, value, rtol=1e-12, atol=0)
        np.testing.assert_allclose(coefs[:, 0], coef, rtol=1e-12, atol=1e-15)
        # Only the square of a lead beyond 1e154 is infinite.
        squared = scale == 1e300 and cls in (TopPushLoss, *THRESHOLD)
        assert np.isfinite(coef).all() or squared
        assert np.isfinite(value) or (squared and value == np.inf)


@pytest.mark.parametrize("cls", [PrecAtKRamp, PrecAtKMax, PrecAtKAvg, *PAP.values(), PAUCStruct])
@pytest.mark.parametrize("offset", [1e300, -1e300, 2.0**40])
def test_a_common_offset_changes_nothing(cls, offset):
    """Exactly, as long as the offset leaves the differences of scores exact."""
    rng = np.random.default_rng(21)
    for k in (1, 2, 4, 6):
        s, y = case(rng, 6, 6)
        s = np.round(s) if abs(offset) < 1e300 else np.zeros(12)
        # The mean of positives is rounded at the size of the offset.
        rounding = 1e-3 if cls is PApKAvg and offset == 2.0**40 else 1e-13
        np.testing.assert_allclose(
            value_of(cls(k), s + offset, y), value_of(cls(k), s, y), rtol=1e-13, atol=rounding
        )


@pytest.mark.parametrize("cls", [*TOP, InfinitePushHinge, TopPushLoss])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("m", [2, 9])
def test_scores_that_are_not_finite_never_look_good(cls, bad, m):
    rng = np.random.default_rng(22)
    bound, _, y = draw(cls, rng)
    scores = rng.normal(size=(len(y), m))
    value = bound(scores)[0]
    for i in range(len(y)):
        broken = scores.copy()
        broken[i, 1] = bad
        got = bound(broken)[0]
        assert np.isnan(got[1])
        np.testing.assert_array_equal(np.delete(got, 1), np.delete(value, 1))


@pytest.mark.parametrize("cls", [*TOP, InfinitePushHinge, TopPushLoss])
@pytest.mark.parametrize("m", [1, 9])
def test_all_of_a_class_not_finite(cls, m):
    """Selection among NaN finds nothing; its callers must not follow positions that were never written."""
    y = np.repeat([1, 0], 20)
    for bad in (np.nan, np.inf, -np.inf):
        for broken in (y == 1, y == 0, y >= 0):
            scores = np.where(broken[:, None], bad, np.arange(40.0)[:, None] * np.ones(m))
            value, coef = (cls(5) if cls in TOP else cls()).value_and_coef(scores, y)
            assert np.isnan(value).all()
            assert np.abs(np.nan_to_num(coef)).max() < 1e3  # what it is does not matter, garbage would


def test_pointwise_losses_of_scores_that_are_not_finite():
    """An infinite score is right or wrong, and the value says so; NaN is neither."""
    for loss in (HingeLoss(), LogisticLoss()):
        assert np.isnan(value_of(loss, [np.nan, 1], [1, 0]))
        assert value_of(loss, [-np.inf, 1], [1, 0]) == np.inf
        assert np.isfinite(value_of(loss, [np.inf, 1], [1, 0]))


@cache
def kernels():
    """The kernels of selection as Python can call them: they are for kernels alone."""
    from attop.surrogates._kernels import k_largest

    @njit
    def largest(x, k, floor, value, index):
        return k_largest.largest(x, k, floor, value, index)

    @njit
    def smallest(x, k, value, index):
        return k_largest.smallest(x, k, value, index)

    @njit
    def kth(x, k, values, positions):
        return k_largest.kth_largest(x, k, values, positions)

    return largest, smallest, kth


def test_selection_orders_ties_by_position():
    largest, smallest, _ = kernels()
    rng = np.random.default_rng(23)
    n = 300
    for k in (0, 1, 5, 32, 33, 60, 150, 300, 400):
        for floor in (-np.inf, 0.0, 9.0):
            x = rng.integers(-9, 10, n).astype(float)
            value, index = np.empty(n), np.empty(n, np.int64)
            want = np.argsort(-x, kind="stable")[:k]
            want = want[x[want] >= floor]
            count = largest(x, k, floor, value, index)
            np.testing.assert_array_equal(index[:count], want)
            np.testing.assert_array_equal(value[:count], x[want])
        count = smallest(x, k, value, index)
        np.testing.assert_array_equal(index[:count], np.argsort(x, kind="stable")[:k])
        np.testing.assert_array_equal(value[:count], np.sort(x)[:k])


@pytest.mark.parametrize("n", [1, 2, 31, 300, 1500])
@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
def test_the_kth_score_is_that_of_a_sorted_list(n, scale):
    _, _, kth = kernels()
    rng = np.random.default_rng(n)
    buffers = np.empty((2, n)), np.empty((2, n), np.int64)
    drawn = rng.normal(size=n)
    for x in (
        drawn,
        np.sort(drawn),
        -np.sort(drawn),
        np.round(drawn),
        np.zeros(n),
        np.where(drawn > 1, np.inf, drawn),
    ):
        for k in {1, min(2, n), min(20, n), min(32, n), min(33, n), n}:
            assert kth(scale * x, k, *buffers) == np.sort(scale * x)[-k]
