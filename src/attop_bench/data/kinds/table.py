"""The kind ``file``: a table in a file, the user's own or a published one, as a data set."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import numpy as np
import pydantic
from numpy.typing import NDArray
from pydantic import BaseModel, Field, StrictBool, StrictInt, StrictStr

from attop.experiment import Parts, read_parts
from attop.extending import Ints
from attop_bench.data.base import LEDGER, Dataset, DatasetError, Origin
from attop_bench.data.formats import (
    UNNAMED,
    Table,
    check_numbers,
    format_of,
    identified,
    read_table,
)
from attop_bench.data.kinds import columns
from attop_bench.data.kinds.columns import column_of, require_present
from attop_bench.data.kinds.labels_beside import JoinedLabels, with_labels
from attop_bench.data.kinds.sparse import sparse_file
from attop_bench.data.ledger import Aside, Ledger, shown
from attop_bench.data.parameters import refusal
from attop_bench.data.preparation import as_categories, columns_of
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd

_Column = StrictStr | StrictInt
_Numbers = Sequence[Annotated[float, Field(strict=True)]]
#: Options of a file that stays sparse.
_OF_SPARSE = {"path", "validation", "test", "format", "reader", "positive", "sparse", "copies_together"}
#: Values of a label that are kept.
_VALUES = 50


class RawOptions(BaseModel):
    """Files of one form and the roles of their columns, each given by its name, or number from 1 or -1."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    path: StrPath
    #: Column of the labels; ``label`` if left out in the SVMlight format.
    label: _Column | None = None
    #: validation, test: Files of the same form with more rows. `path` is then part 0, and these are the next
    #: parts; see `Dataset.part`.
    validation: StrPath | None = None
    test: StrPath | None = None
    #: File of the labels alone, one a line, where `path` has none; or a table of them by a key, see
    #: `JoinedLabels`.
    labels: JoinedLabels | StrPath | None = None
    #: See `read_table`.
    format: Any = None  # any but a name is refused beside the names
    #: Parameters of the format's reader, such as ``header`` and ``separator`` of `read_delimited`.
    reader: Mapping[str, Any] | None = None
    #: Column that names the user or query of each row, whose rows are a list of their own.
    group: _Column | None = None
    #: Column that names the customer, card or machine of each row, where all rows are one list; see
    #: `Dataset.entity`.
    entity: _Column | None = None
    #: Column of the date, or of a number of days, of each row; see `day_numbers` and `Dataset.day`.
    day: _Column | None = None
    #: Columns that are features; all but the columns named here and `drop` if left out.
    keep: Sequence[_Column] | None = None
    #: Columns to leave out.
    drop: Sequence[_Column] = ()
    #: Columns of features that are codes of categories, also where they are numbers.
    categories: Sequence[_Column] = ()
    #: Columns of text, read as TF-IDF weights of the words of training items.
    text: Sequence[_Column] = ()
    #: Leave out rows without a label.
    drop_unlabelled: StrictBool = False
    #: See `TableOptions`.
    positive: Any = None
    #: Values of the label column that are negative, or a comparison, where not every other value is: rows of
    #: neither class, such as deals that are still open, are left out, and counted.
    negative: Any = None
    #: ``"median"`` fills what is missing of the features: numbers by their median, text by its most frequent
    #: value, learnt from training items alone. Missing features are refused if left out.
    impute: Literal["median"] | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Return checked options; raise `DatasetError` for a value of another type or range."""
        try:
            return cls(**options)
        except pydantic.ValidationError as error:
            name = str(next(iter(error.errors()[0]["loc"]), ""))
            raise refusal(f"dataset {options.get('path')}", name, options.get(name), error) from None

    @property
    def where(self) -> str:
        """Name of the data in messages."""
        return f"dataset {self.path}"


class TableOptions(RawOptions):
    """Options of the kind ``file``: those of `RawOptions`, and those that make features and labels."""

    #: Value of the label column that is the positive class, every other value is negative unless `negative`
    #: says which are; or a list of such values, or a comparison such as ``">= 1"``.
    positive: Any
    #: Value of a feature that is text -> the number that stands for it.
    codes: Mapping[str | int | float | bool, Annotated[float, Field(strict=True)]] | None = None
    #: Replace each feature that is text by one 0/1 column per value, in sorted order. Refused for over 50
    #: values without `max_categories`, and for dates and names of single rows unless `categories` has them.
    one_hot: StrictBool = False
    #: With `one_hot`: most columns made of a feature; its rarest values share the last one. Which are rare is
    #: learnt from training items alone, as scaling is.
    max_categories: Annotated[int, Field(strict=True, ge=2)] | None = None
    #: Column -> numbers; each gives a feature that is 1 above the number, else 0, and only these are
    #: features.
    thresholds: Mapping[_Column, _Numbers] | None = None
    #: Column of the queries within which features are scaled; see `query_level_norm`.
    query_norm: _Column | None = None
    #: One column -> highest number of each part but the last; see `parts_by_bounds` and `Dataset.part`.
    parts: Annotated[Mapping[_Column, Sequence[Any]], Field(min_length=1, max_length=1)] | None = None
    #: Cut the rows in their order into so many blocks, each an entity, for the protocol whole-entities: rows
    #: that follow each other in time or place are alike.
    blocks: Annotated[int, Field(strict=True, ge=2)] | None = None
    #: Column of what a row is worth if it is positive, such as a sum of money, for the metrics `amount@k`,
    #: `amount-share@k` and `amount-lift@k`; it stays a feature unless it is dropped.
    amount: _Column | None = None
    #: Column whose values are parts of the rows, such as regions: a model's card says which share of the list
    #: each part has, and how good the list is in it. It stays a feature unless it is dropped.
    by: _Column | None = None
    #: Keep rows with the same features on one side of every split; otherwise memorising one copy is rewarded
    #: on the others. See `Dataset.duplicate_group`.
    copies_together: StrictBool = False
    #: Keep so many of the positives that they are this share of the rows kept, drawn at random, the same ones
    #: for every seed; all negatives stay. For a stand-in with as few positives as other data have.
    downsample_positives: Annotated[float, Field(strict=True, gt=0, lt=1)] | None = None
    #: Keep a file of SVMlight sparse, to the learner: it may have millions of features. Its features are
    #: neither filled nor centred, and no column has a role but label and qid.
    sparse: StrictBool = False

    @pydantic.model_validator(mode="after")
    def _combinations(self) -> Self:
        if self.max_categories is not None and not self.one_hot:
            raise ValueError("max_categories is how many columns one_hot makes: set one_hot: true")
        if (self.impute or self.text) and (self.thresholds is not None or self.query_norm is not None):
            what = "impute" if self.impute else "text"
            raise ValueError(f"{what} cannot be combined with thresholds or query_norm: leave one out")
        return self

    @pydantic.model_validator(mode="after")
    def _sparse_alone(self) -> Self:
        if not self.sparse:
            return self
        if (self.format or format_of(self.path)) != "svmlight":
            raise ValueError("sparse is for files of the format svmlight: leave it out")
        fields = type(self).model_fields
        other = [n for n in fields if n not in _OF_SPARSE and getattr(self, n) != fields[n].default]
        if other:
            raise ValueError(f"sparse cannot be combined with {other[0]}: leave one out")
        return self


@dataclass(frozen=True)
class RawTable:
    """Rows of files and the roles of their columns."""

    #: All columns, as they are written.
    rows: Table
    label: str
    #: ``group``, ``entity`` and ``day``, where there are any -> column.
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


def file_table(path: StrPath, **options: Any) -> Dataset:
    """Read a table: one column of labels, perhaps one of groups, the others features.

    For the options see `TableOptions`. The data set is named after the file, features are in its order.
    """
    import pandas as pd

    chosen = TableOptions.of({"path": path, **options})
    if chosen.sparse:
        return sparse_file(chosen)
    table = read_raw_table(chosen)
    X = _features(table, chosen)
    features = list(X.columns)
    y = columns.positive_labels(table.rows, table.label, chosen.positive)
    if chosen.query_norm is not None:
        query = _given(table, chosen.query_norm, chosen.where)
        X = pd.DataFrame(columns.query_level_norm(X.to_numpy(np.float64), query), columns=features)
    beside = {**_beside(table, chosen), "part": table.part}
    if chosen.parts is not None:
        [(column, bounds)] = chosen.parts.items()
        beside["part"] = columns.parts_by_bounds(_given(table, column, chosen.where), bounds, chosen.where)
    if chosen.blocks is not None:
        beside["entity"] = np.arange(len(y)) * chosen.blocks // len(y)
    if chosen.amount is not None:
        amounts = _given(table, chosen.amount, chosen.where)
        if amounts.dtype.kind not in "iuf":
            raise DatasetError(f"{chosen.where}: amount must be a column of numbers, got {amounts[0]!r}")
        beside["amount"] = amounts
    of_parts = {}
    if chosen.by is not None:
        named = _parts(table, chosen)
        beside["by"], of_parts = named.codes, {"by": {"column": named.column, "names": named.names}}
    ledger = table.ledger
    if chosen.downsample_positives is not None:
        rows = columns.downsampled(y, chosen.downsample_positives, chosen.where)
        fewer = Aside("that downsample_positives leaves out", len(y) - len(rows))
        ledger = ledger.leaving(fewer, len(rows))
        X, y = X.iloc[rows], y[rows]
        beside = {name: None if values is None else values[rows] for name, values in beside.items()}
    if chosen.copies_together:
        beside["duplicate_group"] = columns.copies(X, chosen.max_categories)
    compared = columns.comparison_with(table.rows, table.label, chosen.positive)
    facts = {
        "source": str(path),
        "licence": "the user's own file",
        "positive": f"{table.label} {'' if compared else '= '}{chosen.positive}",
        "features": features,
        LEDGER: ledger.as_dict(),
        **of_parts,
    }
    if table.counts_of_labels:
        facts["labels"] = table.counts_of_labels
    name = os.path.splitext(os.path.basename(path))[0]
    return Dataset(
        name,
        _matrix_of_numbers(X),
        y.astype(np.int64),
        facts=facts,
        impute=chosen.impute,
        max_categories=chosen.max_categories,
        origin=_origin(table, chosen),
        **beside,
    )


vars(file_table)["__signature__"] = inspect.signature(TableOptions)


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
            raise DatasetError(f"{where}: label is not given: name the column of the labels, or its number")
        label = "label"

    label = column_of(frame, label, where)
    roles = _roles(frame, label, options)
    in_use = np.ones(len(frame), bool)
    for rule, others in _left_out(rows, label, options):
        in_use &= ~others
        ledger = ledger.leaving(_aside(rows, np.flatnonzero(others), rule), int(in_use.sum()))
    if not in_use.all():
        frame = frame[in_use].reset_index(drop=True)
        rows, part = replace(rows, frame=frame), None if part is None else part[in_use]
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


def _named(frame: pd.DataFrame, wanted: Sequence[str | int], where: str) -> list[str]:
    """Return the names of columns that are given by name or number."""
    return [column_of(frame, column, where) for column in wanted]


def _roles(frame: pd.DataFrame, label: str, options: RawOptions) -> dict[str, str]:
    """Return ``group``, ``entity`` and ``day``, where there are any -> column; refuse the label as one."""
    wanted = {role: getattr(options, role) for role in ("group", "entity", "day")}
    roles = {role: column_of(frame, c, options.where) for role, c in wanted.items() if c is not None}
    for role, column in roles.items():
        if column == label:
            raise DatasetError(
                f"{options.where}: column {label!r} is both label and {role}: name another {role}"
            )
    return roles


def _feature_names(frame: pd.DataFrame, aside: set[str], options: RawOptions) -> list[str]:
    """Return the columns that are features: those to keep, or all that are not set aside."""
    where = options.where
    if options.keep is not None:
        return _kept(frame, options.keep, aside, where)
    features = [c for c in frame.columns if c not in aside]
    if not features:
        raise DatasetError(f"{where}: no column is left for the features beside {', '.join(sorted(aside))}")
    if unnamed := [c for c in features if UNNAMED.fullmatch(c)]:
        raise DatasetError(
            f"{where}: column {frame.columns.get_loc(unnamed[0]) + 1} has no name, as row numbers written "
            "by pandas: put its number in drop, or name the features in keep"
        )
    return features


def _kept(frame: pd.DataFrame, keep: Sequence[str | int], aside: set[str], where: str) -> list[str]:
    """Return the columns to keep; refuse one that is something else, or named twice."""
    features = _named(frame, keep, where)
    if both := aside & set(features):
        raise DatasetError(f"{where}: column {min(both)!r} cannot be a feature and something else")
    if twice := [c for c in features if features.count(c) > 1]:
        raise DatasetError(f"{where}: keep: column {twice[0]!r} is named twice: name it once")
    if not features:
        raise DatasetError(f"{where}: no column is left for the features beside {', '.join(sorted(aside))}")
    return features


def _typed(
    rows: Table, features: Sequence[str], options: RawOptions
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Return the features by their types, those that are categories, and those that are text."""
    import pandas as pd

    where = options.where
    codes, text = (_named(rows.frame, wanted, where) for wanted in (options.categories, options.text))
    if other := {*codes, *text}.difference(features):
        raise DatasetError(f"{where}: column {min(other)!r} is no feature: take it out of categories or text")
    X = pd.DataFrame({c: rows.text(c) if c in {*codes, *text} else rows.values(c) for c in features})
    X[text] = X[text].fillna("")
    if options.impute is None:
        columns.refuse_missing(X, where)
    categorical = [c for c in features if c not in text and not pd.api.types.is_numeric_dtype(X[c])]
    for c in X.columns.difference([*categorical, *text], sort=False):
        check_numbers(X[c], where)
    return X, categorical, text


