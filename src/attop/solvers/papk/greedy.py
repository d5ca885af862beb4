"""Greedy-pAp@k: classifiers combined two by two for pAp@k."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from attop.core.sample import RankingSample
from attop.core.top import Top
from attop.core.typing import Features, Floats, Ints
from attop.metrics.pap import MICRO_PAP
from attop.solvers.base import Deadline, History, Solution
from attop.solvers.descent.lbfgs import minimise_cross_entropy
from attop.solvers.parameters import check_numbers
from attop.surrogates.base import eligible
from attop.surrogates.grouped import against_negatives

__all__ = ["GreedySolution", "combine", "greedy_papk", "hold_out", "shards"]

#: Share of the users, or of the items of a single list, that the combination is chosen on.
_HELD_OUT = 0.2


@dataclass
class GreedySolution(Solution):
    """A `Solution` whose objective is the held-out risk, 1 - micro-pAp@k.

    Attributes
    ----------
    weights : ndarray of shape (K,)
        Of the classifiers in the combination, in the order they entered.
    gains : ndarray of shape (K,)
        Held-out micro-pAp@k after each entered.
    minimised : list of bool, length K
        Whether the cross entropy of each classifier was minimised.
    """

    weights: Floats = field(default_factory=lambda: np.zeros(0))
    gains: Floats = field(default_factory=lambda: np.zeros(0))
    minimised: list[bool] = field(default_factory=list)


def greedy_papk(
    X: Features,
    y: Ints,
    top: Top,
    *,
    groups: Ints | None = None,
    lam: float,
    n_classifiers: int,
    n_alphas: int,
    rng: np.random.RandomState,
) -> GreedySolution:
    """Train logistic regressions on folds, and combine them greedily on held-out users.

    Special-purpose: it minimises no surrogate, but chooses by the metric itself. Procedure and parameters are
    those of `attop.GreedyPApK`.
    `rng` draws the held-out users, then the folds.
    """
    check_numbers(n_classifiers=n_classifiers, n_alphas=n_alphas)
    deadline, history = Deadline(), History()
    held, held_groups, top = hold_out(y, groups, top, rng)
    train = np.setdiff1d(np.arange(len(y)), held)
    folds = shards(train, y, n_classifiers, rng)
    trained = [minimise_cross_entropy(X[rows], y[rows], lam) for rows in folds]
    W = np.column_stack([coef for coef, _ in trained])
    order, weights, gains = combine(X[held] @ W, y[held], held_groups, top, np.linspace(0, 1, n_alphas))
    coef = W[:, order] @ weights
    for i, gain in enumerate(gains):
        history.record(i + 1, deadline.elapsed, np.array([1.0 - gain]))
    return GreedySolution(
        coef[:, np.newaxis],
        history.objective[-1],
        len(order),
        "converged",
        history,
        weights=weights,
        gains=gains,
        minimised=[converged for _, converged in trained],
    )


def hold_out(
    y: Ints, groups: Ints | None, top: Top, rng: np.random.RandomState
) -> tuple[Ints, Ints | None, Top]:
    """Draw the rows the combination is judged on.

    Returns
    -------
    rows : ndarray
        In increasing order.
    groups : ndarray or None
        Of the rows; None if they are one list.
    top : Top
        For the rows.
    """
    sample = RankingSample.from_labels(y, groups)
    k, defined, need = against_negatives(top, sample.n_pos, sample.n_neg)
    kept = eligible(sample, defined, need)
    if kept.n_groups > 1 and groups is not None:
        chosen = rng.permutation(np.flatnonzero(defined))[: max(1, round(_HELD_OUT * kept.n_groups))]
        rows = np.flatnonzero(np.isin(groups, chosen))
        return rows, groups[rows], top
    n_pos, n_neg = int(kept.n_pos[0]), int(kept.n_neg[0])
    if min(n_pos, n_neg) < 2:
        raise ValueError(
            f"y holds {n_pos} positives and {n_neg} negatives, but two of each are needed: one to train the "
            "classifiers, one to choose their combination"
        )
    parts = np.split(kept.order, [n_pos])
    rows = np.concatenate([rng.permutation(part)[: max(1, round(_HELD_OUT * len(part)))] for part in parts])
    held_neg = int(np.sum(y[rows] == 0))
    return np.sort(rows), None, Top(k=min(max(1, round(_HELD_OUT * k[defined][0])), held_neg))


def shards(rows: Ints, y: Ints, n_folds: int, rng: np.random.RandomState) -> list[Ints]:
    """Divide `rows` into at most `n_folds` training sets, alike in either class to one item, none without."""
    classes = [rng.permutation(rows[y[rows] == label]) for label in (0, 1)]
    n_folds = min(n_folds, *map(len, classes))
    return [np.concatenate([members[i::n_folds] for members in classes]) for i in range(n_folds)]


def combine(
    scores: Floats, y: Ints, groups: Ints | None, top: Top, alphas: Floats
) -> tuple[Ints, Floats, Floats]:
    """Fold the columns of `scores` one after the other into a combination of high micro-pAp@k.

    Returns
    -------
    order : ndarray of shape (K,)
        Columns, the best first.
    weights : ndarray of shape (K,)
        ``scores[:, order] @ weights`` is the combination.
    gains : ndarray of shape (K,)
        Micro-pAp@k after each column.
    """

    def gain(s: Floats) -> float:
        return MICRO_PAP.group_mean(y, s, top, groups).value

    alone = np.array([gain(s) for s in scores.T])
    order = np.argsort(-alone, kind="stable")
    weights = np.zeros(len(order))
    weights[0] = 1.0
    gains = alone[order]
    total = scores[:, order[0]]
    for i in range(1, len(order)):
        added = scores[:, order[i]]
        pairs = [(1.0, a) for a in alphas] + [(a, 1.0) for a in alphas]
        values = [gain(old * total + new * added) for old, new in pairs]
        old, new = pairs[int(np.argmax(values))]
        total = old * total + new * added
        weights[:i] *= old
        weights[i] = new
        gains[i] = max(values)
    return order, weights, gains
