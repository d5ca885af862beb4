"""A few rows with their scores, by which a loaded model is tried, and the versions it was made with."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from attop.experiment import Ensemble
from attop.extending import Floats
from attop.metrics import scores_of
from attop_bench.data.base import DatasetError
from attop_bench.files import read_json, write_json
from attop_bench.run.record import environment

TRIAL = "trial.json"
#: Rows, and cells of all of them, that a package keeps at most; but never fewer than the last.
_MOST_ROWS, _MOST_CELLS, _FEWEST_ROWS = 20, 20_000, 3
#: Scores that differ by this share of the largest are equal: other processors round sums otherwise.
_EQUAL = 1e-6
_distributions = cache(packages_distributions)


def rows_to_try(X: pd.DataFrame, scores: Floats) -> pd.DataFrame:
    """Select a few rows whose scores spread from the lowest to the highest."""
    most = max(_FEWEST_ROWS, min(_MOST_ROWS, _MOST_CELLS // max(X.shape[1], 1)))
    places = np.linspace(0, len(X) - 1, min(most, len(X))).round().astype(int)
    return X.iloc[np.argsort(scores, kind="stable")[places]].reset_index(drop=True)


def write_trial(path: Path, pipeline: Any, rows: pd.DataFrame) -> None:
    """Write rows and the scores that a pipeline gives them."""
    plain = rows.astype(object).where(rows.notna(), None)
    content = {
        "columns": {name: plain[name].tolist() for name in rows},
        "text": [
            name for name in rows if not pd.api.types.is_numeric_dtype(rows[name])
        ],
        "scores": scores_of(pipeline, rows).tolist() if len(rows) else [],
    }
    write_json(path, content)


def read_trial(path: Path) -> tuple[pd.DataFrame, Floats]:
    """Read the rows and scores that `write_trial` wrote."""
    try:
        content = read_json(path)
        text = set(content["text"])
        columns = {
            name: pd.Series(values, dtype=object if name in text else np.float64)
            for name, values in content["columns"].items()
        }
        rows, scores = (
            pd.DataFrame(columns),
            np.array(content["scores"], np.float64),
        )
        if len(rows) != len(scores):
            raise ValueError(f"it has {len(rows)} rows and {len(scores)} scores")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DatasetError(
            f"{path} is not by attop deploy ({error}): deploy again"
        ) from None
    return rows.where(rows.notna(), np.nan), scores


def largest_difference(pipeline: Any, rows: pd.DataFrame, scores: Floats) -> float:
    """Measure by how much scores differ now, as a share of the largest score; 0 if that is rounding."""
    if not len(rows):
        return 0.0
    apart = np.abs(np.asarray(scores_of(pipeline, rows), np.float64) - scores)
    share = float(apart.max() / max(np.abs(scores).max(), np.finfo(float).tiny))
    return share if not share <= _EQUAL else 0.0


def versions_of(pipeline: Any) -> dict[str, str]:
    """Look up the versions here of Python, attop's packages and those of the pipeline's model."""
    installed = environment()
    versions = {"python": installed["python"], **installed["versions"]}
    model = pipeline["model"]
    learner = model.models_[0] if isinstance(model, Ensemble) else model
    home = type(learner).__module__.partition(".")[0]
    for package in (*_distributions().get(home, ()), "joblib"):
        versions[package] = version(package)
    return versions


def changed_versions(then: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Find the packages that have another version here: name -> the versions `then` and here."""
    here = environment()
    now = {"python": here["python"], **here["versions"]}
    changed = {}
    for package, number in then.items():
        number_here = now.get(package) or _version_here(package)
        if number_here != number:
            changed[package] = number, number_here
    return changed


def _version_here(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
