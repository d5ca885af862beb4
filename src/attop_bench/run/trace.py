"""The surrogate against the metric along training: a model after 1, 2, 4, ... iterations."""

from __future__ import annotations

import traceback
import warnings

from attop.experiment import Fold
from attop.metrics import scores_of
from attop_bench.data.base import Dataset
from attop_bench.files import JsonObject
from attop_bench.jobs.limits import TimeUp, time_limit
from attop_bench.run.fitting import learner_of, sample_of
from attop_bench.run.job import Job
from attop_bench.run.record import Record

#: Parameters that bound the iterations, in the estimators that descend an objective.
ITERATIONS = ("max_iter", "epochs")
#: Seconds for a method; its curve ends there.
_SECONDS = 60.0


def trace(
    job: Job, dataset: Dataset, fold: Fold, record: Record, top: str
) -> list[JsonObject]:
    """Train the chosen candidate of a finished run again, with more and more iterations; return rows.

    Each has ``iterations``, ``objective`` on the training part, and the value of ``job.scoring`` on the
    training part (``train``) and on the test part (``test``). No rows for an ensemble, nor
    for a method that failed, has no ``objective_``, or selected its candidate on the test parts.
    """
    choice = next(
        (t for t in record.tops if t["top"] == top and "chosen" in t), None
    )
    if not record.ok or choice is None or choice.get("averaged", 1) > 1:
        return []
    learner = learner_of(job, dataset)
    params = learner.estimator.get_params()
    limit = next((name for name in ITERATIONS if name in params), None)
    if limit is None or not hasattr(learner.estimator, "fit_many"):
        return []
    chosen_top = next(one for one in job.tops if str(one) == top)
    candidate = choice["chosen"]
    last = int({**params, **candidate}[limit])
    sample = sample_of(dataset)
    rows: list[JsonObject] = []
    try:
        with time_limit(_SECONDS), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # stopped early is what is wanted
            for iterations in sorted(
                {*(1 << i for i in range(last.bit_length())), last}
            ):
                pick = chosen_top, {**candidate, limit: iterations}
                (model,), features = learner.fit(
                    sample, fold.train, [pick], record.seed
                )
                if not hasattr(model, "objective_"):
                    return []
                row: JsonObject = {
                    "iterations": iterations,
                    "objective": float(model.objective_),
                }
                for part, items in (("train", fold.train), ("test", fold.test)):
                    scores = scores_of(model, features(items))
                    row[part] = sample.measure(
                        job.metric, items, scores, chosen_top
                    ).value
                rows.append(row)
                if getattr(model, "status_", None) == "converged":
                    break
    except (Exception, TimeUp):
        # To the log: the run itself is done and counted; a curve may be shorter.
        traceback.print_exc()
    return rows
