"""The role of a column: that of the first reader which accepts the column, with the reason.

The order is that of the lists: `_OF_NUMBERS` and `_OF_TEXT` by the values, `_OF_NAMES` for whole numbers and
text that may name things.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attop.extending import join_first
from attop_bench.data.columns.categories import MANY_VALUES, is_identifier
from attop_bench.data.profile.likeness import (
    FEW,
    FEWEST,
    NEARLY,
    are_alike,
    are_far_apart,
    look_like_names,
)
from attop_bench.data.profile.names import meanings_of, word_set, words_of
from attop_bench.data.reading.cells import (
    are_dates,
    is_pair,
    no_plain_numbers,
    units_of,
)

#: Kinds that can be given to a column.
KINDS = (
    "number",
    "category",
    "text",
    "date",
    "entity",
    "group",
    "weight",
    "identifier",
)
#: Values that are no numbers in a column of numbers: marks of what is missing.
_MARKS = 3
#: Share of values that are no plain numbers, of a column of measurements with signs, such as 360*.
_ODD = 0.2
#: Units of one column, at most: 12 kg and 500 g, but not as many as seats have letters.
_UNITS = 3
#: Values of a column that has the parts of somebody's own split, at most.
_PARTS = 4
#: Words, the median of the rows, from which text is read as such rather than as names; those that are asked.
_WORDS, _ASKED = 4, 3
#: How far the mean of weights of rows may be from 1.
_NEAR_1 = 0.1
#: From here on a float has no place for every integer.
_TOO_LONG = 2**53
#: Digits of numbers of which each row has its own, and of codes, from which on they may be names.
_DIGITS, _DIGITS_OF_CODE = 5, 3


@dataclass(frozen=True)
class Role:
    """The kind of a column, the reason where one was needed, and the kind it could be as well."""

    #: number, yes/no, category, text, date, identifier, entity, group, weight, text of numbers, constant,
    #: empty or unusable.
    kind: str
    why: str = ""
    otherwise: str = ""
    #: Text in a column of numbers: marks of missing values, perhaps.
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Column(Role):
    """A column and what to do with it."""

    name: str
    #: Share of the rows.
    missing: float
    distinct: int
    example: str
    #: Not all numbers.
    text: bool = False
    #: True if a person has named its kind.
    own: bool = False

    @property
    def is_feature(self) -> bool:
        """True if a learner can use it, missing values filled and categories encoded."""
        return self.kind in ("number", "yes/no", "category", "text") or bool(
            self.marks
        )


@dataclass(frozen=True)
class Values:
    """A column as its readers see it; what several of them ask is found once."""

    frame: pd.DataFrame
    name: str
    #: With gaps.
    column: pd.Series

    @cached_property
    def is_text(self) -> bool:
        """Not all numbers."""
        return not pd.api.types.is_numeric_dtype(self.column)

    @cached_property
    def present(self) -> pd.Series:
        """The values that are present."""
        return self.column.dropna()

    @cached_property
    def numbers(self) -> NDArray:
        """The numbers that are present."""
        numbers = self.column.to_numpy()
        return numbers[~np.isnan(numbers)]

    @cached_property
    def rows(self) -> int:
        """Rows with a value."""
        return len(self.present if self.is_text else self.numbers)

    @cached_property
    def distinct(self) -> int:
        """Different values."""
        values = self.present if self.is_text else self.numbers
        return len(pd.unique(values))

    @cached_property
    def names(self) -> pd.Series:
        """The values as names: numbers, or text."""
        return self.present.astype(str) if self.is_text else self.present

    @cached_property
    def different(self) -> pd.Series:
        """The different values of text."""
        return pd.Series(self.names.unique())

    @cached_property
    def are_digits(self) -> bool:
        """All values of text are digits alone."""
        return all(word.isascii() and word.isdecimal() for word in self.different)

    @cached_property
    def exceptions(self) -> pd.Series:
        """The different values of text that are no plain numbers."""
        return no_plain_numbers(self.different)

    @cached_property
    def plain(self) -> str:
        """The kind of a column that names nothing."""
        return "category" if self.is_text and not self.are_digits else "number"

    @cached_property
    def words(self) -> list[str]:
        """The words of the column's name."""
        return words_of(self.name)

    @cached_property
    def meanings(self) -> frozenset[str]:
        """The meanings of the column's name: identifier, person, list, thing, measure."""
        return meanings_of(self.name)

    @cached_property
    def is_weak(self) -> bool:
        """The name is a code of what is none of the usual things."""
        before = self.words[-2:-1]
        return (
            self.words[-1:] == ["code"]
            and bool(before)
            and before[0] not in word_set("thing")
        )

    @cached_property
    def beside_things(self) -> bool:
        """Another column has identifiers of things, such as item_id: each user may be a list of items."""
        return any(meanings_of(c) >= {"thing", "identifier"} for c in self.frame)

    @cached_property
    def often(self) -> float:
        """Rows of a value."""
        return self.rows / self.distinct

    @cached_property
    def times(self) -> str:
        """The number of values and rows of each, in words."""
        return f"{self.distinct:,} values, {self.often:.1f} rows each"

    @cached_property
    def is_alike(self) -> bool:
        """Rows of a value resemble each other in other columns."""
        return are_alike(self.frame, self.name, self.names)

    @cached_property
    def is_far_apart(self) -> bool:
        """Numbers come back though neighbouring ones are rare."""
        return are_far_apart(self.names)

    @cached_property
    def is_code(self) -> bool:
        """Text, numbers of as many digits, or numbers that are far apart."""
        return self.is_text or self.digits >= _DIGITS_OF_CODE or self.is_far_apart

    @cached_property
    def digits(self) -> int:
        """Signs of each value, 0 if they differ."""
        width = self.names.astype(str).str.len()
        return int(width.iloc[0]) if width.nunique() == 1 else 0

    @cached_property
    def are_identifiers(self) -> bool:
        """Most values name one row or two."""
        return is_identifier(self.names.nunique(), self.rows)

    @cached_property
    def by_name(self) -> Role:
        """The role of values that may name things."""
        return _first(_OF_NAMES, self)


