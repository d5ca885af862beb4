"""The methods of Talos's tables on rows of users and items: one matrix factorisation, a loss each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from scipy.sparse import csr_matrix

from attop.extending import Floats, Ints, Lists, SurrogateLists
from attop.learners import EASE, FactorRanker, PopularityRanker
from studies.slatk2025.methods import UserRows, pairs_of_rows
from studies.talos2026.losses import DRAWN_FOR, OF_BLOCKS, DrawnLists, lists_of, surrogate


class _Ranker(FactorRanker):
    """A `FactorRanker` of any loss of lists."""

    lists_of: Callable[[csr_matrix], Lists]

    def _lists(self, pairs: csr_matrix) -> Lists:
        return self.lists_of(pairs)


@dataclass(repr=False, eq=False)
class FactorLists(UserRows):
    """Matrix factorisation by a loss of the table, for so many steps of `batch_users` users.

    `temperature` and `second` are what the loss's source has: two temperatures, or a temperature and an
    offset, or the rate of what the loss learns beside the factors.
    """

    loss: str = "softmax"
    k: int = 20
    temperature: float = 0.1
    second: float = 1.0
    interval: int = 10
    alpha: float = 0.5
    beta: float = 0.1
    learning_rate: float = 0.1
    n_steps: int = 256
    batch_users: int = 1000
    n_layers: int = 0
    random_state: int | None = 0

    def fit(self, X: Floats, y: Ints) -> Self:
        """Learn from the rows (user, item) with label 1."""
        pairs = pairs_of_rows(X, y)
        passes = self.n_steps / -(-pairs.shape[0] // self.batch_users)
        ranker = _Ranker(
            learning_rate=self.learning_rate,
            max_iter=max(1, round(passes)),
            batch_users=self.batch_users,
            n_layers=self.n_layers,
            random_state=self.random_state,
        )
        if self.loss in OF_BLOCKS:
            ranker.scale = 1.0
            ranker.lists_of = lambda pairs: lists_of(self.loss, pairs, self.k, self.get_params())
        else:
            loss, ranker.scale = surrogate(self.loss, self.k, self.temperature, self.second)
            lists = DrawnLists if self.loss in DRAWN_FOR else SurrogateLists
            ranker.lists_of = lambda pairs: lists(pairs, loss)
        self._unseen = ranker.fit(pairs).unseen
        return self


@dataclass(repr=False, eq=False)
class Ease(UserRows):
    """EASE on rows of users and items."""

    lam: float = 100.0

    def fit(self, X: Floats, y: Ints) -> Self:
        """Learn from the rows (user, item) with label 1."""
        self._unseen = EASE(lam=self.lam).fit(pairs_of_rows(X, y)).unseen
        return self


class Popularity(UserRows):
    """The number of an item's users, on rows of users and items."""

    def fit(self, X: Floats, y: Ints) -> Self:
        """Learn from the rows (user, item) with label 1."""
        self._unseen = PopularityRanker().fit(pairs_of_rows(X, y)).unseen
        return self
