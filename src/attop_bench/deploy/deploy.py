"""Choosing a method by cross-validation and fitting it as it was tested."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, parallel_config
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from attop.experiment import (
    Ensemble,
    Estimator,
    Fold,
    HeldOut,
    NextList,
    Params,
    difference_interval,
    fit,
    interval,
    next_list,
    torn_within,
)
from attop.extending import Floats, Ints, Top, show_progress
from attop.metrics import Metric, get_metric, overlap_at_k, scores_of, ties_at_k
from attop_bench.data.base import Dataset, DatasetError, Origin, load_arrays
from attop_bench.data.build import make
from attop_bench.data.columns.preparation import (
    column_transformer,
    columns_of,
    values_of,
)
from attop_bench.data.files.fetch import read_receipt
from attop_bench.data.reading.formats import format_of
from attop_bench.data.splits.protocols import make_folds, rows_for_the_next
from attop_bench.deploy.by_part import parts_of
from attop_bench.deploy.contributions import contributions, largest, unused_columns
from attop_bench.deploy.package import Package, in_order
from attop_bench.deploy.promise import none_for_nan
from attop_bench.deploy.reasons import Difference, differences, one_column
from attop_bench.deploy.training import summarise
from attop_bench.deploy.trial import rows_to_try
from attop_bench.run.config import Config, ConfigError, DatasetConfig
from attop_bench.run.fitting import learner_of, sample_of
from attop_bench.run.job import Job, Run
from attop_bench.run.plan import Plan
from attop_bench.run.record import Record
from attop_bench.run.training import run_job
from attop_bench.run.up_to_date import is_done

#: Columns of the ranked list besides those of the file.
_RANKED = ("rank", "row", "label", "held_out", "score", "why")
#: Candidates, and how often each is in a model: one of them once, or an ensemble.
Members = Sequence[tuple[Params, int]]
#: Parameters of a file that make features of it before the fold, for which a model has no step.
_NO_STEP = ("codes", "thresholds", "query_norm")


@dataclass(frozen=True)
class Expectation:
    """Positives expected at the top, by the test parts of a method."""

    #: mean, low, high: Precision at the top and its 95% interval, for overlapping training parts; NaN with
    #: one part.
    mean: float
    low: float
    high: float
    #: Ratio of the mean to that of a random order.
    lift: float
    #: Share of the places at the top that ties decide, on average; NaN with groups.
    tied: float
    parts: int
    #: The positives of the next list; None with groups, where there is none.
    next: NextList | None
    #: Held-out scores of the method and its rivals, which it is made of; none with groups.
    held_out: list[list[HeldOut]]


@dataclass(frozen=True)
class Tried:
    """A method on every outer fold of every repeat."""

    method: str
    #: Mean of the metric that selects; NaN if a run failed.
    value: float
    #: One a fold, up to the first that failed.
    records: list[Record]
    #: Empty if all went well.
    error: str


@dataclass(frozen=True)
class OneColumn:
    """Precision at the top by one column, chosen on each training part."""

    #: The most frequent choice.
    order: str
    #: Its precision at the top.
    mean: float
    #: difference, low, high: Precision of the model minus it, with its 95% interval.
    difference: float
    low: float
    high: float


@dataclass(frozen=True)
class Deployed:
    """A model fitted as it was tested, and its choice."""

    package: Package
    dataset: Dataset
    data: DatasetConfig
    method: str
    #: Its hyper-parameters, or those of the models that it averages.
    members: Members
    top: Top
    #: All methods, best first.
    tried: list[Tried]
    expectation: Expectation
    #: All rows in the order of ``held_out``, the share of a test part below a row by a model not trained on
    #: it; ``score`` is the final model's, ``why`` has its largest contributions.
    ranked: pd.DataFrame
    #: Between its top and the rest.
    differences: list[Difference]
    alone: OneColumn
    #: Share of the top of a test part that stays if a fifth of the training rows is exchanged; NaN with
    #: groups, or if that cannot be trained.
    stays: float
    #: The rows that the model is fitted on, in words.
    fitted_rows: str
    #: By each part of the rows, if the data set names a column of parts; see `by_part.parts_of`.
    parts: pd.DataFrame | None = None

    @property
    def candidate(self) -> Params:
        """Hyper-parameters of the model, or of the first that it averages."""
        return self.members[0][0]


def deploy(
    config: Config,
    name: str,
    methods: Sequence[str],
    top: Top | None = None,
    *,
    all_rows: bool = False,
    n_jobs: int = -1,
    tell: Callable[[str], None] = lambda line: None,
) -> Deployed:
    """Choose a method by cross-validation on all rows, and fit it as it was tested.

    Every method is tuned on the inner folds and tested on the outer folds of the data set's protocol; the one
    with the best mean of ``scoring`` is chosen. A finished run of this configuration is read, and what it has
    not is trained as it would have been. The candidate is the best on the inner folds of all training
    parts, and with it the whole pipeline (missing values, categories, scale, estimator) is fitted on all
    rows; where each test part had a training window of some days, on the last such window, unless `all_rows`
    is true. In an ensemble each candidate counts as often as in those of all test parts. The `top` is by
    default the data set's first; a bare k is of a list as long as the data. `tell` gets a line a result.
    """
    plan = Plan(config)
    data = config.dataset(name)
    _refuse_drawn(config, methods)
    params = _params(plan, data)
    dataset, origin = read(name, data.kind, params, config.seed)
    top = _top_of(data, dataset, top)
    folds = _folds_of(config, data, dataset)
    tried = _try_all(plan, dataset, data, methods, top, folds, n_jobs, tell)
    best = tried[0]
    job = replace(
        plan.job(Run(name, best.method, 0, 0)), tops=[top], selection="nested"
    )
    members = choose_members(job, best.records)
    rows = _rows_to_fit(data, dataset, all_rows)
    tell(
        f"chosen: {best.method}; fitting it on {_rows_in_words(data, dataset, rows)}"
    )
    fitted = _fit(job, dataset, members, best, rows, tell)
    table, kinds = dataset.table, columns_of(dataset.table)
    expectation = expect(job, dataset, tried)
    notes = {
        **_notes(job, dataset, origin, params, top),
        **fitted.notes,
        **_precision_of(expectation),
    }
    ranked = _ranked(dataset, origin, fitted.columns, best)
    unit = dataset.entity if dataset.groups is None else dataset.groups
    package = Package(
        fitted.pipeline,
        notes,
        expectation.held_out,
        trial=rows_to_try(table, fitted.columns["score"]),
        training=summarise(table, rows, unit, folds),
    )
    listed = np.isin(origin.numbers, package.head(ranked)["row"])
    without_text = table.drop(columns=kinds.texts).astype(
        dict.fromkeys(kinds.categories, object)
    )
    once = folds[: len(folds) // data.protocol.repeats]
    return Deployed(
        package=package,
        dataset=dataset,
        data=data,
        method=best.method,
        members=members,
        top=top,
        tried=tried,
        expectation=expectation,
        ranked=ranked,
        differences=differences(without_text, kinds.categories, listed),
        alone=one_column_alone(job, dataset, without_text, folds, best.records),
        stays=share_kept(job, dataset, once, members, n_jobs),
        fitted_rows=_rows_in_words(data, dataset, rows),
        parts=parts_of(top, dataset, best.records, test_train_ratio(best.records)),
    )


def _top_of(data: DatasetConfig, dataset: Dataset, top: Top | None) -> Top:
    """Choose the top that a model is for: where all rows are one list, as a share of a list."""
    top = top or data.tops[0]
    if dataset.groups is None:
        top = top.as_share(len(dataset.y))
    try:
        top.resolve(len(dataset.y), dataset.n_pos, where=f"data set {data.id}")
    except ValueError as error:
        raise ConfigError(str(error)) from None
    return top


def _folds_of(config: Config, data: DatasetConfig, dataset: Dataset) -> list[Fold]:
    """Make the folds of all repeats of a data set's protocol."""
    protocol = data.protocol
    repeats = (
        make_folds(
            protocol.kind,
            dataset,
            repeat=repeat,
            seed=config.seed,
            **protocol.options,
        )
        for repeat in range(protocol.repeats)
    )
    return [fold for folds in repeats for fold in folds]


