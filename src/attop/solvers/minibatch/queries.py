"""Queries one after the other, each a batch of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import issparse

from attop.core.sample import RankingSample
from attop.core.top import Top
from attop.core.typing import Ints
from attop.solvers.minibatch.batches import Batch, Batches, BatchSource, batch_top
from attop.surrogates.base import eligible

__all__ = ["QueryBatches", "batches_of"]


class QueryBatches(BatchSource):
    """The groups of a sample as batches, in a fresh random order each pass.

    A group of one class has nothing to rank and is skipped.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    y : ndarray of shape (n,), 0 and 1
    groups : ndarray of shape (n,)
    top : Top
        Resolved in each group; k is at most the number of its positives.
    rng : numpy.random.RandomState or numpy.random.Generator

    Raises
    ------
    ValueError
        If no group holds a positive and a negative, or `top` asks for more items than any that does.
    """

    def __init__(
        self, X: Any, y: Ints, groups: Ints, top: Top, rng: np.random.RandomState | np.random.Generator
    ):
        super().__init__(top, len(y))
        sample = RankingSample.from_labels(y, groups)
        kept = eligible(sample, (sample.n_pos > 0) & (sample.n_neg > 0), "a positive and a negative")
        self._one_class = sample.n_groups - kept.n_groups
        self._X = X if issparse(X) else np.ascontiguousarray(X)
        self._sample, self._rng = kept, rng
        sizes = np.diff(kept.start).tolist()
        largest = int(np.argmax(sizes))
        top.resolve(sizes[largest], int(kept.n_pos[largest]), where="the largest group of both classes")
        self._k = [batch_top(top, n, n_pos, n) for n, n_pos in zip(sizes, kept.n_pos.tolist(), strict=True)]

    def one_pass(self) -> Iterator[Batch]:
        """Yield each group with both classes once."""
        sample = self._sample
        self.n_skipped += self._one_class
        for g in self._rng.permutation(sample.n_groups):
            rows = sample.order[sample.start[g] : sample.start[g + 1]]
            yield Batch(self._X, rows, int(sample.n_pos[g]), self._k[g])


def batches_of(
    X: Any,
    y: Ints,
    groups: Ints | None,
    top: Top,
    batch_size: int,
    rng: np.random.RandomState | np.random.Generator,
) -> BatchSource:
    """Return mini-batches of one list, or, where there are `groups`, these."""
    if groups is None:
        return Batches(X, y, top, batch_size, rng)
    return QueryBatches(X, y, groups, top, rng)
