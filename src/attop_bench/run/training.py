"""One training job: select, train and score one method on one fold, for every top.

With ``selection: nested``, the default, the job chooses among the candidates of a method on inner splits of
its training part. With ``optimistic`` it chooses nothing: it trains every candidate on the training part and
keeps the test scores of all, and the evaluation takes the one with the best mean over the test parts of
all repeats and folds, per data set, method and top. That choice sees the test labels, and is marked so in the
tables: Boyd et al. (2012, section 5.3) report the parameters with the best average of the reported metric.
"""

from __future__ import annotations

import errno
import os
import random
import time
import traceback
from contextlib import suppress
from pathlib import Path

import numpy as np

from attop.experiment import Fold, at_edge, torn_within, train
from attop.extending import Floats, all_alike
from attop.metrics import scores_of
from attop_bench.data.base import Dataset, DatasetError, Unavailable, load_available
from attop_bench.files import JsonObject
from attop_bench.jobs.limits import NOT_APPLICABLE, TimeUp, time_limit
from attop_bench.jobs.supervise import CannotRun, in_words
from attop_bench.run.candidates import FOLDER, CandidateFiles
from attop_bench.run.fitting import (
    describe,
    import_estimator,
    learner_of,
    sample_of,
    warm_up,
)
from attop_bench.run.folds import read_folds
from attop_bench.run.job import Job
from attop_bench.run.provenance import provenance
from attop_bench.run.record import Record, environment, name_of_data, peak_memory_mb


def work(
    argument: tuple[
        Job, str, str, tuple[str, str, str, float, str], float | None, str
    ],
) -> None:
    """Run a training job in its process and write its results, for `attop_bench.run.job.train`."""
    job, data, folds, results, seconds, candidates = argument
    try:
        dataset = load_available(data)
        cut = (
            read_folds(folds, dataset, job.split)
            if isinstance(dataset, Dataset)
            else []
        )
    except DatasetError as error:
        raise CannotRun(str(error)) from error
    if isinstance(dataset, Unavailable):
        record = job.record(name_of_data(data)).fail(NOT_APPLICABLE, str(dataset))
    else:
        folder = Path(results[1]).with_name(FOLDER)
        keeper = CandidateFiles(folder, candidates) if candidates else None
        record = run_job(job, dataset, cut[job.fold], seconds, keeper=keeper)
    print(record.traceback, record.error or "ok", flush=True)
    record.write(*results)


def run_job(
    job: Job,
    dataset: Dataset,
    fold: Fold,
    seconds: float | None = None,
    *,
    contain: bool = True,
    keeper: CandidateFiles | None = None,
) -> Record:
    """Run a training job; a method that fails yields a record of the failure, not an exception.

    The status in the record is ``ok``, ``timeout`` (after `seconds`), ``diverged`` (weights or scores that
    are not finite), ``memory`` or ``error``. A full disk, no fault of the method, raises OSError, and without
    `contain`, for a debugger, so do all errors of the method.
    """
    record = job.record(dataset.name)
    record.n_train = len(fold.train)
    record.n_test = len(fold.test)
    record.test = fold.test
    random.seed(record.seed)  # generators that a method should not use
    np.random.seed(record.seed % 2**32)  # noqa: NPY002
    record.scores = np.empty((0, len(fold.test)))
    run = _train_all if job.selection == "optimistic" else _select_and_train
    before = _cpu_seconds()
    process = os.getpid()
    try:
        with torn_within() as torn, time_limit(seconds):
            record.scores = run(job, dataset, fold, record, keeper)
        record.torn = torn
    except BaseException as error:
        if not contain or (
            isinstance(error, OSError)
            and error.errno in (errno.ENOSPC, errno.EDQUOT)
        ):
            raise
        trace = (
            traceback.format_exc()
            .encode("utf-8", "backslashreplace")
            .decode("utf-8")
        )
        record.fail(_status_of(error), in_words(error), trace)
    # A child that the method forked and that came back has no results to write.
    if os.getpid() != process:
        os._exit(0)
    record.cpu_seconds = _cpu_seconds() - before
    record.peak_memory_mb = peak_memory_mb()
    record.environment = _environment(job)
    return record