def _try_all(
    plan: Plan,
    dataset: Dataset,
    data: DatasetConfig,
    methods: Sequence[str],
    top: Top,
    folds: Sequence[Fold],
    n_jobs: int,
    tell: Callable[[str], None],
) -> list[Tried]:
    """Train all methods on their training parts, the best first; refuse if none could be trained."""
    repeats = data.protocol.repeats
    a_repeat = len(folds) // repeats
    tried = []
    for method in methods:
        runs = [
            Run(data.id, method, repeat, fold)
            for repeat in range(repeats)
            for fold in range(a_repeat)
        ]
        jobs = [
            replace(plan.job(run), tops=[top], selection="nested") for run in runs
        ]
        records = finished(plan, runs, top, folds)
        how = f"of the run in {plan.root}" if records else "trained"
        one = summed(
            method,
            jobs,
            dataset,
            records or train(jobs, dataset, folds, n_jobs, method),
        )
        tell(
            f"{method}: {one.error or f'{data.scoring} {one.value:.4f} on {len(folds)} test parts, {how}'}"
        )
        tried.append(one)
    sign = 1 if plan.config.metric(data.scoring).higher_is_better else -1
    tried.sort(
        key=lambda t: -np.inf if np.isnan(t.value) else sign * t.value, reverse=True
    )
    best = tried[0]
    if np.isnan(best.value):
        raise ConfigError(
            f"no method could be trained on {data.id}: {best.method}: {best.error or 'no value'}"
        )
    return tried


