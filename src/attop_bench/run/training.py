"""One training job: select, train and score one method on one fold, for every top.

With ``selection: nested``, the default, the job chooses among the candidates of a method on inner splits of
its training part. With ``optimistic`` it chooses nothing: it trains every candidate on the training part and
keeps the test scores of all, and the evaluation takes the one with the best mean over the test parts of
all repeats and folds, per data set, method and top. That choice sees the test labels, and is marked so in the
tables: Boyd et al. (2012, section 5.3) report the parameters with the best average of the reported metric.
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
from attop.experiment.tune import at_edge, train
from attop.metrics.scorer import scores_of
from attop_bench.data.base import Dataset, save_arrays
from attop_bench.jobs.limits import TimeUp, time_limit
from attop_bench.jobs.supervise import in_words
from attop_bench.run.fitting import describe, learner_of, rehearse, sample_of
from attop_bench.run.record import Record, environment, peak_memory_mb
from attop_bench.run.spec import Job

__all__ = ["Outcome", "failure", "run_job", "write_outcome"]


@dataclass(frozen=True)
class Outcome:
    """Scores of the test items and the record of a run.

    Attributes
    ----------
    test : ndarray of shape (n,)
        Rows of the test part.
    scores : ndarray of shape (tops, n), or (tops, candidates, n) for an optimistic selection
        Empty if the run failed.
    record : Record
    """

    test: Ints
    scores: Floats
    record: Record


def run_job(
    job: Job, dataset: Dataset, fold: Fold, seconds: float | None = None, *, contain: bool = True
) -> Outcome:
    """Run a training job; a method that fails yields a record of the failure, not an exception.

    Selection happens on the inner splits of the training part only, which are the same for every method:
    see `attop.experiment.tune.train`.

    The status in the record is ``ok``, ``timeout`` (after `seconds`), ``diverged`` (weights or scores that
    are not finite), ``memory`` or ``error``. A full disk is no fault of the method and raises OSError.
    Without `contain` whatever the method raises is raised, for a debugger.
    """
    record = _record(job, dataset.name)
    record.n_train, record.n_test = len(fold.train), len(fold.test)
    _seed_globals(record.seed)
    scores = np.empty((0, len(fold.test)))
    work = _train_all if job.selection == "optimistic" else _select_and_train
    try:
        with time_limit(seconds):
            scores = work(job, dataset, fold, record)
    except BaseException as error:  # whatever a method raises is its result
        if not contain or (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)):
            raise
        record.status = _status_of(error)
        record.error = in_words(error)
        record.traceback = _readable(traceback.format_exc())
    record.peak_memory_mb = peak_memory_mb()
    record.environment = environment()
    return Outcome(fold.test, scores, record)


def failure(job: Job, data: str | Path, status: str, message: str, output: str = "") -> Outcome:
    """Return the outcome of a job that could not write its own.

    Parameters
    ----------
    job : Job
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


def _record(job: Job, name: str) -> Record:
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
    return "diverged" if isinstance(error, (FloatingPointError, OverflowError)) else "error"


def _train_all(job: Job, dataset: Dataset, fold: Fold, record: Record) -> Floats:
    """Train every candidate for every top on the whole training part and score the test part by all."""
    learner, sample = learner_of(job, dataset), sample_of(dataset)
    candidates = learner.candidates
    start = time.perf_counter()
    picks = [(top, candidate) for top in job.tops for candidate in candidates]
    models, features = learner.fit(sample, fold.train, picks, record.seed)
    trained = time.perf_counter()
    X = features(fold.test)
    scores = np.array([scores_of(model, X, protect=True) for model in models])
    kept = [
        {
            "setting": candidate,
            "at_edge": at_edge(candidate, job.param_grid),
            "model": describe(model),
            "constant": all_alike(row),
        }
        for (_, candidate), model, row in zip(picks, models, scores, strict=True)
    ]
    n = record.n_settings = len(candidates)
    for t, top in enumerate(job.tops):
        record.tops.append({"top": str(top), "settings": kept[t * n : (t + 1) * n]})
    record.seconds = {
        "selection": 0.0,
        "training": trained - start,
        "scoring": time.perf_counter() - trained,
    }
    return scores.reshape(len(job.tops), n, -1)


def _select_and_train(job: Job, dataset: Dataset, fold: Fold, record: Record) -> Floats:
    """Choose a candidate for every top on the inner splits and train it on the whole training part."""
    learner = learner_of(job, dataset)
    candidates = learner.candidates
    if len(candidates) == 1 and fold.refit:
        # Else the first inner split loads what the seconds of training are not to count.
        with contextlib.suppress(Exception):
            rehearse(learner.seeded(record.seed), candidates)
    trained = train(learner, sample_of(dataset), fold, job.tops, job.metric, record.seed)
    for t, top in enumerate(job.tops):
        record.tops.append(
            {
                "top": str(top),
                "chosen": trained.chosen[t],
                "validation": trained.validation[t],
                "at_edge": at_edge(trained.chosen[t], job.param_grid),
                "model": describe(trained.models[t]),
                "constant": all_alike(trained.scores[t]),
                "inner": [
                    {"setting": candidate, "values": list(values)}
                    for candidate, values in zip(candidates, trained.values[t], strict=True)
                ],
            }
        )
    record.n_settings = len(candidates)
    record.seconds = trained.seconds
    return trained.scores


def _readable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
