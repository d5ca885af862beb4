"""Watch lists for the precision that was promised, as often as one likes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from attop._core.parameters import check_share
from attop._core.sample import plain_array
from attop._core.typing import Floats

#: The alarm bets that precision is this share of the promise.
_FALLEN = 0.5
_YEAR = 52
#: Before there are any, lists are taken to vary by this share of the promise, as if seen so often.
_VARIES, _SEEN = 0.25, 2
#: Lower bound over promise from which on it is kept.
_STEADY = 0.8
#: Lists after which the bounds are narrowest for what they hold.
_SOON = 10


@dataclass(frozen=True)
class Watched:
    """Verdict on the lists so far, and their precision.

    Attributes
    ----------
    verdict : {"as promised", "worse", "cannot tell"}
        "as promised" where the lower bound is at least 80% of the promise and no alarm was raised.
    since : int
        Number, from 1, of the list that raised the alarm; 0 if none did.
    precision, low, high : float
        Mean over the lists, with bounds that hold at all times at once.
    """

    verdict: Literal["as promised", "worse", "cannot tell"]
    since: int
    precision: float
    low: float
    high: float


def watch(
    hits: Sequence[int], rows: Sequence[int], promised: float | Sequence[float], *, risk: float = 0.05
) -> Watched:
    r"""Compare the mean precision of lists, in the order they came, with what was promised.

    Parameters
    ----------
    hits, rows : sequence of int
        Positives and rows of each list, at least one list.
    promised : float or sequence of float
        Of all lists, or of each; above 0 and below 1. An estimate errs: promise what its interval's lower end
        says.
    risk : float
        Probability that lists which keep the promise on average are ever called worse.

    Raises
    ------
    ValueError
        If counts are no whole numbers or do not match, or promised or risk is out of range.

    Notes
    -----
    The question is whether lists hold what was promised *on average*: single ones vary about it, more than
    chance alone would have it. Let x be the precision of a list over its promise, and v a bound on the
    variance of x. The alarm multiplies its stake by :math:`(1 + a - x)_+^2 / (a^2 + v)`. That is at most 1
    on average wherever the mean of x is at least 1 (Cantelli), and grows fastest at x = 1/2 by a = 2 v. So
    its wealth ever reaches 1/risk with a probability of at most `risk` (Ville). At each list a bet starts:
    half the wealth is shared out evenly among the first 52 lists, half as 1/(s(s + 1)) at list s.

    v is chance, by the rows of a list, and the variation among lists, estimated by the differences of
    successive ones before: as if two had been seen that vary by a quarter. For an estimate the bound is no
    theorem; ``studies/claims/watch.py`` measures it. A season is no variation about the promise: it is called
    worse when it is.

    Betting on means of bounded numbers, of any variance (Waudby-Smith and Ramdas), cannot see a fall in few
    lists: a list wins at most 1/(1 - promised), so that four of them do not reach 20 below a promise of 0.53.
    The bounds are asymptotic (Robbins's mixture, Waudby-Smith et al. 2024).

    References
    ----------
    Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting", Journal of the
    Royal Statistical Society B 86. Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024), "Time-uniform
    central limit theory and asymptotic confidence sequences", Annals of Statistics 52.

    Examples
    --------
    >>> watch([41, 38, 44], [100, 100, 100], promised=0.4).verdict
    'cannot tell'
    >>> watch([41, 38, 44] * 3, [100] * 9, promised=0.4).verdict
    'as promised'
    >>> found = watch([18, 21, 17, 23], [100] * 4, promised=0.4)
    >>> found.verdict, found.since, found.precision
    ('worse', 3, 0.1975)
    """
    s, n = _counts(hits), _counts(rows)
    if s.shape != n.shape or not len(s) or (n < 1).any() or (s > n).any():
        raise ValueError(f"hits must be from 0 to rows, one number a list, got {s.tolist()} of {n.tolist()}")
    check_share("risk", risk)
    rates = [promised] * len(s) if np.ndim(promised) == 0 else list(promised)  # type: ignore[arg-type]
    if len(rates) != len(s):
        raise ValueError(f"promised must be one number or one a list, got {len(rates)} for {len(s)} lists")
    for rate in rates:
        check_share("promised", rate)
    m = np.array(rates, dtype=np.float64)
    x, chance = s / n / m, (1 - m) / (m * n)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        apart = np.diff(x) ** 2 / 2 - (chance[1:] + chance[:-1]) / 2
        seen = np.arange(len(x) + 1).clip(1) - 1  # differences before each list, and before the next
        before = np.concatenate([[0.0, 0.0], np.cumsum(apart)])
        between = np.maximum((_SEEN * _VARIES**2 + before) / (_SEEN + seen), 0.0)
        v = between[:-1] + chance
        factor = np.maximum(1 + (1 - x) / (v / (1 - _FALLEN)), 0.0) ** 2 / (1 + (1 - _FALLEN) ** 2 / v)
    since, stake, left = 0, 0.0, 1.0
    for t, times in enumerate(np.nan_to_num(factor).tolist(), 1):
        begun = 0.5 / (t * (t + 1)) + 0.5 / _YEAR * (t <= _YEAR)
        stake, left = (stake + begun) * times, left - begun
        if stake + left >= 1 / risk:
            since = t
            break
    precision, rate = float((s / n).mean()), float(m.mean())
    likely = float((s.sum() + 0.5) / (n.sum() + 1))  # not 0 or 1, which would vary by nothing
    drawn = max(likely * (1 - likely), rate * (1 - rate)) * float((1 / n).mean())
    wide = _reach(len(x), risk) * math.sqrt(min(float(between[-1]), 1 / rate) * rate**2 + drawn)
    low, high = (max(precision - wide, 0.0) if s.any() else 0.0), min(precision + wide, 1.0)
    kept = low >= _STEADY * rate
    verdict: Literal["as promised", "cannot tell"] = "as promised" if kept else "cannot tell"
    return Watched("worse" if since else verdict, since, precision, low, high)


def _counts(counts: ArrayLike) -> Floats:
    """Return whole numbers as floats."""
    values = plain_array(counts, "hits or rows")
    if values.ndim != 1 or values.dtype.kind not in "iuf" or (values != np.floor(values)).any():
        raise ValueError(f"hits and rows must be whole numbers, one a list, got {values.tolist()}")
    if (values < 0).any() or not np.isfinite(values).all():
        raise ValueError(f"hits and rows must be whole numbers of at least 0, got {values.tolist()}")
    return values.astype(np.float64)


def _reach(t: int, risk: float) -> float:
    """Return how many standard deviations the mean of t lists may be off, at all times at once."""
    often = (
        (2 * math.log(1 / risk) + math.log(2 * math.log(1 / risk)) + 1) / _SOON if risk < 0.6 else 1 / _SOON
    )
    grown = t * often + 1
    return math.sqrt(2 * grown / (t**2 * often) * math.log(math.sqrt(grown) / risk))
