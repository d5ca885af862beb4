"""A method of the configuration as a learner, and a data set as a sample."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid

from attop.experiment import (
    Estimator,
    Learner,
    Params,
    Sample,
    Transformer,
    draw_candidates,
    fit_many,
    read_distribution,
)
from attop.extending import object_at
from attop_bench.data.base import Dataset
from attop_bench.files import Entry, JsonObject
from attop_bench.run.job import Job


def import_estimator(path: str) -> Any:
    """Import the class at a dotted path that the configuration names."""
    try:
        return object_at(path)
    except ValueError as error:
        raise ValueError(f"estimator {path!r}: {error}") from error.__cause__


def sample_of(dataset: Dataset, takes: str = "matrix") -> Sample:
    """Build the sample of an experiment from a data set, for a method that takes its matrix or its table."""
    row_columns = {
        name: getattr(dataset, name) for name in ("entity", "day", "amount")
    }
    X = dataset.table if takes == "table" else dataset.X
    return Sample(X, dataset.y, dataset.groups, dataset.weight, **row_columns)


def learner_of(job: Job, dataset: Dataset) -> Learner:
    """Build the learner of a job, which prepares features within each fit unless it takes the table."""
    estimator = import_estimator(job.estimator)(**job.params)

    def prepare() -> Transformer | None:
        return None if job.input == "table" else dataset.transformer(job.scaling)

    name = job.estimator.rpartition(".")[2]
    whole = job.protocol["kind"] == "whole-entities"
    grid = {**job.param_grid, **distributions_of(job.param_distributions)}
    return Learner(
        name=name,
        estimator=estimator,
        grid=grid,
        prepare=prepare,
        fixed=tuple(job.params),
        whole=whole,
        n_candidates=job.n_candidates or 1,
        seconds=job.seconds,
        ensemble=job.ensemble or 1,
    )


def distributions_of(entries: Mapping[str, object]) -> dict[str, Any]:
    """Build the distributions that a configuration describes."""
    return {name: read_distribution(entry) for name, entry in entries.items()}


def warm_up(estimator: Estimator, candidates: Sequence[Params]) -> None:
    """Fit an estimator on a toy sample, to compile or load the code of a fit."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    groups = np.arange(60) // 30
    at_top = [{**one, "top": 3} for one in candidates]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit_many(estimator, X, y, groups, candidates=at_top[:2])
        # Many models at once may take another kernel.
        if hasattr(estimator, "fit_many"):
            fit_many(estimator, X, y, groups, candidates=at_top)


def compile_method(method: Entry) -> None:
    """Fill the cache of compiled code for a method of the configuration.

    One that takes a table may need columns of its names, so that its first job compiles what there is.
    """
    if method.get("input") == "table":
        return
    estimator = import_estimator(method["estimator"])(**method["params"])
    space = distributions_of(method.get("param_distributions", {}))
    warm_up(
        estimator,
        draw_candidates(space, 1, 0)
        if space
        else list(ParameterGrid(method["param_grid"])),
    )


def describe(model: object) -> JsonObject:
    """Collect the attributes of a fitted model that report its training."""
    names = (
        "objective_",
        "gap_",
        "quantile_distance_",
        "n_iter_",
        "converged_",
        "status_",
    )
    report = {
        name.rstrip("_"): _json_value(getattr(model, name, None)) for name in names
    }
    return {name: value for name, value in report.items() if value is not None}


def _json_value(value: Any) -> Any:
    """Convert a value to JSON, or to None: other packages use these names for anything."""
    try:
        value = np.asarray(value).tolist()
        json.dumps(value)
    except Exception:
        return None
    return value
