from itertools import product

import numpy as np
import pytest

from attop.metrics import overlap_at_k
from oracles.metrics import item_orders


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("levels", [1, 2, 3, 6])
def test_overlap_over_all_orders(levels, k):
    for a, b in np.random.default_rng(levels).integers(levels, size=(6, 2, 4)).tolist():
        shared = [len({*x[:k]} & {*y[:k]}) / k for x, y in product(item_orders(a), item_orders(b))]
        assert overlap_at_k(a, b, k) == pytest.approx(np.mean(shared))


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
