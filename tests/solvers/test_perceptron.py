"""Perceptron@k against the plain loop and its theory."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from attop.core.top import Top
from attop.solvers.minibatch.batches import Batches
from oracles.first_order import overlapping, perceptron_iterates, perceptron_loop, plain, queries
from support.first_order import RANKS, grouped, perceptron


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("variant", ["avg", "max"])
@pytest.mark.parametrize("top", [Top(kappa=0.25), Top(kappa=1.0), Top(k=12), Top(tau=0.1)])
def test_perceptron_is_the_plain_loop(variant, top, sparse):
    X, y = overlapping(n=150, seed=8)
    X = np.round(4 * X) / 4  # ties, in sums without rounding
    rows = csr_matrix(X) if sparse else X
    solution, state = perceptron(
        rows, y, top, variant=variant, batch_size=30, epochs=4, rng=np.random.RandomState(3)
    )
    batches = Batches(rows, y, top, 30, np.random.RandomState(3))
    w, deltas = perceptron_loop([plain(b) for _ in range(4) for b in batches.one_pass()], variant, 6)
    np.testing.assert_allclose(solution.coef[:, 0], w, rtol=1e-10, atol=1e-10)
    assert state.n_mistakes == sum(deltas)
    np.testing.assert_array_equal(np.ravel(solution.history.objective), np.reshape(deltas, (4, -1)).sum(1))


@pytest.mark.parametrize("variant", ["avg", "max"])
def test_perceptron_separable_data_end_without_mistakes(variant):
    X, y = overlapping(n=200, seed=9, shift=10.0)
    solution, _ = perceptron(
        X, y, Top(kappa=1.0), variant=variant, batch_size=50, epochs=100, rng=np.random.RandomState(0)
    )
    assert solution.status == "converged"
    assert solution.objective == [0]
    scores = X @ solution.coef[:, 0]
    assert scores[y == 1].min() > scores[y == 0].max()


def test_perceptron_ties_are_mistakes():
    X = np.zeros((10, 2))
    _, state = perceptron(
        X, np.array([1] * 5 + [0] * 5), Top(k=3), batch_size=10, epochs=2, rng=np.random.RandomState(0)
    )
    assert state.n_mistakes == 6


def test_perceptron_overflow():
    X, y = overlapping()
    huge, _ = perceptron(
        np.clip(X, -1, 1) * 1.7e308, y, Top(k=5), batch_size=20, rng=np.random.RandomState(0)
    )
    assert huge.status == "diverged"
    assert np.isfinite(huge.coef).all()


@pytest.mark.parametrize("variant", ["avg", "max"])
def test_averaged_perceptron_is_the_mean_of_the_plain_loops_iterates(variant):
    X, y = overlapping(n=150, seed=8)
    X = np.round(4 * X) / 4
    common = {"variant": variant, "batch_size": 30, "epochs": 4}
    solution, state = perceptron(X, y, Top(kappa=0.5), average=True, rng=np.random.RandomState(3), **common)
    batches = Batches(X, y, Top(kappa=0.5), 30, np.random.RandomState(3))
    seen = [plain(b) for _ in range(4) for b in batches.one_pass()]
    iterates, deltas = perceptron_iterates(seen, variant, 6)
    np.testing.assert_allclose(solution.coef[:, 0], np.mean(iterates, axis=0), rtol=1e-10, atol=1e-10)
    assert state.n_mistakes == sum(deltas)
    last, last_state = perceptron(X, y, Top(kappa=0.5), rng=np.random.RandomState(3), **common)
    assert last_state.n_mistakes == state.n_mistakes  # the iterates are the same
    assert not np.allclose(last.coef, solution.coef)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("variant", ["avg", "max"])
def test_perceptron_of_queries_is_the_plain_loop(variant, ranks, sparse):
    X, y, groups = grouped()
    top, k_of = RANKS[ranks]
    rows = csr_matrix(X) if sparse else X
    solution, state = perceptron(
        rows, y, top, groups=groups, variant=variant, epochs=3, rng=np.random.RandomState(5)
    )
    each, rng = queries(X, y, groups, k_of), np.random.RandomState(5)
    seen = [each[i] for _ in range(3) for i in rng.permutation(len(each))]
    w, deltas = perceptron_loop(seen, variant, 6)
    np.testing.assert_allclose(solution.coef[:, 0], w, rtol=1e-10, atol=1e-10)
    assert state.n_mistakes == sum(deltas)
    assert state.largest_k == max(k for _, _, k in each)
    assert solution.n_skipped == 3 * (14 - len(each)) > 0


@pytest.mark.parametrize("variant", ["avg", "max"])
def test_one_query_is_one_batch(variant):
    X, y = overlapping(n=40)
    one = np.full(40, 7)
    grouped, _ = perceptron(X, y, Top(k=5), groups=one, variant=variant, rng=np.random.RandomState(0))
    whole, _ = perceptron(X, y, Top(k=5), batch_size=40, variant=variant, rng=np.random.RandomState(0))
    np.testing.assert_allclose(grouped.coef, whole.coef, rtol=1e-10)


def test_no_query_has_both_classes():
    X, y = overlapping(n=40)
    with pytest.raises(ValueError, match="no group has a positive and a negative: the 2 groups have"):
        perceptron(X, y, Top(k=1), groups=y, rng=np.random.RandomState(0))
