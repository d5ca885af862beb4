"""Selectors: what chooses a candidate from the scores that all have on the inner folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from attop._core.top import Top
from attop._core.typing import Floats, Ints
from attop._core.wording import did_you_mean, nearest
from attop.experiment._learner import Sample
from attop.metrics._cards import CardMetric
from attop.metrics._metric import Metric
from attop.metrics._registry import METRICS, get_metric

#: Prefix of a metric's name: the scores of all inner folds are one list.
_POOLED = "pooled-"
#: Suffix: choose among the candidates within one standard error of the best by the metric that is reported.
_NEAR = "-within-1se"


@dataclass(frozen=True)
class Selector:
    """A rule that chooses among candidates.

    Attributes
    ----------
    name : str
        Such as ``"ap"``, ``"pooled-ap"`` or ``"ap-within-1se"``.
    metric : Metric
        The candidate with its best mean over the inner folds is chosen, the first of equals.
    pooled : bool
        Whether it is measured once, on all inner folds' scores as one list, in place of the mean.
    near : bool
        Whether candidates count alone whose mean of the metric that is reported is within one standard error
        of the best's: that of the best's mean over the inner folds.
    """

    name: str
    metric: Metric
    pooled: bool = False
    near: bool = False

    @classmethod
    def of(
        cls, name: str | Metric, find: Callable[[str], Metric] = get_metric
    ) -> Selector:
        """Look up a selector by its name: a metric's, with ``pooled-`` before or ``-within-1se`` after it.

        `find` returns the metric of a name. A ValueError where there is none.
        """
        if isinstance(name, Metric):
            return cls(name.name, name)
        if not isinstance(name, str):
            raise TypeError(
                f"select must be the name of a metric or selector, got {name!r}: such as 'ap'"
            )
        of_metric = name.removeprefix(_POOLED).removesuffix(_NEAR)
        try:
            metric = find(of_metric)
        except ValueError as error:
            if str(error).startswith("unknown metric"):
                parts = product(("", _POOLED), METRICS, ("", _NEAR))
                names = map("".join, parts)
                hint = nearest(name, names) or did_you_mean(of_metric, METRICS)
                raise ValueError(
                    f"unknown selector {name!r}: it is the name of a metric, with {_POOLED!r} before or "
                    f"{_NEAR!r} after it where wanted; {hint}"
                ) from None
            raise
        return cls(name, metric, name.startswith(_POOLED), name.endswith(_NEAR))

    def values(
        self,
        sample: Sample,
        rows: Sequence[Ints],
        scores: Sequence[Floats],
        top: Top,
    ) -> Floats:
        """Compute the values that a candidate is chosen by: one of each inner fold, or one of all as a list.

        Parameters
        ----------
        sample : Sample
        rows, scores : sequences of ndarray
            Row numbers of each inner fold, and the candidate's scores of them.
        top : Top
            Of each inner fold; where k rows of one list are meant, of all together as many times k.
        """
        if self.pooled:
            top = self._top_of_all(sample, top, len(rows))
            rows, scores = [np.concatenate(rows)], [np.concatenate(scores)]
        pairs = zip(rows, scores, strict=True)
        return np.array(
            [
                sample.measure(self.metric, part, of_part, top).value
                for part, of_part in pairs
            ]
        )

    def _top_of_all(self, sample: Sample, top: Top, n_folds: int) -> Top:
        counts_rows = top.k is not None and top.out_of is None
        one_list = sample.groups is None and not isinstance(self.metric, CardMetric)
        return Top(k=top.k * n_folds) if counts_rows and one_list and top.k else top

    def choose(
        self, values: Floats, reported: Floats, metric: Metric
    ) -> int | None:
        """Choose a candidate, None where no value is defined.

        Parameters
        ----------
        values : ndarray of shape (candidates, parts)
            Those of `Selector.values`.
        reported : ndarray of shape (candidates, inner folds)
            Of the `metric` that is reported.
        """
        rows = np.arange(len(values))
        if self.near:
            rows = within_one_error(reported, metric)
        best, mean = best_candidate(values[rows].T, self.metric)
        return None if np.isnan(mean) else int(rows[best])


def within_one_error(values: ArrayLike, metric: Metric) -> Ints:
    """Find the candidates whose mean is within one standard error of the best's.

    `values` have the shape (candidates, inner folds). The standard error is that of the best's mean, 0 for
    fewer than two folds. Where none has a mean, all are returned.
    """
    table = np.asarray(values, dtype=np.float64)
    best, highest = best_candidate(table.T, metric)
    if np.isnan(highest):
        return np.arange(len(table))
    of_best = table[best][~np.isnan(table[best])]
    error = of_best.std(ddof=1) / np.sqrt(len(of_best)) if len(of_best) > 1 else 0.0
    sign = 1 if metric.higher_is_better else -1
    means = np.array([best_candidate(row[:, None], metric)[1] for row in table])
    # A difference of rounding alone does not exclude a candidate.
    return np.flatnonzero(sign * means >= sign * highest - error - 1e-12)


def best_candidate(values: ArrayLike, metric: Metric) -> tuple[int, float]:
    """Find the best candidate, the first among equals, and its mean.

    `values` are those of the metric that selects, of shape (parts, candidates); a part where it is undefined
    (NaN) does not count. Where it is so on every part, the candidate is 0, and the mean NaN.
    """
    columns = np.asarray(values, dtype=np.float64).T
    defined = [column[~np.isnan(column)] for column in columns]
    means = np.array(
        [column.mean() if len(column) else np.nan for column in defined]
    )
    if np.isnan(means).all():
        return 0, float("nan")
    best = np.nanargmax(means) if metric.higher_is_better else np.nanargmin(means)
    return int(best), float(means[best])
