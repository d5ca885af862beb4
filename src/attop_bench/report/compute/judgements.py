"""Judgements of all data sets, metrics and tops, once for all parts of the report, and their sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pandas as pd

from attop.experiment import TopJudgement, Units, Verdict, interval, judge_top
from attop.extending import (
    Top,
    count_noun,
    format_p,
    format_small,
    format_sum,
    join_words,
    sort_tops,
)
from attop.metrics import Metric, get_metric
from attop.statistics import rank_rows
from attop_bench.files import Entry
from attop_bench.jobs.limits import OK
from attop_bench.report.compute.tables import MEAN, RUN, Titles, rows_of

#: The method to compare others with, if it takes part: the plainest that is often good enough.
BASELINE = "logistic-regression"
#: What every bar of strip and figures is, see `intervals`.
ERROR_BAR = "95% interval of the mean"
#: Data set, metric and top -> the judgement.
Judgements = dict[tuple[str, str, str], TopJudgement]
#: Most methods in colour.
FEW = 5
#: A mean this many tolerances behind the best has the shade of that place; further behind, the last.
_SHADES = (1, 2, 4, 8, 16)


def shade(judged: TopJudgement, mean: float) -> int:
    """Grade a mean from 0 to 5 by its distance to the best in tolerances."""
    unit = (
        judged.tolerance if judged.tolerance > 0 else 0.01 * abs(judged.mean) or 1.0
    )
    return sum(
        abs(judged.mean - mean) > times * unit * (1 + 1e-6) for times in _SHADES
    )


def rank_methods(
    judgements: Iterable[TopJudgement], methods: Iterable[str]
) -> list[str]:
    """Order methods by mean rank over the tops, where those not ranked are last; equals stay in order."""
    ranks = rank_rows(
        pd.DataFrame(
            [judged.scores for judged in judgements], columns=list(methods)
        )
    )
    return list(
        ranks.rank(axis=1, na_option="bottom")
        .mean()
        .sort_values(kind="stable")
        .index
    )


def highlighted(judged: TopJudgement) -> tuple[str, ...]:
    """Choose the methods in colour: the best and its equals if they are few, else the best."""
    level = (*judged.first, *judged.of(Verdict.EQUAL))
    return level if len(level) <= FEW else judged.first


def split_ratio(runs: pd.DataFrame, dataset: str) -> float:
    """Compute the test items per training item of a data set, all runs together; NaN if unknown."""
    part = rows_of(runs, dataset=dataset, status=OK)
    if not {"n_train", "n_test"} <= set(part.columns):
        return math.nan
    part = part.drop_duplicates(RUN)
    train = part["n_train"].astype(float).sum()
    test = part["n_test"].astype(float).sum()
    return float(test / train) if train > 0 and test > 0 else math.nan


def judge_all(
    evaluation: pd.DataFrame,
    runs: pd.DataFrame,
    datasets: Mapping[str, Entry] | None = None,
    against: str = "",
) -> Judgements:
    """Compare the best method with every other one, for every (data set, metric, top), tops by size.

    `runs` have the sizes of training and test parts, `datasets` are the manifest's entries, `against` is a
    method that was named beforehand.
    """
    judgements = {}
    sizes = dict(list(runs.groupby("dataset", sort=False)))
    for dataset, rows in evaluation.groupby("dataset", sort=False):
        facts = (datasets or {}).get(str(dataset), {})
        items = whole_number(facts, "items")
        positives = whole_number(facts, "positives")
        share = positives / items if items and positives is not None else None
        ratio = split_ratio(sizes.get(dataset, runs.iloc[:0]), str(dataset))
        index = pd.MultiIndex.from_frame(rows[RUN].drop_duplicates())
        # One table of the data set: one for each metric and top takes several times as long.
        wide = rows.pivot(
            index=index.names, columns=["metric", "top", "method"], values="value"
        )
        wide = wide.reindex(index)
        methods = rows.groupby(["metric", "top"])["method"].unique()
        tops = sort_tops(rows["top"])
        for metric in rows["metric"].unique():
            definition = get_metric(str(metric))
            for top in tops:
                judgements[str(dataset), str(metric), top] = judge_top(
                    {
                        m: wide[metric, top, m].to_numpy(np.float64)
                        for m in methods.get((metric, top), ())
                    },
                    definition,
                    size := Top.parse(top),
                    dataset=str(dataset),
                    test_train_ratio=ratio,
                    n=items,
                    share=share,
                    grouped="groups" in facts,
                    units=units_behind(definition, size, ratio, facts),
                    against=against,
                )
    return judgements


def whole_number(facts: Entry, name: str) -> int | None:
    """Look up a count in the manifest's entry of a data set; None where it has none."""
    count = facts.get(name)
    return count if isinstance(count, int) else None


def units_behind(metric: Metric, top: Top, ratio: float, facts: Entry) -> Units:
    """Count the units of a test part that a value is the mean of; `facts` are a data set's entry."""
    if "units" in facts:
        return Units(*facts["units"])
    return Units.of(
        metric,
        top,
        ratio,
        items=whole_number(facts, "items"),
        positives=whole_number(facts, "positives"),
        groups=whole_number(facts, "groups"),
        entities=whole_number(facts, "entities"),
        design_effect=facts.get("design_effect"),
    )


