"""The role of a column, by its values first and its name second, with the reason and the alternative."""

from __future__ import annotations

import re
from dataclasses import dataclass
from numbers import Real

import numpy as np
import pandas as pd

from attop.extending import Ints, join_first
from attop_bench.data.kinds.columns import MANY_VALUES, is_dates, is_identifier
from attop_bench.data.written import written


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(words.split())


#: Last words of the names of identifiers; words of what has many rows (people, lists to be ranked, things
#: that are kinds of others); words of measurements, whatever they are of: months_as_customer.
_ID = word_set("id ids uuid guid uid key number nr no nbr num hash ref code identifier #")
_PERSON = word_set(
    """customer cust client user uid card account acct patient member person subject device employee student
    child household applicant borrower holder policyholder donor owner player participant respondent
    subscriber driver vehicle machine msisdn iban vin imei engine email mail phone mobile ssn"""
)
_LIST = word_set("qid query srch search session impression request race auction slate basket sess")
_THING = word_set(
    """code mcc icd naics sic merchant terminal product item sku shop store zip zipcode postcode postal plz
    city county region state district branch agent airport airline route station brand category type class
    dept department occupation industry channel vendor supplier model diagnosis diag"""
)
_MEASURE = word_set(
    """age month months day days week weeks year years hour hours minute minutes second seconds tenure since
    duration time count counts amount sum total balance limit score rate price value size income salary avg
    mean max min median std pct percent share ratio length width height weight distance as of per by from
    visits orders points level freq frequency recency n"""
)
#: Kinds that can be given to a column.
KINDS = ("number", "category", "text", "date", "entity", "group", "identifier")
#: Fewer values than this say little about what a column is; and fewer people than this are no entities.
FEW = 20
_FEWEST = 10
#: Share of rows that differ in a column of identifiers, or of values that are of one kind.
NEARLY = 0.95
#: Values that are no numbers in a column of numbers: marks of what is missing.
_MARKS = 3
#: Share of values that are no plain numbers, of a column of measurements with signs, such as 360*.
_ODD = 0.2
#: Units of one column, at most: 12 kg and 500 g, but not as many as seats have letters.
_UNITS = 3
#: Latitude and longitude, blood pressures.
_PAIR = r"\s*[-+]?\d+([.]\d+)?\s*[,;/]\s*[-+]?\d+([.]\d+)?\s*"
#: Parts of somebody's own split.
_SPLIT = word_set("train training test testing val valid validation dev holdout eval")
_WRITTEN = re.compile(r"[-+]?[€$£]?\s?\d{1,3}([., ]?\d{3})*([.,]\d+)?\s?[€$£%]?")
#: Words, the median of the rows, from which text is read as such rather than as names; those that are asked.
_WORDS, _ASKED = 4, 3
#: Pairs of rows with the same number to every one of neighbouring numbers, 1 where numbers are measured.
_FAR = 5.0
#: By so much of the usual distance are rows of an entity nearer than those of neighbouring values.
_ALIKE = 0.2


@dataclass(frozen=True)
class Column:
    """A column and what to do with it."""

    name: str
    #: number, yes/no, category, text, date, identifier, entity, group, text of numbers, constant, empty or
    #: unusable.
    kind: str
    #: Share of the rows.
    missing: float
    distinct: int
    example: str
    #: Not all numbers.
    text: bool = False
    #: Text in a column of numbers: marks of missing values, perhaps.
    marks: tuple[str, ...] = ()
    #: The evidence, where it was needed, the kind that it could be as well, and whether its kind was given.
    why: str = ""
    otherwise: str = ""
    own: bool = False

    @property
    def is_feature(self) -> bool:
        """True if a learner can use it, missing values filled and categories encoded."""
        return self.kind in ("number", "yes/no", "category", "text") or bool(self.marks)


def describe(frame: pd.DataFrame, name: str, example: str) -> Column:
    """Describe a column of a table by its values, its name and the rows; `example` is one as written."""
    values = frame[name]
    present = values.dropna()
    distinct = present.nunique()
    text = not pd.api.types.is_numeric_dtype(values)
    marks: tuple[str, ...] = ()
    why = otherwise = ""
    if distinct < 2:
        kind = "constant" if distinct else "empty"
    elif not text:
        kind, why, otherwise = _of_numbers(frame, name, present, distinct)
    else:
        kind, marks, why, otherwise = _of_text(frame, name, present, distinct)
    return Column(name, kind, float(values.isna().mean()), distinct, example, text, marks, why, otherwise)


def _of_numbers(frame: pd.DataFrame, name: str, present: pd.Series, distinct: int) -> tuple[str, str, str]:
    """Return the kind of a column of numbers, the reason, and what else it could be."""
    numbers = present.to_numpy(np.float64)
    if np.isinf(numbers).any():
        return "unusable", "", ""
    if distinct == 2:
        return "yes/no", "", ""
    if (numbers % 1 != 0).any():
        return "number", "", ""
    if numbers.min() >= 1900_01_01 and numbers.max() <= 2100_12_31 and distinct >= FEW:
        days = pd.to_datetime(pd.Series(numbers.astype(int).astype(str)), format="%Y%m%d", errors="coerce")
        if days.notna().all():
            return "date", "written as one number", ""
    kind, why, otherwise = _of_names(frame, name, present, distinct)
    if kind == "number" and np.abs(numbers).max() >= 2**53:
        return "identifier", "integers too long for a number", otherwise if otherwise == "entity" else ""
    return kind, why, otherwise


