"""SteadyTop: a new model whose list stays near that of the last one."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from attop._core._sklearn import safe_indexing
from attop._core.parameters import check_share
from attop._core.sample import (
    centre_and_scale,
    check_weights,
    plain_labels,
    refuse_masked,
    warn_of_words,
)
from attop._core.typing import Floats
from attop.experiment._routing import Estimator, Rows, fit
from attop.metrics._scorer import log_odds, names_positive, scores_of


class SteadyTop(ClassifierMixin, BaseEstimator):
    """Score by the mean of the last model and a new one, so that fewer rows enter and leave the list.

    Parameters
    ----------
    model : estimator
        The new model, fitted by `fit`.
    previous : fitted estimator, optional
        The last one, which may be a `SteadyTop`. In ``sklearn.frozen.FrozenEstimator`` it stays fitted where
        scikit-learn clones. None: the first list, the new model alone.
    weight : float in [0, 1], default=0.5
        Of the previous model.

    Attributes
    ----------
    model_ : estimator
    classes_ : ndarray of shape (2,)
        Those of the new model; the second is the positive class.
    centre_, scale_ : ndarray of shape (2,)
        Mean and standard deviation of the scores of the training rows, by the new and the previous model.

    Notes
    -----
    Scores enter standardised, by the rows' weights: probabilities as log-odds, decision functions as they
    are. Rows of weight 0 do not count. A mean of two models is also the better of an ensemble, so that
    precision need not suffer; it reacts late to what has changed.

    Raises
    ------
    ValueError
        If the weight is out of range, `previous` gives all rows one score, or it has learnt other labels.
    sklearn.exceptions.NotFittedError
        If `previous` is not fitted.
    """

    def __init__(
        self, model: Estimator, previous: Any = None, weight: float = 0.5
    ) -> None:
        self.model = model
        self.previous = previous
        self.weight = weight

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        entity: ArrayLike | None = None,
    ) -> Self:
        """Fit the new model, handing on what it takes, and standardise both on its training rows."""
        check_share("weight", self.weight, ends=True)
        refuse_masked(X, "X")
        if self.previous is not None:
            check_is_fitted(
                self.previous,
                msg="previous is not fitted: wrap it in FrozenEstimator",
            )
        labels = plain_labels(y)
        columns: dict[str, Any] = {"groups": groups, "entity": entity}
        if sample_weight is not None:
            columns["sample_weight"] = check_weights(sample_weight, len(labels))
            X, labels, columns = _rows_that_count(X, labels, columns)
        self.model_ = fit(clone(self.model), X, labels, **columns)
        self.classes_ = np.asarray(
            getattr(self.model_, "classes_", np.unique(labels))
        )
        if not names_positive(self.model_):
            warn_of_words(self.classes_, stacklevel=2)
        labels_before = getattr(self.previous, "classes_", self.classes_)
        if not np.array_equal(labels_before, self.classes_):
            raise ValueError(
                f"previous must have learnt the labels of y, {self.classes_.tolist()}, in that order, got "
                f"{np.asarray(labels_before).tolist()}: rename the labels of y, or leave previous out"
            )
        scores = self._both(X)
        self.centre_, self.scale_ = centre_and_scale(
            scores, columns.get("sample_weight")
        )
        alike = np.ptp(scores, axis=0) == 0
        if alike[1:].any():
            raise ValueError("previous gives all rows one score: leave it out")
        self.scale_[alike] = 1.0
        if not (np.isfinite(self.scale_) & (self.scale_ > 0)).all():
            raise ValueError(
                f"the standard deviation of scores must be a positive number, got {self.scale_.tolist()} of "
                "the new model and the previous: scale the features of that model"
            )
        return self

    def decision_function(self, X: Rows) -> Floats:
        """Average the standardised scores by weight, of shape (n,)."""
        check_is_fitted(self)
        z = (self._both(X) - self.centre_) / self.scale_
        return (
            z[:, 0]
            if z.shape[1] == 1
            else (1 - self.weight) * z[:, 0] + self.weight * z[:, 1]
        )

    def predict(self, X: Rows) -> NDArray[Any]:
        """Predict the positive class for scores above the mean of the training rows."""
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def _both(self, X: Rows) -> Floats:
        models = [self.model_, *([] if self.previous is None else [self.previous])]
        return np.stack([_log_odds(model, X) for model in models], axis=1)


def _rows_that_count(
    X: Rows, labels: NDArray[Any], columns: dict[str, Any]
) -> tuple[Rows, NDArray[Any], dict[str, Any]]:
    """Select the rows of positive weight, whatever stands in the others."""
    rows = np.flatnonzero(columns["sample_weight"] > 0)
    if len(rows) == len(labels):
        return X, labels, columns
    part = {
        name: None if values is None else np.asarray(values)[rows]
        for name, values in columns.items()
    }
    return safe_indexing(X, rows), labels[rows], part


def _log_odds(model: Any, X: Rows) -> Floats:
    scores = scores_of(model, X)
    if hasattr(model, "decision_function"):
        return scores
    return log_odds(np.asarray(model.predict_proba(X)), 1e-6, 1 - 1e-6)
