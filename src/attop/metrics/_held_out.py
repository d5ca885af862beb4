"""Precision at the top of held-out scores: smoothed over k, with its standard error."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attop._core.sample import (
    check_groups,
    check_labels,
    check_scores,
    lists_of,
    resolve_each,
)
from attop._core.top import Top
from attop._core.typing import Floats, Ints, TopLike
from attop.metrics._precision import CUTS
from attop.metrics._ranking import Ranking


class HeldOutPrecision(NamedTuple):
    """Precision at the top of held-out scores.

    Attributes
    ----------
    precision : float in [0, 1]
        Precision@k, the mean over groups where there are several.
    standard_error : float
        Its standard error, by the bootstrap over the items, entities or groups.
    smoothed : float in [0, 1]
        Mean of the precisions at nine cuts from k/2 to 2k: the same question with less noise, for choosing.
    """

    precision: float
    standard_error: float
    smoothed: float


def smoothed_precision(
    y: Ints, scores: Floats, k: float, weight: Floats | None = None
) -> float:
    """Mean of the precisions at nine cuts from k/2 to 2k of one list, each at least 1 and at most all items.

    Tied items count in expectation over their orders, an item of weight 2 as two. A cut between two items is
    interpolated.
    """
    deepest = max(1, math.ceil(2 * k))
    # No cut is below the item at this rank and its ties.
    if weight is None and 2 * deepest < len(y):
        above = ~(-scores > np.partition(-scores, deepest - 1)[deepest - 1])
        y = y[above]
        scores = scores[above]
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    # Of each block of ties.
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    amount = np.ones(len(y)) if weight is None else weight[order]
    size = np.cumsum(amount)[last]
    positive = np.cumsum(amount * y[order])[last]
    cuts = np.clip(k * CUTS, 1.0, size[-1])
    return float(
        np.mean(
            np.interp(cuts, np.append(0.0, size), np.append(0.0, positive)) / cuts
        )
    )


class TopPrecision:
    """Precision at the top of a sample's scores.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Binary labels.
    top : Top, int or mapping
        Resolved in each group.
    groups : array-like of shape (n,), optional
        The value is the mean over the groups with at least k items.
    entity : array-like of shape (n,), optional
        Customer or machine of each item, without groups; the bootstrap draws whole ones.

    Attributes
    ----------
    k : ndarray of shape (n_groups,)
        Items at the top of each group; 0 where the group has fewer.

    Notes
    -----
    Tied items count in expectation over their orders, in the bootstrap too. A bootstrap sample keeps the k of
    the sample it is drawn from.
    """

    def __init__(
        self,
        y_true: ArrayLike,
        top: TopLike,
        groups: ArrayLike | None = None,
        entity: ArrayLike | None = None,
    ):
        self._labels = check_labels(y_true)
        n = len(self._labels)
        self._whole = (
            np.arange(n) if entity is None else check_groups(entity, n, "entity")
        )
        self._codes = (
            np.zeros(n, np.int64) if groups is None else check_groups(groups, n)
        )
        self._n = np.bincount(self._codes)
        top = Top.of(top)
        n_pos = np.bincount(self._codes, weights=self._labels).astype(int)
        self.k = resolve_each(top, n_pos, self._n - n_pos)
        if not self.k.any():
            largest = max(zip(self._n.tolist(), n_pos.tolist(), strict=True))
            top.resolve(
                *largest,
                where="this sample" if len(self.k) == 1 else "the largest group",
            )

    def __call__(self, y_score: ArrayLike) -> float:
        """Precision@k of `y_score` of shape (n,)."""
        return float(self._per_group(y_score).mean())

    def smoothed(self, y_score: ArrayLike) -> float:
        """Mean of the precisions at nine cuts from k/2 to 2k, see `smoothed_precision`."""
        return float(self._smoothed_per_group(y_score).mean())

    def assess(
        self, y_score: ArrayLike, *, seed: int, n_samples: int = 100
    ) -> HeldOutPrecision:
        """Precision@k of `y_score`, its standard error, and the smoothed precision."""
        standard_error = float(
            self.resampled(y_score, seed=seed, n_samples=n_samples).std(ddof=1)
        )
        return HeldOutPrecision(
            self(y_score), standard_error, self.smoothed(y_score)
        )

    def resampled(
        self,
        y_score: ArrayLike,
        *,
        seed: int,
        n_samples: int,
        smoothed: bool = False,
    ) -> Floats:
        """Precision@k, or smoothed precision, in bootstrap samples of the items, entities or several groups.

        The samples, of shape (n_samples,), depend on `seed` alone: those of two models are paired.
        """
        rng = np.random.default_rng(seed)
        if len(self._n) > 1:
            values = (
                self._smoothed_per_group(y_score)
                if smoothed
                else self._per_group(y_score)
            )
            return values[
                rng.integers(len(values), size=(n_samples, len(values)))
            ].mean(axis=1)
        n = len(self._labels)
        values = check_scores(y_score, n)
        order = np.argsort(-values, kind="stable")
        last = np.flatnonzero(np.diff(-values[order], append=np.inf))
        n_whole = int(self._whole.max()) + 1
        k = np.clip(self.k * (CUTS if smoothed else np.ones(1)), 1, n)
        if n_whole == n:
            # Of items drawn alone, k are never below so many but by a chance of e^-83.
            last = last[: np.searchsorted(last, 2 * k.max() + 100) + 1]
            order = order[: last[-1] + 1]
        labels = self._labels[order]
        whole = self._whole[order]
        precision = np.empty(n_samples)
        for b in range(n_samples):
            drawn = np.bincount(
                rng.integers(n_whole, size=n_whole), minlength=n_whole
            )[whole]
            # At the end of each block of ties; within a block positives come evenly, in expectation.
            size = np.cumsum(drawn)[last]
            positive = np.cumsum(drawn * labels)[last]
            precision[b] = np.mean(
                np.interp(k, np.r_[0, size], np.r_[0, positive]) / k
            )
        return precision

    def expected(self, probabilities: ArrayLike) -> float:
        """Precision@k of the ranking by `probabilities` of shape (n,), on average, if they are true."""
        p = check_scores(probabilities, len(self._labels))
        return float(self._precisions(Ranking.of(p, p, self._codes)).mean())  # type: ignore[arg-type]

    def _per_group(self, y_score: ArrayLike) -> Floats:
        scores = check_scores(y_score, len(self._labels))
        return self._precisions(Ranking.of(self._labels, scores, self._codes))

    def _precisions(self, ranking: Ranking) -> Floats:
        has_top = self.k > 0
        return ranking.positives_in_top(self.k)[has_top] / self.k[has_top]

    def _smoothed_per_group(self, y_score: ArrayLike) -> Floats:
        y = self._labels
        scores = check_scores(y_score, len(self._labels))
        lists = zip(lists_of(self._codes), self.k.tolist(), strict=True)
        return np.array(
            [smoothed_precision(y[at], scores[at], k) for at, k in lists if k]
        )
