"""What did not come out: failed and missing runs, and values that are undefined."""

from __future__ import annotations

import pandas as pd

from attop_bench.jobs.limits import FAILED, OK
from attop_bench.report.compute.tables import job_list, require

__all__ = ["constant_models", "error_list", "status_counts", "undefined_values"]

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
