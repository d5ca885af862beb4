"""Metrics of stored test scores, as tidy tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attop.experiment import MULTIPLES, HeldOut, best_candidate, counts_at_top
from attop.extending import Floats, Ints, Top, main_top
from attop.metrics import Metric, inside_top, roc_points
from attop_bench.data.base import Dataset, DatasetError, Unavailable, load_arrays
from attop_bench.files import Entry, JsonObject
from attop_bench.run.fitting import sample_of
from attop_bench.run.job import Run
from attop_bench.run.provenance import short
from attop_bench.run.record import Record, RecordError
from attop_bench.run.tables import EVALUATED, KEY, TABLES

#: Of a record, in the table of runs.
_NUMBERS = ("n_train", "n_test", "started", "ended", "peak_memory_mb")
#: A row of a table.
Row = dict[str, object]


class OptimisticChoice(NamedTuple):
    """The candidate of a method with the best mean over all test parts, and each run's value of all."""

    best: int
    mean: float
    values: dict[Run, list[float]]


def evaluate(
    dataset: Dataset | Unavailable,
    runs: Sequence[Run],
    scores: Sequence[str | Path],
    records: Sequence[str | Path],
    *,
    tops: Sequence[Top],
    metrics: Sequence[Metric],
    scoring: Metric,
) -> dict[str, pd.DataFrame]:
    """Compute the tables `attop_bench.run.tables.EVALUATED` of the stored runs of one data set.

    A run that failed, as all do without data, has rows in ``runs`` only. Scores are in the order of `tops`; a
    metric is evaluated at the top they were trained for, `scoring`, which compares methods, at all of them.
    """
    rows: dict[str, list[Row]] = {name: [] for name in EVALUATED}
    main = main_top(map(str, tops))
    read = _read_all(runs, scores, records, tops)
    chosen = (
        {}
        if isinstance(dataset, Unavailable)
        else _choose(dataset, read, tops, scoring)
    )
    for (run, record, test, values), path in zip(read, records, strict=True):
        for t, top in enumerate(tops):
            key = {**vars(run), "top": str(top)}
            result = record.tops[t] if record.ok else {}
            row = values[t] if result else None
            with reporting_damage(path):
                if "candidates" in result:
                    choice = chosen[run.method, t]
                    row = values[t, choice.best]
                    result = _result_of(choice, result["candidates"], run)
                rows["runs"].append(key | _run_row(record, result))
            if row is None or isinstance(dataset, Unavailable):
                continue
            part = "test" if record.selection == "optimistic" else "validation"
            with reporting_damage(path):
                selection = _selection_rows(result, part)
            amounts = {"amounts": amount_curve(dataset, test, row, top)}
            further = {
                "selection": selection,
                "evaluation": _metric_rows(dataset, test, row, top, metrics),
                "cross": _cross_rows(dataset, test, row, tops, scoring),
                "parts": _part_rows(dataset, test, row, top),
                "roc": [_roc_row(dataset, test, row) | amounts],
            }
            if dataset.groups is None and str(top) == main:
                listed = listed_row(test + 1, dataset.y[test], row, top)
                further["listed"] = [listed]
            for name, more in further.items():
                rows[name] += [key | entry for entry in more]
    return {
        name: pd.DataFrame(rows[name], columns=[*KEY, *TABLES[name]])
        for name in EVALUATED
    }


@contextmanager
def reporting_damage(record: str | Path) -> Iterator[None]:
    """Re-raise errors of a damaged record as RecordError."""
    try:
        yield
    except (
        LookupError,
        TypeError,
        AttributeError,
        ValueError,
        OverflowError,
    ) as error:
        reason = f"{type(error).__name__}: {error}"
        raise RecordError(f"{record} is damaged ({reason})", [record]) from error


#: A run, its record, the rows of its test part and their scores.
Read = tuple[Run, Record, Ints, Floats]


def _read_all(
    runs: Sequence[Run],
    scores: Sequence[str | Path],
    records: Sequence[str | Path],
    tops: Sequence[Top],
) -> list[Read]:
    """Read records and scores of all runs; raise one `RecordError` that names all damaged ones."""
    read: list[Read] = []
    errors: list[RecordError] = []
    for run, scored, record in zip(runs, scores, records, strict=True):
        try:
            read.append((run, *_read(scored, record, tops)))
        except RecordError as error:
            errors.append(error)
    if errors:
        what = "\n".join(error.what for error in errors)
        raise RecordError(what, [path for error in errors for path in error.spoilt])
    return read


def _read(
    scores: str | Path, record: str | Path, tops: Sequence[Top]
) -> tuple[Record, Ints, Floats]:
    """Read the record of a run, the rows of its test part and their scores."""
    content = Record.read(record)
    with reporting_damage(record):
        if content.ok and [top["top"] for top in content.tops] != list(
            map(str, tops)
        ):
            raise ValueError("of other tops")
    try:
        arrays, _ = load_arrays(scores)
        return content, arrays["test"], arrays["scores"]
    except (DatasetError, KeyError) as error:
        reason = str(error).partition(": delete it")[0]
        raise RecordError(
            f"the scores of {record} are damaged ({reason})", [record]
        ) from None


def _choose(
    dataset: Dataset, read: Sequence[Read], tops: Sequence[Top], scoring: Metric
) -> dict[tuple[str, int], OptimisticChoice]:
    """Choose the optimistic candidate per method and top, with its mean and all candidates' values by run."""
    sample = sample_of(dataset)
    tried: dict[tuple[str, int], dict[Run, list[float]]] = {}
    for run, record, test, values in read:
        if record.ok and record.selection == "optimistic":
            for t, top in enumerate(tops):
                on_test = [
                    sample.measure(scoring, test, scores, top).value
                    for scores in values[t]
                ]
                tried.setdefault((run.method, t), {})[run] = on_test
    return {
        at: OptimisticChoice(*best_candidate(list(each.values()), scoring), each)
        for at, each in tried.items()
    }


