"""Users and items with a vector each, for lists of the items a user has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from attop._core.top import Top
from attop._core.typing import Ints, TopLike
from attop.learners._user_lists import UserLists, pairs_matrix
from attop.learners._validation import check_parameters, repeatable
from attop.learners.factor_ranker._factor_descent import (
    Backbone,
    Lists,
    SurrogateLists,
    factor_descent,
)
from attop.surrogates._grouped import GroupedSurrogate
from attop.surrogates._registry import get_surrogate

#: The meaning of ``top=None``.
_TOP = 20


@dataclass(repr=False, eq=False)
class FactorRanker(UserLists):
    r"""Learn lists of items for users from pairs, by matrix factorisation on a surrogate of each list.

    Minimises, by Adam, the mean over users u of :math:`L(s_{u1}, \ldots, s_{un})` with
    :math:`s_{ui} = c \cos(p_u, q_i)`, the scores of all n items; the positives of a user are the items of
    their pairs. L is a surrogate with groups: each user's list is one.

    Parameters
    ----------
    surrogate : str or Surrogate, default="softmax"
        L: ``"softmax"``, ``"softmax@k"``, ``"talos@k"`` (with a `scale` of 1), one of pAp@k or prec@k, or an
        object, which brings its own top.
    top : int, mapping or Top, optional
        The top of each list; None is 20. Not used by surrogates without a top, nor with an object.
    n_factors : int, at least 1, default=64
        Length of the vectors p and q.
    scale : float, positive, default=5.0
        c, the highest score. For the softmax losses one divided by the temperature.
    learning_rate : float, positive, default=0.05
        Adam's.
    max_iter : int, at least 1, default=100
        Passes over the users. It is a hyper-parameter: nothing else stops the descent.
    batch_users : int, at least 1, optional
        Users of a step; all by default. With some ten thousand users, 1000 need far fewer passes.
    n_layers : int, at least 0, default=0
        Layers of LightGCN: a vector is the mean of a factor and of what it becomes when it is passed along
        the pairs, once to `n_layers` times. 0 is matrix factorisation.
    random_state : int or RandomState, optional
        Draws the start and the batches.
        None is 0, so that a fit repeats; `compare_at_top` and the benchmark seed it by the run.

    Attributes
    ----------
    user_factors_, item_factors_ : ndarray of shape (n_users, n_factors), (n_items, n_factors)
        Vectors of length 1, single precision.
    seen_ : sparse matrix of shape (n_users, n_items)
        The pairs learnt from.
    objective_ : ndarray of shape (max_iter,)
        Mean over users during each pass.
    n_users_left_out_ : int
        Users on which the surrogate is undefined; they keep a random vector.

    Notes
    -----
    A step holds the scores of a million pairs at a time, whatever the number of users.

    Differences from W. Yang et al. (2025), whose matrix factorisation this is: all items of a user stand in
    the loss, none are sampled, and a batch holds users, not pairs. With `n_layers` it is LightGCN (X. He et
    al., SIGIR 2020, eq. (3) and (4)), and its cosines.

    Examples
    --------
    >>> pairs = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [2, 3], [2, 4], [3, 3], [3, 4], [3, 5]]
    >>> model = FactorRanker(n_factors=4).fit(pairs)
    >>> model.recommend([0, 2], 1).tolist()  # what the users who share their tastes have too
    [[2], [5]]
    """

    surrogate: str | GroupedSurrogate = "softmax"
    top: TopLike | None = None
    n_factors: int = 64
    scale: float = 5.0
    learning_rate: float = 0.05
    max_iter: int = 100
    batch_users: int | None = None
    n_layers: int = 0
    random_state: int | np.random.RandomState | None = None

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn from pairs of users and items; `y` is ignored.

        Parameters
        ----------
        X : sparse matrix of shape (n_users, n_items), or array-like of shape (n_pairs, 2)
            What is stored, or a row (user, item) of codes from 0 on. Values do not count, nor repeats.

        Raises
        ------
        ValueError
            If there is no pair, a code is negative or not an integer, a parameter is out of range, or the
            surrogate is undefined on every list.
        TypeError
            If the surrogate has no groups.
        """
        check_parameters(self)
        pairs = pairs_matrix(X)
        lists = self._lists(pairs)
        seed = int(repeatable(self.random_state).randint(2**31 - 1))
        (self.user_factors_, self.item_factors_), self.objective_ = factor_descent(
            lists,
            Backbone(pairs, self.n_layers),
            n_factors=self.n_factors,
            scale=self.scale,
            learning_rate=self.learning_rate,
            max_iter=self.max_iter,
            batch_users=self.batch_users,
            rng=np.random.default_rng(seed),
        )
        self.n_users_left_out_ = pairs.shape[0] - len(lists.users)
        self._keep_pairs(pairs)
        return self

    def _lists(self, pairs: csr_matrix) -> Lists:
        """Make the loss of the users' lists; a subclass whose loss is not a surrogate overrides this."""
        loss = get_surrogate(
            self.surrogate, Top.of(_TOP if self.top is None else self.top)
        )
        if not isinstance(loss, GroupedSurrogate):
            raise TypeError(
                f"FactorRanker needs a surrogate that has a kernel for groups, got {loss!r}: take 'softmax'"
            )
        return SurrogateLists(pairs, loss)

    def _scores(self, users: Ints) -> NDArray[np.float32]:
        scores: NDArray[np.float32] = np.float32(self.scale) * (
            self.user_factors_[users] @ self.item_factors_.T
        )
        return scores
