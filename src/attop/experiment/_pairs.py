"""Tests of a lead by the runs of pairs of models, and the intervals that belong to them.

A pair has two errors. Its *own* is that of its differences, corrected for training parts that overlap. It is
at least that of rounding to the steps of the values: differences that coincide by chance prove nothing. The
*shared* one is its own or, if that is larger, the root mean square of those of the best model's pairs, with
the degrees of freedom of such a mean (Satterthwaite). A pair whose variance is more than `LIKE` times the
median of all is left out of that mean, and has no error but its own: an erratic model widens nobody's. A
rival whose runs, about the mean of all models in each run, vary more than `STEADY` times as much as those of
the others has no error but its own either: by few runs an erratic model's pair may happen to vary little.

Who is best?
    The best has to beat every other model at the two-sided level: the nearest by its own error, any further
    one by the sharper of both. Where all models spread alike the nearest would be enough, whatever their
    number (Gutmann and Maymin; Hung and Fithian). The further ones are asked because spreads differ.
Is this one behind?
    Where the best is not shown to be best, a rival is behind if its p is small enough for Holm's procedure
    over the rivals, times the number of models (any could have come out best), times two for the choice of
    the error.
Are they equal?
    Two one-sided tests with the pair's own error, and an exact one of the rows, by Holm over the rivals.

A lead has to be one of rows too, where it is known how many there are: twice its share of them lies above the
exact bound on the share of rows that differ. A verdict is read from the interval: it lies above zero exactly
where the best is ahead, and within the tolerance exactly where the two are equal. studies/claims/judge.py
measures it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import betaincinv, stdtr, stdtrit

from attop._core.typing import Floats, Ints
from attop.experiment._interval import CONFIDENCE, UNKNOWN, Units
from attop.experiment._power import POWER
from attop.experiment._verdict import Verdict
from attop.statistics._effective import at_most
from attop.statistics._ranks import holm, holm_factors
from attop.statistics._rounding import difference
from attop.statistics._two_methods import differences

#: Risk of a verdict that is wrong.
RISK = 1 - CONFIDENCE
#: Variances up to this many times the median are of models alike.
LIKE = 5.0
#: A model's variance about the mean of all, up to this many times that of the others, is of a model alike.
STEADY = 4.5


@dataclass(frozen=True)
class Decision:
    """A verdict, the adjusted p-values behind it, and the interval of its tests.

    Attributes
    ----------
    verdict : Verdict
    p, p_equal : float
        Of "not ahead" and of "not within the tolerance".
    low, high : float
        Ends of the interval of the difference.
    least : float
        Least lead that these runs, with their error, would have shown; NaN where they show none.
    needs : float
        Lead that such runs show in 8 of 10 cases; NaN where they show none.
    """

    verdict: Verdict
    p: float = math.nan
    p_equal: float = math.nan
    low: float = math.nan
    high: float = math.nan
    least: float = math.nan
    needs: float = math.nan


@dataclass(frozen=True)
class Differences:
    """Paired differences of two models in the runs both have.

    Attributes
    ----------
    values : ndarray of shape (n,)
    runs : ndarray of shape (n,)
        Number of the run of each difference.
    step : float
        Least step between values of the two models.
    """

    values: Floats
    runs: Ints
    step: float = 0.0

    @classmethod
    def of(cls, first: Floats, second: Floats) -> Differences:
        """Subtract the second from the first, rounding errors as zeros."""
        shared = np.isfinite(first) & np.isfinite(second)
        ordered = np.sort(np.concatenate([first[shared], second[shared]]))
        gaps = difference(ordered[1:], ordered[:-1])
        gaps = gaps[gaps > 0]
        values, _ = differences(first[shared], second[shared], 0)
        return cls(
            values, np.flatnonzero(shared), float(gaps.min()) if gaps.size else 0.0
        )

    def __neg__(self) -> Differences:
        return Differences(-self.values, self.runs, self.step)

    @property
    def mean(self) -> float:
        """Mean of the differences; NaN without any."""
        return float(self.values.mean()) if self.values.size else math.nan

    def error(self, ratio: float) -> Error:
        """Compute the corrected error of the mean (Nadeau, Bengio), at least that of rounding two values."""
        n = self.values.size
        variance = max(float(np.var(self.values, ddof=1)), self.step**2 / 6)
        same = not self.values.any()
        return Error(0.0 if same else math.sqrt((1 / n + ratio) * variance), n - 1)


@dataclass(frozen=True)
class Error:
    """Standard error of a mean difference, with its degrees of freedom."""

    size: float
    df: float

    def p_below(self, mean: float) -> float:
        """Compute the p-value of "at most zero"; an error of 0 is that of models that never differ."""
        return float(stdtr(self.df, -mean / self.size)) if self.size > 0 else 0.5

    def reach(self, risk: float) -> float:
        """Compute how far the mean may be off on one side."""
        return self.size * float(stdtrit(self.df, 1 - risk))

    def needs(self, risk: float) -> float:
        """Compute the lead that is shown in 8 of 10 cases."""
        return self.reach(risk) + self.size * float(stdtrit(self.df, POWER))


@dataclass(frozen=True)
class Rows:
    """Exact bounds by the rows behind a difference, where they count.

    Attributes
    ----------
    share : float
        Of the metric's range, by which the models are apart.
    n : float
        Distinct rows of all runs.
    span : float
        Range of the metric.
    count : bool
        Whether the bounds count: see `Units.exact`.
    known : bool
        Whether it is known how many rows there are; a lead is not held against rows that are not.
    """

    share: float
    n: float
    span: float
    count: bool
    known: bool

    @property
    def bounded(self) -> bool:
        """True if the rows are counted, and the metric has a range of which they are a share."""
        return self.count and math.isfinite(self.span)

    def furthest(self, risk: float) -> float:
        """Bound how far the models are apart from above."""
        if self.bounded:
            return self.span * _upper(self.share, self.n, risk)
        return math.inf if self.count else 0.0

    def reach(self, risk: float) -> float:
        """Compute how far the difference may be off on one side; 0 where that is not known."""
        return (
            self.furthest(risk) - self.share * self.span
            if self.bounded and self.known
            else 0.0
        )

    def p_below(self) -> float:
        """Compute the p-value of "the rows differ by twice as much"; 0 where their number is not known."""
        is_bounded = self.bounded and self.known
        if not (is_bounded and 2 * self.share <= 1):
            return 0.0
        return float(at_most(self.share, self.n, 2 * self.share))

    def p_beyond(self, tolerance: float) -> float:
        """Compute the p-value of "further apart than the tolerance"."""
        if self.bounded:
            return float(at_most(self.share, self.n, tolerance / self.span))
        return float(self.count)

    def least(self, risk: float) -> float:
        """Compute the least lead that is one of rows too; 0 where that is not known."""
        return (
            self.span * _least_share(self.n, risk)
            if self.bounded and self.known
            else 0.0
        )


def _upper(share: float, n: float, risk: float) -> float:
    hits = share * n
    return 1.0 if hits >= n else float(betaincinv(hits + 1, n - hits, 1 - risk))


@lru_cache(maxsize=1024)
def _least_share(n: float, risk: float) -> float:
    """Find the least share of n whose upper bound is below twice that share, by bisection."""
    low, high = 0.0, 0.5
    for _ in range(40):
        middle = (low + high) / 2
        shown = at_most(middle, n, 2 * middle) < risk
        low, high = (low, middle) if shown else (middle, high)
    return high


#: Errors, the one that shows most counts, and the risk on one side.
_Test = tuple[tuple[Error, ...], float]


@dataclass(frozen=True)
class Pair:
    """Lead of one model over another, with what is known of its error."""

    mean: float
    own: Error
    shared: Error
    rows: Rows

    @property
    def errors(self) -> tuple[Error, ...]:
        """The pair's own error and the shared one."""
        return self.own, self.shared

    def p_below(self, errors: Sequence[Error]) -> float:
        """Compute the p-value of "no lead", by the error that shows most."""
        return max(
            min(error.p_below(self.mean) for error in errors), self.rows.p_below()
        )

    def reach(self, errors: Sequence[Error], risk: float) -> float:
        """Compute how far the lead may be off on one side, by the error that shows most."""
        return max(
            min(error.reach(risk) for error in errors), self.rows.reach(risk)
        )

    def p_beyond(self, tolerance: float) -> float:
        """Compute the p-value of "further apart than the tolerance", by two one-sided tests and the rows."""
        beyond = self.rows.p_beyond(tolerance)
        if not self.own.size:
            return beyond
        return max(
            float(stdtr(self.own.df, (abs(self.mean) - tolerance) / self.own.size)),
            beyond,
        )

    def furthest(self, risk: float) -> float:
        """Find the tolerance from which on the two would be equal."""
        return max(abs(self.mean) + self.own.reach(risk), self.rows.furthest(risk))

    def shows(self, errors: Sequence[Error], risk: float) -> tuple[float, float]:
        """Compute the least lead that is shown, and the one that is shown in 8 of 10 cases.

        NaN for what is not below the metric's range, or not known since the models never differ.
        """
        rows = self.rows.least(risk)
        leads = (
            min(e.reach(risk) for e in errors),
            min(e.needs(risk) for e in errors),
        )
        least, needs = (
            max(lead, rows) if 0 < lead < self.rows.span else math.nan
            for lead in leads
        )
        return least, needs


