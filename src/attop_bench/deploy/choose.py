"""Which method, which setting of it, and what to expect of it: by cross-validation on all rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from attop.core.top import Top
from attop.core.typing import Floats
from attop.experiment.splits import Fold
from attop.metrics.registry import get_metric
from attop.statistics.two_methods import scaled_error
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.run.spec import JobSpec
from attop_bench.run.training import Outcome, run_job

__all__ = ["Expectation", "Tried", "choose_setting", "expect", "tied_share", "top_of_all", "try_methods"]

_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Expectation:
    """What a method put at the top of the test parts.

    Attributes
    ----------
    mean, low, high : float
        Precision at the top and its 95% interval, which knows that training parts overlap; NaN with one part.
    lift : float
        The mean over the share of positives.
    tied : float
        Share of the places at the top that ties decide, on average.
    parts : int
    """

    mean: float
    low: float
    high: float
    lift: float
    tied: float
    parts: int


@dataclass(frozen=True)
class Tried:
    """A method on every outer fold.

    Attributes
    ----------
    method : str
    value : float
        Mean of the metric that selects; NaN if a run failed.
    outcomes : list of Outcome
        One a fold, up to the first that failed.
    error : str
        Empty if all went well.
    """

    method: str
    value: float
    outcomes: list[Outcome]
    error: str


def try_methods(
    jobs: Mapping[str, JobSpec], dataset: Dataset, folds: Sequence[Fold], n_jobs: int
) -> Iterator[Tried]:
    """Train and test methods on the outer folds, each tuned on the inner ones, and yield one after another.

    Parameters
    ----------
    jobs : mapping of str to JobSpec
        Method -> what it is, for one top.
    dataset : Dataset
    folds : sequence of Fold
    n_jobs : int
        Processes, as for joblib. The numbers are the same for any.
    """
    from joblib import Parallel, delayed, parallel_config

    with parallel_config("loky", n_jobs=n_jobs, inner_max_num_threads=1):
        for method, job in jobs.items():
            outcomes = Parallel()(delayed(_run)(job, dataset, fold) for fold in folds)
            error = next((o.record.error for o in outcomes if not o.record.ok), "")
            value = math.nan if error else _mean_value(job, dataset, outcomes)
            yield Tried(method, value, outcomes, error)


def choose_setting(job: JobSpec, dataset: Dataset, folds: Sequence[Fold]) -> tuple[dict[str, Any], int]:
    """Return the setting that is best on the test parts, trained on their training parts, and the seed.

    Raises
    ------
    DatasetError
        If it could not be trained on all rows.
    """
    everything = np.arange(len(dataset.y))
    whole = Fold(everything, everything, [(fold.train, fold.test) for fold in folds])
    record = _run(job, dataset, whole).record
    if not record.ok:
        raise DatasetError(f"dataset {dataset.name}: training on all rows failed: {record.error}")
    return record.tops[0]["chosen"], record.seed


def expect(job: JobSpec, dataset: Dataset, outcomes: Sequence[Outcome]) -> Expectation:
    """Return what the test parts say of precision at the top."""
    precision = get_metric("precision@k")
    (top,) = job.tops
    values, ties = [], []
    for outcome in outcomes:
        y, groups = _part(dataset, outcome)
        values.append(precision.evaluate(y, outcome.scores[0], top=top, groups=groups).value)
        if groups is None:
            ties.append(tied_share(outcome.scores[0], top.resolve(len(y), int(y.sum()))))
    found = np.array(values)
    reach = math.nan
    if len(found) > 1:
        ratio = float(np.mean([o.record.n_test / o.record.n_train for o in outcomes]))  # type: ignore[operator]
        reach = scaled_error(found, ratio) * float(stats.t.ppf((1 + _CONFIDENCE) / 2, len(found) - 1))
    mean = float(found.mean())
    return Expectation(
        mean,
        max(mean - reach, 0.0) if len(found) > 1 else math.nan,
        min(mean + reach, 1.0) if len(found) > 1 else math.nan,
        mean / float(dataset.y.mean()),
        float(np.mean(ties)) if ties else 0.0,
        len(found),
    )


def tied_share(scores: Floats, k: int) -> float:
    """Return the share of the k places at the top that go to some of several items with the same score."""
    threshold = np.partition(scores, -k)[-k]
    above, level = int((scores > threshold).sum()), int((scores == threshold).sum())
    return 0.0 if above + level == k else (k - above) / k


def _run(job: JobSpec, dataset: Dataset, fold: Fold) -> Outcome:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # as in the benchmark
        return run_job(job, dataset, fold)


def _mean_value(job: JobSpec, dataset: Dataset, outcomes: Sequence[Outcome]) -> float:
    (top,) = job.tops
    values = []
    for outcome in outcomes:
        y, groups = _part(dataset, outcome)
        values.append(job.metric.evaluate(y, outcome.scores[0], top=top, groups=groups).value)
    return float(np.nanmean(values))


def _part(dataset: Dataset, outcome: Outcome) -> tuple[Any, Any]:
    groups = None if dataset.groups is None else dataset.groups[outcome.test]
    return dataset.y[outcome.test], groups


def top_of_all(top: Top, n: int) -> Top:
    """Return a top of which a part of n items is cut at the same share: 100 of them are 20 of a fifth."""
    return Top(k=top.k, out_of=n) if top.k is not None and top.out_of is None and top.k < n else top
