"""What all linear rankers of attop share, and training many settings at once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import gen_batches
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from attop.core.sample import check_groups
from attop.core.top import Top
from attop.core.typing import Floats, Ints, TopLike
from attop.estimators.convergence_warnings import warn_constant, warn_unfinished
from attop.estimators.features import check_features
from attop.estimators.validation import check_parameters
from attop.solvers.base import Solution

__all__ = ["CutAtZero", "LinearRanker", "all_alike", "cut_below", "encode_labels"]

Setting = Mapping[str, Any]

#: Scores that differ by no more than this share of the largest are equal but for rounding.
_ALIKE = 16 * np.finfo(np.float64).eps
#: Rows of float32 converted at a time.
_CONVERTED = 4096


class CutAtZero(ClassifierMixin):
    """A binary classifier with a `decision_function`, whose positives are the items that score above 0."""

    classes_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each item: positive where the score is above 0."""
        above = self.decision_function(X) > 0
        return self.classes_[above.astype(int)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class LinearRanker(CutAtZero, BaseEstimator):
    """Base of the estimators that score by ``X @ coef_ + intercept_``.

    A subclass implements `_solve`, and `_shared` where models share work. The order of the scores is all a
    ranker learns; `intercept_` only says where `predict` cuts: it makes as many training items positive as
    there were positives (the break-even point), and never changes the order.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The second is the positive class.
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    constant_ : bool
        Whether all training items have one score: the model ranks nothing.
    n_features_in_ : int
    """

    #: Feature types that are used as they are; others are converted to the first of these.
    _dtypes: ClassVar[Any] = (np.float64,)
    #: Whether features may be a sparse matrix.
    _takes_sparse: ClassVar[bool] = False
    #: What ``top=None`` stands for, in an estimator with that parameter.
    top: TopLike | None
    _default_top: ClassVar[TopLike]

    def fit(self, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None = None) -> Self:
        """Learn from `X` of shape (n, d), labels `y` of shape (n,) and, where used, `groups` of shape (n,).

        Where the training ended before it was done, a ConvergenceWarning says so, and what to change; where
        the model scores all training items alike, a `ConstantModelWarning` does.

        Raises
        ------
        ValueError
            If the input is not finite, `y` does not hold two classes, or a parameter is out of range.
        FloatingPointError
            If the model's scores of the training items overflow.
        """
        self._train(X, y, groups, None, [self])
        return self

    def fit_many(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        *,
        candidates: Sequence[Setting],
    ) -> list[Self]:
        """Fit one clone per setting, sharing whatever work can be shared.

        Parameters
        ----------
        candidates : sequence of mappings
            Parameters to set on each clone.

        Returns
        -------
        models : list of fitted estimators, in the order of `candidates`
        """
        models = [clone(self).set_params(**setting) for setting in candidates]
        self._train(X, y, groups, None, models)
        return models

    def _train(self, X: Any, y: Any, groups: Any, sample_weight: Any, models: Sequence[Any]) -> None:
        """Check everything, fit each of `models`, and warn of those that ended early or rank nothing."""
        for model in models:
            check_parameters(model.get_params(deep=False))
        if not models:
            return
        first = models[0]
        features, labels, codes, weight = first._validate_fit(X, y, groups, sample_weight)
        for model in models[1:]:
            model.classes_ = first.classes_
            model.n_features_in_ = first.n_features_in_
            if hasattr(first, "feature_names_in_"):
                model.feature_names_in_ = first.feature_names_in_
        self._solve_many(features, labels, codes, weight, models)
        warn_unfinished(models)
        warn_constant(models)

    def _solve_many(
        self, X: Any, y: Ints, groups: Ints | None, weight: Floats | None, models: Sequence[Any]
    ) -> None:
        """Fit each of `models`, estimators of this class that differ in parameters."""
        for together in sharing(models):
            together[0]._solve(X, y, groups, weight, together)

    def _shared(self) -> Hashable:
        """Check the parameters; return those that models must have in common to be fitted together.

        By default a model is fitted alone.
        """
        return id(self)

    def _solve(
        self, X: Any, y: Ints, groups: Ints | None, weight: Floats | None, models: Sequence[Any]
    ) -> None:
        """Fit `models`, which have `_shared` in common, by `_set_linear`.

        `weight` is None where all items count alike, and always in a class whose `fit` takes none.
        """
        raise NotImplementedError

    def _top(self) -> Top:
        """Return the parameter `top`, or what it is by default."""
        return Top.of(self._default_top if self.top is None else self.top)

    def _validate_fit(
        self, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None, sample_weight: ArrayLike | None = None
    ) -> tuple[Any, Ints, Ints | None, Floats | None]:
        X, y = check_features(self, X, y, sparse=self._takes_sparse, dtype=self._dtypes)
        self.classes_, labels = encode_labels(y)
        codes = None if groups is None else check_groups(groups, len(labels))
        return X, labels, codes, _weights(sample_weight, X, labels)

    def _set_linear(self, coef: Floats, X: Any, y: Ints, weight: Floats | None = None) -> None:
        """Store a linear model and place the break-even threshold."""
        self.coef_ = np.ascontiguousarray(coef, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self._score(X)
        self._place_cut(scores, y, weight)

    def _place_cut(self, scores: Floats, y: Ints, weight: Floats | None = None) -> None:
        """Set `intercept_` to the break-even threshold of the training scores, which do not include it."""
        if not np.isfinite(scores).all():
            raise FloatingPointError(
                f"{type(self).__name__} diverged: {int((~np.isfinite(scores)).sum())} of its {len(scores)} "
                "training scores are infinite or NaN: scale the features, for example by StandardScaler, "
                "or lower the step length"
            )
        self.constant_ = all_alike(scores)
        self.intercept_ = -_break_even(scores, y, weight)

    def _set_course(self, solution: Solution) -> None:
        """Store how the training went."""
        self.n_iter_, self.status_, self.history_ = solution.n_iter, solution.status, solution.history

    def _why_constant(self) -> str:
        """Say why a fitted model scores all training items alike, and what to try."""
        return "the features do not tell them apart, or the training never left its start; scale the features"

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the scores, shape (n,); the higher, the nearer the top."""
        check_is_fitted(self)
        X = check_features(self, X, sparse=self._takes_sparse, dtype=self._dtypes, reset=False)
        return self._score(X) + self.intercept_

    def _score(self, X: Any) -> Floats:
        """Return the scores before `intercept_`; a ranker with another model than `coef_` overrides it."""
        if issparse(X) or X.dtype == self.coef_.dtype:
            return safe_sparse_dot(X, self.coef_)
        # Block by block: X may be mapped from a file larger than memory, and `@` would convert all of it.
        return np.concatenate([X[rows] @ self.coef_ for rows in gen_batches(len(X), _CONVERTED)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        return tags


def sharing(models: Sequence[Any]) -> list[list[Any]]:
    """Return lists of the models that have in common what `LinearRanker._shared` says."""
    together: dict[Hashable, list[Any]] = {}
    for model in models:
        together.setdefault(model._shared(), []).append(model)
    return list(together.values())


def encode_labels(y: Any) -> tuple[NDArray[Any], Ints]:
    """Return the two classes, the positive one last, and the labels as 0 and 1."""
    check_classification_targets(y)
    classes, labels = np.unique(y, return_inverse=True)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"got {len(classes)} classes; choose the positive one, "
            f"for example y == {classes[-1:].tolist()[0]!r}"
        )
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only ({classes.tolist()[0]!r}): a ranking is learnt from "
            "positives and negatives"
        )
    return classes, labels.astype(np.int64)


def _weights(sample_weight: Any, X: Any, labels: Ints) -> Floats | None:
    """Return checked weights, or None where all items weigh 1."""
    if sample_weight is None:
        return None
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    for label, kind in enumerate(("negatives", "positives")):
        if not weight[labels == label].any():
            raise ValueError(f"sample_weight is 0 for all {kind}: give both classes some weight")
    return None if (weight == 1).all() else weight


def cut_below(scores: Floats, n: int) -> float:
    """Return the middle between the `n`-th highest score and the next."""
    at = [len(scores) - n - 1, len(scores) - n]
    return _middle(*np.partition(scores, at)[at])


def _middle(low: float, high: float) -> float:
    return float(low + (high - low) / 2)  # their sum may overflow


def _break_even(scores: Floats, y: Ints, weight: Floats | None) -> float:
    """Return the threshold above which there are as many items, or as much weight, as positives."""
    if weight is None:
        return cut_below(scores, int(y.sum()))
    order = np.argsort(scores)
    reached, below = np.cumsum(weight[order]), weight[y == 0].sum()
    at = [np.searchsorted(reached, below, side) for side in ("left", "right")]
    return _middle(*scores[order[np.minimum(at, np.flatnonzero(weight[order])[-1])]])


def all_alike(scores: Floats) -> bool:
    """Return whether scores are equal but for rounding: they rank nothing."""
    return bool(np.ptp(scores) <= _ALIKE * np.abs(scores).max())
