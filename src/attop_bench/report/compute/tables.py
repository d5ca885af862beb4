"""Summaries of the runs: means, failures, choices, costs.

A *run* is one fold of one repeat of one data set. Runs of a data set share items, so they are not independent
samples, and a spread over runs says nothing of other data sets.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attop.extending import sort_tops
from attop_bench.jobs.limits import FAILED, OK

#: Columns that name a mean over runs, a run of a data set, and a training job.
MEAN = ["dataset", "top", "metric", "method"]
RUN = ["repeat", "fold"]
JOB = ["dataset", "method", *RUN]

#: Tables by name, those of `attop_bench.run.tables.TABLES` and others.
Tables = Mapping[str, pd.DataFrame]
#: Identifier of a method, or of a data set -> name shown.
Titles = Mapping[str, str]


def rows_of(table: pd.DataFrame, **values: object) -> pd.DataFrame:
    """Select the rows of a table that have each of the values, in the column of that name."""
    for column, value in values.items():
        table = table[table[column] == value]
    return table


def count_runs(table: pd.DataFrame) -> pd.Series:
    """Count the distinct runs of each data set."""
    return table.drop_duplicates(["dataset", *RUN]).groupby("dataset").size()


def job_list(evaluation: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """List the distinct (dataset, method, repeat, fold) of both tables."""
    return pd.concat([runs[JOB], evaluation[JOB]]).drop_duplicates(
        ignore_index=True
    )


def summarise(evaluation: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Summarise every metric over the runs of each data set; nothing is imputed.

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

    A table that lacks a column, or has a value twice, is a ValueError.
    """
    for name, frame, needed in (
        ("evaluation", evaluation, [*MEAN, *RUN, "value", "reason"]),
        ("runs", runs, [*JOB, "top", "constant"]),
    ):
        if missing := [c for c in needed if c not in frame]:
            its = ", ".join(frame.columns) or "none"
            raise ValueError(
                f"table {name!r} lacks {', '.join(missing)}; it has {its}"
            )
    twice = evaluation.duplicated([*MEAN, *RUN])
    if twice.any():
        row = evaluation.loc[twice, [*MEAN, *RUN]].iloc[0].to_dict()
        raise ValueError(
            f"evaluation has {int(twice.sum())} values twice, the first {row}: keep one of each"
        )

    values = evaluation.groupby(MEAN, sort=False)["value"]
    defined = values.agg(
        mean="mean", std="std", n="count", n_rows="size"
    ).reset_index()
    defined["n_undefined"] = defined.pop("n_rows") - defined["n"]
    constant = (
        runs.groupby(["dataset", "top", "method"])["constant"]
        .sum()
        .rename("n_constant")
        .reset_index()
    )
    table = _skeleton(evaluation, runs)
    for part in (defined, constant, _main_reason(evaluation)):
        table = table.merge(part, how="left")
    counts = ["n", "n_undefined", "n_constant"]
    table = table.fillna(dict.fromkeys(counts, 0) | {"reason": ""}).astype(
        dict.fromkeys(counts, "int64")
    )
    table["se"] = table["std"] / np.sqrt(table["n"].where(table["n"] > 0))
    columns = [
        *MEAN,
        "mean",
        "std",
        "se",
        "n",
        "n_expected",
        "n_constant",
        "n_undefined",
        "reason",
    ]
    return table[columns].astype({"mean": float, "std": float, "se": float})


