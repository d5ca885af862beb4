"""One training job: select, train and score one method on one fold, for every top.

With ``selection="nested"`` the job chooses among the settings of a method on inner splits of its training
part. With ``"optimistic"`` it chooses nothing: it trains every setting on the whole training part and keeps
the test scores of all, so that the evaluation can report, as some papers did, the one setting that is best on
the test parts themselves; see `attop_bench.run.select`.
"""

from __future__ import annotations

import contextlib
import errno
import json
import random
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attop.core.seeds import derive_seed
from attop.core.typing import Floats, Ints
from attop.estimators.base import all_alike
from attop.experiment.splits import Fold
from attop_bench.data.base import Dataset, save_arrays
from attop_bench.jobs.limits import TimeUp, time_limit
from attop_bench.jobs.supervise import in_words
from attop_bench.run.environment import environment, peak_memory_mb
from attop_bench.run.fitting import (
    Diverged,
    describe,
    estimator_of,
    fit_grid,
    fit_settings,
    rehearse,
    score_items,
    settings_of,
)
from attop_bench.run.record import Record
from attop_bench.run.select import at_edge, best_setting, values_of
from attop_bench.run.spec import JobSpec

__all__ = ["Outcome", "failure", "run_job", "write_outcome"]


@dataclass(frozen=True)
class Outcome:
    """Scores of the test items and the record of a run.

    Attributes
    ----------
    test : ndarray of shape (n,)
        Rows of the test part.
    scores : ndarray of shape (tops, n), or (tops, settings, n) for an optimistic selection
        Empty if the run failed.
    record : Record
    """

    test: Ints
    scores: Floats
    record: Record


def run_job(
    job: JobSpec, dataset: Dataset, fold: Fold, seconds: float | None = None, *, contain: bool = True
) -> Outcome:
    """Run a training job; a method that fails yields a record of the failure, not an exception.

    Selection happens on the inner splits of the training part only, which are the same for every method:
    each setting is scored by ``scoring`` at the top, averaged over the inner splits where it is
    defined; the best wins, the first listed among equals.

    The status in the record is ``ok``, ``timeout`` (after `seconds`), ``diverged`` (weights or scores that
    are not finite), ``memory`` or ``error``. A full disk is no fault of the method and raises OSError.
    Without `contain` whatever the method raises is raised, for a debugger.
    """
    record = _record(job, dataset.name)
    record.n_train, record.n_test = len(fold.train), len(fold.test)
    _seed_globals(record.seed)
    scores = np.empty((0, len(fold.test)))
    train = _train_all if job.selection == "optimistic" else _select_and_train
    try:
        with time_limit(seconds):
            scores = train(job, dataset, fold, record)
    except BaseException as error:  # whatever a method raises is its result
        if not contain or (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)):
            raise
        record.status = _status_of(error)
        record.error = in_words(error)
        record.traceback = _readable(traceback.format_exc())
    record.peak_memory_mb = peak_memory_mb()
    record.environment = environment()
    return Outcome(fold.test, scores, record)


def failure(job: JobSpec, data: str | Path, status: str, message: str, output: str = "") -> Outcome:
    """Return the outcome of a job that could not write its own.

    Parameters
    ----------
    job : JobSpec
    data : path
        File of the data set.
    status, message : str
    output : str
        The end of what it printed.
    """
    with np.load(data, allow_pickle=False) as file:
        name = json.loads(str(file["meta"]))["name"]
    record = _record(job, name)
    record.status, record.error, record.traceback = status, message, output
    record.environment = environment()
    return Outcome(np.empty(0, np.int64), np.empty((0, 0)), record)


def write_outcome(outcome: Outcome, scores: str | Path, record: str | Path) -> None:
    """Write scores and record, each whole or not at all."""
    save_arrays(scores, {"test": outcome.test, "scores": outcome.scores})
    outcome.record.write(record)


