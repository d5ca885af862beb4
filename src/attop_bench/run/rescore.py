"""Stored test scores of any origin as the benchmark's tables, without training."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from attop.extending import (
    Floats,
    Ints,
    Top,
    all_alike,
    as_floats,
    did_you_mean,
    main_top,
    show_progress,
)
from attop.metrics import Metric
from attop_bench.data.base import DatasetError
from attop_bench.data.columns.categories import as_identifiers
from attop_bench.data.reading.formats import read_table, refuse_twice
from attop_bench.data.reading.table import Table
from attop_bench.files import JsonObject, check_stem
from attop_bench.run.evaluation import Row, listed_row
from attop_bench.run.job import JOB
from attop_bench.run.record import environment
from attop_bench.run.tables import KEY, TABLES

#: Columns of a table of predictions, one row for each item that a run scored.
COLUMNS = ("dataset", "method", "fold", "row", "label", "score")
#: Columns it may have; by default 0, one list, 1 for each row, and the same scores at every top.
OPTIONAL = ("repeat", "group", "weight", "top")
_SUFFIXES = (".csv", ".tsv", ".parquet", ".pq")
_STANDING_IN = (
    "A top that no scores are for is measured on those for the nearest k."
)
#: Tables that scores alone fill.
_RESCORED = ("evaluation", "runs", "listed")
#: Values of the columns of a run that scores do not tell; numbers among them are NaN.
_BLANKS = {
    "chosen": "{}",
    "n_candidates": 1,
    "at_edge": "[]",
    "torn": "[]",
} | dict.fromkeys(
    ("scoring", "selection", "host", "environment", "seed", "error"), ""
)


@dataclass(frozen=True)
class TestFold:
    """The test items of one fold, in the order of their rows, the same for every method."""

    rows: Ints
    y: Ints
    groups: Ints | None
    weights: Floats | None


@dataclass(frozen=True)
class Rescored:
    """Tables of `attop_bench.run.tables.TABLES`, and the manifest of the report (see `build_report`)."""

    tables: dict[str, pd.DataFrame]
    manifest: JsonObject


def rescore(
    files: Sequence[Path],
    tops: Sequence[Top],
    metrics: Sequence[Metric],
    scoring: Metric,
    *,
    rename: Mapping[str, str] | None = None,
    title: str = "Stored scores",
    nearest: bool = False,
    n_jobs: int = -1,
) -> Rescored:
    """Evaluate stored predictions: tables with the columns of `COLUMNS`, and perhaps `OPTIONAL`.

    All runs of a data set are in one file, which may hold several data sets. Methods are compared by
    `scoring`; `rename` maps columns of the files to these. With `nearest`, a top that no scores of a run are
    for is measured on those for the top whose k is nearest on that test part, on the scale of logarithms.
    """
    from joblib import Parallel, delayed

    wanted = list({m.name: m for m in (scoring, *metrics)}.values())
    calls = (
        delayed(_evaluate_file)(path, tops, wanted, rename or {}, nearest)
        for path in files
    )
    read = Parallel(n_jobs=n_jobs, return_as="generator")(calls)
    parts = list(show_progress(read, len(files), "files"))
    home: dict[str, Path] = {}
    datasets: JsonObject = {}
    asked = {"scoring": scoring.name, "tops": [str(top) for top in tops]}
    for path, (_, facts) in zip(files, parts, strict=True):
        for name, counts in facts.items():
            if name in home:
                raise DatasetError(
                    f"{path}: data set {name!r} is in {home[name]} as well: join them"
                )
            home[name], datasets[name] = path, counts | asked
    tables = {
        name: pd.DataFrame(columns=[*KEY, *columns])
        for name, columns in TABLES.items()
    }
    for name in _RESCORED:
        tables[name] = pd.concat(
            [tables_of_file[name] for tables_of_file, _ in parts], ignore_index=True
        )
    methods = {
        name: {"title": name} for name in dict.fromkeys(tables["runs"]["method"])
    }
    manifest: JsonObject = {"title": title, "environment": environment()}
    return Rescored(tables, manifest | {"datasets": datasets, "methods": methods})


def _evaluate_file(
    path: Path,
    tops: Sequence[Top],
    metrics: Sequence[Metric],
    rename: Mapping[str, str],
    nearest: bool,
) -> tuple[dict[str, pd.DataFrame], dict[str, JsonObject]]:
    """Compute the tables of a file, and the manifest's entries of its data sets."""
    frame = _read_predictions(path, rename)
    table_rows: dict[str, list[Row]] = {name: [] for name in _RESCORED}
    main = next(top for top in tops if str(top) == main_top(map(str, tops)))
    facts = {}
    for dataset, rows in frame.groupby("dataset", sort=False, observed=True):
        where = f"{path}: data set {dataset!r}"
        check_stem(str(dataset), f"{path}: data set")
        parts: dict[tuple[int, int], TestFold] = {}
        scored = []
        for (method, repeat, fold), run in rows.groupby(
            JOB[1:], sort=False, observed=True
        ):
            where_run = f"{where}, method {method!r}, repeat {repeat}, fold {fold}"
            for tops_of_rows, table in _at_tops(run, tops, where_run, nearest):
                part, scores = _items_of(table, where_run)
                first = parts.setdefault((repeat, fold), part)
                _check_agree(
                    first, part, f"{where}, repeat {repeat}, fold {fold}", method
                )
                scored.append((method, repeat, fold, part, scores, tops_of_rows))
        trained = _trained_on(parts)
        for method, repeat, fold, part, scores, tops_of_rows in scored:
            key = dict(zip(JOB, (dataset, method, repeat, fold), strict=True))
            table_rows["evaluation"] += _values(
                key, part, scores, tops_of_rows, metrics
            )
            if part.groups is None and main in tops_of_rows:
                items = listed_row(part.rows, part.y, scores, main)
                table_rows["listed"].append({**key, "top": str(main), **items})
            entry = key | _BLANKS | {"status": "ok", "constant": all_alike(scores)}
            entry |= {
                "n_train": trained[repeat, fold],
                "n_test": float(len(scores)),
            }
            table_rows["runs"] += [
                entry | {"top": str(top)} for top in tops_of_rows
            ]
        facts[str(dataset)] = _about(parts, nearest and "top" in rows)
    tables = {
        name: pd.DataFrame(table, columns=[*KEY, *TABLES[name]])
        for name, table in table_rows.items()
    }
    return tables, facts


