"""Rows of files with the roles of their columns, before features are made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attop.extending import Ints
from attop_bench.data.columns.gaps import refuse_missing, require_present
from attop_bench.data.columns.labels import decided
from attop_bench.data.columns.names import column_of
from attop_bench.data.errors import DatasetError
from attop_bench.data.kinds.labels_beside import JoinedLabels, with_labels
from attop_bench.data.kinds.options import RawOptions
from attop_bench.data.ledger import Aside, Ledger, parts_of, shown
from attop_bench.data.reading.formats import identified, read_table
from attop_bench.data.reading.table import UNNAMED, Table, check_numbers
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class RawTable:
    """Rows of files and the roles of their columns."""

    #: All columns, as they are written.
    rows: Table
    label: str
    #: ``group``, ``entity``, ``day`` and ``weight``, where there are any -> column.
    roles: dict[str, str]
    features: pd.DataFrame
    #: Those of `features` that are categories, and those that are text.
    categorical: list[str]
    text: list[str]
    #: File of each row, from 0, if there are several.
    part: Ints | None
    #: Number of each row in the files, from 1.
    numbers: Ints
    ledger: Ledger
    #: Numbers of rows and keys that labels of another file were joined by, in words.
    counts_of_labels: str = ""


def read_raw_table(options: RawOptions) -> RawTable:
    """Read files of one form, and give their columns their roles."""
    where, label = options.where, options.label
    path, name = identified(options.path, options.format)
    paths = [p for p in (path, options.validation, options.test) if p is not None]
    rows, part, ledger = _read(paths, name, options.reader)
    counts = ""
    if options.labels is not None:
        label, rows, counts = with_labels(rows, options.labels, label, where)
    frame, numbers = rows.frame, np.arange(1, len(rows.frame) + 1)
    if label is None:
        if name != "svmlight":
            raise DatasetError(
                f"{where}: label is not given: name the column of the labels, or its number"
            )
        label = "label"

    label = column_of(frame, label, where)
    roles = _roles(frame, label, options)
    in_use = np.ones(len(frame), bool)
    for rule, others in _left_out(rows, label, options):
        in_use &= ~others
        ledger = ledger.leaving(
            _aside(rows, np.flatnonzero(others), rule), int(in_use.sum())
        )
    if not in_use.all():
        frame = frame[in_use].reset_index(drop=True)
        rows, part = (
            replace(rows, frame=frame),
            None if part is None else part[in_use],
        )
        numbers = numbers[in_use]
    aside = {label, *roles.values(), *_named(frame, options.drop, where)}
    if name == "svmlight":
        aside.add("qid")
    features = _feature_names(frame, aside, options)
    for column in (label, *roles.values()):
        require_present(rows.text(column), where)
    X, categorical, text = _typed(rows, features, options)
    ledger.require(len(X), where)
    return RawTable(
        rows=rows,
        label=label,
        roles=roles,
        features=X,
        categorical=categorical,
        text=text,
        part=part,
        numbers=numbers,
        ledger=ledger,
        counts_of_labels=counts,
    )


def _named(
    frame: pd.DataFrame, wanted: Sequence[str | int], where: str
) -> list[str]:
    """Return the names of columns that are given by name or number."""
    return [column_of(frame, column, where) for column in wanted]


def _roles(frame: pd.DataFrame, label: str, options: RawOptions) -> dict[str, str]:
    """Return the roles of columns beside the features, where there are any; refuse the label as one."""
    wanted = {
        role: getattr(options, role)
        for role in ("group", "entity", "day", "weight")
    }
    roles = {
        role: column_of(frame, c, options.where)
        for role, c in wanted.items()
        if c is not None
    }
    for role, column in roles.items():
        if column == label:
            raise DatasetError(
                f"{options.where}: column {label!r} is both label and {role}: name another {role}"
            )
    return roles


def _feature_names(
    frame: pd.DataFrame, aside: set[str], options: RawOptions
) -> list[str]:
    """Return the columns that are features: those to keep, or all that are not set aside."""
    where = options.where
    keep = options.keep
    features = (
        [c for c in frame.columns if c not in aside]
        if keep is None
        else _kept(frame, keep, aside, where)
    )
    if not features:
        raise DatasetError(
            f"{where}: no column is left for the features beside {', '.join(sorted(aside))}"
        )
    unnamed = [c for c in features if UNNAMED.fullmatch(c)]
    if unnamed and keep is None:
        raise DatasetError(
            f"{where}: column {frame.columns.get_loc(unnamed[0]) + 1} has no name, as row numbers written "
            "by pandas: put its number in drop, or name the features in keep"
        )
    return features


def _kept(
    frame: pd.DataFrame, keep: Sequence[str | int], aside: set[str], where: str
) -> list[str]:
    """Return the columns to keep; refuse one that is something else, or named twice."""
    features = _named(frame, keep, where)
    if both := aside & set(features):
        raise DatasetError(
            f"{where}: column {min(both)!r} cannot be a feature and something else"
        )
    if twice := [c for c in features if features.count(c) > 1]:
        raise DatasetError(
            f"{where}: keep: column {twice[0]!r} is named twice: name it once"
        )
    return features


def _typed(
    rows: Table, features: Sequence[str], options: RawOptions
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Return the features by their types, those that are categories, and those that are text."""
    import pandas as pd

    where = options.where
    codes, text = (
        _named(rows.frame, wanted, where)
        for wanted in (options.categories, options.text)
    )
    if other := {*codes, *text}.difference(features):
        raise DatasetError(
            f"{where}: column {min(other)!r} is no feature: take it out of categories or text"
        )
    X = pd.DataFrame(
        {
            c: rows.text(c) if c in {*codes, *text} else rows.values(c)
            for c in features
        }
    )
    X[text] = X[text].fillna("")
    if options.impute is None:
        refuse_missing(X, where)
    categorical = [
        c
        for c in features
        if c not in text and not pd.api.types.is_numeric_dtype(X[c])
    ]
    for c in X.columns.difference([*categorical, *text], sort=False):
        check_numbers(X[c], where)
    return X, categorical, text


