import itertools

import numpy as np
import pytest

from attop.metrics import overlap_at_k


def orders(scores):
    """All orders of the items, highest first, that are consistent with the scores."""
    n = len(scores)
    return [
        o
        for o in itertools.permutations(range(n))
        if all(scores[o[i]] >= scores[o[i + 1]] for i in range(n - 1))
    ]


def mean_over_orders(a, b, value):
    return np.mean([value(x, y) for x in orders(a) for y in orders(b)])


def cases():
    rng = np.random.default_rng(0)
    for levels in (1, 2, 3, 6):
        for _ in range(6):
            yield rng.integers(levels, size=4).astype(float), rng.integers(levels, size=4).astype(float)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_overlap_over_all_orders(k):
    for a, b in cases():
        shared = mean_over_orders(a, b, lambda x, y: len({*x[:k]} & {*y[:k]}) / k)
        assert overlap_at_k(a, b, k) == pytest.approx(shared)


def test_long_rankings():
    a = np.random.default_rng(0).normal(size=4000)
    assert overlap_at_k(a, np.exp(a), {"tau": 0.1}) == 1
    assert overlap_at_k(a, -a, 100) == 0
    assert overlap_at_k(a, np.zeros(4000), 400) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("a", "b", "k", "name"),
    [
        ([1, 2], [1], 1, "2"),
        ([1, 2], [1, np.nan], 1, "NaN"),
        ([1, 2], [2, 1], 3, "k=3"),
        ([1, 2], [2, 1], {"kappa": 0.5}, "unknown"),
    ],
)
def test_what_is_no_pair_of_rankings(a, b, k, name):
    with pytest.raises(ValueError, match=name):
        overlap_at_k(a, b, k)
