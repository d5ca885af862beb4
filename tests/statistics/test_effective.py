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
    likeness_within,
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


@pytest.mark.parametrize("weighted", [False, True])
def test_likeness_within_parts_by_definition(weighted):
    """Squares of what an entity has in a part, over those of its rows; all rows or positives, the larger."""
    rng = np.random.default_rng(1)
    for _ in range(30):
        entity, y = rng.integers(0, 6, 40), rng.integers(0, 2, 40)
        worth = rng.random(40) if weighted else None
        tests = [rng.permutation(40)[: rng.integers(1, 20)] for _ in range(3)]
        effects = []
        for each in (np.ones(40), y if worth is None else y * worth):
            apart = sum((each[rows] ** 2).sum() for rows in tests)
            sums = [each[rows][entity[rows] == e].sum() for rows in tests for e in range(6)]
            effects.append(max(np.square(sums).sum() / apart, 1) if apart else 1)
        assert likeness_within(tests, y, entity, worth) == pytest.approx(max(effects))


def test_in_parts_of_whole_entities_likeness_is_that_of_all_rows():
    rng = np.random.default_rng(2)
    entity, y = rng.integers(0, 20, 200), rng.integers(0, 2, 200)
    parts = [np.flatnonzero(entity % 5 == fold) for fold in range(5)]
    assert likeness_within([*parts, *parts[::-1]], y, entity) == likeness(y, entity)
    assert likeness_within(parts, y, None) == 1


@pytest.mark.parametrize("n", [1, 7, 30])
def test_tails_are_those_of_the_binomial_law(n):
    hits = np.arange(n + 1)
    np.testing.assert_allclose(at_most(hits / n, n, 0.3), stats.binom.cdf(hits, n, 0.3), rtol=1e-9)
    np.testing.assert_allclose(at_least(hits, n, 0.3), stats.binom.sf(hits - 1, n, 0.3), rtol=1e-9)