def _left_out(
    rows: Table, label: str, options: RawOptions
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield each rule by which options leave rows out, and these rows; none is left out by two."""
    missing = rows.text(label).isna().to_numpy()
    if isinstance(options.labels, JoinedLabels):
        yield options.labels.rule, missing
    elif options.drop_unlabelled:
        yield "without a label (drop_unlabelled)", missing
    if options.negative is not None:
        classed = decided(rows, label, options.positive, options.negative)
        yield (
            "of another outcome (neither positive nor negative)",
            ~missing & ~classed,
        )


def _aside(rows: Table, places: Ints, rule: str) -> Aside:
    """Return the entry of rows that are left out, by their places, with the first of them."""
    if not len(places) or rows.lines is None:
        return Aside(rule, len(places))
    first = places[0]
    return Aside(
        rule, len(places), int(rows.lines[first]), shown(rows.frame.iloc[first])
    )


def _read(
    paths: Sequence[StrPath], form: str, reader: Mapping[str, Any] | None
) -> tuple[Table, Ints | None, Ledger]:
    """Return the rows of all files, the number of each row's file if there are several, and their ledger."""
    import pandas as pd

    others = {
        name: value for name, value in (reader or {}).items() if name != "pass_over"
    }
    tables = [
        read_table(path, form, others if i else reader)
        for i, path in enumerate(paths)
    ]
    part, ledger = parts_of([table.ledger for table in tables])
    for name in tables[0].missing if isinstance(tables[0].missing, Mapping) else ():
        column_of(tables[0].frame, name, tables[0].where)
    if part is None:
        return tables[0], part, ledger
    frames = [table.frame for table in tables]
    if form == "svmlight":  # the last features of one may be 0 throughout another
        widest = max((frame.columns for frame in frames), key=len)
        frames = [frame.reindex(columns=widest, fill_value=0.0) for frame in frames]
    first = list(frames[0].columns)
    for path, frame in zip(paths[1:], frames[1:], strict=True):
        if list(frame.columns) != first:
            raise DatasetError(
                f"dataset {path}: its {frame.shape[1]} columns are not the {len(first)} of {paths[0]}: "
                "give files of one form"
            )
    return (
        replace(tables[0], frame=pd.concat(frames, ignore_index=True), lines=None),
        part,
        ledger,
    )
