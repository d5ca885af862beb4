"""Methods that only the papers' tables have: lists of users, and scorers that learn nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import inv
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator

from attop.extending import Floats, Ints, TopLike
from attop.learners import FactorRanker
from attop.surrogates import SoftmaxLossAtK
from studies.slatk2025.pairs import OTHER

#: Users scored at once.
_USERS = 500


class UserRows(BaseEstimator):
    """A model of users' lists on the rows of `user_pairs`; ``fit`` sets the scores of unseen items."""

    _unseen: Callable[[Ints], Floats]

    def decision_function(self, X: Floats) -> Floats:
        """Return the scores of rows: of the item, or the best of those that no row of the user names."""
        codes = X.astype(np.int64)
        users, row = np.unique(codes[:, 0], return_inverse=True)
        named, scores = codes[:, 1] != OTHER, np.empty(len(X))
        for first in range(0, len(users), _USERS):
            table, inside = self._unseen(users[first : first + _USERS]), row // _USERS == first // _USERS
            its, others = np.flatnonzero(inside & named), np.flatnonzero(inside & ~named)
            at = row[its] - first, codes[its, 1]
            scores[its] = table[at]
            table[at] = -np.inf
            count = np.bincount(row[others] - first, minlength=len(table))
            best = -np.sort(-np.partition(table, -count.max(), axis=1)[:, -count.max() :], axis=1)
            in_turn = others[np.argsort(row[others], kind="stable")]
            scores[in_turn] = best[np.arange(count.max()) < count[:, np.newaxis]]
        return np.maximum(scores, scores[np.isfinite(scores)].min() - 1.0)


@dataclass(repr=False, eq=False)
class FactorLists(UserRows):
    """`FactorRanker` for so many steps, whatever the number of users, on the rows of `user_pairs`.

    Its parameters otherwise; with a `bandwidth`, that of softmax@k.
    """

    surrogate: str = "softmax"
    bandwidth: float | None = None
    top: TopLike = 20
    scale: float = 5.0
    learning_rate: float = 0.1
    n_steps: int = 200
    batch_users: int = 1000
    random_state: int | None = 0

    def fit(self, X: Floats, y: Ints) -> Self:
        """Learn from the rows (user, item) with label 1."""
        given, pairs = self.get_params(), pairs_of_rows(X, y)
        passes = given.pop("n_steps") / -(-pairs.shape[0] // self.batch_users)
        if bandwidth := given.pop("bandwidth"):
            given["surrogate"] = SoftmaxLossAtK(self.top, bandwidth)
        self._unseen = FactorRanker(**given, max_iter=max(1, round(passes))).fit(pairs).unseen
        return self


class Popularity(UserRows):
    """The number of an item's pairs; of equal ones the first."""

    def fit(self, X: Floats, y: Ints) -> Self:
        """Learn from the rows (user, item) with label 1."""
        pairs = pairs_of_rows(X, y)
        count = np.asarray(pairs.sum(axis=0), dtype=np.float64).ravel()
        scores = count - np.arange(len(count)) / len(count)
        self._unseen = lambda users: np.where(pairs[users].toarray() > 0, -np.inf, scores)
        return self


@dataclass(repr=False, eq=False)
class Ease(UserRows):
    r"""EASE (Steck 2019): the ridge regression of each item's column on the others, in closed form.

    With P the inverse of :math:`X^T X + \lambda I`, the weights are :math:`-P_{ij} / P_{jj}` and 0 on the
    diagonal; `lam` is λ. It holds a dense matrix of items by items.
    """

    lam: float = 100.0

    def fit(self, X: Floats, y: Ints) -> Self:
        """Learn from the rows (user, item) with label 1."""
        pairs = pairs_of_rows(X, y).astype(np.float64)
        gram = (pairs.T @ pairs).toarray()
        np.fill_diagonal(gram, gram.diagonal() + self.lam)
        weights = inv(gram, overwrite_a=True)
        weights /= -weights.diagonal().copy()
        np.fill_diagonal(weights, 0.0)
        self._unseen = lambda users: np.where(pairs[users].toarray() > 0, -np.inf, pairs[users] @ weights)
        return self


def pairs_of_rows(X: Floats, y: Ints) -> csr_matrix:
    """Return the pairs of users and items, by their codes, of the rows with label 1."""
    users, items = X[y == 1, :2].astype(np.int64).T
    return csr_matrix((np.ones(len(users), np.int8), (users, items)))
