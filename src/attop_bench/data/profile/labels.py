"""The third step of a look: the likely label of a table, and its positive value."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attop.extending import join_first
from attop_bench.data.columns.labels import (
    comparison_with,
    decided,
    is_positive,
    positive_labels,
)
from attop_bench.data.columns.names import column_of
from attop_bench.data.errors import DatasetError
from attop_bench.data.profile.missing import MOST, undecided, usual_words
from attop_bench.data.profile.names import is_outcome
from attop_bench.data.profile.profile import LabelColumn, Profile
from attop_bench.data.profile.readers import Column
from attop_bench.data.reading.cells import UNKNOWN
from attop_bench.data.reading.table import Table

#: Rows of a class that the folds of a proposal need, and most grades of a label.
ENOUGH, _GRADES = 10, 10
#: Kinds that are never a label.
_NO_LABELS = ("date", "unusable", "text", "weight")
#: Share from which on the rarer of two values need not be the positive one.
_RARE = 0.25
_TRUE = (
    "1 1.0 yes y true t positive pos + +1 ja j oui si sí sì sim tak ano áno igen evet kyllä jah da да так "
    "ναι כן نعم はい 是 有 예 wahr vrai verdadero verdadeiro vero prawda истина"
)


def choose_label(profile: Profile) -> Profile:
    """Choose the label, the one named or the likeliest, and decide which of its values stand for none."""
    answers = profile.answers
    possible = candidates(profile)
    profile = replace(profile, candidates=tuple(possible))
    if answers.label is not None:
        return _known_or_not(_with_named(profile, answers.label))
    if answers.positive is not None:
        label = _having_positive(profile)
    elif not possible:
        return profile
    elif answers.negative is not None:
        label = _answered(profile, possible[0].column)
    else:
        label = possible[0]
    return _known_or_not(replace(profile, label=label))


def _with_named(profile: Profile, name: str) -> Profile:
    """Take the named column as the label; beside a single value, an empty cell is the other label."""
    name = column_of(profile.frame.columns, name, profile.table.where)
    values = profile.frame[name].dropna().unique()
    if profile.finds_missing and len(values) == 1:
        profile = profile.with_missing({name: False})
        profile = profile.saying(
            f"{name}: {values[0]} or nothing, which is read as the other label"
        )
    return replace(profile, label=_answered(profile, name))


def _answered(profile: Profile, name: str) -> LabelColumn:
    """Describe a column as the label, with the outcomes that a person has named."""
    answers = profile.answers
    return as_label(profile, name, answers.positive, answers.negative)


def _known_or_not(profile: Profile) -> Profile:
    """Read marks in the label column, such as ``?``, as no label."""
    name = profile.of_label
    if name is None or not profile.finds_missing:
        return profile
    none = unknown(profile.frame[name])
    if not none:
        return profile
    usual = usual_words(profile.table, name)
    words = sorted({*none, *usual} - profile.answers.positives)
    profile = profile.with_missing({name: words})
    remedy = f"--reader 'missing={{{name}: []}}'"
    remark = f"{name}: {join_first(none)} is read as no label; as one: {remedy}"
    return replace(profile.saying(remark), label=_answered(profile, name))


def candidates(profile: Profile) -> list[LabelColumn]:
    """Rank the columns that could be the label, the likeliest first.

    They hold two values, or grades if their names, places or orders say so, each class in enough rows for
    folds.
    Names go first, then two values, columns without gaps, the last column, text, the rarest positives.
    """
    ranked = []
    for column in profile.columns:
        if column.distinct > MOST or column.kind in _NO_LABELS:
            continue
        values = profile.frame[column.name]
        is_last = column.name == profile.columns[-1].name
        is_named = is_outcome(column.name)
        distinct = _count_of_outcomes(column, values)
        most = MOST if is_named else _GRADES
        is_ordered = column.name in profile.table.ordered
        may_be_graded = is_named or is_last or is_ordered
        has_grades = 3 <= column.distinct <= most and may_be_graded
        if not has_grades and 2 not in (column.distinct, distinct):
            continue
        label = as_label(profile, column.name)
        few = min(label.share, 1 - label.share) * values.count() < ENOUGH
        if few and has_grades:
            continue
        order = (
            few,
            not is_named,
            distinct > 2,
            column.missing > 0,
            not is_last,
            not column.text,
            label.share,
        )
        ranked.append((order, label))
    return [label for _, label in sorted(ranked, key=lambda one: one[0])]


def _count_of_outcomes(column: Column, values: pd.Series) -> int:
    """Count the different values of a column; of few words without those that stand for nothing."""
    if not column.text or column.distinct > _GRADES:
        return column.distinct
    words = {*values.dropna().unique()}
    return len({*map(_folded, words - UNKNOWN or words)})


def _having_positive(profile: Profile) -> LabelColumn:
    """Find the likeliest label column that contains the positive value which a person has named."""
    for label in profile.candidates:
        with suppress(DatasetError):
            return _answered(profile, label.column)
    where, positive = profile.table.where, profile.answers.positive
    raise DatasetError(
        f"{where}: no column that could be the label has {positive!r}: name it, --label COLUMN"
    )


def as_label(
    profile: Profile,
    name: str,
    positive: object = None,
    negative: Sequence[object] | None = None,
) -> LabelColumn:
    """Describe a column as the label, by default with its likeliest positive value.

    Without `negative`, all values that are not positive are, but for outcomes that are not known yet.
    """
    table, values = profile.table, profile.frame[name].dropna()
    if not len(values):
        refusal = f"{table.where}: column {name!r} is empty and cannot be the label"
        raise DatasetError("; ".join([refusal, *table.remarks]))
    otherwise, none = "", undecided(values)
    if positive is None:
        rest = values
        if negative is not None:
            rest = values[~_among(table, name, values, negative)]
        positive, otherwise = _positive(rest[~rest.isin(none)])
        positive = _without(none, profile, name, positive)
    else:
        positive = _as_written(values, positive)
    present = profile.frame[name].notna().to_numpy()
    rows = positive_labels(table, name, positive) & present
    same = profile.frame[name][rows].unique()
    is_number = pd.api.types.is_numeric_dtype(values)
    if is_number and comparison_with(table, name, positive) is None:
        positive = _plain(same[0]) if len(same) == 1 else positive  # 1 for "1"
    label = LabelColumn(name, positive, float(rows.sum() / len(values)), otherwise)
    none = [value for value in none if value not in same]
    return _with_negative(label, profile, negative, none)


def _without(
    none: Sequence[object], profile: Profile, name: str, positive: object
) -> object:
    """List the grades of a comparison that takes in codes such as 99, without these."""
    values = profile.frame[name]
    positives = values[is_positive(profile.table, name, positive)]
    if not positives.isin(none).any():
        return positive
    return list(map(_plain, np.unique(positives[~positives.isin(none)])))


def _as_written(values: pd.Series, positive: object) -> object:
    """Look up how the column writes one value, or several."""
    if not isinstance(positive, list):
        return (
            _variants(values, positive) if isinstance(positive, str) else positive
        )
    written: list[object] = []
    for one in positive:
        variants = _as_written(values, one)
        written += variants if isinstance(variants, list) else [variants]
    return written


def _with_negative(
    label: LabelColumn,
    profile: Profile,
    negative: Sequence[object] | None,
    none: Sequence[object],
) -> LabelColumn:
    """Name the negative values of a label where not all others are negative, and correct its share."""
    table, name = profile.table, label.column
    if negative is None and not none:
        return label
    values = profile.frame[name]
    yes = is_positive(table, name, label.positive) & values.notna().to_numpy()
    others = values[~yes].dropna()
    if negative is None:
        no = [value for value in others.unique() if value not in none]
    else:
        decided(table, name, label.positive, list(negative))  # or it is refused
        no = list(others[_among(table, name, others, negative)].unique())
    if not no:
        return label
    n_neg = int(others.isin(no).sum())
    left_out = [value for value in others.unique() if value not in no]
    return replace(
        label,
        share=float(yes.sum() / (yes.sum() + n_neg)),
        negative=tuple(map(_plain, sorted(no))),
        left_out=tuple(map(_plain, sorted(left_out))),
    )


def _among(
    table: Table, name: str, values: pd.Series, wanted: Sequence[object]
) -> NDArray[np.bool_]:
    """Mark the values of a column that are among those that are wanted."""
    rows = is_positive(table, name, list(wanted))
    return rows[table.frame.index.get_indexer(values.index)]


def unknown(values: pd.Series) -> list[str]:
    """Find the marks in a column of text that stand for no value, if two values are left without them."""
    marks = sorted(set(values.dropna().unique()) & UNKNOWN)
    return marks if len(_known(values).unique()) >= 2 else []


def _known(values: pd.Series) -> pd.Series:
    """Drop missing values, and marks such as ``?`` where other values are left."""
    present = values.dropna()
    marked = present.isin(UNKNOWN)
    return present if marked.all() else present[~marked]


def _folded(value: object) -> object:
    """Fold capitals of a text: Yes, yes and YES are one value."""
    return value.casefold() if isinstance(value, str) else value


def _variants(values: pd.Series, value: str) -> object:
    """Find all spellings of a value that differ in capitals alone, if another value is left."""
    words = values.unique()
    alike = sorted(word for word in words if _folded(word) == _folded(value))
    return (
        alike[0]
        if len(alike) == 1
        else alike
        if 1 < len(alike) < len(words)
        else value
    )


def _positive(values: pd.Series) -> tuple[object, str]:
    """Guess the positive value, the rarer of two, and list what else it could be."""
    if pd.api.types.is_numeric_dtype(values):
        return _rarest(values)
    present = _known(values)
    if present.nunique() == 1 < values.nunique():
        return _plain(present.iloc[0]), ", ".join(sorted({*values} - {*present}))
    folded = present.map(_folded)
    if folded.nunique() not in (1, present.nunique()):
        rarest, otherwise = _rarest(folded)
        return _variants(present, str(rarest)), otherwise
    return _rarest(present)


def _rarest(values: pd.Series) -> tuple[object, str]:
    """Guess the positive one of different values: the rarest that folds can have, or a grade."""
    counts = values.value_counts()
    several = len(counts) > 2
    is_boolean = pd.api.types.is_bool_dtype(values)
    if several and pd.api.types.is_numeric_dtype(values) and not is_boolean:
        return _grade(values)
    enough = counts[counts >= ENOUGH] if several else counts
    rarest = (enough if len(enough) else counts).index[-1]
    others = [value for value in counts.index if value != rarest]
    is_true, *are_true = [
        str(value).lower() in _TRUE.split() for value in (rarest, *others)
    ]
    is_doubtful = several or are_true == [True]
    if not is_true and counts.min() > _RARE * len(values):
        is_doubtful = True
    return _plain(rarest), ", ".join(map(str, others[:5])) if is_doubtful else ""


def _grade(values: pd.Series) -> tuple[object, str]:
    """Guess a comparison with a grade: the lowest that at most half of the rows reach, of many a tenth."""
    grades = np.unique(values)
    most = 0.5 if len(grades) <= _GRADES else 0.1
    limits = [limit for limit in grades[1:] if (values >= limit).mean() <= most]
    limit = limits[0] if limits else grades[-1]
    nearby = [f">= {_plain(other)}" for other in grades[1:] if other != limit][:3]
    return f">= {_plain(limit)}", ", ".join(nearby)


def _plain(value: object) -> object:
    """Convert a value to how YAML writes it: 1 for 1.0."""
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value
