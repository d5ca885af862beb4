"""Value and gradient of a loss of ``X W``, a block of rows at a time.

The scores of many models, and the coefficients the loss gives them, are each about as large as `X`. Where
the loss is a sum over groups they need not exist as a whole: a block of groups is scored, judged and
multiplied back while it is in the processor's cache, and blocks are shared among threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from attop.core.compiled import allowed_threads
from attop.core.typing import Floats
from attop.surrogates.base import BoundSurrogate

__all__ = ["BlockedLoss", "take_rows"]


#: Scores of a block: small enough for the cache, large enough that the calls of the kernel cost little.
_SCORES = 100_000


class BlockedLoss:
    """A loss bound to the rows of a matrix; call it with the coefficients of `m` models.

    The blocks depend on the groups and on `m`, not on the number of threads, and are added up in their
    order: nor does the result.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        Copied if the rows of its groups are not consecutive.
    loss : BoundSurrogate
    m : int
        About how many models it will be called with.
    """

    def __init__(self, X: Any, loss: BoundSurrogate, m: int):
        blocks = loss.blocks(max(1, _SCORES // m))
        self._blocks = [(take_rows(X, rows), part) for rows, part in blocks]
        self._threads: ThreadPoolExecutor | None = None

    @contextmanager
    def threads(self) -> Iterator[None]:
        """Share the blocks of calls in this context among as many threads as the BLAS may use."""
        with ExitStack() as stack:
            n_threads = min(allowed_threads(), len(self._blocks)) if len(self._blocks) > 1 else 1
            if n_threads > 1:
                # Each thread calls the BLAS: more threads inside it would compete for the same cores.
                stack.enter_context(threadpool_limits(1, "blas"))
                self._threads = stack.enter_context(ThreadPoolExecutor(n_threads))
            try:
                yield
            finally:
                self._threads = None

    def __call__(self, W: Floats) -> tuple[Floats, Floats]:
        """Return the values, shape (m,), and the gradients, shape (d, m), for `W` of shape (d, m)."""

        def evaluate(block: tuple[Any, BoundSurrogate]) -> tuple[Floats, Floats]:
            X, loss = block
            with np.errstate(
                over="ignore", invalid="ignore"
            ):  # not inherited from the thread that started this one
                value, coef = loss(X @ W)
                return np.asarray(value), X.T @ coef

        run = map if self._threads is None else self._threads.map
        terms = run(evaluate, self._blocks)
        value, gradient = next(terms)
        for more_value, more_gradient in terms:
            value += more_value
            gradient += more_gradient
        return value, gradient


def take_rows(X: Any, rows: Any) -> Any:
    """Return rows of a matrix: itself if they are all of them, which a CSR matrix would copy."""
    every = isinstance(rows, slice) and rows.indices(X.shape[0]) == (0, X.shape[0], 1)
    return X if every else X[rows]
