"""How large a difference is. Paired scores by data set, higher is better."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from attop.statistics.two_methods import differences, signed_ranks

__all__ = ["Effect", "effect_sizes"]


@dataclass(frozen=True)
class Effect:
    """Effect sizes of a against b; NaN where `refused`.

    Attributes
    ----------
    n : int
        Data sets.
    mean, low, high : float
        Mean difference a - b in units of the metric, and its Student t confidence interval (NaN for one data
        set).
    a12 : float
        Vargha and Delaney's probability that a score of a exceeds one of b, equals counted half; 0.5 is no
        effect. It ignores the pairing.
    rank_biserial : float
        Matched pairs: (R+ - R-) / (R+ + R-) of Wilcoxon's rank sums, from -1 to 1; zeros split.
    refused : str or None
        Why there are none.
    """

    n: int
    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan
    a12: float = math.nan
    rank_biserial: float = math.nan
    refused: str | None = None


def effect_sizes(a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95) -> Effect:
    """Measure how much better a is than b over data sets.

    Parameters
    ----------
    a, b : array-like of shape (N,)
        Scores by data set.
    confidence : float
        Of the interval of the mean difference.

    Returns
    -------
    Effect
        Refused for no data set or an undefined value.
    """
    d, refused = differences(a, b, 1, "data sets")
    n = np.size(a)
    if refused:
        return Effect(n, refused=refused)
    mean, low, high = float(d.mean()), math.nan, math.nan
    if n > 1:
        reach = float(stats.t.ppf((1 + confidence) / 2, n - 1) * np.std(d, ddof=1) / math.sqrt(n))
        low, high = mean - reach, mean + reach
    ranks = stats.rankdata(np.concatenate([np.asarray(a, dtype=float), np.asarray(b, dtype=float)]))
    a12 = (float(ranks[:n].sum()) / n - (n + 1) / 2) / n
    ranked, sizes = signed_ranks(d)
    total = float(sizes.sum())
    biserial = float((np.sign(ranked) * sizes).sum()) / total if total else 0.0
    return Effect(n, mean, low, high, a12, biserial)