def _environment(job: Job) -> JsonObject:
    """Describe the environment of a run, also of one whose estimator cannot be imported or misbehaves."""
    try:
        return provenance(import_estimator(job.estimator))
    except (Exception, SystemExit):
        return environment()


def _cpu_seconds() -> float:
    """Measure the processor time of this process and of its children that ended."""
    return time.process_time() + sum(os.times()[2:4])


def _status_of(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, TimeUp):
        return "timeout"
    return (
        "diverged"
        if isinstance(error, (FloatingPointError, OverflowError))
        else "error"
    )


def _train_all(
    job: Job,
    dataset: Dataset,
    fold: Fold,
    record: Record,
    keeper: CandidateFiles | None,
) -> Floats:
    """Train every candidate for every top on the whole training part, and score the test part."""
    learner = learner_of(job, dataset)
    sample = sample_of(dataset, job.input)
    candidates = learner.candidates
    start = time.perf_counter()
    picks = [(top, candidate) for top in job.tops for candidate in candidates]
    models, features = learner.fit(sample, fold.train, picks, record.seed)
    trained = time.perf_counter()
    X = features(fold.test)
    scores = np.array([scores_of(model, X, protect=True) for model in models])
    record.tops = [{"top": str(top), "candidates": []} for top in job.tops]
    n = record.n_candidates = len(candidates)
    for i, ((_, candidate), model) in enumerate(zip(picks, models, strict=True)):
        description = {
            "at_edge": at_edge(candidate, job.param_grid),
            "model": describe(model),
        }
        entry = {
            "candidate": candidate,
            **description,
            "constant": all_alike(scores[i]),
        }
        record.tops[i // n]["candidates"].append(entry)
    record.seconds = {
        "selection": 0.0,
        "training": trained - start,
        "scoring": time.perf_counter() - trained,
    }
    return scores.reshape(len(job.tops), n, -1)


def _select_and_train(
    job: Job,
    dataset: Dataset,
    fold: Fold,
    record: Record,
    keeper: CandidateFiles | None,
) -> Floats:
    """Choose a candidate for every top on the inner splits and train it on the whole training part."""
    learner = learner_of(job, dataset)
    if not learner.is_tuned and fold.refit:
        # Else the first inner split loads what the seconds of training are not to count.
        with suppress(Exception):
            warm_up(learner.seeded(record.seed), learner.candidates)
    sample = sample_of(dataset, job.input)
    trained = train(
        learner,
        sample,
        fold,
        job.tops,
        job.metric,
        record.seed,
        job.selector,
        keeper,
    )
    candidates = trained.candidates
    for t, top in enumerate(job.tops):
        chosen = trained.chosen[t]
        values = trained.values[t]
        inner: list[JsonObject] = [
            {"candidate": c, "values": list(v)}
            for c, v in zip(candidates, values, strict=True)
        ]
        entry = {
            "top": str(top),
            "chosen": chosen,
            "validation": trained.validation[t],
            "at_edge": at_edge(
                chosen, job.param_grid, candidates, values, job.metric
            ),
            "model": describe(trained.models[t]),
            "constant": all_alike(trained.scores[t]),
            "inner": inner,
        }
        if job.select:
            entry["select"] = job.select
            for one, by in zip(inner, trained.selected_by[t], strict=True):
                one["selected_by"] = list(by)
        if job.ensemble:
            entry["averaged"] = int(np.count_nonzero(trained.times[t]))
            for one, times in zip(inner, trained.times[t], strict=True):
                one["times"] = int(times)
        record.tops.append(entry)
    record.n_candidates = len(candidates)
    record.seconds = trained.seconds
    return trained.scores
