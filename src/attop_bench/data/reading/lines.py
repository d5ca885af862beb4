"""Rows below a header, and lines that are none: blank, drawn, units, the header again, sums, remarks.

A line is passed over without a question only where it cannot be a row. What may be one is a suspect that is
not certain: it is kept, and asked about.
"""

from __future__ import annotations

import re
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attop.extending import Ints
from attop_bench.data.errors import DatasetError
from attop_bench.data.ledger import Aside, Ledger, shown
from attop_bench.data.reading.cells import (
    GAPS,
    UNKNOWN,
    array_of,
    as_floats,
    count_decimals,
    is_number,
    number_of,
    numbers_of,
    plain_floats,
)
from attop_bench.data.reading.header import header_of

if TYPE_CHECKING:
    import pandas as pd

ABOVE = "above the table"
COMMENT = "of comments"
BLANK = "without any value"
DRAWN = "without any value but a drawn line"
AGAIN = "with the header again"
ANOTHER = "with names of the header, as where another table begins"
UNITS = "below the header, such as units"
END = "at the end, such as a sum or a remark"
SUBTOTAL = "whose numbers are the sum or mean of rows above"
OTHERS = "with words in columns of numbers, as where another table begins"
GIVEN = "named in pass_over"

#: Lines at the end of a table that are passed over without a question; rows that show what a column holds.
_HANDFUL, _SAMPLE = 5, 50
#: Fewest rows above a sum with a word for it, and without one.
_FEWEST, _ENOUGH = 3, 5
#: Evidence of a sum that has a word for it or leaves fields empty, and of one that is filled as a row is.
_TOLD, _TOLD_WELL = 2, 4
#: A sum that is so many times as large as any row's value is no row's.
_LARGE = 3
#: Rows of a column with a word for a sum, beyond which it is a category; of another table, that are sought.
_MOST_SUBTOTALS, _MOST_OTHERS = 200, 1000
#: Signs of drawn lines, and where lines of two directions meet; Markdown has colons.
_STROKES, _JOINTS = "-=_\u2500\u2501\u2550", "+|:\u253c\u2502\u251c\u2524 "
_OF_SIGNS = rf"[{re.escape(_STROKES + _JOINTS)}]*"
_LEAST_STROKES = 3
_PLAIN = re.compile(r"[-+\d.,eE]*")
_NONE = GAPS | UNKNOWN
_SUM_WORDS = (
    "total,grand total,grandtotal,sub total,subtotal,sum,summe,gesamtsumme,gesamt,ergebnis,gesamtergebnis,"
    "somme,suma,totale,итого,合计,总计,razem,celkem,toplam,összesen,yhteensä,totaal,totalt,mean,average,avg,"
    "durchschnitt,mittelwert,moyenne,media,promedio"
)
_CASES: tuple[Callable[[str], str], ...] = (
    str.lower,
    str.upper,
    str.title,
    str.capitalize,
)
_SUMS = frozenset(
    case(word) + end
    for word, case, end in product(_SUM_WORDS.split(","), _CASES, ("", ":"))
)
#: A group's sum has its name, too: North Total, Summe Nord.
_OF_GROUP = r"(?i)^\s*({0})\s|\s({0}):?\s*$".format(
    "|".join(_SUM_WORDS.replace(" ", r"\s").split(","))
)


@dataclass(frozen=True)
class Suspect:
    """A line that is, or may be, no row."""

    #: Its number in the file, from 1, and its content.
    line: int
    content: str
    rule: str
    #: It cannot be a row.
    certain: bool


def asides(suspects: Iterable[Suspect]) -> Iterator[Aside]:
    """Yield the lines of each rule, with the first of them, and the first that holds anything."""
    by_rule: dict[str, list[Suspect]] = {}
    for suspect in suspects:
        by_rule.setdefault(suspect.rule, []).append(suspect)
    for rule, lines in by_rule.items():
        content = next(filter(None, (line.content for line in lines)), "")
        yield Aside(rule, len(lines), lines[0].line, content)


@dataclass(frozen=True)
class Lined:
    """Rows of text and their numbers among the lines of the file."""

    frame: pd.DataFrame
    lines: Ints
    #: Of the lines before the first row.
    passed: tuple[Aside, ...]
    comments: Sequence[Suspect]

    def without(self, rows: Ints) -> Lined:
        """Drop some rows, by their places."""
        if not len(rows):
            return self
        places = np.delete(np.arange(len(self.frame)), rows)
        return replace(
            self,
            frame=self.frame.iloc[places].reset_index(drop=True),
            lines=self.lines[places],
        )


