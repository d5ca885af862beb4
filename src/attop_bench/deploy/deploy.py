"""Choosing a method and fitting it on all rows, with what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from attop.core.top import Top
from attop_bench.data.base import Dataset
from attop_bench.data.build import make
from attop_bench.data.fetch import read_receipt
from attop_bench.data.formats import format_of
from attop_bench.data.splits.protocols import make_folds
from attop_bench.deploy.choose import Expectation, Tried, choose_setting, expect, top_of_all, try_methods
from attop_bench.deploy.package import Package, in_order, scores_of
from attop_bench.deploy.raw_model import RawRows, raw_pipeline, raw_rows
from attop_bench.run.config import Config, ConfigError, DatasetConfig
from attop_bench.run.fitting import import_estimator
from attop_bench.run.plan import Plan
from attop_bench.run.run import Run
from attop_bench.run.spec import JobSpec

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Deployed", "deploy"]


@dataclass(frozen=True)
class Deployed:
    """A model fitted on all rows, and how it came to be chosen.

    Attributes
    ----------
    package : Package
    dataset : Dataset
    data : DatasetConfig
    method : str
    setting : dict
        Of its hyper-parameters.
    top : Top
    tried : list of Tried
        All methods, best first.
    expectation : Expectation
    ranked : DataFrame
        All rows in the order of ``held_out``, the share of a test part that ranks below a row by a model
        that was not trained on it; ``score`` is the final model's.
    """

    package: Package
    dataset: Dataset
    data: DatasetConfig
    method: str
    setting: dict[str, Any]
    top: Top
    tried: list[Tried]
    expectation: Expectation
    ranked: pd.DataFrame


def deploy(
    config: Config,
    id: str,
    methods: Sequence[str],
    top: Top | None = None,
    *,
    n_jobs: int = -1,
    tell: Callable[[str], None] = lambda line: None,
) -> Deployed:
    """Choose a method by cross-validation on all rows, and fit it on all of them.

    Every method is tuned on the inner folds and tested on the outer folds of the data set's protocol, as in
    the benchmark; the one with the best mean of ``scoring`` is chosen. Its setting is the one that is best
    on the outer folds, and with it the whole pipeline (gaps, categories, scale, estimator) is fitted on all
    rows.

    Parameters
    ----------
    config : Config
    id : str
        Data set of the configuration.
    methods : sequence of str
        Those to choose from.
    top : Top, optional
        The data set's first top if left out. A bare k is of a list as long as the data.
    n_jobs : int
        Processes; the numbers are the same for any.
    tell : callable
        Is told what was found, a line at a time.

    Raises
    ------
    ConfigError, DatasetError
        If the data are not at hand, or no method can be trained.
    """
    plan = Plan(config)
    data = config.dataset(id)
    params = _params(plan, data)
    dataset = replace(make(data.kind, config.seed, **params), name=id)
    rows = raw_rows(data.kind, params, dataset)
    top = top or Top.of(data.tops[0])
    if dataset.groups is None:
        top = top_of_all(top, len(dataset.y))
    try:
        top.resolve(len(dataset.y), dataset.n_pos, where=f"data set {id}")
    except ValueError as error:
        raise ConfigError(str(error)) from None
    protocol = data.protocol
    folds = [
        fold
        for repeat in range(protocol.repeats)
        for fold in make_folds(protocol.kind, dataset, repeat=repeat, seed=config.seed, **protocol.options)
    ]
    jobs = {
        method: replace(plan.spec(Run(id, method, 0, 0)), tops=[top], selection="nested")
        for method in methods
    }
    tried = []
    for one in try_methods(jobs, dataset, folds, n_jobs):
        tell(f"{one.method}: {one.error or f'{data.scoring} {one.value:.4f} on {len(folds)} test parts'}")
        tried.append(one)
    sign = 1 if config.metric(data.scoring).higher_is_better else -1
    tried.sort(key=lambda t: -np.inf if np.isnan(t.value) else sign * t.value, reverse=True)
    best = tried[0]
    if np.isnan(best.value):
        raise ConfigError(f"no method could be trained on {id}: {best.method}: {best.error or 'no value'}")
    tell(f"chosen: {best.method}; fitting it on all {len(dataset.y):,} rows")
    job = jobs[best.method]
    setting, seed = choose_setting(job, dataset, folds[: len(folds) // protocol.repeats])
    pipeline = _fit(job, setting, seed, top, rows, dataset, data.scaling)
    scores = scores_of(pipeline, rows.X)
    notes = {
        "features": list(rows.X.columns),
        "beside": list(rows.beside.columns),
        "format": params.get("format") or (format_of(params["path"]) if "path" in params else "csv"),
        "reader": rows.reader,
        "group": rows.group,
        "top": top.as_dict(),
    }
    ranked = _ranked(dataset, rows, scores, best)
    return Deployed(
        Package(pipeline, notes),
        dataset,
        data,
        best.method,
        setting,
        top,
        tried,
        expect(job, dataset, best.outcomes),
        ranked,
    )


def _params(plan: Plan, data: DatasetConfig) -> dict[str, Any]:
    """Return the parameters of the builder, with files to download where they have been put."""
    if not data.files:
        return dict(data.params)
    receipt = plan.receipt_path(data.id)
    if not Path(receipt).exists():
        raise ConfigError(
            f"the files of {data.id} are not fetched yet; first:\n"
            f"snakemake --cores 1 {receipt} --config 'datasets=[{data.id}]'"
        )
    return {**data.params, **read_receipt(receipt)}


def _fit(
    job: JobSpec,
    setting: Mapping[str, Any],
    seed: int,
    top: Top,
    rows: RawRows,
    dataset: Dataset,
    scaling: str,
) -> Any:
    """Return the pipeline, fitted on all rows."""
    from threadpoolctl import threadpool_limits

    estimator = import_estimator(job.estimator)(**job.params).set_params(**setting)
    known = estimator.get_params()
    given = {"top": top, "random_state": seed}
    estimator.set_params(**{name: value for name, value in given.items() if name in known})
    pipeline = raw_pipeline(rows, scaling, estimator)
    takes_groups = dataset.groups is not None and "groups" in signature(estimator.fit).parameters
    with threadpool_limits(1):
        return pipeline.fit(rows.X, dataset.y, **({"model__groups": dataset.groups} if takes_groups else {}))


def _ranked(dataset: Dataset, rows: RawRows, scores: Any, best: Tried) -> pd.DataFrame:
    """Return all rows, those first that models which were not trained on them put highest in a test part."""
    import pandas as pd

    sums, times = np.zeros(len(dataset.y)), np.zeros(len(dataset.y))
    for outcome in best.outcomes:
        z = outcome.scores[0]
        below = np.searchsorted(np.sort(z), z, "left") + np.searchsorted(np.sort(z), z, "right")
        np.add.at(sums, outcome.test, below / (2 * len(z)))
        np.add.at(times, outcome.test, 1)
    with np.errstate(invalid="ignore"):
        held_out = np.where(times > 0, sums / times, np.nan)
    frame = pd.DataFrame({"row": np.arange(1, len(scores) + 1), **rows.beside})
    frame = frame.assign(label=dataset.y, held_out=held_out, score=scores)
    return in_order(frame.sort_values("score", ascending=False, kind="stable"), rows.group, "held_out")
