"""Batches: every item once a pass, and the top of each."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from attop.core.top import Top
from attop.solvers.minibatch.batches import Batches, batch_top
from oracles.first_order import overlapping, plain


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("size", [2, 7, 50, 119, 500])
def test_a_pass_deals_every_item_once(size, sparse):
    X, y = overlapping(share=0.5)
    X[:, 0] = np.arange(len(y))
    batches = Batches(csr_matrix(X) if sparse else X, y, Top(k=1), size, np.random.RandomState(0))
    first, second = ([plain(batch) for batch in batches.one_pass()] for _ in range(2))
    for dealt in (first, second):
        items = np.concatenate([rows[:, 0] for rows, _, _ in dealt]).astype(int)
        assert len(set(items)) == len(items)
        for rows, labels, k in dealt:
            assert len(rows) <= size
            assert 0 < labels.sum() < len(labels)
            assert 1 <= k <= labels.sum()
            np.testing.assert_array_equal(labels, y[rows[:, 0].astype(int)])
    n_batches = -(-len(y) // size)
    assert len(first) + len(second) + batches.n_skipped == 2 * n_batches
    if size > 2:
        assert batches.n_skipped == 0 or size == 7
        assert {len(rows) for rows, _, _ in first} <= {len(y) // n_batches, -(-len(y) // n_batches)}


@pytest.mark.parametrize(
    ("top", "size", "n_pos", "expected"),
    [
        (Top(kappa=0.25), 500, 20, 5),
        (Top(kappa=0.25), 500, 10, 3),  # 2.5 rounds up
        (Top(kappa=0.25), 500, 1, 1),
        (Top(kappa=3.0), 500, 9, 9),
        (Top(tau=0.05), 90, 9, 5),
        (Top(tau=0.05), 90, 2, 2),
        (Top(k=100), 500, 20, 5),  # of 10,000 items
        (Top(k=10), 500, 20, 1),  # 0.5 rounds up
        (Top(k=9), 500, 20, 1),  # at least 1
        (Top(k=9999), 500, 20, 20),
    ],
)
def test_top_of_a_batch(top, size, n_pos, expected):
    assert batch_top(top, size, n_pos, 10_000) == expected


def test_batches_refuse():
    X, y = overlapping()
    rng = np.random.RandomState(0)
    with pytest.raises(ValueError, match="batch_size"):
        Batches(X, y, Top(k=1), 1, rng)
    with pytest.raises(ValueError, match="both classes"):
        Batches(X, np.ones_like(y), Top(k=1), 10, rng)
    with pytest.raises(ValueError, match="rows"):
        Batches(X[1:], y, Top(k=1), 10, rng)
    in_order = SimpleNamespace(permutation=np.arange)
    batches = Batches(X[:4], np.array([1, 1, 0, 0]), Top(k=1), 2, in_order)
    with pytest.raises(ValueError, match="use a larger batch_size"):
        list(batches.one_pass())
