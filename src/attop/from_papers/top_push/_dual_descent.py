"""TopPush's own algorithm: projected gradient on the dual, to a certified gap or its authors' stop."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from attop._core._sklearn import safe_indexing
from attop._core.parameters import check_numbers
from attop._core.sample import RankingSample
from attop._core.typing import Bools, Features, Floats, Ints
from attop.solvers._base import Deadline, History, Solution, Status, relative_gap
from attop.surrogates._base import of_both_classes

#: Of the authors' code: iterations before its stop is tried, and a step too short to go on after.
_FIRST, _SHORT = 10, 1e-6
#: On the way to a gap steps may become longer again, by this share an iteration.
_RELAXED = 0.97


def dual_descent(
    X: Features,
    y: Ints,
    *,
    lam: float,
    tol: float = 1e-4,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    certified: bool = False,
    weight: Floats | None = None,
    groups: Ints | None = None,
) -> Solution:
    r"""Maximise TopPush's dual until it hardly changes, or to a certified gap.

    With signs :math:`z_i = \pm 1` of the classes, positives of weights c that sum to m, and :math:`w =
    \frac1{\lambda m} X^T (z u)`, it minimises :math:`\frac{\lambda m}2 \|w\|^2 + \sum_{i: y_i = 1} (u_i^2 /
    (4 c_i) - u_i)` over :math:`u \geq 0` of which positives and negatives have equal sums, in each group.

    Parameters
    ----------
    X, max_iter, time_limit
        See `attop.solvers`.
    y : ndarray of shape (n,)
        Labels 0 and 1, of both classes.
    lam : float, positive
    tol : float, at least 0
        The share by which the dual changes in the last iteration; if `certified`, the relative gap to reach.
    certified : bool
        False: the paper's stop and the last iterate. True: the best iterate; the momentum is given up
        whenever it leads uphill (O'Donoghue and Candes 2015).
    weight : ndarray of shape (n,), positive, optional
        Weights of the rows, by default 1; those of negatives have no effect.
    groups : ndarray of shape (n,), optional
        Codes of the groups, by default one. The loss is the mean over groups of both classes, one at least.

    Returns
    -------
    solution : Solution
        Unless `certified`, ``"converged"`` says that the dual hardly changed, not that the optimum is near:
        `relative_gap` says how near, and is 1 where the objective is not below that of ``w = 0``.

    Notes
    -----
    The first iterate points from the mean of the negatives to the mean of the positives, whatever `lam`.

    Differences from the paper: it stops at a change below `tol`, its authors' code, as here, at one below
    `tol` times the value, after ten iterations; the projection sorts.
    """
    check_numbers(tol=tol, max_iter=max_iter)
    deadline = Deadline(time_limit)
    history = History()
    lists = of_both_classes(y, groups)[1]
    if groups is not None:
        X, y, weight = _in_order(lists, X, y, weight)
    positive = y == 1
    sign = np.where(positive, 1.0, -1.0)
    # Their unit has no effect.
    c = np.ones(len(y)) if weight is None else weight / weight[positive].mean()
    root = np.sqrt(c[positive])
    m = float(c[positive].sum())
    scale = 1 / (lam * m)
    # u, w, scores.
    last = before = (np.zeros(len(y)), np.zeros(X.shape[1]), np.zeros(len(y)))
    best, coef, lower = 1.0, last[1], -np.inf  # J(0) = 1
    short = 0.0 if certified else _SHORT**2
    dual = 0.0
    curvature = 1 / len(y)
    t = 1.0
    ahead = 0.0
    status: Status = "max_iter"
    for iteration in range(1, int(max_iter) + 1):
        # All three are linear in u: the point searched from needs no product with X.
        u, w_ahead, scores = (
            (1 + ahead) * now - ahead * then
            for now, then in zip(last, before, strict=True)
        )
        slope = sign * scores + positive * (u / (2 * c) - 1)
        while True:
            new = _project_each(u - slope / curvature, positive, lists.start)
            step = new - u
            w = scale * np.asarray(X.T @ (sign * new))
            length = _square(step)
            # The dual is quadratic: this is what it lies above its tangent.
            bend = _square(w - w_ahead) / scale + _square(step[positive] / root) / 2
            if not bend > curvature * length or length <= short:
                break
            curvature *= 2
        before = last
        last = (new, w, np.asarray(X @ w))
        momentum = t - 1
        t = (1 + np.sqrt(1 + 4 * t * t)) / 2
        ahead = momentum / t
        reached = _square(w) / (2 * scale)
        reached += ((new[positive] / root) ** 2 / 4 - new[positive]).sum()
        tops = np.maximum.reduceat(
            np.where(positive, -np.inf, last[2]), lists.start[:-1]
        )
        lost = np.maximum(1 + np.repeat(tops, lists.n_pos) - last[2][positive], 0.0)
        objective = lam / 2 * _square(w) + (c[positive] * lost**2).sum() / m
        if not np.isfinite(objective):
            status = "diverged"
            break
        history.record(
            iteration, deadline.elapsed, [objective], [objective + reached / m]
        )
        if certified:
            curvature *= _RELAXED
            if (u - new) @ (new - before[0]) > 0:
                t, ahead = 1.0, 0.0
            lower = max(lower, -reached / m)
            ends = relative_gap(1.0, min(best, objective), lower) <= tol
        else:
            lower = -reached / m
            ends = length <= short or (
                iteration >= _FIRST and abs(reached - dual) <= tol * abs(dual)
            )
        if objective < best or not certified:
            best, coef = objective, w
        dual = reached
        if ends:
            status = "converged"
            break
        if deadline.expired:
            status = "deadline"
            break
    return Solution(
        coef=coef[:, np.newaxis],
        objective=np.array([best]),
        n_iter=iteration,
        status=status,
        history=history,
        gap=np.array([best - lower]),
        relative_gap=np.array(
            [relative_gap(1.0, best, lower) if best <= 1 else 1.0]
        ),
    )


def _in_order(
    lists: RankingSample, X: Features, y: Ints, weight: Floats | None
) -> tuple[Features, Ints, Floats]:
    """Lay the rows out group by group, with weights by which each group counts the same."""
    rows = lists.order
    c = np.ones(len(y)) if weight is None else weight
    of_groups = lists.amounts(c)[0]
    sizes = np.diff(lists.start)
    return safe_indexing(X, rows), y[rows], c[rows] / np.repeat(of_groups, sizes)


def _square(vector: Floats) -> float:
    return float(vector @ vector)


def _project_each(u: Floats, positive: Bools, start: Ints) -> Floats:
    """Project the part of each group; see `project`."""
    parts = [slice(*ends) for ends in pairwise(start)]
    return np.concatenate([project(u[part], positive[part]) for part in parts])


def project(u: Floats, positive: Bools) -> Floats:
    """Find the nearest point to `u` that is nowhere negative, with equal sums of both classes.

    It is ``u - r`` at positives and ``u + r`` at negatives, cut at 0, with r where the sums are equal.
    """
    # Between neighbours among these the difference of the sums is linear in r, and it falls.
    at = np.where(positive, u, -u)
    order = np.argsort(at)
    at = at[order]
    above = positive[order]
    n_above = above.sum() - np.cumsum(above)
    n_below = np.cumsum(~above)
    rest = at[above].sum() - np.cumsum(at * above) + np.cumsum(at * ~above)
    r = np.interp(0.0, (n_above + n_below) * at - rest, at)
    return np.maximum(u - np.where(positive, r, -r), 0.0)
