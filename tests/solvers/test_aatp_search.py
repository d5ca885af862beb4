"""Which item is at the threshold: by all programs, or by a fixed point."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import oracles.aatp as oracle
from attop.estimators.aatp import AATP
from attop.solvers.aatp.candidates import Candidates, quantile_items
from attop.solvers.aatp.search import Search
from attop.solvers.base import Deadline, History
from attop.surrogates.accuracy_at_top import item_weights
from support.threshold_programs import sample, search_input


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
@pytest.mark.parametrize("seed", [0, 1, 2])
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
        assert fitted.quantile_gap_ == pytest.approx(distance, abs=1e-4)
        assert fitted.coef_ == pytest.approx(models[k][0], abs=1e-4)
        assert fitted.objective_ == pytest.approx(models[k][1], rel=1e-7)
        assert fitted.converged_


def test_among_equal_distances_the_smallest_objective():
    found = Candidates(
        threshold_items=np.arange(5),
        coef=np.arange(5.0)[None],
        objective=np.array([9.0, 3.0, 2.0, 1.0, 0.5]),
        gap=np.array([1e-10, 1e-10, 1e-10, 1e-10, 0.1]),
        spread=np.full(5, 4.0),
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
def test_a_search_is_recorded_and_can_be_stopped(search, monkeypatch):
    X, y = sample(300, 5, 3)
    problem, weight, targets = search_input(y, 0.1, "items", (0.1, 0.3), X)
    monkeypatch.setattr(type(problem), "batch_size", 4)
    calls = []

    def started(callback):
        return Search(problem, weight, targets, tol=1e-6, deadline=Deadline(), callback=callback)

    choices = search(started(lambda *call: calls.append(call[0])))
    for choice in choices:
        distances = np.concatenate(choice.history.objective)
        assert (np.diff(distances) <= 0).all()
        assert distances[-1] <= choice.quantile_gap + 1e-12
        assert choice.history.iteration == calls == sorted(set(calls))
        assert len(choice.history.seconds) == len(calls)
    # Of several workers those that have begun before the callback answers go on.
    monkeypatch.setattr(type(problem), "workers", 1)
    stopped = search(started(lambda n, coef, distance: True))
    for choice in stopped:
        assert choice.n_solved <= max(4, len(targets))
        assert np.isfinite(choice.coef).all()


@pytest.mark.parametrize("weights", ["items", "pairs"])
def test_fixed_point_reproduces_itself_or_says_so(weights):
    taus = (0.1, 0.3, 0.5)
    reproduced = 0
    for seed in range(4):
        X, y = sample(70, 5, seed)
        problem, weight, targets = search_input(y, 0.1, weights, taus, X)
        every = Search(problem, weight, targets, tol=1e-6, deadline=Deadline()).exhaustive()
        few = Search(problem, weight, targets, tol=1e-6, deadline=Deadline()).fixed_point()
        for tau, best, found in zip(taus, every, few, strict=True):
            scores = X @ found.coef
            distance = abs(scores[found.threshold_item] - oracle.quantile(scores, y, tau, weights))
            assert found.quantile_gap == pytest.approx(distance, abs=1e-10)
            assert best.quantile_gap <= found.quantile_gap + 1e-4
            assert found.gap <= 1e-6
            reproduced += found.quantile_gap < 1e-4
    assert reproduced >= 3


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
        for best, found in zip(every, few, strict=True):
            assert (found.quantile_gap == 0) == (best.quantile_gap == 0)
            assert found.complete
            exists += best.quantile_gap == 0
            if best.quantile_gap > 0:
                absent += 1
                assert found.n_solved == n
                assert found.quantile_gap == pytest.approx(best.quantile_gap, abs=1e-3)
    assert exists >= 10
    assert absent >= 10


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_fixed_point_on_a_large_sample_gives_up_and_says_so(share, monkeypatch):
    monkeypatch.setattr("attop.solvers.aatp.search._SMALL", 0)
    X, y = sample(150, 5, seed=1)
    monkeypatch.setattr("attop.solvers.aatp.search._EFFORT", share * 150 * 150 * (5 + 30) ** 2)
    tau = {"tau": 0.05}
    assert AATP(tau, search="exhaustive", C=1.0).fit(X, y).quantile_gap_ > 0
    if share == 1.0:
        model = AATP(tau, search="fixed-point", C=1.0).fit(X, y)
        assert model.converged_
    else:
        with pytest.warns(ConvergenceWarning, match="none of the 45 threshold items tried, out of 150"):
            model = AATP(tau, search="fixed-point", C=1.0).fit(X, y)
        assert not model.converged_
    assert model.n_iter_ == share * 150
    q = np.sort(X @ model.coef_)[-8]
    assert abs((X @ model.coef_)[model.threshold_item_] - q) == pytest.approx(model.quantile_gap_, abs=1e-9)


def test_fixed_point_is_found_before_all_is_tried():
    X, y = sample(400, 5, seed=2)
    solved = [AATP({"tau": tau}, 0.1, search="fixed-point").fit(X, y) for tau in (0.3, 0.4)]
    assert [model.quantile_gap_ for model in solved] == [0, 0]
    assert max(model.n_iter_ for model in solved) < 400


def test_scores_all_equal():
    """Features that say nothing: w = 0, every score is the quantile."""
    X, y = np.ones((9, 2)), np.array([1, 0, 0, 1, 0, 0, 0, 1, 0])
    for search in ("exhaustive", "fixed-point"):
        model = AATP(2, search=search).fit(X, y)
        assert model.quantile_gap_ == 0
        assert model.objective_ == 9
        assert model.converged_
