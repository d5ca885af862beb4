"""The models `gap` compares: scores of every row by models that have not seen it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import issparse
from scipy.special import expit
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from attop.core.top import Top
from attop.core.typing import Floats, Ints
from attop.estimators.members import Member, booster, cross_fit, seeded
from attop.estimators.soft_top import SoftTop
from attop.experiment.splits import Pair

__all__ = ["calibrated", "held_out_linear", "held_out_richer", "richer_models"]

#: Rows a tree of the forest is grown on, at most.
_ROWS_OF_A_TREE = 20_000


def richer_models(n_rows: int, *, sparse: bool = False) -> list[Member]:
    """Return a booster and a forest that can represent what no linear model can.

    Parameters
    ----------
    n_rows : int
        Rows they are fitted on.
    sparse : bool
        Whether features are a sparse matrix: without LightGBM no booster takes one, and the forest is alone.
    """
    rows = min(n_rows, _ROWS_OF_A_TREE)
    forest = ExtraTreesClassifier(100, min_samples_leaf=2, bootstrap=True, max_samples=rows)
    boosting = [] if sparse and find_spec("lightgbm") is None else [("boosting", booster())]
    return [*boosting, ("forest", forest)]


def held_out_richer(
    X: Any, y: Ints, folds: Sequence[Pair], groups: Ints | None, seed: int, n_jobs: int | None
) -> dict[str, Floats]:
    """Return log-odds of each row by each of `richer_models`, fitted without its fold."""
    models = richer_models(min(len(train) for train, _ in folds), sparse=issparse(X))
    members = [(name, seeded((name, model), seed)) for name, model in models]
    values = {} if groups is None else {"groups": groups}
    scores = cross_fit(members, X, y, folds, values, n_jobs)
    return {name: scores[:, j] for j, (name, _) in enumerate(members)}


def held_out_linear(
    X: Any,
    y: Ints,
    folds: Sequence[Pair],
    groups: Ints | None,
    top: Top,
    share: float,
    seed: int,
    n_jobs: int | None,
) -> tuple[Floats, Floats]:
    """Return scores of each row by a tuned logistic regression and by its refinement for the top.

    Both are fitted, tuned and chosen without the row's fold. What a fold's model scores is shifted by the
    score where its training rows are cut, a `share` of them, and divided by how much the highest differ: the
    models of the folds are then aligned where the list is cut.
    """
    parts = Parallel(n_jobs)(delayed(_linear_part)(X, y, fold, groups, top, share, seed) for fold in folds)
    scores = np.empty((len(y), 2))
    for (_, test), part in zip(folds, parts, strict=True):
        scores[test] = part
    return scores[:, 0], scores[:, 1]


def _linear_part(
    X: Any, y: Ints, fold: Pair, groups: Ints | None, top: Top, share: float, seed: int
) -> Floats:
    train, test = fold
    codes = None if groups is None else groups[train]
    with threadpool_limits(1):
        # Refined where that gains at all: whether the gain is real is for `gap` to say, on held-out rows.
        model = SoftTop(top=top, base="logistic", cv=3, min_gain_se=0.0, random_state=seed)
        model.fit(X[train], y[train], groups=codes)
        return np.column_stack(
            [_aligned(X[train] @ coef, X[test] @ coef, share) for coef in (model.base_coef_, model.coef_)]
        )


def _aligned(train: Floats, test: Floats, share: float) -> Floats:
    n = len(train)
    highest = np.sort(train)[-min(n, max(2, round(4 * share * n))) :]
    spread = highest.std()
    return (test - np.quantile(train, 1 - share)) / (spread if spread > 0 else 1.0)


def calibrated(scores: Floats, y: Ints, folds: Sequence[Pair]) -> Floats:
    """Return probabilities by Platt's method: of each row, from the scores and labels of other folds."""
    p = np.empty(len(y))
    for train, test in folds:
        model = LogisticRegression(C=1e6, max_iter=1000).fit(scores[train, None], y[train])
        p[test] = expit(model.decision_function(scores[test, None]))
    return p