def named_rows(
    text: Lined,
    first: list[str],
    names: Any,
    pass_over: Sequence[int] | None,
    where: str,
) -> pd.DataFrame:
    """Give rows the names of their columns; `first` is the header, if there is one."""
    header = header_of(first, names, text.frame.shape[1], where)
    read = len(text.frame)
    blank = _blank_rows(text.frame)
    begin = int(text.lines[0]) if read else 0
    comments = [line for line in text.comments if line.line >= begin]
    are_comments = np.isin(text.lines[blank], [line.line for line in comments])
    empty = [
        Suspect(int(line), "", BLANK, True)
        for line in text.lines[blank[~are_comments]]
    ]
    text = text.without(blank)
    shown_names = first or None
    if first:
        frame, header, shown_names = _under(header, first, text, where)
        text = replace(text, frame=frame)
    suspects = _suspects_of(text.frame, shown_names, text.lines)
    if pass_over is None:
        aside = [suspect for suspect in suspects if suspect.certain]
    else:
        aside = _given(pass_over, text, where)
    out = np.flatnonzero(np.isin(text.lines, [suspect.line for suspect in aside]))
    rest = text.without(out)
    passed = (*text.passed, *asides([*comments, *empty, *aside]))
    before = sum(entry.rows for entry in text.passed)
    doubts = (
        []
        if pass_over is not None
        else [suspect for suspect in suspects if not suspect.certain]
    )
    frame = rest.frame
    frame.columns = header
    frame.attrs["ledger"] = Ledger(
        before + read, len(frame), passed, doubtful=tuple(asides(doubts))
    )
    frame.attrs["suspects"] = suspects
    frame.attrs["lines"] = rest.lines
    return frame


def _given(pass_over: Sequence[int], text: Lined, where: str) -> list[Suspect]:
    """Find the lines that are named as not being rows; refuse lines that do not exist."""
    places = {int(line): row for row, line in enumerate(text.lines)}
    if other := [line for line in pass_over if line not in places]:
        held = f"from {text.lines[0]:,} to {text.lines[-1]:,}" if places else "none"
        raise DatasetError(
            f"{where}: pass_over: no row begins in line {other[0]:,}; there are {held}"
        )
    return [
        Suspect(line, shown(text.frame.iloc[places[line]]), GIVEN, True)
        for line in sorted(set(pass_over))
    ]