#: What a reader gives a column: a role, or none, which passes it on.
Verdict = Role | None
Reader = Callable[[Values], Verdict]


def describe(frame: pd.DataFrame, name: str, example: str) -> Column:
    """Describe a column of a table by its values, its name and the rows; `example` is one as written."""
    values = Values(frame, name, frame[name])
    return Column(
        **vars(_role_of(values)),
        name=name,
        missing=(len(frame) - values.rows) / len(frame),
        distinct=values.distinct,
        example=example,
        text=values.is_text,
    )


def _role_of(values: Values) -> Role:
    """Decide the role of a column, by its values first and its name second."""
    if values.distinct < 2:
        return Role("constant" if values.distinct else "empty")
    return _first(_OF_TEXT if values.is_text else _OF_NUMBERS, values)


def _first(readers: Sequence[Reader], values: Values) -> Role:
    """Take the role that the first reader which accepts a column gives it."""
    return next(role for read in readers if (role := read(values)) is not None)


def _infinite(values: Values) -> Verdict:
    return Role("unusable") if np.isinf(values.numbers).any() else None


def _weights_of_rows(values: Values) -> Verdict:
    """Accept numbers of such a name whose mean is 1, with a question."""
    named = values.words[-1:] in (["weight"], ["weights"])
    if not named or abs(float(values.numbers.mean()) - 1) > _NEAR_1:
        return None
    return Role("number", "its mean is 1, as that of weights of rows", "weight")


def _two_values(values: Values) -> Verdict:
    return Role("yes/no") if values.distinct == 2 else None


def _decimals(values: Values) -> Verdict:
    return Role("number") if (values.numbers % 1 != 0).any() else None


def _days_as_numbers(values: Values) -> Verdict:
    """Accept days such as 20260131."""
    numbers = values.numbers
    if (
        numbers.min() < 1900_01_01
        or numbers.max() > 2100_12_31
        or values.distinct < FEW
    ):
        return None
    days = pd.to_datetime(
        pd.Series(numbers.astype(int).astype(str)), format="%Y%m%d", errors="coerce"
    )
    return Role("date", "written as one number") if days.notna().all() else None


def _too_long(values: Values) -> Verdict:
    """Accept numbers that name nothing, and that a float cannot hold."""
    role = values.by_name
    if (
        role.kind != "number"
        or np.abs(values.numbers.astype(np.float64)).max() < _TOO_LONG
    ):
        return None
    otherwise = role.otherwise if role.otherwise == "entity" else ""
    return Role("identifier", "integers too long for a number", otherwise)


def _by_name(values: Values) -> Role:
    return values.by_name


