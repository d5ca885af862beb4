"""What the estimators share whose problem allows items to have weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from numpy.typing import ArrayLike
from sklearn.base import clone

from attop.estimators.base import LinearRanker, Setting

__all__ = ["WeightedRanker"]


class WeightedRanker(LinearRanker):
    """Base of the linear rankers in whose problem an item of weight 2 is two equal items."""

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from features and labels and, where used, groups and weights.

        Where the training ended before it was done, a ConvergenceWarning says so, and what to change; where
        the model scores all training items alike, a `ConstantModelWarning` does.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
        groups : array-like of shape (n,), optional
        sample_weight : array-like of shape (n,), optional
            At least 0: an item of weight 2 counts as two equal items, and wherever a top or a rank counts
            items, it is their weight that counts: divide amounts by their mean, or k may be just a few items.

        Raises
        ------
        ValueError
            If the input is not finite, `y` does not hold two classes with some weight each, a parameter is
            out of range, or the loss that is asked for takes no weights.
        FloatingPointError
            If the model's scores of the training items overflow.
        """
        self._train(X, y, groups, sample_weight, [self])
        return self

    def fit_many(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
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
        self._train(X, y, groups, sample_weight, models)
        return models
