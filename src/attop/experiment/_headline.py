"""Judgement of a data set at a top, regret over data sets, and the headline."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from attop._core.top import Top, main_top
from attop._core.wording import (
    capitalise,
    count_noun,
    format_hits,
    format_sum,
    join_words,
)
from attop.experiment._interval import Units
from attop.experiment._judge import (
    Judgement,
    Rival,
    default_tolerance,
    judge,
)
from attop.experiment._pairs import RISK, Differences
from attop.experiment._verdict import MIN_RUNS, Verdict
from attop.metrics._metric import Metric
from attop.statistics._ranks import holm
from attop.statistics._regrets import complete_block, regret
from attop.statistics._rounding import difference

if TYPE_CHECKING:
    import pandas as pd

#: Most words of a headline.
_WORDS = 40
#: A regret is shown as hits in a list of this many rows.
_OF = 100


@dataclass(frozen=True)
class TopJudgement(Judgement):
    """The best model of a data set by a metric at one top, against all others.

    Attributes
    ----------
    dataset, metric, top : str
    k : int or None
        Items that the top has in the list a reader looks at; None if that is not known.
    random_baseline : float
        The metric's value of a random order; NaN if that is not known.
    grouped : bool
        Whether there is a list for each group.
    needs_top : bool
        Whether the metric looks at the top alone, rather than at the whole list.
    """

    dataset: str
    metric: str
    top: str
    k: int | None
    random_baseline: float
    grouped: bool
    needs_top: bool

    @property
    def place(self) -> str:
        """Part of the list that the metric looks at, in words."""
        return f"at {self.top}" if self.needs_top else "over the whole list"

    @property
    def in_hits(self) -> bool:
        """True if the metric counts positives among the first k."""
        return self.metric == "precision@k"

    @property
    def in_sums(self) -> bool:
        """True if the metric, times k, is what the positives among the first k are worth."""
        return self.metric == "amount@k"

    @property
    def factor(self) -> float:
        """Factor of a value where a reader sees it: k if the metric is a sum divided by k, else 1."""
        return float(self.k or 100) if self.in_sums else 1.0

    def found(self, value: float) -> str:
        """Format a value of the metric, as hits or a sum if it counts them."""
        k = self.k or 100
        if self.in_sums:
            return f"{format_sum(k * value)} in the first {k:,}{' per group' * self.grouped}"
        if not self.in_hits:
            return format_sum(value) if abs(value) >= 1e4 else f"{value:.3g}"
        return f"{format_hits(k * value, k)} of {k:,}{' per group' * self.grouped}"

    def beside(self, rival: Rival) -> str:
        """Say how near equal is, or what could have been shown."""
        if rival.verdict is Verdict.EQUAL:
            return f", within {self.tolerance:g}"
        if rival.verdict is not Verdict.OPEN:
            return ""
        runs = f"with {count_noun(rival.n, 'run')}"
        if math.isnan(rival.least):
            return f": {runs} no lead can be shown"
        return f": {runs} a lead below {self.found(rival.least)} cannot be shown"


def judge_top(
    values: Mapping[str, ArrayLike],
    metric: Metric,
    top: Top,
    *,
    dataset: str,
    test_train_ratio: float,
    n: int | None,
    share: float | None,
    grouped: bool,
    units: Units,
    against: str = "",
) -> TopJudgement:
    """Judge models by a metric at a top, of a list of `n` items of which a `share` is positive, if known.

    `units` are those of a test part.

    A random order has 1/2 of the area under the ROC curve, and without groups the share as precision@k.
    """
    tolerance = default_tolerance(metric)
    better = metric.higher_is_better
    judgement = judge(
        values,
        test_train_ratio=test_train_ratio,
        tolerance=tolerance,
        higher_is_better=better,
        units=units,
        bounds=metric.bounds,
        against=against,
    )
    baseline = {
        "auc": 0.5,
        "precision@k": math.nan if share is None or grouped else share,
    }
    try:
        k = (
            top.k
            if top.k is not None
            else top.resolve(n or 0, round((share or 0.0) * (n or 0)))
        )
    except ValueError:
        k = None
    return TopJudgement(
        **vars(judgement),
        dataset=dataset,
        metric=metric.name,
        top=str(top),
        k=k,
        random_baseline=baseline.get(metric.name, math.nan),
        grouped=grouped,
        needs_top=metric.needs_top,
    )


def warn_of_plan(n: int, least: float = math.nan, k: int = 100) -> str:
    """Warn of a plan whose runs cannot show a lead, or only one above `least`; empty if all is well."""
    if n < MIN_RUNS:
        runs = count_noun(n, "run")
        return f"{runs} a method cannot be tested: plan {MIN_RUNS}, by more folds or repeats"
    return (
        f"a lead below {format_hits(k * least, k)} of {k:,} cannot be shown"
        if least > 0
        else ""
    )


def headline(
    judgements: Sequence[TopJudgement], titles: Mapping[str, str] | None = None
) -> str:
    """Say in at most 40 words who finds the most, by how much, and whether that is shown.

    Of one data set at its main top; of several the model of least `mean_regrets`, unless another, with
    results on at least half of the sets, finds more where both have some. It is named the best where a test
    of its mean over the sets shows it, else the nearest. At how many tops it is shown ahead holds over all
    tops at once.

    Parameters
    ----------
    judgements : sequence of TopJudgement
        Of one metric a data set.
    titles : mapping of str to str, optional
        Model -> name shown.
    """
    decided = [judged for judged in judgements if judged.best]
    compared = [judged for judged in decided if judged.ranked]
    if not decided:
        return "No method has a defined value."
    sentence = ""
    every = {
        m: (titles or {}).get(m, m) for judged in decided for m in judged.means
    }
    for words in (5, 3, 2):  # that a long title keeps
        names = _short(every, words)
        if len({judged.dataset for judged in judgements}) == 1:
            main = main_top(judged.top for judged in decided)
            sentence = _of_one(
                next(judged for judged in decided if judged.top == main), names
            )
        else:
            sentence = (
                _of_several(compared, names)
                if compared
                else "No two methods can be compared."
            )
        if len(sentence.split()) <= _WORDS:
            break
    return sentence


def _short(titles: Mapping[str, str], words: int) -> dict[str, str]:
    """Shorten titles: to their first bracket and few words, unless two would then be the same."""
    parts = {
        model: title.partition(" (")[0].split() for model, title in titles.items()
    }
    short = {}
    for model, title_words in parts.items():
        ending = "…" if len(title_words) > words else ""
        short[model] = " ".join(title_words[:words]) + ending
    times = Counter(short.values())
    return {
        model: text if times[text] == 1 else titles[model]
        for model, text in short.items()
    }


def _of_one(judged: TopJudgement, names: Mapping[str, str]) -> str:
    best = name_models(judged.first, names)
    others = [r for r in judged.ranked if r.model not in judged.tied]
    value = judged.found(judged.mean)
    finds, has = ("find", "have") if judged.tied else ("finds", "has")
    if judged.in_hits or judged.in_sums:
        baseline = judged.random_baseline
        times = (
            f", {judged.mean / baseline:.2g} times chance" if baseline > 0 else ""
        )
        amount = "an amount of " if judged.in_sums else ""
        sentence = f"{best} {finds} {amount}{value}{times}."
    else:
        sentence = f"{best} {has} {judged.metric} {value} {judged.place}."
    if not others:
        untested = judged.verdict == Verdict.UNTESTED
        return (
            f"{sentence} Not tested: {judged.ranked[0].reason}."
            if untested
            else sentence
        )
    if judged.answer:
        asked = names[judged.asked]
        rival = judged.answer
        answer = rival.verdict.sentence(_named(judged, rival, names), "better than")
        return f"{sentence} As asked beforehand, {asked} is {answer}{judged.beside(rival)}."
    return f"{sentence} {_beside_others(judged, others, names)}."


def _named(judged: TopJudgement, rival: Rival, names: Mapping[str, str]) -> str:
    return f"{names[rival.model]} ({judged.found(rival.mean)})"


def _beside_others(
    judged: TopJudgement, others: Sequence[Rival], names: Mapping[str, str]
) -> str:
    """Say whether the best is shown to be better than the others, and if not than which."""
    first = others[0]
    second = _named(judged, first, names)
    if first.verdict is Verdict.UNTESTED:
        return f"Next: {second}. Not tested: {first.reason}"
    rival = next((r for r in others if r.verdict is not Verdict.AHEAD), None)
    if rival is None and len(others) > 1:
        all_others = (
            "both others" if len(others) == 2 else f"all {len(others)} others"
        )
        return f"Shown to be better than {all_others}; next: {second}"
    if rival is None or rival is first or rival.verdict is Verdict.UNTESTED:
        return capitalise(
            first.verdict.sentence(second, "better than")
        ) + judged.beside(first)
    third = _named(judged, rival, names)
    so = "only equal to" if rival.verdict is Verdict.EQUAL else "not than"
    return f"Shown to be better than {second}, {so} {third}{judged.beside(rival)}"


def _of_several(
    judgements: Sequence[TopJudgement], names: Mapping[str, str]
) -> str:
    scores = _in_tolerances(judgements)
    lost = regrets(judgements)
    mean = lost.mean(skipna=False)
    if len(mean) < 2 or mean.isna().any():
        return _by_times(judgements, names)
    order = [str(model) for model in mean.sort_values(kind="stable").index]
    first = [
        model for model in order if not difference(mean[model], mean[order[0]])
    ]
    behind = [format_hits(mean[model], _OF) for model in order]
    unit = _unit(judgements, mean[order[0]])
    over = _share_of_sets(scores, lost)
    if len(first) == len(mean):
        return f"All {len(mean)} methods are equal on average.{count_shown(judgements, first)[1]}{over}"
    rival = order[len(first)]
    if better := _better_where_both_are(scores, first[0]):
        where = f"{names[better]} finds more than {names[first[0]]} where both have results"
        return f"No method is named best: {where}.{over}"
    sentence = count_shown(judgements, first)[1]
    if not is_best_on_average(lost, first):
        best = f"{name_models(first, names)} ({behind[0]} {unit} behind)"
        next_ = f"{names[rival]} ({behind[len(first)]})"
        start = (
            "No method is shown to be best on average; nearest to each set’s best"
        )
        return f"{start}: {best}, {next_}.{sentence}{over}"
    find, are = ("finds", "is") if len(first) == 1 else ("find", "are")
    finds = f"{find} the most" if unit == "of 100" else f"{are} best on average"
    start = f"{name_models(first, names)} {finds}: {behind[0]} {unit} behind each set’s best"
    return f"{start}; {names[rival]}, next, {behind[len(first)]}.{sentence}{over}"


def _unit(judgements: Sequence[TopJudgement], value: float) -> str:
    """Choose the unit of a mean regret: hits, points of one metric, or shares of the ranges of several."""
    if all(judged.in_hits for judged in judgements):
        return "of 100"
    metrics = {judged.metric for judged in judgements}
    is_one = format_hits(value, _OF) == "1"
    if len(metrics) > 1:
        return (
            "hundredth of a metric’s range"
            if is_one
            else "hundredths of a metric’s range"
        )
    point = "point" if is_one else "points"
    return f"{point} of {metrics.pop()}"


def _share_of_sets(scores: pd.DataFrame, lost: pd.DataFrame) -> str:
    """Say how many of the data sets a mean is over, and how many methods lack some; empty if none."""
    n = len(set(scores.index))
    lacking = scores.shape[1] - lost.shape[1]
    if not lacking and len(lost) == n:
        return ""
    sets = f"{n} sets" if len(lost) == n else f"{len(lost)} of {n} sets"
    if not lacking:
        return f" Over {sets}."
    lack = "lacks" if lacking == 1 else "lack"
    return f" Over {sets}; {count_noun(lacking, 'method')} {lack} results on some."


def is_best_on_average(lost: pd.DataFrame, first: Sequence[str]) -> bool:
    """Test whether the first models are shown to lose less over the data sets than each of the others.

    A t-test of the mean difference over the data sets, two-sided, against every other model, as in the
    question "Who is best?" of `attop.experiment._pairs`: data sets are independent. On fewer than five
    nothing is shown.

    Parameters
    ----------
    lost : DataFrame, data sets x models
        Regret, least of the first.
    first : sequence of str
        Models of the least mean.
    """
    others = [model for model in lost if model not in first]
    if len(lost) < MIN_RUNS:
        return False
    pairs = [
        Differences.of(lost[b].to_numpy(), lost[a].to_numpy())
        for a in first
        for b in others
    ]
    return all(d.mean > d.error(0.0).reach(RISK / 2) for d in pairs)


def _in_tolerances(judgements: Sequence[TopJudgement]) -> pd.DataFrame:
    """Tabulate the means of the ranked models in units of the metric's tolerance, one row a judgement."""
    import pandas as pd

    scores = pd.DataFrame(
        [one.scores for one in judgements],
        index=[one.dataset for one in judgements],
    )
    return scores.div([one.tolerance for one in judgements], axis=0)


