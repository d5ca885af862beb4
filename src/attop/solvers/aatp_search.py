"""AATP's choice of the anchor item: every item, or a fixed point."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from attop.solvers.anchored_svm import AnchoredSVM
from attop.solvers.base import Deadline

__all__ = ["Candidates", "Choice", "exhaustive_search", "fixed_point_search", "quantile_items"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Problems in a row a fixed-point search solves in vain before it gives up.
_PATIENCE = 10


def quantile_items(scores: Floats, weight: Ints, targets: Sequence[int]) -> Ints:
    """Item at the quantile of each model's scores.

    Parameters
    ----------
    scores : ndarray of shape (n, m)
    weight : ndarray of shape (n,), dtype int64
        Times each item is in the sample.
    targets : sequence of int
        Ranks, from 1 to the sum of `weight`: the quantile is the target-th largest score of the sample.

    Returns
    -------
    items : ndarray of shape (len(targets), m)
        Among items of equal score, one of them.
    """
    order = np.argsort(-scores, axis=0, kind="stable")
    if (weight == 1).all():
        position = np.repeat(np.asarray(targets)[:, None] - 1, scores.shape[1], axis=1)
    else:
        reached = np.cumsum(weight[order], axis=0)
        position = np.stack([(reached < target).sum(axis=0) for target in targets])
    return np.take_along_axis(order, position, axis=0)


def resolution(gap: float, spread: float) -> float:
    """Difference between distances from a quantile that the solver's accuracy cannot tell from none.

    The objective is strongly convex, so that a relative gap leaves an error of order ``sqrt(gap)`` in
    scores, whose unit is the hinge's margin of 1; weak models, whose scores spread over less, are more
    exact in proportion. It matters: support vectors share their scores (the anchor's plus or minus 1), so
    that equal distances are common.
    """
    return float(np.sqrt(gap) * min(1.0, spread))


@dataclass
class Choice:
    """The model AATP returns for one quantile.

    Attributes
    ----------
    anchor : int
        Item k, whose problem the model solves.
    coef : ndarray of shape (d,)
    quantile_gap : float
        Distance of the anchor's score from the quantile of the model's scores.
    objective, gap : float
        Of the anchor's problem; see `AnchoredSolution`.
    n_solved, n_missed : int
        Problems solved to find it, and those of them that missed the tolerance.
    worst_gap : float
        Largest gap among those solved.
    complete : bool
        False if a deadline ended the search.
    """

    anchor: int
    coef: Floats
    quantile_gap: float
    objective: float
    gap: float
    n_solved: int
    n_missed: int
    worst_gap: float
    complete: bool


@dataclass
class Candidates:
    """What is kept of m solved problems, for T quantiles.

    Attributes
    ----------
    anchors, objective, gap : ndarray of shape (m,)
    coef : ndarray of shape (d, m)
    spread : ndarray of shape (m,)
        Highest minus lowest score of each model.
    quantile_gap : ndarray of shape (T, m)
        Distance of the anchor's score from each quantile.
    """

    anchors: Ints
    coef: Floats
    objective: Floats
    gap: Floats
    spread: Floats
    quantile_gap: Floats

    @classmethod
    def join(cls, parts: Sequence[Candidates]) -> Candidates:
        """All candidates of `parts`."""
        return cls(*(np.concatenate([getattr(p, name) for p in parts], axis=-1) for name in vars(parts[0])))

    def choose(self, target: int, tol: float, complete: bool) -> Choice:
        """Smallest distance from the quantile; among equals the smallest objective.

        Only problems solved to `tol` stand for election, if there are any.
        """
        certified = np.flatnonzero(self.gap <= tol)
        pool = certified if len(certified) else np.arange(len(self.gap))
        distance = self.quantile_gap[target, pool]
        nearest = np.argmin(distance)
        error = resolution(float(self.gap[pool].max()), float(self.spread[pool[nearest]]))
        equal = pool[distance <= distance[nearest] + error]
        best = equal[np.argmin(self.objective[equal])]
        return Choice(
            int(self.anchors[best]),
            self.coef[:, best],
            float(self.quantile_gap[target, best]),
            float(self.objective[best]),
            float(self.gap[best]),
            len(self.anchors),
            len(self.gap) - len(certified),
            float(self.gap.max()),
            complete,
        )


def exhaustive_search(
    problem: AnchoredSVM, weight: Ints, targets: Sequence[int], *, tol: float, deadline: Deadline
) -> list[Choice]:
    """Solve for every item and choose for each of `targets` (see `quantile_items`).

    The paper's algorithm (section 3.2): the model whose anchor's score is closest to the quantile of its
    own scores, among equals the one of smallest objective. One sweep serves all targets.

    Parameters
    ----------
    problem : AnchoredSVM
    weight : ndarray of shape (n,), dtype int64
        Times each item is in the sample of which the quantile is taken.
    targets : sequence of int
    tol : float
        Relative duality gap of each problem.
    deadline : Deadline
        Leaves the choice among the items solved until then.

    Returns
    -------
    choices : list of Choice, in the order of `targets`

    Notes
    -----
    Distances are equal within `resolution`; which of several models of equal objective too is returned
    is not determined.
    """
    workers = problem.workers
    size = min(problem.batch_size, -(-problem.n // workers))

    def solve(start: int) -> Candidates | None:
        if start and deadline.expired:
            return None
        anchors = np.arange(start, min(start + size, problem.n))
        return _solve(problem, anchors, weight, targets, tol, deadline)[0]

    # Compiled code does the work outside the interpreter's lock, so threads share it; each batch then
    # keeps to one thread of the BLAS.
    with threadpool_limits(1 if workers > 1 else None, "blas"), ThreadPoolExecutor(workers) as threads:
        parts = [part for part in threads.map(solve, range(0, problem.n, size)) if part is not None]
    found = Candidates.join(parts)
    complete = len(found.anchors) == problem.n
    return [found.choose(t, tol, complete) for t in range(len(targets))]


def fixed_point_search(
    problem: AnchoredSVM, weight: Ints, targets: Sequence[int], *, tol: float, deadline: Deadline
) -> list[Choice]:
    """Follow anchor, model, quantile item, next anchor, until an anchor reproduces itself.

    Such an anchor has distance 0 from the quantile, the best AATP's rule can ask for, at the cost of a
    few problems instead of n. Where the walk closes a circle instead, it goes on from the best model so
    far to the item, not yet tried, nearest its quantile. After ten problems without progress the choice
    is made among those solved, by the same rule as in `exhaustive_search`. Parameters and result are
    those of `exhaustive_search`.

    Notes
    -----
    The walk starts from ``w = sum_i c_i y_i z_i`` over centred items, which for small C is the direction
    of every solution. Problems solved for one target are not solved again for another.

    Often no item reproduces itself (the loss draws the anchor to where the classes meet, which need not
    be near the quantile), and where one does the walk can miss it: `Choice.quantile_gap` tells.

    Differences from the paper: the paper tries all items.
    """
    start = problem.Z @ (problem.Z.T @ (problem.sign * problem.upper))
    first = quantile_items(start, weight, targets)[:, 0]
    solved: dict[int, tuple[Candidates, Ints]] = {}
    choices = []
    for t, k in enumerate(first):
        visited: list[int] = []
        best, best_distance, vain, complete = -1, np.inf, 0, False
        while not complete and not (visited and deadline.expired):
            k = int(k)
            if k not in solved:
                solved[k] = _solve(problem, np.array([k]), weight, targets, tol, deadline)
            visited.append(k)
            candidate, items = solved[k]
            distance = candidate.quantile_gap[t, 0]
            error = resolution(candidate.gap[0], candidate.spread[0])
            vain += 1
            if distance < best_distance - error:
                best, best_distance, vain = k, distance, 0
            following = items[t, 0]
            complete = distance <= error or len(visited) == problem.n or vain >= _PATIENCE
            if following in visited and not complete:
                scores = problem.Z @ solved[best][0].coef[:, 0]
                away = np.abs(scores - scores[solved[best][1][t, 0]])
                away[visited] = np.inf
                following = np.argmin(away)
            k = following
        choices.append(Candidates.join([solved[k][0] for k in visited]).choose(t, tol, complete))
    return choices


def _solve(
    problem: AnchoredSVM,
    anchors: Ints,
    weight: Ints,
    targets: Sequence[int],
    tol: float,
    deadline: Deadline,
) -> tuple[Candidates, Ints]:
    """Solve for `anchors`; return the candidates and their quantile items, shape (len(targets), m)."""
    solution = problem.solve(anchors, tol=tol, expired=lambda: deadline.expired)
    items = quantile_items(solution.scores, weight, targets)
    own = solution.scores[anchors, np.arange(len(anchors))]
    return (
        Candidates(
            anchors,
            solution.coef,
            solution.objective,
            solution.gap,
            np.ptp(solution.scores, axis=0),
            np.abs(np.take_along_axis(solution.scores, items, axis=0) - own),
        ),
        items,
    )