def _rows_to_fit(data: DatasetConfig, dataset: Dataset, all_rows: bool) -> Ints:
    """Select the rows that the model is fitted on."""
    if all_rows:
        return np.arange(len(dataset.y))
    return rows_for_the_next(data.protocol.kind, dataset, **data.protocol.options)


def _rows_in_words(data: DatasetConfig, dataset: Dataset, rows: Ints) -> str:
    """Name the rows that the model is fitted on, such as "all 4,119 rows"."""
    if len(rows) == len(dataset.y):
        return f"all {len(rows):,} rows"
    days = data.protocol.options["train"]
    return (
        f"the {len(rows):,} rows of the last {days} days, as many as each tested model had, of "
        f"{len(dataset.y):,} (--all-rows fits on all)"
    )


@dataclass(frozen=True)
class _Fitted:
    """The final model, and what it says of the data."""

    pipeline: Pipeline
    #: ``score`` of each row, and ``why`` where the model says it exactly.
    columns: dict[str, Any]
    #: See `Package.notes`.
    notes: dict[str, Any]


def _fit(
    job: Job,
    dataset: Dataset,
    members: Members,
    best: Tried,
    rows: Ints,
    tell: Callable[[str], None],
) -> _Fitted:
    """Fit the pipeline of a candidate, or of several, on some rows, and score all."""
    table, kinds = dataset.table, columns_of(dataset.table)
    learner = learner_of(job, dataset)
    seed, top = best.records[0].seed, job.tops[0]
    models = [learner.seeded(seed, top).set_params(**one) for one, _ in members]
    estimator = models[0]
    if len(models) > 1:
        estimator = Ensemble(models, [times for _, times in members])
    unfitted = pipeline_of(dataset, job.input, job.scaling, estimator)
    with threadpool_limits(1), torn_within() as torn:
        pipeline = _fit_to(rows, unfitted, dataset, whole=learner.whole)
    for sentence in torn:
        tell(f"{best.method}: {sentence}")
    columns: dict[str, Any] = {"score": scores_of(pipeline, table)}
    added = contributions(pipeline, table)
    middle = None
    if added is not None:
        middle = added[rows].mean(axis=0)
        columns["why"] = largest(added, middle, table)
    notes = {
        "fills_gaps": dataset.impute is not None
        and scores_gaps(pipeline, table, kinds.numbers),
        "takes_unseen": scores_gaps(pipeline, table, kinds.categories),
        "middle": None if middle is None else middle.tolist(),
        "unused": unused_columns(pipeline, table),
    }
    return _Fitted(pipeline, columns, notes)


