"""The fourth step of a look: which words and numbers stand for nothing.

It says which occur, how they go with the label, and which are values after all. Of a label some values stand
for no outcome yet.
"""

from __future__ import annotations

import json
import re
import shlex
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attop.extending import Floats, count_noun, join_first
from attop_bench.data.profile.names import word_set
from attop_bench.data.profile.profile import Profile
from attop_bench.data.reading.cells import GAPS
from attop_bench.data.reading.table import Table

#: By chance, so seldom a word goes with the label as it does; rows it takes to tell.
_CHANCE, _ROWS = 1e-3, 10
#: Kinds of columns whose words are looked at.
_KINDS = ("category", "yes/no", "constant")
#: Numbers that often stand for nothing: among measurements, among grades, and beyond a hole that is as wide
#: as all others together; how many of them may be at one end.
_NINES, _GRADES = re.compile("-1|-?9{2,}"), re.compile("-1|-?9{1,3}")
_CODES, _AT_END = re.compile(r"-[\d.]+|9*[6-9]|9+\.9+|7+|8+"), 3
#: Negative numbers that are looked at first.
_FIRST = 1000
#: Words shown of a column.
_SHOWN = 3
#: Most values of a label that are sorted into outcomes.
MOST = 20


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
        entries = gaps(profile.table, names, profile.positives, GAPS | marks)
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
    """List the columns of text, or of one value, with gaps, or with marks among two values and more."""
    return [
        column.name
        for column in profile.columns
        if (column.text or column.kind == "constant")
        and column.kind in _KINDS
        and column.name != profile.of_label
        and (
            column.missing
            or (
                column.distinct > 2 and profile.frame[column.name].isin(marks).any()
            )
        )
    ]


def gaps(
    table: Table,
    names: Iterable[str],
    y: NDArray[np.bool_] | None,
    usual: frozenset[str],
) -> list[Gap]:
    """Find the `usual` words for missing values in some columns of text.

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


def sentinels(table: Table, frame: pd.DataFrame, names: Iterable[str]) -> list[str]:
    """Report each column of numbers whose lowest or highest stand apart as codes do: they may be none."""
    lines = []
    for name in names:
        values = frame[name].to_numpy(np.float64)
        values = values[~np.isnan(values)]
        if not _may_have_codes(values):
            continue
        distinct, counts = np.unique(values, return_counts=True)
        for codes, others in _ends(distinct):
            rows = int(counts[np.isin(distinct, codes)].sum())
            if rows < _ROWS:
                continue
            written = ", ".join(map(_written, codes))
            nothing = ", ".join(
                [written, *map(json.dumps, words_read(table, name))]
            )
            remedy = shlex.quote(f"missing={{{name}: [{nothing}]}}")
            lines.append(
                f"{name}: {written} in {rows / len(frame):.1%} of the rows, others {others[0]:g} to "
                f"{others[-1]:g}: if it means missing, --reader {remedy}"
            )
    return lines


def _may_have_codes(values: Floats) -> bool:
    """Decide by the highest number and the first negative ones whether codes may be there, without a sort."""
    first = pd.unique(values[values < 0][:_FIRST])
    is_code = len(values) and _CODES.fullmatch(_written(values.max()))
    return bool(0 < len(first) <= _AT_END or is_code)


def _written(number: float) -> str:
    """Write a number as people do: 9, not 9.0."""
    return f"{number:.15g}"


def _ends(distinct: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield the fewest numbers at each end that stand apart, with the others.

    They are a -1 or nines far from the others; or up to three negative numbers where no other is, or codes
    such as 8 and 9, beyond a hole that is as wide as all others together.
    """
    for at_end in (slice(None, None), slice(None, None, -1)):
        ordered = distinct[at_end]
        for several in range(1, min(_AT_END, len(ordered) - 2) + 1):
            codes, others = np.sort(ordered[:several]), np.sort(ordered[several:])
            if _stand_apart(codes, others):
                yield codes, others
                break


def _stand_apart(codes: Floats, others: Floats) -> bool:
    """Decide whether numbers at one end are written as codes are, and far enough from all others."""
    written = list(map(_written, codes))
    is_usual = len(codes) == 1 and _NINES.fullmatch(written[0])
    if is_usual and _is_far(codes[0], others):
        return True
    hole = max(others[0] - codes[-1], codes[0] - others[-1])
    is_alone = codes[-1] < 0 <= others[0] or codes[0] > max(others[-1], 0)
    are_codes = all(map(_CODES.fullmatch, written))
    return bool(is_alone and hole >= np.ptp(others)) and are_codes


def words_for_nothing(
    table: Table, frame: pd.DataFrame, names: Iterable[str]
) -> Iterator[str]:
    """Report the words of categories that say nothing, such as ``.`` and unknown: they may mean missing."""
    entries, remedy = [], ""
    for name in names:
        if not any(map(says_nothing, frame[name].unique())):
            continue
        counts = frame[name].value_counts()
        # Words that stand for nothing in any column were said before.
        words = [w for w in counts.index if says_nothing(w) and w not in GAPS]
        if words and len(counts) - len(words) >= 2:
            share = counts[words].sum() / len(frame)
            written = join_first(words, _SHOWN)
            entries.append(f"{name}: {written} in {share:.1%} of the rows")
            nothing = [*words, *words_read(table, name)]
            remedy = (
                remedy
                or f"missing={{{name}: {json.dumps(nothing, ensure_ascii=False)}}}"
            )
    if entries:
        each = join_first(entries, _SHOWN)
        yield f"kept as values: {each}; if they mean missing, as --reader {shlex.quote(remedy)}"


