"""Tables of results, written down run by run."""

from __future__ import annotations

import math

import pandas as pd

from attop_bench.report.compute.results import Results

#: Value of a run whose model gives all test items one score.
CONSTANT = 0.125


def rows(*values, dataset="wdbc", top="k=5", metric="precision@k"):
    """Return an evaluation and its runs from ``(method, [value of run 0, ...])``, None for a failed run."""
    evaluation, runs = [], []
    for method, series in values:
        for fold, value in enumerate(series):
            job = {"dataset": dataset, "method": method, "repeat": 0, "fold": fold, "top": top}
            status = "error" if value is None else "ok"
            error = "boom" if value is None else ""
            runs.append({**job, "status": status, "constant": value == CONSTANT, "error": error})
            if value is not None:
                reason = "no positive" if math.isnan(value) else None
                evaluation.append({**job, "metric": metric, "value": value, "reason": reason})
    columns = ["dataset", "method", "repeat", "fold", "top", "metric", "value", "reason"]
    return pd.DataFrame(evaluation, columns=columns), pd.DataFrame(runs)


def summary_of(evaluation, runs, datasets=None):
    """Return the summary of results, with the intervals of the means."""
    return Results({"evaluation": evaluation, "runs": runs}, {"datasets": datasets or {}}).summary


def by_method(table):
    return table.set_index("method").to_dict("index")
