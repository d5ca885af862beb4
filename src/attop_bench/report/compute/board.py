"""The methods at one top after the other, over data sets: means, regret, ranks, seconds, with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from attop.metrics import get_metric
from attop.statistics import bootstrap_means, rank_rows, regret
from attop_bench.report.compute.across import have_shared_unit, matrix_at
from attop_bench.report.compute.tops import sort_tops
from attop_bench.report.compute.tuning import costs

__all__ = ["board", "pareto_front"]


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
    methods = list(dict.fromkeys([*titles, *evaluation["method"]]))
    matrix, _ = matrix_at(tops, evaluation, metrics, methods, {m: titles.get(m, m) for m in methods})
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
