"""Perceptron@k: mistake-driven learning of the top of a ranked list."""

from __future__ import annotations

import numpy as np

from attop._core.typing import Floats
from attop.from_papers.minibatch._batches import Batch
from attop.from_papers.minibatch._kernels import mistakes


class MistakeDriven:
    """State of Perceptron@k-avg or Perceptron@k-max, see `attop.PerceptronAtK`: iterate and mistakes.

    Attributes
    ----------
    coef : ndarray of shape (d, 1)
        The model when `update` was called last, unless it had overflowed.
    overflowed : ndarray of shape (1,)
        Whether the iterate overflowed.
    n_mistakes : int
        ``sum_t Delta_t`` over all batches seen: the left side of the mistake bound.
    largest_k : int
        Largest k of a batch: the k of the mistake bound.

    Notes
    -----
    Tied items count as ranked worst first, negatives before positives: at ``w = 0`` every batch is
    then a mistake, and a pass free of mistakes ranks the positives strictly above. The mistake bound
    holds for any rule.

    Differences from the paper, besides those of `attop.PerceptronAtK`: k is at most the number of positives
    of the batch.
    """

    counts_mistakes = True

    def __init__(
        self, n_features: int, surrogate: str = "avg", *, average: bool = False
    ):
        if surrogate not in ("avg", "max"):
            raise ValueError(f"surrogate must be 'avg' or 'max', got {surrogate!r}")
        self._raises_all = surrogate == "avg"
        self._W = np.zeros((n_features, 1))
        self._total = np.zeros_like(self._W) if average else None
        self._t = 0
        self.coef = self._W.copy()
        self.overflowed = np.zeros(1, bool)
        self.n_mistakes = self.largest_k = 0

    def step(self, batch: Batch) -> float:
        """Learn from a batch; returns its mistakes, infinite if a score is not finite."""
        self.largest_k = max(self.largest_k, batch.k)
        coef = np.empty((len(batch.rows), 1))
        delta = mistakes(
            batch.scores(self._W)[:, 0],
            batch.n_pos,
            batch.k,
            self._raises_all,
            coef[:, 0],
        )
        if delta > 0:
            self._W += batch.gradient(coef)
            self.n_mistakes += delta
        if self._total is not None:
            self._total += self._W
            self._t += 1
        return delta if delta >= 0 else np.inf

    def update(self, values: float | Floats) -> None:
        """Bring `coef` up to date; `values` are the mistakes since the last time."""
        self.overflowed |= not (
            np.isfinite(values).all() and np.isfinite(self._W).all()
        )
        if not self.overflowed:
            self.coef = (
                self._W.copy()
                if self._total is None
                else self._total / max(self._t, 1)
            )