def _dates(values: Values) -> Verdict:
    is_time = pd.api.types.is_datetime64_any_dtype(values.present)
    return Role("date") if is_time or are_dates(values.different) else None


def _no_single_values(values: Values) -> Verdict:
    """Accept lists and mappings."""
    objects = values.present if values.column.dtype == object else ()
    are_single = all(isinstance(value, (str, Real)) for value in objects)
    return None if are_single else Role("unusable")


def _parts_of_a_split(values: Values) -> Verdict:
    if values.distinct > _PARTS:
        return None
    are_parts = (
        values.different.str.strip().str.lower().isin(word_set("split")).all()
    )
    return (
        Role("identifier", "names the parts of a split", "category")
        if are_parts
        else None
    )


def _names_of_digits(values: Values) -> Verdict:
    """Accept text of digits that names things."""
    if not values.are_digits or values.by_name.kind == "number":
        return None
    return values.by_name


def _numbers_with_marks(values: Values) -> Verdict:
    """Accept numbers but for few values, which may stand for nothing."""
    if len(values.different) <= FEW or len(values.exceptions) > _MARKS:
        return None
    return Role("text of numbers", marks=tuple(values.exceptions))


def _pairs(values: Values) -> Verdict:
    if (
        len(values.different) <= FEW
        or values.different.map(is_pair).mean() < NEARLY
    ):
        return None
    return Role("text of numbers", "pairs")


def _quantities(values: Values) -> Verdict:
    """Accept numbers as people write them, of few units."""
    if len(values.different) <= FEW:
        return None
    units, others = units_of(values.different)
    if others > (1 - NEARLY) * len(values.different) or len(units) > _UNITS:
        return None
    return Role("text of numbers", join_first(sorted(units)))


def _running_text(values: Values) -> Verdict:
    """Accept text of several words that seldom comes back."""
    words = values.different.map(_count_words).median()
    are_few = (
        values.distinct <= MANY_VALUES and values.distinct < NEARLY * values.rows
    )
    if are_few or values.distinct <= values.rows / 5 or words < _ASKED:
        return None
    return Role(
        "text",
        f"{words:.0f} words in the median row",
        "" if words >= _WORDS else "identifier",
    )


def _count_words(text: str) -> float:
    """Count words, 0 if most lack letters; of a script without blanks, two signs are one."""
    lettered = [any(map(str.isalpha, word)) for word in text.split()]
    return max(
        len(lettered) * (2 * sum(lettered) > len(lettered)),
        sum(sign > "\u2e80" for sign in text) / 2,
    )


def _numbers_with_signs(values: Values) -> Verdict:
    """Accept what would be names, but for nearly all being numbers: 360*, <0.01."""
    exceptions = values.exceptions
    if "identifier" in values.meanings or not 0 < len(exceptions) <= _ODD * len(
        values.different
    ):
        return None
    bounds = exceptions.str.match("[<>≤≥~]").all()
    if values.by_name.kind not in ("identifier", "category" if bounds else ""):
        return None
    return Role(
        "text of numbers", f"plain numbers and such as {exceptions.iloc[0]!r}"
    )


def _each_its_own(values: Values) -> Verdict:
    """Accept values of which nearly every row has another one."""
    if values.distinct < NEARLY * values.rows:
        return None
    role = _of_rows(values)
    return (
        Role("number")
        if "measure" in values.meanings and role.kind == "number"
        else role
    )


def _measurements(values: Values) -> Verdict:
    return (
        Role("number")
        if values.plain == "number" and "measure" in values.meanings
        else None
    )


def _lists(values: Values) -> Verdict:
    """Accept lists to be ranked: of even length each is a group."""
    if (
        "list" not in values.meanings
        or values.distinct < FEWEST
        or values.often < 2
    ):
        return None
    are_even = values.names.value_counts().var() < values.often / 2
    is_group = are_even or values.words[-1] == "qid"
    kind, otherwise = ("group", "entity") if is_group else ("entity", "group")
    return Role(kind, f"{values.times}; by its name lists to be ranked", otherwise)


def _people(values: Values) -> Verdict:
    """Accept people, cards and machines, and numbers that have such a name and are none."""
    if "person" not in values.meanings or values.distinct < FEWEST:
        return None
    if values.is_alike:
        reason = f"{values.times}, which are alike"
        return Role("entity", reason, "group" if values.beside_things else "")
    is_open = "identifier" not in values.meanings and len(values.words) > 1
    if values.plain == "number" and is_open and not values.is_far_apart:
        return Role(
            "number",
            f"{values.times}, which are no more alike than neighbours",
            "entity",
        )
    return Role(
        "entity",
        f"{values.times}, no more alike than others: by its name alone",
        "group" if values.beside_things else values.plain,
    )


