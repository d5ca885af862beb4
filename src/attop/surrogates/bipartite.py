"""Surrogates written as a function of the positives' and the negatives' scores of one list."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from attop.core.sample import RankingSample
from attop.core.typing import Floats
from attop.surrogates.base import BoundSurrogate, Surrogate, eligible

__all__ = ["BipartiteSurrogate"]


class BipartiteSurrogate(Surrogate):
    """A surrogate of one list, averaged over the groups that have a positive and a negative."""

    @abstractmethod
    def evaluate(
        self, pos: Floats, neg: Floats, pos_times: Floats, neg_times: Floats
    ) -> tuple[float, Floats, Floats]:
        """Evaluate one list.

        Parameters
        ----------
        pos, neg : ndarray of shape (n_pos,), (n_neg,)
            Scores, both at least one.
        pos_times, neg_times : ndarray of shape (n_pos,), (n_neg,), at least 0
            How often each item counts; not all 0.

        Returns
        -------
        value : float
        pos_coef, neg_coef : ndarray of shape (n_pos,), (n_neg,)
            A subgradient.
        """

    def _bind(self, y: ArrayLike, groups: ArrayLike | None) -> BoundSurrogate:
        sample = RankingSample.from_labels(y, groups)
        keep = (sample.n_pos > 0) & (sample.n_neg > 0)
        kept = eligible(sample, keep, "a positive and a negative")
        return _BoundBipartite(self, kept, sample, np.ones(len(sample.order)))

    def _bind_weighted(self, y: ArrayLike, groups: ArrayLike | None, weight: Floats) -> BoundSurrogate:
        sample = RankingSample.from_labels(y, groups)
        n_pos, n_neg = sample.amounts(weight)
        keep = (n_pos > 0) & (n_neg > 0)
        kept = eligible(sample, keep, "a positive and a negative", weight)
        return _BoundBipartite(self, kept, sample, weight)


class _BoundBipartite(BoundSurrogate):
    def __init__(
        self, surrogate: BipartiteSurrogate, kept: RankingSample, sample: RankingSample, times: Floats
    ):
        self.n = len(sample.order)
        self.n_groups = kept.n_groups
        self.n_left_out = sample.n_groups - kept.n_groups
        self._evaluate, self._times = surrogate.evaluate, times
        self._lists = [
            (kept.order[start : start + n_pos], kept.order[start + n_pos : stop])
            for start, n_pos, stop in zip(kept.start[:-1], kept.n_pos, kept.start[1:], strict=True)
        ]

    def __call__(self, scores: Floats) -> tuple[float | Floats, Floats]:
        columns, times = (scores if scores.ndim == 2 else scores[:, np.newaxis]), self._times
        value = np.zeros(columns.shape[1])
        coef = np.zeros(columns.shape)
        for model in range(columns.shape[1]):
            for positives, negatives in self._lists:
                one, pos_coef, neg_coef = self._evaluate(
                    columns[positives, model], columns[negatives, model], times[positives], times[negatives]
                )
                value[model] += one
                coef[positives, model] = pos_coef
                coef[negatives, model] = neg_coef
        value /= self.n_groups
        coef /= self.n_groups
        return (value, coef) if scores.ndim == 2 else (float(value[0]), coef[:, 0])
