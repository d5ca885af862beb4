"""Diagnostics: margins against subsets, the mistake bound on random streams, curves along training."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from studies.theory.margins import pap_margins, prec_margins
from studies.theory.mistake_bound import check_mistakes, mistake_bound

import oracles.diagnostics as oracle
from attop.core.top import Top
from attop.metrics import UndefinedMetricError, micro_pap_at_k, precision_at_k
from attop.solvers.boosting.coordinate_descent import coordinate_descent
from attop.solvers.bundle.bundle import bundle
from attop.solvers.descent.gradient_descent import gradient_descent
from attop.solvers.descent.lbfgs import lbfgs
from attop.solvers.minibatch.batches import Batches
from attop.solvers.minibatch.perceptron import perceptron
from attop.solvers.minibatch.sgd_at_k import minibatch_sgd
from attop.surrogates import (
    PApKAvg,
    PApKMax,
    PApKRamp,
    PApKTS,
    PApKTSConvex,
    PNormPushExp,
    PrecAtKAvg,
    PrecAtKMax,
    PrecAtKRamp,
)
from attop_bench.papers.training_curves import TrainingCurve

# --- Margins -----------------------------------------------------------------------------------------


def cases(n, seed):
    """Small samples, many with ties, some huge or tiny."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        n_pos, n_neg = rng.integers(1, 7, 2)
        y = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
        scores = [rng.normal(size=len(y)), rng.integers(-3, 4, len(y)) * 1.0][i % 2]
        yield scores * [1, 1, 1e150, 1e-150][i % 4] + (y == 1) * (i % 5), y


def test_prec_margins_are_those_of_all_subsets():
    for scores, y in cases(200, 1):
        for k in range(1, y.sum() + 1):
            found = prec_margins(scores, y, k)
            expected = oracle.prec_margins(scores[y == 1], scores[y == 0], k)
            scale = np.abs(scores).max()
            np.testing.assert_allclose(found[:3], expected, rtol=1e-13, atol=1e-15 * scale)
            assert found[3:] == (1, 0)
            assert found.strong <= found.k + 1e-15 * scale
            assert found.k <= found.weak + 1e-15 * scale


def test_pap_margins_are_those_of_all_subsets():
    for scores, y in cases(200, 2):
        for k in range(1, (y == 0).sum() + 1):
            found = pap_margins(scores, y, k)
            expected = oracle.pap_margins(scores[y == 1], scores[y == 0], k)
            np.testing.assert_allclose(found[:4], expected, rtol=1e-13, atol=1e-15 * np.abs(scores).max())
            beta = min(y.sum(), k)
            if y.sum() >= 2 * beta - 1:
                # What the paper says of all n+.
                assert found.beta <= found.weak + 1e-15 * np.abs(scores).max()


def test_a_margin_of_one_makes_the_surrogate_zero():
    held = np.zeros(7)
    for scores, y in cases(400, 3):
        for k in range(1, (y == 0).sum() + 1):
            pap = pap_margins(scores, y, k)
            of_margin = [(PApKRamp,), (PApKAvg,), (PApKTS, PApKTSConvex), (PApKMax,)]
            margins = list(pap[:4])
            if k <= y.sum():
                margins += prec_margins(scores, y, k)[:3]
                of_margin += [(PrecAtKRamp,), (PrecAtKAvg,), (PrecAtKMax,)]
            for i, (margin, surrogates) in enumerate(zip(margins, of_margin, strict=True)):
                if margin >= 1 + 1e-12:
                    held[i] += 1
                    assert [s(k).value_and_coef(scores, y)[0] for s in surrogates] == [0] * len(surrogates)
    assert held.min() > 50


@pytest.mark.parametrize(
    ("margins", "per_list", "defined"),
    [
        (prec_margins, oracle.prec_margins, lambda p, n, k: k <= p and n > 0),
        (pap_margins, oracle.pap_margins, lambda p, n, k: p > 0 and k <= n),
    ],
)
def test_grouped_margins_are_the_least_of_eligible_groups(margins, per_list, defined):
    rng = np.random.default_rng(4)
    for _ in range(60):
        y, groups = rng.integers(0, 2, 30), rng.choice(["a", "b", "c", "d"], 30)
        scores = rng.normal(size=30) + 2 * y
        k = int(rng.integers(1, 5))
        lists = [
            (scores[(groups == g) & (y == 1)], scores[(groups == g) & (y == 0)]) for g in np.unique(groups)
        ]
        eligible = [(p, n) for p, n in lists if defined(len(p), len(n), k)]
        if not eligible:
            with pytest.raises(ValueError, match="no group has"):
                margins(scores, y, k, groups)
            continue
        found = margins(scores, y, k, groups)
        expected = np.min([per_list(p, n, k) for p, n in eligible], axis=0)
        np.testing.assert_allclose(found[:-2], expected, rtol=1e-12)
        assert found[-2:] == (len(eligible), len(lists) - len(eligible))


