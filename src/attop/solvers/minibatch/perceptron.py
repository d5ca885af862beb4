"""Perceptron@k: mistake-driven learning of the top of a ranked list."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from attop.core.top import Top
from attop.core.typing import Features, Ints
from attop.solvers.base import Callback, Monitor, Solution
from attop.solvers.minibatch.batches import Batch, batches_of
from attop.solvers.minibatch.kernels import mistakes
from attop.solvers.parameters import check_numbers

__all__ = ["MistakeDriven", "PerceptronSolution", "perceptron"]


@dataclass
class PerceptronSolution(Solution):
    """A `Solution` whose objective is the number of mistakes in the last whole pass.

    Attributes
    ----------
    state : MistakeDriven
        What it has counted, and to go on from.
    n_skipped : int
        Batches of one class only.
    """

    state: MistakeDriven = field(kw_only=True)
    n_skipped: int = 0


def perceptron(
    X: Features,
    y: Ints,
    top: Top,
    *,
    groups: Ints | None = None,
    variant: Literal["avg", "max"] = "avg",
    average: bool = False,
    batch_size: int = 500,
    epochs: int = 25,
    rng: np.random.RandomState | np.random.Generator,
    time_limit: float | None = None,
    callback: Callback | None = None,
) -> PerceptronSolution:
    r"""Run Perceptron@k-avg or Perceptron@k-max over mini-batches.

    From ``w_0 = 0``, for each batch let ``yhat`` mark its k highest scores, ``Delta`` the negatives and
    ``K`` the positives among them. If ``Delta > 0``::

        w <- w - sum_{false positives} x + D sum_{false negatives} x,   D = Delta / (n+ - K)      avg
        w <- w - sum_{false positives} x + sum_{Delta highest false negatives} x                  max

    For ``||x|| <= R`` and any ``u``, the mistakes are bounded by ``sum_t Delta_t <= (2 R sqrt(k) ||u||
    + sqrt(sum_t loss_t(u)))^2``, where loss is prec@k's avg or max surrogate on the batch.

    Parameters
    ----------
    X, y, groups, top, batch_size, rng
        See `attop.solvers.minibatch.batches.batches_of`.
    variant, average, epochs
        See `attop.PerceptronAtK`.
    time_limit, callback
        See `attop.solvers.base`. At least one batch is seen; a pass is an iteration, mistakes its objective.

    Returns
    -------
    solution : PerceptronSolution
        The last ``w`` or the average, ``"converged"`` after a pass free of mistakes. `objective` and the
        history hold the mistakes ``sum_t Delta_t`` of each pass, counted as they happened; of an
        unfinished pass, those so far.

    Notes
    -----
    Tied items count as ranked worst first, negatives before positives: at ``w = 0`` every batch is
    then a mistake, and a pass free of mistakes ranks the positives strictly above. The mistake bound
    holds for any rule.

    The average is the model that bounds on future mistakes are about. Differences from the paper, beside
    those of `attop.PerceptronAtK`: k is at most the number of positives of the batch.
    """
    check_numbers(epochs=epochs)
    monitor = Monitor(time_limit, callback)
    batches = batches_of(X, y, groups, top, batch_size, rng)
    state = MistakeDriven(X.shape[1], variant, average=average)
    solution = PerceptronSolution(state.coef, np.zeros(1), 0, "max_iter", monitor.history, state=state)
    with np.errstate(over="ignore", invalid="ignore"):
        for epoch in range(1, epochs + 1):
            before = state.n_mistakes
            for batch in batches.one_pass():
                state.step(batch)
                if monitor.deadline.expired or state.lost:
                    break
            state.update()
            if state.lost:
                solution.status = "diverged"
                break
            in_pass = state.n_mistakes - before
            solution.coef, solution.objective = state.coef, np.array([float(in_pass)])
            solution.n_iter = epoch
            monitor.record(epoch, solution.coef, solution.objective)
            if monitor.over() or in_pass == 0:
                solution.status = monitor.ended or "converged"
                break
    solution.n_skipped = batches.n_skipped
    return solution


class MistakeDriven:
    """The perceptron's iterate, and what it has counted.

    Parameters
    ----------
    n_features : int
    variant : {"avg", "max"}
    average : bool
        Whether the model is the average of the iterates.

    Attributes
    ----------
    coef : ndarray of shape (d, 1)
        The model when `update` was called last, unless it had overflowed.
    lost : bool
        Whether the iterate overflowed.
    n_mistakes : int
        ``sum_t Delta_t`` over all batches seen: the left side of the mistake bound.
    n_updates : int
        Batches with a mistake.
    largest_k : int
        Largest k of a batch: the k of the mistake bound.
    """

    def __init__(self, n_features: int, variant: str, *, average: bool = False):
        if variant not in ("avg", "max"):
            raise ValueError(f"variant must be 'avg' or 'max', got {variant!r}")
        self._raises_all = variant == "avg"
        self._W = np.zeros((n_features, 1))
        self._total = np.zeros_like(self._W) if average else None
        self._t = 0
        self.coef, self.lost = self._W.copy(), False
        self.n_mistakes = self.n_updates = self.largest_k = 0

    def step(self, batch: Batch) -> int:
        """Learn from a batch; returns its mistakes, or -1 if a score is not finite."""
        self.largest_k = max(self.largest_k, batch.k)
        coef = np.empty((len(batch.rows), 1))
        delta = mistakes(batch.scores(self._W)[:, 0], batch.n_pos, batch.k, self._raises_all, coef[:, 0])
        if delta > 0:
            self._W += batch.gradient(coef)
            self.n_mistakes += delta
            self.n_updates += 1
        if self._total is not None:
            self._total += self._W
            self._t += 1
        self.lost |= delta < 0
        return delta

    def update(self) -> None:
        """Bring `coef` up to date."""
        self.lost |= not np.isfinite(self._W).all()
        if not self.lost:
            self.coef = self._W.copy() if self._total is None else self._total / max(self._t, 1)
