"""The fourth step of a look: which words stand for nothing.

It says which occur, how they go with the label, and which are values after all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attop.extending import join_first
from attop_bench.data.columns.labels import positive_labels
from attop_bench.data.profile.outcomes import is_far
from attop_bench.data.profile.profile import Profile
from attop_bench.data.reading.cells import GAPS
from attop_bench.data.reading.table import Table

#: By chance, so seldom a word goes with the label as it does; rows it takes to tell.
_CHANCE, _ROWS = 1e-3, 10
#: Kinds of columns whose words are looked at.
_KINDS = ("category", "yes/no", "constant")
#: Numbers that often stand for nothing.
_NINES = re.compile("-1|-?9{2,}")


@dataclass(frozen=True)
class Gap:
    """A word in a column that usually stands for a missing value; empty where there is nothing."""

    column: str
    word: str
    share: float
    #: Share of positives among its rows and among those it is compared with; NaN without labels.
    positive: float
    others: float
    #: What makes it a value like the others; empty if it stands for nothing.
    why: str

    def __str__(self) -> str:
        shares = (
            f", {self.positive:.0%} of them positive, {self.others:.0%} of others"
        )
        shares = shares if self.positive >= 0 else ""
        return f"{self.column}: {self.word or 'nothing'} in {self.share:.1%} of the rows{shares}"


def decide_missing(profile: Profile) -> Profile:
    """Decide which words of each column stand for nothing, and read those columns again that have others."""
    if profile.finds_missing:
        # Signs that stand for nothing among numbers of a file do so among its words; NG may be a country.
        words = (mark for column in profile.columns for mark in column.marks)
        marks = frozenset(mark for mark in words if not re.search(r"\w", mark))
        names = _with_words(profile, marks)
        entries = gaps(profile.table, names, _positives(profile), GAPS | marks)
        profile = profile.saying(*remarks(entries)).with_missing(
            as_options(entries)
        )
    table = profile.table
    marked = [column for column in profile.columns if column.marks]
    profile = profile.with_values(
        {c.name: [*c.marks, *usual_words(table, c.name)] for c in marked}
    )
    if not profile.table.missing:
        return profile
    return replace(
        profile, reader={**profile.reader, "missing": profile.table.missing}
    )


def _with_words(profile: Profile, marks: frozenset[str]) -> list[str]:
    """Return the columns of text, beside the label, with gaps or with marks beside two values and more."""
    return [
        column.name
        for column in profile.columns
        if column.text
        and column.kind in _KINDS
        and column.name != profile.of_label
        and (
            column.missing
            or (
                column.distinct > 2 and profile.frame[column.name].isin(marks).any()
            )
        )
    ]


def _positives(profile: Profile) -> NDArray[np.bool_] | None:
    label = profile.label
    return (
        None
        if label is None
        else positive_labels(profile.table, label.column, label.positive)
    )


def gaps(
    table: Table,
    names: Iterable[str],
    y: NDArray[np.bool_] | None,
    usual: frozenset[str],
) -> list[Gap]:
    """Return the `usual` words for missing values in some columns of text.

    One is a value if it is written as the others are, as NA among DE and FR, or if its rows go with the label
    otherwise than those of other gaps do, or than all others where there are none.
    """
    words = []
    for name in names:
        text = table.frame[name].str.strip()
        empty = text.isin(usual).to_numpy(copy=True)
        present = text[~empty].unique()
        # Nothing comes last.
        for word in sorted(text[empty].unique(), reverse=True):
            rows = (text == word).to_numpy()
            rest = ~rows & empty
            rest = rest if rest.sum() >= _ROWS else ~rows
            why = ""
            share, share_of_others = np.nan, np.nan
            if y is not None and rest.any():
                share, share_of_others = y[rows].mean(), y[rest].mean()
                why = (
                    "its rows go otherwise with the label"
                    if _differ(y[rows], y[rest])
                    else ""
                )
            alike = re.compile(f"[A-Z]{{{len(word) or 1}}}")
            if len(present) > 2 and all(map(alike.fullmatch, [*present, word])):
                why = "it is written as the other values are"
            empty &= ~rows if why else True
            words.append(
                Gap(
                    name,
                    word,
                    share=float(rows.mean()),
                    positive=share,
                    others=share_of_others,
                    why=why,
                )
            )
    return words


def sentinels(frame: pd.DataFrame, names: Iterable[str]) -> list[str]:
    """Return a line for each column of numbers whose -1 or nines, far from its others, may mean nothing."""
    lines = []
    for name in names:
        values = frame[name].dropna()
        for value in (values.min(), values.max()):
            if not _NINES.fullmatch(f"{value:.0f}"):
                continue
            others, rows = values[values != value], int((values == value).sum())
            if rows >= _ROWS and is_far(value, others):
                lines.append(
                    f"{name}: {value:g} in {rows / len(frame):.1%} of the rows, others {others.min():g} to "
                    f"{others.max():g}: if it means missing, --reader 'missing={{{name}: [{value:.0f}]}}'"
                )
    return lines


def usual_words(table: Table, name: str) -> list[str]:
    """Return the usual words for a missing value that a column has, besides nothing."""
    text = table.frame[name].str.strip()
    return sorted(text[text.isin(GAPS - {""})].unique())


def as_options(entries: Iterable[Gap]) -> dict[str, list[str] | bool]:
    """Return the option `missing` that keeps those as values that are, and takes marks for nothing."""
    columns = {gap.column for gap in entries if gap.why or gap.word not in GAPS}
    keep = {gap.column for gap in entries if gap.why and not gap.word}
    missing: dict[str, list[str] | bool] = dict.fromkeys(keep, False)
    for name in columns - keep:
        missing[name] = [
            gap.word
            for gap in entries
            if gap.column == name and gap.word and not gap.why
        ]
    return {name: missing[name] for name in sorted(columns)}


def remarks(entries: Iterable[Gap]) -> list[str]:
    """Return a line for each word that is a value, and one for the others."""
    lines = [
        f"{gap}: read as a value, since {gap.why}; if it is missing: --reader 'missing={{{gap.column}: "
        f"[{gap.word}]}}'"
        for gap in entries
        if gap.why
    ]
    if rest := [str(gap) for gap in entries if gap.word and not gap.why]:
        lines.append(
            f"read as missing: {join_first(rest, 3)}; as a value: --reader 'missing={{COLUMN: []}}'"
        )
    return lines


def _differ(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> bool:
    """Return whether the shares of positives differ by more than chance."""
    from scipy.stats import fisher_exact

    table = [[int(a.sum()), int((~a).sum())], [int(b.sum()), int((~b).sum())]]
    return len(a) >= _ROWS and fisher_exact(table).pvalue < _CHANCE
