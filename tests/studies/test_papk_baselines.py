"""Greedy-pAp@k and Select-pAp@k against plain loops."""

from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize
from studies.papk2020 import baselines as papk_baselines
from studies.papk2020.baselines import GreedyPApK, SelectPApK, minimise_cross_entropy

from attop.extending import Top
from oracles.first_order import overlapping
from oracles.papk_baselines import greedy_loop, micro_pap, select_loop, select_rows


def users(n_users=12, n=360, seed=0, shift=0.7):
    X, y = overlapping(n=n, seed=seed, shift=shift)
    return X, y, np.random.default_rng(seed + 1).integers(0, n_users, n)


def test_cross_entropy_is_minimal():
    X, y = overlapping(n=80, shift=1.0)
    z, lam = 2 * y - 1, 0.05

    def objective(w):
        return np.logaddexp(0, -z * (X @ w[:-1] + w[-1])).mean() + lam / 2 * w[:-1] @ w[:-1]

    reference = minimize(objective, np.zeros(7), method="BFGS", options={"gtol": 1e-8}).x
    np.testing.assert_allclose(minimise_cross_entropy(X, y, lam)[0], reference[:-1], atol=1e-4)
    with pytest.raises(ValueError, match="lam"):
        minimise_cross_entropy(X, y, 0.0)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("k", [1, 3])
def test_combination_is_the_plain_loop(seed, k):
    rng = np.random.default_rng(seed)
    _, y, groups = users(5, 60, seed)
    scores = rng.standard_normal((60, 4)) + np.outer(y, rng.random(4))
    alphas = np.linspace(0, 1, 5)
    order, weights, gains = papk_baselines.combine(scores, y, groups, Top(k=k), alphas)
    plain, plain_gains = greedy_loop(scores, y, k, groups, alphas)
    np.testing.assert_allclose(weights, plain[order])
    np.testing.assert_allclose(gains, plain_gains, rtol=1e-12)
    assert (np.diff(gains) >= 0).all()


def test_greedy_uses_the_held_out_users_for_the_combination_only():
    X, y, groups = users()
    model = GreedyPApK(top=3, lam=0.1, n_alphas=6, random_state=4).fit(X, y, groups)
    rng = np.random.RandomState(4)
    held, held_groups, top = papk_baselines.hold_out(y, groups, Top(k=3), rng)
    assert len(np.unique(groups[held])) == 2  # of 12
    np.testing.assert_array_equal(held, np.flatnonzero(np.isin(groups, groups[held])))
    assert top == Top(k=3)
    folds = papk_baselines.shards(np.setdiff1d(np.arange(360), held), y, 5, rng)
    dealt = np.concatenate(folds)
    assert sorted([*dealt, *held]) == list(range(360))
    assert max(y[rows].sum() for rows in folds) - min(y[rows].sum() for rows in folds) <= 1
    W = np.column_stack([minimise_cross_entropy(X[rows], y[rows], 0.1)[0] for rows in folds])
    weights, gains = greedy_loop(X[held] @ W, y[held], 3, held_groups, np.linspace(0, 1, 6))
    np.testing.assert_allclose(model.coef_, W @ weights, rtol=1e-10)
    np.testing.assert_allclose(model.gains_, gains, rtol=1e-12)


def test_greedy_holds_out_a_fifth_of_one_list():
    X, y, _ = users()
    n_pos = int(y.sum())
    for groups in (None, np.zeros(360, int), np.r_[np.zeros(355, int), 1, 2, 3, 4, 4]):
        rng = np.random.RandomState(0)
        held, held_groups, top = papk_baselines.hold_out(y, groups, Top(k=40), rng)
        assert held_groups is None
        assert top == Top(k=8)
        if groups is None:
            assert y[held].sum() == round(0.2 * n_pos)
            assert len(held) - y[held].sum() == round(0.2 * (360 - n_pos))
    # As many negatives as the list has: the held-out list cannot have more.
    _, _, top = papk_baselines.hold_out(np.array([1] * 20 + [0] * 12), None, Top(k=12), rng)
    assert top == Top(k=2)
    assert GreedyPApK(top=40).fit(X, y).gains_[-1] > 0.5


def test_greedy_makes_do_with_few_items_of_a_class():
    X, y = overlapping(n=60, shift=3.0)
    few = np.r_[np.flatnonzero(y == 1)[:4], np.flatnonzero(y == 0)]
    assert len(GreedyPApK(top=5).fit(X[few], y[few]).weights_) == 3
    with pytest.raises(ValueError, match="two of each"):
        GreedyPApK(top=5).fit(X[few[3:]], y[few[3:]])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [1, 4, 30])
def test_selection_is_the_plain_loop(seed, k):
    _, y, groups = users(6, 150, seed)
    groups[:40] = 6  # k = 30 leaves small groups out
    y[:40], y[:8] = 0, 1
    y[groups == 1] = 0
    scores = np.round(np.random.default_rng(seed).standard_normal(150), 1)  # ties
    selected = papk_baselines.Selection(y, groups, Top(k=k))(scores)
    np.testing.assert_array_equal(selected, select_rows(scores, y, k, groups))


@pytest.mark.parametrize("seed", range(3))
def test_select_is_the_plain_loop(seed):
    X, y, groups = users(seed=seed)
    model = SelectPApK(top=4, lam=0.05, max_iter=6, tol=0).fit(X, y, groups)
    models, selections = select_loop(X, y, 4, groups, lambda X, y: minimise_cross_entropy(X, y, 0.05)[0], 6)
    risks = [1 - micro_pap(y, X @ w, 4, groups) for w in models[: model.n_iter_]]
    np.testing.assert_allclose(np.ravel(model.history_.objective), risks, rtol=1e-12)
    np.testing.assert_allclose(model.coef_, models[int(np.argmin(risks))], rtol=1e-10)
    assert model.objective_ == pytest.approx(min(risks))
    if model.n_iter_ < 6:
        start, _ = minimise_cross_entropy(X, y, 0.05)
        before = [1 - micro_pap(y, X @ start, 4, groups), *risks][-2]
        unchanged = risks[-1] == pytest.approx(before, abs=1e-12)
        assert unchanged or selections[model.n_iter_] in selections[: model.n_iter_]


def test_select_ends_in_a_circle(monkeypatch):
    # Two models whose selections call for each other.
    X, y = np.array([[1.0, 0], [0, 1], [0, 0], [0, 0], [0.5, 0.2]]), np.array([1, 1, 0, 0, 0])
    turn = {0: np.array([0.0, 1]), 1: np.array([1.0, 0])}

    def train(X, y, lam):
        return (turn[0] if X[0, 0] == 1 else turn[1]), True

    monkeypatch.setattr(papk_baselines, "minimise_cross_entropy", train)
    values = count(1)  # a metric that never stops changing
    wandering = SimpleNamespace(group_mean=lambda *_: SimpleNamespace(value=next(values) / 100))
    monkeypatch.setattr(papk_baselines, "MICRO_PAP", wandering)
    model = SelectPApK(top=1, max_iter=50, tol=0).fit(X, y)
    assert (model.n_iter_, model.status_) == (2, "converged")


def test_select_endings():
    X, y, groups = users()
    model = SelectPApK(top=4, max_iter=1, tol=0).fit(X, y, groups)
    assert (model.n_iter_, model.status_, model.converged_) == (1, "max_iter", False)
    assert SelectPApK(top=4, time_limit=1e-9, tol=0).fit(X, y, groups).status_ == "deadline"
    loose = SelectPApK(top=4, tol=1.0).fit(X, y, groups)
    assert (loose.n_iter_, loose.status_) == (1, "converged")