def _at_tops(
    run: pd.DataFrame, tops: Sequence[Top], where: str, nearest: bool
) -> Iterator[tuple[Sequence[Top], pd.DataFrame]]:
    """Yield the scores of a run with the tops they are for: all of them, but where a column says it."""
    if "top" not in run:
        yield tops, run
        return
    rows_for: dict[Top, pd.DataFrame] = {}
    for text, rows in run.groupby("top", sort=False, observed=True):
        for top in (
            tops
            if text == "all"
            else [Top.parse(name.strip()) for name in str(text).split(",")]
        ):
            if top in rows_for:
                raise DatasetError(
                    f"{where}: two scores of a row are for {top}: give each top one"
                )
            rows_for[top] = rows
    other = [top for top in rows_for if top not in tops]
    if other and not nearest:
        raise DatasetError(
            f"{where}: scores for {other[0]}, which is not asked for: leave them out, or ask for it by "
            "--top, or --nearest, by which they serve a top that has none"
        )
    stand_in = {
        top: _nearest(top, rows_for, where) if nearest else top for top in tops
    }
    for source, rows in rows_for.items():
        yield [top for top in tops if stand_in[top] == source], rows


def _nearest(top: Top, rows_for: Mapping[Top, pd.DataFrame], where: str) -> Top:
    """Choose the top itself where scores are for it, else that of the nearest k; of two the shorter."""
    if top in rows_for:
        return top
    (first, *_) = rows_for.values()
    if "group" in first:
        raise DatasetError(
            f"{where}: no scores are for {top}, and which are nearest differs from group to group: ask for a "
            "top that scores are for"
        )
    n = len(first)
    n_pos = int((first["label"] == 1).sum())
    wanted = math.log(_length(top, n, n_pos))
    lengths = {one: math.log(_length(one, n, n_pos)) for one in rows_for}
    return min(
        lengths,
        key=lambda one: (round(abs(lengths[one] - wanted), 12), lengths[one]),
    )


