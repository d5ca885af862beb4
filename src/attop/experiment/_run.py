"""One run of a comparison: a learner tuned, fitted and measured on one fold."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from attop._core.sample import NO_NUMBER, how_to_encode
from attop._core.top import Top
from attop._core.typing import Floats
from attop.experiment._capacity import capacity
from attop.experiment._forecast import HeldOut
from attop.experiment._learner import Learner, Sample
from attop.experiment._own_splits import TornWarning
from attop.experiment._selector import Selector
from attop.experiment._splits import Fold
from attop.experiment._tune import Trained, train
from attop.metrics._metric import Metric
from attop.metrics._registry import get_metric
from attop.metrics._roc import roc_points

#: A row of `TopComparison.runs`.
Row = dict[str, object]


class Split(NamedTuple):
    """A fold of a repeat, both counted from 0, and the seed of what is random in its runs."""

    repeat: int
    number: int
    fold: Fold
    seed: int


def run(
    learner: Learner,
    sample: Sample,
    split: Split,
    metric: Metric,
    tops: Sequence[Top],
    keep: bool,
    select: Selector | None = None,
) -> list[Row]:
    """Tune and fit a learner on the training items of a fold, and measure it on the test items, at each top.

    One thread and a given seed, so that neither the number of jobs nor their order makes a difference. A
    learner that raises has no value, and the error as its reason. `keep` says whether rows hold the models.
    Hyper-parameters are chosen by `select`, else by the metric.
    """
    with threadpool_limits(1), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            trained = train(
                learner, sample, split.fold, tops, metric, split.seed, select
            )
        except Exception as error:
            return [_failed(learner, error) for _ in tops]
    torn = [str(w.message) for w in warned if issubclass(w.category, TornWarning)]
    others = [
        str(w.message) for w in warned if not issubclass(w.category, TornWarning)
    ]
    warning = "; ".join(dict.fromkeys(torn + others[:1]))
    rows = []
    for i, top in enumerate(tops):
        row: Row = {
            "model": learner.name,
            **_measured(sample, split.fold, metric, top, trained.scores[i]),
        }
        row |= {"candidate": trained.chosen[i], "seconds": _seconds(trained)}
        row |= {"averaged": int(np.count_nonzero(trained.times[i]))}
        row |= {"warning": warning, "torn": torn, "failed": False}
        rows.append(row | {"estimator": trained.models[i]} if keep else row)
    return rows


def _measured(
    sample: Sample, fold: Fold, metric: Metric, top: Top, scores: Floats
) -> Row:
    """Measure the scores of the test items: value, lift and hits."""
    y = sample.y[fold.test]
    value = sample.measure(metric, fold.test, scores, top)
    groups = None if sample.groups is None else sample.groups[fold.test]
    entity = None if sample.entity is None else sample.entity[fold.test]
    return {
        "value": value.value,
        "reason": value.reason or "",
        "lift": get_metric("lift@k").evaluate(y, scores, top, groups).value,
        "hits": None
        if groups is not None
        else capacity(roc_points(y, scores), top),
        "held_out": HeldOut(fold.test, y, scores, entity),
    }


def _seconds(trained: Trained) -> float:
    return sum(
        filter(None, (trained.seconds[part] for part in ("selection", "training")))
    )


def _failed(learner: Learner, error: Exception) -> Row:
    """Make the row of a run that raised, with its reason."""
    message = str(error)
    if message.startswith(NO_NUMBER) and "\n" not in message:
        message = how_to_encode(message, learner.name)
    notes = [f" ({note})" for note in getattr(error, "__notes__", ())]
    return {
        "model": learner.name,
        "value": math.nan,
        "reason": f"{type(error).__name__}: {message}{''.join(notes)}",
        "lift": math.nan,
        "hits": None,
        "held_out": None,
        "candidate": None,
        "averaged": 0,
        "seconds": math.nan,
        "warning": "",
        "torn": [],
        "failed": True,
    }


def require_a_result(results: Sequence[Sequence[Row]]) -> None:
    """Refuse runs of which every one raised: nothing is left to compare."""
    first = results[0][0]
    if all(row["failed"] for rows in results for row in rows):
        count = len(results)
        every = "the run" if count == 1 else f"each of the {count} runs"
        raise ValueError(
            f"{every} raised an error, the first one of {first['model']!r}: {first['reason']}"
        )
