"""Questions and methods that the papers announce without showing them, tried on their data."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping

import numpy as np
import pandas as pd
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from attop.extending import Floats, Ints, derive_seed
from attop.from_papers import AATP
from attop.metrics import get_metric, roc_points
from attop_bench.data.base import Dataset
from attop_bench.data.splits.protocols import make_folds
from studies.pnorm2005.rounds import TRAIN, train_push

_POWERS = (1, 4, 16, 64)


def outliers(rng: np.random.Generator, n_pos: int = 100, n_neg: int = 1000) -> tuple[Floats, Ints]:
    """Return a sample on which p changes the whole ROC curve (section 7 of Rudin 2005).

    The first feature ranks nearly perfectly, but for 1% of the negatives, which have it higher than all
    positives. The second lifts some positives above all negatives, and ranks the others by chance.
    """
    bad = n_neg // 100
    first = [rng.normal(2, 0.3, n_pos), rng.normal(0, 0.3, n_neg - bad), rng.normal(6, 0.1, bad)]
    second = [rng.uniform(0, 3, n_pos), rng.uniform(0, 1, n_neg)]
    X = np.column_stack([np.concatenate(first), np.concatenate(second)])
    return MinMaxScaler().fit_transform(X), np.repeat([1, 0], [n_pos, n_neg])


def stumps(X: Floats, of: Floats) -> Floats:
    """Return a 0/1 feature for each threshold between the values of a feature of the sample `of`."""
    cuts = [np.unique(column) for column in of.T]
    return np.column_stack([X[:, [j]] > (c[:-1] + c[1:]) / 2 for j, c in enumerate(cuts)]).astype(float)


def curves(seed: int, data: Mapping[str, Dataset], splits: int = 10) -> pd.DataFrame:
    """Train the push for p from 1 to 64 at low and at high capacity, 200 rounds, and compare whole curves.

    Low: the features; high: every threshold of each. A row per sample, split, p and part: ``r_max``, ``auc``
    and ``gap``, the largest difference of the true positive rate from that at p = 1.
    """
    rows: list[tuple[object, ...]] = []
    for split in range(splits):
        rng = np.random.default_rng(derive_seed(seed, "announced", "outliers", split))
        samples = {"outliers": tuple(outliers(rng) for _ in range(2))}
        one = data["pima"]
        [fold] = make_folds("holdout", one, split, seed, train=TRAIN["pima"], inner_folds=2)
        low = MinMaxScaler().fit(one.matrix[fold.train]).transform(one.matrix)
        for name, X in (
            ("pima, features", low),
            ("pima, all thresholds", stumps(one.matrix, one.matrix[fold.train])),
        ):
            samples[name] = tuple((X[part], one.y[part]) for part in (fold.train, fold.test))
        for name, parts in samples.items():
            first: list[Floats] = []
            for p in _POWERS:
                model = train_push(p, *parts[0])
                for at, (part, (X, y)) in enumerate(zip(("training", "test"), parts, strict=True)):
                    scores = model.decision_function(X)
                    rates = _rates(y, scores)
                    if p == 1:
                        first.append(rates)
                    values = [get_metric(metric).value(y, scores) for metric in ("positives@top", "auc")]
                    rows.append((name, split, p, part, *values, float(np.abs(rates - first[at]).max())))
    return pd.DataFrame(rows, columns=["sample", "split", "p", "part", "r_max", "auc", "gap"])


def _rates(y: Ints, scores: Floats) -> Floats:
    """Return the true positive rates at a hundred false positive rates."""
    fp, tp = (np.asarray(counts, float) for counts in roc_points(y, scores)[:2])
    return np.interp(np.linspace(0, 1, 101), fp / fp[-1], tp / tp[-1])


def adaboost(X: Floats, y: Ints, rounds: int) -> Floats:
    """Return weights of the features by AdaBoost: coordinate descent of the mean of exp(-y f).

    One of the weak rankers is constant, as [11] of Rudin (2005) asks, and takes no part in the ranking. The
    others are 0 or 1, so that steps are exact.
    """
    sign, weak = np.where(y == 1, 1.0, -1.0), np.column_stack([np.ones(len(y)), X])
    weight, coef = np.ones(len(y)), np.zeros(weak.shape[1])
    for _ in range(rounds):
        right, wrong = (weak.T @ (weight * (sign == side)) for side in (1.0, -1.0))
        right, wrong = np.maximum(right, 1e-12), np.maximum(wrong, 1e-12)
        best = int(np.argmax((np.sqrt(right) - np.sqrt(wrong)) ** 2))
        step = 0.5 * float(np.log(right[best] / wrong[best]))
        coef[best] += step
        weight *= np.exp(-sign * step * weak[:, best])
    return coef[1:]


def boosters(seed: int, data: Mapping[str, Dataset], splits: int = 20, rounds: int = 1000) -> pd.DataFrame:
    """Return the AUC of AdaBoost and of RankBoost on the same 0/1 features, training and test."""
    rows = []
    for name, one in data.items():
        for split in range(splits):
            [fold] = make_folds("holdout", one, split, seed, train=TRAIN[name], inner_folds=2)
            X, y = np.asarray(one.matrix, float), one.y
            ways = (
                X @ adaboost(X[fold.train], y[fold.train], rounds),
                train_push(1, X[fold.train], y[fold.train], rounds).decision_function(X),
            )
            for part, its in (("training", fold.train), ("test", fold.test)):
                found = [get_metric("auc").value(y[its], scores[its]) for scores in ways]
                rows.append((f"PUSH, AUC, {part}: AdaBoost, RankBoost", name, split, *found))
    return pd.DataFrame(rows, columns=["claim", "dataset", "split", "first", "second"])


def admm(X: Floats, y: Ints, k: int, C: float, iterations: int) -> list[float]:
    """Return the lowest objective of problem (2) of Boyd et al. (2012) after each iteration of ADMM.

    The split is ``z = A w`` of margins: a ridge step in w, whose matrix is factorised once, and the proximal
    step of the hinge in z. Each item adds to the first by a sum and takes the second alone, as is meant by a
    solution for very large m. The penalty is C.
    """
    rho = C
    A = np.where(y == 1, 1.0, -1.0)[:, None] * (X - X[k])
    inverse = np.linalg.inv(np.eye(X.shape[1]) + rho * A.T @ A)
    z, u = np.zeros(len(y)), np.zeros(len(y))
    found, lowest = [], np.inf
    for _ in range(iterations):
        w = inverse @ (rho * A.T @ (z - u))
        margins = A @ w
        v = margins + u
        z = np.where(v > 1, v, np.minimum(v + C / rho, 1.0))
        u = v - z
        lowest = min(lowest, w @ w / 2 + C * np.maximum(1 - margins, 0).sum())
        found.append(float(lowest))
    return found


def large(seed: int, data: Mapping[str, Dataset]) -> pd.DataFrame:
    """Solve problem (2) for the item that AATP's search returns, by ADMM and by its own interior point.

    A row per number of iterations: processor seconds, and the gap to the certified objective, relative.
    """
    [one] = data.values()
    fold = make_folds("given", one, 0, seed, n_folds=5)[0]
    X, y = StandardScaler().fit_transform(one.matrix[fold.train]), one.y[fold.train]
    C, start = 1e-3, time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = AATP({"tau": 0.01}, C=C, search="fixed-point", time_limit=60.0).fit(X, y)
    rows = [(f"search, {model.n_iter_} problems", len(y), time.process_time() - start, model.gap_)]
    for iterations in (10, 100, 1000):
        start = time.process_time()
        reached = admm(X, y, model.threshold_item_, C, iterations)[-1]
        gap = reached / model.objective_ - 1
        rows.append((f"ADMM, {iterations} iterations, one problem", len(y), time.process_time() - start, gap))
    return pd.DataFrame(rows, columns=["solver", "items", "seconds", "gap"])


def quantile_loss(values: Floats, tau: float, u: Floats) -> Floats:
    """Return F_tau at each u: the mean of the pinball loss of a sample (Boyd et al. 2012, section 2).

    Its largest minimiser is the score at rank ``floor(tau n) + 1`` where tau n is whole: figure 1's quantile.
    """
    beyond = values[:, None] - np.asarray(u)[None, :]
    return (tau * np.maximum(-beyond, 0) + (1 - tau) * np.maximum(beyond, 0)).mean(axis=0)
