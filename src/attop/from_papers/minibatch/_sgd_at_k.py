"""SGD@k: projected mini-batch subgradient descent with averaging; and the passes of Perceptron@k."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attop._core.parameters import check_numbers
from attop._core.top import Top
from attop._core.typing import Floats
from attop.from_papers.minibatch._batches import Batch, BatchSource
from attop.from_papers.minibatch._kernels import projected_step
from attop.from_papers.minibatch._perceptron import MistakeDriven
from attop.solvers._base import (
    Deadline,
    GridSolution,
    History,
    Status,
    broadcast_settings,
    summary_status,
)
from attop.surrogates._base import BoundSurrogate, Surrogate

MakeSurrogate = Callable[[Top], Surrogate]


class AveragedDescent:
    """Projected descent of `m` models over the ball ``||w|| <= R``: the iterates, and their sum so far.

    From ``w_0 = 0``, for the t-th batch (t = 1, 2, ...)::

        w_t = P(w_{t-1} - eta / sqrt(t) X_t^T c_t),      P(w) = w min(1, R / ||w||)

    where ``X_t^T c_t`` is a subgradient at ``w_{t-1}`` of the surrogate on the batch. The model is the
    average of ``w_1, ..., w_T``. All models see the same batches and share the products.

    Parameters
    ----------
    n_features : int
    surrogate : callable
        Makes a `Surrogate` of a `Top`: ``PrecAtKAvg`` or ``PrecAtKMax``, for example.
    eta : float or array-like of shape (m,), positive
        Length of the first step.
    radius : float or array-like of shape (m,), positive
        R; infinity for no projection.

    Attributes
    ----------
    coef : ndarray of shape (d, m)
        Average of the iterates; for a model that overflowed, after the last pass before it did.
    overflowed : ndarray of shape (m,)
        Whether a model overflowed.
    t : int
        Steps done.
    """

    counts_mistakes = False

    def __init__(
        self,
        n_features: int,
        surrogate: MakeSurrogate,
        *,
        eta: ArrayLike,
        radius: ArrayLike,
    ):
        self._eta, self._radius = broadcast_settings(eta=eta, radius=radius)
        check_numbers(eta=self._eta.min(), radius=self._radius.min())
        self._surrogate = surrogate
        m = len(self._eta)
        self._W = np.zeros((n_features, m))
        self._total = np.zeros((n_features, m))
        self.coef = np.zeros((n_features, m))
        self.overflowed = np.zeros(m, bool)
        self.t = 0

    def step(self, batch: Batch) -> Floats:
        """Descend on a batch; returns the surrogate there before the step, shape (m,)."""
        loss = _bind(self._surrogate, len(batch.rows), batch.n_pos, batch.k)
        value, C = loss(batch.scores(self._W))
        self.t += 1
        step = self._eta / math.sqrt(self.t)
        projected_step(self._W, batch.gradient(C), step, self._radius, self._total)
        return np.asarray(value)

    def update(self, values: Floats) -> None:
        """Bring `coef` up to date; a model has overflowed where `values`, of shape (m,), is not finite."""
        average = self._total / max(self.t, 1)
        self.overflowed |= ~(np.isfinite(values) & np.isfinite(average).all(axis=0))
        self.coef = np.where(self.overflowed, self.coef, average)

    def alone(self, j: int) -> AveragedDescent:
        """Copy model `j`, to be trained further by itself."""
        one = copy.copy(self)
        for name in ("_eta", "_radius", "_W", "_total", "coef", "overflowed"):
            setattr(one, name, getattr(self, name)[..., j : j + 1].copy())
        return one


def descend(
    batches: BatchSource,
    state: AveragedDescent | MistakeDriven,
    *,
    epochs: int = 1,
    time_limit: float | None = None,
) -> GridSolution:
    """Run passes of SGD@k (Kar et al. 2015, algorithm 3) or Perceptron@k over any source of batches.

    Parameters
    ----------
    batches : BatchSource
        Of a sample in memory, see `batches_of`, or of a stream, see `StreamedBatches`.
    state : AveragedDescent or MistakeDriven
        Where to start; it is moved on.
    epochs : int, at least 1
        Passes over the sample.
    time_limit : float, optional
        See `attop.solvers`. At least one batch is seen; a pass is an iteration.

    Returns
    -------
    solution : GridSolution
        A model that overflows is left as it was after the last pass that was finite, and marked
        ``"diverged"``. `objective` and the history hold the mean, over the batches of each pass, of the
        surrogate there just before the step: what learning has cost, not the loss of the average. Of
        Perceptron@k they are the mistakes of the pass; one without any is the last, ``"converged"``. `n_iter`
        counts passes, an unfinished one included.
    """
    deadline = Deadline(time_limit)
    history = History()
    check_numbers(epochs=epochs)
    m = len(state.overflowed)
    objective = np.full(m, np.inf)
    status: Status = "max_iter"
    with np.errstate(over="ignore", invalid="ignore"):
        for epoch in range(1, epochs + 1):
            # A perceptron returns one number a step: to make arrays of them would take long.
            total: Any = 0.0
            count = 0
            for batch in batches.one_pass():
                total += state.step(batch)
                count += 1
                if deadline.expired:
                    break
            if count == 0:
                raise ValueError(
                    f"no batch of the pass holds both classes ({batches.n_skipped} hold only one): use a "
                    "larger batch_size, or shuffle the items before dividing them into chunks"
                )
            state.update(total)
            objective = np.where(
                state.overflowed,
                objective,
                total if state.counts_mistakes else total / count,
            )
            history.record(epoch, deadline.elapsed, objective)
            if deadline.expired:
                status = "deadline"
                break
            if state.overflowed.all() or (
                state.counts_mistakes and not objective.any()
            ):
                status = "converged"
                break
    each_status: list[Status] = [
        "diverged" if bad else status for bad in state.overflowed
    ]
    return GridSolution(
        state.coef,
        objective,
        epoch,
        summary_status(each_status),
        history,
        each_status=each_status,
        each_n_iter=np.full(m, epoch),
        n_skipped=batches.n_skipped,
    )


@lru_cache(maxsize=1024)
def _bind(
    surrogate: MakeSurrogate, size: int, n_pos: int, k: int
) -> BoundSurrogate:
    """Bind to a batch; they come positives first, so that equal counts are equal labels."""
    return surrogate(Top(k=k)).bind((np.arange(size) < n_pos).astype(np.int64))