def _fit_to(rows: Ints, pipeline: Any, dataset: Dataset, *, whole: bool) -> Any:
    """Fit a pipeline to some rows, whose table is not held any longer."""
    part = sample_of(dataset, "table").rows(rows)
    return fit(
        pipeline,
        part.X,
        part.y,
        groups=part.groups,
        entity=part.entity if whole else None,
        sample_weight=part.weights,
    )


def _notes(
    job: Job, dataset: Dataset, origin: Origin, params: Mapping[str, Any], top: Top
) -> dict[str, Any]:
    """Write the notes of a package on its data; see `Package.notes`."""
    table = dataset.table
    # A share of the positives, unknown among new rows, is that of all rows here.
    if top.kappa is not None:
        top = Top(k=top.resolve(len(dataset.y), dataset.n_pos)).as_share(
            len(dataset.y)
        )
    return {
        "input": job.input,
        "features": list(table.columns),
        "categories": values_of(table),
        "texts": columns_of(table).texts,
        "beside": list(origin.beside.columns),
        "distinct": [
            n for n in origin.beside if origin.beside[n].astype(str).is_unique
        ],
        "format": _format_in(params),
        "reader": dict(origin.reader),
        "group": origin.group,
        "unit": origin.group or origin.entity,
        "top": top.as_dict(),
        "rows": len(dataset.y),
        "positives": dataset.n_pos,
        "label": {
            "column": origin.label,
            "positive": params.get("positive", "1"),
            "values": list(origin.values),
        },
    }


def _format_in(params: Mapping[str, Any]) -> str:
    """Name the format of the data's file; data without a file have that of lists."""
    if params.get("format"):
        return params["format"]
    return format_of(params["path"]) if "path" in params else "csv"


def _precision_of(expectation: Expectation) -> dict[str, Any]:
    """Write the note of the precision at the top of groups, which have no next list."""
    if expectation.next is not None:
        return {}
    names = ("mean", "low", "high")
    return {
        "precision": {
            name: none_for_nan(getattr(expectation, name)) for name in names
        }
    }


def _params(plan: Plan, data: DatasetConfig) -> dict[str, Any]:
    """Complete the parameters of the builder by the places of downloaded files."""
    if not data.files:
        return dict(data.params)
    receipt = plan.receipt_path(data.id)
    if not Path(receipt).exists():
        raise ConfigError(
            f"the files of {data.id} are not fetched yet; first:\n"
            f"snakemake --cores 1 {receipt} --config 'datasets=[{data.id}]'"
        )
    return {**data.params, **read_receipt(receipt)}


def read(
    name: str, kind: str, params: Mapping[str, Any], seed: int = 0
) -> tuple[Dataset, Origin]:
    """Read a data set, of which all rows are in a model, and what its file has beside the features.

    Raises
    ------
    DatasetError
        If rows or features of the file became others before the fold, or a column has a name of the list's.
    """
    dataset = replace(make(kind, seed, **params), name=name)
    if dataset.origin is None:
        numbers = np.arange(1, len(dataset.y) + 1)
        beside = pd.DataFrame(index=numbers - 1)
        return dataset, Origin(beside, numbers)
    if no_step := [name for name in _NO_STEP if params.get(name) is not None]:
        raise DatasetError(
            f"dataset {name}: a deployed model reads rows as they are in a file, and {no_step[0]} cannot be "
            "one of its steps: use one_hot for text, or write the features into the file"
        )
    if taken := [column for column in dataset.origin.beside if column in _RANKED]:
        raise DatasetError(
            f"dataset {name}: the list has columns {', '.join(_RANKED)} of its own, and the file one called "
            f"{taken[0]!r}: rename it in the file"
        )
    rows = len(dataset.origin.numbers)
    if rows != len(dataset.y):
        raise DatasetError(
            f"dataset {name}: the file has {rows:,} rows, its parameters leave {len(dataset.y):,}: a "
            "model is fitted on all rows of a file, so write a file of those alone"
        )
    return replace(dataset, origin=None), dataset.origin


