"""Intervals of means over runs, and of differences of them, also where the runs hardly differ.

Two sources say how far a mean may be off. The spread of the runs does, corrected for training parts that
overlap (Nadeau and Bengio). Where a good model is perfect in most runs it says little or nothing: of thirty
rows at the top all may be positive by chance. So an interval is never narrower than the exact binomial one on
the distinct rows behind the value (Clopper and Pearson), where each of them counts as 0 or 1, or where half
of the runs or more are as good as can be, as bad, or the same. studies/claims/intervals.py measures its
coverage.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, stdtrit

from attop._core.top import Top
from attop._core.typing import Floats
from attop.metrics._metric import Metric
from attop.metrics._registry import is_known
from attop.statistics._rounding import difference

#: Level of intervals and verdicts.
CONFIDENCE = 0.95
#: Metrics whose value one row of a list decides.
_ONE_ROW = ("hit@k", "reciprocal-rank")


class Units(NamedTuple):
    """Independent units of a test part that a value is the mean of: rows, positives or groups.

    Attributes
    ----------
    n : float
        How many; 1, the list itself, where nothing else is known.
    hits : bool
        Whether each counts as 0 or 1, as a row at the top does, or is to be taken so.
    """

    n: float = 1.0
    hits: bool = False

    @classmethod
    def of(
        cls,
        metric: Metric,
        top: Top,
        ratio: float,
        *,
        items: int | None,
        positives: float | None,
        groups: int | None = None,
        entities: int | None = None,
        design_effect: float | None = None,
    ) -> Units:
        """Count the units of a metric at a top from the counts of all rows; None stands for an unknown count.

        For metrics of positives the units are the positives, for metrics of a top at most k rows. Where rows
        of an entity may be alike, `design_effect` rows (`attop.statistics.likeness_within`) count as one.
        Where entities differ in size, so few are large that runs may not differ by any of them; then the
        exact bound applies throughout.
        """
        part = ratio / (1 + ratio)  # share of the rows in a test part
        if not 0 < part < 1 or items is None or positives is None:
            return cls()
        if groups is not None:
            return cls(max(groups * part, 1.0))
        if metric.name in _ONE_ROW or not is_known(metric.name):
            return cls()
        n_positives, places = max(positives * part, 1.0), math.inf
        if metric.needs_top:
            try:
                places = float(top.resolve(round(items * part), round(n_positives)))
            except ValueError:
                return cls()
        hits = metric.name in ("precision@k", "recall@k")
        n = {"precision@k": places, "recall@k": n_positives}.get(
            metric.name, min(n_positives, places)
        )
        if entities is not None and design_effect is not None:
            of_one_size = math.isclose(design_effect, items / entities)
            return cls(max(n / design_effect, 1.0), not of_one_size)
        return cls(n, hits)

    def distinct(self, runs: int, ratio: float) -> float:
        """Count the units of all runs once each: a repeat of the folds brings no new ones."""
        return self.n * min(runs, 1 + 1 / ratio)

    def exact(self, values: Floats, ends: tuple[float, ...]) -> bool:
        """Decide whether the exact bound applies: half of the values or more are at an end, or equal."""
        ends = (*ends, float(np.median(values)))
        return self.hits or any(
            2 * (difference(values, end) == 0).sum() >= values.size for end in ends
        )


#: Units unknown: the list itself.
UNKNOWN = Units()


def clopper_pearson(share: float, n: float) -> tuple[float, float]:
    """Compute the exact 95% interval of a share of n; the share times n need not be a whole number."""
    hits, tail = share * n, (1 - CONFIDENCE) / 2
    low = 0.0 if hits <= 0 else float(betaincinv(hits, n - hits + 1, tail))
    return low, 1.0 if hits >= n else float(
        betaincinv(hits + 1, n - hits, 1 - tail)
    )


def scaled_error(d: Floats, test_train_ratio: float) -> float:
    """Estimate the standard error of the mean of d under overlapping training sets; 0.0 if d is constant.

    sqrt((1/n + n_test/n_train) s^2), Nadeau and Bengio, Machine Learning 52 (2003), section 3.
    """
    if not difference(d, d.mean()).any():
        return 0.0
    return math.sqrt(1 / d.size + test_train_ratio) * float(np.std(d, ddof=1))


def interval(
    values: ArrayLike,
    test_train_ratio: float,
    *,
    units: Units = UNKNOWN,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> tuple[float, float]:
    """Compute the 95% interval of a mean over runs whose training parts overlap.

    Parameters
    ----------
    values : array-like of shape (n,)
        A value a run; values that are not finite are left out.
    test_train_ratio : float
        Test items per training item: 1 / (K - 1) for K-fold cross-validation.
    units : Units
        Of a test part.
    bounds : (float, float)
        Least and greatest value of the metric.

    Returns
    -------
    low, high : float
        NaN with fewer than two values, or where the ratio is not known.
    """
    finite = _finite(values)
    if finite.size < 2 or not 0 < test_train_ratio < math.inf:
        return math.nan, math.nan
    mean, reach = float(finite.mean()), _reach(finite, test_train_ratio)
    low, high, (least, most) = mean - reach, mean + reach, bounds
    if math.isfinite(most - least) and units.exact(finite, bounds):
        n, span = units.distinct(finite.size, test_train_ratio), most - least
        ends = clopper_pearson((mean - least) / span, n)
        low, high = (
            min(low, least + span * ends[0]),
            max(high, least + span * ends[1]),
        )
    return max(low, least), min(high, most)


def difference_interval(
    d: ArrayLike,
    test_train_ratio: float,
    *,
    units: Units = UNKNOWN,
    span: float = math.inf,
) -> tuple[float, float]:
    """Compute the 95% interval of a mean difference over runs; `span` is the metric's range.

    It reaches as far on both sides as the exact bound on the share of units that differ.
    """
    finite = _finite(d)
    if finite.size < 2 or not 0 < test_train_ratio < math.inf:
        return math.nan, math.nan
    mean, reach = float(finite.mean()), _reach(finite, test_train_ratio)
    if math.isfinite(span) and units.exact(finite, (0.0,)):
        _, most = clopper_pearson(
            abs(mean) / span, units.distinct(finite.size, test_train_ratio)
        )
        reach = max(reach, span * most - abs(mean))
    return max(mean - reach, -span), min(mean + reach, span)


def _finite(values: ArrayLike) -> Floats:
    numbers = np.asarray(values, dtype=float)
    return numbers[np.isfinite(numbers)]


def _reach(finite: Floats, ratio: float) -> float:
    return scaled_error(finite, ratio) * float(
        stdtrit(finite.size - 1, (1 + CONFIDENCE) / 2)
    )