def spreads_of(leads: Sequence[Differences]) -> Floats:
    """Compute the variance of each rival's runs about the mean of all models in each run.

    `leads` are those of one model over each rival. Models are centred first, for in some runs one may lack.
    """
    n_runs = max((int(d.runs.max()) + 1 for d in leads if d.runs.size), default=0)
    table = np.full((len(leads) + 1, n_runs), np.nan)
    for row, d in zip(table[:-1], leads, strict=True):
        row[d.runs] = d.values - d.mean
    table[-1] = 0.0  # of the model itself
    of_rivals = (table - np.nanmean(table, axis=0))[:-1]
    return np.nanvar(of_rivals, axis=1, ddof=1)


def pairs_of(
    leads: Sequence[Differences],
    ratio: float,
    units: Units,
    span: float,
    spreads: Floats,
) -> list[Pair]:
    """Make a pair of each set of differences; the shared error is estimated from all of them.

    `spreads` are those of `spreads_of`, or zeros where leads are of several models.
    """
    errors = [d.error(ratio) for d in leads]
    squares = np.square([error.size for error in errors])
    # The lower median, infinite where no two models differ.
    median = (
        np.quantile(squares[squares > 0], 0.5, method="lower")
        if squares.any()
        else math.inf
    )
    pooled = (squares > 0) & (squares <= LIKE * median)
    of_others = spreads[pooled].sum() - pooled * spreads
    alike = pooled & (spreads * (pooled.sum() - pooled) <= STEADY * of_others)
    mean = _mean_error(
        [
            error
            for error, is_pooled in zip(errors, pooled, strict=True)
            if is_pooled
        ]
    )
    pairs = []
    for d, own, is_alike in zip(leads, errors, alike, strict=True):
        shared = (
            Error(max(own.size, mean.size), max(own.df, mean.df))
            if is_alike
            else own
        )
        rows = Rows(
            share=abs(d.mean) / span,
            n=units.distinct(d.values.size, ratio),
            span=span,
            count=units.exact(d.values, (0.0,)),
            known=units != UNKNOWN,
        )
        pairs.append(Pair(d.mean, own, shared, rows))
    return pairs


