"""SGD@k: projected mini-batch subgradient descent with averaging."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attop.solvers.base import Callback, Deadline, History, Status
from attop.solvers.batches import Batches
from attop.solvers.grid import GridSolution, broadcast_settings, summary_status
from attop.surrogates.base import BoundSurrogate, Surrogate
from attop.top import Top

__all__ = ["minibatch_sgd"]

Floats = NDArray[np.float64]


def minibatch_sgd(
    X: Any,
    y: NDArray[np.int64],
    surrogate: Callable[[Top], Surrogate],
    top: Top,
    *,
    eta: ArrayLike,
    radius: ArrayLike,
    batch_size: int = 500,
    epochs: int = 25,
    rng: np.random.RandomState | np.random.Generator,
    time_limit: float | None = None,
    callback: Callback | None = None,
) -> GridSolution:
    r"""Minimise a surrogate over the ball ``||w|| <= R`` for `m` settings of `eta` and `radius`.

    From ``w_0 = 0``, for the t-th batch (t = 1, 2, ...)::

        w_t = P(w_{t-1} - eta / sqrt(t) X_t^T c_t),      P(w) = w min(1, R / ||w||)

    where ``X_t^T c_t`` is a subgradient at ``w_{t-1}`` of the surrogate on the batch. The model is the
    average of ``w_1, ..., w_T``. All settings see the same batches and share the products.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    y : ndarray of shape (n,), 0 and 1
    surrogate : callable
        Makes a `Surrogate` of a `Top`: ``PrecAtKAvg`` or ``PrecAtKMax``, for example.
    top : Top
        The top of a batch; see `attop.solvers.batches.batch_top`.
    eta : float or array-like of shape (m,), positive
        Length of the first step.
    radius : float or array-like of shape (m,), positive
        R; infinity for no projection.
    batch_size : int, at least 2
    epochs : int, at least 1
        Passes over the sample.
    rng : numpy.random.RandomState or numpy.random.Generator
        Orders the items.
    time_limit : float, optional
        Seconds. At least one batch is seen.
    callback : callable, optional
        Called as ``callback(epoch, coef, objective)`` after each pass, shapes (d, m) and (m,); True
        stops the solver.

    Returns
    -------
    solution : GridSolution
        `coef` is the average over all steps done, whichever pass had the lowest objective; a model that
        overflows is left at its average after the last pass that was finite, and marked
        ``"diverged"``. `objective` and the history hold the surrogate on the whole sample, not in
        batches, at the average after each pass, with k the top of the whole sample but at most its
        number of positives. `n_iter` counts passes, an unfinished one included.

    Raises
    ------
    ValueError
        If a parameter is out of range, the sample holds one class only, or no batch holds both.

    Notes
    -----
    Differences from the paper: k is at most the number of positives of the batch; batches of one class
    are skipped and do not count as steps.

    References
    ----------
    Kar, Narasimhan and Jain (2015), "Surrogate functions for maximizing precision at the top",
    algorithm 3.
    """
    deadline = Deadline(time_limit)
    eta, radius = broadcast_settings(eta=eta, radius=radius)
    if not ((eta > 0) & (radius > 0)).all():
        raise ValueError(f"eta and radius must be positive, got {eta.min()} and {radius.min()} as smallest")
    if epochs < 1:
        raise ValueError(f"epochs must be at least 1, got {epochs}")
    batches = Batches(X, y, top, batch_size, rng)
    whole = surrogate(Top(k=batches.whole_top)).bind(y)
    descent = _Descent(X.shape[1], surrogate, eta, radius)
    m = len(eta)
    coef, objective = np.zeros((X.shape[1], m)), np.full(m, np.inf)
    diverged = np.zeros(m, bool)
    history = History()
    status: Status = "max_iter"
    with np.errstate(over="ignore", invalid="ignore"):
        for epoch in range(1, epochs + 1):
            descent.one_pass(batches, deadline)
            average = descent.average()
            diverged |= descent.lost | ~np.isfinite(average).all(axis=0)
            coef[:, ~diverged] = average[:, ~diverged]
            objective = np.asarray(whole(X @ coef)[0])
            history.record(epoch, deadline.elapsed, objective)
            if callback is not None and callback(epoch, coef, objective):
                status = "stopped"
            elif deadline.expired:
                status = "deadline"
            elif diverged.all():
                status = "diverged"
            if status != "max_iter":
                break
    each_status: list[Status] = ["diverged" if bad else status for bad in diverged]
    return GridSolution(
        coef,
        objective,
        epoch,
        summary_status(each_status),
        history,
        each_status=each_status,
        each_n_iter=np.full(m, epoch),
        n_skipped=batches.n_skipped,
    )


class _Descent:
    """The iterates of all models and the sum of those so far."""

    def __init__(self, d: int, surrogate: Callable[[Top], Surrogate], eta: Floats, radius: Floats):
        self.surrogate, self.eta, self.radius = surrogate, eta, radius
        self.W, self.total = np.zeros((d, len(eta))), np.zeros((d, len(eta)))
        self.lost = np.zeros(len(eta), bool)
        self.t = 0
        # Batches come positives first, so those with equal counts share one bound surrogate.
        self.bound: dict[tuple[int, int, int], BoundSurrogate] = {}

    def one_pass(self, batches: Batches, deadline: Deadline) -> None:
        """Step once per batch, until the pass or the time is over."""
        for batch in batches.one_pass():
            counts = (len(batch.rows), batch.n_pos, batch.k)
            if counts not in self.bound:
                labels = (np.arange(len(batch.rows)) < batch.n_pos).astype(np.int64)
                self.bound[counts] = self.surrogate(Top(k=batch.k)).bind(labels)
            value, C = self.bound[counts](batch.scores(self.W))
            self.lost |= ~np.isfinite(value)
            self.t += 1
            self.W -= self.eta / np.sqrt(self.t) * batch.gradient(C)
            norm = np.sqrt(np.einsum("ij,ij->j", self.W, self.W))
            outside = norm > self.radius
            if outside.any():
                self.W[:, outside] *= (self.radius / norm)[outside]
            self.total += self.W
            if deadline.expired:
                break

    def average(self) -> Floats:
        """Mean of the iterates after each step."""
        return self.total / self.t
