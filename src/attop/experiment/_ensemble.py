"""Ensembles: several candidates of a search as one model, the mean of their scores."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin

from attop._core.typing import Floats
from attop.experiment._routing import Rows, fit
from attop.metrics._scorer import scores_of

#: Bits of a mean score that are kept: sums of the same scores in another order differ by less.
_BITS = 36


def mean_scores(scores: Sequence[Floats], times: Sequence[int]) -> Floats:
    """Average scores, each so many times; means that differ by rounding alone are equal."""
    mantissa, exponent = np.frexp(np.average(scores, axis=0, weights=times))
    return np.ldexp(np.round(np.ldexp(mantissa, _BITS)), exponent - _BITS)


class Ensemble(ClassifierMixin, BaseEstimator):
    """Mean of the scores of several models, of which some count more often than others.

    Parameters
    ----------
    estimators : list of m estimators
        Classifiers with ``decision_function`` or ``predict_proba``; scores are as in `scores_of`.
    times : list of m int
        How often each counts, at least once.

    Attributes
    ----------
    models_ : list of m fitted estimators
    classes_ : ndarray of shape (2,)

    References
    ----------
    Caruana, Niculescu-Mizil, Crew and Ksikes (2004), "Ensemble selection from libraries of models", ICML.
    """

    def __init__(self, estimators: list[Any], times: list[int]):
        self.estimators = estimators
        self.times = times

    @classmethod
    def of(cls, models: list[Any], times: list[int]) -> Any:
        """Combine fitted models; one alone stays itself."""
        ensemble = cls(models, times)
        ensemble.models_ = models
        return ensemble if len(models) > 1 else models[0]

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        entity: ArrayLike | None = None,
    ) -> Self:
        """Fit a clone of each estimator, with those values of rows that it takes.

        Parameters
        ----------
        X, y, groups, sample_weight, entity : array-like of n rows
            As the estimators take them.

        Returns
        -------
        self : Ensemble
        """
        values: dict[str, Any] = {
            "groups": groups,
            "sample_weight": sample_weight,
            "entity": entity,
        }
        # Copies: an estimator from elsewhere may change what it is given.
        self.models_ = [
            fit(one, *deepcopy((X, y)), **values) for one in self.estimators
        ]
        return self

    @property
    def classes_(self) -> Any:
        """Labels, the positive one last."""
        return self.models_[0].classes_

    def decision_function(self, X: Rows) -> Floats:
        """Average the scores of the models.

        Parameters
        ----------
        X : array, frame or sparse matrix of n rows

        Returns
        -------
        scores : ndarray of shape (n,)
        """
        scores = [scores_of(model, X, protect=True) for model in self.models_]
        return mean_scores(scores, self.times)

    def predict(self, X: Rows) -> Any:
        """Predict the label that most of the models do, each as often as it counts.

        Parameters
        ----------
        X : array, frame or sparse matrix of n rows

        Returns
        -------
        labels : ndarray of shape (n,)
        """
        votes = [model.predict(X) == self.classes_[1] for model in self.models_]
        positive = np.average(votes, axis=0, weights=self.times) > 0.5
        return self.classes_[positive.astype(int)]