def pipeline_of(
    dataset: Dataset, takes: str, scaling: str, estimator: Estimator
) -> Pipeline:
    """Make an unfitted pipeline of the table of a data set.

    Of an estimator that takes a matrix its steps are missing values and categories, scale and estimator, of
    one that takes the table the estimator alone.
    """
    if takes == "table":
        return Pipeline([("model", estimator)])
    prepare = column_transformer(
        dataset.table, dataset.impute, dataset.max_categories, scaling
    )
    return Pipeline([*prepare.steps, ("model", estimator)])


def scores_gaps(pipeline: Any, X: pd.DataFrame, columns: Sequence[str]) -> bool:
    """Decide whether a model has a score for a row that has no value in some columns."""
    gaps = X.head(1).assign(
        **{name: X[name].head(1).mask([True]) for name in columns}
    )
    try:
        return bool(np.isfinite(scores_of(pipeline, gaps)).all())
    except Exception:  # of a model of any package
        return False


def _ranked(
    dataset: Dataset, origin: Origin, columns: Mapping[str, Any], best: Tried
) -> pd.DataFrame:
    """Rank all rows, first those put highest in a test part by models not trained on them."""
    sums, times = np.zeros(len(dataset.y)), np.zeros(len(dataset.y))
    for record in best.records:
        z = record.scores[0]
        below = np.searchsorted(np.sort(z), z, "left") + np.searchsorted(
            np.sort(z), z, "right"
        )
        np.add.at(sums, record.test, below / (2 * len(z)))
        np.add.at(times, record.test, 1)
    with np.errstate(invalid="ignore"):
        held_out = np.where(times > 0, sums / times, np.nan)
    frame = pd.DataFrame({"row": origin.numbers, **origin.beside})
    frame = frame.assign(label=dataset.y, held_out=held_out, **columns)
    groups = None if origin.group is None else pd.Series(dataset.groups)
    return in_order(
        frame.sort_values("score", ascending=False, kind="stable"),
        groups,
        "held_out",
    )


def finished(
    plan: Plan, runs: Sequence[Run], top: Top, folds: Sequence[Fold]
) -> list[Record]:
    """Read the records of a finished run of this configuration for one of its tops; none if some lack."""
    data, records = plan.config.dataset(runs[0].dataset), []
    if (
        data.selection != "nested"
        or top not in data.tops
        or not all(is_done(plan, run) for run in runs)
    ):
        return []
    at = data.tops.index(top)
    for run, fold in zip(runs, folds, strict=True):
        record = Record.read(plan.record_path(run))
        arrays, _ = load_arrays(plan.scores_path(run))
        if record.ok and not np.array_equal(arrays["test"], fold.test):
            return []
        record.test, record.scores = fold.test, arrays["scores"][at : at + 1]
        record.tops = record.tops[at : at + 1]
        records.append(record)
    return records


def train(
    jobs: Sequence[Job],
    dataset: Dataset,
    folds: Sequence[Fold],
    n_jobs: int,
    what: str,
) -> list[Record]:
    """Train each job on its fold; `what` is said of the progress."""
    with parallel_config("loky", n_jobs=n_jobs, inner_max_num_threads=1):
        done = Parallel(return_as="generator")(
            delayed(_run)(job, dataset, fold)
            for job, fold in zip(jobs, folds, strict=True)
        )
        return list(show_progress(done, len(jobs), "fits", f"{what}: "))