def _left_out(rows: Table, label: str, options: RawOptions) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield each rule by which options leave rows out, and these rows; none is left out by two."""
    missing = rows.text(label).isna().to_numpy()
    if isinstance(options.labels, JoinedLabels):
        yield options.labels.rule, missing
    elif options.drop_unlabelled:
        yield "without a label (drop_unlabelled)", missing
    if options.negative is not None:
        classed = columns.decided(rows, label, options.positive, options.negative)
        yield "of another outcome (neither positive nor negative)", ~missing & ~classed


def _aside(rows: Table, places: Ints, rule: str) -> Aside:
    """Return the entry of rows that are left out, by their places, with the first of them."""
    if not len(places) or rows.lines is None:
        return Aside(rule, len(places))
    first = places[0]
    return Aside(rule, len(places), int(rows.lines[first]), shown(rows.frame.iloc[first]))


def _read(
    paths: Sequence[StrPath], form: str, reader: Mapping[str, Any] | None
) -> tuple[Table, Ints | None, Ledger]:
    """Return the rows of all files, the number of each row's file if there are several, and their ledger."""
    import pandas as pd

    others = {name: value for name, value in (reader or {}).items() if name != "pass_over"}
    tables = [read_table(path, form, others if i else reader) for i, path in enumerate(paths)]
    ledger = sum((table.ledger for table in tables[1:]), tables[0].ledger)
    for name in tables[0].missing if isinstance(tables[0].missing, Mapping) else ():
        column_of(tables[0].frame, name, tables[0].where)
    if len(tables) == 1:
        return tables[0], None, ledger
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
    part = np.repeat(range(len(frames)), [len(frame) for frame in frames])
    return replace(tables[0], frame=pd.concat(frames, ignore_index=True), lines=None), part, ledger