def _mean_error(errors: Sequence[Error]) -> Error:
    """Compute the root mean square of errors, with its degrees of freedom (Satterthwaite)."""
    if not errors:
        return Error(0.0, 0)
    squares = np.square([error.size for error in errors])
    total = math.fsum(squares)
    fewest = min(error.df for error in errors)
    return Error(
        math.sqrt(total / squares.size), fewest * total**2 / math.fsum(squares**2)
    )


def compare_with_best(
    pairs: Sequence[Pair], full: Sequence[bool], tolerance: float
) -> list[Decision]:
    """Decide of the best model against each of the others.

    Parameters
    ----------
    pairs : sequence of Pair
        The best against every other model that can be tested.
    full : sequence of bool
        Whether the other has as many runs as the best, so that it may be the best itself.
    tolerance : float
        Differences up to this are of no practical importance; NaN if that is not known.

    Returns
    -------
    list of Decision
        "equal" wins over "ahead": a difference can be real and within the tolerance.
    """
    if not pairs:
        return []
    candidates = [i for i, is_full in enumerate(full) if is_full]
    errors = _sharpest(pairs, candidates)
    beaten = [
        pair.mean > pair.reach(error, RISK / 2)
        for pair, error in zip(pairs, errors, strict=True)
    ]
    p_best = max((2 * pairs[i].p_below(errors[i]) for i in candidates), default=1.0)
    behind, p_behind = _behind(pairs, len(pairs) + 1)
    equal, decisions = _equality(pairs, tolerance), []
    for i, pair in enumerate(pairs):
        others_beaten = full[i] and all(beaten[j] for j in candidates if j != i)
        is_behind = pair.mean > pair.reach(*behind[i])
        if others_beaten and (beaten[i] or not is_behind):
            test: _Test = errors[i], RISK / 2
        else:
            test = behind[i]
        p = min(p_best, p_behind[i], 1.0) if full[i] else p_behind[i]
        decisions.append(_decision(pair, p, test, equal[i], tolerance))
    return decisions


def _sharpest(
    pairs: Sequence[Pair], candidates: Sequence[int]
) -> list[tuple[Error, ...]]:
    """Choose the errors by which the best is tested: for the nearest of the candidates its own alone."""
    nearest = min((pairs[i].mean for i in candidates), default=math.nan)
    return [
        (pair.own,) if difference(pair.mean, nearest) <= 0 else pair.errors
        for pair in pairs
    ]