def intervals(
    evaluation: pd.DataFrame,
    runs: pd.DataFrame,
    judgements: Judgements,
) -> pd.DataFrame:
    """Compute the 95% interval of each mean, ``low`` and ``high``: the one error bar of page and figures.

    It is the interval that the judge has for the best (`attop.experiment.interval`), for every method. Its
    ends are NaN with fewer than two values, or where the sizes of the parts are not known.
    """
    ratios = {
        dataset: split_ratio(runs, dataset)
        for dataset in evaluation["dataset"].unique()
    }
    ends = []
    for (dataset, top, metric, method), values in evaluation.groupby(
        MEAN, sort=False
    )["value"]:
        judged = judgements[dataset, metric, top]
        low, high = interval(
            values.to_numpy(float),
            ratios[dataset],
            units=judged.units,
            bounds=get_metric(metric).bounds,
        )
        ends.append((dataset, top, metric, method, low, high))
    table = pd.DataFrame(ends, columns=[*MEAN, "low", "high"])
    return table.astype({"low": float, "high": float})


def reading(judged: TopJudgement, titles: Titles) -> str:
    """State in words whether the best is better."""
    if not judged.best:
        return "No method has a defined value."
    ranked = judged.ranked
    if not ranked:
        words = [f"{titles[judged.best]} has no other method to be compared with."]
    else:
        words = [_about_next(judged, titles)]
        if answer := judged.answer:
            answer_text = answer.verdict.sentence(
                titles[answer.model], "better than"
            )
            beside = f"{judged.beside(answer)}{_in_brackets(answer.p)}"
            words.append(
                f"As asked beforehand, {titles[judged.asked]} is {answer_text}{beside}."
            )
        words.extend(_about_all(judged))
    if judged.unranked:
        words.append(
            f"Not ranked, values on fewer runs: {join_words([titles[m] for m in judged.unranked], 5)}."
        )
    return " ".join(words)


def _about_all(judged: TopJudgement) -> Iterator[str]:
    """Say of how many others the best is shown to be ahead, if several were tested."""
    ranked = judged.ranked
    if len(ranked) < 2 or all(
        rival.verdict is Verdict.UNTESTED for rival in ranked
    ):
        return
    ahead = sum(rival.verdict is Verdict.AHEAD for rival in ranked)
    if ahead == len(ranked):
        yield f"Shown to be ahead of {'both' if ahead == 2 else f'all {ahead}'} others."
    else:
        yield f"Shown to be ahead of {ahead or 'none'} of the {len(ranked)} others."


def _about_next(judged: TopJudgement, titles: Titles) -> str:
    rival = judged.ranked[0] if judged.tied else judged.nearest or judged.ranked[0]
    first = titles[judged.best]
    second = titles[rival.model]
    over = (
        ""
        if rival.n == judged.m
        else f" (over {rival.n} of {count_noun(judged.m, 'run')})"
    )
    if rival.n and rival.equal == rival.n:
        same = [titles[r.model] for r in judged.ranked if r.equal == r.n == rival.n]
        shown = (
            ""
            if rival.verdict is Verdict.EQUAL
            else ", which does not show that they are equal"
        )
        return f"{join_words([first, *same], 5)} are best, with the same value in every run{over}{shown}."
    start = f"{first} is best, by {_in_unit(judged, rival.difference)}{over}:"
    if judged.tied:
        start = f"{join_words([titles[m] for m in judged.first], 5)} have equal means{over}: {first} is"
    sentence = f"{start} {rival.verdict.sentence(second, 'better than')}"
    match rival.verdict:
        case Verdict.UNTESTED:
            return f"{sentence}: {rival.reason}."
        case Verdict.EQUAL:
            return f"{sentence}, within {judged.tolerance:g} ({format_p(rival.p_equal, 'p')})."
        case Verdict.OPEN:
            ends = f"interval {_in_unit(judged, rival.low)} to {_in_unit(judged, rival.high)}"
            return f"{sentence}{_in_brackets(rival.p, ends)}{judged.beside(rival)}."
    return f"{sentence}{_in_brackets(rival.p)}."


def unit_of(metric: str) -> str:
    """Name the values of a metric where a reader sees them."""
    return "amount in the first k" if metric == "amount@k" else metric


def _in_unit(judged: TopJudgement, value: float) -> str:
    """Format a difference in the unit of the headline: a sum over the first k where it counts one."""
    return (
        format_sum(judged.factor * value) if judged.in_sums else format_small(value)
    )


def _in_brackets(p: float, *notes: str) -> str:
    """Put a p-value and notes on it in brackets; a p that the adjustment makes 1 is left out."""
    numbers = [] if p > 0.999 else [format_p(p, "p")]
    content = "; ".join([*numbers, *notes])
    return f" ({content})" if content else ""


def span(tops: list[str]) -> str:
    """Put sorted tops into few words, such as "k = 5 and 10" or "tau = 0.01 to 0.19"."""
    if len(tops) == 1:
        return tops[0]
    kinds = dict.fromkeys(t.partition("=")[0] for t in tops)
    parts = []
    for kind in kinds:
        values = [t.partition("=")[2] for t in tops if t.startswith(kind + "=")]
        parts.append(
            f"{kind} = {f'{values[0]} to {values[-1]}' if len(values) > 2 else join_words(values)}"
        )
    return join_words(parts)