def regrets(judgements: Sequence[TopJudgement]) -> pd.DataFrame:
    """Compute the regret of each model on the data sets that all of them share, of shape data sets x models.

    The mean over its tops of what the best of them has more, in hundredths of the metric's range. Models and
    data sets that lack most are left out, see `complete_block`.
    """
    scores = _in_tolerances(judgements)
    block, _, _ = complete_block(scores.notna().groupby(level=0, sort=False).all())
    lost = regret(
        scores.loc[scores.index.isin(block.index), list(block.columns)],
        higher_is_better=True,
    )
    return lost.groupby(level=0, sort=False).mean()


def mean_regrets(judgements: Sequence[TopJudgement]) -> dict[str, float]:
    """Average `regrets` over the data sets, by model."""
    return {
        str(model): float(lost)
        for model, lost in regrets(judgements).mean(skipna=False).items()
    }


def _better_where_both_are(scores: pd.DataFrame, first: str) -> str:
    """Find the model that is furthest ahead of the first over the data sets they share; empty if none is.

    With less than half of the data sets it does not count: it was left out of most on purpose.
    """
    of_sets = scores.sub(scores[first], axis=0).groupby(level=0, sort=False).mean()
    ahead = of_sets.loc[:, 2 * of_sets.count() >= len(of_sets)].mean().drop(first)
    return (
        str(ahead.idxmax())
        if (ahead > 0).any() and difference(ahead.max(), 0.0) > 0
        else ""
    )


