"""New rows for a model: read as its own data were, each ranked, or named with the reason why not."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from attop.extending import count_noun, join_first
from attop_bench.data.base import DatasetError
from attop_bench.data.columns.preparation import as_categories
from attop_bench.data.files.opening import BROKEN, hold
from attop_bench.data.ledger import Aside, Ledger, shown
from attop_bench.data.reading.as_found import found_again
from attop_bench.data.reading.cells import GAPS, numbers_of
from attop_bench.data.reading.formats import BY_PATH, format_of, read_table
from attop_bench.data.reading.lines import asides
from attop_bench.data.reading.lists import WEIGHTS
from attop_bench.data.reading.table import Table
from attop_bench.files import StrPath

#: Formats of text alone, in which any line may be a row.
_OF_LINES = ("csv", "excel")
#: Place of a row -> why it cannot be ranked.
Reasons = dict[int, str]


def read_all(
    path: StrPath, form: str, reader: Mapping[str, Any], names: Sequence[str]
) -> tuple[Table, Sequence[str]]:
    """Read a file with these `names` in which every line with a value is a row; return what is said, too."""
    remarks: Sequence[str] = ()
    path = path if form in BY_PATH else hold(path)
    if form in _OF_LINES and os.path.isfile(path):
        try:
            reader, remarks = found_again(path, form, reader, names)
        except (UnicodeError, OSError, csv.Error, *BROKEN):
            pass  # the reader says more
        reader = {**reader, "pass_over": []}
    table = read_table(path, form, reader)
    return table, [*remarks, *table.remarks]


def read_new_rows(
    path: StrPath, notes: Mapping[str, Any], tell: Callable[[str], None]
) -> Table:
    """Read the rows of a file as those of the model's data.

    `notes` are those of a package. Where the header is, the separator and the encoding are found again: new
    rows may come without the lines above it, or from another program.
    """
    form = format_of(path, notes["format"])
    # What stands for nothing does so in any format; a model ranks rows without weights.
    reader = {
        name: value
        for name, value in notes["reader"].items()
        if name == "missing" or (form == notes["format"] and name != WEIGHTS.option)
    }
    unused = (*notes["unused"], None)
    wanted = [
        name for name in (*notes["features"], notes["group"]) if name not in unused
    ]
    if (form in _OF_LINES) != (notes["format"] in _OF_LINES):
        reader["missing"] = _missing_in(form, notes, wanted)
    table, said = read_all(path, form, reader, wanted)
    if lacking := [name for name in notes["beside"] if name not in table.frame]:
        shown = join_first(lacking)
        said = [*said, f"lacks columns that a list of all shows: {shown}"]
    for line in said:
        tell(f"{path}: {line}")
    return table


def _missing_in(form: str, notes: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Choose the words for nothing in rows of a format with types for data without, or the other way round.

    The usual words stand for nothing where they do in the data, and are categories where the data have them.
    """
    words: dict[str, Sequence[str]] = dict.fromkeys(names, sorted(GAPS))
    if form in _OF_LINES:
        categories = notes["categories"].items()
        words = {
            name: [] for name, values in categories if not GAPS.isdisjoint(values)
        }
    option = notes["reader"].get("missing", {})
    return {**words, **option} if isinstance(option, Mapping) else option


def features_of(
    table: Table,
    notes: Mapping[str, Any],
    names: Sequence[str],
    tell: Callable[[str], None],
) -> tuple[pd.DataFrame, Reasons]:
    """Read the features `names` of new rows as their file has them, and say why a row has none.

    Numbers have the decimal sign that leaves fewest rows with such a reason: that of the data, or the other
    one, which is told. The other one is not taken where it makes a number larger, as 1.234 becomes 1234.
    """
    other = replace(table, decimal="." if table.decimal == "," else ",")
    readings, refusals = [], []
    for way in (table, other):
        try:
            X, reasons = _features(way, notes, names)
        except DatasetError as error:
            refusals.append(error)
            continue
        readings.append((way, X, reasons))
        if not reasons:
            break
    if not readings:
        raise refusals[0]
    if len(readings) > 1 and _enlarges(readings[0][1], readings[1][1]):
        readings = readings[:1]
    way, X, reasons = min(readings, key=lambda one: len(one[-1]))
    if way is other:
        tell(
            f"{table.where}: numbers are read with {way.decimal!r} before the decimals, unlike the data's"
        )
    return X, reasons