def _skeleton(evaluation: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """List every (dataset, top, metric, method) that should have values, and their number."""
    jobs = job_list(evaluation, runs)
    rows = []
    for dataset, its_jobs in jobs.groupby("dataset", sort=False):
        its_evaluation = rows_of(evaluation, dataset=dataset)
        tops = sort_tops(
            {*rows_of(runs, dataset=dataset)["top"], *its_evaluation["top"]}
        )
        expected = len(its_jobs[RUN].drop_duplicates())
        rows += [
            (dataset, top, metric, method, expected)
            for top in tops
            for metric in its_evaluation["metric"].unique()
            for method in its_jobs["method"].unique()
        ]
    return pd.DataFrame(rows, columns=[*MEAN, "n_expected"])


def _main_reason(evaluation: pd.DataFrame) -> pd.DataFrame:
    undefined = evaluation[evaluation["value"].isna()].fillna({"reason": ""})
    counts = (
        undefined.groupby([*MEAN, "reason"], sort=True)
        .size()
        .rename("times")
        .reset_index()
    )
    counts = counts.sort_values("times", ascending=False, kind="stable")
    return counts.drop_duplicates(MEAN)[[*MEAN, "reason"]]


def _jobs(runs: pd.DataFrame) -> pd.DataFrame:
    """Reduce the runs to one row per training job; a job with a failed top has failed."""
    failed_first = runs.sort_values("status", key=lambda s: s == OK, kind="stable")
    return failed_first.drop_duplicates(JOB).sort_index()


def status_counts(evaluation: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Count the training jobs of each data set and method by status.

    The columns are dataset, method, expected, ok, one per other status that occurs, and missing: jobs without
    a record although another method of the data set has one for the same repeat and fold.
    """
    jobs = _jobs(runs)
    known = job_list(evaluation, runs)
    expected = count_runs(known)
    counts = known[["dataset", "method"]].drop_duplicates(ignore_index=True)
    counts["expected"] = expected.reindex(counts["dataset"]).to_numpy()
    statuses = [OK, *sorted(set(jobs["status"]) - {OK})]
    by_status = jobs.groupby(["dataset", "method", "status"]).size()
    for status in statuses:
        at = pd.MultiIndex.from_frame(
            counts[["dataset", "method"]].assign(status=status)
        )
        counts[status] = by_status.reindex(at, fill_value=0).to_numpy()
    counts["missing"] = counts["expected"] - counts[statuses].sum(axis=1)
    return counts


def error_list(runs: pd.DataFrame) -> pd.DataFrame:
    """List the distinct failures: dataset, method, status, first line of the error, and jobs."""
    failed = _jobs(runs)
    failed = failed[failed["status"].isin(FAILED)]
    lines = failed["error"].fillna("").str.strip().str.split("\n").str[0]
    failed = failed.assign(
        line=lines.where(lines != "", "no message recorded"),
        which=failed["repeat"].astype(str) + "." + failed["fold"].astype(str),
    )
    grouped = failed.groupby(["dataset", "method", "status", "line"], sort=False)
    return grouped.agg(
        jobs=("which", "size"), which=("which", ", ".join)
    ).reset_index()


def undefined_values(evaluation: pd.DataFrame) -> pd.DataFrame:
    """Count the undefined values by data set, metric and reason, and the methods that have them.

    The column ``of`` counts all values of that metric on that data set.
    """
    undefined = evaluation[evaluation["value"].isna()].fillna({"reason": ""})
    keys = ["dataset", "metric"]
    table = undefined.groupby([*keys, "reason"], sort=False).agg(
        undefined=("value", "size"), methods=("method", "nunique")
    )
    totals = evaluation.groupby(keys).size().rename("of").reset_index()
    return table.reset_index().merge(totals, on=keys, how="left")


def constant_models(runs: pd.DataFrame) -> pd.DataFrame:
    """Count the models of each data set and method that give all test items one score."""
    alike = runs[runs["constant"].astype(bool)]
    return (
        alike.groupby(["dataset", "method"], sort=False)
        .size()
        .rename("models")
        .reset_index()
    )


def torn_models(runs: pd.DataFrame) -> pd.DataFrame:
    """Collect the sentences on torn entities and groups, of each data set and method.

    The columns are dataset, method and said, a sentence. Tables of other programs may lack what this reads.
    """
    written = (
        runs["torn"]
        if "torn" in runs
        else pd.Series(index=runs.index, dtype=object)
    )
    rows = (
        runs[["dataset", "method"]]
        .assign(said=written.dropna().map(json.loads))
        .explode("said")
    )
    return rows.dropna().drop_duplicates(ignore_index=True)


#: Seconds without a training job that count as a pause of the run.
PAUSE = 60.0


def wall_clock(runs: pd.DataFrame) -> float:
    """Measure the seconds from the first training job to the end of the last one, without pauses; or NaN."""
    spans = (
        runs[["started", "ended"]]
        .dropna()
        .drop_duplicates()
        .sort_values("started")
        .to_numpy(float)
    )
    if not len(spans):
        return float("nan")
    start, end = spans.T
    # The latest end of all jobs begun so far.
    before = np.maximum.accumulate(end)[:-1]
    pause = start[1:] - before
    return float(end.max() - start[0] - pause[pause > PAUSE].sum())


@dataclass(frozen=True)
class Choice:
    """The choices of one parameter of one method on one data set."""

    method: str
    parameter: str
    #: The values tried, in the order of the grid.
    grid: tuple[str, ...]
    #: For each top, the values chosen and in how many runs, the most frequent first.
    chosen: tuple[tuple[tuple[str, int], ...], ...]
    #: at_edge, total: Selections at one end of the grid, the more frequent one, of all over runs and tops.
    at_edge: int
    total: int

    @property
    def mostly_at_edge(self) -> bool:
        """True if at least half of the selections are at the same end of the grid."""
        return self.total > 0 and 2 * self.at_edge >= self.total


def choices(
    runs: pd.DataFrame,
    dataset: str,
    methods: Sequence[str],
    grids: Mapping[str, Mapping[str, Sequence[object]]],
) -> tuple[list[str], list[Choice]]:
    """List the tops of a data set, and count what each method chose at each of them, in this order.

    `grids` are method -> parameter -> values tried; a parameter with a single value is left out.
    """
    part = rows_of(runs, dataset=dataset, status=OK)
    tops = sort_tops(part["top"])
    selections: dict[str, list[tuple[str, dict[str, object], list[str]]]] = {}
    for method, top, chosen, edges in part[
        ["method", "top", "chosen", "at_edge"]
    ].itertuples(index=False):
        selections.setdefault(method, []).append(
            (top, json.loads(chosen), json.loads(edges))
        )
    rows = []
    for method in methods:
        picked = selections.get(method, [])
        grid = grids.get(method, {})
        for name in dict.fromkeys(
            name for _, candidate, _ in picked for name in candidate
        ):
            if len(grid.get(name, (0, 1))) < 2:
                continue
            counts = [
                Counter(
                    _text(s[name]) for t, s, _ in picked if t == top and name in s
                )
                for top in tops
            ]
            values = map(_text, grid.get(name, ()))
            chosen = (tuple(c.most_common()) for c in counts)
            at_edge = Counter(
                _text(s[name]) for _, s, edges in picked if name in edges
            )
            most = max(at_edge.values(), default=0)
            total = sum(name in s for _, s, _ in picked)
            rows.append(
                Choice(
                    method,
                    name,
                    grid=tuple(values),
                    chosen=tuple(chosen),
                    at_edge=most,
                    total=total,
                )
            )
    return tops, rows


def ensembles(runs: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Count the least and most candidates that ensembles of each method average, and those `tried`.

    Results that somebody else made may lack the column: they have no ensembles.
    """
    columns = ["method", "averaged", "n_candidates"]
    part = rows_of(runs, dataset=dataset, status=OK).reindex(columns=columns)
    sizes = part.groupby("method", sort=False).agg(
        least=("averaged", "min"),
        most=("averaged", "max"),
        tried=("n_candidates", "max"),
    )
    return sizes[sizes["most"] > 1]


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return f"{value:g}" if isinstance(value, float) else json.dumps(value)


def costs(runs: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Summarise the cost of each method on a data set: medians over its successful training jobs.

    In seconds of one job, which covers all its tops; memory is the largest peak, in MB.
    """
    part = rows_of(runs, dataset=dataset, status=OK)
    jobs = part.drop_duplicates(["method", *RUN])
    return jobs.groupby("method", sort=False).agg(
        jobs=("fold", "size"),
        n_candidates=("n_candidates", "max"),
        cpu=("seconds_cpu", "median"),
        selection=("seconds_selection", "median"),
        training=("seconds_training", "median"),
        scoring=("seconds_scoring", "median"),
        memory=("peak_memory_mb", "max"),
    )


def total_costs(runs: pd.DataFrame) -> pd.DataFrame:
    """Sum up the cost of each method over all jobs that succeeded, with the largest memory.

    Columns ``cpu: DATASET`` have the processor time by data set.
    """
    jobs = rows_of(runs, status=OK).drop_duplicates(JOB)
    timed = {
        name: f"seconds_{name}"
        for name in ("cpu", "selection", "training", "scoring")
    }
    of_method = jobs.groupby("method", sort=False)
    total = (
        of_method[list(timed.values())]
        .sum(min_count=1)
        .set_axis(list(timed), axis=1)
    )
    by = (
        jobs.groupby(["method", "dataset"], sort=False)["seconds_cpu"]
        .sum(min_count=1)
        .unstack()
    )
    return pd.concat(
        [
            of_method.size().rename("jobs"),
            total,
            of_method["peak_memory_mb"].max(),
            by.add_prefix("cpu: "),
        ],
        axis=1,
    ).sort_values("cpu", ascending=False)