def _features(table: RawTable, options: TableOptions) -> pd.DataFrame:
    """Return the features, typed: numbers, categories with all their values, texts."""
    import pandas as pd

    features, categorical, where = table.features, table.categorical, options.where
    text = features[categorical]
    columns.check_text(text, where)
    typed: dict[str, Any] = {name: features[name].astype(str) for name in table.text}
    if options.codes is not None and categorical:
        typed |= columns.to_numbers(text, options.codes, where)
    elif options.one_hot and categorical:
        named = [column_of(features, name, where) for name in options.categories]
        columns.check_categories(text, options.max_categories, where, named)
        typed |= {name: as_categories(table.rows.text(name)) for name in categorical}
    else:
        columns.refuse_text(text, where)
    features = features.assign(**typed)
    if options.query_norm is not None or options.thresholds is not None:
        _refuse_words(features, where)
    if options.thresholds is None:
        return features
    above = {
        f"{name} > {t:g}": (features[column_of(features, name, where)] > t).astype(np.float64)
        for name, values in options.thresholds.items()
        for t in values
    }
    return pd.DataFrame(above)


def _refuse_words(features: pd.DataFrame, where: str) -> None:
    """Refuse categories and texts, which have no threshold and no range."""
    if words := [*columns_of(features).categories, *columns_of(features).texts]:
        raise DatasetError(
            f"{where}: thresholds and query_norm are of numbers, and column {words[0]!r} has none: drop it, "
            "or give its values numbers by codes"
        )


