"""Interval and verdict of paired runs: the one rule of whether a difference is real.

Every place that says of two models which is better asks this module: `attop.compare_at_top`, the report's
tables, map, cards and LaTeX, the model card, the papers' pages. A verdict is about the best model against
another one, and has four outcomes:

==========  ================================================================================================
ahead       the best is shown to be better: corrected resampled t-test, p below 5% after both adjustments
equal       shown to be within the tolerance: two one-sided tests, and enough rows of which few differ
open        neither is shown
untested    fewer than `MIN_RUNS` shared runs, or it is not known how much their training parts overlap
==========  ================================================================================================

The adjustments. The best is chosen by the runs it is then tested on, and tested against every other model. So
p is one-sided, adjusted by Holm for the number of rivals, and multiplied by the number of models the best
could have been: if no model is better than another, a claim that one is ahead has a probability of at most
5%, whichever comes out best (a union bound over the choice, Holm's procedure within it). With two models this
is the two-sided test. studies/claims/verdicts.py measures it.

The error of a pair. Five runs say little of a variance, and the adjustments ask for it far out in the tail.
So "ahead" is tested with the pair's own error or the root mean square of those of all pairs, whichever is
larger, the latter with the degrees of freedom of such a mean (Satterthwaite). It is never below the pair's
own: where one model varies more than the others, pooling alone would call it ahead too often. "Equal" is
tested with the pair's own error.

Without variance. A t-test cannot judge a difference that is the same in every run. So "equal" must also pass
an exact test of the rows behind the values (`attop.experiment._interval.p_beyond`): where none of them
differs, 300 are needed for a tolerance of 0.01. For "ahead" the error of all pairs takes its place, since
values in coarse steps coincide by chance; if no pair varies, one beyond the tolerance is taken as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from attop._core.typing import Floats
from attop._core.wording import count_noun
from attop.experiment._interval import (
    CONFIDENCE,
    UNKNOWN,
    Units,
    difference_interval,
    interval,
    p_beyond,
    scaled_error,
)
from attop.experiment._power import needed_lead
from attop.experiment._verdict import Verdict
from attop.metrics._metric import Metric
from attop.metrics._registry import get_metric
from attop.statistics._ranks import holm
from attop.statistics._rounding import difference
from attop.statistics._two_methods import differences

#: With fewer runs than this nothing is tested: their variance is not known well enough.
MIN_RUNS = 5
#: Differences up to this share of a metric's range are of no practical importance.
TOLERANCE = 0.01


def default_tolerance(metric: str | Metric) -> float:
    """Return the largest difference of no practical importance: 0.01 for metrics from 0 to 1.

    It is a hundredth of the metric's range; NaN if the metric has no bounds.
    """
    low, high = get_metric(metric).bounds
    return TOLERANCE * (high - low) if math.isfinite(high - low) else math.nan


@dataclass(frozen=True)
class Decision:
    """A verdict, and the adjusted p-values of "not ahead" and of "not within the tolerance".

    `needs` is the difference that would be shown in 8 of 10 cases.
    """

    verdict: Verdict
    p: float = math.nan
    p_equal: float = math.nan
    needs: float = math.nan


def decide(
    means: Sequence[float],
    errors: Sequence[float],
    dfs: Sequence[float],
    *,
    tolerance: float,
    chosen_from: int = 1,
    ahead: tuple[Sequence[float], Sequence[float]] | None = None,
    beyond: ArrayLike = 0.0,
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
    ahead : (errors, dfs), optional
        Those of the test of "ahead", where they are not those of the test of "equal".
    beyond : array-like
        p-values of another test of "beyond the tolerance", which "equal" has to pass too.

    Returns
    -------
    list of Decision
        "equal" wins over "ahead": a difference can be real and within the tolerance.
    """
    if not len(means):
        return []
    mean, error, df = (np.asarray(a, dtype=float) for a in (means, errors, dfs))
    wide, wide_df = (np.asarray(a, dtype=float) for a in ahead or (errors, dfs))
    with np.errstate(divide="ignore", invalid="ignore"):
        known = np.where(mean > np.nan_to_num(tolerance), 0.0, 1.0)
        above = np.where(wide > 0, stdtr(wide_df, -mean / wide), known)
        apart = np.where(
            error > 0,
            stdtr(df, (np.abs(mean) - tolerance) / error),
            np.where(np.abs(mean) <= tolerance, 0.0, 1.0),
        )
    p, risk = np.minimum(chosen_from * holm(above), 1.0), 1 - CONFIDENCE
    equal = np.full(len(p), math.nan) if math.isnan(tolerance) else holm(np.maximum(apart, beyond))
    return [
        Decision(
            Verdict.EQUAL if e < risk else Verdict.AHEAD if q < risk else Verdict.OPEN,
            float(q),
            float(e),
            needed_lead(w, n, chosen_from * len(p)),
        )
        for q, e, w, n in zip(p, equal, wide.tolist(), wide_df.tolist(), strict=True)
    ]


