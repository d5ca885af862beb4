"""Interval and verdict of paired runs: the one rule of whether a difference is real.

Every place that says of two models which is better asks this module: `attop.compare_at_top`, the report's
tables, map, cards and LaTeX, the model card, the papers' pages. A verdict is about the best model against
another one, and has four outcomes:

==========  ================================================================================================
ahead       the best is shown to be better: corrected resampled t-test, p below 5% after its adjustment
equal       shown to be within the tolerance: two one-sided tests, and enough rows of which few differ
open        neither is shown
untested    fewer than `MIN_RUNS` shared runs, or it is not known how much their training parts overlap
==========  ================================================================================================

Whether the best *is* the best is one question, whatever the number of models, and whether a single rival is
behind is another; `attop.experiment._pairs` has the tests of both, and the interval that says the same as the
verdict. If no model is better than another, at most 5% of judgements call any one ahead.

A pair that was named beforehand is a question of its own, which nothing is corrected for but the choice among
the others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attop._core.typing import Floats
from attop._core.wording import count_noun
from attop.experiment._interval import UNKNOWN, Units, difference_interval, interval
from attop.experiment._pairs import (
    Decision,
    Differences,
    Pair,
    compare_all,
    compare_named,
    compare_with_best,
    pairs_of,
    spreads_of,
)
from attop.experiment._verdict import MIN_RUNS, Verdict
from attop.metrics._metric import Metric
from attop.metrics._registry import get_metric
from attop.statistics._rounding import difference

#: Differences up to this share of a metric's range are of no practical importance.
TOLERANCE = 0.01


def default_tolerance(metric: str | Metric) -> float:
    """Choose the largest difference of no practical importance: 0.01 for metrics from 0 to 1.

    It is a hundredth of the metric's range; NaN if the metric has no bounds.
    """
    low, high = get_metric(metric).bounds
    return TOLERANCE * (high - low) if math.isfinite(high - low) else math.nan


@dataclass(frozen=True)
class Rival:
    """The best model against another one, over the runs in which both have a value.

    Attributes
    ----------
    model : str
        Name of the other model.
    verdict : Verdict
        Of the best against it: "ahead", which shows that the rival is behind, "equal", "open" or "untested".
    n : int
        Runs in which both have a value.
    mean : float
        Mean of this model.
    difference, low, high : float
        How far the best is ahead, in units of the metric, with the interval of the test that gave the
        verdict: it is above zero exactly where the best is ahead, and within the tolerance exactly where they
        are equal. At 95%, of this pair alone where the best is shown to be best, else wider, since several
        are asked; NaN where there is none.
    p, p_equal : float
        Of "the best is not ahead" and of "they differ by more than the tolerance", adjusted; NaN where
        untested.
    least, needs : float
        Least lead over it that these runs, with their error, would have shown, and the one that such runs
        show in 8 of 10 cases; NaN where no lead in the metric's range is.
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
    least: float
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
        """The best against the `nearest`; empty without one."""
        return self.nearest.verdict if self.nearest else ""

    @property
    def nearest(self) -> Rival | None:
        """The first of the ranked rivals that is not shown to be behind, else the first; None without any."""
        not_behind = (
            rival for rival in self.ranked if rival.verdict is not Verdict.AHEAD
        )
        return next(not_behind, self.ranked[0] if self.ranked else None)

    @property
    def p(self) -> float:
        """Adjusted p of "the best is not better than every other ranked model"; NaN where one is untested."""
        return (
            float(np.max([rival.p for rival in self.ranked]))
            if self.ranked
            else math.nan
        )

    @property
    def is_shown(self) -> bool:
        """True if the best is shown to be better than every other ranked model."""
        return bool(self.ranked) and all(rival.low > 0 for rival in self.ranked)

    @property
    def first(self) -> tuple[str, ...]:
        """The best and those with its mean."""
        return (self.best, *self.tied) if self.best else ()

    @property
    def means(self) -> dict[str, float]:
        """The mean of each model that has a value, the best first."""
        if not self.best:
            return {}
        return {self.best: self.mean} | {
            rival.model: rival.mean for rival in self.rivals
        }

    @property
    def scores(self) -> dict[str, float]:
        """The mean of each model that is ranked, negated where lower is better."""
        sign = 1 if self.higher_is_better else -1
        return {
            m: sign * mean
            for m, mean in self.means.items()
            if m not in self.unranked
        }

    def of(self, verdict: Verdict) -> tuple[str, ...]:
        """Select the ranked rivals with a verdict, without those that share the best mean."""
        return tuple(
            r.model
            for r in self.ranked
            if r.verdict == verdict and r.model not in self.tied
        )

    @property
    def not_behind(self) -> tuple[str, ...]:
        """The best and all that were tested and not shown to be behind it."""
        return (*self.first, *self.of(Verdict.EQUAL), *self.of(Verdict.OPEN))

    def state(self, model: str) -> Verdict:
        """Describe a model: "best", the verdict against it, "unranked" or, without a value, "absent"."""
        if model in self.first:
            return Verdict.BEST
        rival = next((r for r in self.rivals if r.model == model), None)
        return (
            Verdict.ABSENT
            if rival is None
            else rival.verdict
            if rival.ranked
            else Verdict.UNRANKED
        )


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
    Nadeau and Bengio (2003), "Inference for the generalization error", Machine Learning 52. Gutmann and
    Maymin (1987), "Is the selected population the best?", Annals of Statistics 15. Hung and Fithian (2019),
    "Rank verification for exponential families", Annals of Statistics 47. Holm (1979), "A
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
        raise ValueError(
            f"tolerance must be at least 0, in units of the metric, got {tolerance}"
        )
    sign = 1.0 if higher_is_better else -1.0
    scores = _scores(values, sign)
    finite = {
        model: per_run[np.isfinite(per_run)] for model, per_run in scores.items()
    }
    finite = {model: per_run for model, per_run in finite.items() if per_run.size}
    m = max((per_run.size for per_run in scores.values()), default=0)
    if not finite:
        return Judgement(
            best="",
            tied=(),
            mean=math.nan,
            std=math.nan,
            low=math.nan,
            high=math.nan,
            n=0,
            m=m,
            tolerance=tolerance,
            higher_is_better=higher_is_better,
            units=Units(*units),
            rivals=(),
            asked="",
            answer=None,
        )
    most = max(per_run.size for per_run in finite.values())
    # fsum: the same numbers in another order have the same mean
    means = {
        model: math.fsum(per_run) / per_run.size
        for model, per_run in finite.items()
    }
    order = sorted(
        finite, key=lambda model: (finite[model].size < most, -means[model])
    )
    best, others = order[0], order[1:]
    full = [model for model in others if finite[model].size == most]
    rule = _Rule(test_train_ratio, tolerance, Units(*units), bounds[1] - bounds[0])

    def rival(model: str, d: Differences, decision: Decision) -> Rival:
        return rule.rival(
            model, model in (best, *full), sign * means[model], d, decision
        )

    differences = [Differences.of(scores[best], scores[model]) for model in others]
    decisions = rule.of_best(differences, [model in full for model in others])
    rivals = [
        rival(*comparison)
        for comparison in zip(others, differences, decisions, strict=True)
    ]
    asked, answer = "", None
    if against in finite and others:
        asked = best if best != against else others[0]
        d = Differences.of(scores[asked], scores[against])
        of_best = decisions[others.index(against)] if asked == best else None
        answer = rival(against, d, rule.of_named(d, len(others), of_best))
    low, high = interval(
        sign * finite[best], test_train_ratio, units=rule.units, bounds=bounds
    )
    return Judgement(
        best=best,
        tied=tuple(
            model for model in full if not difference(means[best], means[model])
        ),
        mean=sign * means[best],
        std=float(np.std(finite[best], ddof=1)) if most > 1 else math.nan,
        low=low,
        high=high,
        n=most,
        m=m,
        tolerance=tolerance,
        higher_is_better=higher_is_better,
        units=rule.units,
        rivals=tuple(rivals),
        asked=asked,
        answer=answer,
    )


