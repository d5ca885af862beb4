"""A look at a table before training: its columns, the likely label, and all that is wrong."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attop._core.files import StrPath
from attop._core.typing import Floats, Ints
from attop._core.wording import count_noun, did_you_mean, join_first
from attop.metrics._roc import auc
from attop_bench.data.base import DatasetError
from attop_bench.data.formats import Table, format_of, read_table, separator_of
from attop_bench.data.kinds.columns import MANY_VALUES, day_numbers, is_dates, is_identifier, positive_labels

#: Names of identifiers, and of entities that come back in many rows: customers, not orders.
_ID = re.compile(r"(?i:(^|[_ -])(id|ids|uuid|guid|key|number|nr|no|code)$)|(?<=[a-z])(Id|ID)$")
_ENTITY = re.compile(
    r"(.*[_ ])?(customer|client|user|card|account|patient|member|person|subject|device)"
    r"([_ ]?(id|no|nr|number|key|code|hash))?",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"label|target|class|outcome|fraud|default|churn|response|bought|converted|bad|positive|failure|^y$",
    re.IGNORECASE,
)
#: Fewer values than this say little about what a column is.
_FEW = 20
#: Share of rows that differ in a column of identifiers.
_NEARLY = 0.95
#: Values that are no numbers in a column of numbers: marks of what is missing.
_MARKS = 3
_WRITTEN = re.compile(r"[-+]?[€$£]?\s?\d{1,3}([., ]?\d{3})*([.,]\d+)?\s?[€$£%]?")
#: A number with a comma before the decimals, or none; and one with commas between thousands.
_COMMA = re.compile(r"[-+]?\d+(,\d+)?(?:[eE][-+]?\d+)?")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+")
#: AUC of a feature that is most likely known only after the label, or share of positives where it has a value
#: that half of them have. Negatives to be expected there, and the least of either class at all.
_LEAK = 0.99
_EXPECTED = 10


@dataclass(frozen=True)
class Column:
    """A column and what to do with it."""

    name: str
    #: number, yes/no, category, date, identifier, entity, text of numbers, constant, empty or unusable.
    kind: str
    #: Share of the rows.
    missing: float
    distinct: int
    example: str
    #: Not all numbers.
    text: bool = False
    #: Text in a column of numbers: marks of missing values, perhaps.
    marks: tuple[str, ...] = ()

    @property
    def is_feature(self) -> bool:
        """True if a learner can use it, missing values filled and categories encoded."""
        return self.kind in ("number", "yes/no", "category") or bool(self.marks)


@dataclass(frozen=True)
class LabelColumn:
    """A column that could be the label, its positive value, and the share of the rows that have it."""

    column: str
    positive: object
    share: float


@dataclass(frozen=True)
class Look:
    """Findings of `look`."""

    path: str
    rows: int
    columns: list[Column]
    #: The one that was named, or the likeliest.
    label: LabelColumn | None
    #: All that could be it, likeliest first.
    candidates: list[LabelColumn]
    #: Rows with the features of an earlier row.
    copies: int
    #: Column -> an earlier one with the same values.
    twins: Mapping[str, str]
    #: Feature that tells the label nearly alone -> how.
    leaks: Mapping[str, str]
    #: Complete column of dates such as 2026-12-31 -> days from the first to the last.
    days: Mapping[str, int]
    #: Options for the reader of the file.
    reader: Mapping[str, object]
    complaints: list[str]

    def column(self, name: str) -> Column:
        """Return the column of a name."""
        return next(c for c in self.columns if c.name == name)


def look(path: StrPath, label: str | None = None, positive: object = None) -> Look:
    """Look at a table in a file; `label` is by default the likeliest column, `positive` its rarest value."""
    where = f"dataset {path}"
    reader = _separator(path)
    table = read_table(path, None, reader)
    if not table.has_types and any(_has_comma(table.text(name)) for name in table.frame):
        reader |= {"decimal": ","}
        table = replace(table, decimal=",")
    frame, columns = _described(table)
    if table.has_types:  # no other reader has options for marks
        columns = [replace(c, marks=()) for c in columns]
    two = [_as_label(table, frame, c.name, None) for c in columns if c.distinct == 2 and c.missing == 0]
    candidates = sorted(two, key=lambda c: (_LABEL.search(c.column) is None, c.share))
    chosen = candidates[0] if candidates else None
    if label is not None:
        if label not in frame.columns:
            raise DatasetError(f"{where}: no column {label!r}; {did_you_mean(label, frame.columns)}")
        chosen = _as_label(table, frame, label, positive)
    twins = _twins(frame)
    features = [c.name for c in columns if c.is_feature and (chosen is None or c.name != chosen.column)]
    copies = int(frame[features].duplicated().sum()) if features else 0
    if marks := {c.name: list(c.marks) for c in columns if c.marks}:
        reader |= {"missing": marks}
        table = replace(table, missing=marks)
        frame = frame.assign(**{name: table.values(name) for name in marks})
    leaks = {} if chosen is None else dict(_leaks(table, frame, columns, chosen))
    spans = {c.name: _span(frame[c.name]) for c in columns if c.kind == "date" and not c.missing}
    days = {name: span for name, span in spans.items() if span}
    complaints = list(_label_complaints(frame, chosen, label is not None))
    complaints += _column_complaints(columns, chosen, twins)
    if copies:
        complaints.append(
            f"{count_noun(copies, 'row')} with the features of a row before: kept on one side of every split"
        )
    if "decimal" in reader:
        complaints.append("numbers have a comma before the decimals: read with decimal: ','")
    for name, how in leaks.items():
        complaints.append(f"{name}: tells the label nearly alone ({how}), left out: is it known beforehand?")
    about = columns, chosen, candidates, copies, twins, leaks, days, reader, complaints
    return Look(os.fspath(path), len(frame), *about)


def _separator(path: StrPath) -> dict[str, object]:
    """Return the separator of a CSV's first line as an option of the reader."""
    if format_of(path) != "csv" or not os.path.isfile(path):
        return {}
    best = separator_of(path)
    return {} if best == "," or os.fspath(path).endswith(".tsv") else {"separator": best}