def _of_text(
    frame: pd.DataFrame, name: str, present: pd.Series, distinct: int
) -> tuple[str, tuple[str, ...], str, str]:
    """Return the kind of a column of text, marks of missing values among numbers, reason and alternative."""
    if pd.api.types.is_datetime64_any_dtype(present) or is_dates(present):
        return "date", (), "", ""
    if not all(isinstance(value, (str, Real)) for value in present):
        return "unusable", (), "", ""
    text = present.astype(str)
    values = pd.Series(text.unique())
    if distinct <= 4 and values.str.strip().str.lower().isin(_SPLIT).all():
        return "identifier", (), "names the parts of a split", "category"
    if distinct == 2:
        return "yes/no", (), "", ""
    exceptions = values[pd.to_numeric(values, errors="coerce").isna()]
    if values.str.fullmatch(r"\d+").all():
        kind, why, otherwise = _of_names(frame, name, text, distinct)
        if kind != "number":
            return kind, (), why, otherwise
    if len(values) > FEW and len(exceptions) <= _MARKS:
        return "text of numbers", tuple(exceptions), "", ""
    if len(values) > FEW and values.str.fullmatch(_PAIR).mean() >= NEARLY:
        return "text of numbers", (), "pairs", ""
    if len(values) > FEW and (units := _units(values)) is not None:
        return "text of numbers", (), join_first(units), ""
    words = values.map(_words).median()
    if distinct > MANY_VALUES and distinct > len(text) / 5 and words >= _ASKED:
        sure = words >= _WORDS
        return "text", (), f"{words:.0f} words in the median row", "" if sure else "identifier"
    kind, why, otherwise = _of_names(frame, name, text, distinct)
    kinds = ("identifier", "category" if exceptions.str.match("[<>≤≥~]").all() else "")  # <0.01, >200
    if kind in kinds and len(exceptions) <= _ODD * len(values) and not _ID.intersection(words_of(name)[-1:]):
        return "text of numbers", (), f"plain numbers and such as {exceptions.iloc[0]!r}", ""
    return kind, (), why, otherwise


def _units(values: pd.Series) -> list[str] | None:
    """Return the units of values that nearly all are numbers as people write them; None if they are not."""
    quantities = values[~values.str.fullmatch(_WRITTEN)].map(written)
    units = sorted({one[1] for one in quantities.dropna() if one[1]})
    return units if quantities.isna().sum() <= (1 - NEARLY) * len(values) and len(units) <= _UNITS else None


def _words(text: str) -> float:
    """Return the number of words, 0 if most lack letters; of a script without blanks, two signs make one."""
    lettered = [any(map(str.isalpha, word)) for word in text.split()]
    return max(len(lettered) * (2 * sum(lettered) > len(lettered)), sum(sign > "\u2e80" for sign in text) / 2)