def _behind(
    pairs: Sequence[Pair], chosen_from: int
) -> tuple[list[_Test], list[float]]:
    """Test each pair by Holm, where the first is the best of `chosen_from` models; return adjusted p too."""
    cost = chosen_from * (2 if len(pairs) > 1 else 1)  # a pair alone has one error
    p = np.minimum([cost * pair.p_below(pair.errors) for pair in pairs], 1.0)
    factors = holm_factors(p, RISK)
    tests = [
        (pair.errors, RISK / (cost * factor))
        for pair, factor in zip(pairs, factors, strict=True)
    ]
    return tests, holm(p).tolist()


def compare_named(pair: Pair, chosen_from: int, tolerance: float) -> Decision:
    """Decide of one model against another that was named before the runs, one-sided.

    The first is the best of `chosen_from` models by these runs.
    """
    p = min(chosen_from * pair.p_below((pair.own,)), 1.0)
    (equal,) = _equality([pair], tolerance)
    return _decision(pair, p, ((pair.own,), RISK / chosen_from), equal, tolerance)


def compare_all(pairs: Sequence[Pair], tolerance: float) -> list[Decision]:
    """Decide of all pairs of models, the better one of each first, by Holm over all of them, two-sided."""
    tests, p = _behind(pairs, 2)
    equal = _equality(pairs, tolerance)
    return [
        _decision(pair, its_p, test, its_equal, tolerance)
        for pair, its_p, test, its_equal in zip(pairs, p, tests, equal, strict=True)
    ]


def _equality(pairs: Sequence[Pair], tolerance: float) -> list[tuple[float, float]]:
    """Compute p of "beyond the tolerance", by Holm, and the tolerance from which on each pair is equal."""
    if math.isnan(tolerance):
        return [(math.nan, 0.0)] * len(pairs)
    p = [pair.p_beyond(tolerance) for pair in pairs]
    factors = holm_factors(p, RISK)
    met = [
        pair.furthest(RISK / factor)
        for pair, factor in zip(pairs, factors, strict=True)
    ]
    return list(zip(holm(p).tolist(), met, strict=True))


def _decision(
    pair: Pair,
    p: float,
    test: _Test,
    equality: tuple[float, float],
    tolerance: float,
) -> Decision:
    """Read the verdict from the interval of a test, and from the tolerance from which on the two are equal.

    The interval reaches as far as that tolerance where it is not met, and no further where it is.
    """
    p_equal, met = equality
    reach, span = pair.reach(*test), pair.rows.span
    low, high = pair.mean - reach, pair.mean + reach
    verdict = Verdict.AHEAD if low > 0 else Verdict.OPEN
    if met < tolerance:
        verdict, low, high = Verdict.EQUAL, max(low, -met), min(high, met)
    elif pair.mean < 0:
        low = min(low, -met)
    else:
        high = max(high, met)
    least, needs = pair.shows(*test)
    return Decision(
        verdict=verdict,
        p=p,
        p_equal=p_equal,
        low=max(low, -span),
        high=min(high, span),
        least=least,
        needs=needs,
    )


def decide(
    means: Sequence[float],
    errors: Sequence[float],
    dfs: Sequence[float],
    *,
    tolerance: float,
    chosen_from: int = 1,
) -> list[Decision]:
    """Decide for each difference whether it is above zero, within the tolerance, or neither is shown.

    Parameters
    ----------
    means, errors : sequence of float
        Differences, positive where the first is better, and their standard errors; an error of 0 stands for
        a difference that is known.
    dfs : sequence of float
        Degrees of freedom of the errors; infinite for those of a bootstrap.
    tolerance : float
        Differences from -tolerance to tolerance are of no practical importance; NaN if that is not known.
    chosen_from : int
        Of how many the first was chosen by these differences; 1 if it was named before.

    Returns
    -------
    list of Decision
        "equal" wins over "ahead": a difference can be real and within the tolerance.
    """
    if not len(means):
        return []
    mean, error, df = (np.asarray(a, dtype=float) for a in (means, errors, dfs))
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = np.where(mean > np.nan_to_num(tolerance), 0.0, 1.0)
        above = np.where(error > 0, stdtr(df, -mean / error), exact)
        apart = np.where(
            error > 0,
            stdtr(df, (np.abs(mean) - tolerance) / error),
            np.where(np.abs(mean) <= tolerance, 0.0, 1.0),
        )
    p = np.minimum(chosen_from * holm(above), 1.0).tolist()
    p_equal = [math.nan] * len(p) if math.isnan(tolerance) else holm(apart).tolist()
    return [
        Decision(_verdict(one, alike), p=one, p_equal=alike)
        for one, alike in zip(p, p_equal, strict=True)
    ]


def _verdict(p: float, p_equal: float) -> Verdict:
    if p_equal < RISK:
        return Verdict.EQUAL
    return Verdict.AHEAD if p < RISK else Verdict.OPEN
