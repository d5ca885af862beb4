"""Accuracy at the top on the way to the optimum: TopPush's dual by tolerance, three losses by steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from attop.extending import Floats, Ints, dual_descent
from attop.metrics import get_metric
from attop.solvers import bundle
from attop.surrogates import InfinitePushHinge, PAUCStruct, Surrogate, TopPushLoss
from attop_bench.data.base import Dataset
from attop_bench.data.columns.preparation import scaler
from attop_bench.data.splits.protocols import make_folds

TRIALS = 30
#: Where there is something to see on either set; the tolerance decides, more than this.
LAM = 1.0
#: At which the authors' program stops.
PAPER_TOLERANCE = 1e-4
TOLERANCES = tuple(10.0**-power for power in range(1, 8))
LAMS = (1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
STEPS = (0, 1, 3, 10, 30, 100, 300, 1000)
#: Losses against the highest negative or the highest 1% of the items.
LOSSES: Mapping[str, Callable[[], Surrogate]] = {
    "TopPush": TopPushLoss,
    "Infinite push": InfinitePushHinge,
    "SVM-pAUC": lambda: PAUCStruct({"tau": 0.01}),
}


def tolerance(seed: int, data: Mapping[str, Dataset], trials: int = TRIALS) -> pd.DataFrame:
    """Stop TopPush's dual at each tolerance: Pos@Top in test, certified gap and iterations of every trial.

    The last row of a trial, tolerance 0, is the certified optimum, by cutting planes.
    """
    rows = []
    for dataset, trial, X, y, top in _trials(seed, data, trials):
        for tol in TOLERANCES:
            its = dual_descent(X, y, lam=LAM, tol=tol)
            rows.append((dataset, trial, tol, top(its.coef[:, 0]), its.history.gap[-1][0], its.n_iter))
        its = bundle(X, TopPushLoss().bind(y), lam=LAM, tol=1e-6)
        assert its.gap is not None
        rows.append((dataset, trial, 0.0, top(its.coef[:, 0]), its.gap[0], its.n_iter))
    return pd.DataFrame(rows, columns=["dataset", "trial", "tolerance", "pos_at_top", "gap", "iterations"])


def lam(seed: int, data: Mapping[str, Dataset], trials: int = TRIALS) -> pd.DataFrame:
    """Stop TopPush's dual as its paper does, at each lam: Pos@Top in test and certified gap."""
    rows = []
    for dataset, trial, X, y, top in _trials(seed, data, trials):
        for value in LAMS:
            its = dual_descent(X, y, lam=value, tol=PAPER_TOLERANCE)
            rows.append((dataset, trial, value, top(its.coef[:, 0]), its.history.gap[-1][0]))
    return pd.DataFrame(rows, columns=["dataset", "trial", "lam", "pos_at_top", "gap"])


def steps(seed: int, data: Mapping[str, Dataset], trials: int = 10) -> pd.DataFrame:
    """Descend from the difference of the means: Pos@Top in test and distance to the optimum, by steps.

    A step is a subgradient's, ``1 / (lam (t + 2))`` long. ``hull`` says whether the mean of the positives
    lies in the hull of the negatives that the loss allows (`in_hull`), for which the optimum is constant.
    The last column is Pos@Top at the certified optimum.
    """
    rows = []
    for dataset, trial, X, y, top in _trials(seed, data, trials):
        start = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
        for name, make in LOSSES.items():
            loss = make().bind(y)
            best = bundle(X, loss, lam=LAM, tol=1e-6)
            hull = in_hull(X, y, max(1, round(0.01 * len(y))) if name == "SVM-pAUC" else 1)
            w = start.copy()
            for t in range(STEPS[-1] + 1):
                value, c = loss(X @ w)
                if t in STEPS:
                    gap = float(value) + LAM / 2 * float(w @ w) - float(best.objective[0])
                    rows.append((dataset, trial, name, hull, t, top(w), gap, top(best.coef[:, 0])))
                w -= (X.T @ c + LAM * w) / (LAM * (t + 2))
    columns = ["dataset", "trial", "loss", "hull", "steps", "pos_at_top", "gap", "optimum"]
    return pd.DataFrame(rows, columns=columns)


def in_hull(X: Floats, y: Ints, k: int) -> bool:
    """Return whether the mean positive is a mean of negatives with no weight above 1 / k."""
    negatives = X[y == 0]
    equal = np.vstack([negatives.T, np.ones(len(negatives))])
    mean = np.append(X[y == 1].mean(axis=0), 1.0)
    return bool(linprog(np.zeros(len(negatives)), A_eq=equal, b_eq=mean, bounds=(0, 1 / k)).status == 0)


def _trials(
    seed: int, data: Mapping[str, Dataset], trials: int
) -> Iterator[tuple[str, int, Floats, Ints, Callable[[Floats], float]]]:
    """Yield data set, trial, training part scaled to its range, and Pos@Top of a model in test."""
    metric = get_metric("positives@top")
    for dataset, one in data.items():
        for trial in range(trials):
            [fold] = make_folds("holdout", one, trial, seed, train=2 / 3, inner_folds=5)
            scale = scaler("range").fit(one.matrix[fold.train])
            X, test, y = (
                scale.transform(one.matrix[fold.train]),
                scale.transform(one.matrix[fold.test]),
                one.y[fold.test],
            )

            def top(w: Floats, test: Floats = test, y: Ints = y) -> float:
                return float(metric.value(y, test @ w)) / int(y.sum())

            yield dataset, trial, X, one.y[fold.train], top
