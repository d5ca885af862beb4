"""Effective numbers against the variance they stand for, and their relatives."""

import itertools

import numpy as np
import pytest
from scipy import stats

from attop.statistics._effective import (
    at_least,
    at_most,
    design_effect,
    effective_number,
    largest_design_effect,
    likeness,
)


def variance(worth, entity):
    """Variance of a weighted mean of fair coins, one an entity, over all ways they fall."""
    worth, names = np.asarray(worth, float), sorted(set(entity))
    means = []
    for way in itertools.product((0, 1), repeat=len(names)):
        coin = dict(zip(names, way, strict=True))
        means.append(sum(w * coin[e] for w, e in zip(worth, entity, strict=True)) / worth.sum())
    return np.var(means)


@pytest.mark.parametrize(
    ("worth", "entity"),
    [
        ([1, 1, 1, 1], [0, 1, 2, 3]),
        ([1, 1, 1, 1], [0, 0, 1, 1]),
        ([1] * 7, [0, 0, 0, 0, 0, 1, 2]),
        ([5, 1, 1, 2], [0, 1, 2, 3]),
        ([5, 1, 0, 2, 3], [0, 0, 1, 2, 2]),
        ([3], [0]),
    ],
)
def test_a_mean_varies_as_one_of_so_many_units(worth, entity):
    number = effective_number(worth, np.array(entity))
    assert 0.25 / number == pytest.approx(variance(worth, entity))
    apart = effective_number(worth)
    assert design_effect(worth, np.array(entity)) == pytest.approx(apart / number)


def test_entities_of_one_size_are_counted_and_no_rows_count_nothing():
    assert effective_number(np.ones(60), np.repeat(np.arange(12), 5)) == 12
    assert design_effect(np.ones(60), np.repeat(np.arange(12), 5)) == 5
    assert effective_number([0.0, 0.0]) == 0
    assert design_effect([0.0, 0.0], np.array([0, 0])) == 1
    assert design_effect([1.0, -1.0], np.array([0, 0])) == 1  # never a gain
    assert likeness(np.array([0, 1]), None) == 1


def test_the_largest_effect_of_a_head_by_counting_each_head():
    rng = np.random.default_rng(0)
    for _ in range(50):
        entity, order = rng.integers(0, 6, 20), rng.permutation(20)[: rng.integers(1, 21)]
        heads = [design_effect(np.ones(m), entity[order[:m]]) for m in range(1, len(order) + 1)]
        assert largest_design_effect(entity, order) == pytest.approx(max(heads))
    assert largest_design_effect(np.array([0]), np.array([], int)) == 1


@pytest.mark.parametrize("n", [1, 7, 30])
def test_tails_are_those_of_the_binomial_law(n):
    hits = np.arange(n + 1)
    np.testing.assert_allclose(at_most(hits / n, n, 0.3), stats.binom.cdf(hits, n, 0.3), rtol=1e-9)
    np.testing.assert_allclose(at_least(hits, n, 0.3), stats.binom.sf(hits - 1, n, 0.3), rtol=1e-9)
