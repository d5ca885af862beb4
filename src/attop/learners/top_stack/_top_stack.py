"""TopStack: the models you have, combined into one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags, indexable
from sklearn.utils.validation import check_is_fitted, validate_data

from attop._core._sklearn import BaseComposition
from attop._core.sample import Label, centre_and_scale, refuse_masked
from attop._core.typing import Floats, Ints, TopLike
from attop.experiment._routing import Rows, takes
from attop.experiment._splits import Pair, cross_fitting_folds
from attop.learners._base import (
    Setting,
    SplittingRanker,
    Training,
    all_alike,
    cut_below,
    fit_all,
)
from attop.learners._validation import repeatable
from attop.learners.top_stack._members import (
    ROWS_OF_A_MEMBER,
    Fitted,
    Member,
    Values,
    cross_fit,
    default_members,
    raw_scores,
)
from attop.metrics._held_out import TopPrecision


@dataclass(frozen=True)
class _Members:
    """Members and their held-out scores, which are the same for every top."""

    fitted: list[Fitted]
    scores: Floats
    prior: float
    folds: list[Pair]
    centre: Floats
    scale: Floats
    seed: int


class TopStack(SplittingRanker, BaseComposition):
    r"""Combine any classifiers into one that ranks better than its members.

    The members are cross-fitted: every row is scored by members that have not seen its fold. A logistic
    regression learns from these held-out scores how to weigh the members. New rows are scored by the mean of
    the models of all folds.

    Parameters
    ----------
    estimators : list of (str, estimator), default="auto"
        Any scikit-learn classifiers or pipelines with ``predict_proba`` or ``decision_function``. "auto":
        boosting (LightGBM where it is installed, else scikit-learn's), a small forest of extra trees and,
        with missing values filled in and features scaled, logistic regression.
    top : int, mapping or Top, optional
        The top that is measured and cut: k, for example ``10``, or a share such as ``{"tau": 0.05}``; None is
        as many items as there are positives. With groups, the top of each. The order of the items does not
        depend on it.
    cv : int, at least 2, default=5
        Folds, stratified, with groups or entities kept together; fewer where a class has not two rows for
        each.
    n_jobs : int, optional
        Folds at the same time, see joblib. Each takes one thread; the numbers are the same for any.
    random_state : int or RandomState, optional
        Deals the folds, and seeds the members that have no seed of their own.
        None is 0, so that a fit repeats; `compare_at_top` and the benchmark seed it by the run.
    pos_label : str, int, float or bool, optional
        The label of the positive class; by default the last of the two in sorted order.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The second is the positive class.
    members_ : list of (str, list of estimator)
        Fitted without each of the folds.
    coef_ : ndarray of shape (n_members,)
        Weights of the members' scores in units of their standard deviations.
    member_values_ : dict of str to HeldOutPrecision
        Precision of each member alone at the top of held-out rows: `precision`, its `standard_error`, and
        `smoothed`, the mean over nine cuts from k/2 to 2k.
    value_ : HeldOutPrecision
        That of the stack, its weights cross-validated on the same folds.
    intercept_ : float
        Places the cut of `predict`: it makes as many training items positive as the top has places. It never
        changes the order.
    n_features_in_ : int
        Where the features are a table.

    See Also
    --------
    sklearn.ensemble.StackingClassifier : combines probabilities; knows neither groups nor a top.

    Notes
    -----
    Members' probabilities p enter as :math:`\log(p / (1 - p))`, p at most 0.999; below an eighth of the share
    of positives the log-odds are shrunk tenfold, so that the many rows far from any top do not decide.
    Where there is no ``predict_proba``, the decision function enters as it is. All are standardised by mean
    and standard deviation of the held-out scores. The regression has the penalty of scikit-learn's default,
    C = 1.

    A model that can represent the probability is best trained for it, and is then right at every k. That of
    `predict_proba` is the regression's, so calibrated on held-out rows; `predict` cuts at the top, not at one
    half. :doc:`/explanation/top-stack` has the measurements.

    With more than 200,000 rows to train on in a fold, the members of "auto" are fitted on so many: all
    positives up to half of them, and negatives drawn at random, weighted to make up for those left out.
    All rows are scored out of fold, and weigh the members. Members of your own are fitted on all rows.

    `X` goes to the members as it is: whatever all of them take, the stack takes, and text columns or missing
    values are refused by the first member that does not. `sample_weight`, `groups` and `entity` reach the
    members whose `fit` takes them (of a pipeline, its last step), and the weights the regression; the
    precision at the top counts all rows of a weight above 0 alike.

    References
    ----------
    D. H. Wolpert, "Stacked generalization", Neural Networks 5, 1992, pages 241-259.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from attop import TopStack
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] + X[:, 1] > 2).astype(int)
    >>> members = [("linear", LogisticRegression()), ("tree", DecisionTreeClassifier(max_depth=3))]
    >>> stack = TopStack(members, top=5, cv=3).fit(X, y)
    >>> y[stack.decision_function(X).argsort()[-5:]].tolist()
    [1, 1, 1, 1, 1]
    >>> {name: round(worth.precision, 2) for name, worth in stack.member_values_.items()}
    {'linear': 1.0, 'tree': 0.58}
    """

    _default_top: ClassVar[TopLike] = {"kappa": 1.0}

    def __init__(
        self,
        estimators: Sequence[Member] | Literal["auto"] = "auto",
        top: TopLike | None = None,
        cv: int = 5,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        *,
        pos_label: Label | None = None,
    ):
        self.estimators = estimators
        self.top = top
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.pos_label = pos_label

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Collect the parameters, and with `deep` those of the members as ``name__parameter``."""
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params: object) -> Self:
        """Set parameters, those of members as ``name__parameter``, a member itself by its name."""
        self._set_params("estimators", **params)
        return self

    def fit_many(
        self,
        X: Rows,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        entity: ArrayLike | None = None,
        *,
        candidates: Sequence[Setting],
    ) -> list[Self]:
        """Fit a clone for each of `candidates`; those that differ in `top` alone share their members."""
        models = [clone(self).set_params(**setting) for setting in candidates]
        rest = [{**setting, "top": None} for setting in candidates]
        for first, one in enumerate(rest):
            if one not in rest[:first]:
                alike = [
                    m for m, other in zip(models, rest, strict=True) if other == one
                ]
                fit_all(alike, X, y, groups, sample_weight, entity)
        return models

    def _validate(self, X: Rows, *labels: ArrayLike, reset: bool = True) -> Any:
        self._check_estimators()
        y = validate_data(self, y=labels[0])
        if not len(y):
            raise ValueError(
                "X has 0 sample(s): a ranking is learnt from positives and negatives"
            )
        return indexable(validate_data(self, X, skip_check_array=True), y)

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        """Fit `models`, which differ in their top alone."""
        X, y, groups, weight, entity = data.with_positive_weight()
        columns = {"groups": groups, "entity": entity, "sample_weight": weight}
        values: Values = {
            name: value for name, value in columns.items() if value is not None
        }
        measures = [
            TopPrecision(y, model._top(), groups, entity) for model in models
        ]
        members = self._fit_members(X, y, values)
        for model, measure in zip(models, measures, strict=True):
            model._combine(members, y, weight, measure)

    def _fit_members(self, X: Rows, y: Ints, values: Values) -> _Members:
        rng = repeatable(self.random_state)
        most = max(2, int(np.bincount(y).min()) // 2)
        folds = cross_fitting_folds(
            min(self.cv, most), y, values.get("groups", values.get("entity")), rng
        )
        seed = int(rng.randint(np.iinfo(np.int32).max))
        members: Any = self.estimators
        most_rows = sys.maxsize
        if isinstance(members, str):
            most_rows = ROWS_OF_A_MEMBER
            n_rows = min(len(train) for train, _ in folds)
            members = default_members(
                n_rows, self.n_features_in_, sparse=issparse(X)
            )
        weight = values.get("sample_weight")
        if weight is not None and not any(
            takes(model, "sample_weight") for _, model in members
        ):
            raise ValueError(
                f"no member takes sample_weight ({', '.join(name for name, _ in members)}): "
                "add one that does, or leave the weights out"
            )
        prior = float(np.average(y, weights=weight))
        fitted, scores = cross_fit(
            members, X, y, folds, values, prior, seed, self.n_jobs, most_rows
        )
        centre, scale = centre_and_scale(scores, weight)
        scale[scale == 0] = 1.0
        return _Members(
            fitted=fitted,
            scores=(scores - centre) / scale,
            prior=prior,
            folds=folds,
            centre=centre,
            scale=scale,
            seed=seed,
        )

    def _check_estimators(self) -> None:
        if isinstance(self.estimators, str) and self.estimators == "auto":
            return
        try:
            names = [
                name for name, model in self.estimators if hasattr(model, "fit")
            ]
        except (TypeError, ValueError):
            names = []
        if not names or len(names) < len(self.estimators):
            raise ValueError(
                f'estimators must be "auto" or a list of (name, estimator), got {self.estimators!r}: '
                'write for example [("forest", RandomForestClassifier()), ...]'
            )
        self._validate_names(names)

    def _combine(
        self,
        members: _Members,
        y: Ints,
        weights: Floats | None,
        measure: TopPrecision,
    ) -> None:
        Z = members.scores
        seed = members.seed
        self.members_ = members.fitted
        self._prior = members.prior
        self._centre = members.centre
        self._scale = members.scale
        self.member_values_ = {
            name: measure.assess(Z[:, j], seed=seed)
            for j, (name, _) in enumerate(members.fitted)
        }
        held_out = np.empty(len(y))
        for rows, test in members.folds:
            held_out[test] = _weighted(Z[test], _weigh(Z, y, weights, rows)[0])
        self.value_ = measure.assess(held_out, seed=seed)
        self.coef_, self._log_odds = _weigh(Z, y, weights, np.arange(len(y)))
        scores = _weighted(Z, self.coef_)
        self.constant_ = all_alike(scores)
        self.intercept_ = -cut_below(scores, min(int(measure.k.sum()), len(y) - 1))

    def member_scores(self, X: Rows) -> Floats:
        """Compute the members' scores on their common scale, shape (n, n_members)."""
        check_is_fitted(self)
        refuse_masked(X, "X")
        raw = [
            np.mean(
                [raw_scores(name, model, X, self._prior) for model in models],
                axis=0,
            )
            for name, models in self.members_
        ]
        return (np.column_stack(raw) - self._centre) / self._scale

    def decision_function(self, X: Rows) -> Floats:
        """Compute the scores, shape (n,); the higher, the nearer the top."""
        return _weighted(self.member_scores(X), self.coef_) + self.intercept_

    def predict_proba(self, X: Rows) -> Floats:
        """Compute the probabilities of the two classes, shape (n, 2), those of the regression."""
        p = expit(_weighted(self.member_scores(X), self.coef_) + self._log_odds)
        return np.column_stack([1.0 - p, p])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        estimators: Any = (
            [] if isinstance(self.estimators, str) else self.estimators
        )
        members = [get_tags(model).input_tags for _, model in estimators]
        tags.input_tags.allow_nan = all(member.allow_nan for member in members)
        tags.input_tags.sparse = all(member.sparse for member in members)
        return tags


def _weigh(
    members: Floats, y: Ints, weights: Floats | None, rows: Ints
) -> tuple[Floats, float]:
    """Learn the weights of the members' standardised scores on `rows`, and the intercept."""
    model = LogisticRegression(max_iter=1000)
    model.fit(
        members[rows],
        y[rows],
        sample_weight=None if weights is None else weights[rows],
    )
    return np.asarray(model.coef_[0]), float(model.intercept_[0])


def _weighted(members: Floats, coef: Floats) -> Floats:
    # Not a product of matrices, which may sum equal rows in different orders.
    return (members * coef).sum(axis=1)
