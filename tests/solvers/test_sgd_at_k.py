"""SGD@k against the plain loop."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from attop.core.top import Top
from attop.solvers.minibatch.batches import Batches
from oracles.first_order import overlapping, plain, queries, sgd_loop
from support.first_order import RANKS, Hinge, grouped, hinge_of_batch, sgd


@pytest.mark.parametrize("sparse", [False, True])
def test_sgd_is_the_plain_loop(sparse):
    X, y = overlapping(n=130)
    rows = csr_matrix(X) if sparse else X
    eta, radius = np.array([0.1, 1.0, 1.0, 3.0]), np.array([np.inf, np.inf, 0.2, 1.0])
    top = Top(kappa=0.5)
    solution = sgd(
        rows, y, Hinge, top, eta=eta, radius=radius, batch_size=20, epochs=3, rng=np.random.RandomState(7)
    )
    batches = Batches(rows, y, top, 20, np.random.RandomState(7))
    seen = [plain(batch) for _ in range(3) for batch in batches.one_pass()]
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


def test_sgd_skips_batches_of_one_class():
    X, y = overlapping(n=60, share=0.05)
    solution = sgd(
        X, y, Hinge, Top(k=1), eta=0.1, radius=1, batch_size=4, epochs=2, rng=np.random.RandomState(0)
    )
    batches = Batches(X, y, Top(k=1), 4, np.random.RandomState(0))
    seen = [plain(batch) for _ in range(2) for batch in batches.one_pass()]
    assert solution.n_skipped == 30 - len(seen) > 0
    np.testing.assert_allclose(solution.coef[:, 0], sgd_loop(seen, hinge_of_batch, 0.1, 1, 6)[0], rtol=1e-10)


def test_sgd_divergence():
    X, y = overlapping()
    common = {"radius": np.inf, "batch_size": 20}

    def run(X=X, eta=0.1, **more):
        return sgd(X, y, Hinge, Top(k=5), eta=eta, rng=np.random.RandomState(0), **common, **more)

    wild = run(X=X * 1e200, eta=[1e-201, 1e200], epochs=3)
    assert wild.each_status == ["max_iter", "diverged"]
    assert np.isfinite(wild.coef).all()
    np.testing.assert_allclose(wild.coef[:, :1], run(X=X * 1e200, eta=1e-201, epochs=3).coef, rtol=1e-9)


@pytest.mark.parametrize("ranks", RANKS)
def test_sgd_of_queries_is_the_plain_loop(ranks):
    X, y, groups = grouped()
    top, k_of = RANKS[ranks]
    eta, radius = np.array([0.1, 1.0]), np.array([np.inf, 0.2])
    solution = sgd(
        X, y, Hinge, top, groups=groups, eta=eta, radius=radius, epochs=2, rng=np.random.RandomState(5)
    )
    each, rng = queries(X, y, groups, k_of), np.random.RandomState(5)
    seen = [each[i] for _ in range(2) for i in rng.permutation(len(each))]
    for j in range(2):
        w, values = sgd_loop(seen, hinge_of_batch, eta[j], radius[j], 6)
        np.testing.assert_allclose(solution.coef[:, j], w, rtol=1e-10, atol=1e-13)
        objective = np.array(solution.history.objective)[:, j]
        np.testing.assert_allclose(objective, np.reshape(values, (2, -1)).mean(axis=1), rtol=1e-10)
