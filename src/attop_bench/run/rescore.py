"""Anybody's stored test scores as the benchmark's tables, without training anything."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from attop.core.top import Top
from attop.core.typing import Floats
from attop.estimators.base import all_alike
from attop.metrics.metric import Metric
from attop_bench.data.base import DatasetError
from attop_bench.run.environment import environment
from attop_bench.run.predictions import Part, check_agree, items_of, read_predictions
from attop_bench.run.tables import KEY, TABLES

__all__ = ["Rescored", "rescore"]

_RUN = ["dataset", "method", "repeat", "fold"]


@dataclass(frozen=True)
class Rescored:
    """Tables of `attop_bench.run.tables.TABLES`, and what a report says besides (see `build_report`)."""

    tables: dict[str, pd.DataFrame]
    manifest: dict[str, Any]


def rescore(
    files: Sequence[Path],
    tops: Sequence[Top],
    metrics: Sequence[Metric],
    scoring: Metric,
    *,
    rename: Mapping[str, str] | None = None,
    title: str = "Stored scores",
    n_jobs: int = -1,
) -> Rescored:
    """Evaluate stored predictions.

    Parameters
    ----------
    files : sequence of Path
        Tables with the columns of `attop_bench.run.predictions.COLUMNS`, and perhaps `OPTIONAL`. All runs of a
        data set are in one file; a file may hold several data sets.
    tops : sequence of Top
    metrics : sequence of Metric
    scoring : Metric
        The metric methods are compared by; one of `metrics`, or added to them.
    rename : mapping of str to str, optional
        Column of the files -> the one it stands for.
    title : str
        Of the report.
    n_jobs : int
        Files evaluated at the same time, as for joblib.

    Returns
    -------
    rescored : Rescored

    Raises
    ------
    DatasetError
        If a column is missing, a label is not 0 or 1, a score is not finite, the methods of a fold were not
        tested on the same rows, or a data set is in two files.
    """
    from joblib import Parallel, delayed

    wanted = list({m.name: m for m in (scoring, *metrics)}.values())
    parts = Parallel(n_jobs=n_jobs)(
        delayed(_evaluate_file)(path, tops, wanted, rename or {}) for path in files
    )
    home: dict[str, Path] = {}
    for path, (_, about) in zip(files, parts, strict=True):
        for name in about:
            if name in home:
                raise DatasetError(
                    f"{path}: data set {name!r} is in {home[name]} as well: put it into one file"
                )
            home[name] = path
    tables = {
        name: pd.concat([tables[name] for tables, _ in parts], ignore_index=True)
        for name in ("evaluation", "runs")
    }
    empty = {name: pd.DataFrame(columns=[*KEY, *columns]) for name, columns in TABLES.items()}
    datasets = {name: entry for _, about in parts for name, entry in about.items()}
    manifest = {
        "title": title,
        "environment": environment(),
        "datasets": {
            name: {**entry, "scoring": scoring.name, "tops": [str(top) for top in tops]}
            for name, entry in datasets.items()
        },
        "methods": {name: {"title": name} for name in dict.fromkeys(tables["runs"]["method"])},
    }
    return Rescored(empty | tables, manifest)


def _evaluate_file(
    path: Path, tops: Sequence[Top], metrics: Sequence[Metric], rename: Mapping[str, str]
) -> tuple[dict[str, pd.DataFrame], dict[str, dict[str, Any]]]:
    """Return the tables of a file, and what is known of each of its data sets."""
    frame = read_predictions(path, rename)
    evaluation: list[dict[str, Any]] = []
    runs: list[dict[str, Any]] = []
    about = {}
    for dataset, its in frame.groupby("dataset", sort=False, observed=True):
        where = f"{path}: data set {dataset!r}"
        parts: dict[tuple[int, int], Part] = {}
        scored = []
        for key, run in its.groupby(["method", "repeat", "fold"], sort=False, observed=True):
            method, repeat, fold = key
            part, scores = items_of(run, f"{where}, method {method!r}, repeat {repeat}, fold {fold}")
            check_agree(
                parts.setdefault((repeat, fold), part), part, f"{where}, repeat {repeat}, fold {fold}", method
            )
            scored.append((method, repeat, fold, part, scores))
        trained = _trained_on(parts)
        for method, repeat, fold, part, scores in scored:
            run_key = dict(zip(_RUN, (dataset, method, repeat, fold), strict=True))
            evaluation += _values(run_key, part, scores, tops, metrics)
            runs += [
                run_key
                | {"top": str(top), "status": "ok", "error": "", "constant": all_alike(scores)}
                | {"n_train": trained[repeat, fold], "n_test": float(len(scores))}
                for top in tops
            ]
        about[str(dataset)] = _about(parts)
    tables = {
        "evaluation": pd.DataFrame(evaluation, columns=[*KEY, *TABLES["evaluation"]]),
        "runs": _with_blanks(pd.DataFrame(runs)),
    }
    return tables, about


def _trained_on(parts: Mapping[tuple[int, int], Part]) -> dict[tuple[int, int], float]:
    """Return how many rows each fold was trained on: those of the other folds of its repeat.

    NaN if there are none, or if folds share rows.
    """
    sizes = {}
    for (repeat, fold), part in parts.items():
        others = [o.rows for (r, f), o in parts.items() if r == repeat and f != fold]
        rows = np.concatenate([part.rows, *others])
        apart = len(others) > 0 and len(np.unique(rows)) == len(rows)
        sizes[repeat, fold] = float(len(rows) - len(part.rows)) if apart else math.nan
    return sizes


def _values(
    key: Mapping[str, Any], part: Part, scores: Floats, tops: Sequence[Top], metrics: Sequence[Metric]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each metric and top; one without a top is computed once."""
    for metric in metrics:
        weights = part.weights if metric.weighted else None
        result = None
        for top in tops:
            if result is None or metric.needs_top:
                result = metric.evaluate(part.y, scores, top, part.groups, weights)
            yield {
                **key,
                "top": str(top),
                "metric": metric.name,
                "value": result.value,
                "reason": result.reason,
                "n_groups": result.n_groups,
                "n_left_out": result.n_left_out,
            }


def _about(parts: Mapping[tuple[int, int], Part]) -> dict[str, Any]:
    """Return the counts of a data set: of the rows tested in its first repeat."""
    first = min(repeat for repeat, _ in parts)
    here = [part for (repeat, _), part in parts.items() if repeat == first]
    repeats, folds = len({repeat for repeat, _ in parts}), len(here)
    counts: dict[str, Any] = {
        "items": int(sum(len(part.y) for part in here)),
        "positives": int(sum(part.y.sum() for part in here)),
        "protocol": f"As the scores were made: {folds} test parts, {repeats} times.",
    }
    if here[0].groups is not None:
        counts["groups"] = int(max(part.groups.max() for part in here if part.groups is not None)) + 1
    return counts


def _with_blanks(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the table of runs with all its columns: of what nothing is known there is none."""
    blanks = {
        "chosen": "{}",
        "n_settings": 1,
        "scoring": "",
        "selection": "",
        "at_edge": "[]",
        "host": "",
        "seed": "",
        "error": "",
    }
    runs = runs.assign(**{name: value for name, value in blanks.items() if name not in runs})
    return runs.reindex(columns=[*KEY, *TABLES["runs"]])
