"""Many of AATP's problems, solved in batches on several threads and recorded as they come."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from attop.core.compiled import blas
from attop.core.typing import Floats, Ints
from attop.solvers.aatp.candidates import Candidates, quantile_items
from attop.solvers.aatp.threshold_svm import ThresholdSVM
from attop.solvers.base import Callback, Deadline, History
from attop.solvers.monitor import Monitor

__all__ = ["Progress", "solve_batches"]


class Progress:
    """The models nearest to the quantiles so far, and the monitor that is told of them.

    Parameters
    ----------
    n_targets : int
    deadline : Deadline
    callback : callable, optional
        See `exhaustive_search`.
    """

    def __init__(self, n_targets: int, deadline: Deadline, callback: Callback | None):
        self._monitor = Monitor(deadline, callback)
        self.over = self._monitor.over
        self._n_solved = 0
        self._coef, self._distance = np.empty((0, n_targets)), np.full(n_targets, np.inf)

    def record(self, found: Candidates) -> None:
        """Count problems solved and tell the callback of them."""
        self._n_solved += len(found.threshold_items)
        distance = np.abs(found.offset)
        nearest = distance.argmin(axis=1)
        distance = distance[np.arange(len(distance)), nearest]
        closer = distance < self._distance
        if not len(self._coef):
            self._coef = np.zeros((len(found.coef), len(distance)))
        self._coef[:, closer] = found.coef[:, nearest[closer]]
        self._distance[closer] = distance[closer]
        self._monitor.record(self._n_solved, self._coef, self._distance)

    def history(self, target: int) -> History:
        """Return the history of one target."""
        whole = self._monitor.history
        return History(whole.iteration, whole.seconds, [value[[target]] for value in whole.objective])


def solve_batches(
    problem: ThresholdSVM,
    threshold_items: Ints,
    weight: Ints | Floats,
    targets: Sequence[int],
    tol: float,
    progress: Progress,
) -> tuple[Candidates, Ints]:
    """Solve in batches, at the same time where that helps; the first even if the search is over."""
    workers = problem.workers
    # Batches of equal size, as many for each worker.
    rounds = math.ceil(len(threshold_items) / (problem.batch_size * workers))
    size = math.ceil(len(threshold_items) / (rounds * workers))

    def solve(start: int) -> tuple[Candidates, Ints] | None:
        if start and progress.over():
            return None
        return _solve(problem, threshold_items[start : start + size], weight, targets, tol, progress)

    # Compiled code does the work outside the interpreter's lock, so threads share it. Each keeps to one
    # thread of the BLAS, even if alone: on a busy machine the BLAS's threads wait for each other.
    starts = range(0, len(threshold_items), size)
    with blas().limit(limits=1):
        if workers == 1 or len(starts) == 1:
            done = _collect(map(solve, starts), progress)
        else:
            with ThreadPoolExecutor(workers) as threads:
                done = _collect(threads.map(solve, starts), progress)
    return Candidates.join([part[0] for part in done]), np.hstack([part[1] for part in done])


def _collect(
    parts: Iterable[tuple[Candidates, Ints] | None], progress: Progress
) -> list[tuple[Candidates, Ints]]:
    """Gather what was solved, in order, and record it as it comes."""
    done = []
    for part in parts:
        if part is not None:
            progress.record(part[0])
            done.append(part)
    return done


def _solve(
    problem: ThresholdSVM,
    threshold_items: Ints,
    weight: Ints | Floats,
    targets: Sequence[int],
    tol: float,
    progress: Progress,
) -> tuple[Candidates, Ints]:
    """Solve a batch; return the candidates and the items at their quantiles, shape (len(targets), m)."""
    solution = problem.solve(threshold_items, tol=tol, expired=progress.over)
    items = quantile_items(solution.scores, weight, targets)
    own = solution.scores[threshold_items, np.arange(len(threshold_items))]
    offset = own - np.take_along_axis(solution.scores, items, axis=0)
    # Equal items have equal scores but for rounding.
    offset[np.abs(offset) <= 1e-13 * np.abs(solution.scores).max(axis=0)] = 0.0
    found = Candidates(
        threshold_items,
        solution.coef,
        solution.objective,
        solution.gap,
        np.ptp(solution.scores, axis=0),
        offset,
    )
    return found, items