def _record(job: JobSpec, name: str) -> Record:
    return Record(
        repeat=job.repeat,
        fold=job.fold,
        scoring=job.scoring,
        selection=job.selection,
        seed=derive_seed(job.seed, name, job.repeat, job.fold),
    )


def _seed_globals(seed: int) -> None:
    """Seed the generators a method should not use, but may."""
    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002


def _status_of(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, TimeUp):
        return "timeout"
    return "diverged" if isinstance(error, (Diverged, FloatingPointError, OverflowError)) else "error"


def _train_all(job: JobSpec, dataset: Dataset, fold: Fold, record: Record) -> Floats:
    """Train every setting for every top on the whole training part and score the test part by all."""
    tops = job.tops
    settings = settings_of(job.param_grid)
    estimator = estimator_of(job, record.seed)
    start = time.perf_counter()
    models, transform = fit_grid(estimator, job, dataset, fold.train, tops, settings)
    trained = time.perf_counter()
    test = transform(fold.test)
    scores = np.array([[score_items(model, test) for model in row] for row in models])
    for top, row, scored in zip(tops, models, scores, strict=True):
        kept = [
            {
                "setting": s,
                "at_edge": at_edge(s, job.param_grid),
                "model": describe(m),
                "constant": all_alike(z),
            }
            for s, m, z in zip(settings, row, scored, strict=True)
        ]
        record.tops.append({"top": str(top), "settings": kept})
    record.n_settings = len(settings)
    record.seconds = {
        "selection": 0.0,
        "training": trained - start,
        "scoring": time.perf_counter() - trained,
    }
    return scores


def _select_and_train(job: JobSpec, dataset: Dataset, fold: Fold, record: Record) -> Floats:
    """Choose a setting for every top on the inner splits and train it on the whole training part."""
    tops, metric = job.tops, job.metric
    settings = settings_of(job.param_grid)
    estimator = estimator_of(job, record.seed)

    selecting = len(settings) > 1 or not fold.refit
    if not selecting:  # else the first inner split loads what the seconds of training are not to count
        with contextlib.suppress(Exception):
            rehearse(estimator, settings)
    start = time.perf_counter()
    values = np.full((len(tops), len(settings), len(fold.inner)), np.nan)
    if selecting:
        for i, (fit, validation) in enumerate(fold.inner):
            models, transform = fit_grid(estimator, job, dataset, fit, tops, settings)
            X = transform(validation)
            for t, (row, top) in enumerate(zip(models, tops, strict=True)):
                scores = [score_items(model, X) for model in row]
                values[t, :, i] = values_of(dataset, validation, scores, top, metric)
    chosen, means = zip(*(best_setting(table.T, metric) for table in values), strict=True)
    if len(settings) > 1 and np.isnan(means).any():
        raise ValueError(f"{metric.name} is undefined on every inner split: no setting can be selected by it")
    selected = time.perf_counter()

    if fold.refit:
        picks = [{**settings[c], "top": top} for c, top in zip(chosen, tops, strict=True)]
        finals, transform = fit_settings(estimator, job, dataset, fold.train, picks)
    else:  # the single inner split trained on the whole training part already
        finals = [models[t][c] for t, c in enumerate(chosen)]
    trained = time.perf_counter()

    test = transform(fold.test)
    found = np.vstack([score_items(model, test) for model in finals])
    scored = time.perf_counter()

    for t, top in enumerate(tops):
        record.tops.append(
            {
                "top": str(top),
                "chosen": settings[chosen[t]],
                "validation": means[t],
                "at_edge": at_edge(settings[chosen[t]], job.param_grid),
                "model": describe(finals[t]),
                "constant": all_alike(found[t]),
                "inner": [
                    {"setting": setting, "values": list(values[t, s])} for s, setting in enumerate(settings)
                ],
            }
        )
    record.n_settings = len(settings)
    record.seconds = {
        "selection": selected - start,
        "training": trained - selected if fold.refit else None,  # else it is part of the selection
        "scoring": scored - trained,
    }
    return found


def _readable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
