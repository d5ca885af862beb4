"""AATP's quadratic programs against CVXPY, and the search for the item at the threshold."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import oracles.aatp as oracle
from attop.from_papers.aatp._aatp import AATP
from attop.from_papers.aatp._box_qp import interior_point
from attop.from_papers.aatp._candidates import SolvedProblems, quantile_items
from attop.from_papers.aatp._difference_rows import DifferenceRows
from attop.from_papers.aatp._search import Search
from attop.from_papers.aatp._threshold_svm import ThresholdSVM
from attop.solvers._base import Deadline, History
from attop.surrogates._accuracy_at_top import item_weights
from support.threshold_programs import sample, search_input


def assert_certified(X, y, upper, solution, tol=1e-6):
    """Both objectives again, from raw differences and the definitions."""
    sign = np.where(y == 1, 1.0, -1.0)[:, None]
    assert (solution.dual >= 0).all()
    assert (solution.dual <= upper[:, None]).all()
    for b, k in enumerate(solution.threshold_items):
        V = sign * (X - X[k])
        w, alpha = solution.coef[:, b], solution.dual[:, b]
        primal = 0.5 * w @ w + upper @ np.maximum(1 - V @ w, 0)
        dual = alpha.sum() - 0.5 * np.sum((V.T @ alpha) ** 2)
        assert solution.objective[b] == pytest.approx(primal, rel=1e-9)
        if upper.sum() - dual <= 1e-12 * upper.sum():
            assert solution.gap[b] == 0
            continue
        gain = min(primal, upper.sum() - dual)
        rounding = 2e-14 * upper.sum() / gain
        assert (primal - dual) / gain <= tol + rounding
        assert solution.gap[b] == pytest.approx((primal - dual) / gain, rel=1e-2, abs=1e-11 + rounding)


@pytest.mark.parametrize("C", [0.01, 0.1, 1.0, 10.0])
@pytest.mark.parametrize(("n", "d"), [(105, 34), (230, 57)])
def test_interior_point_agrees_with_cvxpy(n, d, C):
    pytest.importorskip("cvxpy")
    from attop.from_papers.aatp._threshold_svm_cvxpy import CvxpyThresholdSVM

    X, y = sample(n, d, seed=n)
    upper = np.full(n, C)
    threshold_items = np.array([0, 1, n // 2, n - 1])
    ours = ThresholdSVM(X, y, upper).solve(threshold_items)
    assert_certified(X, y, upper, ours)
    theirs = CvxpyThresholdSVM(X, y, upper).solve(threshold_items)
    assert_certified(X, y, upper, theirs)
    assert ours.objective == pytest.approx(theirs.objective, rel=1e-6)
    w, value = oracle.solve(X, y, 1, C)
    assert ours.objective[1] == pytest.approx(value, rel=1e-7)
    # Strong convexity: 1/2 |w - w*|^2 is at most the distance from the minimum.
    assert np.sum((w - ours.coef[:, 1]) ** 2) <= 2 * 1e-7 * value


@pytest.mark.parametrize("C", [1e-4, 1e-2, 1.0, 1e2, 1e4])
@pytest.mark.parametrize("weights", ["items", "pairs"])
def test_every_program_is_certified(weights, C):
    X, y = sample(60, 12, seed=3)
    upper = C * item_weights(y, weights).astype(float)
    solution = ThresholdSVM(X, y, upper).solve(np.arange(60))
    assert_certified(X, y, upper, solution)
    # The definition itself, in loops.
    assert solution.objective[7] == pytest.approx(
        oracle.primal(X, y, 7, C, solution.coef[:, 7], weights), rel=1e-10
    )
    assert oracle.dual(X, y, 7, solution.dual[:, 7]) == pytest.approx(solution.objective[7], rel=1e-6)


NASTY = {
    "constant features": lambda X: np.hstack([X, np.full((len(X), 2), 7.3)]),
    "duplicate features": lambda X: np.hstack([X, X]),
    "duplicate items": lambda X: np.vstack([X[:20], X[:20]]),
    "all zero": np.zeros_like,
    "huge": lambda X: 1e6 * X,
    "tiny": lambda X: 1e-6 * X,
    "unlike scales": lambda X: X * 10.0 ** np.linspace(-5, 5, X.shape[1]),
    "one feature": lambda X: X[:, :1],
    "wide": lambda X: np.random.default_rng(0).standard_normal((len(X), 90)),
    "separable": lambda X: X + 20 * np.sign(X[:, :1]),
}


@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("one_positive", [False, True])
@pytest.mark.parametrize("nasty", NASTY)
def test_nasty_features_are_certified(nasty, one_positive, C):
    X, y = sample(40, 6, seed=5)
    X = NASTY[nasty](X)
    if one_positive:
        y = np.eye(40, dtype=int)[3]
    upper = np.full(40, C)
    problem = ThresholdSVM(X, y, upper)
    solution = problem.solve(np.arange(40))
    assert (solution.gap <= 1e-6).all()
    # Raw differences lose digits to cancellation at these scales; the gap must hold all the same.
    assert_certified(X, y, upper, solution)
    alone = problem.solve([3])
    assert alone.objective[0] == pytest.approx(solution.objective[3], rel=2e-6)


def test_a_program_cut_short_returns_its_best_points():
    X, y = sample(80, 10, seed=7)
    sign = np.where(y == 1, 1.0, -1.0)[:, None]
    values = [
        interior_point(DifferenceRows(X, sign, 0), np.ones((80, 1)), tol=1e-12, max_iter=i) for i in range(12)
    ]
    primal = np.array([v.primal_value[0] for v in values])
    dual = np.array([v.dual_value[0] for v in values])
    assert (np.diff(primal) <= 0).all()
    assert (np.diff(dual) >= 0).all()
    assert primal[0] == 80  # w = 0
    assert (dual <= primal[-1]).all()


def test_many_features_are_solved_one_by_one():
    X, y = sample(200, 170, seed=9)
    problem = ThresholdSVM(X, y, np.ones(200))
    assert problem.batch_size == 1
    assert_certified(X, y, np.ones(200), problem.solve([0, 5]))


def test_scale_and_shift_of_features():
    X, y = sample(60, 5, seed=10)
    reference = ThresholdSVM(X, y, np.full(60, 1.0)).solve(np.arange(60))
    moved = ThresholdSVM(100 * X + 1e5, y, np.full(60, 1e-4)).solve(np.arange(60))
    assert 1e4 * moved.objective == pytest.approx(reference.objective, rel=1e-7)


@pytest.mark.parametrize("d", [1, 2, 5, 8, 13])
@pytest.mark.parametrize("m", [1, 16, 21])
def test_tile_cholesky(d, m):
    from attop.from_papers.aatp._kernels import factor, solve

    rng = np.random.default_rng(d)
    V = rng.standard_normal((30, d))
    threshold_item, theta, b = rng.standard_normal((d, m)), rng.random((30, m)), rng.standard_normal((d, m))
    rows, columns = np.tril_indices(d)
    packed = (V[:, rows] * V[:, columns]).T @ theta
    factor(packed, V.T @ theta, theta.sum(axis=0), threshold_item)
    x = b.copy()
    solve(packed, x)
    for j in range(m):
        D = V - threshold_item[:, j]
        expected = np.linalg.solve(np.eye(d) + (D.T * theta[:, j]) @ D, b[:, j])
        assert x[:, j] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("weights", ["items", "pairs"])
def test_quantile_items(weights):
    rng = np.random.default_rng(0)
    taus = (0.01, 0.1, 0.25, 0.5, 0.77, 0.99)
    for _ in range(30):
        y = rng.permutation([1, 0, 0, 1, 0, 1, 0, 0, 1])
        scores = rng.integers(-3, 4, (9, 6)).astype(float)
        weight = item_weights(y, weights)
        targets = [int(np.ceil(tau * weight.sum())) for tau in taus]
        items = quantile_items(scores, weight, targets)
        for tau, row in zip(taus, items, strict=True):
            for model, item in enumerate(row):
                assert scores[item, model] == oracle.quantile(scores[:, model], y, tau, weights)


@pytest.mark.parametrize("weights", ["items", "pairs"])
@pytest.mark.parametrize("C", [0.05, 1.0])
@pytest.mark.parametrize("seed", [0, 2])
def test_sweep_chooses_by_definition(weights, C, seed):
    pytest.importorskip("cvxpy")
    X, y = sample(12, 3, seed, shift=0.8)
    taus = (0.05, 0.1, 0.25, 0.4, 0.6, 0.9)
    models = oracle.sweep(X, y, C, weights)
    for tau in taus:
        fitted = AATP({"tau": tau}, C, weights, tol=1e-9).fit(X, y)
        k, distance = oracle.choose(models, X, y, tau, weights)
        assert fitted.threshold_item_ == k
        # The oracle's and our accuracy in scores: the root of theirs in the objective.
        assert fitted.quantile_distance_ == pytest.approx(distance, abs=1e-4)
        assert fitted.coef_ == pytest.approx(models[k][0], abs=1e-4)
        assert fitted.objective_ == pytest.approx(models[k][1], rel=1e-7)
        assert fitted.converged_


def test_among_equal_distances_the_smallest_objective():
    found = SolvedProblems(
        threshold_items=np.arange(5),
        coef=np.arange(5.0)[None],
        objective=np.array([9.0, 3.0, 2.0, 1.0, 0.5]),
        gap=np.array([1e-10, 1e-10, 1e-10, 1e-10, 0.1]),
        score_range=np.full(5, 4.0),
        offset=np.array([[1.0, 1.0 + 1e-8, -1.0 - 2e-8, 1.1, 0.0], [0.0, 0.5, 0.0, 1e-8, 0.0]]),
    )
    # The last one is nearest, but was not solved.
    assert found.choose(0, tol=1e-6, complete=True, history=History()).threshold_item == 2
    # Nothing but zero equals zero.
    assert found.choose(1, tol=1e-6, complete=True, history=History()).threshold_item == 2
    assert found.choose(0, tol=1e-6, complete=True, history=History()).n_missed == 1
    found.gap[:] = 0.1
    assert found.choose(0, tol=1e-6, complete=True, history=History()).gap == 0.1


@pytest.mark.parametrize("search", [Search.exhaustive, Search.fixed_point])
def test_a_search_is_recorded(search, monkeypatch):
    X, y = sample(100, 5, 3)
    problem, weight, targets = search_input(y, 0.1, "items", (0.1, 0.3), X)
    monkeypatch.setattr(type(problem), "batch_size", 4)
    calls = []

    started = Search(
        problem, weight, targets, tol=1e-6, deadline=Deadline(), report=lambda n, distance: calls.append(n)
    )
    for choice in search(started):
        distances = np.concatenate(choice.history.objective)
        assert (np.diff(distances) <= 0).all()
        assert distances[-1] <= choice.quantile_distance + 1e-12
        assert choice.history.iteration == calls == sorted(set(calls))
        assert len(choice.history.seconds) == len(calls)


@pytest.mark.parametrize("weights", ["items", "pairs"])
def test_fixed_point_finds_distance_zero_wherever_there_is_one(weights):
    taus = (0.05, 0.2, 0.5)
    exists = absent = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n, d = rng.integers(11, 90), rng.integers(1, 12)
        X, y = sample(n, d, seed, positive=rng.choice([0.1, 0.4]), shift=rng.choice([0.2, 0.8]))
        C = rng.choice([0.01, 0.1, 1.0, 10.0]) / (1 if weights == "items" else n / 2)
        problem, weight, targets = search_input(y, C, weights, taus, X)
        every = Search(problem, weight, targets, tol=1e-6, deadline=Deadline()).exhaustive()
        few = Search(problem, weight, targets, tol=1e-6, deadline=Deadline()).fixed_point()
        for tau, best, found in zip(taus, every, few, strict=True):
            scores = X @ found.coef
            distance = abs(scores[found.threshold_item] - oracle.quantile(scores, y, tau, weights))
            assert found.quantile_distance == pytest.approx(distance, abs=1e-9)
            assert (found.quantile_distance == 0) == (best.quantile_distance == 0)
            assert found.complete
            exists += best.quantile_distance == 0
            if best.quantile_distance > 0:
                absent += 1
                assert found.n_solved == n
                assert found.quantile_distance == pytest.approx(best.quantile_distance, abs=1e-3)
    assert exists >= 10
    assert absent >= 10


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_fixed_point_on_a_large_sample_gives_up_and_says_so(share, monkeypatch):
    monkeypatch.setattr("attop.from_papers.aatp._search._SMALL", 0)
    X, y = sample(150, 5, seed=1)
    monkeypatch.setattr("attop.from_papers.aatp._search._EFFORT", share * 150 * 150 * (5 + 30) ** 2)
    tau = {"tau": 0.05}
    assert AATP(tau, search="exhaustive", C=1.0).fit(X, y).quantile_distance_ > 0
    if share == 1.0:
        model = AATP(tau, search="fixed-point", C=1.0).fit(X, y)
        assert model.converged_
    else:
        with pytest.warns(ConvergenceWarning, match="none of the 45 threshold items tried, out of 150"):
            model = AATP(tau, search="fixed-point", C=1.0).fit(X, y)
        assert not model.converged_
    assert model.n_iter_ == share * 150
    scores = X @ model.coef_
    distance = abs(scores[model.threshold_item_] - np.sort(scores)[-8])
    assert distance == pytest.approx(model.quantile_distance_, abs=1e-9)


def test_fixed_point_is_found_before_all_is_tried():
    X, y = sample(400, 5, seed=2)
    solved = [AATP({"tau": tau}, 0.1, search="fixed-point").fit(X, y) for tau in (0.3, 0.4)]
    assert [model.quantile_distance_ for model in solved] == [0, 0]
    assert max(model.n_iter_ for model in solved) < 400


def test_scores_all_equal():
    """Features that say nothing: w = 0, every score is the quantile."""
    X, y = np.ones((9, 2)), np.array([1, 0, 0, 1, 0, 0, 0, 1, 0])
    for search in ("exhaustive", "fixed-point"):
        model = AATP(2, search=search).fit(X, y)
        assert model.quantile_distance_ == 0
        assert model.objective_ == 9
        assert model.converged_
