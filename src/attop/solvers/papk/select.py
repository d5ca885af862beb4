"""Select-pAp@k: a classifier of the items that currently make up pAp@k, again and again."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from attop.core.sample import RankingSample
from attop.core.top import Top
from attop.core.typing import Features, Floats, Ints
from attop.metrics.pap import MICRO_PAP
from attop.solvers.base import Monitor, Solution, Status
from attop.solvers.descent.lbfgs import minimise_cross_entropy
from attop.solvers.parameters import check_numbers
from attop.surrogates.base import eligible
from attop.surrogates.grouped import against_negatives

__all__ = ["SelectSolution", "Selection", "select_papk"]


@dataclass
class SelectSolution(Solution):
    """A `Solution` whose objective is the training risk, 1 - micro-pAp@k.

    Attributes
    ----------
    minimised : list of bool
        Whether each cross entropy on the way was minimised.
    """

    minimised: list[bool] = field(default_factory=list)


def select_papk(
    X: Features,
    y: Ints,
    top: Top,
    *,
    groups: Ints | None = None,
    lam: float,
    max_iter: int = 30,
    tol: float = 1e-4,
    time_limit: float | None = None,
) -> SelectSolution:
    """Alternate between selecting the items at the top of each class and classifying them.

    Special-purpose: it minimises no surrogate. Iteration and parameters are those of `attop.SelectPApK`.
    """
    check_numbers(max_iter=max_iter, tol=tol)
    monitor = Monitor(time_limit)
    select = Selection(y, groups, top)

    def risk(scores: Floats) -> float:
        return 1.0 - MICRO_PAP.group_mean(y, scores, top, groups).value

    coef, converged = minimise_cross_entropy(X, y, lam)
    minimised = [converged]
    scores = safe_sparse_dot(X, coef)
    last = risk(scores)
    status: Status = "max_iter"
    best, lowest, n_iter = coef, np.inf, 0
    seen: set[bytes] = set()
    for t in range(1, max_iter + 1):
        rows = select(scores)
        if rows.tobytes() in seen:
            status = "converged"
            break
        seen.add(rows.tobytes())
        coef, converged = minimise_cross_entropy(X[rows], y[rows], lam)
        minimised.append(converged)
        scores = safe_sparse_dot(X, coef)
        now = risk(scores)
        n_iter = t
        if now < lowest:
            best, lowest = coef, now
        monitor.record(t, best[:, np.newaxis], np.array([lowest]), current=np.array([now]))
        if abs(now - last) <= tol:
            status = "converged"
            break
        if monitor.over():
            break
        last = now
    return SelectSolution(
        best[:, np.newaxis],
        np.array([lowest]),
        n_iter,
        monitor.ended or status,
        monitor.history,
        minimised=minimised,
    )


class Selection:
    """The min(n+, k) highest positives and the k highest negatives of each group that has them."""

    def __init__(self, y: Ints, groups: Ints | None, top: Top):
        sample = RankingSample.from_labels(y, groups)
        k, defined, need = against_negatives(top, sample.n_pos, sample.n_neg)
        kept = eligible(sample, defined, need)
        k = k[defined]
        # Each group is two blocks, its positives and its negatives.
        size = np.column_stack([kept.n_pos, kept.n_neg]).ravel()
        quota = np.column_stack([np.minimum(kept.n_pos, k), k]).ravel()
        start = np.cumsum(size) - size
        self._items = kept.order
        self._block = np.repeat(np.arange(len(size)), size)
        self._chosen = np.arange(len(kept.order)) - np.repeat(start, size) < np.repeat(quota, size)

    def __call__(self, scores: Floats) -> Ints:
        """Return the rows selected at `scores` of shape (n,), in increasing order."""
        order = np.lexsort((-scores[self._items], self._block))
        return np.sort(self._items[order[self._chosen]])