@lru_cache(maxsize=1 << 16)
def says_nothing(word: object) -> bool:
    """Decide whether a text is punctuation alone, or a word such as unknown, na or <blank>; + is a value."""
    are_marks = all(unicodedata.category(sign)[0] in "PZ" for sign in str(word))
    return are_marks or _normal(word) in word_set("no value")


def words_read(table: Table, name: str) -> list[str]:
    """List the words that are read as missing in a column, without the empty cell."""
    words = table.words(name) - {""}
    return sorted(
        words if table.has_types else words & {*table.frame[name].str.strip()}
    )


def usual_words(table: Table, name: str) -> list[str]:
    """List the usual words for a missing value that a column has, without the empty cell."""
    return sorted((GAPS - {""}) & {*table.frame[name].str.strip().unique()})


def as_options(entries: Sequence[Gap]) -> dict[str, list[str] | bool]:
    """Make the option `missing` under which words that are values stay values, and marks are nothing."""
    missing: dict[str, list[str] | bool] = {}
    columns = {gap.column for gap in entries if gap.why or gap.word not in GAPS}
    for name in sorted(columns):
        words = [gap for gap in entries if gap.column == name]
        if any(gap.why and not gap.word for gap in words):
            missing[name] = False
        else:
            missing[name] = [gap.word for gap in words if gap.word and not gap.why]
    return missing


def remarks(entries: Iterable[Gap]) -> list[str]:
    """Write a line for each word that is a value, and one line for all other words."""
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
    """Decide whether two shares of positives differ by more than chance."""
    y = np.concatenate([a, b])
    return len(a) >= _ROWS and chance(a.sum(), len(a), y.sum(), len(y)) < _CHANCE


def chance(hits: int, rows: int, n_pos: int, n: int) -> float:
    """Compute how seldom so many positives among `rows` of `n`, or less likely ones, come by chance.

    It is the p-value of Fisher's exact test; SciPy, which has it, takes half a second to import.
    """
    log = np.cumsum(np.log(np.maximum(np.arange(n + 1), 1)))  # of factorials
    number = np.arange(max(0, rows + n_pos - n), min(rows, n_pos) + 1)
    parts = (number, rows - number, n_pos - number, n - rows - n_pos + number)
    ways = np.sum([log[part] for part in parts], axis=0)
    share = np.exp(ways.min() - ways)
    # Equally likely ones differ by rounding.
    seldom = share <= share[number == hits] * (1 + 1e-7)
    return float(share[seldom].sum() / share.sum())


def table_beside(frame: pd.DataFrame) -> Iterator[str]:
    """Ask whether the last columns, two or more, are another table: filled in the same first rows alone."""
    columns: list[str] = []
    n_first = int(frame.iloc[:, -1].count())
    for name in reversed(list(frame)):
        values = frame[name]
        if values.count() != n_first or values.iloc[:n_first].hasnans:
            break
        columns.append(name)
    if len(columns) >= 2 and 0 < n_first <= len(frame) / 2:
        what = f"filled in the first {count_noun(n_first, 'row')} alone, as another table beside"
        remedy = " ".join(
            f"--role {shlex.quote(f'{name}=identifier')}" for name in columns
        )
        yield f"{join_first(columns[::-1])}: {what}; if so: {remedy}"


def undecided(values: pd.Series) -> list[object]:
    """Find the values of a label that are no outcome yet, if two others are left.

    Of text they are words such as Open, Pending or Inconclusive, but not Current beside numbers alone, as in
    current, 30, 60, 90+, of which it is the first; of numbers -1, -9, 9, 99 and the like, if they are below 0
    where all others are not, or over twice the highest of the others.
    """
    distinct = list(values.dropna().unique())
    if not 3 <= len(distinct) <= MOST:
        return []
    if pd.api.types.is_numeric_dtype(values):
        none = [
            value
            for value in (min(distinct), max(distinct))
            if _is_apart(value, distinct)
        ]
    else:
        none = [value for value in distinct if _is_open(_normal(value))]
        steps = [value for value in distinct if re.search(r"\d", str(value))]
        if len(steps) == len(distinct) - 1:
            first = word_set("first step of numbers")
            none = [value for value in none if _normal(value) not in first]
    return none if len(distinct) - len(none) >= 2 else []


def _is_open(words: str) -> bool:
    """Decide whether a value says that there is no outcome yet: Open, or Awaiting whatever."""
    begins = tuple(word_set("no outcome yet, how it begins"))
    return words in word_set("no outcome yet") or words.startswith(begins)


def _is_far(value: float, others: Collection[float]) -> bool:
    """Decide whether a number is below 0 where no other is, or over twice the highest of them."""
    return (
        value < 0 <= min(others, default=value)
        or value > 2 * max(others, default=value) > 0
    )


def _is_apart(value: float, distinct: list[float]) -> bool:
    """Decide whether a number is far from the grades 0, 1, ... and one of those that stand for nothing."""
    others = [other for other in distinct if other != value]
    return _is_far(value, others) and _GRADES.fullmatch(f"{value:.15g}") is not None


def _normal(value: object) -> str:
    """Fold the capitals of a text, and write one blank for all signs other than letters."""
    return " ".join(re.findall(r"[^\W_]+", str(value).casefold()))
