"""Columns that tell the label nearly alone, and are most likely known only after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attop.extending import Floats, Ints
from attop_bench.data.columns.categories import MANY_VALUES
from attop_bench.data.columns.days import day_numbers
from attop_bench.data.errors import DatasetError
from attop_bench.data.profile.leaks_at_top import Part, leaks_at_top
from attop_bench.data.profile.readers import Column

#: AUC of a column alone; share of positives of a value that half of the positives have.
_AREA, _ALONE = 0.998, 0.99
#: Share of positives of a value, and rows of it; its lift, where more than half are positive.
_PURE, _ROWS, _LIFT = 0.95, 10, 20.0
#: Rows of a value of which all are positive, a part of the label beside others.
_PART = 3
#: Where more columns than these, and more than this share, have such values, they are the nature of the data.
_MOST, _SHARE = 8, 0.1


def leaks(
    frame: pd.DataFrame, columns: Sequence[Column], label: str, y: NDArray[np.bool_]
) -> dict[str, str]:
    """Find the columns that tell the label `y` nearly alone, by a value or by having one, and say how."""
    if min(y.sum(), (~y).sum()) < _ROWS:
        return {}
    choices = _choices(frame, [column.name for column in columns], label, y)
    evidence = dict.fromkeys(
        choices, f"with the label one choice of {len(choices) + 1}"
    )
    rest = [column for column in columns if column.name != label]
    half = np.random.default_rng(0x1EA).random(len(y)) < 0.5  # labels may alternate
    in_days = _with_days(frame, rest)
    areas = _areas_of_numbers(in_days, rest, y)
    found: dict[str, dict[str, Part]] = {"value": {}, "part": {}}
    for column in rest:
        codes = dict(_codes(frame[column.name], column))
        area = max([areas.get(column.name, 0.0), *_areas(codes.values(), y, half)])
        if area >= _AREA:
            evidence[column.name] = f"AUC {area:.3f}"
            continue
        for what, code in codes.items():
            if how := _by_half(what, code, y):
                evidence[column.name] = how
        for strength, part in _evidence(codes, column.kind == "number", y):
            found[strength][column.name] = part
    parts = {
        name: replace(part, tried=len(rest))
        for name, part in _strong(found, len(columns), y.mean()).items()
        if name not in evidence
    }
    evidence |= leaks_at_top(in_days, rest, y, tuple(evidence), parts)
    return {c.name: evidence[c.name] for c in rest if c.name in evidence}


def _strong(
    evidence: Mapping[str, Mapping[str, Part]], n_columns: int, share: float
) -> Mapping[str, Part]:
    """Choose the parts that are so few that chance does not explain them, at a share of positives."""
    values, parts = evidence["value"], evidence["part"]
    if not 0 < len(values) <= max(_MOST, _SHARE * n_columns):
        return {}
    # By chance in one of 1,000 values.
    if len(parts) <= _MOST and share < 0.1:
        return {**parts, **values}
    return values


def _evidence(
    codes: Mapping[str, Ints], is_number: bool, y: NDArray[np.bool_]
) -> Iterator[tuple[str, Part]]:
    """Yield what the parts of the rows by a column tell of the label, and how strongly."""
    for what, code in codes.items():
        if what == "its values" and is_number:
            continue  # extreme ones may well be positive
        rows, hits = np.bincount(code), np.bincount(code, y)
        share = hits / np.maximum(rows, 1)
        telling = (share > _PURE) | ((share > 0.5) & (share > _LIFT * y.mean()))
        # Where most are positive, most values are pure.
        telling &= rows - hits < rows * (1 - y.mean()) / 2
        telling &= (rows >= _ROWS) & (rows * (1 - y.mean()) >= _ROWS / 2)
        part = (rows == hits) & (rows >= _PART)
        if telling.any():
            most = int(np.argmax(np.where(telling, rows, 0)))
            how = f"{hits[most]:.0f} of {rows[most]:,} rows of a value positive"
            yield "value", Part(how, code == most)
        elif part.any():
            how = f"{rows[part].sum():,} rows, all positive"
            yield "part", Part(how, part[code])


def _choices(
    frame: pd.DataFrame, names: list[str], label: str, y: NDArray[np.bool_]
) -> list[str]:
    """Find columns beside the label that are one choice with it: exactly one of all is 1 in each row."""
    at, columns = names.index(label), []
    total = y.astype(int)
    for neighbours in (names[at + 1 :], names[:at][::-1]):
        for name in neighbours:
            if (
                not frame[name].isin([0, 1]).all()
                or (total + frame[name].astype(int) > 1).any()
            ):
                break
            total = total + frame[name].astype(int)
            columns.append(name)
    return columns if (total == 1).all() else []


def _codes(values: pd.Series, column: Column) -> Iterator[tuple[str, Ints]]:
    """Yield ways to part the rows by a column, each as the number of each row's part."""
    if column.kind in ("unusable", "empty"):
        return
    missing = values.array.isna()
    if missing.any():
        yield "any value", missing.astype(np.int64)
    if not column.is_feature or column.kind == "text":
        return
    if column.distinct <= MANY_VALUES or column.kind == "category":
        yield "its values", pd.factorize(values, use_na_sentinel=False)[0]
    if column.kind == "number" and not missing.all():
        numbers = values.to_numpy(np.float64)
        present = np.sort(numbers[~missing])
        # A value of half of the rows is one of the two in their middle.
        middle = sorted(
            {present[(len(present) - 1) // 2], present[len(present) // 2]}
        )
        usual = [
            v for v in middle if 2 * np.count_nonzero(numbers == v) >= len(numbers)
        ]
        if usual:
            yield (
                "another value than the usual",
                (numbers != usual[0]).astype(np.int64),
            )


def _with_days(frame: pd.DataFrame, columns: Sequence[Column]) -> pd.DataFrame:
    """Replace dates, of a form that has an order of days, by the numbers of the days; gaps stay."""
    days = {}
    for column in columns:
        if column.kind == "date":
            present = frame[column.name].dropna()
            with suppress(DatasetError):
                numbers = pd.Series(day_numbers(present, ""), present.index)
                days[column.name] = numbers.reindex(frame.index)
    return frame.assign(**days)


def _areas_of_numbers(
    frame: pd.DataFrame, columns: Sequence[Column], y: NDArray[np.bool_]
) -> dict[str, float]:
    """Compute the AUC of each column of numbers or days, either way up, gaps at the median."""
    areas: dict[str, float] = {}
    for column in columns:
        values = frame[column.name]
        told = column.is_feature or column.kind == "date"
        if not told or not pd.api.types.is_numeric_dtype(values.dtype):
            continue
        numbers = values.to_numpy(np.float64)
        missing = np.isnan(numbers)
        if missing.any():
            numbers = np.where(missing, values.median(), numbers)
        areas[column.name] = _area(numbers, y)
    return areas


def _area(numbers: Floats, y: NDArray[np.bool_]) -> float:
    """Compute the AUC of an order, either way up; equal numbers have the mean of their ranks."""
    ordered, n_pos = np.sort(numbers), y.sum()
    below, up_to = (
        np.searchsorted(ordered, numbers[y], side) for side in ("left", "right")
    )
    ranks = (below + up_to + 1).sum() / 2
    area = float((ranks - n_pos * (n_pos + 1) / 2) / (n_pos * (~y).sum()))
    return max(area, 1 - area)


def _areas(
    codes: Iterable[Ints], y: NDArray[np.bool_], half: NDArray[np.bool_]
) -> Iterator[float]:
    """Yield the AUC of a column, either way up, by each way to part its rows."""
    for code in codes:  # a row by the share of positives among others of its code
        first, second = (_shares(code, y, rows)[code] for rows in (~half, half))
        yield _area(np.where(half, first, second), y)


def _by_half(what: str, code: Ints, y: NDArray[np.bool_]) -> str:
    """Describe values that are nearly all positive, if half of the positives have one of them."""
    rows, hits = np.bincount(code), np.bincount(code, y)
    expected = rows * (1 - y.mean())
    alone = (
        (hits >= _ALONE * rows) & (expected >= _ROWS) & (rows - hits < expected / 2)
    )
    labels = y[alone[code]]
    if labels.sum() < y.sum() / 2:
        return ""
    return f"{what}: {labels.mean():.0%} of {len(labels):,} rows positive"


def _shares(code: Ints, y: NDArray[np.bool_], rows: NDArray[np.bool_]) -> Floats:
    """Compute the share of positives of each code among `rows`; that of all rows where a code has none."""
    hits, size = (
        np.bincount(code[rows], w, code.max() + 1) for w in (y[rows], None)
    )
    return np.divide(
        hits, size, out=np.full(len(size), y[rows].mean()), where=size > 0
    )
