"""Data sets by methods: the matrix of values that may be compared, and the board of every top over data sets.

The samples of a comparison over data sets are the data sets: folds share items, so they are averaged first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attop.core.top import sort_tops
from attop.core.wording import listed
from attop.metrics.registry import get_metric
from attop.statistics.profiles import bootstrap_means, regret
from attop.statistics.ranks import rank_rows
from attop_bench.report.compute.runs import costs
from attop_bench.report.compute.tables import require

__all__ = ["Matrix", "board", "have_shared_unit", "metric_matrix", "pareto_front"]


@dataclass(frozen=True)
class Matrix:
    """One metric and one top of each data set; nothing is imputed.

    Attributes
    ----------
    scores : DataFrame, data sets x methods
        What to compare methods on: means over the runs, negated where lower is better. No value is missing,
        and every mean is over the same runs as the others of its row.
    counts : DataFrame, data sets x methods
        Defined runs, also of what is left out.
    tops : dict of str to str
        The top of each data set.
    without_datasets, without_methods : dict of str to str
        What `scores` leaves out, and why.
    """

    scores: pd.DataFrame
    counts: pd.DataFrame
    tops: dict[str, str]
    without_datasets: dict[str, str]
    without_methods: dict[str, str]


def metric_matrix(
    evaluation: pd.DataFrame,
    metrics: Mapping[str, str],
    tops: Mapping[str, str],
    titles: Mapping[str, str],
) -> Matrix:
    """Average the runs of each method on each data set, and leave out what may not be compared.

    A mean may be compared if it is over every run for which any method has a value: fewer might flatter. As
    long as a mean is missing, the method or data set that lacks the largest share of them is left out; of
    equals the method, because data sets are the samples. Two methods with a value in common both stay.

    Parameters
    ----------
    evaluation : DataFrame
        Tidy: dataset, method, repeat, fold, top, metric, value (not finite where undefined).
    metrics, tops : mapping of str to str
        Data set -> its metric, and its top.
    titles : mapping of str to str
        Methods to compare, in this order -> name shown. Name those that may have failed everywhere.

    Raises
    ------
    ValueError
        If a column is missing, a metric is unknown or a value is there twice.
    """
    require(evaluation, ["dataset", "method", "repeat", "fold", "top", "metric", "value"], "evaluation")
    methods = list(titles)
    datasets = list(dict.fromkeys(evaluation["dataset"]))
    without = {d: "no run has a result" for d in {**metrics, **tops} if d not in tops or d not in datasets}
    without |= {d: "no metric was named to compare by" for d in datasets if not metrics.get(d)}
    rows = [d for d in datasets if d not in without]
    part = evaluation[
        (evaluation["metric"] == evaluation["dataset"].map({d: metrics[d] for d in rows}))
        & (evaluation["top"] == evaluation["dataset"].map({d: tops[d] for d in rows}))
        & evaluation["method"].isin(methods)
    ]
    twice = int(part.duplicated(["dataset", "method", "repeat", "fold"]).sum())
    if twice:
        raise ValueError(f"evaluation holds {twice} values twice: keep one of each")
    signs = {d: 1.0 if get_metric(metrics[d]).higher_is_better else -1.0 for d in rows}
    part = part[np.isfinite(part["value"].astype(float))]
    means = pd.DataFrame(np.nan, index=rows, columns=methods)
    counts = pd.DataFrame(0, index=rows, columns=methods)
    for (dataset, method), values in part.groupby(["dataset", "method"])["value"]:
        # fsum: equal values in another order have an equal mean
        means.loc[dataset, method] = signs[dataset] * math.fsum(values) / len(values)
        counts.loc[dataset, method] = len(values)
    shared = part.drop_duplicates(["dataset", "repeat", "fold"]).groupby("dataset").size()
    shared = shared.reindex(rows, fill_value=0)
    without |= {d: f"no method has a value of {metrics[d]} at {tops[d]}" for d in rows if not shared[d]}
    whole = counts.eq(shared, axis=0).loc[[d for d in rows if shared[d]]]
    kept, dropped, incomplete = _leave_out(whole)
    runs = evaluation.drop_duplicates(["dataset", "repeat", "fold"]).groupby("dataset").size()
    for dataset, lacking in incomplete.items():
        without[dataset] = listed(
            [f"{titles[m]} has {counts.loc[dataset, m]} of {runs[dataset]} runs" for m in lacking]
        )
    without = {d: without[d] for d in {**metrics, **tops, **without} if d in without}
    return Matrix(means.loc[kept.index, kept.columns], counts, {d: tops[d] for d in rows}, without, dropped)


def _leave_out(whole: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str], dict[str, list[str]]]:
    """Leave out methods and data sets until no value is missing; return what is left and what is not.

    `whole` says which means may be compared. The methods left out come with a reason, the data sets with the
    methods that lack runs.
    """
    dropped: dict[str, str] = {}
    incomplete: dict[str, list[str]] = {}
    if whole.empty:
        return whole.iloc[:, :0], dict.fromkeys(map(str, whole), "no data set has a value"), incomplete
    left = whole
    while not left.empty and not left.to_numpy().all():
        of_methods, of_datasets = (~left).mean(axis=0), (~left).mean(axis=1)
        if of_methods.max() == 1.0 or (of_methods.max() >= of_datasets.max() and left.shape[1] > 2):
            method = of_methods.idxmax()
            dropped[str(method)] = f"complete on {int(whole[method].sum())} of {len(whole)} data sets"
            left = left.drop(columns=method)
        else:
            dataset = of_datasets.idxmax()
            incomplete[str(dataset)] = [str(m) for m in left if not left.loc[dataset, m]]
            left = left.drop(index=dataset)
    return left, dropped, incomplete


def have_shared_unit(used: Mapping[str, str]) -> bool:
    """Whether values of the metrics, one a data set, may be averaged."""
    return len(set(used.values())) <= 1 or {get_metric(m).bounds for m in used.values()} == {(0.0, 1.0)}


def board(
    evaluation: pd.DataFrame, runs: pd.DataFrame, metrics: Mapping[str, str], titles: Mapping[str, str]
) -> pd.DataFrame:
    """Compare the methods at the smallest top of each data set, at the second, and so on.

    Parameters
    ----------
    evaluation, runs : DataFrame
        See `attop_bench.run.tables.TABLES`.
    metrics : mapping of str to str
        Data set -> the metric methods are compared by there.
    titles : mapping
        Method -> name shown.

    Returns
    -------
    DataFrame
        A row for each top and method that has a value on all compared data sets, the best mean rank first.
        Nothing, if the data sets have different numbers of tops, or there are fewer than two of them.

        - ``top``: such as "1 of 4", or the top where it is the same everywhere; ``datasets``: compared;
        - ``mean``: over data sets of the means over runs, NaN where for some metrics higher is better and
          for others lower; ``regret``: what the best of each data set has more, in hundredths: of precision,
          items of 100; ``regret_low``, ``regret_high``: 95% bootstrap interval over data sets; ``worst``: the
          largest regret; ``p_best``: share of the resamples in which it has the best mean. NaN where the data
          sets' metrics have no common unit;
        - ``rank``, ``rank_low``, ``rank_high``: mean rank, and its interval;
        - ``seconds``: of a job, which serves all tops: geometric mean over data sets of the median;
        - ``pareto``: in the `pareto_front` of seconds and regret (without a common unit: rank).
    """
    compared = evaluation[evaluation["dataset"].isin([d for d, metric in metrics.items() if metric])]
    tops = {str(d): sort_tops(its) for d, its in compared.groupby("dataset", sort=False)["top"]}
    counts = {len(its) for its in tops.values()}
    if len(tops) < 2 or len(counts) != 1:
        return pd.DataFrame()
    spent = pd.DataFrame({d: _seconds(runs, d) for d in tops}).T
    n_tops = counts.pop()
    found = [
        _at(
            {d: its[i] for d, its in tops.items()},
            f"{i + 1} of {n_tops}",
            compared,
            metrics,
            titles,
            spent,
        )
        for i in range(n_tops)
    ]
    return pd.concat(found, ignore_index=True)


def _at(
    tops: Mapping[str, str],
    name: str,
    evaluation: pd.DataFrame,
    metrics: Mapping[str, str],
    titles: Mapping[str, str],
    spent: pd.DataFrame,
) -> pd.DataFrame:
    """Return the rows of one top."""
    shown = {m: titles.get(m, m) for m in [*titles, *evaluation["method"]]}
    matrix = metric_matrix(evaluation, metrics, tops, shown)
    scores = matrix.scores
    ranks = bootstrap_means(rank_rows(scores), higher_is_better=False)
    table = pd.DataFrame(
        {"rank": ranks.mean, "rank_low": ranks.low, "rank_high": ranks.high}, index=scores.columns
    )
    gaps = regret(scores, higher_is_better=True)
    lost = bootstrap_means(100 * gaps.gaps, higher_is_better=False)
    used = {d: metrics[d] for d in scores.index}
    directions = {get_metric(metric).higher_is_better for metric in used.values()}
    sign = math.nan if len(directions) > 1 else 1.0 if True in directions else -1.0
    means = {
        "mean": sign * scores.mean(axis=0),
        "regret": lost.mean,
        "regret_low": lost.low,
        "regret_high": lost.high,
        "worst": 100 * gaps.worst,
        "p_best": lost.p_best,
    }
    shared = have_shared_unit(used)
    table = table.assign(**(means if shared else dict.fromkeys(means, np.nan)))
    seconds = spent.reindex(index=scores.index, columns=table.index)
    table["seconds"] = np.exp(np.log(seconds.astype(float)).mean(axis=0, skipna=False))
    front = pareto_front(table["seconds"], -table["regret" if shared else "rank"])
    table["pareto"] = table.index.isin(front)
    same = set(tops.values())
    table.insert(0, "top", same.pop() if len(same) == 1 else name)
    table.insert(1, "datasets", len(scores))
    table = table.rename_axis("method").reset_index()
    return table.sort_values("rank", kind="stable", ignore_index=True)


def _seconds(runs: pd.DataFrame, dataset: str) -> pd.Series:
    """Return the median seconds of a job of each method."""
    spent = costs(runs, dataset)
    total = spent[["selection", "training", "scoring"]].sum(axis=1)
    return total.where(total > 0)


def pareto_front(cost: pd.Series, score: pd.Series) -> list[str]:
    """Return the entries no other beats at both, cheapest first.

    Parameters
    ----------
    cost, score : Series
        With the same index. Less cost and more score is better; of entries equal in both, all are returned.
    """
    table = pd.DataFrame({"cost": cost, "score": score}).dropna()
    front = [
        name
        for name, row in table.iterrows()
        if not (
            (table["cost"] <= row["cost"])
            & (table["score"] >= row["score"])
            & ((table["cost"] < row["cost"]) | (table["score"] > row["score"]))
        ).any()
    ]
    return sorted(front, key=lambda name: (table.loc[name, "cost"], table.loc[name, "score"]))
