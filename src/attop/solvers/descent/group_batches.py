"""Descent on a few groups at a time: mini-batches of users or queries."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from attop.core.typing import Floats
from attop.solvers.blocks import take_rows
from attop.surrogates.base import BoundSurrogate

__all__ = ["GroupBatches"]


class GroupBatches:
    """The groups of a sample, dealt anew to batches in each pass.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    loss : BoundSurrogate
        Bound to the rows of `X`; a sum over groups, as `BoundSurrogate.blocks` divides it. One that cannot
        be divided is a single group.
    size : int, at least 1
        Groups of a batch at most; a pass deals them to as few batches as that needs, of sizes that differ by
        at most one.
    rng : numpy.random.Generator
        Orders the groups.

    Attributes
    ----------
    t : int
        Steps taken so far.
    """

    def __init__(self, X: Any, loss: BoundSurrogate, size: int, rng: np.random.Generator):
        if size < 1:
            raise ValueError(f"batch_groups must be at least 1, got {size}")
        self._groups = [(take_rows(X, rows), part) for rows, part in loss.blocks(1)]
        self._n_batches = math.ceil(len(self._groups) / size)
        self._rng = rng
        self.t = 0

    def one_pass(self, W: Floats, eta: Floats, lam: Floats) -> Floats:
        """Return the models, shape (d, m), after a step of each on every batch.

        A step is ``W - eta / sqrt(t + 1) (G + lam W)``, with G the mean subgradient of the batch's groups,
        which is that of all groups on average.
        """
        n = len(self._groups)
        for batch in np.array_split(self._rng.permutation(n), self._n_batches):
            gradient = lam * W
            for g in batch:
                X, part = self._groups[g]
                gradient += n / len(batch) * (X.T @ part(X @ W)[1])  # a part is a share of the whole mean
            W = W - eta / math.sqrt(self.t + 1) * gradient
            self.t += 1
        return W
