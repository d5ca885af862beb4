"""The members of a stack: any classifiers, trained out of fold, and their scores."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.special import logit
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from attop._core._sklearn import num_samples, safe_indexing
from attop._core.seeds import derive_seed
from attop._core.typing import Floats, Ints
from attop.experiment._learner import open_parameters
from attop.experiment._routing import Estimator, Rows, fit
from attop.experiment._splits import Pair
from attop.metrics._scorer import check_scores_of, log_odds, scores_of

#: A name and an estimator.
Member = tuple[str, Estimator]

#: ``sample_weight`` and ``groups`` of the rows, where given.
Values = dict[str, Any]

#: Probabilities are clipped to this range but for their order, see `log_odds`.
_LEAST, _MOST = 1e-6, 0.999
#: Below the log-odds of this fraction of the positive rate, differences are shrunk to a tenth: such rows are
#: far from any top.
_HOPELESS, _SLOPE = 1 / 8, 0.1


def default_members(n_rows: int, *, sparse: bool) -> list[Member]:
    """Return five models that err differently: two boosters, extra trees, two linear models.

    `n_rows` are those of the smallest sample they are fitted on. Without LightGBM no booster takes a sparse
    matrix.
    """

    def scaled(*steps: Estimator) -> Pipeline:
        return make_pipeline(SimpleImputer(), StandardScaler(with_mean=not sparse), *steps)

    boosting = [("boosting", booster()), ("random boosting", booster(random=True))]
    kernel = Nystroem(n_components=min(300, n_rows))
    return [
        *([] if sparse and find_spec("lightgbm") is None else boosting),
        ("extra trees", ExtraTreesClassifier(200, min_samples_leaf=2)),
        ("logistic regression", scaled(LogisticRegression(C=0.1, max_iter=1000))),
        ("kernel logistic regression", scaled(kernel, LogisticRegression(C=10.0, max_iter=1000))),
    ]


def booster(*, random: bool = False) -> Estimator:
    """Return LightGBM, or scikit-learn's boosting where that is not installed, set for few positives.

    A random one chooses its thresholds at random (scikit-learn's: among half of the features).
    """
    if find_spec("lightgbm") is None:
        return HistGradientBoostingClassifier(
            learning_rate=0.05,
            max_iter=300 if random else 200,
            max_leaf_nodes=15,
            min_samples_leaf=10,
            max_features=0.5 if random else 1.0,
            early_stopping=False,
        )
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=300 if random else 200,
        learning_rate=0.05,
        num_leaves=15,
        min_child_samples=10,
        extra_trees=random,
        n_jobs=1,
        verbosity=-1,
    )


def seeded(member: Member, seed: int) -> Estimator:
    """Return a clone of the estimator; each `random_state` that is None gets a seed of the member's name."""
    name, estimator = member
    states = {p: derive_seed(seed, name, p, bits=31) for p in open_parameters(estimator, "random_state")}
    return clone(estimator).set_params(**states)


def cross_fit(
    members: Sequence[Member],
    X: Rows,
    y: Ints,
    folds: Sequence[Pair],
    values: Values,
    prior: float,
    n_jobs: int | None,
) -> Floats:
    """Return the raw scores of every row by every member trained without its fold, shape (n, m).

    Each row is in one test part of `folds`; `values` reach the members whose `fit` takes them; `prior` is
    that of `raw_scores`. The scores are the same for any `n_jobs`.
    """
    jobs = [(j, fold) for j in range(len(members)) for fold in folds]
    parts = Parallel(n_jobs)(delayed(_held_out)(members[j], X, y, fold, values, prior) for j, fold in jobs)
    scores = np.empty((len(y), len(members)))
    for (j, (_, test)), part in zip(jobs, parts, strict=True):
        scores[test, j] = part
    return scores


def refit(members: Sequence[Member], X: Rows, y: Ints, values: Values, n_jobs: int | None) -> list[Member]:
    """Return the members fitted on all rows; parameters as for `cross_fit`."""
    every = np.arange(len(y))
    fitted = Parallel(n_jobs)(delayed(_fit)(member, X, y, every, values) for member in members)
    return [(name, model) for (name, _), model in zip(members, fitted, strict=True)]


def raw_scores(member: Member, X: Rows, prior: float) -> Floats:
    """Return the scores of a fitted member: log-odds, or what its decision function gives.

    Log-odds below those of an eighth of `prior`, the share of positives, are drawn together tenfold. They
    keep their order; what distinguishes hopeless rows would else outweigh, in a regression on the scores,
    what distinguishes the rows that matter. Errors are those of `attop.metrics.scores_of`.
    """
    name, model = member
    if not hasattr(model, "predict_proba"):
        return scores_of(model, X, name=f"member {name!r}")
    p = np.asarray(model.predict_proba(X))
    check_scores_of(p[:, 1], num_samples(X), f"member {name!r}")
    scores = log_odds(p, _LEAST, _MOST)
    knee = logit(_HOPELESS * prior)
    return np.where(scores < knee, knee + _SLOPE * (scores - knee), scores)


def _held_out(member: Member, X: Rows, y: Ints, fold: Pair, values: Values, prior: float) -> Floats:
    train, test = fold
    with threadpool_limits(1):
        model = _fit(member, X, y, train, values)
        return raw_scores((member[0], model), safe_indexing(X, test), prior)


def _fit(member: Member, X: Rows, y: Ints, rows: Ints, values: Values) -> Estimator:
    # One thread: the order of sums, and so the last digits, must not depend on n_jobs.
    with threadpool_limits(1):
        return fit(member[1], safe_indexing(X, rows), y[rows], **{k: v[rows] for k, v in values.items()})
