"""Precision at the top of held-out scores: smoothed over k, and how far chance would move it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attop._core.sample import check_groups, check_labels, check_scores, resolve_each
from attop._core.top import Top
from attop._core.typing import Floats, Ints, TopLike
from attop.metrics._ranking import Ranking

#: Cuts that are averaged over, relative to k: nine from half to twice, evenly on the scale of logarithms.
_CUTS = 2.0 ** np.linspace(-1.0, 1.0, 9)


class HeldOutPrecision(NamedTuple):
    """Precision at the top of held-out scores.

    Attributes
    ----------
    precision : float in [0, 1]
        Precision@k, the mean over groups where there are several.
    standard_error : float
        Its standard error, by the bootstrap over the items, or over the groups.
    smoothed : float in [0, 1]
        Mean of the precisions at nine cuts from k/2 to 2k: the same question with less noise, for choosing.
    """

    precision: float
    standard_error: float
    smoothed: float


class TopPrecision:
    """Precision at the top of a sample's scores.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Binary labels, see `attop._core.sample.check_labels`.
    top : Top, int or mapping
        Resolved in each group.
    groups : array-like of shape (n,), optional
        The value is the mean over the groups with at least k items.

    Attributes
    ----------
    k : ndarray of shape (n_groups,)
        Items at the top of each group; 0 where the group has fewer.

    Notes
    -----
    Tied items count in expectation over their orders, in the bootstrap too. A bootstrap sample keeps the k of
    the sample it is drawn from.
    """

    def __init__(self, y_true: ArrayLike, top: TopLike, groups: ArrayLike | None = None):
        self._labels = check_labels(y_true)
        n = len(self._labels)
        self._codes = np.zeros(n, np.int64) if groups is None else check_groups(groups, n)
        self._n = np.bincount(self._codes)
        self.k = self._resolve(Top.of(top))

    def _resolve(self, top: Top) -> Ints:
        """Items at the top of each group; 0 where the group has fewer."""
        n_pos = np.bincount(self._codes, weights=self._labels).astype(int)
        k = resolve_each(top, n_pos, self._n - n_pos)
        if not k.any():
            largest = max(zip(self._n.tolist(), n_pos.tolist(), strict=True))
            top.resolve(*largest, where="this sample" if len(k) == 1 else "the largest group")
        return k

    def __call__(self, y_score: ArrayLike) -> float:
        """Precision@k of `y_score` of shape (n,)."""
        return float(self._per_group(self._rank(y_score), 1.0).mean())

    def smoothed(self, y_score: ArrayLike) -> float:
        """Mean of the precisions at nine cuts from k/2 to 2k, each at least 1 and at most all items."""
        ranking = self._rank(y_score)
        return float(np.mean([self._per_group(ranking, cut).mean() for cut in _CUTS]))

    def assess(self, y_score: ArrayLike, *, seed: int, n_samples: int = 100) -> HeldOutPrecision:
        """Precision@k of `y_score`, its standard error, and the smoothed precision."""
        standard_error = float(self.resampled(y_score, seed=seed, n_samples=n_samples).std(ddof=1))
        return HeldOutPrecision(self(y_score), standard_error, self.smoothed(y_score))

    def resampled(self, y_score: ArrayLike, *, seed: int, n_samples: int, smoothed: bool = False) -> Floats:
        """Precision@k, or smoothed precision, in bootstrap samples of the items, or of several groups.

        The samples depend on `seed` alone: those of two models are paired.

        Returns
        -------
        precision : ndarray of shape (n_samples,)
        """
        rng = np.random.default_rng(seed)
        cuts = _CUTS if smoothed else np.ones(1)
        if len(self._n) > 1:
            ranking = self._rank(y_score)
            values = np.mean([self._per_group(ranking, cut) for cut in cuts], axis=0)
            return values[rng.integers(len(values), size=(n_samples, len(values)))].mean(axis=1)
        n = len(self._labels)
        values = check_scores(y_score, n)
        order = np.argsort(-values, kind="stable")
        last = np.flatnonzero(np.diff(-values[order], append=np.inf))
        place = np.empty(n, np.int64)
        place[order] = np.arange(n)
        labels = self._labels[order]
        k = self._cut(cuts)
        precision = np.empty(n_samples)
        for b in range(n_samples):
            drawn = np.bincount(place[rng.integers(n, size=n)], minlength=n)
            # At the end of each block of ties; within a block positives come evenly, in expectation.
            size, positive = np.cumsum(drawn)[last], np.cumsum(drawn * labels)[last]
            precision[b] = np.mean(np.interp(k, np.r_[0, size], np.r_[0, positive]) / k)
        return precision

    def expected(self, probabilities: ArrayLike) -> float:
        """Precision@k of the ranking by `probabilities` of shape (n,), on average, if they are true."""
        p = check_scores(probabilities, len(self._labels))
        found = Ranking.of(p, p, self._codes).positives_in_top(self._cut(1.0))  # type: ignore[arg-type]
        return float((found / self._cut(1.0))[self.k > 0].mean())

    def _rank(self, y_score: ArrayLike) -> Ranking:
        return Ranking.of(self._labels, check_scores(y_score, len(self._labels)), self._codes)

    def _per_group(self, ranking: Ranking, cut: float) -> Floats:
        k = self._cut(cut)
        return (ranking.positives_in_top(k) / k)[self.k > 0]

    def _cut(self, cut: Floats | float) -> Ints:
        """Items at the top of each group for a multiple of k, or for several where there is one group."""
        return np.clip(np.floor(self.k * cut + 0.5).astype(np.int64), 1, self._n)