def judge_pair(
    values: Mapping[str, ArrayLike],
    first: str,
    second: str,
    test_train_ratio: float,
    judged: Judgement,
) -> tuple[str, Rival]:
    """Compare two models that were chosen afterwards; return the better one, and the other as its rival.

    `judged` is the judgement of the same `values`. It is the answer where one of the two is the best. Of two
    others p is two-sided, adjusted by Holm for all pairs of models: if all are equal, any pair is called
    apart with a probability of at most 5%, whichever is asked about.
    """
    if judged.best in (first, second):
        other = second if first == judged.best else first
        planned = next(
            (rival for rival in judged.rivals if rival.model == other), None
        )
        if planned is not None:
            return judged.best, planned
    scores = _scores(values, 1.0 if judged.higher_is_better else -1.0)
    pairs = {}
    for a, b in combinations(scores, 2):
        d = Differences.of(scores[a], scores[b])
        if d.values.sum() < 0:
            a, b, d = b, a, -d
        pairs[a, b] = d
    span = (
        math.inf if math.isnan(judged.tolerance) else judged.tolerance / TOLERANCE
    )
    rule = _Rule(test_train_ratio, judged.tolerance, judged.units, span)
    decisions = dict(zip(pairs, rule.of_all(list(pairs.values())), strict=True))
    pair = (first, second) if (first, second) in pairs else (second, first)
    better, other = pair
    mean = judged.means.get(other, math.nan)
    return better, rule.rival(
        other, other not in judged.unranked, mean, pairs[pair], decisions[pair]
    )


