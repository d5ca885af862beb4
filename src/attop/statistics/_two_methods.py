"""Two methods compared over data sets: tests, mean difference, posteriors.

Everything here takes paired scores, higher is better; a difference is ``a - b``, positive where a is better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from attop._core.sample import plain_array
from attop._core.typing import Floats
from attop.statistics._rounding import ROUNDING, count_wins, difference, levels

#: Fewer data sets than this, and no test can say anything: no assignment of signs is rarer than 1 in 10.
MIN_DATASETS = 5
#: Rows of weights of `bayesian_signed_rank` held at once.
_CHUNK = 2000


def differences(
    a: ArrayLike, b: ArrayLike, fewest: int
) -> tuple[Floats, str | None]:
    """Subtract b from a, rounding errors as zeros, and say in a sentence why they cannot be tested, if so."""
    x, y = (plain_array(values, "a or b").astype(float) for values in (a, b))
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(
            f"a and b must be paired lists, got shapes {x.shape} and {y.shape}"
        )
    undefined = int((~(np.isfinite(x) & np.isfinite(y))).sum())
    if x.size < fewest:
        return x[
            :0
        ], f"At least {fewest} data sets are needed, and there are {x.size}."
    if undefined:
        return x[
            :0
        ], f"{undefined} of {x.size} pairs have an undefined value: leave them out."
    return difference(x, y), None


@dataclass(frozen=True)
class SignedRank:
    """Wilcoxon's signed-rank test: `r_plus` is the rank sum where a is better, T the smaller of the two."""

    n: int
    n_zero: int = 0
    r_plus: float = math.nan
    r_minus: float = math.nan
    T: float = math.nan
    p: float = math.nan
    refused: str | None = None


def wilcoxon(a: ArrayLike, b: ArrayLike) -> SignedRank:
    """Compare two methods over data sets by Wilcoxon's signed-rank test, two-sided and exact.

    Parameters
    ----------
    a, b : array-like of shape (N,)
        Scores by data set.

    Returns
    -------
    SignedRank
        Refused for fewer than five data sets, an undefined value, or no difference at all.

    Notes
    -----
    The ranks of zeros are split evenly between both sums, one zero dropped if their number is odd (Demsar,
    JMLR 7 (2006), section 3.1.3). The p-value counts all signs of the other differences, given their ranks:
    exact with ties and zeros.
    """
    d, refused = differences(a, b, MIN_DATASETS)
    n = np.size(a)
    n_zero = int((d == 0).sum())
    if not refused and n_zero == n:
        refused = f"The two are equal on all {n} data sets."
    if refused:
        return SignedRank(n, n_zero, refused=refused)
    if n_zero % 2:
        d = np.delete(d, np.argmin(np.abs(d)))
    ranks = scipy.stats.rankdata(levels(np.abs(d)))
    half = float(ranks[d == 0].sum()) / 2
    r_plus = float(ranks[d > 0].sum()) + half
    r_minus = float(ranks[d < 0].sum()) + half
    t = min(r_plus, r_minus)
    p = _share_of_signs(ranks[d != 0], t - half)
    return SignedRank(n=n, n_zero=n_zero, r_plus=r_plus, r_minus=r_minus, T=t, p=p)


def _share_of_signs(ranks: Floats, t: float) -> float:
    """Compute the exact p-value: the share of assignments of signs whose smaller rank sum is at most t."""
    doubled = np.rint(2 * ranks).astype(int)
    share = np.zeros(
        doubled.sum() + 1
    )  # index: twice the sum of the positive ranks
    share[0] = 1.0
    for r in doubled:
        share[r:] = (share[r:] + share[:-r]) / 2
        share[:r] /= 2
    return min(1.0, 2 * float(share[: round(2 * t) + 1].sum()))


@dataclass(frozen=True)
class Effect:
    """Mean difference of a and b; NaN where `refused`.

    Attributes
    ----------
    n : int
        Data sets.
    mean, low, high : float
        Mean difference a - b in units of the metric, and its Student t confidence interval (NaN for one data
        set).
    refused : str or None
        Why there are none.
    """

    n: int
    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan
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
    d, refused = differences(a, b, 1)
    n = np.size(a)
    if refused:
        return Effect(n, refused=refused)
    mean = float(d.mean())
    low = math.nan
    high = math.nan
    if n > 1:
        reach = float(
            scipy.stats.t.ppf((1 + confidence) / 2, n - 1)
            * np.std(d, ddof=1)
            / math.sqrt(n)
        )
        low = mean - reach
        high = mean + reach
    return Effect(n, mean, low, high)


@dataclass(frozen=True)
class Posterior:
    """Probabilities that a is practically worse than b, equivalent (within the rope) and better.

    Source: Benavoli, Corani, Demsar and Zaffalon, JMLR 18 (2017).
    """

    n: int
    rope: float
    worse: float = math.nan
    equivalent: float = math.nan
    better: float = math.nan
    refused: str | None = None


def bayesian_signed_rank(
    a: ArrayLike, b: ArrayLike, *, rope: float, seed: int, n_draws: int = 20_000
) -> Posterior:
    """Compare two methods over data sets by the Bayesian signed-rank test.

    Parameters
    ----------
    a, b : array-like of shape (N,)
        Scores by data set.
    rope : float
        Differences from -rope to rope are of no practical importance.
    seed : int
    n_draws : int
        Draws from the posterior; the standard error of a probability is at most 0.5 / sqrt(n_draws).

    Returns
    -------
    Posterior
        How often each of the three regions has the most weight of the pairs' averages (z_i + z_j) / 2.
        Refused for fewer than five data sets or an undefined value.

    Notes
    -----
    The weights are Dirichlet(1/2, 1, ..., 1), the 1/2 for one prior difference of 0. Regions that are equal
    in a draw share it.
    """
    if not 0 <= rope < math.inf:
        raise ValueError(
            f"rope must be a half-width >= 0 in units of the metric, got {rope}"
        )
    if n_draws < 1:
        raise ValueError(f"n_draws must be at least 1, got {n_draws}")
    d, refused = differences(a, b, MIN_DATASETS)
    n = np.size(a)
    if refused:
        return Posterior(n, rope, refused=refused)
    z = np.concatenate([[0.0], d])
    average = (z[:, None] + z) / 2
    # An average on the edge is within, whatever its rounding.
    edge = rope * (1 + ROUNDING)
    below = (average < -edge).astype(float)
    above = (average > edge).astype(float)
    alpha = np.ones(z.size)
    alpha[0] = 0.5
    rng = np.random.default_rng(seed)
    wins = np.zeros(3)
    for start in range(0, n_draws, _CHUNK):
        weights = rng.dirichlet(alpha, size=min(_CHUNK, n_draws - start))
        worse, better = (
            ((weights @ region) * weights).sum(axis=1) for region in (below, above)
        )
        shares = np.column_stack([worse, 1 - worse - better, better])
        wins += count_wins(shares)
    worse_p, equivalent, better_p = (wins / n_draws).tolist()
    return Posterior(n, rope, worse_p, equivalent, better_p)
