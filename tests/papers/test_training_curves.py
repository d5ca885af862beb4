"""Curves of surrogates and metrics along training."""

import numpy as np
import pytest

from attop.core.top import Top
from attop.metrics import UndefinedMetricError, micro_pap_at_k, precision_at_k
from attop.solvers.boosting.coordinate_descent import coordinate_descent
from attop.solvers.bundle.bundle import bundle
from attop.solvers.descent.gradient_descent import gradient_descent
from attop.solvers.descent.lbfgs import lbfgs
from attop.solvers.minibatch.perceptron import perceptron
from attop.solvers.minibatch.sgd_at_k import minibatch_sgd
from attop.surrogates import PApKAvg, PApKMax, PApKRamp, PNormPushExp, PrecAtKAvg
from attop_bench.papers.training_curves import TrainingCurve

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