def _described(table: Table) -> tuple[pd.DataFrame, list[Column]]:
    """Return the values of the columns, NaN in those that are unusable, and a description of each."""
    clean: dict[str, Any] = {}
    columns = []
    for name, raw in table.frame.items():
        try:
            clean[name] = table.values(name)
            first = clean[name].first_valid_index()
            example = "" if first is None else str(raw[first]).strip()[:24]
            columns.append(_describe(clean[name], example))
        except DatasetError:
            clean[name] = np.nan
            columns.append(Column(name, "unusable", 0.0, 0, str(raw.iloc[0])[:24], True))
    return table.frame.assign(**clean), columns


def _describe(values: pd.Series, example: str) -> Column:
    """Describe a column by its values; `example` is the first as written."""
    present = values.dropna()
    distinct = present.nunique()
    text = not pd.api.types.is_numeric_dtype(values)
    marks: tuple[str, ...] = ()
    if distinct < 2:
        kind = "constant" if distinct else "empty"
    elif not text:
        kind = _number_kind(str(values.name), present, distinct)
    else:
        kind, marks = _text_kind(str(values.name), present, distinct)
    return Column(str(values.name), kind, float(values.isna().mean()), distinct, example, text, marks)


def _number_kind(name: str, present: pd.Series, distinct: int) -> str:
    numbers = present.astype(float)
    if np.isinf(numbers).any():
        return "unusable"
    if distinct == 2:
        return "yes/no"
    if (numbers % 1 != 0).any():
        return "number"
    kind = _name_kind(name, present, distinct)
    return "identifier" if kind == "number" and numbers.abs().max() >= 2**53 else kind


