"""The estimators of the first-order solvers: grids, groups and seeds."""

import numpy as np
import pytest

from attop._core.top import Top
from attop.from_papers import GDPApK, SGDAtK
from attop.from_papers.minibatch._batches import Batches
from attop.learners import _gd_ranker as gd_ranker
from attop.learners._gd_ranker import GDRanker
from attop.surrogates import PApKAvg, PApKRamp, PrecAtKAvg, PrecAtKMax
from attop.surrogates._registry import SURROGATES, get_surrogate
from oracles.first_order import gradient_descent_loop, overlapping, plain, sgd_loop


def in_groups(n_groups=6):
    X, y = overlapping(n=150, seed=10, shift=2.0)
    return X, y, np.random.default_rng(11).integers(0, n_groups, 150)


def test_gd_papk_grid_costs_one_descent(monkeypatch):
    calls = []
    original = gd_ranker.gradient_descent

    def counted(X, loss, **settings):
        calls.append(len(settings["eta"]))
        return original(X, loss, **settings)

    monkeypatch.setattr(gd_ranker, "gradient_descent", counted)
    X, y, groups = in_groups()
    settings = [{"eta": eta, "lam": lam} for eta in (0.1, 0.2) for lam in (0.01, 0.1, 1)]
    GDPApK(top=5, max_iter=5).fit_many(X, y, groups, candidates=settings)
    assert calls == [6]


def test_gd_papk_uses_groups():
    X, y, groups = in_groups()
    # One group of positives only: left out.
    y, groups = y.copy(), groups.copy()
    y[groups == 5] = 1
    model = GDPApK(top=5, max_iter=50).fit(X, y, groups)
    assert (model.n_groups_, model.n_groups_left_out_) == (5, 1)
    kept = groups != 5
    only = GDPApK(top=5, max_iter=50).fit(X[kept], y[kept], groups[kept])
    np.testing.assert_allclose(only.coef_, model.coef_, rtol=1e-9)
    value = PApKAvg(Top(k=5)).value_and_coef(X @ model.coef_, y, groups)[0]
    np.testing.assert_allclose(model.objective_, value + 0.005 * model.coef_ @ model.coef_, rtol=1e-10)


def test_gd_papk_reaches_the_optimum():
    cp = pytest.importorskip("cvxpy")
    X, y, groups = in_groups(3)
    lam, k, w = 0.1, 5, cp.Variable(6)
    risks = []
    for g in range(3):
        pos, neg = X[(groups == g) & (y == 1)], X[(groups == g) & (y == 0)]
        # The k highest negatives have the k largest hinges.
        risks.append(cp.sum_largest(cp.pos(1 + neg @ w - cp.sum(pos @ w) / len(pos)), k) / k)
    optimum = cp.Problem(cp.Minimize(sum(risks) / 3 + lam / 2 * cp.sum_squares(w))).solve(solver=cp.CLARABEL)
    model = GDPApK("avg", top=k, eta=1.0, lam=lam, max_iter=3000, tol=0).fit(X, y, groups)
    # The method's rate, O(log t / sqrt t), leaves about 1e-3 after 3000 steps.
    assert optimum - 1e-7 <= model.objective_ <= optimum * (1 + 5e-3)


def test_gd_papk_ramp_starts_from_avg():
    X, y, groups = in_groups()
    avg = GDPApK("avg", top=3, max_iter=50).fit(X, y, groups)
    ramp = GDPApK("ramp", top=3, max_iter=50).fit(X, y, groups)
    start = PApKRamp(Top(k=3)).value_and_coef(X @ avg.coef_, y, groups)[0] + 0.005 * avg.coef_ @ avg.coef_
    np.testing.assert_allclose(ramp.history_.objective[0], start, rtol=1e-10)
    assert ramp.objective_ <= start


def test_gd_papk_warns_of_a_zero_model():
    X, y = overlapping(n=200, seed=12, shift=0.0)  # nothing to learn
    with pytest.warns(UserWarning, match="1 of 2 models"):
        flat, _ = GDPApK("max", top=1, eta=0.5, max_iter=60).fit_many(
            X, y, candidates=[{"init": "zero"}, {"init": "normal"}]
        )
    assert not flat.coef_.any()
    assert flat.objective_ == 1.0


@pytest.mark.parametrize("name", list(SURROGATES))
def test_gd_ranker_descends_the_surrogate_it_names(name):
    X, y, groups = in_groups(3)
    surrogate = get_surrogate(name, Top(k=5))
    common = {"top": 5, "eta": 0.02, "lam": 0.1, "max_iter": 30, "random_state": 7}
    by_name, *others = (GDRanker(s, **common).fit(X, y, groups) for s in (name, surrogate))
    kind = name.removeprefix("pap@k-")
    if kind in ("avg", "max", "ts") and kind != name:
        others.append(GDPApK(kind, **common).fit(X, y, groups))
    for other in others:
        np.testing.assert_array_equal(by_name.coef_, other.coef_)
    start = np.random.RandomState(7).standard_normal(6)
    w, objective = gradient_descent_loop(X, surrogate.bind(y, groups), 0.02, 0.1, 30, start)
    np.testing.assert_allclose(by_name.coef_, w, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(by_name.objective_, objective, rtol=1e-10)


@pytest.mark.parametrize(("variant", "surrogate"), [("avg", PrecAtKAvg), ("max", PrecAtKMax)])
@pytest.mark.parametrize("top", [{"kappa": 0.25}, {"kappa": 2.0}, {"tau": 0.1}, {"k": 20}, {"k": 100}])
def test_sgd_at_k_is_the_plain_loop(variant, surrogate, top):
    X, y, _ = in_groups()
    model = SGDAtK(variant, top=top, eta=0.2, radius=1.0, batch_size=40, epochs=3, random_state=5).fit(X, y)
    batches = Batches(X, y, Top.of(top), 40, np.random.RandomState(5))
    seen = [plain(batch) for _ in range(3) for batch in batches.one_pass()]

    def value_and_coef(scores, labels, k):
        return surrogate(Top(k=k)).value_and_coef(scores, labels)

    w, values = sgd_loop(seen, value_and_coef, 0.2, 1.0, 6)
    np.testing.assert_allclose(model.coef_, w, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(model.objective_, np.mean(values[-len(values) // 3 :]), rtol=1e-8)
