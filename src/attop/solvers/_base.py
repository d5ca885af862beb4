"""Contract of the solvers: solution, history, deadline, and what they require of a surrogate."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from attop._core.parameters import check_numbers
from attop._core.typing import Features, Floats, Ints
from attop.surrogates._base import AlongLine, BoundSurrogate

#: How a solver ended.
Status = Literal["converged", "max_iter", "deadline", "diverged"]


@dataclass
class History:
    """Progress of a solver: one entry per recorded iteration.

    Attributes
    ----------
    iteration : list of int
    seconds : list of float
        Since the solver started.
    objective : list of ndarray of shape (m,)
        Objective of each model.
    gap : list of ndarray of shape (m,)
        Certified duality gap, where the solver has one; else empty.
    """

    iteration: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    objective: list[Floats] = field(default_factory=list)
    gap: list[Floats] = field(default_factory=list)

    def record(
        self,
        iteration: int,
        seconds: float,
        objective: ArrayLike,
        gap: ArrayLike | None = None,
    ) -> None:
        """Append one entry; arrays are copied."""
        self.iteration.append(iteration)
        self.seconds.append(seconds)
        self.objective.append(np.array(objective, dtype=float))
        if gap is not None:
            self.gap.append(np.array(gap, dtype=float))


@dataclass
class Solution:
    """Models a solver returns: its best iterates.

    Attributes
    ----------
    coef : ndarray of shape (d, m)
        One model per column.
    objective : ndarray of shape (m,)
        Objective at `coef`.
    n_iter : int
        Iterations done.
    status : str
        ``"converged"``, ``"max_iter"``, ``"deadline"`` or ``"diverged"``. A finite best iterate is
        returned in every case.
    history : History
    gap : ndarray of shape (m,) or None
        Certified bound on ``objective - optimum``, where the solver has one.
    relative_gap : ndarray of shape (m,) or None
        Certified bound on the share of the gain over ``w = 0`` that is missing; see
        `attop.solvers.relative_gap`.
    """

    coef: Floats
    objective: Floats
    n_iter: int
    status: Status
    history: History
    gap: Floats | None = None
    relative_gap: Floats | None = None


class Transposed:
    """Transpose of a matrix that is not held in memory; it knows the product ``T @ coef`` alone."""

    def __init__(self, correlate: Callable[[Floats], Floats]):
        self._correlate = correlate

    def __matmul__(self, coef: Floats) -> Floats:
        return self._correlate(coef)


class Deadline:
    """Clock of a time limit in seconds, which starts when it is made; None never expires."""

    def __init__(self, seconds: float | None = None):
        check_numbers(time_limit=seconds)
        self.start = time.perf_counter()
        self.seconds = seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.start

    @property
    def expired(self) -> bool:
        """True if no time is left."""
        return self.seconds is not None and self.elapsed >= self.seconds


def check_loss(solver: str, X: Features, loss: BoundSurrogate, *needs: str) -> None:
    """Refuse a loss bound to other items than the rows of `X`, or one that lacks what a solver needs.

    `needs` are any of "convex", "smooth" and "along_line", derivatives along a line.
    """
    if len(X.shape) != 2 or X.shape[0] != loss.n:
        raise ValueError(
            f"X must have shape ({loss.n}, d), one row per item the loss is bound to, got {X.shape}: "
            "bind the loss to the labels of these rows"
        )
    kind = type(loss if loss.surrogate is None else loss.surrogate)
    lacks = [need for need in needs if not getattr(kind, need, True)]
    if "along_line" in needs and not isinstance(loss, AlongLine):
        lacks.append("differentiable along lines (AlongLine)")
    if lacks:
        raise ValueError(
            f"{solver} needs a surrogate that is {' and '.join(lacks)}, but {kind.__name__} is not: "
            "use another surrogate, or gradient_descent, which works with any"
        )


#: Statuses, the least finished first. The status of a grid is the first of these that one of its models has.
_LEAST_FINISHED_FIRST: tuple[Status, ...] = (
    "deadline",
    "max_iter",
    "diverged",
    "converged",
)


@dataclass(kw_only=True)
class GridSolution(Solution):
    """A `Solution` of ``m`` models that remembers how each of them ended.

    Attributes
    ----------
    each_status : list of str, length m
    each_n_iter : ndarray of shape (m,)
        Iterations each model took part in; `n_iter` is the largest.
    n_skipped : int
        Batches the surrogate was undefined on, for mini-batch solvers.
    """

    each_status: list[Status]
    each_n_iter: Ints
    n_skipped: int = 0

    def model(self, j: int) -> Solution:
        """Take out model `j` with its own history, as if it had been trained alone."""
        n_iter = int(self.each_n_iter[j])
        history = History()
        records = zip(
            self.history.iteration,
            self.history.seconds,
            self.history.objective,
            strict=True,
        )
        for iteration, seconds, objective in records:
            if iteration <= n_iter:
                history.record(iteration, seconds, objective[[j]])
        return Solution(
            self.coef[:, [j]],
            self.objective[[j]],
            n_iter,
            self.each_status[j],
            history,
        )


def summary_status(each: list[Status]) -> Status:
    """Summarise the statuses of models trained together by that of the least finished."""
    return min(each, key=_LEAST_FINISHED_FIRST.index)


def broadcast_settings(**settings: ArrayLike) -> list[Floats]:
    """Bring one-dimensional or scalar settings to a common shape (m,), one value per model."""
    arrays = {
        name: np.array(value, np.float64, ndmin=1)
        for name, value in settings.items()
    }
    shapes = {name: array.shape for name, array in arrays.items()}
    m = max(array.size for array in arrays.values())
    if any(
        array.ndim != 1 or array.size not in (1, m) for array in arrays.values()
    ):
        raise ValueError(
            f"settings must be numbers or have one value per model, got shapes {shapes}"
        )
    for name, array in arrays.items():
        if np.isnan(array).any():
            raise ValueError(f"{name} holds NaN: give a number for each model")
    return [np.broadcast_to(array, m).copy() for array in arrays.values()]


#: Where no more than this share of ``J(0)`` can be gained, ``w = 0`` is the optimum up to rounding.
NOTHING = 1e-12


def relative_gap(start: float, objective: float, lower: float) -> float:
    """Compute the relative gap: the share of the gain over ``w = 0`` that a model may lack.

    The objective itself does not measure it: with strong regularisation ``J(0)`` exceeds the optimum by a
    small part of its size, and a model that gives all items one score would pass for solved.

    It is ``(J(w) - lower) / (J(0) - lower)``, in [0, 1], with `start` ``J(0)``, `objective` ``J(w)``, at most
    that, and `lower` a lower bound of the optimum, -inf where there is none yet: of ``J(0) - min J``, at most
    this share is not gained at w. It is 1 at ``w = 0``, unless this is the optimum: 0 then, and wherever no
    more than ``1e-12 |J(0)|`` can be gained.
    """
    if lower == -math.inf:
        return 1.0
    gain = start - lower
    if gain <= NOTHING * abs(start):
        return 0.0
    return max(objective - lower, 0.0) / gain
