"""The most popular items for every user, the baseline of all lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from attop._core.typing import Ints
from attop.learners._user_lists import UserLists, pairs_matrix


@dataclass(repr=False, eq=False)
class PopularityRanker(UserLists):
    """Score each item by the number of its users, the same for all.

    Attributes
    ----------
    item_counts_ : ndarray of shape (n_items,)
        Users of each item.
    seen_ : sparse matrix of shape (n_users, n_items)
        The pairs learnt from.

    Examples
    --------
    >>> model = PopularityRanker().fit([[0, 0], [0, 1], [1, 0], [1, 2], [2, 2]])
    >>> model.recommend([2], 1).tolist()  # the item of the most users that the user has not seen
    [[0]]
    """

    def fit(self, X: Any, y: object = None) -> Self:
        """Count the users of each item; `y` is ignored.

        Parameters
        ----------
        X : sparse matrix of shape (n_users, n_items), or array-like of shape (n_pairs, 2)
            What is stored, or a row (user, item) of codes from 0 on. Values do not count, nor repeats.

        Raises
        ------
        ValueError
            If there is no pair, or a code is negative or not an integer.
        """
        pairs = pairs_matrix(X)
        self.item_counts_ = np.bincount(pairs.indices, minlength=pairs.shape[1])
        self._keep_pairs(pairs)
        return self

    def _scores(self, users: Ints) -> NDArray[np.float32]:
        scores = self.item_counts_.astype(np.float32)
        return np.tile(scores, (len(users), 1))
