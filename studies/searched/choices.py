"""Outcomes of a search: the candidate that a selector chooses, or several candidates combined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from attop.experiment import Sample, Selector, within_one_error
from attop.extending import Top
from attop.metrics import average_precision, get_metric

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TODAY = "precision@k"
SELECTORS = (TODAY, "ap", "ap-within-1se", "smoothed-precision@k", "pooled-ap")
#: Steps of the greedy ensemble.
STEPS = 20


@dataclass
class Search:
    """Scores of the candidates of one method on a fold.

    Attributes
    ----------
    inner_y : list of ndarray of shape (rows,), one per inner fold
    inner : list of ndarray of shape (candidates, rows), one per inner fold
    test : ndarray of shape (candidates, n_test)
        Of the models of all training rows.
    averaged : ndarray of shape (candidates, n_test)
        The mean of the models of the inner folds.
    """

    inner_y: Sequence[Ints]
    inner: Sequence[Floats]
    test: Floats
    averaged: Floats

    def values(self, select: str, top: Top) -> Floats:
        """Return the values that a selector chooses by, of shape (candidates, parts)."""
        y = np.concatenate(self.inner_y)
        ends = np.cumsum([len(labels) for labels in self.inner_y])
        rows = np.split(np.arange(len(y)), ends[:-1])
        sample, selector = Sample(np.zeros((len(y), 0)), y), Selector.of(select)
        by_candidate = zip(*self.inner, strict=True)
        return np.array([selector.values(sample, rows, scores, top) for scores in by_candidate])

    def chosen(self, select: str, top: Top, reported: Floats | None = None) -> int:
        """Return the number of the candidate that a selector chooses, the first where nothing is defined."""
        if reported is None:
            reported = self.values(TODAY, top)
        return Selector.of(select).choose(self.values(select, top), reported, get_metric(TODAY)) or 0

    def by_ap(self) -> Ints:
        """Return the candidates, those of the best mean AP over the inner folds first."""
        return np.argsort(-self.values("ap", Top(k=1)).mean(axis=1), kind="stable")


def mean_ranks(scores: Floats) -> Floats:
    """Return the mean rank of each row over candidates, the highest for the highest scores."""
    return np.asarray(rankdata(scores, axis=1).mean(axis=0))


def greedy(search: Search, steps: int = STEPS) -> Ints:
    """Return how often each candidate is in the ensemble that grows by the one which helps its mean AP most.

    A candidate may come again; of equals the first. Scores are probabilities, which are averaged.
    """
    counts = np.zeros(len(search.test), dtype=np.int64)
    sums = [np.zeros(len(y)) for y in search.inner_y]
    for _ in range(steps):
        values = np.mean(
            [
                [average_precision(y, total + scores) for scores in of_fold]
                for y, total, of_fold in zip(search.inner_y, sums, search.inner, strict=True)
            ],
            axis=0,
        )
        best = int(np.argmax(values))
        counts[best] += 1
        sums = [total + of_fold[best] for total, of_fold in zip(sums, search.inner, strict=True)]
    return counts


def _near_best(search: Search) -> Floats:
    return mean_ranks(search.test[within_one_error(search.values("ap", Top(k=1)), get_metric("ap"))])


def _greedy(search: Search) -> Floats:
    counts = greedy(search)
    return np.asarray(counts @ search.test / counts.sum())


#: Scores of the test part that do not depend on the top.
COMBINED: dict[str, Callable[[Search], Floats]] = {
    "ap, inner folds' models averaged": lambda search: search.averaged[search.by_ap()[0]],
    "near-best, averaged": _near_best,
    "five best, averaged": lambda search: mean_ranks(search.test[search.by_ap()[:5]]),
    "ten best, averaged": lambda search: mean_ranks(search.test[search.by_ap()[:10]]),
    "greedy ensemble": _greedy,
}