def _length(top: Top, n: int, n_pos: int) -> int:
    """Resolve the k of a top on a test part; one that asks for more rows than there are has them all."""
    try:
        return top.resolve(n, n_pos)
    except ValueError:
        return n


def _trained_on(
    parts: Mapping[tuple[int, int], TestFold],
) -> dict[tuple[int, int], float]:
    """Count the rows in the other folds of each fold's repeat; NaN if folds overlap, or there is only one."""
    sizes = {}
    for (repeat, fold), part in parts.items():
        others = [
            o.rows for (r, f), o in parts.items() if r == repeat and f != fold
        ]
        rows = np.concatenate([part.rows, *others])
        apart = len(others) > 0 and len(np.unique(rows)) == len(rows)
        sizes[repeat, fold] = (
            float(len(rows) - len(part.rows)) if apart else math.nan
        )
    return sizes


def _values(
    key: Mapping[str, object],
    part: TestFold,
    scores: Floats,
    tops: Sequence[Top],
    metrics: Sequence[Metric],
) -> Iterator[Row]:
    """Yield a row for each metric and top; one without a top is computed once."""
    for metric in metrics:
        weights = part.weights if metric.weighted else None
        result = None
        for top in tops:
            if result is None or metric.needs_top:
                result = metric.evaluate(part.y, scores, top, part.groups, weights)
            yield {
                **key,
                "top": str(top),
                "metric": metric.name,
                **result._asdict(),
            }


def _about(parts: Mapping[tuple[int, int], TestFold], nearest: bool) -> JsonObject:
    """Describe the rows tested in the first repeat, by their counts."""
    first = min(repeat for repeat, _ in parts)
    parts_of_repeat = [
        part for (repeat, _), part in parts.items() if repeat == first
    ]
    repeats = len({repeat for repeat, _ in parts})
    folds = len(parts_of_repeat)
    protocol = f"As the scores were made: {folds} test parts, {repeats} times."
    counts: JsonObject = {
        "items": int(sum(len(part.y) for part in parts_of_repeat)),
        "positives": int(sum(part.y.sum() for part in parts_of_repeat)),
        "protocol": f"{protocol} {_STANDING_IN}" if nearest else protocol,
    }
    if parts_of_repeat[0].groups is not None:
        codes = (
            part.groups.max() for part in parts_of_repeat if part.groups is not None
        )
        counts["groups"] = int(max(codes)) + 1
    return counts


def files_of(place: str | Path) -> list[Path]:
    """List the files of predictions below a folder, or the file itself."""
    path = Path(place)
    files = (
        [path]
        if path.is_file()
        else sorted(f for f in path.rglob("*") if f.name.endswith(_SUFFIXES))
    )
    if not files:
        raise DatasetError(
            f"{place}: no file of predictions ({', '.join(_SUFFIXES)}): give a file or folder"
        )
    return files