def summed(
    method: str, jobs: Sequence[Job], dataset: Dataset, records: list[Record]
) -> Tried:
    """Combine the test parts of a method into their mean."""
    error = next((o.reason for o in records if not o.ok), "")
    values = [] if error else _values(jobs[0].metric, jobs[0], dataset, records)
    known = [value for value in values if math.isfinite(value)]
    # As `judge` has it, to the last digit.
    return Tried(
        method, math.fsum(known) / len(known) if known else math.nan, records, error
    )


def _refuse_drawn(config: Config, methods: Sequence[str]) -> None:
    """Refuse methods whose candidates are drawn: each fold has others, so none can be chosen for all."""
    for method in methods:
        if config.method(method).param_distributions:
            raise ConfigError(
                f"methods: {method}: param_distributions draws other candidates for each fold, and deploy "
                "chooses one for all: give param_grid with the values to choose from"
            )


def choose_members(job: Job, records: Sequence[Record]) -> Members:
    """Choose by what `select` names among the candidates that were tried on all training parts.

    Of ensembles all are chosen, each as often as it is in those of all test parts.
    """
    inner = [record.tops[0]["inner"] for record in records]
    if job.ensemble:
        return _counted(inner)
    tried = range(min(map(len, inner)))
    best = job.selector.choose(
        _of_parts(inner, "selected_by", tried),
        _of_parts(inner, "values", tried),
        job.metric,
    )
    return [(dict(inner[0][best or 0]["candidate"]), 1)]


def _counted(inner: Sequence[Sequence[Mapping[str, Any]]]) -> Members:
    """Count how often each candidate is in the ensembles of all parts, of which some tried more."""
    longest = max(inner, key=len)
    times = [
        sum(of_part[c]["times"] for of_part in inner if c < len(of_part))
        for c in range(len(longest))
    ]
    pairs = zip(longest, times, strict=True)
    return [(dict(one["candidate"]), number) for one, number in pairs if number]


def _of_parts(
    inner: Sequence[Sequence[Mapping[str, Any]]], name: str, tried: Iterable[int]
) -> Floats:
    """Read what was measured of the candidates `tried`, of shape (candidates, parts); None is undefined."""
    tables = [
        [of_part[c].get(name, of_part[c]["values"]) for c in tried]
        for of_part in inner
    ]
    return np.concatenate([np.array(one, np.float64) for one in tables], axis=1)


def expect(job: Job, dataset: Dataset, tried: Sequence[Tried]) -> Expectation:
    """Expected precision at the top, from the best method's test parts."""
    (top,), records = job.tops, tried[0].records
    precision = get_metric("precision@k")
    values = np.array(_values(precision, job, dataset, records))
    low, high = interval(
        values,
        test_train_ratio(records),
        units=precision_units(dataset, top, records),
        bounds=precision.bounds,
    )
    mean = math.fsum(values) / len(values)
    chance, tied = float(dataset.y.mean()), math.nan
    following, models = None, []
    if dataset.groups is None:
        cuts = [(o.scores[0], _cut(top, dataset, o)) for o in records]
        tied = float(np.mean([ties_at_k(z, k).places / k for z, k in cuts if k]))
        models = _held_out(dataset, tried)
        length = top.out_of or len(dataset.y)
        k = top.k or top.resolve(length, dataset.n_pos)
        following = next_list(models[0], k, length, rivals=models[1:])
    else:
        alike = [
            replace(record, scores=np.zeros_like(record.scores))
            for record in records
        ]
        chance = float(np.mean(_values(precision, job, dataset, alike)))
    return Expectation(
        mean=mean,
        low=low,
        high=high,
        lift=mean / chance,
        tied=tied,
        parts=len(values),
        next=following,
        held_out=models,
    )


def precision_units(dataset: Dataset, top: Top, records: Sequence[Record]) -> Any:
    """Count the independent units of each test part, for intervals of the precision at the top."""
    tests = [record.test for record in records]
    metric, ratio = get_metric("precision@k"), test_train_ratio(records)
    return sample_of(dataset).units(metric, top, ratio, tests)


