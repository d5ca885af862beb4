"""Watch lists for the precision that was promised, as often as one likes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc
from scipy.stats import norm

from attop._core.parameters import check_share
from attop._core.sample import plain_array
from attop._core.typing import Bools, Floats, Ints
from attop.statistics._effective import at_most
from attop.statistics._rounding import difference

Status = Literal["as promised", "not shown to be worse", "worse", "cannot tell"]
Assumption = Literal["unchecked", "no sign against it", "not met"]

_YEAR = 52
#: Prior of the spread: as if `_SEEN` lists had been seen that vary by `_VARIES` of the promise and carry
#: `_CARRIED` of it over to the next (the root of the covariance of two successive ones).
_VARIES, _CARRIED, _SEEN = 0.25, 0.19, 5
#: Factor by which what is carried over falls with each further list.
_FADES = 0.7
#: Number of first lists; a window that starts with one of them is early.
_EARLY = 4
#: Least share of the promise that a list of a window counts as. In an early window it is the smaller share,
#: or `_DEVIATIONS` standard deviations below the promise if that is less still.
_LEAST, _LEAST_EARLY, _DEVIATIONS = 0.45, 0.4, 2.0
#: Levels of the windows, by their lists and their start, at a risk of 5% (studies/claims/watch.py).
_AT_ONCE, _SHORT, _LONG = 0.02, 7e-4, 3e-5
_FEWEST, _FEWEST_EARLY, _MOST_SHORT = 4, 3, 6
#: If lists as unlike each other as those of a window are rarer than this, single lists failed: no fall.
_UNLIKE, _TINY = 0.05, 1e-9
#: Most that a list counts as, in multiples of the promise, chance aside: more would hide a fall.
_MOST = 2.5
#: Least ratio of the lower bound to the promise at which there are enough lists to say that it is kept.
_STEADY = 0.8
#: Prior lists of the bounds, and the number of lists at which they are tightest.
_SEEN_BY_BOUNDS, _SOON = 2, 10
#: Least number of lists whose dependence is tested, and the level of the test.
_CHECKED_FROM, _LEVEL = 10, 0.1
#: Most further lists that `lists_to_tell` looks at.
MOST_FURTHER = 2 * _YEAR


@dataclass(frozen=True)
class Watched:
    """Verdict on the lists so far, with its numbers.

    Attributes
    ----------
    status : {"as promised", "not shown to be worse", "worse", "cannot tell"}
        "worse" where an alarm was raised. Else "cannot tell" where the lower bound is less than 80% of the
        promise, so that lists are too few. Else "as promised" where at least the promised positives were
        found, "not shown to be worse" where fewer were.
    since : int
        Number, from 1, of the first list of the fall; 0 without an alarm.
    raised : int
        Number of the list that raised the alarm; 0 if none did.
    rows, hits : int
        Rows of all lists, and their positives.
    promised, expected : float
        Positives that were promised, and expected, of these rows; `expected` is NaN if it was not given.
    precision, low, high : float
        Mean over the lists, with bounds that hold at all times at once.
    lists_to_tell : int or None
        Further lists like these after which the status is no more "cannot tell"; 0 if it is not, None if
        104 are not enough.
    dependence : float
        Correlation of successive lists about their mean, before and after `since`; NaN below ten lists.
    assumption : {"unchecked", "no sign against it", "not met"}
        Whether lists vary independently: not met where `dependence` is above 0 at a level of 10%.
    """

    status: Status
    since: int
    raised: int
    rows: int
    hits: int
    promised: float
    expected: float
    precision: float
    low: float
    high: float
    lists_to_tell: int | None
    dependence: float
    assumption: Assumption


def watch(
    hits: Sequence[int],
    rows: Sequence[int],
    promised: float | Sequence[float],
    *,
    expected: float | Sequence[float] | None = None,
    risk: float = 0.05,
) -> Watched:
    r"""Compare the precision of lists, in the order they came, with what was promised.

    Parameters
    ----------
    hits, rows : sequence of int
        Positives and rows of each list, at least one list. Rows whose label is not known yet do not count.
    promised : float or sequence of float
        Precision of all lists, or of each; above 0 and below 1. An estimate errs: promise what its interval's
        lower end says.
    expected : float or sequence of float, optional
        The estimate itself, from 0 to 1. It is reported with the promise and not tested.
    risk : float
        Probability that lists which keep the promise on average are called worse within 52 of them.

    Raises
    ------
    ValueError
        If counts are not whole numbers or do not match, or promised, expected or risk is out of range.

    Notes
    -----
    The question is whether lists hold what was promised *on average*: single ones vary about it, more than
    chance alone would have it, and one that follows a poor one is often poor.

    Let x be the precision of a list over its promise. A fall is looked for in each window of successive lists
    from list s to the present one, t, of at most 52. The mean of x over a window of l lists varies about 1 by
    :math:`(c + v + u f_l) / l`: chance, the variation among lists, and what one list carries over to the
    next, u, and by 0.7 of the last to later ones. v and u are estimated from the lists before s about their
    own mean, as if five more had been seen that vary by a quarter of the promise and carry over 0.19 of it;
    so that a fall does not hide itself. By that variance the window is worth fewer rows, of which the
    binomial law says how likely so few positives are. The alarm is raised where that is at most the level of
    the window: 0.0007 + 0.02 / s^2 for up to six lists, 0.00003 for more. Models are at fault most often at
    once. So a window needs four lists to raise it, and three if it starts with one of the first four. Levels
    are proportional to `risk`. The fall is dated by the window, of any number of lists up to the alarm, that
    is least likely relative to its level.

    A fall is a level: a window in which the lists do not agree, such as failed ones next to one as before, is
    none. They agree unless their squares about their mean have a chance of 5% or less, by their rows and by
    :math:`v` times the mean squared.

    A list counts as 0.45 of the promise at least, so that one failed list, or two, do not make a fall. In
    windows that start with one of the first four it is 0.4, or two standard deviations below the promise, if
    that is less.

    No theorem gives the levels. They were chosen in simulations of years whose lists vary independently by up
    to 30%, also by a skew law; of years in which one in ten fails; in which successive lists are correlated
    by 0.7; and of seasons. ``studies/claims/watch.py`` measures them all by other draws, years of further
    laws, and what is found of a fall.

    `low` and `high` are asymptotic (Robbins's mixture, Waudby-Smith et al. 2024).

    References
    ----------
    Shin, Ramdas and Rinaldo (2024), "E-detectors: a nonparametric framework for sequential change detection",
    New England Journal of Statistics in Data Science 2, of which the mixture over starts is. Waudby-Smith,
    Arbour, Sinha, Kennedy and Ramdas (2024), "Time-uniform central limit theory and asymptotic confidence
    sequences", Annals of Statistics 52.

    Examples
    --------
    >>> found = watch([41, 38, 44], [100, 100, 100], promised=0.4)
    >>> found.status, found.lists_to_tell
    ('cannot tell', 7)
    >>> watch([41, 38, 44] * 3, [100] * 9, promised=0.4).status
    'as promised'
    >>> found = watch([41, 38, 44, 18, 13, 17, 14], [100] * 7, promised=0.4, expected=0.43)
    >>> found.status, found.since, found.hits, found.promised, found.expected
    ('worse', 4, 185, 280.0, 301.0)
    """
    s = _counts(hits)
    n = _counts(rows)
    if s.shape != n.shape or not len(s) or (n < 1).any() or (s > n).any():
        raise ValueError(
            f"hits must be from 0 to rows, one number a list, got {s.tolist()} of {n.tolist()}"
        )
    check_share("risk", risk)
    m = _rates(promised, len(s), "promised")
    for rate in m.tolist():
        check_share("promised", rate)
    estimate = _rates(
        math.nan if expected is None else expected, len(s), "expected"
    )
    if ((estimate < 0) | (estimate > 1)).any():
        raise ValueError(
            f"expected must be a precision, from 0 to 1, got {expected!r}"
        )
    lists = _Lists.of(s, n, m)
    raised, since = (int(at) for at in _alarm(lists, risk))
    precision, low, high = _bounds(s, n, m, lists, risk)
    hits_found = s.sum()
    due = float(n @ m)
    status: Status = "worse"
    if not raised:
        status = _without_alarm(
            float(low), float(m.mean()), is_kept=hits_found >= due * (1 - 1e-12)
        )
    dependence, assumption = _dependence(lists, since)
    return Watched(
        status=status,
        since=since,
        raised=raised,
        rows=int(n.sum()),
        hits=int(hits_found),
        promised=due,
        expected=float(n @ estimate),
        precision=precision,
        low=low,
        high=high,
        lists_to_tell=_further(s, n, m, risk) if status == "cannot tell" else 0,
        dependence=dependence,
        assumption=assumption,
    )


class _Lists(NamedTuple):
    """Lists by their promise, in the order they came along the last axis; there may be many years of them.

    Attributes
    ----------
    x : ndarray of shape (..., t)
        Precision over promise.
    chance : ndarray of shape (t,)
        Variance of x by the rows of a list alone.
    due : ndarray of shape (t,)
        Promised positives.
    rows : ndarray of shape (t,)
    """

    x: Floats
    chance: Floats
    due: Floats
    rows: Floats

    @classmethod
    def of(cls, hits: Floats, rows: Floats, promised: Floats) -> _Lists:
        """Divide hits by the promised ones; no list counts as far more, since it would hide a fall."""
        due = rows * promised
        chance = (1 - promised) / due
        most = 1 + np.maximum(_MOST - 1, 4 * np.sqrt(chance))
        return cls(np.minimum(hits / due, most), chance, due, rows)


class _Spread(NamedTuple):
    """Variation of lists about their mean, in shares of the promise squared, more than by chance.

    Attributes
    ----------
    alone, carried : ndarray of shape (...)
        Variance, and covariance of successive ones.
    """

    alone: Floats
    carried: Floats


def _spread(lists: _Lists, stop: int, seen: float, carried: float) -> _Spread:
    """Estimate the spread of the first lists, with `seen` usual ones that carry over `carried`."""
    x = lists.x[..., :stop]
    chance = lists.chance[:stop]
    years = x.shape[:-1]
    if stop < 2:
        return _Spread(np.full(years, _VARIES**2), np.full(years, carried))
    # How much a list says of variation beyond chance.
    worth = (_VARIES**2 / (_VARIES**2 + chance)) ** 2
    if not worth.any():
        return _Spread(np.full(years, _VARIES**2), np.full(years, carried))
    off = x - (x @ worth / worth.sum())[..., None]
    weight = worth.sum() * (1 - 1 / stop)
    squares = (worth * (off**2 - (1 - 1 / stop) * chance)).sum(axis=-1)
    alone = np.maximum((seen * _VARIES**2 + squares) / (seen + weight), 0.0)
    # About their own mean lists look less alike than they are.
    pairs = np.sqrt(worth[1:] * worth[:-1])
    usual = alone + worth @ chance / worth.sum()
    products = (pairs * off[..., 1:] * off[..., :-1]).sum(
        axis=-1
    ) + pairs.sum() * usual / stop
    return _Spread(
        alone, np.maximum(seen * carried + products, 0.0) / (seen + pairs.sum())
    )


def _carried_over(lengths: Ints) -> Floats:
    """Count the covariances of successive lists in the variance of a sum of lists, for each list."""
    fades = _FADES ** np.arange(lengths.max())
    lag = np.arange(1, lengths.max() + 1)
    return np.array(
        [
            2 * ((1 - lag[: n - 1] / n) * fades[: n - 1]).sum()
            for n in lengths.tolist()
        ]
    )


def _chances(lists: _Lists, start: int) -> Floats:
    """Compute how likely windows from a start have so few positives: shape (..., lists up to a year)."""
    window = slice(start, start + _YEAR)
    x = lists.x[..., window]
    chance = lists.chance[window]
    due = lists.due[window]
    spread = _spread(lists, start, _SEEN, _CARRIED**2)
    alone = spread.alone[..., None]
    carried = spread.carried[..., None]
    least = _least(start, np.sqrt(chance + alone + carried))
    worth = due / due.max()
    total = np.cumsum(worth)
    lengths = np.arange(1, len(due) + 1)
    mean = np.cumsum(worth * np.maximum(x, least), axis=-1) / total
    variance = np.cumsum(worth**2 * (chance + alone), axis=-1) / total**2
    variance += carried * _carried_over(lengths) / lengths
    rate = np.cumsum(due) / np.cumsum(lists.rows[window])
    effective_rows = (1 - rate) / rate / variance
    chances = at_most(np.clip(mean * rate, 0.0, 1.0), effective_rows, rate)
    return np.where((mean < 1) & _agree(lists, window, alone), chances, 1.0)


def _agree(lists: _Lists, window: slice, alone: Floats) -> Bools:
    """Mark the windows from a start whose lists lie about one mean: shape (..., lists up to a year).

    They do unless their squares about it are rarer than `_UNLIKE`, by the rows and by what lists vary in
    shares of their mean, as chi squared has it.
    """
    x = lists.x[..., window]
    due = lists.due[window]
    rows = lists.rows[window]
    total = np.cumsum(due)
    lengths = np.arange(1, len(due) + 1)
    mean = np.cumsum(due * x, axis=-1) / total
    squares = np.maximum(np.cumsum(due * x**2, axis=-1) - total * mean**2, 0.0)
    mean = np.clip(mean, 1 / total, 1.0)  # lists without a hit vary as with one
    usual = (
        mean * lengths - mean**2 * np.cumsum(due / rows) + alone * mean**2 * total
    )
    chances = chdtrc(
        np.maximum(lengths - 1, 1), squares * lengths / np.maximum(usual, _TINY)
    )
    return (lengths == 1) | (chances > _UNLIKE)


def _least(start: int, deviation: Floats) -> Floats:
    """Compute the least share of the promise that lists of a window from a start count as."""
    if start >= _EARLY:
        return np.full_like(deviation, _LEAST)
    return np.minimum(_LEAST_EARLY, 1 - _DEVIATIONS * deviation)


def _levels(start: int, lengths: Ints) -> Floats:
    """Choose the levels of windows from a start, at a risk of 5%."""
    short = _SHORT + _AT_ONCE / (start + 1) ** 2
    return np.where(lengths <= _MOST_SHORT, short, _LONG)


def _alarm(lists: _Lists, risk: float) -> tuple[Ints, Ints]:
    """Find the list that raised the alarm and the first one of the fall, from 1; 0 and 0 without one."""
    count = lists.x.shape[-1]
    # Least chance over level of the windows that end with each list: of those that may raise it, and of all.
    raising, any_ = (np.full(lists.x.shape, np.inf) for _ in range(2))
    first = np.zeros(lists.x.shape, np.int64)
    for start in range(count):
        chances = _chances(lists, start)
        ratio = chances / (
            _levels(start, np.arange(1, chances.shape[-1] + 1)) * (risk / 0.05)
        )
        ends = slice(start, start + ratio.shape[-1])
        lower = ratio < any_[..., ends]
        any_[..., ends] = np.where(lower, ratio, any_[..., ends])
        first[..., ends] = np.where(lower, start + 1, first[..., ends])
        fewest = _FEWEST_EARLY if start < _EARLY else _FEWEST
        enough = slice(start + fewest - 1, ends.stop)
        raising[..., enough] = np.minimum(
            raising[..., enough], ratio[..., fewest - 1 :]
        )
    alarmed = raising <= 1
    at = alarmed.argmax(axis=-1)
    since = np.take_along_axis(first, at[..., None], axis=-1)[..., 0]
    is_raised = alarmed.any(axis=-1)
    return np.where(is_raised, at + 1, 0), np.where(is_raised, since, 0)


def _bounds(
    hits: Floats,
    rows: Floats,
    promised: Floats,
    lists: _Lists,
    risk: float,
    further: int = 0,
) -> tuple[float, float, float]:
    """Bound the mean precision at all times at once, as if `further` more lists like these had come."""
    precision = float((hits / rows).mean())
    rate = float(promised.mean())
    count = len(hits)
    # Not 0 or 1, which would vary by nothing.
    likely = float((hits.sum() + 0.5) / (rows.sum() + 1))
    drawn = max(likely * (1 - likely), rate * (1 - rate)) * float((1 / rows).mean())
    spread = _spread(lists, count, _SEEN_BY_BOUNDS, 0.0)
    together = count + further
    seen = _SEEN_BY_BOUNDS + count - 1
    # The further lists vary by chance alone.
    alone = spread.alone * seen / (seen + further)
    among = alone + spread.carried * _carried_over(np.array([together]))[0]
    wide = _reach(together, risk) * math.sqrt(
        min(float(among), 1 / rate) * rate**2 + drawn
    )
    low = max(precision - wide, 0.0) if hits.any() else 0.0
    return precision, low, min(precision + wide, 1.0)


def _without_alarm(low: float, rate: float, *, is_kept: bool) -> Status:
    if low < _STEADY * rate:
        return "cannot tell"
    return "as promised" if is_kept else "not shown to be worse"


def _further(
    hits: Floats, rows: Floats, promised: Floats, risk: float
) -> int | None:
    """Count the further lists, like the mean of these, that a verdict takes; None if too many."""
    lists = _Lists.of(hits, rows, promised)
    enough = _STEADY * float(promised.mean())
    lows = (
        _bounds(hits, rows, promised, lists, risk, number)[1]
        for number in range(1, MOST_FURTHER + 1)
    )
    number = next(
        (number for number, low in enumerate(lows, 1) if low >= enough), None
    )
    more = [
        np.full(number or MOST_FURTHER, values.mean())
        for values in (hits, rows, promised)
    ]
    longer = _Lists.of(
        *(
            np.append(a, b)
            for a, b in zip((hits, rows, promised), more, strict=True)
        )
    )
    raised = int(_alarm(longer, risk)[0])
    return raised - len(hits) if raised else number


def _dependence(lists: _Lists, since: int) -> tuple[float, Assumption]:
    """Correlate successive lists, about the means before and after a fall, and test for independence."""
    count = len(lists.x)
    if count < _CHECKED_FROM:
        return math.nan, "unchecked"
    parts = np.split(
        lists.x / np.sqrt(lists.chance), [since - 1] if since > 1 else []
    )
    off = [difference(part, part.mean()) for part in parts]
    squares = sum(float(part @ part) for part in off)
    if squares == 0:
        return 0.0, "no sign against it"
    correlation = sum(float(part[1:] @ part[:-1]) for part in off) / squares
    # About its own mean each part looks less alike than it is, by one in as many as there are lists.
    chance = norm.sf((correlation + len(off) / count) * math.sqrt(count))
    return correlation, "not met" if chance <= _LEVEL else "no sign against it"


def _rates(rate_or_rates: float | Sequence[float], count: int, what: str) -> Floats:
    """Read a number, or one for each list, as an array; refuse anything else."""
    rates: Any = rate_or_rates
    rates = [rates] * count if np.ndim(rates) == 0 else list(rates)
    if len(rates) != count:
        raise ValueError(
            f"{what} must be one number or one a list, got {len(rates)} for {count} lists"
        )
    for rate in rates:
        if isinstance(rate, str) or not np.isreal(rate):
            raise ValueError(
                f"{what} must be a number, or one a list, got {rate!r}"
            )
    return np.array(rates, dtype=np.float64)


def _counts(counts: ArrayLike) -> Floats:
    """Read counts as floats; refuse those that are not whole numbers of at least 0."""
    values = plain_array(counts, "hits or rows")
    if (
        values.ndim != 1
        or values.dtype.kind not in "iuf"
        or (values != np.floor(values)).any()
    ):
        raise ValueError(
            f"hits and rows must be whole numbers, one a list, got {values.tolist()}"
        )
    if (values < 0).any() or not np.isfinite(values).all():
        raise ValueError(
            f"hits and rows must be whole numbers of at least 0, got {values.tolist()}"
        )
    return values.astype(np.float64)


def _reach(t: int, risk: float) -> float:
    """Compute how many standard deviations the mean of t lists may be off, at all times at once."""
    often = (
        (2 * math.log(1 / risk) + math.log(2 * math.log(1 / risk)) + 1) / _SOON
        if risk < 0.6
        else 1 / _SOON
    )
    grown = t * often + 1
    return math.sqrt(2 * grown / (t**2 * often) * math.log(math.sqrt(grown) / risk))
