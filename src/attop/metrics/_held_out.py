"""Precision at the top of held-out scores: smoothed over k, with its standard error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
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

#: Bootstrap samples behind a standard error.
_SAMPLES = 100


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
    least = 1.0 if weight is None else max(float(weight.min()), 1e-9)
    deepest = math.ceil(max(2 * k, 1.0) / least)
    # No cut is below the item at that rank, and its ties.
    if 2 * deepest < len(y):
        above = ~(-scores > np.partition(-scores, deepest - 1)[deepest - 1])
        y = y[above]
        scores = scores[above]
        weight = None if weight is None else weight[above]
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


@dataclass(frozen=True)
class _TiedList:
    """A list from the top: labels and entities (or items) of its rows, last rows of the blocks of ties."""

    labels: Ints
    whole: Ints
    last: Ints

    @classmethod
    def of(cls, labels: Ints, scores: Floats, whole: Ints) -> _TiedList:
        """Order the rows by their scores."""
        order = np.argsort(-scores, kind="stable")
        last = np.flatnonzero(np.diff(-scores[order], append=np.inf))
        return cls(labels[order], whole[order], last)

    def precision(self, drawn: Ints, k: Floats) -> float:
        """Return the mean precision at the cuts `k`, where entity e is there `drawn[e]` times.

        Rows are read from the top until there are k, as the others change nothing.
        """
        deepest = k.max()
        rows = 2 * math.ceil(deepest)
        while True:
            last = self.last[: np.searchsorted(self.last, rows - 1) + 1]
            rows = last[-1] + 1
            copies = drawn[self.whole[:rows]]
            # At the end of each block of ties; within a block positives come evenly, in expectation.
            size = np.cumsum(copies)[last]
            if size[-1] >= deepest or rows == len(self.labels):
                break
            rows *= 2
        positive = np.cumsum(copies * self.labels[:rows])[last]
        return float(np.mean(np.interp(k, np.r_[0, size], np.r_[0, positive]) / k))


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

    def assess(self, y_score: ArrayLike, *, seed: int) -> HeldOutPrecision:
        """Precision@k of `y_score`, its standard error, and the smoothed precision."""
        return self.assess_each([y_score], seed=seed)[0]

    def assess_each(
        self, y_scores: Sequence[ArrayLike], *, seed: int
    ) -> list[HeldOutPrecision]:
        """Assess the scores of several models, whose bootstrap samples are the same."""
        precisions = self._resampled(y_scores, seed, _SAMPLES, smoothed=False)
        errors = np.ascontiguousarray(precisions.T).std(axis=1, ddof=1).tolist()
        return [
            HeldOutPrecision(self(y_score), error, self.smoothed(y_score))
            for y_score, error in zip(y_scores, errors, strict=True)
        ]

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
        return self._resampled([y_score], seed, n_samples, smoothed)[:, 0]

    def _resampled(
        self,
        y_scores: Sequence[ArrayLike],
        seed: int,
        n_samples: int,
        smoothed: bool,
    ) -> Floats:
        """Return the precision of several models in the same samples, shape (n_samples, n_models)."""
        rng = np.random.default_rng(seed)
        if len(self._n) > 1:
            per_group = self._smoothed_per_group if smoothed else self._per_group
            values = [per_group(y_score) for y_score in y_scores]
            groups = rng.integers(len(values[0]), size=(n_samples, len(values[0])))
            return np.column_stack([v[groups].mean(axis=1) for v in values])
        n = len(self._labels)
        lists = [
            _TiedList.of(self._labels, check_scores(y_score, n), self._whole)
            for y_score in y_scores
        ]
        n_whole = int(self._whole.max()) + 1
        k = np.clip(self.k * (CUTS if smoothed else np.ones(1)), 1, n)
        precision = np.empty((n_samples, len(lists)))
        for b in range(n_samples):
            drawn = np.bincount(
                rng.integers(n_whole, size=n_whole), minlength=n_whole
            )
            precision[b] = [one.precision(drawn, k) for one in lists]
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
