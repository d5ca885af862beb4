"""Gradient descent against the plain loop, on all items and on batches of groups."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from attop.solvers._gradient_descent import gradient_descent
from attop.surrogates import PApKAvg
from oracles.first_order import gradient_descent_loop, overlapping
from support.first_order import BoundHinge, Hinge

ETA, LAM = (np.ravel(a) for a in np.meshgrid([0.01, 0.1, 1.0], [0.0, 0.01, 1.0]))


@pytest.mark.parametrize("sparse", [False, True])
def test_gd_grid_is_the_plain_loop_of_each_setting(sparse):
    X, y = overlapping()
    start = np.random.default_rng(1).standard_normal((6, 9))
    loss = Hinge().bind(y)
    solution = gradient_descent(
        csr_matrix(X) if sparse else X, loss, eta=ETA, lam=LAM, max_iter=60, window=100, coef_init=start
    )
    for j in range(9):
        w, objective = gradient_descent_loop(X, loss, ETA[j], LAM[j], 60, start[:, j])
        np.testing.assert_allclose(solution.coef[:, j], w, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(solution.objective[j], objective, rtol=1e-12)


def test_gd_models_do_not_see_each_other():
    X, y = overlapping(seed=2)
    loss = Hinge().bind(y)
    common = {"max_iter": 300, "tol": 1e-3, "window": 20}
    together = gradient_descent(X, loss, eta=ETA, lam=LAM, **common)
    assert len(set(together.each_n_iter)) > 1, "the models should end at different times"
    for j in range(9):
        alone = gradient_descent(X, loss, eta=ETA[j], lam=LAM[j], **common)
        mine = together.model(j)
        np.testing.assert_allclose(mine.coef, alone.coef, rtol=1e-9, atol=1e-12)
        assert (mine.n_iter, mine.status) == (alone.n_iter, alone.status)
        assert mine.history.iteration == alone.history.iteration
        np.testing.assert_allclose(mine.history.objective, alone.history.objective, rtol=1e-9)


def test_gd_finished_models_leave_the_products():
    X, y = overlapping(seed=2)
    widths = []

    class Watched(BoundHinge):
        def __call__(self, scores):
            widths.append(scores.shape[1])
            return super().__call__(scores)

    solution = gradient_descent(X, Watched(y), eta=ETA, lam=LAM, max_iter=300, tol=1e-3, window=20)
    assert widths == [int(np.sum(solution.each_n_iter >= t)) for t in range(len(widths))]
    assert widths[-1] < widths[0] == 9


def test_gd_best_iterate_is_returned_and_history_is_of_the_iterates():
    X, y = overlapping(seed=4)
    loss = Hinge().bind(y)
    solution = gradient_descent(X, loss, eta=[5.0, 0.1], lam=0.1, max_iter=50, window=50)
    objective = np.array(solution.history.objective)
    assert (np.diff(objective[:, 0]) > 0).any(), "a long step should overshoot at times"
    np.testing.assert_array_equal(objective.min(axis=0), solution.objective)
    value = loss(X @ solution.coef)[0] + 0.05 * (solution.coef**2).sum(axis=0)
    np.testing.assert_allclose(value, solution.objective, rtol=1e-12)


@pytest.mark.parametrize("eta", [1e6, 1e300])
def test_gd_divergence_is_contained(eta):
    X, y = overlapping(seed=5)
    loss = Hinge().bind(y)
    solution = gradient_descent(X, loss, eta=[0.1, eta, 0.2], lam=0.1, max_iter=200, tol=0, window=200)
    assert solution.each_status == ["max_iter", "diverged", "max_iter"]
    assert np.isfinite(solution.coef).all()
    assert np.isfinite(solution.objective).all()
    assert solution.objective[1] <= loss(np.zeros(len(y)))[0]
    others = gradient_descent(X, loss, eta=[0.1, 0.2], lam=0.1, max_iter=200, tol=0, window=200)
    np.testing.assert_allclose(solution.coef[:, [0, 2]], others.coef, rtol=1e-9)


def test_gd_convergence_rule():
    X, y = overlapping(seed=6)
    solution = gradient_descent(X, Hinge().bind(y), eta=0.5, lam=1.0, max_iter=5000, tol=1e-3, window=30)
    assert solution.status == "converged"
    best = np.minimum.accumulate(np.array(solution.history.objective)[:, 0])
    assert best[-1] >= best[-31] * (1 - 1e-3), "the last 30 steps gained less than tol"
    assert solution.n_iter == len(best) - 1


def users(seed=0):
    """Return rows of seven users in mixed order; the fifth has no positive, the sixth one negative."""
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.repeat(np.arange(7), 12))
    y = (rng.random(84) < 0.4).astype(int)
    y[groups == 4] = 0
    y[groups == 5] = 1
    y[np.flatnonzero(groups == 5)[0]] = 0
    return rng.normal(size=(84, 4)) + y[:, None], y, groups


@pytest.mark.parametrize("size", [1, 2, 3, 9])
def test_a_step_on_a_batch_of_groups_is_that_of_their_own_mean(size):
    X, y, groups = users()
    loss = PApKAvg(2).bind(y, groups)
    start = np.random.default_rng(1).standard_normal(4)
    solution = gradient_descent(
        X, loss, eta=[0.1, 0.3], lam=0.1, max_iter=3, coef_init=start, batch_groups=size,
        rng=np.random.default_rng(7),
    )  # fmt: skip
    kept, rng, w, t = np.array([0, 1, 2, 3, 6]), np.random.default_rng(7), start, 0

    def objective(w):
        return loss(X @ w)[0] + 0.05 * w @ w

    best = (objective(w), w)
    for _ in range(3):
        for batch in np.array_split(rng.permutation(5), int(np.ceil(5 / size))):
            its = np.isin(groups, kept[batch])
            gradient = X[its].T @ PApKAvg(2).bind(y[its], groups[its])(X[its] @ w)[1]
            w = w - 0.3 / np.sqrt(t + 1) * (gradient + 0.1 * w)
            t += 1
        best = min(best, (objective(w), w), key=lambda pair: pair[0])
    np.testing.assert_allclose(solution.objective[1], best[0], rtol=1e-10)
    np.testing.assert_allclose(solution.coef[:, 1], best[1], rtol=1e-9)
    with pytest.raises(ValueError, match=r"batch_groups must be .* at least 1 .*got 0"):
        gradient_descent(X, loss, eta=0.3, lam=0.1, batch_groups=0)