def test_margins_refuse_samples_without_an_eligible_group():
    with pytest.raises(ValueError, match=r"at least k positives \(k=2\) and a negative, got 1 positives"):
        prec_margins([1.0, 0.0, 0.0], [1, 0, 0], 2)
    with pytest.raises(ValueError, match="a positive and at least k negatives"):
        pap_margins([1.0, 0.0, 0.0], [1, 0, 0], 3)
    with pytest.raises(ValueError, match="NaN"):
        pap_margins([1.0, np.nan, 0.0], [1, 0, 0], 1)


# --- Mistake bound -----------------------------------------------------------------------------------


def stream(X, y, top, batch_size, seed, passes):
    batches = Batches(X, y, top, batch_size, np.random.RandomState(seed))
    for _ in range(passes):
        yield from batches.one_pass()


@pytest.mark.parametrize("variant", ["avg", "max"])
def test_the_mistake_bound_holds_on_random_streams(variant):
    tightest = np.inf
    for seed in range(100):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(20, 80)), int(rng.integers(1, 6))
        X, y = rng.normal(size=(n, d)), (np.arange(n) < n // 3).astype(np.int64)
        truth = rng.normal(size=d)
        # From separable, with room to spare, to pure noise.
        X += np.outer(y, truth) * [6.0, 2.0, 0.5, 0.0][seed % 4]
        top, size = Top(kappa=float(rng.uniform(0.1, 1))), int(rng.integers(6, n))
        solution = perceptron(
            X, y, top, variant=variant, batch_size=size, epochs=4, rng=np.random.RandomState(seed)
        )
        seen = list(stream(X, y, top, size, seed, solution.n_iter))
        assert len(seen) >= solution.n_updates
        for u in (truth * 3, truth / 10, solution.coef[:, 0], np.zeros(d)):
            bound = check_mistakes(solution, seen, u, variant=variant)
            assert bound.k == solution.largest_k
            tightest = min(tightest, bound.bound / max(solution.n_mistakes, 1))
    # At u = 0 on noise the losses are the k of the batches, about what is mistaken.
    assert tightest < 3


def test_the_terms_of_the_bound():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(30, 3)), (np.arange(30) < 12).astype(np.int64)
    u = rng.normal(size=3)
    for sample in (X, csr_matrix(X)):
        bound = mistake_bound(stream(sample, y, Top(kappa=0.5), 10, 6, 2), u)
        losses = [
            PrecAtKAvg(b.k).value_and_coef(X[b.rows] @ u, np.arange(len(b.rows)) < b.n_pos)[0]
            for b in stream(X, y, Top(kappa=0.5), 10, 6, 2)
        ]
        largest = np.linalg.norm(X, axis=1).max()
        expected = (2 * largest * np.sqrt(bound.k) * np.linalg.norm(u) + np.sqrt(sum(losses))) ** 2
        np.testing.assert_allclose(bound.bound, expected, rtol=1e-12)
        np.testing.assert_allclose((bound.radius, bound.loss), (largest, sum(losses)), rtol=1e-12)
        assert bound.n_batches == 6


def test_a_margin_on_every_batch_bounds_mistakes_without_a_loss():
    rng = np.random.default_rng(7)
    y = (np.arange(60) < 20).astype(np.int64)
    X = np.column_stack([2.0 * y + rng.uniform(size=60), rng.normal(size=60)])
    bound = mistake_bound(stream(X, y, Top(k=4), 20, 8, 3), [1.0, 0.0])
    assert bound.loss == 0
    np.testing.assert_allclose(bound.bound, 4 * bound.radius**2 * bound.k)


def test_a_record_that_breaks_the_bound_is_refused():
    rng = np.random.default_rng(9)
    X, y = rng.normal(size=(40, 2)), (np.arange(40) < 15).astype(np.int64)
    solution = perceptron(X, y, Top(k=4), batch_size=10, epochs=2, rng=np.random.RandomState(0))
    seen = list(stream(X, y, Top(k=4), 10, 0, 2))
    check_mistakes(solution, seen, np.zeros(2))
    solution.n_mistakes = 10_000
    with pytest.raises(ArithmeticError, match="10000 mistakes exceed the bound of"):
        check_mistakes(solution, seen, np.zeros(2))
    with pytest.raises(ValueError, match="give the batches it saw"):
        check_mistakes(solution, seen[:1], np.zeros(2))