def _scores(values: Mapping[str, ArrayLike], sign: float) -> dict[str, Floats]:
    return {m: sign * np.asarray(runs, dtype=float) for m, runs in values.items()}


class _Rule(NamedTuple):
    """Ratio, tolerance, units and range that the tests of all pairs have in common."""

    ratio: float
    tolerance: float
    units: Units
    span: float

    def of_best(
        self, differences: Sequence[Differences], full: Sequence[bool]
    ) -> list[Decision]:
        """Decide of the best against each other one; `full` are those that have as many runs."""
        tested = [not self.refusal(d.values.size) for d in differences]
        all_tested = all(
            is_tested
            for is_tested, is_full in zip(tested, full, strict=True)
            if is_full
        )
        pairs = self._pairs(differences, of_best=True)
        candidates = [
            is_full and all_tested
            for is_tested, is_full in zip(tested, full, strict=True)
            if is_tested
        ]
        return self._with_refused(
            differences, compare_with_best(pairs, candidates, self.tolerance)
        )

    def of_named(
        self, d: Differences, chosen_from: int, of_best: Decision | None
    ) -> Decision:
        """Decide between the best and a named rival; a proof that it is the best of all counts too."""
        named = [
            compare_named(pair, chosen_from, self.tolerance)
            for pair in self._pairs([d])
        ]
        (decision,) = self._with_refused([d], named)
        is_shown = of_best is not None and of_best.verdict is not Verdict.OPEN
        return (
            of_best
            if of_best and is_shown and decision.verdict is Verdict.OPEN
            else decision
        )

    def of_all(self, differences: Sequence[Differences]) -> list[Decision]:
        """Decide of all pairs."""
        return self._with_refused(
            differences, compare_all(self._pairs(differences), self.tolerance)
        )

    def _pairs(
        self, differences: Sequence[Differences], *, of_best: bool = False
    ) -> list[Pair]:
        tested = [d for d in differences if not self.refusal(d.values.size)]
        spreads = spreads_of(tested) if of_best else np.zeros(len(tested))
        return pairs_of(tested, self.ratio, self.units, self.span, spreads)

    def _with_refused(
        self, differences: Sequence[Differences], decisions: Sequence[Decision]
    ) -> list[Decision]:
        """Put the decisions of those that were tested among those that were not."""
        decided = iter(decisions)
        return [
            Decision(Verdict.UNTESTED)
            if self.refusal(d.values.size)
            else next(decided)
            for d in differences
        ]

    def refusal(self, n: int) -> str:
        """Explain why `n` shared runs are not tested; empty if they are."""
        if n < MIN_RUNS:
            return f"{count_noun(n, 'shared run')}, {MIN_RUNS} needed"
        if not 0 < self.ratio < math.inf:
            return "the sizes of training and test parts are not known"
        return ""

    def rival(
        self,
        model: str,
        ranked: bool,
        mean: float,
        d: Differences,
        decision: Decision,
    ) -> Rival:
        """Make the record of a rival: the differences of the first model to it, and what was decided."""
        low, high = decision.low, decision.high
        if decision.verdict is Verdict.UNTESTED:
            low, high = difference_interval(
                d.values, self.ratio, units=self.units, span=self.span
            )
        return Rival(
            model=model,
            verdict=decision.verdict,
            n=d.values.size,
            mean=mean,
            difference=d.mean,
            low=low,
            high=high,
            p=decision.p,
            p_equal=decision.p_equal,
            least=decision.least,
            needs=decision.needs,
            better=int((d.values > 0).sum()),
            equal=int((d.values == 0).sum()),
            ranked=ranked,
            reason=self.refusal(d.values.size),
        )