def _result_of(
    choice: OptimisticChoice, candidates: Sequence[JsonObject], run: Run
) -> JsonObject:
    """Describe the optimistic choice in a run as a nested selection describes its own."""
    best = candidates[choice.best]
    inner = [
        {**candidate, "values": [value]}
        for candidate, value in zip(candidates, choice.values[run], strict=True)
    ]
    return {
        **best,
        "chosen": best["candidate"],
        "validation": choice.mean,
        "inner": inner,
    }


def _run_row(record: Record, top: Entry) -> Row:
    seconds = record.seconds
    return {
        "status": record.status,
        "chosen": json.dumps(top.get("chosen", {}), sort_keys=True),
        "n_candidates": record.n_candidates,
        "averaged": top.get("averaged", int(record.ok)),
        "scoring": record.scoring,
        "selection": record.selection,
        "validation": _number(top.get("validation")),
        "at_edge": json.dumps(top.get("at_edge", [])),
        "constant": bool(top.get("constant", False)),
        "torn": json.dumps(record.torn),
        **{
            f"seconds_{part}": _number(seconds.get(part))
            for part in ("selection", "training", "scoring")
        },
        "seconds_cpu": _number(record.cpu_seconds),
        **{name: _number(getattr(record, name)) for name in _NUMBERS},
        "host": record.environment.get("host", ""),
        "environment": short(record.environment),
        "seed": str(record.seed),
        "error": record.error,
    }


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _selection_rows(top: Entry, part: str) -> list[Row]:
    return [
        {
            "candidate": json.dumps(row["candidate"], sort_keys=True),
            "inner_fold": i,
            "value": _number(value),
            "part": part,
            "times": row.get("times", int(row["candidate"] == top["chosen"])),
        }
        for row in top["inner"]
        for i, value in enumerate(row["values"])
    ]


def _metric_rows(
    dataset: Dataset,
    test: Ints,
    scores: Floats,
    top: Top,
    metrics: Sequence[Metric],
) -> list[Row]:
    sample = sample_of(dataset)
    return [
        {"metric": m.name, **sample.measure(m, test, scores, top)._asdict()}
        for m in metrics
    ]


def _cross_rows(
    dataset: Dataset,
    test: Ints,
    scores: Floats,
    tops: Sequence[Top],
    metric: Metric,
) -> list[Row]:
    if not metric.needs_top:
        return []
    rows = {
        str(at): _metric_rows(dataset, test, scores, at, [metric])[0] for at in tops
    }
    return [
        {"at": at, "metric": metric.name, "value": row["value"]}
        for at, row in rows.items()
    ]


def listed_row(rows: NDArray, y: Ints, scores: Floats, top: Top) -> Row:
    """List the items among the first k, with all that are tied at the cut; none for k > n."""
    try:
        inside = inside_top(scores, top.resolve(len(y), int(y.sum())))
    except ValueError:
        inside = np.zeros(len(y))
    at = np.flatnonzero(inside)
    columns = {"row": rows[at], "label": y[at], "listed": inside[at]}
    return {name: values.tolist() for name, values in columns.items()} | {
        "n_pos": int(y.sum())
    }


def _part_rows(dataset: Dataset, test: Ints, scores: Floats, top: Top) -> list[Row]:
    """Count at the top of each part of the rows, such as a region; no row if the data set names no parts."""
    parts = dataset.parts
    if parts is None:
        return []
    y = dataset.y[test]
    counts = counts_at_top(HeldOut(test, y, scores), parts, top, dataset.groups)
    codes = parts.codes[test]
    n = np.bincount(codes, minlength=len(counts))
    n_pos = np.bincount(codes, y, minlength=len(counts))
    return [
        {
            "column": parts.column,
            "part": str(name),
            "rows": int(n[i]),
            "positives": int(n_pos[i]),
            "among": float(counts[i, 0]),
            "found": float(counts[i, 1]),
        }
        for i, name in enumerate(parts.names)
    ]


def _roc_row(dataset: Dataset, test: Ints, scores: Floats) -> Row:
    """Compute the corners of the ROC curve of all groups together, as counts."""
    y = dataset.y[test]
    fp, tp = roc_points(y, scores)
    # A point on the line between its neighbours draws nothing.
    turn = np.ones(len(fp), bool)
    turn[1:-1] = (
        np.diff(fp)[:-1] * np.diff(tp)[1:] != np.diff(fp)[1:] * np.diff(tp)[:-1]
    )
    return {
        "fp": fp[turn].astype(int).tolist(),
        "tp": tp[turn].astype(int).tolist(),
        "n_neg": int((y == 0).sum()),
        "n_pos": int(y.sum()),
    }


def amount_curve(
    dataset: Dataset, test: Ints, scores: Floats, top: Top
) -> list[float]:
    """Sum the worth of the positives among the first rows, at `MULTIPLES` of k and of all rows.

    Ties are in random order, so that between two cuts the amount is on a straight line. Empty where the data
    set has no amounts, or the list fewer than k rows.
    """
    if dataset.amount is None:
        return []
    y = dataset.y[test]
    try:
        k = top.resolve(len(y), int(y.sum()))
    except ValueError:
        return []
    order = np.argsort(-scores, kind="stable")
    cuts = np.flatnonzero(np.diff(scores[order], append=np.nan))
    worth = np.cumsum((y * dataset.amount[test])[order])[cuts]
    places = np.append(np.minimum(MULTIPLES * k, len(y)), len(y))
    return np.interp(places, np.append(0, cuts + 1), np.append(0.0, worth)).tolist()