@pytest.mark.parametrize(
    ("seen", "u", "variant", "message"),
    [
        (1, [0.0], "avg", "each of the 2 features, got 1"),
        (1, [0.0, np.nan], "avg", "finite vector"),
        (1, [0.0, 0.0], "ts", "'avg' or 'max', got 'ts'"),
        (0, [0.0, 0.0], "avg", "no batch"),
    ],
)
def test_mistake_bound_refuses(seen, u, variant, message):
    X, y = np.eye(2), np.array([1, 0])
    with pytest.raises(ValueError, match=message):
        mistake_bound(stream(X, y, Top(k=1), 2, 0, seen), u, variant=variant)


# --- Curves ------------------------------------------------------------------------------------------

X = np.random.default_rng(10).normal(size=(60, 3))
Y = (X[:, 0] + np.random.default_rng(11).normal(size=60) > 0.5).astype(np.int64)
GROUPS = np.arange(60) % 4
SOLVERS = {
    "gradient_descent": lambda curve: gradient_descent(
        X, PApKAvg(2).bind(Y), eta=[0.1, 0.5], lam=0.1, max_iter=4, callback=curve
    ),
    "minibatch_sgd": lambda curve: minibatch_sgd(
        X,
        Y,
        PrecAtKAvg,
        Top(k=5),
        eta=[0.1, 1.0],
        radius=5.0,
        batch_size=20,
        epochs=4,
        rng=np.random.RandomState(0),
        callback=curve,
    ),
    "perceptron": lambda curve: perceptron(
        X, Y, Top(k=9), batch_size=20, epochs=4, rng=np.random.RandomState(0), callback=curve
    ),
    "coordinate_descent": lambda curve: coordinate_descent(
        X, PNormPushExp(2).bind(Y), max_iter=4, callback=curve
    ),
    "lbfgs": lambda curve: lbfgs(X, PNormPushExp(2).bind(Y), max_iter=4, callback=curve),
    "bundle": lambda curve: bundle(X, PApKMax(2).bind(Y), lam=1e-4, tol=1e-12, max_iter=6, callback=curve),
}


@pytest.mark.parametrize("solver", SOLVERS)
def test_curves_along_every_solver(solver):
    seen = []
    measures = {"P": ("precision@k", 5), "ramp": PApKRamp(3), "micro": ("micro-pap@k", {"k": 2})}
    curve = TrainingCurve(X, Y, measures, groups=GROUPS, iterations={1, 2, 3})
    every = TrainingCurve(X, Y, {"AUC": "auc"})

    def callback(iteration, coef, objective):
        seen.append((iteration, coef.copy(), np.array(objective)))
        curve(iteration, coef, objective)
        every(iteration, coef, objective)

    SOLVERS[solver](callback)
    seen = {at: (coef, objective) for at, coef, objective in seen}
    assert {row["iteration"] for row in every.rows} == set(seen)
    chosen = {1, 2, 3} & set(seen)  # a solver may be done sooner
    assert len(chosen) > 1
    assert {row["iteration"] for row in curve.rows} == chosen
    for row in curve.rows:
        coef, objective = seen[row["iteration"]]
        scores = X @ coef[:, row["model"]]
        value = row["value"]
        if row["measure"] == "objective":
            expected = objective[row["model"]]
        elif row["measure"] == "P":
            expected = np.mean([precision_at_k(Y[g::4], scores[g::4], 5) for g in range(4)])
        elif row["measure"] == "ramp":
            expected = PApKRamp(3).value_and_coef(scores, Y, GROUPS)[0]
        else:
            expected = micro_pap_at_k(Y, scores, 2, GROUPS).value
        np.testing.assert_allclose(value, expected, rtol=1e-9)
    models = {row["model"] for row in curve.rows}
    assert models == ({0, 1} if solver in ("gradient_descent", "minibatch_sgd") else {0})
    assert len(curve.rows) == len(chosen) * len(models) * 4


def test_given_as_the_callback_itself():
    curve = TrainingCurve(X, Y, {"AUC": "auc"})
    SOLVERS["gradient_descent"](curve)
    assert len(curve.rows) == 5 * 2 * 2


@pytest.mark.parametrize(
    ("measures", "y", "error", "message"),
    [
        ({"AUC": "aucc"}, Y, ValueError, "did you mean 'auc'"),
        ({"P": "precision@k"}, Y, TypeError, "give top"),
        ({"P": ("precision@k", 61)}, Y, UndefinedMetricError, "k > n"),
        ({"ramp": PApKRamp(60)}, Y, ValueError, "at least k negatives"),
        ({"objective": "auc"}, Y, ValueError, "choose another"),
        ({"AUC": "auc"}, Y[1:], ValueError, "X has 60 rows but y has 59"),
    ],
    ids=str,
)
def test_curves_refuse_before_training(measures, y, error, message):
    with pytest.raises(error, match=message):
        TrainingCurve(X, y, measures)