def _text_kind(name: str, present: pd.Series, distinct: int) -> tuple[str, tuple[str, ...]]:
    """Return the kind of a column of text, and marks of missing values among numbers."""
    if pd.api.types.is_datetime64_any_dtype(present) or is_dates(present):
        return "date", ()
    if not all(isinstance(value, (str, Real)) for value in present):
        return "unusable", ()
    if distinct == 2:
        return "yes/no", ()
    text = present.astype(str)
    values = pd.Series(text.unique())
    odd = values[pd.to_numeric(values, errors="coerce").isna()]
    if values.str.fullmatch(r"\d+").all() and (kind := _name_kind(name, text, distinct)) != "number":
        return kind, ()
    if len(values) > _FEW and len(odd) <= _MARKS:
        return "text of numbers", tuple(odd)
    if len(values) > _FEW and values.str.fullmatch(_WRITTEN).mean() >= _NEARLY:
        return "text of numbers", ()
    kind = _name_kind(name, text, distinct)
    if kind == "number":
        kind = "identifier" if is_identifier(text) else "category"
    return kind, ()


def _has_comma(text: pd.Series) -> bool:
    """Return whether a column holds numbers with a comma before the decimals."""
    values = pd.Series(text.dropna().unique(), dtype=str)
    numbers = values[values.str.fullmatch(_COMMA)]
    decimals = numbers.str.contains(",") & ~numbers.str.fullmatch(_THOUSANDS)
    return len(values) > _FEW and len(numbers) >= _NEARLY * len(values) and bool(decimals.any())


def _name_kind(name: str, present: pd.Series, distinct: int) -> str:
    """Return identifier, entity, or number if neither."""
    rows = len(present)
    if distinct > MANY_VALUES and _ENTITY.fullmatch(name) and distinct < _NEARLY * rows:
        return "entity"
    named = _ID.search(name) is not None and distinct > MANY_VALUES
    return "identifier" if named or (distinct == rows > MANY_VALUES) else "number"


def _as_label(table: Table, frame: pd.DataFrame, name: str, positive: object) -> LabelColumn:
    """Return a column as label, by default with its rarest value as positive."""
    if positive is not None:
        return LabelColumn(name, positive, float(positive_labels(table, name, positive).mean()))
    counts = frame[name].value_counts()
    if not len(counts):
        raise DatasetError(f"{table.where}: column {name!r} is empty and cannot be the label")
    rarest = counts.index[-1]
    value = rarest.item() if isinstance(rarest, np.generic) else rarest
    return LabelColumn(name, value, float(counts.iloc[-1] / len(frame)))


def _span(dates: pd.Series) -> int:
    """Return the days from the first to the last, both counted; 0 if they are no dates."""
    try:
        return int(np.ptp(day_numbers(dates, ""))) + 1
    except DatasetError:
        return 0


def _twins(frame: pd.DataFrame) -> dict[str, str]:
    """Return column -> an earlier one with the same values."""
    first: dict[tuple[int, str], str] = {}
    twins = {}
    for name in frame.columns:
        values = frame[name]
        text = values if pd.api.types.is_numeric_dtype(values) else values.astype(str)
        key = (int(pd.util.hash_pandas_object(text, index=False).sum()), str(text.dtype))
        earlier = first.setdefault(key, name)
        if earlier != name and frame[earlier].equals(values) and values.notna().any():
            twins[name] = earlier
    return twins


def _label_complaints(frame: pd.DataFrame, label: LabelColumn | None, named: bool) -> Iterator[str]:
    if label is None:
        yield "no column has two values: name the label, --label COLUMN --positive VALUE"
        return
    values = frame[label.column]
    if not named:
        yield f"the label is guessed: {label.column}; name it by --label if it is another"
    if lacking := int(values.isna().sum()):
        yield f"{label.column}: {lacking:,} rows have no label: drop them, or no run is possible"
    if values.nunique() > 2:
        yield f"{label.column}: {values.nunique():,} values; {label.positive!r} is positive, no other is"
    if (n_pos := round(label.share * len(values))) < 50:
        yield f"{label.column}: {n_pos} positives, so few that no difference between models will show"