def _codes(values: Values) -> Verdict:
    """Accept codes of things: categories, or names of single rows where they hardly come back."""
    if "thing" not in values.meanings or (values.is_weak and not values.is_code):
        return None
    if values.are_identifiers:
        return Role("identifier", f"{values.times}, codes by its name", "entity")
    return Role(
        "category",
        f"{values.times}, codes by its name",
        "number" if values.plain == "number" else "",
    )


def _identifiers(values: Values) -> Verdict:
    """Accept identifiers by their name, which come back."""
    many = values.distinct > MANY_VALUES
    if (
        "identifier" not in values.meanings
        or not many
        or (values.is_weak and not values.is_code)
    ):
        return None
    return Role("entity", f"{values.times}, identifiers by its name", "identifier")


def _numbered(values: Values) -> Verdict:
    """Accept names that are numbered, such as K-0037, and come back: they may be those of customers."""
    if not values.is_text or values.distinct < FEWEST:
        return None
    before = values.different.str.extract(r"^(\D+)\d{3,}$", expand=False)
    if before.isna().any() or before.nunique() > 1:
        return None
    kinds = ("entity", "category") if values.is_alike else ("category", "entity")
    return Role(kinds[0], f"{values.times}, numbered", kinds[1])


def _few(values: Values) -> Verdict:
    return Role(values.plain) if values.distinct <= MANY_VALUES else None


def _alike_without_a_name(values: Values) -> Verdict:
    """Accept text, and codes, whose rows resemble each other: text as entities, numbers with a question."""
    is_word = values.plain == "category"
    if not is_word and not (values.is_code and look_like_names(values.names)):
        return None
    if not values.is_alike:
        return None
    reason = f"{values.times}, which are alike in other columns"
    if not values.is_text:
        return Role(values.plain, reason, "entity")
    return Role(
        "entity", reason, "identifier" if values.are_identifiers else values.plain
    )


def _text_of_rows(values: Values) -> Verdict:
    """Accept text of which most values name one row."""
    is_name = values.plain == "category" and values.are_identifiers
    return Role("identifier") if is_name else None


def _nothing_else(values: Values) -> Role:
    is_doubtful = (
        values.is_code and values.plain == "number" and values.is_far_apart
    )
    return Role(values.plain, "", "category" if is_doubtful else "")


def _of_rows(values: Values) -> Role:
    """Decide the role of values of which nearly every row has another one."""
    has_a_name = not values.meanings.isdisjoint(("identifier", "person", "list"))
    # Numbers of few rows are likely to differ; names that all do teach nothing, however few.
    are_names = values.plain == "category" and values.distinct == values.rows
    if values.rows <= MANY_VALUES:
        return Role("identifier" if has_a_name or are_names else values.plain)
    if has_a_name or values.plain == "category":
        return Role("identifier")
    numbers = values.names.astype(np.float64)
    if np.ptp(numbers) < 1.1 * values.rows:
        return Role("identifier", "it counts the rows")
    steps = np.diff(numbers)
    if (steps >= 0).all() or (steps <= 0).all():
        return Role("identifier", "it grows with the rows")
    if values.digits >= _DIGITS:
        return Role(
            "identifier", "each row has its own, of as many digits", "number"
        )
    if values.names.is_unique:
        return Role("number", "each row has its own", "identifier")
    return Role("number")


_OF_NUMBERS: tuple[Reader, ...] = (
    _infinite,
    _weights_of_rows,
    _two_values,
    _decimals,
    _days_as_numbers,
    _too_long,
    _by_name,
)
_OF_TEXT: tuple[Reader, ...] = (
    _dates,
    _no_single_values,
    _parts_of_a_split,
    _two_values,
    _names_of_digits,
    _numbers_with_marks,
    _pairs,
    _quantities,
    _running_text,
    _numbers_with_signs,
    _by_name,
)
_OF_NAMES: tuple[Reader, ...] = (
    _each_its_own,
    _measurements,
    _lists,
    _people,
    _codes,
    _identifiers,
    _numbered,
    _few,
    _alike_without_a_name,
    _text_of_rows,
    _nothing_else,
)
