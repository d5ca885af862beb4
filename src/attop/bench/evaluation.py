"""Metrics of stored test scores, as tidy tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from attop.bench.records import read_json
from attop.bench.run import Run
from attop.bench.tables import KEY, TABLES
from attop.datasets.base import Dataset, load_arrays
from attop.metrics import get_metric, roc_points
from attop.top import Top

__all__ = ["evaluate"]


def evaluate(
    dataset: Dataset,
    runs: Sequence[Run],
    scores: Sequence[str | Path],
    records: Sequence[str | Path],
    *,
    targets: Sequence[Top],
    metrics: Sequence[str],
) -> dict[str, pd.DataFrame]:
    """Evaluate the stored runs of one data set.

    Parameters
    ----------
    dataset : Dataset
    runs : sequence of Run
    scores, records : sequences of paths
        What each of `runs` left.
    targets : sequence of Top
        What the runs were trained for, in the order of their scores. A metric with a top is evaluated at
        the target the scores were trained for.
    metrics : sequence of str
        Names in `attop.metrics.METRICS`.

    Returns
    -------
    tables : dict of DataFrame
        See `attop.bench.tables.TABLES`. A run that failed has rows in ``runs`` only.
    """
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    for run, scores_path, record_path in zip(runs, scores, records, strict=True):
        record = read_json(record_path)
        arrays, _ = load_arrays(scores_path)
        for t, top in enumerate(targets):
            key = dict(zip(KEY, (run.dataset, run.method, run.repeat, run.fold, str(top)), strict=True))
            rows["runs"].append(key | _run_row(record, t))
            if record["status"] != "ok":
                continue
            test, values = arrays["test"], arrays["scores"][t]
            rows["selection"] += [key | row for row in _selection_rows(record["targets"][t])]
            rows["evaluation"] += [key | row for row in _metric_rows(dataset, test, values, top, metrics)]
            rows["roc"].append(key | _roc_row(dataset, test, values))
    return {name: pd.DataFrame(rows[name], columns=[*KEY, *columns]) for name, columns in TABLES.items()}


def _run_row(record: dict[str, Any], t: int) -> dict[str, Any]:
    ok = record["status"] == "ok"
    target = record["targets"][t] if ok else {}
    seconds = record.get("seconds", {})
    return {
        "status": record["status"],
        "chosen": json.dumps(target.get("chosen", {}), sort_keys=True),
        "n_settings": record.get("n_settings", 0),
        "select_by": record["select_by"],
        "validation": _number(target.get("validation")),
        "at_edge": json.dumps(target.get("at_edge", [])),
        "seconds_selection": _number(seconds.get("selection")),
        "seconds_training": _number(seconds.get("training")),
        "seconds_scoring": _number(seconds.get("scoring")),
        "peak_memory_mb": _number(record.get("peak_memory_mb")),
        "host": record["environment"]["host"],
        "seed": str(record["seed"]),
        "error": record["error"],
    }


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)


def _selection_rows(target: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"setting": json.dumps(row["setting"], sort_keys=True), "inner_fold": i, "value": _number(value)}
        for row in target["inner"]
        for i, value in enumerate(row["values"])
    ]


def _metric_rows(
    dataset: Dataset, test: Any, scores: Any, top: Top, metrics: Sequence[str]
) -> list[dict[str, Any]]:
    groups = None if dataset.groups is None else dataset.groups[test]
    rows = []
    for name in metrics:
        result = get_metric(name).evaluate(dataset.y[test], scores, top=top, groups=groups)
        rows.append(
            {
                "metric": name,
                "value": result.value,
                "reason": result.reason,
                "n_groups": result.n_groups,
                "n_left_out": result.n_left_out,
            }
        )
    return rows


def _roc_row(dataset: Dataset, test: Any, scores: Any) -> dict[str, Any]:
    """Return the corners of the ROC curve, as counts; items of all groups are pooled."""
    y = dataset.y[test]
    fp, tp = roc_points(y, scores)
    turn = np.ones(len(fp), bool)  # a point on the line between its neighbours draws nothing
    turn[1:-1] = np.diff(fp)[:-1] * np.diff(tp)[1:] != np.diff(fp)[1:] * np.diff(tp)[:-1]
    return {
        "fp": fp[turn].astype(int).tolist(),
        "tp": tp[turn].astype(int).tolist(),
        "n_neg": int((y == 0).sum()),
        "n_pos": int(y.sum()),
    }