def _column_complaints(columns: list[Column], label: LabelColumn | None, twins: Any) -> Iterator[str]:
    for kind, remark in (
        ("empty", "no value at all: dropped"),
        ("unusable", "infinite numbers, or no single values: dropped"),
        ("constant", "one value only: dropped"),
        ("identifier", "an identifier: dropped"),
        ("date", "dates: no feature; make numbers of them, such as an age in days, to use them as one"),
        ("entity", "an entity, such as a customer: no feature; its rows stay on one side of a split"),
    ):
        if names := [c.name for c in columns if c.kind == kind]:
            yield f"{join_first(names)}: {remark}"
    for column in columns:
        if column.marks:
            yield f"{column.name}: numbers but for {', '.join(map(repr, column.marks))}, taken as missing"
        elif column.kind == "text of numbers":
            yield (
                f"{column.name}: numbers written as text, such as {column.example!r}: dropped; write plain "
                "numbers to use them"
            )
    missing = [c for c in columns if c.missing and c.is_feature and (label is None or c.name != label.column)]
    if missing:
        worst = max(missing, key=lambda c: c.missing)
        most = f"up to {worst.missing:.0%} ({worst.name})"
        yield f"{len(missing)} features have missing values, {most}: filled by impute"
    if many := [c.name for c in columns if c.kind == "category" and c.distinct > MANY_VALUES]:
        yield f"{join_first(many)}: over {MANY_VALUES} categories, the rare ones are pooled by max_categories"
    for name, earlier in twins.items():
        yield f"{name}: the same values as {earlier}: dropped"


def _leaks(
    table: Table, frame: pd.DataFrame, columns: Sequence[Column], label: LabelColumn
) -> Iterator[tuple[str, str]]:
    """Yield the features that tell the label nearly alone, by a value or by having one, and how."""
    y = positive_labels(table, label.column, label.positive)
    if min(y.sum(), (~y).sum()) < _EXPECTED:
        return
    half = np.arange(len(y)) % 2 == 0
    for column in columns:
        values = frame[column.name]
        if column.name == label.column or column.kind in ("unusable", "empty"):
            continue
        codes = {"any value": values.isna().to_numpy(np.int64)}
        areas = []
        if column.is_feature and column.distinct <= MANY_VALUES:
            codes["its values"] = pd.factorize(values, use_na_sentinel=False)[0]
        if column.is_feature and pd.api.types.is_numeric_dtype(values):
            numbers = values.astype(float)
            areas.append(auc(y.astype(int), numbers.fillna(numbers.median()).to_numpy()))
        for code in codes.values():  # a row by the share of positives among others of its code
            score = np.where(half, _shares(code, y, ~half)[code], _shares(code, y, half)[code])
            areas.append(auc(y.astype(int), score))
        if (area := max(max(a, 1 - a) for a in areas)) >= _LEAK:
            yield column.name, f"AUC {area:.3f}"
            continue
        for what, code in codes.items():
            alone = _shares(code, y, half | ~half) >= _LEAK
            alone &= np.bincount(code) * (1 - y.mean()) >= _EXPECTED
            labels = y[alone[code]]
            if labels.sum() >= y.sum() / 2:
                yield column.name, f"{what}: {labels.mean():.0%} of {len(labels):,} rows positive"
                break


def _shares(code: Ints, y: NDArray[np.bool_], rows: NDArray[np.bool_]) -> Floats:
    """Return the share of positives of each code among `rows`; that of all where there is none."""
    hits, size = (np.bincount(code[rows], w, code.max() + 1) for w in (y[rows], None))
    return np.divide(hits, size, out=np.full(len(size), y[rows].mean()), where=size > 0)