def _read_predictions(path: Path, rename: Mapping[str, str]) -> pd.DataFrame:
    """Read the columns `COLUMNS` and `OPTIONAL` of a file; refuse missing values."""
    table = read_table(path)
    written = table.frame.rename(columns=dict(rename))
    refuse_twice(written.columns, str(path))
    if missing := [name for name in COLUMNS if name not in written.columns]:
        raise DatasetError(
            f"{path}: no column {missing[0]!r}; {did_you_mean(missing[0], written.columns)}; name the one "
            f"that holds it: --rename COLUMN={missing[0]}"
        )
    table = replace(table, frame=written)
    as_named = replace(table, has_types=True)  # a method may be called NA or None
    kind = dict.fromkeys(("dataset", "method"), as_named)
    kind |= dict.fromkeys(("row", "group", "top"), table)
    names = [name for name in (*COLUMNS, *OPTIONAL) if name in written]
    frame = pd.DataFrame(
        {
            name: _text(kind[name], name) if name in kind else table.values(name)
            for name in names
        }
    )
    if missing := [name for name in frame if frame[name].isna().any()]:
        raise DatasetError(
            f"{path}: column {missing[0]!r} has missing values: leave out runs without scores"
        )
    for name in {"row", "group"} & set(frame):
        if frame[name].dtype.kind not in "iu":
            frame[name] = as_identifiers(frame[name], str(path))
    frame["repeat"] = frame.get("repeat", 0)
    for name in ("label", "score", "weight"):
        if name in frame and not pd.api.types.is_numeric_dtype(frame[name]):
            raise DatasetError(
                f"{path}: column {name!r} is not numeric, such as {frame[name].iloc[0]!r}"
            )
    return frame


def _text(table: Table, name: str) -> pd.Series:
    """Read a column of names; whole numbers of a file with types are names as they stand.

    Each different value is read once: a file of millions of rows has few.
    """
    column = table.frame[name]
    are_numbers = pd.api.types.is_integer_dtype(column) and not column.hasnans
    if (
        name in {"row", "group"}
        and are_numbers
        and column.max() <= np.iinfo(np.int64).max
    ):
        return column.astype(np.int64)
    if not isinstance(column.dtype, pd.StringDtype):
        return table.text(name)
    codes, different = pd.factorize(column)
    texts = replace(table, frame=pd.DataFrame({name: different})).text(name)
    return texts.reindex(codes).set_axis(column.index)


def _items_of(run: pd.DataFrame, where: str) -> tuple[TestFold, Floats]:
    """Sort the items of a run by their rows, and their scores likewise."""
    order = np.argsort(run["row"].to_numpy(), kind="stable")
    rows = run["row"].to_numpy()[order]
    if len(rows) > 1 and (rows[1:] == rows[:-1]).any():
        raise DatasetError(
            f"{where}: a row is scored twice: give each repeat and fold its own number"
        )
    label = run["label"].to_numpy()[order]
    try:
        scores = as_floats(run["score"].to_numpy())[order]
    except ValueError as error:
        raise DatasetError(f"{where}: {error}") from None
    if not np.isin(label, (0, 1)).all():
        raise DatasetError(
            f"{where}: labels must be 0 or 1, got {np.unique(label)[:5].tolist()}"
        )
    if not np.isfinite(scores).all():
        raise DatasetError(
            f"{where}: {int((~np.isfinite(scores)).sum())} scores are NaN or infinite"
        )
    groups = (
        np.unique(run["group"].to_numpy()[order], return_inverse=True)[1]
        if "group" in run
        else None
    )
    weights = run["weight"].to_numpy(np.float64)[order] if "weight" in run else None
    return TestFold(rows, label.astype(np.int64), groups, weights), scores


def _check_agree(first: TestFold, part: TestFold, where: str, method: str) -> None:
    """Refuse methods tested on other rows, labels, groups or weights than the first of the fold."""
    if not np.array_equal(first.rows, part.rows):
        raise DatasetError(
            f"{where}: the {len(part.rows)} rows of method {method!r} are not the same as the "
            f"{len(first.rows)} of the method before it: methods are compared on the same rows"
        )
    for name, what in (
        ("y", "labels"),
        ("groups", "groups"),
        ("weights", "weights"),
    ):
        before = getattr(first, name)
        now = getattr(part, name)
        if (
            before is not None
            and now is not None
            and not np.array_equal(before, now)
        ):
            raise DatasetError(
                f"{where}: method {method!r} has other {what} than the method before it: those of a row are "
                "the same for all methods"
            )