def _under(
    header: list[str], first: list[str], text: Lined, where: str
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Fit rows to a header of a field more or less: separators at the end, R's names of rows.

    Returns the rows, the names of their columns, and the same as they are in the file.
    """
    frame = text.frame

    def nothing(j: int) -> bool:
        return bool(frame[j].str.strip().eq("").all())

    width = frame.shape[1]
    named = [j for j, name in enumerate(header) if name.strip()]
    # Names for all fields: a blank one beside them is of none.
    if len(named) == width < len(header):
        header, first = [header[j] for j in named], [first[j] for j in named]
    if len(header) == width - 1 and _has_names_of_rows(frame):
        header, first = ["", *header], ["", *first]
    if not all(nothing(j) for j in range(len(header), width)):
        raise _more_fields(text, header, where)
    frame = frame.reindex(columns=range(len(header)), fill_value="")
    places = [j for j, name in enumerate(header) if name.strip() or not nothing(j)]
    names = [_name_of(header, j) for j in places]
    return frame[places], names, [first[j] for j in places]


def _name_of(header: Sequence[str], place: int) -> str:
    return header[place] if header[place].strip() else f"Unnamed: {place}"


def _more_fields(text: Lined, header: Sequence[str], where: str) -> DatasetError:
    """Say in which rows there are more fields than names."""
    frame, n_names = text.frame, len(header)
    more = frame[frame[range(n_names, frame.shape[1])].ne("").any(axis=1)]
    remedy = "attop look finds how it is written"
    if 2 * len(more) < len(frame) or 2 * more.iloc[0].isin(header).sum() > n_names:
        remedy = "of two tables in one file keep one"
    line = text.lines[more.index[0]]
    return DatasetError(
        f"{where}: {n_names} names in the header, but more fields in {len(more):,} of {len(frame):,} "
        f"rows, first in line {line:,}, {', '.join(more.iloc[0])[:80]}: put a field that holds "
        'the separator in double quotes, quotes in it as "", not \\", name all in the header, or set '
        f"header to false if it is a row; {remedy}"
    )


def _has_names_of_rows(frame: pd.DataFrame) -> bool:
    """Decide whether the first column may hold R's names of rows, and the last is filled.

    Each name comes once, and none is a decimal number.
    """
    if not frame[frame.shape[1] - 1].str.strip().ne("").all():
        return False
    names = frame[0]
    return bool(
        names.is_unique and not names.str.fullmatch(r"\s*-?\d+[.,]\d+\s*").any()
    )


def _blank_rows(frame: pd.DataFrame) -> Ints:
    """Find the places of rows without any value."""
    return _rows_where(frame, lambda column, j: column == "")


def _suspects_of(
    frame: pd.DataFrame, header: Sequence[str] | None, lines: Ints
) -> list[Suspect]:
    """Find the lines that are not rows, or may not be, in their order.

    `frame` has text alone and no blank rows; `header` has the names of its columns, if there are any, and
    `lines` the number of each row among the lines of the file.
    """
    verdicts = _verdicts(frame.set_axis(range(frame.shape[1]), axis=1), header)
    return [
        Suspect(int(lines[row]), shown(frame.iloc[row]), rule, certain)
        for row, (rule, certain) in sorted(verdicts.items())
    ]


def _verdicts(
    frame: pd.DataFrame, header: Sequence[str] | None
) -> dict[int, tuple[str, bool]]:
    """Map the place of each suspect to its rule, and to whether it is certain."""
    # Nothing beside it says what a value is.
    if frame.shape[1] < 2 or len(frame) < 2:
        return {}
    drawn = {
        int(row)
        for row in _rows_where(frame, _of_signs)
        if is_drawn(list(frame.iloc[row]))
    }
    verdicts = dict.fromkeys(drawn, (DRAWN, False))
    if header is not None:
        verdicts |= _headers_again(frame, header)
        verdicts |= dict.fromkeys(_units(frame, verdicts), (UNITS, True))
    verdicts |= dict.fromkeys(_other_table(frame, verdicts), (OTHERS, False))
    verdicts |= dict.fromkeys(_subtotals(frame, verdicts), (SUBTOTAL, False))
    end = list(_end(frame, verdicts))
    few = len(end) <= _HANDFUL
    for row, rule, certain in end:
        verdicts[row] = (rule, certain and few)
    amid = {row for row in drawn if row > 0 and verdicts[row] == (DRAWN, False)}
    if 0 in drawn:
        verdicts[0] = (DRAWN, not amid)
    # Are these rows, too?
    if amid or any(_has_strokes_of_rows(frame, row, drawn) for row in drawn):
        verdicts |= dict.fromkeys(drawn, (DRAWN, False))
    return verdicts


def _headers_again(
    frame: pd.DataFrame, header: Sequence[str]
) -> dict[int, tuple[str, bool]]:
    """Find the rows that have the names of the header once more, or most of them, as where a table begins.

    They cannot be rows where a name is in a column of numbers; else only those with all names are named.
    """
    again = _rows_where(frame, lambda column, j: column == header[j].strip())
    verdicts = dict.fromkeys(map(int, again), (AGAIN, False))
    names = {j: name for j, name in enumerate(header) if name.strip() not in _NONE}
    most = len(names) // 2
    rows = {*verdicts}
    # Most names in their places have one of these.
    for j in list(names)[: most + 1]:
        rows |= {*np.flatnonzero(frame[j] == names[j]).tolist()}
    if not rows:
        return verdicts
    cells = frame.iloc[sorted(rows)].apply(lambda column: column.str.strip())
    named = cells.isin({name.strip() for name in names.values()})
    named = named[named.sum(axis=1) > most]
    if not len(named):
        return verdicts
    others = frame.drop(index=named.index)
    numeric = [j for j in frame if _all_numbers(others[j])]
    is_word = named[numeric] & ~cells.loc[named.index, numeric].map(is_number)
    for row in named.index[is_word.any(axis=1)]:
        verdicts[row] = (AGAIN if row in verdicts else ANOTHER, True)
    return verdicts


def _rows_where(
    frame: pd.DataFrame, test: Callable[[pd.Series, int], pd.Series]
) -> Ints:
    """Find the places of rows that pass a test in every column."""
    rows = np.arange(len(frame))
    for j in range(frame.shape[1]):
        if not len(rows):
            break
        passes = test(frame.iloc[rows, j].str.strip(), j)
        rows = rows[np.asarray(passes, bool)]
    return rows


def _of_signs(column: pd.Series, j: int) -> pd.Series:
    return column.str.fullmatch(_OF_SIGNS)


def is_drawn(row: Sequence[str]) -> bool:
    """Decide whether a row is a drawn line: strokes of one kind in every field, three or more in one."""
    fields = [field.strip() for field in row]
    while fields and not fields[-1]:
        fields.pop()
    while fields and not fields[0]:
        fields.pop(0)
    strokes = [
        "".join(sign for sign in field if sign not in _JOINTS) for field in fields
    ]
    kinds = set("".join(strokes))
    if len(kinds) != 1 or not kinds <= set(_STROKES) or not all(strokes):
        return False
    return max(map(len, strokes)) >= _LEAST_STROKES


def _has_strokes_of_rows(
    frame: pd.DataFrame, row: int, drawn: Collection[int]
) -> bool:
    """Decide whether strokes of a drawn line are a value of other rows, such as a result of a test."""
    others = frame.drop(index=frame.index[list(drawn)])
    values = {j: value.strip() for j, value in enumerate(frame.iloc[row])}
    return any(
        value and _comes_back(value, others[j]) for j, value in values.items()
    )


def _units(frame: pd.DataFrame, suspects: Mapping[int, object]) -> list[int]:
    """Find the places of the first one or two rows if they say what the numbers below are.

    They have words, two or more, or nothing where all rows below have numbers, and none of their words comes
    back.
    """
    rows = [row for row in range(min(len(frame), 4)) if row not in suspects][:2]
    units: list[int] = []
    for row in rows:
        below = frame.iloc[rows[-1] + 1 :]
        if len(below) < 2 or not _says_units(
            [value.strip() for value in frame.iloc[row]], below
        ):
            break
        units.append(row)
    return units


def _says_units(row: Sequence[str], below: pd.DataFrame) -> bool:
    words: list[int] = []
    others: list[int] = []
    for j, value in enumerate(row):
        if value in _NONE:
            continue
        is_numeric = _looks_numeric(below[j])
        if is_numeric and is_number(value):
            return False
        (words if is_numeric else others).append(j)
    if len(words) < 2 or not all(_all_numbers(below[j]) for j in words):
        return False
    return not any(_comes_back(row[j], below[j]) for j in others)


def _other_table(frame: pd.DataFrame, suspects: Mapping[int, object]) -> list[int]:
    """Find the places of the last rows, from one with words in all columns of numbers on, if each has one.

    The first rows tell which columns, two or more, are of numbers.
    """
    rows = (row for row in range(len(frame)) if row not in suspects)
    above = frame.iloc[list(islice(rows, _HANDFUL))]
    numeric = [j for j in frame if _looks_numeric(above[j])]
    first = max(next(rows, len(frame)), len(frame) - _MOST_OTHERS)
    tail = frame.iloc[first:][numeric]
    start = len(tail)
    for place in range(len(tail) - 1, -1, -1):
        of_words = _parts(tail, place)[1]
        if not of_words:
            break
        if len(of_words) == len(numeric):
            start = place
    if len(numeric) < 2 or len(tail) - start < _FEWEST:
        return []
    return [row for row in range(first + start, len(frame)) if row not in suspects]


def _subtotals(frame: pd.DataFrame, suspects: Mapping[int, object]) -> list[int]:
    """Find the places of rows that a word of a sum and their numbers show to be sums of those above."""
    named = np.zeros(len(frame), bool)
    for j in frame:
        if j == 0 or not _looks_numeric(frame[j]):
            named |= _names_sums(frame[j])
    totals: dict[int, np.ndarray] = {}
    subtotals: list[int] = []
    start = 0
    places = np.flatnonzero(named)
    for row in map(int, places):
        numbers, _ = _parts(frame, row)
        if row in suspects or not numbers:
            continue
        if not _may_be_sum(
            frame, start, row, min(numbers), numbers[min(numbers)], totals
        ):
            continue
        above = [i for i in range(start, row) if i not in suspects]
        if len(above) >= _FEWEST and _evidence(frame.iloc[above], numbers):
            subtotals.append(row)
            start = row + 1
    return subtotals


def _names_sums(column: pd.Series) -> NDArray[np.bool_]:
    """Mark the values that are a word for a sum, alone or at an end of a name, unless they are many."""
    from pyarrow import array
    from pyarrow.compute import is_in, match_substring_regex, unique

    values = array(column)
    distinct = unique(values)
    named = np.zeros(len(column), bool)
    for is_word in (
        is_in(distinct, array_of(_SUMS)),
        match_substring_regex(distinct, _OF_GROUP),
    ):
        words = distinct.filter(is_word)
        if not len(words):
            continue
        has_word = is_in(values, words).to_numpy(zero_copy_only=False)
        if has_word.sum() <= _MOST_SUBTOTALS:  # else it is a category
            named |= has_word
    return named


def _may_be_sum(
    frame: pd.DataFrame,
    start: int,
    row: int,
    j: int,
    value: str,
    totals: dict[int, np.ndarray],
) -> bool:
    """Decide whether a number is about the sum or mean of those of a column from `start` on, in no time.

    `totals` holds the running sums of columns that were asked for before.
    """
    if j not in totals:
        plain = np.nan_to_num(
            as_floats(frame[j].str.strip().str.replace(",", ".", regex=False))
        )
        totals[j] = np.concatenate([[0.0], np.cumsum(plain)])
    total, number = (
        totals[j][end] - totals[j][begin]
        for begin, end in ((start, row), (row, row + 1))
    )
    digits = count_decimals(value, ".")
    near = 10.0**-digits + 1e-6 * abs(total)
    return abs(total - number) <= near or (
        digits > 0 and abs(total / (row - start or 1) - number) <= near
    )


def _end(
    frame: pd.DataFrame, suspects: Mapping[int, tuple[str, bool]]
) -> Iterator[tuple[int, str, bool]]:
    """Yield the lines at the end that are no rows, the last first: place, rule, whether it is certain."""
    for row in range(len(frame) - 1, 0, -1):
        rule, certain = suspects.get(row, ("", False))
        if rule == OTHERS:
            continue
        if rule in (DRAWN, AGAIN):
            yield row, rule, certain or rule == DRAWN
            continue
        verdict = _ends(frame, row, suspects)
        if verdict is None:
            return
        yield row, END, verdict


def _ends(
    frame: pd.DataFrame, row: int, suspects: Mapping[int, object]
) -> bool | None:
    """Decide whether a last row is certain to be a sum or a remark; None if it is a row."""
    numbers, words = _parts(frame, row)
    named = _has_sum_word(words)
    alone = _stands_alone(frame, row)
    start = _first_of_block(frame, row) if named or alone else row
    above = _rows_above(frame, start, suspects)
    if not len(above) or any(
        _comes_back(words[j], above[j]) for j in reversed(words)
    ):
        return None
    if _is_remark(numbers, words, above, named) or (
        alone and _is_unlike(alone, above[0])
    ):
        return True
    has_holes = len(numbers) + len(words) < frame.shape[1]
    told = _evidence_of_sum(above, numbers, named) if numbers else 0
    return _is_sum(told, named, has_holes)


def _rows_above(
    frame: pd.DataFrame, start: int, suspects: Mapping[int, object]
) -> pd.DataFrame:
    """Select the rows above a place that are not suspects themselves."""
    above = frame.iloc[:start]
    if not suspects:
        return above
    return above.iloc[[i not in suspects for i in range(start)]]


def _is_sum(told: float, named: bool, has_holes: bool) -> bool | None:
    """Decide by the evidence whether a row is certain to be a sum; None if it is a row."""
    if told >= (_TOLD if named or has_holes else _TOLD_WELL):
        return True
    return False if told >= _TOLD or (named and has_holes) else None


def _is_remark(
    numbers: Mapping[int, str],
    words: Mapping[int, str],
    above: pd.DataFrame,
    named: bool,
) -> bool:
    """Decide whether a row begins with a word below numbers, and names a sum or has no number."""
    if numbers and not named:
        return False
    first = min((*numbers, *words), default=0)
    return first in words and _all_numbers(above[first])


def _first_of_block(frame: pd.DataFrame, row: int) -> int:
    """Find the place of the first of the remarks and named sums that end with a row: a mean below a sum."""
    first = row
    for above in range(row - 1, max(0, row - _SAMPLE), -1):
        if not (
            _stands_alone(frame, above) or _has_sum_word(_parts(frame, above)[1])
        ):
            break
        first = above
    return first


def _stands_alone(frame: pd.DataFrame, row: int) -> str:
    """Find the one value of a row, in its first field, if there is no other and it is no plain number."""
    values = [value.strip() for value in frame.iloc[row]]
    if len(values) < 3 or any(values[1:]) or _PLAIN.fullmatch(values[0]):
        return ""
    return values[0]


def _has_sum_word(words: Mapping[int, str]) -> bool:
    return any(word in _SUMS for word in words.values())


def _parts(frame: pd.DataFrame, row: int) -> tuple[dict[int, str], dict[int, str]]:
    """Split a row into its numbers and its words: column -> value."""
    values = {j: value.strip() for j, value in enumerate(frame.iloc[row])}
    present = {j: value for j, value in values.items() if value not in _NONE}
    numbers = {j: value for j, value in present.items() if is_number(value)}
    return numbers, {j: value for j, value in present.items() if j not in numbers}


def _evidence_of_sum(
    above: pd.DataFrame, numbers: Mapping[int, str], named: bool
) -> int:
    """Measure how unlikely it is by chance that all numbers of a row are sums or means of those above."""
    return (
        _evidence(above, numbers)
        if len(above) >= (_FEWEST if named else _ENOUGH)
        else 0
    )


def _evidence(above: pd.DataFrame, numbers: Mapping[int, str]) -> int:
    """Measure how unlikely a sum or mean of those above is by chance; 0 if a number is neither.

    A number tells nothing that a row above has too. Two others tell enough, or one that no row could have: a
    sum far larger than any, or a mean with more decimals than any.
    """
    evidence = 0
    for j, value in numbers.items():
        column = above[j].str.strip()
        told = _evidence_of(column[~column.isin(_NONE)], value)
        if told is None:
            return 0
        evidence += told
    return evidence


def _evidence_of(column: pd.Series, value: str) -> int | None:
    for decimal in ".,":
        read = numbers_of(column, decimal) if len(column) else None
        number = number_of(value, decimal)
        if read is None or number is None:
            continue
        values = read.to_numpy(np.float64)
        digits = count_decimals(value, decimal)
        rounding = 0.5 * 10.0**-digits
        told = int((values != number).all())
        if abs(values.sum() - number) <= rounding + 1e-9 * abs(number):
            is_large = (
                len(values) >= _ENOUGH
                and abs(number) > _LARGE * np.abs(values).max()
            )
            return told + int(told and is_large)
        if abs(values.mean() - number) <= (rounding if digits else 0) + 1e-9 * abs(
            number
        ):
            is_finer = digits > max(
                count_decimals(other, decimal) for other in column.unique()
            )
            return told + int(told and is_finer)
        if "," not in value:
            return None
    return None


def _looks_numeric(column: pd.Series) -> bool:
    """Decide whether the first values of a column are numbers."""
    # Most columns of numbers are plain ones.
    if len(column) and plain_floats(column.iloc[:_SAMPLE]) is not None:
        return True
    present = [
        value
        for value in map(str.strip, column.iloc[:_SAMPLE])
        if value not in _NONE
    ]
    return bool(present) and all(map(is_number, present))


def _all_numbers(column: pd.Series) -> bool:
    """Decide whether all values of a column are numbers."""
    if not _looks_numeric(column):
        return False
    rest = column.iloc[_SAMPLE:].str.strip()
    rest = rest[~rest.isin(_NONE)]
    return not len(rest) or any(
        numbers_of(rest, decimal) is not None for decimal in ".,"
    )


def _comes_back(value: str, column: pd.Series) -> bool:
    return bool((column.str.strip() == value).any())


def _is_unlike(value: str, column: pd.Series) -> bool:
    """Decide whether a value is written as none of a column is: in other kinds of signs, or their order."""
    return _form(value) not in {_form(other) for other in column.unique()}


def _form(value: str) -> str:
    letters = re.sub(r"[^\W\d_]+", "a", value.strip())
    return re.sub(r"\d+", "0", letters)
