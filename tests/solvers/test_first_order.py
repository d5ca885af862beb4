"""Gradient descent, SGD@k and Perceptron@k against plain loops and their theory."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

from attop.estimators import GDPApK
from attop.solvers.descent.gradient_descent import gradient_descent
from attop.solvers.minibatch.batches import Batches, batch_top
from attop.solvers.minibatch.perceptron import perceptron
from attop.solvers.minibatch.sgd_at_k import minibatch_sgd
from attop.surrogates import PApKAvg, PApKMax
from attop.surrogates.base import BoundSurrogate, Surrogate
from attop.top import Top
from oracles.first_order import (
    gradient_descent_loop,
    overlapping,
    perceptron_iterates,
    perceptron_loop,
    plain,
    prec_at_k_surrogate,
    queries,
    sgd_loop,
)


class Hinge(Surrogate):
    """Mean hinge loss: a surrogate simple enough to be right by inspection."""

    convex, smooth, bounds = True, False, None

    def __init__(self, top=None):
        self.top = top

    def _bind(self, y, groups):
        return BoundHinge(np.asarray(y))


class BoundHinge(BoundSurrogate):
    n_groups, n_left_out = 1, 0

    def __init__(self, y):
        self.n, self.sign = len(y), 2.0 * y - 1

    def __call__(self, scores):
        sign = self.sign if scores.ndim == 1 else self.sign[:, None]
        slack = 1 - sign * scores
        return np.maximum(slack, 0).mean(axis=0), -sign * (slack > 0) / self.n


ETA, LAM = (np.ravel(a) for a in np.meshgrid([0.01, 0.1, 1.0], [0.0, 0.01, 1.0]))


# Gradient descent


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


def test_gd_reaches_the_optimum():
    cp = pytest.importorskip("cvxpy")
    X, y = overlapping(seed=3)
    w = cp.Variable(6)
    sign = 2 * y - 1
    lam = 0.1
    problem = cp.Problem(
        cp.Minimize(cp.sum(cp.pos(1 - cp.multiply(sign, X @ w))) / len(y) + lam / 2 * cp.sum_squares(w))
    )
    optimum = problem.solve(solver=cp.CLARABEL)
    solution = gradient_descent(X, Hinge().bind(y), eta=1.0, lam=lam, max_iter=3000, tol=0, window=3000)
    # The method's own rate, O(log t / sqrt t), leaves about 1e-3 after 3000 steps.
    assert optimum - 1e-7 <= solution.objective[0] <= optimum * (1 + 2e-3)


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


def test_gd_deadline_and_callback():
    X, y = overlapping()
    loss = Hinge().bind(y)
    late = gradient_descent(X, loss, eta=0.1, lam=0.1, time_limit=1e-9)
    assert (late.status, late.n_iter) == ("deadline", 0)
    assert np.isfinite(late.coef).all()
    seen = []

    def stop_at_five(t, coef, objective):
        seen.append((t, coef.shape, objective.copy()))
        return t == 5

    stopped = gradient_descent(X, loss, eta=[0.1, 0.2], lam=0.1, callback=stop_at_five)
    assert (stopped.status, stopped.n_iter) == ("stopped", 5)
    assert [s[:2] for s in seen] == [(t, (6, 2)) for t in range(6)]
    np.testing.assert_array_equal(seen[-1][2], stopped.objective)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"eta": 0.0}, "eta must be positive"),
        ({"eta": [0.1, np.nan]}, "eta holds NaN"),
        ({"lam": -1.0}, "lam must be at least 0"),
        ({"eta": [0.1, 0.2], "lam": [1, 2, 3]}, "one value per model"),
        ({"max_iter": 0}, "at least 1"),
        ({"tol": -1}, "tol"),
        ({"coef_init": np.zeros(5)}, "coef_init must have shape"),
        ({"coef_init": np.full(6, np.nan)}, "finite"),
        ({"time_limit": 0}, "time_limit"),
    ],
)
def test_gd_refuses(wrong, message):
    X, y = overlapping()
    with pytest.raises(ValueError, match=message):
        gradient_descent(X, Hinge().bind(y), **{"eta": 0.1, "lam": 0.1, **wrong})


# Batches


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


# SGD


def _hinge_of_batch(scores, y, k):
    return BoundHinge(y)(scores)


@pytest.mark.parametrize("sparse", [False, True])
def test_sgd_is_the_plain_loop(sparse):
    X, y = overlapping(n=130)
    rows = csr_matrix(X) if sparse else X
    eta, radius = np.array([0.1, 1.0, 1.0, 3.0]), np.array([np.inf, np.inf, 0.2, 1.0])
    top = Top(kappa=0.5)
    solution = minibatch_sgd(
        rows, y, Hinge, top, eta=eta, radius=radius, batch_size=20, epochs=3, rng=np.random.RandomState(7)
    )
    batches = Batches(rows, y, top, 20, np.random.RandomState(7))
    seen = [plain(batch) for _ in range(3) for batch in batches.one_pass()]
    for j in range(4):
        w, values = sgd_loop(seen, _hinge_of_batch, eta[j], radius[j], 6)
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
    solution = minibatch_sgd(
        X, y, Hinge, Top(k=1), eta=0.1, radius=1, batch_size=4, epochs=2, rng=np.random.RandomState(0)
    )
    batches = Batches(X, y, Top(k=1), 4, np.random.RandomState(0))
    seen = [plain(batch) for _ in range(2) for batch in batches.one_pass()]
    assert solution.n_skipped == 30 - len(seen) > 0
    np.testing.assert_allclose(solution.coef[:, 0], sgd_loop(seen, _hinge_of_batch, 0.1, 1, 6)[0], rtol=1e-10)


def test_sgd_deadline_callback_and_divergence():
    X, y = overlapping()
    common = {"radius": np.inf, "batch_size": 20}

    def run(X=X, eta=0.1, **more):
        return minibatch_sgd(X, y, Hinge, Top(k=5), eta=eta, rng=np.random.RandomState(0), **common, **more)

    late = run(time_limit=1e-9)
    assert (late.status, late.n_iter) == ("deadline", 1)
    assert np.isfinite(late.coef).all()
    stopped = run(callback=lambda epoch, coef, objective: epoch == 2)
    assert (stopped.status, stopped.n_iter) == ("stopped", 2)
    wild = run(X=X * 1e200, eta=[1e-201, 1e200], epochs=3)
    assert wild.each_status == ["max_iter", "diverged"]
    assert np.isfinite(wild.coef).all()
    np.testing.assert_allclose(wild.coef[:, :1], run(X=X * 1e200, eta=1e-201, epochs=3).coef, rtol=1e-9)


@pytest.mark.parametrize(
    ("wrong", "message"), [({"eta": 0}, "eta"), ({"radius": -1}, "radius"), ({"epochs": 0}, "epochs")]
)
def test_sgd_refuses(wrong, message):
    X, y = overlapping()
    with pytest.raises(ValueError, match=message):
        minibatch_sgd(X, y, Hinge, Top(k=1), rng=np.random.RandomState(0), **{"eta": 1, "radius": 1, **wrong})


# Perceptron


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    ("variant", "top"),
    list(product(["avg", "max"], [Top(kappa=0.25), Top(kappa=1.0), Top(k=12), Top(tau=0.1)])),
)
def test_perceptron_is_the_plain_loop(variant, top, sparse):
    X, y = overlapping(n=150, seed=8)
    X = np.round(4 * X) / 4  # ties, in sums without rounding
    rows = csr_matrix(X) if sparse else X
    solution = perceptron(
        rows, y, top, variant=variant, batch_size=30, epochs=4, rng=np.random.RandomState(3)
    )
    batches = Batches(rows, y, top, 30, np.random.RandomState(3))
    w, deltas = perceptron_loop([plain(b) for _ in range(4) for b in batches.one_pass()], variant, 6)
    np.testing.assert_allclose(solution.coef[:, 0], w, rtol=1e-10, atol=1e-10)
    assert solution.n_mistakes == sum(deltas)
    assert solution.n_updates == np.count_nonzero(deltas)
    np.testing.assert_array_equal(np.ravel(solution.history.objective), np.reshape(deltas, (4, -1)).sum(1))


@pytest.mark.parametrize("variant", ["avg", "max"])
@pytest.mark.parametrize("seed", range(30))
def test_perceptron_mistake_bound(variant, seed):
    rng = np.random.default_rng(seed)
    shift = [0.0, 1.5, 8.0][seed % 3]  # noise, overlap, separable
    X, y = overlapping(n=32, d=3, seed=seed, shift=shift, share=0.4)
    top = [Top(kappa=0.5), Top(kappa=1.0)][seed % 2]
    solution = perceptron(X, y, top, variant=variant, batch_size=8, epochs=4, rng=np.random.RandomState(seed))
    batches = Batches(X, y, top, 8, np.random.RandomState(seed))
    seen = [plain(batch) for _ in range(solution.n_iter) for batch in batches.one_pass()]
    reach = np.linalg.norm(X, axis=1).max()
    assert solution.largest_k == max(k for _, _, k in seen)
    directions = [
        np.zeros(3),
        solution.coef[:, 0],
        *np.eye(3)[:1] * [[0.3], [1.0], [3.0]],
        rng.standard_normal(3),
    ]
    for u in directions:
        losses = sum(prec_at_k_surrogate(rows @ u, labels, k, variant) for rows, labels, k in seen)
        bound = (2 * reach * np.sqrt(solution.largest_k) * np.linalg.norm(u) + np.sqrt(max(losses, 0.0))) ** 2
        assert solution.n_mistakes <= bound * (1 + 1e-9)


@pytest.mark.parametrize("variant", ["avg", "max"])
def test_perceptron_separable_data_end_without_mistakes(variant):
    X, y = overlapping(n=200, seed=9, shift=10.0)
    solution = perceptron(
        X, y, Top(kappa=1.0), variant=variant, batch_size=50, epochs=100, rng=np.random.RandomState(0)
    )
    assert solution.status == "converged"
    assert solution.objective == [0]
    scores = X @ solution.coef[:, 0]
    assert scores[y == 1].min() > scores[y == 0].max()


def test_perceptron_ties_are_mistakes():
    X = np.zeros((10, 2))
    solution = perceptron(
        X, np.array([1] * 5 + [0] * 5), Top(k=3), batch_size=10, epochs=2, rng=np.random.RandomState(0)
    )
    assert solution.n_mistakes == 6


def test_perceptron_deadline_callback_and_overflow():
    X, y = overlapping()

    def run(X=X, **more):
        return perceptron(X, y, Top(k=5), batch_size=20, rng=np.random.RandomState(0), **more)

    late = run(time_limit=1e-9)
    assert (late.status, late.n_iter) == ("deadline", 1)
    assert np.isfinite(late.coef).all()
    assert late.n_updates == 1
    stopped = run(callback=lambda epoch, coef, mistakes: epoch == 2)
    assert (stopped.status, stopped.n_iter) == ("stopped", 2)
    huge = run(X=np.clip(X, -1, 1) * 1.7e308)
    assert huge.status == "diverged"
    assert np.isfinite(huge.coef).all()


@pytest.mark.parametrize(("wrong", "message"), [({"variant": "mean"}, "variant"), ({"epochs": 0}, "epochs")])
def test_perceptron_refuses(wrong, message):
    X, y = overlapping()
    with pytest.raises(ValueError, match=message):
        perceptron(X, y, Top(k=1), rng=np.random.RandomState(0), **wrong)


@pytest.mark.parametrize("variant", ["avg", "max"])
def test_averaged_perceptron_is_the_mean_of_the_plain_loops_iterates(variant):
    X, y = overlapping(n=150, seed=8)
    X = np.round(4 * X) / 4
    common = {"variant": variant, "batch_size": 30, "epochs": 4}
    solution = perceptron(X, y, Top(kappa=0.5), average=True, rng=np.random.RandomState(3), **common)
    batches = Batches(X, y, Top(kappa=0.5), 30, np.random.RandomState(3))
    seen = [plain(b) for _ in range(4) for b in batches.one_pass()]
    iterates, deltas = perceptron_iterates(seen, variant, 6)
    np.testing.assert_allclose(solution.coef[:, 0], np.mean(iterates, axis=0), rtol=1e-10, atol=1e-10)
    assert solution.n_mistakes == sum(deltas)
    last = perceptron(X, y, Top(kappa=0.5), rng=np.random.RandomState(3), **common)
    assert last.n_mistakes == solution.n_mistakes  # the iterates are the same
    assert not np.allclose(last.coef, solution.coef)


# Queries: each a batch

RANKS = {
    "k": (Top(k=3), lambda n, n_pos: min(3, n_pos)),
    "k beyond most groups": (Top(k=30), lambda n, n_pos: min(30, n_pos)),
    "tau": (Top(tau=0.25), lambda n, n_pos: min(-(-n // 4), n_pos)),
    "kappa": (Top(kappa=1.0), lambda n, n_pos: n_pos),
}


def grouped():
    """Groups of many sizes, not in runs of rows; three of one class, two of two items."""
    X, y = overlapping(n=180, seed=9, share=0.4)
    groups = np.random.default_rng(9).permutation(np.repeat(np.arange(14), [2, 2, 3, *range(4, 14), 88]))
    y[groups == 5], y[groups == 6], y[groups == 2] = 0, 1, 0
    y[np.flatnonzero(groups == 0)] = [1, 0]
    y[np.flatnonzero(groups == 1)] = [0, 1]
    return np.round(4 * X) / 4, y, groups


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("variant", ["avg", "max"])
def test_perceptron_of_queries_is_the_plain_loop(variant, ranks, sparse):
    X, y, groups = grouped()
    top, k_of = RANKS[ranks]
    rows = csr_matrix(X) if sparse else X
    solution = perceptron(
        rows, y, top, groups=groups, variant=variant, epochs=3, rng=np.random.RandomState(5)
    )
    each, rng = queries(X, y, groups, k_of), np.random.RandomState(5)
    seen = [each[i] for _ in range(3) for i in rng.permutation(len(each))]
    w, deltas = perceptron_loop(seen, variant, 6)
    np.testing.assert_allclose(solution.coef[:, 0], w, rtol=1e-10, atol=1e-10)
    assert solution.n_mistakes == sum(deltas)
    assert solution.largest_k == max(k for _, _, k in each)
    assert solution.n_skipped == 3 * (14 - len(each)) > 0


@pytest.mark.parametrize("ranks", RANKS)
def test_sgd_of_queries_is_the_plain_loop(ranks):
    X, y, groups = grouped()
    top, k_of = RANKS[ranks]
    eta, radius = np.array([0.1, 1.0]), np.array([np.inf, 0.2])
    solution = minibatch_sgd(
        X, y, Hinge, top, groups=groups, eta=eta, radius=radius, epochs=2, rng=np.random.RandomState(5)
    )
    each, rng = queries(X, y, groups, k_of), np.random.RandomState(5)
    seen = [each[i] for _ in range(2) for i in rng.permutation(len(each))]
    for j in range(2):
        w, values = sgd_loop(seen, _hinge_of_batch, eta[j], radius[j], 6)
        np.testing.assert_allclose(solution.coef[:, j], w, rtol=1e-10, atol=1e-13)
        objective = np.array(solution.history.objective)[:, j]
        np.testing.assert_allclose(objective, np.reshape(values, (2, -1)).mean(axis=1), rtol=1e-10)


@pytest.mark.parametrize("variant", ["avg", "max"])
def test_one_query_is_one_batch(variant):
    X, y = overlapping(n=40)
    one = np.full(40, 7)
    grouped = perceptron(X, y, Top(k=5), groups=one, variant=variant, rng=np.random.RandomState(0))
    whole = perceptron(X, y, Top(k=5), batch_size=40, variant=variant, rng=np.random.RandomState(0))
    np.testing.assert_allclose(grouped.coef, whole.coef, rtol=1e-10)


def test_no_query_has_both_classes():
    X, y = overlapping(n=40)
    with pytest.raises(ValueError, match="no group has a positive and a negative: the 2 groups have"):
        perceptron(X, y, Top(k=1), groups=y, rng=np.random.RandomState(0))


# Mini-batches of groups


def users(seed=0):
    """Return rows of seven users in mixed order; the fifth has no positive, the sixth one negative."""
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.repeat(np.arange(7), 12))
    y = (rng.random(84) < 0.4).astype(int)
    y[groups == 4] = 0
    y[groups == 5] = 1
    y[np.flatnonzero(groups == 5)[0]] = 0
    return rng.normal(size=(84, 4)) + y[:, None], y, groups


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_a_step_on_a_batch_of_groups_is_that_of_their_own_mean(size):
    X, y, groups = users()
    loss = PApKAvg(2).bind(y, groups)
    start = np.random.default_rng(1).standard_normal(4)
    solution = gradient_descent(
        X, loss, eta=0.3, lam=0.1, max_iter=3, coef_init=start, batch_groups=size,
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
    np.testing.assert_allclose(solution.objective[0], best[0], rtol=1e-10)
    np.testing.assert_allclose(solution.coef[:, 0], best[1], rtol=1e-9)
    with pytest.raises(ValueError, match="batch_groups must be at least 1, got 0"):
        gradient_descent(X, loss, eta=0.3, lam=0.1, batch_groups=0)


def test_a_batch_of_all_groups_is_plain_descent():
    X, y, groups = users(3)
    loss = PApKMax(2).bind(y, groups)
    common = {"eta": [0.1, 0.5], "lam": 0.01, "max_iter": 40}
    whole, batch = gradient_descent(X, loss, **common), gradient_descent(X, loss, **common, batch_groups=9)
    np.testing.assert_allclose(batch.coef, whole.coef, rtol=1e-6, atol=1e-9)
    assert batch.n_iter == whole.n_iter


def test_estimators_with_mini_batches_do_not_see_each_other():
    X, y, groups = users(4)
    model = GDPApK("avg", top=2, max_iter=20, batch_groups=2, random_state=3)
    together = model.fit_many(X, y, groups, settings=[{"eta": 0.1}, {"eta": 0.5}, {"random_state": 4}])
    for setting, mine in zip(({"eta": 0.1}, {"eta": 0.5}, {"random_state": 4}), together, strict=True):
        alone = clone(model).set_params(**setting).fit(X, y, groups)
        np.testing.assert_allclose(mine.coef_, alone.coef_, rtol=1e-9)
    whole = clone(model).set_params(eta=0.1, batch_groups=None).fit(X, y, groups)
    assert not np.allclose(together[0].coef_, whole.coef_)
