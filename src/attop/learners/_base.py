"""The base of attop's rankers: training one or many candidates, warnings, the cut of `predict`."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, gen_batches
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from attop._core._sklearn import safe_indexing
from attop._core.sample import (
    Label,
    check_groups,
    check_lists,
    refuse_masked,
    warn_of_words,
)
from attop._core.top import Top
from attop._core.typing import Features, Floats, Ints, TopLike
from attop.learners._validation import (
    check_features,
    check_parameters,
    check_weights,
    encode_labels,
)
from attop.solvers._base import History, Solution, Status

#: Values of some parameters.
Setting = Mapping[str, Any]
R = TypeVar("R", bound="Ranker")

#: Scores that differ by no more than this share of the largest are equal but for rounding.
_ALIKE = 16 * np.finfo(np.float64).eps
#: Rows of float32 converted at a time.
_CONVERTED = 4096


class ConstantModelWarning(UserWarning):
    """Warning that a fitted model gives all training items one score: it ranks nothing."""


class Training(NamedTuple):
    """A checked training sample: labels 0 and 1, groups as codes, no weights where all items weigh 1."""

    X: Features
    y: Ints
    groups: Ints | None
    weight: Floats | None
    entity: Ints | None = None

    def with_positive_weight(self) -> Training:
        """Leave out rows of weight 0, which must not be dealt to folds nor counted."""
        if self.weight is None or self.weight.all():
            return self
        rows = np.flatnonzero(self.weight)
        groups, entity = (
            None if codes is None else check_groups(codes[rows], len(rows))
            for codes in (self.groups, self.entity)
        )
        weight = None if (self.weight[rows] == 1).all() else self.weight[rows]
        return Training(
            safe_indexing(self.X, rows), self.y[rows], groups, weight, entity
        )


@dataclass(repr=False, eq=False, kw_only=True)
class TwoClasses:
    """Parameter of the estimators that tell one class from another."""

    pos_label: Label | None = None


class Ranker(TwoClasses, ClassifierMixin, BaseEstimator):
    """Base of the estimators that rank items by a score; positives are those that score above 0.

    A subclass has parameters and `_solve`. Unless it overrides `_score`, it scores by
    ``X @ coef_ + intercept_``. The order of the scores is all a ranker learns; `intercept_` only says where
    `predict` cuts.

    Parameters
    ----------
    pos_label : str, int, float or bool, optional
        The label of the positive class, which is to be at the top. By default the last of the two in sorted
        order, as in scikit-learn; of words a warning says which that is. scikit-learn's metrics without a
        `pos_label`, such as ``"roc_auc"``, take the last in any case: score by `make_top_scorer`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The second is the positive class, `pos_label` if that is given.
    coef_ : ndarray of shape (n_features,)
        Of linear models alone.
    intercept_ : float
        Places the cut of `predict`: it makes as many training items positive as there were positives.
    constant_ : bool
        Whether all training items have one score: the model ranks nothing.
    n_features_in_ : int
    """

    #: Feature types that are used as they are; others are converted to the first of these.
    _dtypes: ClassVar[tuple[type[np.floating[Any]], ...]] = (np.float64,)
    _takes_sparse: ClassVar[bool] = False
    _takes_missing: ClassVar[bool] = False
    #: The meaning of ``top=None``, in an estimator with that parameter.
    _default_top: ClassVar[TopLike]

    top: TopLike | None
    classes_: NDArray[Any]
    coef_: Floats
    intercept_: float
    constant_: bool
    n_features_in_: int
    objective_: float
    gap_: float
    converged_: bool
    n_iter_: int
    status_: Status
    history_: History

    def fit(
        self, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None = None
    ) -> Self:
        """Learn from `X` of shape (n, d), labels `y` of shape (n,) and, where used, `groups` of shape (n,).

        Labels are two numbers, booleans or words; `pos_label` says which of them is positive.

        Where the training ended early, a ConvergenceWarning says so, and what to change; where the model
        scores all training items alike, a `ConstantModelWarning` does.

        Raises
        ------
        ValueError
            If the input is not finite, `y` does not hold two labels, or a parameter is out of range.
        FloatingPointError
            If the model's scores of the training items overflow.
        """
        fit_all([self], X, y, groups)
        return self

    def fit_many(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        *,
        candidates: Sequence[Setting],
    ) -> list[Self]:
        """Fit a clone for each of `candidates`, parameters to set, sharing whatever work can be shared."""
        models = [clone(self).set_params(**candidate) for candidate in candidates]
        fit_all(models, X, y, groups)
        return models

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        """Fit `models`, of this class and with checked parameters; `self` is the first of them."""
        raise NotImplementedError

    def _score(self, X: Features) -> Floats:
        """Score rows, before `intercept_` is added."""
        if issparse(X) or X.dtype == self.coef_.dtype:
            return safe_sparse_dot(X, self.coef_)
        # Block by block: X may be mapped from a file larger than memory, and `@` would convert all of it.
        return np.concatenate(
            [X[rows] @ self.coef_ for rows in gen_batches(X.shape[0], _CONVERTED)]
        )

    def _why_constant(self) -> str:
        """Say why a fitted model scores all training items alike, and what to try."""
        return "the features do not distinguish them, or training never left its start; scale the features"

    def _top(self) -> Top:
        """Read the parameter `top`, or its default."""
        return Top.of(self._default_top if self.top is None else self.top)

    def _validate(
        self, X: ArrayLike, *labels: ArrayLike, reset: bool = True
    ) -> Any:
        return check_features(self, X, *labels, reset=reset)

    def _set_linear(self, coef: Floats, data: Training) -> None:
        """Store a linear model and place the break-even threshold."""
        self.coef_ = np.ascontiguousarray(coef, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self._score(data.X)
        self._set_threshold(scores, data.y, data.weight)

    def _set_threshold(
        self, scores: Floats, y: Ints, weight: Floats | None = None
    ) -> None:
        """Set `intercept_` to the break-even threshold of the training scores, which do not include it."""
        if not np.isfinite(scores).all():
            raise FloatingPointError(
                f"{type(self).__name__} diverged: {int((~np.isfinite(scores)).sum())} of its {len(scores)} "
                "training scores are infinite or NaN: scale the features, for example by StandardScaler, "
                "or lower the step length"
            )
        self.constant_ = all_alike(scores)
        self.intercept_ = -_break_even(scores, y, weight)

    def _store_linear(self, solution: Solution, data: Training) -> None:
        """Store the linear model of a solution, its objective, and how the training went."""
        self._set_linear(solution.coef[:, 0], data)
        self._store_progress(solution)
        self.objective_ = float(solution.objective[0])

    def _store_progress(self, solution: Solution) -> None:
        """Store how the training went."""
        self.n_iter_ = solution.n_iter
        self.status_ = solution.status
        self.history_ = solution.history

    def decision_function(self, X: ArrayLike) -> Floats:
        """Score items, shape (n,): the higher, the nearer the top."""
        check_is_fitted(self)
        return self._score(self._validate(X, reset=False)) + self.intercept_

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of each item: positive where the score is above 0."""
        above = self.decision_function(X) > 0
        return self.classes_[above.astype(int)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = self._takes_sparse
        tags.input_tags.allow_nan = self._takes_missing
        return tags


_EXAMPLE = """Examples
--------
>>> import numpy as np
>>> from attop import {name}
>>> X = np.array([[2.0, 0.1], [1.5, 0.9], [0.2, 0.8], [0.1, 0.3], [0.4, 0.5]])
>>> model = {name}({top}).fit(X, [1, 1, 0, 0, 0])
>>> sorted(model.decision_function(X).argsort()[-2:].tolist())
[0, 1]"""


@dataclass_transform()
def ranker(kind: type[R]) -> type[R]:
    """Make a ranker a dataclass, and complete its docstring.

    Parameters and attributes documented by its bases are added to its own, and an example if it has none.
    """
    text, *sections = re.split(
        r"\n\n(?=\w[\w ]*\n-{3,}\n)", cleandoc(kind.__doc__ or "")
    )
    bases = [
        cleandoc(base.__doc__ or "")
        for base in kind.__mro__[1:-1]
        if issubclass(base, Ranker)
    ]
    for title in ("Attributes", "Parameters"):
        entries: dict[str, str] = {}
        for document in ("\n\n".join(sections), *bases):
            match = re.search(
                rf"(?:^|\n\n){title}\n-+\n(.*?)(?=\n\n\w[\w ]*\n---|\Z)",
                document,
                re.DOTALL,
            )
            for entry in re.split(r"\n(?=\w)", match[1]) if match else ():
                entries.setdefault(re.split(r" : |\n", entry)[0], entry)
        sections = [
            section for section in sections if not section.startswith(title)
        ]
        sections.insert(0, "\n".join([title, "-" * len(title), *entries.values()]))
    if not any(section.startswith("Examples") for section in sections):
        top = "top=2" if hasattr(kind, "top") else ""
        sections.append(_EXAMPLE.format(name=kind.__name__, top=top))
    kind.__doc__ = "\n\n".join([text, *sections])
    return dataclass(repr=False, eq=False)(kind)


class WeightedRanker(Ranker):
    """Base of the rankers in whose problem an item of weight 2 is two equal items."""

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from features and labels and, where used, groups and weights; warnings are those of `Ranker`.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
            Two numbers, booleans or words; `pos_label` says which of them is positive.
        groups : array-like of shape (n,), optional
        sample_weight : array-like of shape (n,), optional
            At least 0: an item of weight 2 counts as two equal items, and wherever a top or a rank counts
            items, it is their weight that counts: divide amounts by their mean, or k may be just a few items.

        Raises
        ------
        ValueError
            If the input is not finite, `y` does not hold two labels with some weight each, a parameter is
            out of range, or the requested loss takes no weights.
        FloatingPointError
            If the model's scores of the training items overflow.
        """
        fit_all([self], X, y, groups, sample_weight)
        return self

    def fit_many(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        entity: ArrayLike | None = None,
        *,
        candidates: Sequence[Setting],
    ) -> list[Self]:
        """Fit a clone for each of `candidates`, parameters to set, sharing whatever work can be shared.

        The rows of an `entity` are in one fold, of those that split their rows.
        """
        models = [clone(self).set_params(**candidate) for candidate in candidates]
        fit_all(models, X, y, groups, sample_weight, entity)
        return models


class SplittingRanker(WeightedRanker):
    """Base of the weighted rankers that split their rows, and keep entities or groups whole."""

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        entity: ArrayLike | None = None,
    ) -> Self:
        """Learn as `WeightedRanker` does; the rows of an `entity`, of shape (n,), are in one fold."""
        fit_all([self], X, y, groups, sample_weight, entity)
        return self


def fit_all(
    models: Sequence[Ranker],
    X: ArrayLike,
    y: ArrayLike,
    groups: ArrayLike | None,
    sample_weight: ArrayLike | None = None,
    entity: ArrayLike | None = None,
) -> None:
    """Check everything, fit `models` of one class, and warn of those that ended early or rank nothing."""
    for name, array in (("X", X), ("y", y), ("sample_weight", sample_weight)):
        refuse_masked(array, name)
    for model in models:
        check_parameters(model)
    if not models:
        return
    first = models[0]
    features, target = first._validate(X, y)
    classes, labels = encode_labels(target, first.pos_label)
    if first.pos_label is None:
        warn_of_words(classes, stacklevel=3)
    codes, entities = check_lists(groups, entity, len(labels))
    data = Training(
        features, labels, codes, check_weights(sample_weight, labels), entities
    )
    for model in models:
        model.classes_ = classes
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(first, name):
                setattr(model, name, getattr(first, name))
    first._solve(data, models)
    # The warnings name the line that calls `fit` or `fit_many`.
    for message in _unfinished(models):
        warnings.warn(message, ConvergenceWarning, stacklevel=3)
    for message in _constant(models):
        warnings.warn(message, ConstantModelWarning, stacklevel=3)


def sharing(models: Sequence[R], key: Callable[[R], Hashable]) -> list[list[R]]:
    """Group models that share a `key`, in the order of first occurrence."""
    together: dict[Hashable, list[R]] = {}
    for model in models:
        together.setdefault(key(model), []).append(model)
    return list(together.values())


def _unfinished(models: Sequence[Ranker]) -> Iterable[str]:
    """Yield a message for each way in which models ended early.

    Training is done when it has converged. Where the number of iterations is a hyper-parameter, like the
    rounds of boosting or the passes over a stream, reaching it is normal: such models have `status_` and no
    `converged_`. Those without a `status_` warn by themselves.
    """
    advice = {
        "max_iter": "raise max_iter or tol, or scale the features",
        "deadline": "raise time_limit",
        "diverged": "scale the features"
        + (", or lower eta" if hasattr(models[0], "eta") else ""),
    }
    for status, remedy in advice.items():
        early = [
            model for model in models if getattr(model, "status_", None) == status
        ]
        if not early or (
            status == "max_iter" and not hasattr(models[0], "converged_")
        ):
            continue
        worst = max(early, key=lambda model: getattr(model, "gap_", 0.0))
        name = type(worst).__name__
        subject = (
            name
            if len(models) == 1
            else f"{len(early)} of {len(models)} models of {name}"
        )
        where = f"after {worst.n_iter_} iterations"
        if hasattr(worst, "gap_") and hasattr(worst, "tol"):
            where += (
                f" at a relative gap of {worst.gap_:.2g}, above tol={worst.tol:g}"
            )
        yield f"{subject} stopped ({status}) {where}: {remedy}"


def _constant(models: Sequence[Ranker]) -> Iterable[str]:
    """Yield a message for each reason why models give all training items one score."""
    reasons = [model._why_constant() for model in models if model.constant_]
    for reason in dict.fromkeys(reasons):
        name = type(models[0]).__name__
        n = reasons.count(reason)
        if len(models) == 1:
            yield f"{name} scores all training items alike, and so ranks nothing: {reason}"
        else:
            subject = f"{n} of {len(models)} models of {name}"
            yield f"{subject} score all training items alike, and so rank nothing: {reason}"


def cut_below(scores: Floats, n: int) -> float:
    """Place a threshold below the `n`-th highest score, midway to the next."""
    at = [len(scores) - n - 1, len(scores) - n]
    return _middle(*np.partition(scores, at)[at])


def _middle(low: float, high: float) -> float:
    return float(low + (high - low) / 2)  # their sum may overflow


def _break_even(scores: Floats, y: Ints, weight: Floats | None) -> float:
    """Place the break-even threshold, above which lie as many items, or as much weight, as positives."""
    if weight is None:
        return cut_below(scores, int(y.sum()))
    order = np.argsort(scores)
    reached = np.cumsum(weight[order])
    below = weight[y == 0].sum()
    at = [
        np.searchsorted(reached, below, "left"),
        np.searchsorted(reached, below, "right"),
    ]
    return _middle(
        *scores[order[np.minimum(at, np.flatnonzero(weight[order])[-1])]]
    )


def all_alike(scores: Floats) -> bool:
    """True if scores are equal but for rounding: they rank nothing."""
    return bool(np.ptp(scores) <= _ALIKE * np.abs(scores).max())
