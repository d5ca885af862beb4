"""The members of a stack: any classifiers, trained out of fold, and their scores."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.special import logit
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from attop._core._sklearn import num_samples, safe_indexing
from attop._core.seeds import derive_seed
from attop._core.typing import Floats, Ints
from attop.experiment._learner import open_parameters
from attop.experiment._routing import Estimator, Rows, fit
from attop.experiment._splits import Pair
from attop.learners._thinned import thinned
from attop.metrics._scorer import check_scores_of, log_odds, scores_of

#: A name and an estimator.
Member = tuple[str, Estimator]

#: A name, and the estimators fitted without each of the folds.
Fitted = tuple[str, list[Estimator]]

#: ``sample_weight`` and ``groups`` of the rows, where given.
Values = dict[str, Any]

#: Rows a tree of a forest is grown on, at most.
ROWS_OF_A_TREE = 20_000
#: Rows a default member is fitted on, at most.
ROWS_OF_A_MEMBER = 200_000
#: Probabilities are clipped to this range but for their order, see `log_odds`.
_LEAST, _MOST = 1e-6, 0.999
#: Below the log-odds of this fraction of the positive rate, differences are shrunk to a tenth.
_HOPELESS, _SLOPE = 1 / 8, 0.1


def default_members(n_rows: int, n_features: int, *, sparse: bool) -> list[Member]:
    """Make three cheap models that err differently: a booster, a forest, logistic regression.

    `n_rows` are those of the smallest sample they are fitted on. Without LightGBM no booster takes a sparse
    matrix.
    """
    boosting = booster(
        100, 0.08, max_bin=63, subsample=0.7, subsample_freq=1, colsample_bytree=0.6
    )
    large = n_rows > ROWS_OF_A_TREE
    rows = {"bootstrap": True, "max_samples": ROWS_OF_A_TREE} if large else {}
    scaled = [SimpleImputer(), StandardScaler(with_mean=not sparse)]
    return [
        *(
            []
            if sparse and find_spec("lightgbm") is None
            else [("boosting", boosting)]
        ),
        (
            "extra trees",
            ExtraTreesClassifier(
                12, max_features=min(0.5, 60 / n_features), **rows
            ),
        ),
        (
            "logistic regression",
            make_pipeline(*scaled, LogisticRegression(C=0.1, max_iter=1000)),
        ),
    ]


def booster(
    trees: int = 200, learning_rate: float = 0.05, **more: Any
) -> Estimator:
    """Make LightGBM, or scikit-learn's boosting where that is not installed, set for few positives.

    `more` are parameters of LightGBM alone.
    """
    if find_spec("lightgbm") is None:
        return HistGradientBoostingClassifier(
            learning_rate=learning_rate,
            max_iter=trees,
            max_leaf_nodes=15,
            min_samples_leaf=10,
            early_stopping=False,
        )
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=trees,
        learning_rate=learning_rate,
        num_leaves=15,
        min_child_samples=10,
        n_jobs=1,
        verbosity=-1,
        **more,
    )


def _seeded(name: str, estimator: Estimator, seed: int) -> Estimator:
    """Clone the estimator; each `random_state` that is None gets a seed of the member's name."""
    states = {
        p: derive_seed(seed, name, p, bits=31)
        for p in open_parameters(estimator, "random_state")
    }
    return clone(estimator).set_params(**states)


def cross_fit(
    members: Sequence[Member],
    X: Rows,
    y: Ints,
    folds: Sequence[Pair],
    values: Values,
    prior: float,
    seed: int,
    n_jobs: int | None,
    most_rows: int = sys.maxsize,
) -> tuple[list[Fitted], Floats]:
    """Fit each member without each fold; return the models, and the raw scores of the rows held out, (n, m).

    Each row is in one test part of `folds`; `values` reach the members whose `fit` takes them; `prior` is
    that of `raw_scores`; members without a seed get one. With `most_rows` they are fitted on no more, see
    `thinned`, and must take weights. The scores are the same for any `n_jobs`.
    """
    members = [(name, _seeded(name, model, seed)) for name, model in members]
    parts = Parallel(n_jobs)(
        delayed(_held_out)(members, X, y, fold, values, prior, most_rows, seed)
        for fold in folds
    )
    scores = np.empty((len(y), len(members)))
    for (_, test), (_, part) in zip(folds, parts, strict=True):
        scores[test] = part
    models = zip(*(fitted for fitted, _ in parts), strict=True)
    return [
        (name, list(models_of_folds))
        for (name, _), models_of_folds in zip(members, models, strict=True)
    ], scores


def raw_scores(name: str, model: Estimator, X: Rows, prior: float) -> Floats:
    """Score rows by a fitted member: log-odds, or what its decision function gives.

    Log-odds below those of an eighth of `prior`, the share of positives, are drawn together tenfold: in a
    regression on the scores, what distinguishes hopeless rows would else outweigh what distinguishes those
    that matter. Errors are those of `attop.metrics.scores_of`.
    """
    if not hasattr(model, "predict_proba"):
        return scores_of(model, X, name=f"member {name!r}")
    p = np.asarray(model.predict_proba(X))
    check_scores_of(p[:, 1], num_samples(X), f"member {name!r}")
    scores = log_odds(p, _LEAST, _MOST)
    knee = logit(_HOPELESS * prior)
    return np.where(scores < knee, knee + _SLOPE * (scores - knee), scores)


def _held_out(
    members: Sequence[Member],
    X: Rows,
    y: Ints,
    fold: Pair,
    values: Values,
    prior: float,
    most_rows: int,
    seed: int,
) -> tuple[list[Estimator], Floats]:
    """Fit the members on training rows of a fold; return them, and their scores of its test rows."""
    train, test = fold
    weight = values.get("sample_weight")
    some, weight = thinned(
        y[train], None if weight is None else weight[train], most_rows, seed
    )
    train = train[some]
    rows = safe_indexing(X, train)
    held_out = safe_indexing(X, test)
    columns = {name: value[train] for name, value in values.items()}
    columns["sample_weight"] = weight
    # One thread: the order of sums, and so the last digits, must not depend on n_jobs.
    with threadpool_limits(1):
        models = [fit(model, rows, y[train], **columns) for _, model in members]
        scores = [
            raw_scores(name, model, held_out, prior)
            for (name, _), model in zip(members, models, strict=True)
        ]
    return models, np.column_stack(scores)
