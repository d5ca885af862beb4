"""What a solver does at the end of each iteration: record it, tell the callback, look at the clock."""

from __future__ import annotations

from attop.core.typing import Floats
from attop.solvers.base import Callback, Deadline, History, Status

__all__ = ["Monitor"]


class Monitor:
    """Keeps the history of a run, and says whether it must end before it is done.

    Parameters
    ----------
    time_limit : float or Deadline, optional
        Seconds from now on, or a clock that is already running.
    callback : callable, optional
        See `attop.solvers.base.Callback`.

    Attributes
    ----------
    history : History
    ended : str or None
        ``"stopped"`` once the callback asked for it, ``"deadline"`` once `over` found the time spent.
    """

    def __init__(self, time_limit: float | Deadline | None = None, callback: Callback | None = None):
        self.deadline = time_limit if isinstance(time_limit, Deadline) else Deadline(time_limit)
        self.history = History()
        self.ended: Status | None = None
        self._callback = callback

    def record(
        self,
        iteration: int,
        coef: Floats,
        objective: Floats,
        *,
        current: Floats | None = None,
        gap: Floats | None = None,
    ) -> None:
        """Add an entry to the history and tell the callback.

        Parameters
        ----------
        iteration : int
        coef, objective : ndarray of shape (d, m), (m,)
            The best models so far, for the callback.
        current : ndarray of shape (m,), optional
            Objective for the history, where it is not that of the best models.
        gap : ndarray of shape (m,), optional
        """
        shown = objective if current is None else current
        self.history.record(iteration, self.deadline.elapsed, shown, gap)
        if self._callback is not None and self._callback(iteration, coef, objective):
            self.ended = "stopped"

    def over(self) -> bool:
        """Whether the run must end: the callback asked for it, or the time is spent."""
        if self.ended is None and self.deadline.expired:
            self.ended = "deadline"
        return self.ended is not None
