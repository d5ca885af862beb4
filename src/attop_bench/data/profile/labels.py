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
from attop_bench.data.profile.missing import usual_words
from attop_bench.data.profile.names import word_set, words_of
from attop_bench.data.profile.outcomes import MOST, undecided
from attop_bench.data.profile.profile import LabelColumn, Profile
from attop_bench.data.profile.roles import Column
from attop_bench.data.reading.cells import UNKNOWN
from attop_bench.data.reading.table import Table

#: Rows of a class that the folds of a proposal need, and most grades of a label.
ENOUGH, _GRADES = 10, 10
#: Share from which on the rarer of two values need not be the positive one.
_RARE = 0.25
_TRUE = (
    "1 1.0 yes y true t positive pos + +1 ja j oui si sí sì sim tak ano áno igen evet kyllä jah da да так "
    "ναι כן نعم はい 是 有 예 wahr vrai verdadero verdadeiro vero prawda истина"
)


def choose_label(profile: Profile) -> Profile:
    """Choose the label, the one named or the likeliest, and decide which of its values stand for none."""
    answers = profile.answers
    table, frame = profile.table, profile.frame
    possible = candidates(table, frame, profile.columns)
    profile = replace(profile, candidates=tuple(possible))
    if answers.label is not None:
        return _known_or_not(_with_named(profile, answers.label))
    if answers.positive is not None:
        label = having(answers.positive, table, frame, possible, answers.negative)
        return _known_or_not(replace(profile, label=label))
    if not possible:
        return profile
    label = possible[0]
    if answers.negative is not None:
        label = as_label(table, frame, label.column, None, answers.negative)
    return _known_or_not(replace(profile, label=label))


def _with_named(profile: Profile, name: str) -> Profile:
    """Return a profile with the named column as label; nothing beside one value is the other label."""
    answers = profile.answers
    name = column_of(profile.frame, name, profile.table.where)
    values = profile.frame[name].dropna().unique()
    if profile.finds_missing and len(values) == 1:
        profile = profile.with_missing({name: False})
        profile = profile.saying(
            f"{name}: {values[0]} or nothing, which is read as the other label"
        )
    label = as_label(
        profile.table, profile.frame, name, answers.positive, answers.negative
    )
    return replace(profile, label=label)


def _known_or_not(profile: Profile) -> Profile:
    """Return a profile whose label has no marks, such as ``?``, that stand for none of its values."""
    name = profile.of_label
    if name is None or not profile.finds_missing:
        return profile
    none = unknown(profile.frame[name])
    if not none:
        return profile
    answers = profile.answers
    words = sorted({*none, *usual_words(profile.table, name)} - answers.positives)
    profile = profile.with_missing({name: words})
    label = as_label(
        profile.table, profile.frame, name, answers.positive, answers.negative
    )
    remedy = f"--reader 'missing={{{name}: []}}'"
    remark = f"{name}: {join_first(none)} is read as no label; as one: {remedy}"
    return replace(profile.saying(remark), label=label)


def candidates(
    table: Table, frame: pd.DataFrame, columns: Sequence[Column]
) -> list[LabelColumn]:
    """Return the columns that could be the label, likeliest first.

    They hold two values, or grades if their names or places say so, each class in enough rows for folds.
    Names go first, then two values, columns without gaps, the last column, text, the rarest positives.
    """
    ranked = []
    for column in columns:
        last, named = column.name == columns[-1].name, _is_named(column.name)
        few_values = column.distinct <= _GRADES
        distinct = (
            len(set(_known(frame[column.name]).map(_folded)))
            if few_values
            else column.distinct
        )
        graded = 3 <= column.distinct <= (MOST if named else _GRADES) and (
            named or last
        )
        if column.kind in ("date", "unusable", "text", "weight") or not (
            2 in (column.distinct, distinct) or graded
        ):
            continue
        label = as_label(table, frame, column.name)
        rows = frame[column.name].count()
        few = min(label.share, 1 - label.share) * rows < ENOUGH
        if few and graded:
            continue
        order = (
            few,
            not named,
            distinct > 2,
            column.missing > 0,
            not last,
            not column.text,
        )
        ranked.append(((*order, label.share), label))
    return [label for _, label in sorted(ranked, key=lambda one: one[0])]


def having(
    positive: object,
    table: Table,
    frame: pd.DataFrame,
    known: Sequence[LabelColumn],
    negative: Sequence[object] | None = None,
) -> LabelColumn:
    """Return the likeliest of the columns that could be the label which has a positive value."""
    for label in known:
        with suppress(DatasetError):
            return as_label(table, frame, label.column, positive, negative)
    raise DatasetError(
        f"{table.where}: no column that could be the label has {positive!r}: name it, --label COLUMN"
    )


