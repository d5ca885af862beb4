"""A linear model refined for the top: the smoothed precision@k ascended from a pointwise model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attop._core.sample import lists_of, resolve_each
from attop._core.top import Top
from attop._core.typing import Features, Floats, Ints
from attop.learners.soft_top._lbfgs_many import lbfgs_many
from attop.metrics._held_out import smoothed_precision
from attop.surrogates._prec_at_k import SoftPrecAtK

#: The unit of the scores is the standard deviation of this many times k of the highest.
_UNIT_OF = 4


@dataclass(frozen=True)
class RefinedRows:
    """Rows of X that a refinement learns from: labels, groups (or None) and weights (None if all are 1)."""

    rows: Ints
    y: Ints
    groups: Ints | None
    weight: Floats | None

    def take(self, rows: Ints) -> RefinedRows:
        """Take the rows at positions `rows`."""
        groups = None if self.groups is None else self.groups[rows]
        weight = None if self.weight is None else self.weight[rows]
        return RefinedRows(self.rows[rows], self.y[rows], groups, weight)

    def lists(self, top: Top) -> list[tuple[Ints, int]]:
        """Find the positions of each group's rows (of all without groups), and its k by weight.

        Those on which precision@k is undefined are left out.
        """
        rows_and_k = []
        for at in (
            [np.arange(len(self.y))]
            if self.groups is None
            else lists_of(self.groups)
        ):
            weight = np.ones(len(at)) if self.weight is None else self.weight[at]
            n_pos = weight @ self.y[at]
            amounts = np.array([n_pos]), np.array([weight.sum() - n_pos])
            k = int(resolve_each(top, *amounts)[0]) if n_pos > 0 else 0
            if k > 0:
                rows_and_k.append((at, k))
        return rows_and_k

    def as_share(self, top: Top) -> Top:
        """Make k of a single list a share of it, so that folds are cut at the same share."""
        length = (
            len(self.y) if self.weight is None else round(float(self.weight.sum()))
        )
        return top.as_share(length) if self.groups is None else top


def refine(
    X: Features,
    part: RefinedRows,
    top: Top,
    start: Floats,
    bandwidth: Floats,
    l2_to_base: Floats,
    max_iter: int = 60,
) -> Floats:
    r"""Refine a linear model for the top of the list, for m settings at once.

    Minimises over w, from :math:`w_0/u` on and with `max_iter` evaluations,

    .. math:: L_h(X w) + \tfrac\lambda2 \|w - w_0/u\|^2,

    with L the loss of `SoftPrecAtK` on the rows `part` of the standardised X, h the `bandwidth`,
    :math:`\lambda` `l2_to_base`, and u the standard deviation of the 4k highest scores of the `start`
    :math:`w_0`, so that both mean the same whatever its scale. Returns w of shape (d, m).
    """
    loss = SoftPrecAtK(top).bind(part.y, part.groups, part.weight)
    every = len(part.rows) == X.shape[0]
    scores = X @ start
    start = (start / unit(scores if every else scores[part.rows], part, top))[
        :, None
    ]

    def objective(W: Floats, models: Ints) -> tuple[Floats, Floats]:
        h = bandwidth[models]
        l2 = l2_to_base[models]
        # Scores divided by h need a bandwidth of 1: one loss serves all.
        scores = X @ (W / h)
        value, coef = loss(scores if every else scores[part.rows])
        if not every:
            scores[:] = 0.0
            scores[part.rows] = coef
            coef = scores
        moved = W - start
        return value + 0.5 * l2 * np.einsum("dm,dm->m", moved, moved), (
            X.T @ coef
        ) / h + l2 * moved

    return lbfgs_many(
        objective, np.repeat(start, len(l2_to_base), axis=1), max_iter=max_iter
    )[0]


def unit(scores: Floats, part: RefinedRows, top: Top) -> float:
    """Compute the weighted standard deviation of the 4k highest scores; over lists, the root mean square."""
    variances = []
    for at, k in part.lists(top):
        order = at[np.argsort(-scores[at], kind="stable")]
        weight = np.ones(len(at)) if part.weight is None else part.weight[order]
        before = np.cumsum(weight) - weight
        weight = np.minimum(weight, np.maximum(_UNIT_OF * k - before, 0.0))
        mean = np.average(scores[order], weights=weight)
        variances.append(np.average((scores[order] - mean) ** 2, weights=weight))
    std = float(np.sqrt(np.mean(variances)))
    return std if np.isfinite(std) and std > 0 else 1.0


def precision_about(scores: Floats, part: RefinedRows, top: Top) -> Floats:
    """Compute the smoothed precision of the models whose scores of `part` are in the columns of `scores`.

    The mean over the groups with a positive and k items, NaN where there is none.
    """
    lists = part.lists(top)
    if not lists:
        return np.full(scores.shape[1], np.nan)
    values = np.empty((len(lists), scores.shape[1]))
    for i, (at, k) in enumerate(lists):
        weight = None if part.weight is None else part.weight[at]
        for j in range(scores.shape[1]):
            values[i, j] = smoothed_precision(part.y[at], scores[at, j], k, weight)
    return values.mean(axis=0)
