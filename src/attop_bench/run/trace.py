"""The surrogate against the metric along training: a method's model after 1, 2, 4, ... iterations."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from attop.experiment.splits import Fold
from attop_bench.data.base import Dataset, Unavailable
from attop_bench.jobs.limits import TimeUp, time_limit
from attop_bench.run.fitting import fit_settings, import_estimator, score_items
from attop_bench.run.measure import measure
from attop_bench.run.record import Record
from attop_bench.run.spec import JobSpec
from attop_bench.run.tables import KEY, TABLES

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BUDGETS", "trace", "trace_table"]

#: Parameters that bound the iterations, in the estimators that descend an objective.
BUDGETS = ("max_iter", "epochs")
#: Seconds for a method: what is not there by then is left out of its curve.
_SECONDS = 60.0


def trace_table(
    id: str,
    dataset: Dataset | Unavailable,
    fold: Fold | None,
    jobs: Mapping[str, JobSpec],
    records: Mapping[str, Record],
    top: str,
) -> pd.DataFrame:
    """Return the table ``trace`` of a data set.

    Parameters
    ----------
    id : str
        Of the data set in the configuration.
    dataset : Dataset or Unavailable
    fold : Fold or None
        The first; None without data.
    jobs, records : mappings of method to its first run's specification and record
    top : str
        One of the tops of the runs.
    """
    import pandas as pd

    rows: list[dict[str, Any]] = []
    if not isinstance(dataset, Unavailable) and fold is not None:
        for method, job in jobs.items():
            key = dict(zip(KEY, (id, method, 0, 0, top), strict=True))
            rows += [key | row for row in trace(job, dataset, fold, records[method], top)]
    return pd.DataFrame(rows, columns=[*KEY, *TABLES["trace"]])


def trace(job: JobSpec, dataset: Dataset, fold: Fold, record: Record, top: str) -> list[dict[str, Any]]:
    """Train the chosen setting of a finished run again, stopped ever later.

    Parameters
    ----------
    job : JobSpec
        The run's.
    dataset : Dataset
    fold : Fold
    record : Record
        What the run left.
    top : str
        Which of its tops.

    Returns
    -------
    rows : list of dict
        ``iterations``, ``objective`` (what the method minimises, on the training part), and the value of
        ``job.scoring`` on the training part (``train``) and on the test part (``test``). Empty for a
        method that failed, is not of this package's kind, or selected its setting on the test parts.
    """
    found = next((t for t in record.tops if t["top"] == top and "chosen" in t), None)
    if not record.ok or found is None:
        return []
    estimator = import_estimator(job.estimator)(**job.params)
    known = estimator.get_params()
    budget = next((name for name in BUDGETS if name in known), None)
    if budget is None or not hasattr(estimator, "fit_many"):
        return []
    if "random_state" in known and "random_state" not in job.params:
        estimator.set_params(random_state=record.seed)
    chosen_top = next(one for one in job.tops if str(one) == top)
    setting = {**found["chosen"], "top": chosen_top}
    last = int({**known, **setting}[budget])
    rows: list[dict[str, Any]] = []
    try:
        with time_limit(_SECONDS), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # stopped early is what is wanted
            for iterations in _doubling(last):
                (model,), transform = fit_settings(
                    estimator, job, dataset, fold.train, [{**setting, budget: iterations}]
                )
                if not hasattr(model, "objective_"):
                    return []
                row = {"iterations": iterations, "objective": float(model.objective_)}
                for part, items in (("train", fold.train), ("test", fold.test)):
                    scores = score_items(model, transform(items))
                    row[part] = measure(job.metric, dataset, items, scores, chosen_top).value
                rows.append(row)
                if getattr(model, "status_", None) == "converged":
                    break
    except (Exception, TimeUp):
        traceback.print_exc()  # to the log: the run itself is done and counted; a curve may be shorter
    return rows


def _doubling(last: int) -> Iterator[int]:
    """Yield 1, 2, 4, ... and `last`."""
    at = 1
    while at < last:
        yield at
        at *= 2
    yield last