def _is_named(name: str) -> bool:
    """Return whether a column has the name of an outcome."""
    words = [word.removeprefix("is") for word in words_of(name)]
    if word_set("outcome, as the last word").issuperset(words[-1:]):
        return bool(words)
    ends = word_set("outcome, after what can end").issuperset(words[-1:])
    # loan_status, but not marital_status.
    if ends and word_set("what can end").issuperset(words[-2:-1]):
        return True
    stems = tuple(word_set("outcome, how it begins"))
    return any(
        word.startswith(stems) or word in word_set("outcome") for word in words
    )


def as_label(
    table: Table,
    frame: pd.DataFrame,
    name: str,
    positive: object = None,
    negative: Sequence[object] | None = None,
) -> LabelColumn:
    """Return a column as label, by default with its likeliest positive value.

    Without `negative`, all values that are not positive are, but for outcomes that are not known yet.
    """
    values = frame[name].dropna()
    if not len(values):
        refusal = f"{table.where}: column {name!r} is empty and cannot be the label"
        raise DatasetError("; ".join([refusal, *table.remarks]))
    otherwise, none = "", undecided(values)
    if positive is None:
        rest = (
            values
            if negative is None
            else values[~_among(table, name, values, negative)]
        )
        positive, otherwise = _positive(rest[~rest.isin(none)])
    else:
        positive = _as_written(values, positive)
    rows = positive_labels(table, name, positive) & frame[name].notna().to_numpy()
    same = frame[name][rows].unique()
    if (
        pd.api.types.is_numeric_dtype(values)
        and comparison_with(table, name, positive) is None
    ):
        positive = _plain(same[0]) if len(same) == 1 else positive  # 1 for "1"
    label = LabelColumn(name, positive, float(rows.sum() / len(values)), otherwise)
    return _with_negative(
        label,
        table,
        frame,
        negative,
        [value for value in none if value not in same],
    )


def _as_written(values: pd.Series, positive: object) -> object:
    """Return one value, or several, as the column writes them."""
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
    table: Table,
    frame: pd.DataFrame,
    negative: Sequence[object] | None,
    none: Sequence[object],
) -> LabelColumn:
    """Return a label with the values that are negative, if not all others are, and its share among both."""
    name = label.column
    if negative is None and not none:
        return label
    values = frame[name]
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
    """Return which of some values of a column are among those that are wanted."""
    rows = is_positive(table, name, list(wanted))
    return rows[table.frame.index.get_indexer(values.index)]


def unknown(values: pd.Series) -> list[str]:
    """Return the marks among values of text that stand for none of them, if two others are left."""
    marks = sorted(set(values.dropna().unique()) & UNKNOWN)
    return marks if len(_known(values).unique()) >= 2 else []


def _known(values: pd.Series) -> pd.Series:
    """Return the values that are present, without marks such as ``?`` where others are left."""
    present = values.dropna()
    marked = present.isin(UNKNOWN)
    return present if marked.all() else present[~marked]


def _folded(value: object) -> object:
    """Return a value without capitals: Yes, yes and YES are one."""
    return value.casefold() if isinstance(value, str) else value


def _variants(values: pd.Series, value: str) -> object:
    """Return a value as it is written, or all that are it but for capitals, if another is left."""
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
    """Return the likeliest positive value, the rarer of two, and what else it could be."""
    present = _known(values)
    if present.nunique() == 1 < values.nunique():
        return _plain(present.iloc[0]), ", ".join(sorted({*values} - {*present}))
    values = present
    if values.map(_folded).nunique() not in (1, values.nunique()):
        rarest, otherwise = _positive(values.map(_folded))
        return _variants(values, str(rarest)), otherwise
    counts = values.value_counts()
    number = pd.api.types.is_numeric_dtype(
        values
    ) and not pd.api.types.is_bool_dtype(values)
    if len(counts) > 2 and number:
        return _grade(values)
    enough = counts
    if len(counts) > 2:
        enough = counts[counts >= ENOUGH]
    rarest = (enough if len(enough) else counts).index[-1]
    others = [value for value in counts.index if value != rarest]
    true = [str(value).lower() in _TRUE.split() for value in (rarest, *others)]
    open_to_doubt = (
        len(counts) > 2
        or true[1:] == [True]
        or (not true[0] and counts.min() > _RARE * len(values))
    )
    return _plain(rarest), ", ".join(map(str, others[:5])) if open_to_doubt else ""


def _grade(values: pd.Series) -> tuple[object, str]:
    """Return the lowest grade with at most half of the rows from it on, of many a tenth, as a comparison."""
    grades = np.unique(values)
    most = 0.5 if len(grades) <= _GRADES else 0.1
    limits = [limit for limit in grades[1:] if (values >= limit).mean() <= most]
    limit = limits[0] if limits else grades[-1]
    nearby = [f">= {other:g}" for other in grades[1:] if other != limit][:3]
    return f">= {limit:g}", ", ".join(nearby)


def _plain(value: object) -> object:
    """Return a value as YAML has it: 1 for 1.0."""
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value
