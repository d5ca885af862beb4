"""Watch lists for the precision that was promised, as often as one likes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import betainc, betaln

from attop._core.typing import Floats, Ints

_PRIOR, _YEAR = 0.5, 52
#: Lower bound over promise from which on it is kept.
_STEADY = 0.8


@dataclass(frozen=True)
class Watched:
    """Lists so far.

    Attributes
    ----------
    verdict : {"as promised", "worse", "cannot tell"}
        "as promised" where the lower bound is at least 80% of the promise and no alarm was raised.
    since : int
        Number, from 1, of the list that raised the alarm; 0 if none did.
    precision, low, high : float
        Over all lists, with bounds that hold at all times at once, if the lists are alike.
    """

    verdict: Literal["as promised", "worse", "cannot tell"]
    since: int
    precision: float
    low: float
    high: float


def watch(hits: Sequence[int], rows: Sequence[int], promised: float, *, risk: float = 0.05) -> Watched:
    r"""Compare the positives of lists, in the order they came, with a promised precision.

    Parameters
    ----------
    hits, rows : sequence of int
        Positives and rows of each list, at least one list.
    promised : float
        Above 0 and below 1. An estimate errs: promise what its interval's lower end says.
    risk : float
        Probability that lists which keep the promise are ever called worse.

    Raises
    ------
    ValueError
        If counts do not match, or promised or risk is out of range.

    Notes
    -----
    The alarm bets against the promise. At each list a bet starts: half the wealth is shared out evenly among
    the first 52 lists, half as 1/(s(s + 1)) at list s. One half of a bet is on half the promise, the other on
    rates below the promise, mixed by a Beta(1/2, 1/2). If the rows of each list are independent
    given the past, with a mean precision of at least the promise, no bet gains on average: rows of a list may
    differ, since the geometric mean of their factors is below the arithmetic one. So the wealth ever reaches
    1/risk with a probability of at most `risk` (Ville). The bounds are the rates that such a mixture, on all
    lists and both sides, does not reject (Robbins 1970).

    References
    ----------
    Robbins (1970), "Statistical methods related to the law of the iterated logarithm", Annals of Mathematical
    Statistics 41. Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting",
    Journal of the Royal Statistical Society B 86.

    Examples
    --------
    >>> watch([41, 38, 44], [100, 100, 100], promised=0.4).verdict
    'cannot tell'
    >>> watch([41, 38, 44] * 3, [100] * 9, promised=0.4).verdict
    'as promised'
    >>> watch([41, 18, 21], [100, 100, 100], promised=0.4)
    Watched(verdict='worse', since=2, precision=0.267, low=0.185, high=0.361)
    """
    s, n = np.asarray(hits, dtype=np.int64), np.asarray(rows, dtype=np.int64)
    if s.shape != n.shape or s.ndim != 1 or not len(s) or (n < 1).any() or (s < 0).any() or (s > n).any():
        raise ValueError(f"hits must be from 0 to rows, one number a list, got {s.tolist()} of {n.tolist()}")
    for name, value in (("promised", promised), ("risk", risk)):
        if not 0 < value < 1:
            raise ValueError(f"{name} must be above 0 and below 1, got {value}")
    since = 0
    for t in range(1, len(s) + 1):
        begun = np.arange(1, t + 1)
        won, lost = np.cumsum(s[:t][::-1])[::-1], np.cumsum((n - s)[:t][::-1])[::-1]
        with np.errstate(divide="ignore"):  # a bet that is lost
            below = np.log(betainc(_PRIOR + won, _PRIOR + lost, promised) / betainc(_PRIOR, _PRIOR, promised))
        gained = _log_mixture(won, lost, np.array(promised)) + below
        halved = won * np.log(0.5) + lost * (np.log1p(-promised / 2) - np.log1p(-promised))
        share = 0.5 / (begun * (begun + 1)) + 0.5 / _YEAR * (begun <= _YEAR)
        wealth = np.logaddexp(gained, halved) - np.log(2) + np.log(share)
        kept = np.log(max(1 - share.sum(), 1e-300))
        if not since and np.logaddexp.reduce([*wealth, kept]) >= -np.log(risk):
            since = t
    total, of = int(s.sum()), int(n.sum())
    grid = np.linspace(0, 1, 1001)[1:-1]
    inside = grid[_log_mixture(np.array(total), np.array(of - total), grid) < -np.log(risk)]
    low, high = (0.0 if not total else inside[0]), (1.0 if total == of else inside[-1])
    steady = low >= _STEADY * promised
    verdict: Literal["as promised", "worse", "cannot tell"] = "as promised" if steady else "cannot tell"
    rounded = (round(float(v), 3) for v in (total / of, low, high))
    return Watched("worse" if since else verdict, since, *rounded)


def _log_mixture(won: Ints, lost: Ints, rate: Floats) -> Floats:
    """Return the log of the wealth of bets on all rates against one."""
    mixed = betaln(_PRIOR + won, _PRIOR + lost) - betaln(_PRIOR, _PRIOR)
    return mixed - won * np.log(rate) - lost * np.log1p(-rate)
