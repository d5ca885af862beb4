"""What every solver returns, and the clock it obeys."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from attop.core.typing import Floats

__all__ = ["Callback", "Deadline", "History", "Solution", "Status"]

#: How a solver ended.
Status = Literal["converged", "max_iter", "deadline", "stopped", "diverged"]


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

    def record(self, iteration: int, seconds: float, objective: Floats, gap: Floats | None = None) -> None:
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
        ``"converged"``, ``"max_iter"``, ``"deadline"``, ``"stopped"`` (by the callback) or
        ``"diverged"``. A finite best iterate is returned in every case.
    history : History
    gap : ndarray of shape (m,) or None
        Certified bound on ``objective - optimum``, where the solver has one.
    relative_gap : ndarray of shape (m,) or None
        Certified bound on the share of the gain over ``w = 0`` that is missing; see
        `attop.solvers.bundle.certificate.relative_gap`.
    """

    coef: Floats
    objective: Floats
    n_iter: int
    status: Status
    history: History
    gap: Floats | None = None
    relative_gap: Floats | None = None


#: Called as ``callback(iteration, coef, objective)`` after each recorded iteration; True stops the solver.
Callback = Callable[[int, Floats, Floats], bool | None]


class Deadline:
    """A budget of seconds that starts when it is made; None never expires."""

    def __init__(self, seconds: float | None = None):
        if seconds is not None and not seconds > 0:
            raise ValueError(f"time_limit must be a positive number of seconds or None, got {seconds!r}")
        self.start = time.perf_counter()
        self.seconds = seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.start

    @property
    def expired(self) -> bool:
        """Whether the budget is spent."""
        return self.seconds is not None and self.elapsed >= self.seconds