def _held_out(dataset: Dataset, tried: Sequence[Tried]) -> list[list[HeldOut]]:
    """Collect the scores of the test parts of all methods that could be trained."""

    def entities(rows: Ints) -> Ints | None:
        return None if dataset.entity is None else dataset.entity[rows]

    return [
        [
            HeldOut(o.test, dataset.y[o.test], o.scores[0], entities(o.test))
            for o in one.records
        ]
        for one in tried
        if not one.error
    ]


def one_column_alone(
    job: Job,
    dataset: Dataset,
    table: pd.DataFrame,
    folds: Sequence[Fold],
    records: Sequence[Record],
) -> OneColumn:
    """Compare the best column of numbers or categories with the model at the top of the test parts."""
    sample, (top,), metric = sample_of(dataset), job.tops, get_metric("precision@k")

    def measure(part: Ints, scores: Floats) -> float:
        return sample.measure(metric, part, scores, top).value

    chosen = one_column(
        table, columns_of(dataset.X).categories, dataset.y, folds, measure
    )
    by_column = [
        replace(o, scores=z[None])
        for o, (_, z) in zip(records, chosen, strict=True)
    ]
    own = np.array(_values(metric, job, dataset, by_column))
    ahead = np.array(_values(metric, job, dataset, records)) - own
    order = Counter(order for order, _ in chosen).most_common(1)[0][0]
    units = precision_units(dataset, top, records)
    ratio = test_train_ratio(records)
    ends = difference_interval(ahead, ratio, units=units, span=1.0)
    return OneColumn(order, float(own.mean()), float(ahead.mean()), *ends)


def share_kept(
    job: Job,
    dataset: Dataset,
    folds: Sequence[Fold],
    members: Members,
    n_jobs: int,
) -> float:
    """Measure the share of the top that two models share if a fifth of their training rows differ."""
    if dataset.groups is not None:
        return math.nan
    halves = [half for fold in folds for half in _two_of(fold, dataset, job.seed)]
    fixed = [
        replace(
            job, param_grid={name: [v] for name, v in one.items()}, ensemble=None
        )
        for one, _ in members
        for _ in halves
    ]
    (top,), weights = job.tops, [times for _, times in members]
    trained = train(fixed, dataset, halves * len(members), n_jobs, "for the card")
    if not all(record.ok for record in trained):
        return math.nan
    records = []
    for half in range(len(halves)):
        each = trained[half :: len(halves)]
        mean = np.average([record.scores for record in each], 0, weights=weights)
        records.append(replace(each[0], scores=mean))
    pairs = zip(records[::2], records[1::2], strict=True)
    return float(
        np.mean(
            [
                overlap_at_k(a.scores[0], b.scores[0], _cut(top, dataset, a))
                for a, b in pairs
            ]
        )
    )


def _two_of(fold: Fold, dataset: Dataset, seed: int) -> list[Fold]:
    """Make two folds that train on five sixths each, of whole entities if there are any."""
    units = fold.train if dataset.entity is None else dataset.entity[fold.train]
    order = np.random.default_rng(seed).permutation(np.unique(units))
    sixths = np.array_split(order, 6)
    return [
        Fold(fold.train[~np.isin(units, out)], fold.test)
        for out in (sixths[0], sixths[-1])
    ]


def _run(job: Job, dataset: Dataset, fold: Fold) -> Record:
    with threadpool_limits(1):  # as in the benchmark
        return run_job(job, dataset, fold)


def test_train_ratio(records: Sequence[Record]) -> float:
    """Compute the mean ratio of test to training items."""
    return float(np.mean([record.n_test / record.n_train for record in records]))  # type: ignore[operator]


def _cut(top: Top, dataset: Dataset, record: Record) -> int:
    return top.resolve(len(record.test), int(dataset.y[record.test].sum()))


def _values(
    metric: Metric, job: Job, dataset: Dataset, records: Sequence[Record]
) -> list[float]:
    """Compute a metric of the scores of every test part."""
    sample, (top,) = sample_of(dataset), job.tops
    return [sample.measure(metric, o.test, o.scores[0], top).value for o in records]