def _enlarges(X: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Decide whether another reading has a larger number: a decimal sign became a mark between thousands."""
    one, two = (read.select_dtypes("number").abs() for read in (X, other))
    return bool((two > one).any(axis=None))


def _features(
    table: Table, notes: Mapping[str, Any], names: Sequence[str]
) -> tuple[pd.DataFrame, Reasons]:
    """Read features with the decimal sign of a table; categories keep values that are none of the data's."""
    columns = {}
    reasons: Reasons = {}
    for name in names:
        if name in notes["texts"]:
            columns[name] = table.text(name).fillna("")
            continue
        read = _categories if name in notes["categories"] else _numbers
        columns[name], unusable = read(table, name, notes)
        reasons = unusable | reasons
    return pd.DataFrame(columns, table.frame.index), reasons


def typed(X: pd.DataFrame, notes: Mapping[str, Any]) -> pd.DataFrame:
    """Convert features to the types that the model was fitted on.

    A model of the table knows the categories of its data alone, and another value is a missing one. The steps
    before a model of a matrix say themselves what an unseen value is.
    """
    if notes["input"] == "matrix":
        return X
    categories = {
        name: values for name, values in notes["categories"].items() if name in X
    }
    return X.assign(
        **{
            name: as_categories(X[name], values)
            for name, values in categories.items()
        }
    )


def _numbers(
    table: Table, name: str, notes: Mapping[str, Any]
) -> tuple[pd.Series, Reasons]:
    """Convert a column to numbers, and say why a row has none that the model takes."""
    column, reasons = readable_numbers(table, name)
    if notes["fills_gaps"]:
        return column, reasons
    gap = f"{name} is missing, and the model fills no gaps"
    return column, dict.fromkeys(
        np.flatnonzero(column.isna()).tolist(), gap
    ) | reasons


def _categories(
    table: Table, name: str, notes: Mapping[str, Any]
) -> tuple[pd.Series, Reasons]:
    """Convert a column to categories, and say why a row has none that the model takes."""
    text = table.text(name)
    if notes["takes_unseen"]:
        return text, {}
    places = np.flatnonzero(~text.isin(notes["categories"][name])).tolist()
    values = ["missing" if pd.isna(v) else repr(v) for v in text.iloc[places]]
    return text, {
        place: f"{name} is {value}, and the model takes no new category"
        for place, value in zip(places, values, strict=True)
    }


def unseen_values(X: pd.DataFrame, notes: Mapping[str, Any]) -> Iterator[str]:
    """Yield of each column of rows to rank how many values of categories the data do not have."""
    matrix = notes["input"] == "matrix"
    kind = "a rare category, or as none" if matrix else "missing"
    for name in X.columns.intersection(list(notes["categories"])):
        text = X[name]
        may_miss = text.isna() & notes["fills_gaps"]
        unseen = text[~text.isin(notes["categories"][name]) & ~may_miss]
        if len(unseen):
            yield (
                f"column {name!r}: {len(unseen):,} of {len(text):,} values were never seen in training, such "
                f"as {unseen.iloc[0]!r}: they count as {kind}"
            )


def repeated_values(
    table: Table, notes: Mapping[str, Any], numbers: np.ndarray
) -> Iterator[str]:
    """Yield of each column that named every row of training once which rows of a list it names again."""
    for name in table.frame.columns.intersection(notes.get("distinct", [])):
        values = table.text(name)
        rows = numbers[values.notna() & values.duplicated()]
        if len(rows):
            yield (
                f"{name} is that of a row before in {count_noun(len(rows), 'row')}, each ranked, and in "
                f"training no two rows had the same: row {join_first(rows.astype(str))}"
            )


def readable_numbers(table: Table, name: str) -> tuple[pd.Series, Reasons]:
    """Convert a column to numbers, NaN where a value is none, and give the reason of each such row.

    A column that is none for most rows is refused: then it is not the rows that are odd.
    """
    try:
        return table.numbers(name).astype(np.float64), {}
    except DatasetError as error:
        refusal = error
    text = table.text(name)
    # (160 rows) is a number with a unit, but not as those of the column are.
    for reads in (_is_finite_number, _is_plain_number):
        readable = {
            value: reads(str(value), table.decimal)
            for value in text.dropna().unique()
        }
        is_unreadable = (
            text.map(readable, na_action="ignore").eq(False).to_numpy(bool)
        )
        others = table.frame[name].mask(
            is_unreadable, None if table.has_types else ""
        )
        if not is_unreadable.any() or 2 * is_unreadable.sum() > len(is_unreadable):
            continue
        try:
            numbers = replace(
                table, frame=table.frame.assign(**{name: others})
            ).numbers(name)
        except DatasetError:
            continue
        places = np.flatnonzero(is_unreadable).tolist()
        return numbers.astype(np.float64), {
            place: f"{name} is {value!r}, no number"
            for place, value in zip(places, text.iloc[places], strict=True)
        }
    raise refusal


def _is_finite_number(value: str, decimal: str) -> bool:
    numbers = numbers_of(pd.Series([value], dtype=object), decimal)
    return numbers is not None and bool(np.isfinite(float(numbers.iloc[0])))


def _is_plain_number(value: str, decimal: str) -> bool:
    return (
        re.fullmatch(rf"[-+]?[\d{re.escape(decimal)}]+([eE][-+]?\d+)?", value)
        is not None
    )


def sorted_out(
    table: Table, reasons: Reasons
) -> tuple[np.ndarray, np.ndarray, Ledger]:
    """Select the places of the rows to rank, their numbers in the file, from 1, and keep the ledger.

    `reasons` say why rows cannot be ranked. Of these rows, lines that look like none (a sum, a remark, units)
    are passed over; all others count, are named, and have a number.
    """
    can = ~np.isin(np.arange(len(table.frame)), list(reasons))
    lines = np.arange(1, len(can) + 1) if table.lines is None else table.lines
    suspects = {suspect.line: suspect for suspect in table.suspects}
    is_suspect = np.isin(lines, list(suspects))
    passed = [suspects[line] for line in lines[is_suspect & ~can]]
    doubtful = [suspects[line] for line in lines[is_suspect & can]]
    numbers = np.cumsum(can | ~is_suspect)
    unranked = tuple(
        _unranked(table, reasons, np.flatnonzero(~can & ~is_suspect), numbers)
    )
    ledger = Ledger(
        table.ledger.read,
        int(can.sum()),
        (*table.ledger.passed, *asides(passed)),
        unranked,
        tuple(asides(doubtful)),
    )
    if not can.any():
        raise DatasetError(
            f"{table.where}: no row can be ranked: {'; '.join(map(str, ledger.left_out))}"
        )
    return np.flatnonzero(can), numbers[can], ledger


def _unranked(
    table: Table, reasons: Reasons, places: np.ndarray, numbers: np.ndarray
) -> Iterator[Aside]:
    """Yield the rows that cannot be ranked, those of one reason together, with the first of them."""
    alike: dict[str, list[int]] = {}
    for place in places.tolist():
        alike.setdefault(reasons[place], []).append(place)
    for reason, same in alike.items():
        first = "" if len(same) == 1 else "the first in "
        row = f", {first}row {numbers[same[0]]:,}"
        line = None if table.lines is None else int(table.lines[same[0]])
        yield Aside(
            f"with no score, as {reason}{row}",
            len(same),
            line,
            shown(table.frame.iloc[same[0]]),
        )


def ledger_of_list(ledger: Ledger, listed: int) -> Iterator[str]:
    """Yield the lines below a list: which rows are not in it and why, and how many were read and ranked."""
    for name, entries in (
        ("passed over", ledger.passed),
        ("not ranked", ledger.left_out),
    ):
        for entry in entries:
            yield f"{name}: {entry}"
    for entry in ledger.doubtful:
        yield f"ranked, though it may be no row: {entry}"
    passed = sum(entry.rows for entry in ledger.passed)
    unranked = sum(entry.rows for entry in ledger.left_out)
    yield (
        f"rows: {ledger.read:,} read, {passed:,} passed over, {unranked:,} not ranked, {ledger.kept:,} "
        f"scored and ranked, {listed:,} in this list"
    )
