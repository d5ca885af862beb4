"""Mini-batches of a sample and the size of their top."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from attop.solvers.kernels.rows import add_rows, score_rows
from attop.top import Top

__all__ = ["Batch", "Batches", "batch_top"]

Floats = NDArray[np.float64]


class Batch:
    """One mini-batch, positives first.

    Attributes
    ----------
    rows : ndarray of shape (b,)
        Positions in the sample.
    n_pos : int
        The first `n_pos` rows are the positives; at least 1, less than ``b``.
    k : int, between 1 and `n_pos`
    """

    def __init__(self, X: Any, rows: NDArray[np.int64], n_pos: int, k: int):
        self.rows, self.n_pos, self.k = rows, n_pos, k
        self._sample = X
        self._X: Any = None

    @property
    def X(self) -> Any:
        """Features, a copy of shape (b, d)."""
        if self._X is None:
            self._X = self._sample[self.rows]
        return self._X

    def scores(self, W: Floats) -> Floats:
        """Return ``X @ W``, shape (b, m), for `W` of shape (d, m)."""
        if W.shape[1] > 1 or issparse(self._sample):
            return self.X @ W
        scores = np.empty((len(self.rows), 1))
        score_rows(self._sample, self.rows, W[:, 0], scores[:, 0])
        return scores

    def gradient(self, C: Floats) -> Floats:
        """Return ``X.T @ C``, shape (d, m), for `C` of shape (b, m)."""
        if C.shape[1] > 1 or issparse(self._sample):
            return self.X.T @ C
        gradient = np.zeros((self._sample.shape[1], 1))
        add_rows(self._sample, self.rows, C[:, 0], gradient[:, 0])
        return gradient


class Batches:
    """Mini-batches drawn without replacement, in a fresh random order each pass.

    A pass deals the `n` items to ``ceil(n / batch_size)`` batches whose sizes differ by at most one, so
    that none is left over with a handful of items. Batches of one class only have nothing to rank: they
    are skipped and counted.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    y : ndarray of shape (n,), 0 and 1
    top : Top
        See `batch_top` for its meaning within a batch.
    batch_size : int, at least 2
        A larger one than `n` means the whole sample.
    rng : numpy.random.RandomState or numpy.random.Generator

    Attributes
    ----------
    n_skipped : int
        Batches skipped since the start.
    whole_top : int
        k of the whole sample, at most its number of positives.

    Raises
    ------
    ValueError
        If `batch_size` is too small or the sample holds one class only.
    """

    def __init__(
        self,
        X: Any,
        y: NDArray[np.int64],
        top: Top,
        batch_size: int,
        rng: np.random.RandomState | np.random.Generator,
    ):
        if batch_size < 2:
            raise ValueError(f"batch_size must be at least 2, a positive and a negative, got {batch_size}")
        if X.shape[0] != len(y):
            raise ValueError(f"X has {X.shape[0]} rows but y has {len(y)} labels")
        self._positive = y == 1
        if self._positive.all() or not self._positive.any():
            raise ValueError(f"all {len(y)} labels are {int(y[0])}: a ranking needs both classes")
        self._X = X if issparse(X) else np.ascontiguousarray(X)
        self._top, self._rng = top, rng
        self._n_batches = math.ceil(len(y) / batch_size)
        self._tops: dict[tuple[int, int], int] = {}
        self.n_skipped = 0
        self.whole_top = batch_top(top, len(y), int(np.count_nonzero(self._positive)), len(y))

    def one_pass(self) -> Iterator[Batch]:
        """Shuffle and yield the batches of one pass over the sample.

        Raises
        ------
        ValueError
            If none of them holds both classes.
        """
        n = len(self._positive)
        skipped_before = self.n_skipped
        for drawn in np.array_split(self._rng.permutation(n), self._n_batches):
            positive = self._positive[drawn]
            n_pos = int(np.count_nonzero(positive))
            size = len(drawn)
            if not 0 < n_pos < size:
                self.n_skipped += 1
                continue
            if (size, n_pos) not in self._tops:
                self._tops[size, n_pos] = batch_top(self._top, size, n_pos, n)
            rows = np.concatenate([drawn[positive], drawn[~positive]])
            yield Batch(self._X, rows, n_pos, self._tops[size, n_pos])
        if self.n_skipped - skipped_before == self._n_batches:
            raise ValueError(
                f"none of the {self._n_batches} batches of {math.ceil(n / self._n_batches)} items holds both "
                f"classes ({np.count_nonzero(self._positive)} of {n} are positive): use a larger batch_size"
            )


def batch_top(top: Top, size: int, n_pos: int, n: int) -> int:
    """Return k within a batch of `size` items, `n_pos` of them positive, of a sample of `n`.

    A fraction, of the items (`tau`) or of the positives (`kappa`), is taken of the batch. A fixed `k` is
    shrunk like the batch, to ``k * size / n`` rounded half up, at least 1. In each case k is at most
    `n_pos`: beyond, every ranking of the batch makes mistakes.
    """
    if top.k is not None:
        return max(1, min((2 * top.k * size + n) // (2 * n), n_pos))
    if top.kappa is not None and top.kappa >= 1:
        return n_pos
    return min(top.resolve(size, n_pos), n_pos)