@dataclass(frozen=True)
class Rival:
    """The best model against another one, over the runs in which both have a value.

    Attributes
    ----------
    model : str
        The other.
    verdict : Verdict
        Of the best against it: "ahead", which shows that the rival is behind, "equal", "open" or "untested".
    n : int
        Runs in which both have a value.
    mean : float
        Its own.
    difference, low, high : float
        How far the best is ahead, in units of the metric, with the 95% interval of this pair alone; NaN
        where there is none.
    p, p_equal : float
        Of "the best is not ahead" and of "they differ by more than the tolerance", adjusted; NaN where
        untested.
    needs : float
        Lead of the best over it that such runs would show in 8 of 10 cases; NaN where that is not known.
    better, equal : int
        Shared runs in which the best beats and equals the other.
    ranked : bool
        Whether it has values of as many runs as the best; its mean may be flattered by the runs it lacks.
    reason : str
        Why it is untested.
    """

    model: str
    verdict: Verdict
    n: int
    mean: float
    difference: float
    low: float
    high: float
    p: float
    p_equal: float
    needs: float
    better: int
    equal: int
    ranked: bool
    reason: str


@dataclass(frozen=True)
class Judgement:
    """The best of several models over the same runs, against all others.

    Attributes
    ----------
    best : str
        Of the models with the most runs, the (first) one with the best mean; empty if no value is defined.
    tied : tuple of str
        Models with as many runs and the same mean, rounding aside.
    mean, std, low, high : float
        Of the best: mean, standard deviation over the runs, 95% interval of the mean.
    n, m : int
        Runs in which the best has a value, of those there are.
    tolerance : float
        Differences up to this are of no practical importance; NaN if that is not known.
    higher_is_better : bool
    units : Units
        Rows, positives or groups of a test part that a value is the mean of.
    rivals : tuple of Rival
        All others with a value, best mean first, those with fewer runs last.
    asked : str
        The best of the models other than the one that was named beforehand; empty if none was.
    answer : Rival or None
        That model against the named one, adjusted for no more than the choice among the others.
    """

    best: str
    tied: tuple[str, ...]
    mean: float
    std: float
    low: float
    high: float
    n: int
    m: int
    tolerance: float
    higher_is_better: bool
    units: Units
    rivals: tuple[Rival, ...]
    asked: str
    answer: Rival | None

    @property
    def ranked(self) -> tuple[Rival, ...]:
        """The rivals with as many runs as the best."""
        return tuple(r for r in self.rivals if r.ranked)

    @property
    def unranked(self) -> tuple[str, ...]:
        """The models with fewer runs than the best."""
        return tuple(r.model for r in self.rivals if not r.ranked)

    @property
    def verdict(self) -> Verdict | Literal[""]:
        """The best against the next; empty without a next one."""
        return self.ranked[0].verdict if self.ranked else ""

    @property
    def first(self) -> tuple[str, ...]:
        """The best and those with its mean."""
        return (self.best, *self.tied) if self.best else ()

    @property
    def means(self) -> dict[str, float]:
        """The mean of each model that has a value, the best first."""
        return {self.best: self.mean} | {r.model: r.mean for r in self.rivals} if self.best else {}

    @property
    def scores(self) -> dict[str, float]:
        """The mean of each model that is ranked, negated where lower is better."""
        sign = 1 if self.higher_is_better else -1
        return {m: sign * mean for m, mean in self.means.items() if m not in self.unranked}

    def of(self, verdict: Verdict) -> tuple[str, ...]:
        """Return the ranked rivals with a verdict, without those that share the best mean."""
        return tuple(r.model for r in self.ranked if r.verdict == verdict and r.model not in self.tied)

    @property
    def not_behind(self) -> tuple[str, ...]:
        """The best and all that were tested and not shown to be behind it."""
        return (*self.first, *self.of(Verdict.EQUAL), *self.of(Verdict.OPEN))

    def state(self, model: str) -> Verdict:
        """Return "best", the verdict against the model, "unranked" or, where it has no value, "absent"."""
        if model in self.first:
            return Verdict.BEST
        rival = next((r for r in self.rivals if r.model == model), None)
        return Verdict.ABSENT if rival is None else rival.verdict if rival.ranked else Verdict.UNRANKED


