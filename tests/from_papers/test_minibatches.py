"""Batches: every item once a pass; Perceptron@k and SGD@k against plain loops and theory."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from attop._core.top import Top
from attop.from_papers.minibatch._batches import Batches, batch_top
from oracles.first_order import overlapping, perceptron_iterates, plain, queries, sgd_loop
from support.first_order import RANKS, Hinge, grouped, hinge_of_batch, perceptron, sgd


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


def items(top, passes):
    """A sample with ties, in sums without rounding, and the batches of its items that a solver must see."""
    X, y = overlapping(n=150, seed=8)
    X = np.round(4 * X) / 4
    batches = Batches(X, y, top, 30, np.random.RandomState(5))
    return X, y, None, top, [plain(batch) for _ in range(passes) for batch in batches.one_pass()]


def of_queries(ranks, passes):
    """A sample with groups, each of which a solver must see as a batch."""
    X, y, groups = grouped()
    top, k_of = RANKS[ranks]
    each, rng = queries(X, y, groups, k_of), np.random.RandomState(5)
    assert len(each) < 14, "some groups should be of one class"
    return X, y, groups, top, [each[i] for _ in range(passes) for i in rng.permutation(len(each))]


CASES = {
    f"items, {top}": partial(items, top) for top in (Top(kappa=0.25), Top(kappa=1.0), Top(k=12), Top(tau=0.1))
}
CASES |= {f"queries, {ranks}": partial(of_queries, ranks) for ranks in RANKS}


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("surrogate", ["avg", "max"])
def test_perceptron_is_the_plain_loop(surrogate, case, sparse):
    X, y, groups, top, seen = CASES[case](passes=4)
    rows = csr_matrix(X) if sparse else X
    iterates, deltas = perceptron_iterates(seen, surrogate, 6)
    for average, w in ((True, np.mean(iterates, axis=0)), (False, iterates[-1])):
        common = {"groups": groups, "batch_size": 30, "epochs": 4, "rng": np.random.RandomState(5)}
        solution, state = perceptron(rows, y, top, surrogate=surrogate, average=average, **common)
        np.testing.assert_allclose(solution.coef[:, 0], w, rtol=1e-10, atol=1e-10)
        assert state.n_mistakes == sum(deltas)
        assert state.largest_k == max(k for _, _, k in seen)
    assert not np.allclose(w, np.mean(iterates, axis=0))
    np.testing.assert_array_equal(np.ravel(solution.history.objective), np.reshape(deltas, (4, -1)).sum(1))
    assert solution.n_skipped == (0 if groups is None else 4 * 14 - len(seen))


@pytest.mark.parametrize("surrogate", ["avg", "max"])
def test_perceptron_separable_data_end_without_mistakes(surrogate):
    X, y = overlapping(n=200, seed=9, shift=10.0)
    solution, _ = perceptron(
        X, y, Top(kappa=1.0), surrogate=surrogate, batch_size=50, epochs=100, rng=np.random.RandomState(0)
    )
    assert solution.status == "converged"
    assert solution.objective == [0]
    scores = X @ solution.coef[:, 0]
    assert scores[y == 1].min() > scores[y == 0].max()


def test_perceptron_overflow():
    X, y = overlapping()
    huge, _ = perceptron(
        np.clip(X, -1, 1) * 1.7e308, y, Top(k=5), batch_size=20, rng=np.random.RandomState(0)
    )
    assert huge.status == "diverged"
    assert np.isfinite(huge.coef).all()


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_sgd_is_the_plain_loop(case, sparse):
    X, y, groups, top, seen = CASES[case](passes=3)
    rows = csr_matrix(X) if sparse else X
    eta, radius = np.array([0.1, 1.0, 1.0, 3.0]), np.array([np.inf, np.inf, 0.2, 1.0])
    common = {"groups": groups, "batch_size": 30, "epochs": 3, "rng": np.random.RandomState(5)}
    solution = sgd(rows, y, Hinge, top, eta=eta, radius=radius, **common)
    for j in range(4):
        w, values = sgd_loop(seen, hinge_of_batch, eta[j], radius[j], 6)
        np.testing.assert_allclose(solution.coef[:, j], w, rtol=1e-10, atol=1e-13)
        objective = np.array(solution.history.objective)[:, j]
        np.testing.assert_allclose(objective, np.reshape(values, (3, -1)).mean(axis=1), rtol=1e-10)
    assert np.linalg.norm(solution.coef[:, 2]) <= 0.2 * (1 + 1e-12)
    assert np.linalg.norm(solution.coef[:, 1]) > 0.2, "the projection should matter"
    np.testing.assert_array_equal(solution.objective, solution.history.objective[-1])
    assert solution.history.iteration == [1, 2, 3]
    assert solution.status == "max_iter"


def test_sgd_divergence():
    X, y = overlapping()
    common = {"radius": np.inf, "batch_size": 20}

    def run(X=X, eta=0.1, **more):
        return sgd(X, y, Hinge, Top(k=5), eta=eta, rng=np.random.RandomState(0), **common, **more)

    wild = run(X=X * 1e200, eta=[1e-201, 1e200], epochs=3)
    assert wild.each_status == ["max_iter", "diverged"]
    assert np.isfinite(wild.coef).all()
    np.testing.assert_allclose(wild.coef[:, :1], run(X=X * 1e200, eta=1e-201, epochs=3).coef, rtol=1e-9)
