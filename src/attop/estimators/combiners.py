"""Combining the scores of several models: by their mean, or by a logistic regression of all or of the top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from sklearn.linear_model import LogisticRegression

from attop.typing import Floats, Ints

__all__ = ["KINDS", "Combiner", "Kind", "fit_combiner"]


Kind = Literal["mean", "logistic", "top-logistic"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Combiner:
    """A linear function of the members' scores; below a cut of their mean, the mean itself.

    Attributes
    ----------
    weights : ndarray of shape (m,)
    intercept : float
    cut : float
        Rows whose mean is at least this are candidates. They come before all others, which keep the order of
        the mean; minus infinity for all rows.
    """

    weights: Floats
    intercept: float = 0.0
    cut: float = -np.inf

    def __call__(self, members: Floats) -> Floats:
        """Return the combined scores, shape (n,), of members' scores of shape (n, m), row by row."""
        # Not a product of matrices, which may sum equal rows in different orders.
        scores = (members * self.weights).sum(axis=1) + self.intercept
        if self.cut == -np.inf:
            return scores
        mean = members.mean(axis=1)
        return np.where(mean >= self.cut, _positive(scores), mean - self.cut)


def _positive(scores: Floats) -> Floats:
    """Map to positive numbers, keeping the order, and without the underflow of an exponential."""
    return np.where(scores >= 0, 1 + scores, 1 / (1 - np.minimum(scores, 0)))


def fit_combiner(
    kind: Kind, members: Floats, y: Ints, *, share: float, weights: Floats | None = None
) -> Combiner:
    """Learn to combine.

    Parameters
    ----------
    kind : {"mean", "logistic", "top-logistic"}
        The mean; logistic regression (C = 1) on all rows; or on the candidates alone.
    members : ndarray of shape (n, m)
        Held-out scores, standardised.
    y : ndarray of shape (n,)
        0 and 1.
    share : float
        Candidates are this share of the rows, those of the highest mean, and whatever is tied with the last;
        all rows for 1 and more.
    weights : ndarray of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    Combiner
        The mean where the candidates are all positive or all negative: there is nothing to learn.
    """
    mean = Combiner(np.full(members.shape[1], 1 / members.shape[1]))
    if kind == "mean":
        return mean
    cut, rows = -np.inf, np.ones(len(y), bool)
    if kind == "top-logistic" and share < 1:
        average = members.mean(axis=1)
        last = len(y) - max(1, round(share * len(y)))
        cut = float(np.partition(average, last)[last])
        rows = average >= cut
    if np.ptp(y[rows]) == 0:
        return mean
    model = LogisticRegression(max_iter=1000)
    model.fit(members[rows], y[rows], sample_weight=None if weights is None else weights[rows])
    return Combiner(model.coef_[0], float(model.intercept_[0]), cut)
