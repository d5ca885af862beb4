"""Rows of files with the roles of their columns, before features are made of them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attop.extending import Floats, Ints
from attop_bench.data.base import LEDGER
from attop_bench.data.columns.categories import refuse_missing, require_present
from attop_bench.data.columns.labels import decided
from attop_bench.data.columns.names import column_of
from attop_bench.data.errors import DatasetError
from attop_bench.data.kinds.options import RawOptions
from attop_bench.data.ledger import Aside, Ledger, parts_of, shown, weight_of
from attop_bench.data.reading.cells import as_floats
from attop_bench.data.reading.delimited import pool_of_text
from attop_bench.data.reading.formats import identified, read_table
from attop_bench.data.reading.labels_beside import JoinedLabels, with_labels
from attop_bench.data.reading.lists import BESIDE
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
    weight: Floats | None = None
    #: Numbers of rows and keys that labels of another file were joined by, in words.
    counts_of_labels: str = ""


def read_raw_table(options: RawOptions) -> RawTable:
    """Read files of one form, and give their columns their roles."""
    where, label = options.where, options.label
    path, form = identified(options.path, options.format)
    rows, part, ledger = _read([path, *options.paths[1:]], form, options.reader)
    counts = ""
    if options.labels is not None:
        label, rows, counts = with_labels(rows, options.labels, label, where)
    if label is None and form != "svmlight":
        raise DatasetError(
            f"{where}: label is not given: name the column of the labels, or its number"
        )
    names = rows.frame.columns
    label = column_of(names, "label" if label is None else label, where)
    roles = roles_of(names, label, options)
    in_use, ledger, weight = _in_use(rows, label, options, ledger, roles)
    if not in_use.all():
        frame = rows.frame[in_use].reset_index(drop=True)
        rows = replace(rows, frame=frame)
        part = None if part is None else part[in_use]
        weight = None if weight is None else weight[in_use]
    aside = {label, *roles.values(), *_named(names, options.drop, where)}
    if options.keep is None:
        named = aside.union(_named(names, options.categories, where))
        _refuse_without_role({*names} - named, options)
    if form == "svmlight":
        aside.add("qid")
    features = _feature_names(names, aside, options)
    for column in (label, *roles.values()):
        require_present(rows.text(column), where)
    X, categorical, text = _typed(rows, features, options)
    ledger.require(len(X), where, weight)
    return RawTable(
        rows=rows,
        label=label,
        roles=roles,
        features=X,
        categorical=categorical,
        text=text,
        part=part,
        numbers=np.flatnonzero(in_use) + 1,
        ledger=ledger,
        weight=weight,
        counts_of_labels=counts,
    )


def weights_of_rows(rows: Table, roles: Mapping[str, str]) -> Floats | None:
    """Read the weights of rows, NaN where there is none, if a column has them."""
    if "weight" not in roles:
        return None
    return rows.numbers(roles["weight"]).to_numpy(np.float64)


def _without_odd_weights(
    rows: Table, roles: Mapping[str, str], in_use: NDArray[np.bool_]
) -> Table:
    """Empty the weights that are no plain numbers in rows that are left out: they weigh nothing."""
    if "weight" not in roles or in_use.all():
        return rows
    name = roles["weight"]
    plain = rows.text(name).str.replace(rows.decimal, ".", regex=False)
    is_odd = ~in_use & ~np.isfinite(as_floats(plain))
    weights = rows.frame[name].mask(is_odd, None if rows.has_types else "")
    return replace(rows, frame=rows.frame.assign(**{name: weights}))


def facts_of_rows(
    options: RawOptions, positive: str, ledger: Ledger, weight: Floats | None
) -> dict[str, Any]:
    """Collect the facts of rows of a file: where they are from, how many, and the range of their weights."""
    facts = {
        "source": str(options.path),
        "licence": "the user's own file",
        "positive": positive,
        LEDGER: ledger.as_dict(),
    }
    if weight is None:
        return facts
    low, middle, high = np.quantile(weight, [0, 0.5, 1])
    facts["weights"] = (
        f"{low:g} to {high:g}, median {middle:g}; methods and metrics that take none "
        "count every row once"
    )
    return facts


def _in_use(
    rows: Table,
    label: str,
    options: RawOptions,
    ledger: Ledger,
    roles: Mapping[str, str],
) -> tuple[NDArray[np.bool_], Ledger, Floats | None]:
    """Mark the rows that no option leaves out, enter the others into the ledger, and read all weights."""
    left_out = list(_left_out(rows, label, options))
    in_use = np.ones(len(rows.frame), bool)
    for _, others in left_out:
        in_use &= ~others
    try:
        weight = weights_of_rows(rows, roles)
    except DatasetError:
        weight = weights_of_rows(_without_odd_weights(rows, roles, in_use), roles)
    ledger = replace(ledger, weight=weight_of(weight))
    for rule, others in left_out:
        entry = _aside(rows, np.flatnonzero(others), rule)
        entry = replace(entry, weight=weight_of(weight, others))
        ledger = ledger.leaving(entry, ledger.kept - entry.rows)
    return in_use, ledger, weight


def _named(names: pd.Index, wanted: Sequence[str | int], where: str) -> list[str]:
    """Find the names of columns by their names or numbers."""
    return [column_of(names, column, where) for column in wanted]


def roles_of(names: pd.Index, label: str, options: RawOptions) -> dict[str, str]:
    """Map the roles of columns beside the features, where there are any, to columns; refuse the label."""
    wanted = {
        role: getattr(options, role)
        for role in ("group", "entity", "day", "weight")
    }
    roles = {
        role: column_of(names, c, options.where)
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
    names: pd.Index, aside: set[str], options: RawOptions
) -> list[str]:
    """Name the columns that are features: those to keep, or all that are not set aside."""
    where = options.where
    keep = options.keep
    features = (
        [c for c in names if c not in aside]
        if keep is None
        else _kept(names, keep, aside, where)
    )
    if not features:
        raise DatasetError(
            f"{where}: no column is left for the features beside {', '.join(sorted(aside))}"
        )
    unnamed = [c for c in features if UNNAMED.fullmatch(c)]
    if unnamed and keep is None:
        raise DatasetError(
            f"{where}: column {names.get_loc(unnamed[0]) + 1} has no name, as row numbers written "
            "by pandas: put its number in drop, or name the features in keep"
        )
    return features


def _kept(
    names: pd.Index, keep: Sequence[str | int], aside: set[str], where: str
) -> list[str]:
    """Name the columns to keep; refuse one that is something else, or named twice."""
    features = _named(names, keep, where)
    if both := aside & set(features):
        raise DatasetError(
            f"{where}: column {min(both)!r} cannot be a feature and something else"
        )
    if twice := [c for c in features if features.count(c) > 1]:
        raise DatasetError(
            f"{where}: keep: column {twice[0]!r} is named twice: name it once"
        )
    return features


def _refuse_without_role(others: Container[str], options: RawOptions) -> None:
    """Refuse a column of a file beside the table among the others, which no option names."""
    reader = options.reader or {}
    for source in BESIDE:
        if reader.get(source.option) and source.column in others:
            raise source.without_role(options.where)


def _typed(
    rows: Table, features: Sequence[str], options: RawOptions
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Read the features by their types, and name those that are categories and those that are text.

    They take the place of their text in `rows`, which nothing asks for any more: it would be held twice.
    """
    import pandas as pd

    where = options.where
    codes, text = (
        _named(rows.frame.columns, wanted, where)
        for wanted in (options.categories, options.text)
    )
    if other := {*codes, *text}.difference(features):
        raise DatasetError(
            f"{where}: column {min(other)!r} is no feature: take it out of categories or text"
        )
    words = {*codes, *text}
    typed = {}
    for c in features:
        typed[c] = rows.text(c) if c in words else rows.values(c)
        if c not in words and pd.api.types.is_numeric_dtype(typed[c]):
            rows.frame[c] = typed[c]
            # Else the text that is gone stays with the process.
            pool_of_text().release_unused()
    X = pd.DataFrame(typed, copy=False)
    X[text] = X[text].fillna("")
    if options.impute is None:
        refuse_missing(X, where)
    categorical = [
        c
        for c in features
        if c not in text and not pd.api.types.is_numeric_dtype(typed[c])
    ]
    for c in X.columns.difference([*categorical, *text], sort=False):
        check_numbers(typed[c], where)
    return X, categorical, text


