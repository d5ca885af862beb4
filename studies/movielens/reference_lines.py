"""Scorers of user-item pairs that learn nothing of the top, or nothing at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from attop.extending import Floats, Training
from attop.learners import Ranker


class InnerProduct(Ranker):
    """Score by the sum of the last third of the features; nothing is learnt.

    Of unscaled features <user, item, product> of a matrix factorisation, as
    `attop_bench.data.columns.features.interaction_features` makes them, that is its own prediction, u.v.
    """

    def _solve(self, data: Training, models: Sequence[Self]) -> None:
        d = data.X.shape[1]
        for model in models:
            model._set_linear(np.repeat([0.0, 1.0], [d - d // 3, d // 3]), data)


class ItemMean(BaseEstimator):
    """Score an item by the share of positives among its training rows, whoever the user is.

    Rows with the same middle third of the features are of one item; see `InnerProduct`. Items that do not
    train have the share of positives of all rows, which also counts as one row of every item, so that the
    order of two items seen once or twice does not hang on these alone.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    means_ : dict of bytes to float
        By the features of the item.
    prior_ : float
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Count the positives of each item."""
        self.classes_, labels = np.unique(y, return_inverse=True)
        keys = _item_keys(X)
        self.prior_ = float(labels.mean())
        distinct, row = np.unique(keys, return_inverse=True)
        share = (np.bincount(row, labels) + self.prior_) / (np.bincount(row) + 1)
        self.means_ = dict(zip(distinct.tolist(), share.tolist(), strict=True))
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the scores, shape (n,)."""
        return np.array([self.means_.get(key, self.prior_) for key in _item_keys(X).tolist()])


def _item_keys(X: ArrayLike) -> Any:
    values = np.asarray(X, dtype=np.float64)
    width = values.shape[1] // 3
    item = np.ascontiguousarray(values[:, width : 2 * width])
    return item.view(np.dtype((np.void, item.itemsize * width))).ravel()
