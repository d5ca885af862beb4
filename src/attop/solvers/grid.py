"""Models trained together, each with an ending of its own."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from attop.core.typing import Floats, Ints
from attop.solvers.base import History, Solution, Status

__all__ = ["GridSolution", "broadcast_settings", "summary_status"]


#: Statuses, the least finished first. The status of a grid is the first of these that one of its models has.
_LEAST_FINISHED_FIRST: tuple[Status, ...] = ("deadline", "stopped", "max_iter", "diverged", "converged")


@dataclass
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

    each_status: list[Status] = field(default_factory=list)
    each_n_iter: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    n_skipped: int = 0

    def model(self, j: int) -> Solution:
        """Return model `j` alone, with its own history, as if it had been trained alone."""
        n_iter = int(self.each_n_iter[j])
        n_records = sum(i <= n_iter for i in self.history.iteration)
        history = History(
            self.history.iteration[:n_records],
            self.history.seconds[:n_records],
            [objective[j : j + 1].copy() for objective in self.history.objective[:n_records]],
        )
        return Solution(
            self.coef[:, j : j + 1].copy(),
            self.objective[j : j + 1].copy(),
            n_iter,
            self.each_status[j],
            history,
        )


def summary_status(each: list[Status]) -> Status:
    """Return the one status that describes models trained together: that of the least finished."""
    return min(each, key=_LEAST_FINISHED_FIRST.index)


def broadcast_settings(**settings: ArrayLike) -> list[Floats]:
    """Bring one-dimensional or scalar settings to a common shape (m,), one value per model.

    Raises
    ------
    ValueError
        If the lengths do not fit together or a value is NaN.
    """
    arrays = {name: np.atleast_1d(np.asarray(value, np.float64)) for name, value in settings.items()}
    shapes = {name: array.shape for name, array in arrays.items()}
    m = max(array.size for array in arrays.values())
    if any(array.ndim != 1 or array.size not in (1, m) for array in arrays.values()):
        raise ValueError(f"settings must be numbers or have one value per model, got shapes {shapes}")
    for name, array in arrays.items():
        if np.isnan(array).any():
            raise ValueError(f"{name} holds NaN: give a number for each model")
    return [np.broadcast_to(array, m).copy() for array in arrays.values()]