def _left_out(
    rows: Table, label: str, options: RawOptions
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield each rule by which options leave rows out, and these rows; none is left out by two."""
    is_joined = isinstance(options.labels, JoinedLabels)
    if not is_joined and not options.drop_unlabelled and options.negative is None:
        return
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
    """Enter rows that are left out, by their places, into a ledger, with the first of them."""
    if not len(places) or rows.lines is None:
        return Aside(rule, len(places))
    first = places[0]
    return Aside(
        rule, len(places), int(rows.lines[first]), shown(rows.frame.iloc[first])
    )


def _read(
    paths: Sequence[StrPath], form: str, reader: Mapping[str, Any] | None
) -> tuple[Table, Ints | None, Ledger]:
    """Read the rows of all files, number each row's file if there are several, and join their ledgers."""
    others = {
        name: value for name, value in (reader or {}).items() if name != "pass_over"
    }
    tables = [
        read_table(path, form, others if i else reader)
        for i, path in enumerate(paths)
    ]
    first, *more = tables
    part, ledger = parts_of([table.ledger for table in tables])
    for name in first.missing if isinstance(first.missing, Mapping) else ():
        column_of(first.frame.columns, name, first.where)
    if more:
        frame = _joined([table.frame for table in tables], paths, form)
        first = replace(first, frame=frame, lines=None)
    return first, part, ledger


def _joined(
    frames: Sequence[pd.DataFrame], paths: Sequence[StrPath], form: str
) -> pd.DataFrame:
    """Join the rows of several files; refuse files of other columns than the first has."""
    import pandas as pd

    if form == "svmlight":  # the last features of one may be 0 throughout another
        widest = max((frame.columns for frame in frames), key=len)
        frames = [frame.reindex(columns=widest, fill_value=0.0) for frame in frames]
    first = list(frames[0].columns)
    for path, frame in zip(paths, frames, strict=True):
        if list(frame.columns) != first:
            raise DatasetError(
                f"dataset {path}: its {frame.shape[1]} columns are not the {len(first)} of {paths[0]}: "
                "give files of one form"
            )
    return pd.concat(frames, ignore_index=True)
