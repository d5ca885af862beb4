"""Summary tables: mean and standard deviation over the runs of a data set, gaps in plain sight.

A *run* is one fold of one repeat of one data set. Runs of a data set share items, so they are not independent
samples, and a spread over runs says nothing of other data sets.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from attop.core.top import sort_tops
from attop.metrics.registry import get_metric

__all__ = [
    "job_list",
    "rank_methods",
    "require",
    "standings",
    "summarise",
]

_KEY = ["dataset", "top", "metric", "method"]
_GROUP = _KEY[:3]
_RUN = ["repeat", "fold"]


def require(frame: pd.DataFrame, columns: Sequence[str], table: str) -> None:
    """Raise ValueError if a table lacks one of the columns."""
    missing = [c for c in columns if c not in frame.columns]
    if missing:
        raise ValueError(
            f"table {table!r} lacks {', '.join(missing)}; it has {', '.join(frame.columns) or 'none'}"
        )


def job_list(evaluation: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the distinct (dataset, method, repeat, fold) of which either table knows."""
    columns = ["dataset", "method", *_RUN]
    return pd.concat([runs[columns], evaluation[columns]]).drop_duplicates(ignore_index=True)


def summarise(evaluation: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Summarise every metric over the runs of each data set; nothing is imputed.

    Parameters
    ----------
    evaluation : DataFrame
        One row per dataset, method, repeat, fold, top and metric, with ``value`` (NaN where undefined) and
        ``reason``.
    runs : DataFrame
        One row per training job and top.

    Returns
    -------
    DataFrame
        One row per dataset, top, metric and method that was run on the data set:

        - ``mean``, ``std`` (ddof = 1) and ``se = std / sqrt(n)`` over the defined values,
        - ``n``: number of defined values,
        - ``n_expected``: number of distinct (repeat, fold) any method has on the data set,
        - ``n_constant``: number of runs whose model gives all test items one score, and so ranks nothing,
        - ``n_undefined``: evaluated, but undefined; ``reason``: the most frequent reason for it.

        ``n_expected - n - n_undefined`` values are absent because the run failed or is missing.

    Raises
    ------
    ValueError
        If a column is missing or a value is there twice.
    """
    require(evaluation, [*_KEY, *_RUN, "value", "reason"], "evaluation")
    require(runs, ["dataset", "method", *_RUN, "top", "constant"], "runs")
    twice = evaluation.duplicated([*_KEY, *_RUN])
    if twice.any():
        row = evaluation.loc[twice, [*_KEY, *_RUN]].iloc[0].to_dict()
        raise ValueError(
            f"evaluation holds {int(twice.sum())} values twice, the first {row}: keep one of each"
        )

    values = evaluation.groupby(_KEY, sort=False)["value"]
    table = values.agg(mean="mean", std="std", n="count", n_rows="size").reset_index()
    table["n_undefined"] = table.pop("n_rows") - table["n"]
    table = _skeleton(evaluation, runs).merge(table, on=_KEY, how="left")
    table[["n", "n_undefined"]] = table[["n", "n_undefined"]].fillna(0).astype("int64")
    table["se"] = table["std"] / np.sqrt(table["n"].where(table["n"] > 0))
    constant = runs.groupby(["dataset", "top", "method"])["constant"].sum().rename("n_constant")
    table = table.merge(constant.reset_index(), on=["dataset", "top", "method"], how="left")
    table["n_constant"] = table["n_constant"].fillna(0).astype("int64")
    table = table.merge(_main_reason(evaluation), on=_KEY, how="left")
    table["reason"] = table["reason"].fillna("")
    columns = [*_KEY, "mean", "std", "se", "n", "n_expected", "n_constant", "n_undefined", "reason"]
    return table[columns].astype({"mean": float, "std": float, "se": float})


def _skeleton(evaluation: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return every (dataset, top, metric, method) there should be a value for, and how many."""
    jobs = job_list(evaluation, runs)
    rows = []
    for dataset, its_jobs in jobs.groupby("dataset", sort=False):
        its_evaluation = evaluation[evaluation["dataset"] == dataset]
        tops = sort_tops({*runs.loc[runs["dataset"] == dataset, "top"], *its_evaluation["top"]})
        expected = len(its_jobs[_RUN].drop_duplicates())
        rows += [
            (dataset, top, metric, method, expected)
            for top in tops
            for metric in its_evaluation["metric"].unique()
            for method in its_jobs["method"].unique()
        ]
    return pd.DataFrame(rows, columns=[*_KEY, "n_expected"])


def _main_reason(evaluation: pd.DataFrame) -> pd.DataFrame:
    undefined = evaluation[evaluation["value"].isna()].fillna({"reason": ""})
    counts = undefined.groupby([*_KEY, "reason"], sort=True).size().rename("times").reset_index()
    counts = counts.sort_values("times", ascending=False, kind="stable")
    return counts.drop_duplicates(_KEY)[[*_KEY, "reason"]]


def standings(summary: pd.DataFrame) -> pd.DataFrame:
    """Add how far each mean is from the best of its dataset, top and metric.

    A mean over fewer runs than another method's may be flattered by the runs it lacks: only methods with the
    largest ``n`` of the group are ranked.

    Parameters
    ----------
    summary : DataFrame
        What `summarise` returned.

    Returns
    -------
    DataFrame
        The summary with two more columns: ``ranked``, has the largest n; ``gap``, how much worse the mean is
        than the best ranked mean (negative for a better one not ranked, 0 for equal means).
    """
    table = summary.copy()
    sign = table["metric"].map(
        {m: 1.0 if get_metric(m).higher_is_better else -1.0 for m in set(table["metric"])}
    )
    groups = [table[c] for c in _GROUP]
    table["ranked"] = (table["n"] > 0) & (table["n"] == table["n"].groupby(groups).transform("max"))
    score = table["mean"] * sign
    top = score.where(table["ranked"]).groupby(groups).transform("max")
    rounding = 1e-12 * top.abs().clip(lower=1.0)  # sums of the same numbers in another order are equal
    table["gap"] = (top - score).where((top - score).abs() > rounding, 0.0).where(score.notna())
    return table


def rank_methods(table: pd.DataFrame, dataset: str, metric: str) -> list[str]:
    """Return the methods run on a data set, best first, by their mean rank over the tops.

    `table` is what `standings` returned. Means that are not ranked come last at their top; equals stay in
    the order of the table.
    """
    part = table[(table["dataset"] == dataset) & (table["metric"] == metric)]
    if part.empty:
        return list(table.loc[table["dataset"] == dataset, "method"].unique())
    part = part.assign(gap=part["gap"].where(part["ranked"]))
    gaps = part.pivot(index="method", columns="top", values="gap").reindex(part["method"].unique())
    ranks = gaps.rank(na_option="bottom")
    return list(ranks.mean(axis=1).sort_values(kind="stable").index)
