"""The two searches for AATP's threshold item, and the batches of problems they solve."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from attop.core.compiled import blas
from attop.core.typing import Floats, Ints
from attop.solvers.aatp.candidates import Candidates, Choice, quantile_items
from attop.solvers.aatp.threshold_svm import ThresholdSVM
from attop.solvers.base import Callback, Deadline, History, Monitor

__all__ = [
    "SEARCHES",
    "Progress",
    "automatic_search",
    "exhaustive_search",
    "fixed_point_search",
    "problems_at_most",
    "solve_batches",
    "work",
]


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


#: Steps of the fixed-point iteration at most, before items are tried one by one, the most promising first.
_WALK = 12
#: A fixed-point search on up to this many items may try all of them. On larger samples the product of the
#: number of problems and the cost of each, ``n (d + 30)^2``, is limited to the second number.
_SMALL, _EFFORT = 500, 1.2e10


def exhaustive_search(
    problem: ThresholdSVM,
    weight: Ints | Floats,
    targets: Sequence[int],
    *,
    tol: float,
    deadline: Deadline,
    callback: Callback | None = None,
) -> list[Choice]:
    """Solve for every item and choose for each of `targets` (see `quantile_items`).

    The paper's algorithm (section 3.2): the model whose threshold item has the score closest to the quantile
    of the model's own scores; among equals the one of smallest objective. All targets share the problems.

    Parameters
    ----------
    problem : ThresholdSVM
    weight : ndarray of shape (n,)
        Times each item is in the sample of which the quantile is taken.
    targets : sequence of int
    tol : float
        Relative duality gap of each problem.
    deadline : Deadline
        Leaves the choice among the items solved until then.
    callback : callable, optional
        Called as ``callback(n_solved, coef, distance)`` after each batch of problems, with the models nearest
        to the quantiles so far, shapes (d, T) and (T,); True ends the search as the deadline does.

    Returns
    -------
    choices : list of Choice, in the order of `targets`

    Notes
    -----
    Distances other than 0 are equal within `resolution`; which of several models of equal objective too
    is returned is not determined.
    """
    progress = Progress(len(targets), deadline, callback)
    found = solve_batches(problem, np.arange(problem.n), weight, targets, tol, progress)[0]
    complete = len(found.threshold_items) == problem.n
    return [found.choose(t, tol, complete, progress.history(t)) for t in range(len(targets))]


def fixed_point_search(
    problem: ThresholdSVM,
    weight: Ints | Floats,
    targets: Sequence[int],
    *,
    tol: float,
    deadline: Deadline,
    callback: Callback | None = None,
) -> list[Choice]:
    """Look for a fixed point: a threshold item that is at the quantile of its own model.

    Its distance from the quantile is 0, the best AATP's rule can ask for. The search first iterates: it
    solves for a threshold item, and the item at the quantile of that model is the next threshold item. Once
    an item comes up again, the other items are tried in batches, the most promising first, until one is a
    fixed point, all are tried, or the work is spent. Parameters and result are those of `exhaustive_search`.

    Notes
    -----
    The iteration starts from ``w = sum_i c_i y_i z_i`` over centred items, which for small C is the direction
    of every solution. The distance of the threshold item's score from the quantile is a continuous function
    of the item's features. It is extrapolated linearly from the items tried, starting from the scores of the
    best model so far; an item is promising where the extrapolated distance is small. Problems solved for one
    target are not solved again for another.

    On up to 500 items the search goes on until all are tried: if any item has distance 0, so has the result,
    though not necessarily that of the smallest objective. On larger samples the work is
    limited to what 45 problems take at 49,000 items of 44 features, and at least 16; then
    `Choice.complete` is False. Often there is no fixed point.

    Differences from the paper: the paper tries all items.
    """
    n, budget = problem.n, _budget(problem)
    size = problem.batch_size * problem.workers
    start = problem.Z @ (problem.Z.T @ (problem.sign * problem.upper))
    first = quantile_items(start, weight, targets)[:, 0]
    solved: dict[int, tuple[Candidates, Ints]] = {}
    progress = Progress(len(targets), deadline, callback)

    def solve(threshold_items: Ints) -> None:
        new = np.array([k for k in threshold_items if k not in solved], dtype=np.int64)
        if len(new):
            found, items = solve_batches(problem, new, weight, targets, tol, progress)
            for b, k in enumerate(found.threshold_items.tolist()):
                solved[k] = found.take(b), items[:, [b]]

    choices = []
    for t, k in enumerate(first.tolist()):
        tried: list[int] = []
        while k not in tried and len(tried) < min(_WALK, budget) and not (tried and progress.over()):
            solve(np.array([k]))
            tried.append(k)
            k = int(solved[k][1][t, 0])
        seen = Candidates.join([solved[k][0] for k in tried])
        while (seen.offset[t] != 0).all() and len(tried) < budget and not progress.over():
            promise = _extrapolate(problem, seen, t, weight, targets[t])
            promise[tried] = np.inf
            batch = np.argsort(promise, kind="stable")[: min(size, budget - len(tried))]
            solve(batch)
            tried += [k for k in batch.tolist() if k in solved]
            seen = Candidates.join([solved[k][0] for k in tried])
        complete = bool((seen.offset[t] == 0).any()) or len(tried) == n
        choices.append(seen.choose(t, tol, complete, progress.history(t)))
    return choices


def automatic_search(
    problem: ThresholdSVM,
    weight: Ints | Floats,
    targets: Sequence[int],
    *,
    tol: float,
    deadline: Deadline,
    callback: Callback | None = None,
) -> list[Choice]:
    """Search exhaustively where a fixed-point search might try all items too, else for a fixed point.

    Parameters and result are those of `exhaustive_search`. The size of the sample decides, not the clock:
    up to 500 items, or as many as the effort of a fixed-point search allows for.
    """
    search = exhaustive_search if _budget(problem) == problem.n else fixed_point_search
    return search(problem, weight, targets, tol=tol, deadline=deadline, callback=callback)


#: The searches, by what AATP calls them.
SEARCHES = {"auto": automatic_search, "exhaustive": exhaustive_search, "fixed-point": fixed_point_search}


def problems_at_most(problem: ThresholdSVM, search: str) -> int:
    """Return how many problems a search of that name solves at most for one target."""
    return problem.n if search == "exhaustive" else _budget(problem)


def work(problem: ThresholdSVM) -> float:
    """Return the work of one problem, in units of which about 1e8 take a second."""
    n, d = problem.Z.shape
    return float(n * (d + 30.0) ** 2)


def _budget(problem: ThresholdSVM) -> int:
    """Problems a fixed-point search may solve for one target."""
    n = problem.n
    return n if n <= _SMALL else min(n, max(16, int(_EFFORT / work(problem))))


def _extrapolate(
    problem: ThresholdSVM, seen: Candidates, t: int, weight: Ints | Floats, target: int
) -> Floats:
    """Extrapolate each item's distance from quantile t in the model whose threshold item it would be."""
    Z, best = problem.Z, np.argmin(np.abs(seen.offset[t]))
    scores = problem.scores(seen.coef[:, [best]])
    prior = scores[:, 0] - scores[quantile_items(scores, weight, [target])[0, 0], 0]
    # Add the linear function of the features that fits the distances of the items tried, by ridge regression.
    features = np.column_stack([np.ones(len(seen.threshold_items)), Z[seen.threshold_items]])
    gram = features @ features.T
    gram[np.diag_indices(len(gram))] += 1e-3 * np.trace(gram) / len(gram)
    dual = np.linalg.solve(gram, seen.offset[t] - prior[seen.threshold_items])
    correction = features.T @ dual
    return np.abs(prior + correction[0] + Z @ correction[1:])