def judge(
    values: Mapping[str, ArrayLike],
    *,
    test_train_ratio: float,
    tolerance: float,
    higher_is_better: bool = True,
    units: Units = UNKNOWN,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    against: str = "",
) -> Judgement:
    """Find the best of several models over the same runs, and compare it with each of the others.

    Parameters
    ----------
    values : mapping of str to array-like of shape (n,)
        Model -> its value in each run, not finite where it has none.
    test_train_ratio : float
        Test items per training item, 1 / (K - 1) for K-fold cross-validation: how much the runs overlap. NaN
        if it is not known: then nothing is tested.
    tolerance : float
        Differences from -tolerance to tolerance are of no practical importance, see `default_tolerance`.
    higher_is_better : bool
    units : Units
        Rows, positives or groups of a test part that a value is the mean of, as ``(100, True)`` for the 100
        rows of precision@k. Without them no models are equal because no run differs.
    bounds : (float, float)
        Least and greatest value of the metric.
    against : str
        A model that was named before the runs: the best of the others is tested against it, apart.

    Returns
    -------
    Judgement

    Raises
    ------
    ValueError
        If the tolerance is negative.

    Notes
    -----
    It speaks of this data set only. Nothing is imputed: a pair is compared over the runs both have.

    References
    ----------
    Nadeau and Bengio (2003), "Inference for the generalization error", Machine Learning 52. Holm (1979), "A
    simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6. Schuirmann
    (1987), "A comparison of the two one-sided tests procedure and the power approach for assessing the
    equivalence of average bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15.
    Satterthwaite (1946), "An approximate distribution of estimates of variance components", Biometrics 2.

    Examples
    --------
    >>> found = judge({"a": [0.9, 0.8, 0.9, 0.7, 0.9], "b": [0.5, 0.5, 0.4, 0.4, 0.5]},
    ...               test_train_ratio=0.25, tolerance=0.01)
    >>> found.best, found.verdict
    ('a', 'ahead')
    """
    if tolerance < 0:
        raise ValueError(f"tolerance must be at least 0, in units of the metric, got {tolerance}")
    sign = 1.0 if higher_is_better else -1.0
    scores = {model: sign * np.asarray(per_run, dtype=float) for model, per_run in values.items()}
    known = {model: per_run[np.isfinite(per_run)] for model, per_run in scores.items()}
    known = {model: per_run for model, per_run in known.items() if per_run.size}
    m = max((per_run.size for per_run in scores.values()), default=0)
    if not known:
        nan = math.nan
        return Judgement(
            "", (), nan, nan, nan, nan, 0, m, tolerance, higher_is_better, Units(*units), (), "", None
        )
    most = max(per_run.size for per_run in known.values())
    # fsum: the same numbers in another order have the same mean
    means = {model: math.fsum(per_run) / per_run.size for model, per_run in known.items()}
    order = sorted(known, key=lambda model: (known[model].size < most, -means[model]))
    best, others = order[0], order[1:]
    full = [model for model in others if known[model].size == most]
    rule = _Rule(test_train_ratio, tolerance, Units(*units), bounds[1] - bounds[0])

    def rivals(first: str, models: Sequence[str], chosen_from: int | None = None) -> Iterator[Rival]:
        pairs = [_paired(scores[first], scores[model]) for model in models]
        for model, d, decision in zip(models, pairs, rule.decisions(pairs, chosen_from), strict=True):
            yield rule.rival(model, model in order[: len(full) + 1], sign * means[model], d, decision)

    low, high = interval(sign * known[best], test_train_ratio, units=rule.units, bounds=bounds)
    asked = next(model for model in order if model != against) if against in known and others else ""
    return Judgement(
        best,
        tuple(model for model in full if not difference(means[best], means[model])),
        sign * means[best],
        float(np.std(known[best], ddof=1)) if most > 1 else math.nan,
        low,
        high,
        most,
        m,
        tolerance,
        higher_is_better,
        rule.units,
        tuple(rivals(best, others)),
        asked,
        next(rivals(asked, [against], len(others))) if asked else None,
    )