def _matrix_of_numbers(X: pd.DataFrame) -> Any:
    """Return a table of numbers alone as a matrix, and any other as it is."""
    kinds = columns_of(X)
    return X if kinds.categories or kinds.texts else X.to_numpy(np.float64)


def _origin(table: RawTable, options: TableOptions) -> Origin:
    """Return the rows of the file beside their features."""
    return Origin(
        beside=table.rows.frame.drop(columns=[*table.features, table.label]),
        numbers=table.numbers,
        label=table.label,
        values=tuple(table.rows.text(table.label).dropna().unique()[:_VALUES]),
        group=table.roles.get("group"),
        entity=table.roles.get("entity"),
        reader=dict(options.reader or {}),
    )


def _beside(table: RawTable, options: TableOptions) -> dict[str, Any]:
    """Return group, entity and day of each row."""
    beside: dict[str, Any] = {}
    for role, column in table.roles.items():
        if role == "day":
            beside[role] = columns.day_numbers(table.rows.values(column), options.where)
        else:
            name = "groups" if role == "group" else role
            beside[name] = columns.as_identifiers(table.rows.text(column), options.where).to_numpy()
    return beside


def _parts(table: RawTable, chosen: TableOptions) -> Parts:
    """Return the parts of the rows by the values of a column; gaps are a part of their own."""
    assert chosen.by is not None
    name = column_of(table.rows.frame, chosen.by, chosen.where)
    values = table.rows.values(name).rename(name)
    try:
        return read_parts(values, None, len(values))
    except ValueError as error:
        raise DatasetError(f"{chosen.where}: {error}") from None


def _given(table: RawTable, column: str | int, where: str) -> NDArray:
    """Return the values of a column; refuse missing ones."""
    return require_present(table.rows.values(column_of(table.rows.frame, column, where)), where).to_numpy()