def _by_times(judgements: Sequence[TopJudgement], names: Mapping[str, str]) -> str:
    """Name the model that has the best mean most often, where means have no unit or most are missing."""
    times = Counter(model for judged in judgements for model in judged.first)
    first = [model for model, n in times.items() if n == max(times.values())]
    shown, sentence = count_shown(judgements, first)
    has = "has" if len(first) == 1 else "have"
    most = f"{name_models(first, names)} most often {has} the best mean"
    start = "No method is shown to be best; " if shown == 0 else ""
    return f"{start}{most}, {_where(times[first[0]], judgements)}.{sentence}"


def _where(n: int, judgements: Sequence[TopJudgement]) -> str:
    """Say at how many tops, or on how many data sets where each has one."""
    if len({one.dataset for one in judgements}) == len(judgements) > 1:
        return f"on {n} of {len(judgements)} data sets"
    return f"at {n} of {len(judgements)} tops"


def count_shown(
    judgements: Sequence[TopJudgement], first: Sequence[str]
) -> tuple[int | None, str]:
    """Count the tops at which one of the first models is shown ahead, None if none is tested; say it too.

    p-values of all tops are adjusted by Holm, so that the count holds over all of them at once.
    """
    tested = [judged for judged in judgements if not math.isnan(judged.p)]
    if not tested:
        return None, f" No set is tested alone: {judgements[0].ranked[0].reason}."
    p = holm([judged.p for judged in tested])
    ahead = sum(
        judged.best in first and judged.verdict == Verdict.AHEAD and q < RISK
        for judged, q in zip(tested, p, strict=True)
    )
    rest = (
        f", {len(judgements) - len(tested)} not tested"
        if len(tested) < len(judgements)
        else ""
    )
    return (
        ahead,
        f" Shown ahead {_where(ahead, judgements)}{rest}." if ahead else "",
    )


def name_models(
    models: Sequence[str], names: Mapping[str, str], most: int = 2
) -> str:
    """Name the models, or count them where they are many."""
    return (
        join_words([names[m] for m in models])
        if len(models) <= most
        else f"{len(models)} methods"
    )