def words_of(name: str) -> list[str]:
    """Return the words of a name: customerId and CUSTOMER_ID are customer, id."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [word.rstrip("0123456789") or word for word in re.findall(r"[^\W_]+|#", parted.lower())]


def _of_names(frame: pd.DataFrame, name: str, present: pd.Series, distinct: int) -> tuple[str, str, str]:
    """Return the kind of whole numbers or text that may name things: number or category if they do not."""
    rows, words = len(present), words_of(name)
    text = not pd.api.types.is_numeric_dtype(present)
    plain = "category" if text and not present.str.fullmatch(r"\d+").all() else "number"
    named = bool(words) and words[-1] in _ID
    person, listed, thing = (
        bool(words) and not vocabulary.isdisjoint(words[-2:] if named else words[-1:])
        for vocabulary in (_PERSON, _LIST, _THING)
    )
    measured = not named and not _MEASURE.isdisjoint(words)
    often = rows / distinct
    times = f"{distinct:,} values, {often:.1f} rows each"
    if distinct >= NEARLY * rows:
        kind, why, otherwise = _of_single(present, rows, named or person or listed, plain)
        return (kind, "", "") if measured and kind == "number" else (kind, why, otherwise)
    if plain == "number" and measured:
        return "number", "", ""
    if listed and distinct >= _FEWEST and often >= 2:
        even = present.value_counts().var() < often / 2
        lists = ("group", "entity") if even or words[-1] == "qid" else ("entity", "group")
        return lists[0], f"{times}; by its name lists to be ranked", lists[1]
    if person and distinct >= _FEWEST:
        alike = _alike(frame, name, present)
        unknown = not named and len(words) > 1
        if plain == "number" and unknown and not (alike or _far_apart(present)):
            return "number", f"{times}, which are no more alike than neighbours", "entity"
        how = "which are alike" if alike else "no more alike than others: by its name alone"
        return "entity", f"{times}, {how}", "" if alike else "number" if plain == "number" else "category"
    width = present.astype(str).str.len()
    far = text or (width.nunique() == 1 and width.iloc[0] >= 3) or _far_apart(present)
    weak = words[-1:] == ["code"] and words[-2:-1] and words[-2] not in _THING
    if thing and not is_identifier(present) and (far or not weak):
        return "category", f"{times}, codes by its name", "number" if plain == "number" else ""
    if named and distinct > MANY_VALUES and (far or not weak):
        return "entity", f"{times}, identifiers by its name", "identifier"
    if distinct <= MANY_VALUES or (plain == "category" and is_identifier(present)):
        return ("identifier" if is_identifier(present) else plain), "", ""
    if far and _id_like(present) and _alike(frame, name, present):
        reason = f"{times}, which are alike in other columns"
        return ("entity", reason, plain) if text else (plain, reason, "entity")
    return plain, "", "category" if far and plain == "number" and _far_apart(present) else ""


def _of_single(present: pd.Series, rows: int, named: bool, plain: str) -> tuple[str, str, str]:
    """Return the kind of a column of which nearly every row has another value."""
    if rows <= MANY_VALUES:
        return ("identifier" if named else plain), "", ""
    if named or plain == "category":
        return "identifier", "", ""
    numbers = present.astype(np.float64)
    counted = np.ptp(numbers) < 1.1 * rows
    steps = np.diff(numbers)
    if counted or (steps >= 0).all() or (steps <= 0).all():
        return "identifier", "it counts the rows" if counted else "it grows with the rows", ""
    width = present.astype(str).str.len()
    if width.nunique() == 1 and width.iloc[0] >= 5:
        return "identifier", "each row has its own, of as many digits", "number"
    return "number", *(("each row has its own", "identifier") if present.is_unique else ("", ""))


def _far_apart(present: pd.Series) -> bool:
    """Return whether numbers come back though neighbouring numbers are rare, as codes do.

    Numbers that people round are no codes: these end in one digit most often.
    """
    counts = present.astype(np.int64).value_counts().sort_index()
    same = float((counts * (counts - 1)).sum())
    near = counts.to_numpy()[1:] * counts.to_numpy()[:-1] * (np.diff(counts.index) == 1)
    ends = pd.Series(counts.index % 10).value_counts(normalize=True).iloc[0]
    return same > 2 * FEW and same > _FAR * max(2.0 * near.sum(), 1.0) and ends < 0.3


def _id_like(present: pd.Series) -> bool:
    """Return whether most values are written alike: as many signs, a digit among them."""
    values = pd.Series(present.astype(str).unique())
    width = values.str.len()
    return bool(
        (width == width.mode()[0]).mean() >= NEARLY / 2 and values.str.contains(r"\d").mean() >= NEARLY
    )


def _alike(frame: pd.DataFrame, name: str, present: pd.Series) -> bool:
    """Return whether rows of a value resemble each other more than rows of neighbouring values do.

    In some column they must be nearer, by a share `_ALIKE` of the distance of any two rows, and by more than
    five standard errors over the values.
    """
    rng = np.random.default_rng(0x0A11CE)  # made data often have the seed 0
    value = pd.factorize(present, sort=True)[0]
    order = np.lexsort((rng.random(len(value)), value))
    value = value[order]
    start = np.searchsorted(value, np.arange(value[-1] + 2))
    again = np.flatnonzero(value[1:] == value[:-1])
    again = again[value[again] < value[-1]]
    if len(np.unique(value[again])) < _FEWEST:
        return False
    beyond = start[value[again] + 1]
    rows, any_row = frame.loc[present.index[order]], rng.permutation(len(value))[: len(again)]
    for other in frame.columns.drop(name):
        ranks = _ranks(rows[other], value[-1] + 1)
        if ranks is None:
            continue
        by, is_text = ranks
        same, near, usual = (np.abs(by[again] - by[rows_too]) for rows_too in (again + 1, beyond, any_row))
        if is_text:
            same, near, usual = (distance > 0 for distance in (same, near, usual))
        gain = pd.Series(near.astype(float) - same).groupby(value[again]).mean()
        mean, error = gain.mean(), gain.std() / np.sqrt(len(gain))
        if mean > _ALIKE * usual.mean() and mean > 5 * error:
            return True
    return False


def _ranks(values: pd.Series, most: int) -> tuple[Ints, bool] | None:
    """Return the ranks of a column, and whether only their being the same counts; None of one of no use.

    Text of nearly as many as `most` values names what is to be judged once more.
    """
    if pd.api.types.is_numeric_dtype(values):
        return values.rank(method="dense").fillna(0).to_numpy(np.int64), False
    try:
        codes = pd.factorize(values)[0]
    except TypeError:
        return None
    return (codes, True) if codes.max() < 0.9 * most - 1 else None
