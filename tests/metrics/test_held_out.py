"""Precision at the top of held-out scores, smoothed and resampled, against enumeration."""

from itertools import product

import numpy as np
import pytest

from attop.metrics import precision_at_k
from attop.metrics._held_out import TopPrecision
from oracles.metrics import expected, precision, smoothed_precision


@pytest.mark.parametrize("seed", range(40))
def test_against_all_orders(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    y, scores, k = rng.integers(0, 2, n), rng.integers(0, 4, n) / 2, int(rng.integers(1, n + 1))
    measure = TopPrecision(y, k)
    assert measure(scores) == pytest.approx(float(expected(precision, y.tolist(), scores.tolist(), k)))
    assert measure.smoothed(scores) == pytest.approx(smoothed_precision(y.tolist(), scores.tolist(), k))


def test_groups_are_averaged_and_small_ones_left_out():
    rng = np.random.default_rng(0)
    y, scores, groups = rng.integers(0, 2, 40), rng.integers(0, 6, 40), np.repeat([3, 1, 7], [20, 17, 3])
    measure = TopPrecision(y, 5, groups)
    assert measure.k.tolist() == [5, 5, 0]
    kept = [precision_at_k(y[groups == g], scores[groups == g], 5) for g in (1, 3)]
    assert measure(scores) == pytest.approx(np.mean(kept))
    resampled = measure.resampled(scores, seed=0, n_samples=60)
    low, high = sorted(kept)
    assert set(resampled.round(9)) == {round(v, 9) for v in (low, (low + high) / 2, high)}
    with pytest.raises(ValueError, match=r"k=21.*of the 20 items.*the largest group"):
        TopPrecision(y, 21, groups)
    with pytest.raises(ValueError, match="k=41 asks for 41 of the 40 items"):
        TopPrecision(y, 41)


def test_a_bootstrap_sample_is_the_rows_drawn():
    rng = np.random.default_rng(1)
    y, scores, k = rng.integers(0, 2, 500), rng.integers(0, 80, 500), 9
    found = TopPrecision(y, k).resampled(scores, seed=4, n_samples=30)
    draws = np.random.default_rng(4)
    for value in found:
        rows = draws.integers(500, size=500)
        assert value == pytest.approx(precision_at_k(y[rows], scores[rows], k))
    found = TopPrecision(y, k).resampled(scores, seed=4, n_samples=1, smoothed=True)
    rows = np.random.default_rng(4).integers(500, size=500)
    assert found == pytest.approx(TopPrecision(y[rows], k).smoothed(scores[rows]))
    # Of customers, whole ones are drawn.
    customer = rng.permutation(np.arange(500) // 50)
    found = TopPrecision(y, k, entity=customer.astype(str)).resampled(scores, seed=4, n_samples=1)
    drawn = np.random.default_rng(4).integers(10, size=10)
    rows = np.concatenate([np.flatnonzero(customer == c) for c in drawn])
    assert found == pytest.approx(precision_at_k(y[rows], scores[rows], k))


def test_expected_precision_of_true_probabilities():
    p, groups = np.array([0.9, 0.4, 0.4, 0.1, 0.7, 0.2]), np.array([0, 0, 0, 0, 1, 1])
    y = np.array([1, 0, 1, 0, 1, 0])
    assert TopPrecision(y, 2, groups).expected(p) == pytest.approx((0.65 + 0.45) / 2)
    ways = np.array(list(product([0, 1], repeat=6)))
    chances = np.where(ways, p, 1 - p).prod(axis=1)
    mean = chances @ [precision_at_k(labels, p, 3) for labels in ways]
    assert TopPrecision(y, 3).expected(p) == pytest.approx(mean)


def test_bootstraps_of_two_models_are_paired():
    rng = np.random.default_rng(2)
    y, scores = rng.integers(0, 2, 80), rng.normal(size=80)
    measure = TopPrecision(y, 10)
    one, same = (measure.resampled(s, seed=0, n_samples=20) for s in (scores, 3 * scores + 1))
    assert np.array_equal(one, same)
    value = measure.assess(scores, seed=0)
    assert value.precision == precision_at_k(y, scores, 10)
    assert value.standard_error == pytest.approx(measure.resampled(scores, seed=0, n_samples=100).std(ddof=1))
