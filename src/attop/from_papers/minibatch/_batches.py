"""Mini-batches of a sample and the size of their top."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from scipy.sparse import issparse

from attop._core.parameters import check_numbers
from attop._core.top import Top
from attop._core.typing import Bools, Features, Floats, Ints
from attop.from_papers.minibatch._kernels import add_rows, deal, score_rows
from attop.surrogates._base import of_both_classes

Rng = np.random.RandomState | np.random.Generator
#: See `StreamedBatches`.
Chunks = Callable[[], Iterable[tuple[Features, Ints]]]


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

    def __init__(self, X: Features, rows: Ints, n_pos: int, k: int):
        self.rows = rows
        self.n_pos = n_pos
        self.k = k
        self._sample = X
        self._X: Features | None = None

    @property
    def X(self) -> Features:
        """Features, a copy of shape (b, d)."""
        if self._X is None:
            self._X = self._sample[self.rows]
        return self._X

    def scores(self, W: Floats) -> Floats:
        """Compute ``X @ W``, shape (b, m), for `W` of shape (d, m)."""
        if W.shape[1] > 1 or not isinstance(self._sample, np.ndarray):
            return self.X @ W
        scores = np.empty((len(self.rows), 1))
        score_rows(self._sample, self.rows, W[:, 0], scores[:, 0])
        return scores

    def gradient(self, C: Floats) -> Floats:
        """Compute ``X.T @ C``, shape (d, m), for `C` of shape (b, m)."""
        if C.shape[1] > 1 or not isinstance(self._sample, np.ndarray):
            return self.X.T @ C
        gradient = np.zeros((self._sample.shape[1], 1))
        add_rows(self._sample, self.rows, C[:, 0], gradient[:, 0])
        return gradient


class BatchSource(ABC):
    """Source of the batches of a mini-batch solver.

    Attributes
    ----------
    n_skipped : int
        Batches skipped since the start, for holding one class only: they have nothing to rank.
    """

    def __init__(self, top: Top, batch_size: int):
        check_numbers(batch_size=batch_size)
        self._top = top
        self._batch_size = batch_size
        self._tops: dict[tuple[int, int], int] = {}
        self.n_skipped = 0

    @abstractmethod
    def one_pass(self) -> Iterator[Batch]:
        """Yield the batches of one pass over the sample."""

    def _deal(self, X: Features, positive: Bools, order: Ints) -> Iterator[Batch]:
        """Deal rows of `X` in the given order to batches whose sizes differ by at most one.

        In a batch positives come first, and in either class it reads the sample from front to back.
        """
        n = len(order)
        n_batches = math.ceil(n / self._batch_size)
        rows = np.empty(n, np.int64)
        ends = np.zeros((n_batches, 2), np.int64)
        deal(order, positive, np.empty(n, np.int32), rows, ends.ravel())
        start = 0
        for middle, end in ends.tolist():
            size = end - start
            n_pos = middle - start
            if 0 < n_pos < size:
                if (size, n_pos) not in self._tops:
                    self._tops[size, n_pos] = batch_top(self._top, size, n_pos, n)
                yield Batch(X, rows[start:end], n_pos, self._tops[size, n_pos])
            else:
                self.n_skipped += 1
            start = end


class Batches(BatchSource):
    """Mini-batches drawn without replacement, in a fresh random order each pass.

    A pass deals the n items to ``ceil(n / batch_size)`` batches whose sizes differ by at most one, so that
    none is left over with a handful of items. X may be mapped from a file: its rows are read where they are.
    """

    def __init__(self, X: Features, y: Ints, top: Top, batch_size: int, rng: Rng):
        super().__init__(top, batch_size)
        if X.shape[0] != len(y):
            raise ValueError(f"X has {X.shape[0]} rows but y has {len(y)} labels")
        self._positive = y == 1
        if self._positive.all() or not self._positive.any():
            raise ValueError(
                f"all {len(y)} labels are {int(y[0])}: a ranking needs both classes"
            )
        top.resolve(len(y), int(self._positive.sum()))
        self._X = X if issparse(X) else np.ascontiguousarray(X)
        self._rng = rng

    def one_pass(self) -> Iterator[Batch]:
        """Shuffle and yield the batches of one pass; it is an error if none holds both classes."""
        n = len(self._positive)
        skipped = self.n_skipped
        yield from self._deal(self._X, self._positive, self._rng.permutation(n))
        n_batches = math.ceil(n / self._batch_size)
        if self.n_skipped - skipped == n_batches:
            raise ValueError(
                f"none of the {n_batches} batches of {math.ceil(n / n_batches)} items holds both "
                f"classes ({np.count_nonzero(self._positive)} of {n} are positive): use a larger batch_size"
            )


class StreamedBatches(BatchSource):
    """Mini-batches of a sample that comes in chunks, such as one too large for memory.

    Only one chunk is held at a time. Each is dealt to batches like a sample of its own, so that the
    order is random within chunks only: a sample sorted by class or time should be shuffled once before.
    Without `rng` the items of a chunk stay in their order.

    Called once a pass, ``chunks()`` gives an iterable of pairs: features, an ndarray or CSR matrix of floats
    of shape (n, n_features), and labels of shape (n,), 0 and 1.
    """

    def __init__(
        self,
        chunks: Chunks,
        n_features: int,
        top: Top,
        batch_size: int,
        rng: Rng | None = None,
    ):
        super().__init__(top, batch_size)
        if not top.depends_on_sample:
            raise ValueError(
                f"{top} is a number out of the whole sample, but the length of a stream is unknown: "
                "give a fraction of the items (tau) or of the positives (kappa)"
            )
        self._chunks = chunks
        self._n_features = n_features
        self._rng = rng

    def one_pass(self) -> Iterator[Batch]:
        """Read all chunks, check them, and yield their batches."""
        for X, y in self._chunks():
            if X.ndim != 2 or X.shape != (len(y), self._n_features):
                raise ValueError(
                    f"a chunk has features of shape {X.shape} and {len(y)} labels: "
                    f"expected one row for each label and {self._n_features} features"
                )
            if not np.isfinite(X.data if issparse(X) else X).all():
                raise ValueError(
                    "a chunk holds NaN or infinity: clean the features before training"
                )
            if len(y):
                order = (
                    np.arange(len(y))
                    if self._rng is None
                    else self._rng.permutation(len(y))
                )
                X = X if issparse(X) else np.ascontiguousarray(X)
                yield from self._deal(X, np.asarray(y) == 1, order)


class QueryBatches(BatchSource):
    """The groups of a sample as batches, in a fresh random order each pass.

    `top` is resolved in each group, to at most the number of its positives. A group of one class has nothing
    to rank and is skipped.
    """

    def __init__(self, X: Features, y: Ints, groups: Ints, top: Top, rng: Rng):
        super().__init__(top, len(y))
        sample, eligible_sample = of_both_classes(y, groups)
        self._one_class = sample.n_groups - eligible_sample.n_groups
        self._X = X if issparse(X) else np.ascontiguousarray(X)
        self._sample = eligible_sample
        self._rng = rng
        sizes = np.diff(eligible_sample.start).tolist()
        largest = int(np.argmax(sizes))
        top.resolve(
            sizes[largest],
            int(eligible_sample.n_pos[largest]),
            where="the largest group of both classes",
        )
        self._k = [
            batch_top(top, n, n_pos, n)
            for n, n_pos in zip(sizes, eligible_sample.n_pos.tolist(), strict=True)
        ]

    def one_pass(self) -> Iterator[Batch]:
        """Yield each group with both classes once."""
        sample = self._sample
        self.n_skipped += self._one_class
        for g in self._rng.permutation(sample.n_groups):
            rows = sample.order[sample.start[g] : sample.start[g + 1]]
            yield Batch(self._X, rows, int(sample.n_pos[g]), self._k[g])


def batches_of(
    X: Features, y: Ints, groups: Ints | None, top: Top, batch_size: int, rng: Rng
) -> BatchSource:
    """Make the source of batches: `QueryBatches` of a sample with groups, else `Batches`."""
    if groups is None:
        return Batches(X, y, top, batch_size, rng)
    return QueryBatches(X, y, groups, top, rng)


def batch_top(top: Top, size: int, n_pos: int, n: int) -> int:
    """Compute k within a batch of `size` items, `n_pos` of them positive, of a sample of `n`.

    A fraction, of the items (`tau`, or `k` of a list) or of the positives (`kappa`), is taken of the
    batch. A fixed `k` is shrunk like the batch, to ``k * size / n`` rounded half up, at least 1. In each
    case k is at most `n_pos`: beyond, every ranking of the batch makes mistakes.
    """
    if top.k is not None and not top.depends_on_sample:
        return max(1, min((2 * top.k * size + n) // (2 * n), n_pos))
    if top.kappa is not None and top.kappa >= 1:
        return n_pos
    return min(top.resolve(size, n_pos), n_pos)
