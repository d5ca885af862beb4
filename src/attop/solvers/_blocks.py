"""Value and gradient of a loss of ``X W``, a block of rows, or a batch of groups, at a time.

The scores of many models, and the coefficients the loss gives them, are each about as large as `X`. Where
the loss is a sum over groups they need not exist as a whole: a block of groups is scored, judged and
multiplied back while it is in the processor's cache, and blocks are shared among threads.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import numpy as np

from attop._core.compiled import allowed_threads, blas
from attop._core.parameters import check_numbers
from attop._core.typing import Features, Floats, Ints
from attop.surrogates._base import BoundSurrogate

#: Scores of a block: small enough for the cache, large enough that the calls of the kernel cost little.
_SCORES = 100_000


class BlockedLoss:
    """A loss bound to the rows of a matrix; call it with the coefficients of about `m` models.

    The blocks depend on the groups and on `m`, not on the number of threads, and are added up in their
    order: nor does the result. `X` is copied if the rows of its groups are not consecutive.
    """

    def __init__(self, X: Features, loss: BoundSurrogate, m: int):
        blocks = loss.blocks(max(1, _SCORES // m))
        self._blocks = [(take_rows(X, rows), part) for rows, part in blocks]
        self._threads: ThreadPoolExecutor | None = None

    @contextmanager
    def threads(self) -> Iterator[None]:
        """Share the blocks of calls in this context among as many threads as the BLAS may use."""
        with ExitStack() as stack:
            n_threads = min(allowed_threads(), len(self._blocks))
            if n_threads > 1:
                # Each thread calls the BLAS: more threads inside it would compete for the same cores.
                stack.enter_context(blas().limit(limits=1))
                self._threads = stack.enter_context(ThreadPoolExecutor(n_threads))
            try:
                yield
            finally:
                self._threads = None

    def __call__(self, W: Floats) -> tuple[Floats, Floats]:
        """Compute the values, shape (m,), and the gradients, shape (d, m), for `W` of shape (d, m)."""

        def evaluate(
            block: tuple[Features, BoundSurrogate],
        ) -> tuple[Floats, Floats]:
            X, loss = block
            # A thread does not inherit it.
            with np.errstate(over="ignore", invalid="ignore"):
                value, coef = loss(X @ W)
                return np.asarray(value), X.T @ coef

        run = map if self._threads is None else self._threads.map
        terms = run(evaluate, self._blocks)
        value, gradient = next(terms)
        for more_value, more_gradient in terms:
            value += more_value
            gradient += more_gradient
        return value, gradient


def take_rows(X: Features, rows: slice | Ints) -> Features:
    """Take rows of a matrix; all rows are the matrix itself, which a CSR matrix would copy."""
    every = isinstance(rows, slice) and rows.indices(X.shape[0]) == (
        0,
        X.shape[0],
        1,
    )
    return X if every else X[rows]


class GroupBatches:
    """The groups of a sample, assigned to new batches in each pass.

    The loss is a sum over groups, as `BoundSurrogate.blocks` divides it; one that cannot be divided is a
    single group. A pass deals the groups to as few batches of at most `size` as there can be, of sizes that
    differ by at most one.
    """

    def __init__(
        self, X: Features, loss: BoundSurrogate, size: int, rng: np.random.Generator
    ):
        check_numbers(batch_groups=size)
        self._groups = [(take_rows(X, rows), part) for rows, part in loss.blocks(1)]
        self._n_batches = math.ceil(len(self._groups) / size)
        self._rng = rng
        self.t = 0

    def one_pass(self, W: Floats, eta: Floats, lam: Floats) -> Floats:
        """Take a step of each model, shape (d, m), on every batch.

        A step is ``W - eta / sqrt(t + 1) (G + lam W)``, with G the mean subgradient of the batch's groups,
        which is that of all groups on average.
        """
        n = len(self._groups)
        for batch in np.array_split(self._rng.permutation(n), self._n_batches):
            gradient = lam * W
            for g in batch:
                X, part = self._groups[g]
                # A part is a share of the whole mean.
                gradient += n / len(batch) * (X.T @ part(X @ W)[1])
            W = W - eta / math.sqrt(self.t + 1) * gradient
            self.t += 1
        return W
