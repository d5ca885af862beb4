"""Base of learners that recommend lists of items to users, from pairs of both."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from attop._core.sample import plain_array
from attop._core.typing import Floats, Ints


class UserLists(BaseEstimator):
    """A learner of lists from pairs of users and items, which it keeps as `seen_`.

    A subclass learns in `fit`, and gives the scores of users in `_scores`.
    """

    seen_: csr_matrix

    @abstractmethod
    def _scores(self, users: Ints) -> NDArray[np.float32]:
        """Score all items, shape (len(users), n_items), for codes that are in range."""

    def _keep_pairs(self, pairs: csr_matrix) -> None:
        """Keep the pairs that were learnt from."""
        self.seen_ = pairs
        self.n_features_in_ = pairs.shape[1]

    def decision_function(self, users: ArrayLike) -> NDArray[np.float32]:
        """Score all items, shape (len(users), n_items), for users by their codes."""
        check_is_fitted(self)
        codes = np.asarray(users, dtype=None if np.size(users) else np.int64)
        n = self.seen_.shape[0]
        if (
            codes.ndim != 1
            or codes.dtype.kind not in "iu"
            or not ((codes >= 0) & (codes < n)).all()
        ):
            raise ValueError(
                f"users must be codes from 0 to {n - 1}, got {codes!r}"
            )
        return self._scores(codes)

    def unseen(self, users: ArrayLike) -> Floats:
        """Score all items for users; items seen in training score minus infinity."""
        scores = self.decision_function(users).astype(np.float64)
        seen = self.seen_[np.asarray(users, dtype=np.int64)]
        scores[
            np.repeat(np.arange(len(scores)), np.diff(seen.indptr)), seen.indices
        ] = -np.inf
        return scores

    def recommend(self, users: ArrayLike, n: int = 20) -> Ints:
        """Recommend the `n` best items that a user has not seen, best first, of shape (len(users), n).

        Raises
        ------
        ValueError
            If a user has seen all but fewer than `n` items.
        """
        scores = self.unseen(users)
        least = int(np.isfinite(scores).sum(axis=1).min(initial=scores.shape[1]))
        if not isinstance(n, Integral) or not 1 <= n <= least:
            raise ValueError(
                f"n must be an integer between 1 and {least}, the items that all of the users have not seen, "
                f"got {n!r}"
            )
        best = np.argpartition(-scores, n - 1, axis=1)[:, :n]
        order = np.take_along_axis(-scores, best, axis=1).argsort(
            axis=1, kind="stable"
        )
        return np.take_along_axis(best, order, axis=1)


def pairs_matrix(X: Any) -> csr_matrix:
    """Convert the pairs, each once, to a matrix of ones with sorted indices.

    Raises
    ------
    ValueError
        If there is no pair, or a code is negative, not an integer, or far above the number of pairs.
    """
    if not issparse(X):
        codes = plain_array(X, "X")
        if (
            codes.ndim != 2
            or codes.shape[1] != 2
            or codes.dtype.kind not in "iu"
            or codes.min(initial=0) < 0
        ):
            raise ValueError(
                "X must be a sparse matrix of users and items, or rows (user, item) of codes from 0 on, "
                f"got {codes.dtype} of shape {codes.shape}: encode them, for example with pandas.factorize"
            )
        if len(codes) and codes.max() >= max(10 * len(codes), 1_000_000):
            raise ValueError(
                f"X has {len(codes):,} pairs and codes up to {codes.max():,}, each of which gets factors: "
                "number users and items from 0, for example with pandas.factorize"
            )
        X = csr_matrix((np.ones(len(codes), np.int8), tuple(codes.T)))
    pairs = csr_matrix(X, copy=True)
    pairs.sum_duplicates()
    if pairs.nnz == 0:
        raise ValueError("X has no pair of a user and an item")
    pairs.data = np.ones(pairs.nnz, np.int8)
    return pairs