def judge_pair(
    values: Mapping[str, ArrayLike], first: str, second: str, test_train_ratio: float, judged: Judgement
) -> tuple[str, Rival]:
    """Compare two models that were chosen afterwards; return the better one, and the other as its rival.

    `judged` is the judgement of the same `values`. p is two-sided, adjusted by Holm for all pairs of models:
    if all are equal, any pair is called apart with a probability of at most 5%, whichever is asked about.
    """
    sign = 1.0 if judged.higher_is_better else -1.0
    scores = {model: sign * np.asarray(per_run, dtype=float) for model, per_run in values.items()}
    pairs = {}
    for a, b in combinations(scores, 2):
        d = _paired(scores[a], scores[b])
        if d.sum() < 0:
            a, b, d = b, a, -d
        pairs[a, b] = d
    span = math.inf if math.isnan(judged.tolerance) else judged.tolerance / TOLERANCE
    rule = _Rule(test_train_ratio, judged.tolerance, judged.units, span)
    decisions = dict(zip(pairs, rule.decisions(list(pairs.values()), 2), strict=True))
    pair = (first, second) if (first, second) in pairs else (second, first)
    better, other = pair
    mean = judged.means.get(other, math.nan)
    return better, rule.rival(other, other not in judged.unranked, mean, pairs[pair], decisions[pair])


def _paired(best: Floats, other: Floats) -> Floats:
    """Return the differences of the runs both have, rounding errors as zeros."""
    shared = np.isfinite(best) & np.isfinite(other)
    return differences(best[shared], other[shared], 0)[0]


class _Rule(NamedTuple):
    """Rule by which all pairs of models are tested."""

    ratio: float
    tolerance: float
    units: Units
    span: float

    def decisions(self, pairs: Sequence[Floats], chosen_from: int | None) -> list[Decision]:
        """Decide for each pair, from its differences; the first was chosen from so many, or from all."""
        tested = [d for d in pairs if not self.refusal(d.size)]
        errors = [scaled_error(d, self.ratio) for d in tested]
        squares = np.square([error for error in errors if error > 0])
        pooled = math.sqrt(squares.mean()) if squares.size else 0.0
        errors = [error or (pooled if d.any() else 0.0) for d, error in zip(tested, errors, strict=True)]
        dfs = [d.size - 1 for d in tested]
        shared = min(dfs, default=0) * squares.sum() ** 2 / (squares**2).sum() if squares.size else 1.0
        larger = [max(error, pooled) for error in errors]
        of_larger = [df if error > pooled else max(df, shared) for df, error in zip(dfs, errors, strict=True)]
        decided = iter(
            decide(
                [float(d.mean()) for d in tested],
                errors,
                dfs,
                tolerance=self.tolerance,
                chosen_from=chosen_from or len(tested) + 1,
                ahead=(larger, of_larger),
                beyond=[p_beyond(d, self.ratio, self.tolerance, self.units, self.span) for d in tested],
            )
        )
        return [Decision(Verdict.UNTESTED) if self.refusal(d.size) else next(decided) for d in pairs]

    def refusal(self, n: int) -> str:
        """Return why so many shared runs are not tested; empty if they are."""
        if n < MIN_RUNS:
            return f"{count_noun(n, 'shared run')}, {MIN_RUNS} needed"
        if not 0 < self.ratio < math.inf:
            return "the sizes of training and test parts are not known"
        return ""

    def rival(self, model: str, ranked: bool, mean: float, d: Floats, decision: Decision) -> Rival:
        """Return a model with the differences of the first to it, and what was decided."""
        return Rival(
            model,
            decision.verdict,
            d.size,
            mean,
            float(d.mean()) if d.size else math.nan,
            *difference_interval(d, self.ratio, units=self.units, span=self.span),
            decision.p,
            decision.p_equal,
            decision.needs,
            int((d > 0).sum()),
            int((d == 0).sum()),
            ranked,
            self.refusal(d.size),
        )
