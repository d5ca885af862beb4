"""How the runs ended and what they took: failures, undefined values, chosen candidates, time and memory."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pandas as pd

from attop.core.top import sort_tops
from attop_bench.jobs.limits import FAILED, OK
from attop_bench.report.compute.tables import job_list, require

__all__ = [
    "PAUSE",
    "Choice",
    "choices",
    "constant_models",
    "costs",
    "error_list",
    "status_counts",
    "undefined_values",
    "wall_clock",
]

_T = TypeVar("_T")
_JOB = ["dataset", "method", "repeat", "fold"]


def _jobs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return one row per training job; a job with a failed top has failed."""
    require(runs, [*_JOB, "status", "error"], "runs")
    failed_first = runs.sort_values("status", key=lambda s: s == OK, kind="stable")
    return failed_first.drop_duplicates(_JOB).sort_index()


def status_counts(evaluation: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Count the training jobs of each data set and method by status.

    Returns
    -------
    DataFrame
        Columns dataset, method, expected, ok, one per other status that occurs, and missing: jobs without a
        record although another method of the data set has one for the same repeat and fold.
    """
    jobs = _jobs(runs)
    known = job_list(evaluation, runs)
    expected = known.drop_duplicates(["dataset", "repeat", "fold"]).groupby("dataset").size()
    counts = known[["dataset", "method"]].drop_duplicates(ignore_index=True)
    counts["expected"] = expected.reindex(counts["dataset"]).to_numpy()
    statuses = [OK, *sorted(set(jobs["status"]) - {OK})]
    by_status = jobs.groupby(["dataset", "method", "status"]).size()
    for status in statuses:
        at = pd.MultiIndex.from_frame(counts[["dataset", "method"]].assign(status=status))
        counts[status] = by_status.reindex(at, fill_value=0).to_numpy()
    counts["missing"] = counts["expected"] - counts[statuses].sum(axis=1)
    return counts


def error_list(runs: pd.DataFrame) -> pd.DataFrame:
    """List the distinct failures: dataset, method, status, first line of the error, jobs, and which ones."""
    failed = _jobs(runs)
    failed = failed[failed["status"].isin(FAILED)]
    lines = failed["error"].fillna("").str.strip().str.split("\n").str[0]
    failed = failed.assign(
        line=lines.where(lines != "", "no message recorded"),
        which=failed["repeat"].astype(str) + "." + failed["fold"].astype(str),
    )
    grouped = failed.groupby(["dataset", "method", "status", "line"], sort=False)
    return grouped.agg(jobs=("which", "size"), which=("which", ", ".join)).reset_index()


def undefined_values(evaluation: pd.DataFrame) -> pd.DataFrame:
    """Count the undefined values by data set, metric and reason.

    Returns
    -------
    DataFrame
        Columns dataset, metric, reason, undefined, of (values of that metric on that data set), methods.
    """
    undefined = evaluation[evaluation["value"].isna()].fillna({"reason": ""})
    keys = ["dataset", "metric"]
    table = undefined.groupby([*keys, "reason"], sort=False).agg(
        undefined=("value", "size"), methods=("method", "nunique")
    )
    totals = evaluation.groupby(keys).size().rename("of").reset_index()
    return table.reset_index().merge(totals, on=keys, how="left")


def constant_models(runs: pd.DataFrame) -> pd.DataFrame:
    """Count the models that give all test items one score, and so rank nothing.

    Returns
    -------
    DataFrame
        Columns dataset, method, models; empty if there is none.
    """
    require(runs, ["dataset", "method", "constant"], "runs")
    alike = runs[runs["constant"].astype(bool)]
    return alike.groupby(["dataset", "method"], sort=False).size().rename("models").reset_index()


#: Seconds without a training job from which on the run had stopped and was resumed later.
PAUSE = 60.0


def wall_clock(runs: pd.DataFrame) -> float:
    """Return the seconds from the first training job's start to the last one's end, without pauses.

    Parameters
    ----------
    runs : DataFrame
        With ``started`` and ``ended``, in seconds since 1970; rows without are left out.

    Returns
    -------
    float
        NaN if no row has both.
    """
    spans = runs[["started", "ended"]].dropna().drop_duplicates().sort_values("started").to_numpy(float)
    if not len(spans):
        return float("nan")
    start, end = spans.T
    before = np.maximum.accumulate(end)[:-1]  # the latest end of all jobs begun so far
    gaps = start[1:] - before
    return float(end.max() - start[0] - gaps[gaps > PAUSE].sum())


@dataclass(frozen=True)
class Choice:
    """What was chosen for one parameter of one method on one data set.

    Attributes
    ----------
    method, parameter : str
    grid : tuple of str
        The values tried, in the order of the grid.
    chosen : tuple of tuple of (str, int)
        For each top, the values chosen and in how many runs, the most frequent first.
    at_edge, total : int
        Selections at an end of the grid, of all selections over runs and tops.
    """

    method: str
    parameter: str
    grid: tuple[str, ...]
    chosen: tuple[tuple[tuple[str, int], ...], ...]
    at_edge: int
    total: int

    @property
    def mostly_at_edge(self) -> bool:
        """Whether at least half of the selections are at an end of the grid."""
        return self.total > 0 and 2 * self.at_edge >= self.total


def choices(
    runs: pd.DataFrame,
    dataset: str,
    methods: Sequence[str],
    grids: Mapping[str, Mapping[str, Sequence[object]]],
) -> tuple[list[str], list[Choice]]:
    """Count what was chosen on a data set.

    Parameters
    ----------
    runs : DataFrame
    dataset : str
    methods : sequence of str
        In the order wanted; those without anything chosen are left out.
    grids : mapping
        Method -> parameter -> values tried; parameters with a single value are no choice and left out.

    Returns
    -------
    tops : list of str
    choices : list of Choice
    """
    part = runs[(runs["dataset"] == dataset) & (runs["status"] == "ok")]
    tops = sort_tops(part["top"])
    found = []
    for method in methods:
        its_runs = part[part["method"] == method]
        picked: list[tuple[str, dict[str, object], list[str]]] = [
            (t, _loads(c, {}), _loads(e, [])) for t, c, e in zip(*map(its_runs.get, _COLUMNS), strict=True)
        ]
        grid = grids.get(method, {})
        for name in dict.fromkeys(name for _, candidate, _ in picked for name in candidate):
            if len(grid.get(name, (0, 1))) < 2:
                continue
            counts = [Counter(_text(s[name]) for t, s, _ in picked if t == top and name in s) for top in tops]
            found.append(
                Choice(
                    method,
                    name,
                    tuple(map(_text, grid.get(name, ()))),
                    tuple(tuple(c.most_common()) for c in counts),
                    sum(name in edges for _, _, edges in picked),
                    sum(name in s for _, s, _ in picked),
                )
            )
    return tops, found


_COLUMNS = ("top", "chosen", "at_edge")


def _loads(value: object, default: _T) -> _T:
    """Read JSON, which a table from a CSV holds as text; `default` where there is none."""
    found = json.loads(value) if isinstance(value, str) and value.strip() else value
    return found if isinstance(found, type(default)) else default


def _text(value: object) -> str:
    return (
        f"{value:g}" if isinstance(value, float) else value if isinstance(value, str) else json.dumps(value)
    )


def costs(runs: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Return the cost of each method on a data set: medians over its successful training jobs.

    Returns
    -------
    DataFrame
        Indexed by method: jobs, n_candidates, cpu, selection, training, scoring (seconds of one job, which
        covers all its tops) and memory (the largest peak, MB).
    """
    part = runs[(runs["dataset"] == dataset) & (runs["status"] == "ok")]
    jobs = part.drop_duplicates(["method", "repeat", "fold"])
    return jobs.groupby("method", sort=False).agg(
        jobs=("fold", "size"),
        n_candidates=("n_candidates", "max"),
        cpu=("seconds_cpu", "median"),
        selection=("seconds_selection", "median"),
        training=("seconds_training", "median"),
        scoring=("seconds_scoring", "median"),
        memory=("peak_memory_mb", "max"),
    )
