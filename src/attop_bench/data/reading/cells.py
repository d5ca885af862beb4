"""Cells of text as people write them: gaps, numbers, quantities with a unit, dates.

No other module decides it: each asks one of the functions below.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from attop.extending import Floats

if TYPE_CHECKING:
    import pandas as pd

#: Text that stands for a missing value in a file without types, as for pandas, databases and Excel.
GAPS = frozenset(
    [
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan"),
        *("1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None"),
        *("n/a", "nan", "null"),
        *(r"\N", "(null)", "[null]", "<null>", "NaT", "(blank)"),
        *("#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!"),
    ]
)
#: Text that stands for none of the values of a label, though it may be a value elsewhere.
UNKNOWN = frozenset(
    [
        *("?", "??", "-", "--", "---", ".", "..", "*"),
        *("n.a.", "N.A.", "nil", "unknown", "Unknown"),
    ]
)
#: Share of values, or of rows, that a rule must fit which is guessed.
FIT = 0.9
#: Share of the different values of text that must look like dates.
_MOSTLY = 0.95
#: Different numbers that may be names, and values that are looked at for more.
_FEW, _ENOUGH = 50, 1000
_TRUTH = dict.fromkeys(["True", "TRUE", "true"], True)
_TRUTH |= dict.fromkeys(["False", "FALSE", "false"], False)
#: Minus signs, blanks, apostrophes and marks of other scripts beside those of a keyboard.
_SIGNS = str.maketrans(
    "\u2212\u2013\u2014\xa0\u202f\u2009\u2019\u066b\u066c", "---   '.,"
)
_CURRENCY = (
    r"(?:[A-Z]{1,2})?[€$£¥₹₽₩₺₴₪฿₫]|EUR|USD|GBP|CHF|JPY|INR|CNY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|TRY|RUB"
    r"|KRW|SGD|HKD|NZD|Rs[.,]?|kr[.,]?|zł|Kč|Ft"
)
#: What a letter after a number multiplies it by.
_TIMES = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9}
#: Digits in threes between marks, or in twos before the last three, as in India.
_GROUPED = r"[1-9]\d{0,2}(?:(?P<mark>[,' ])(?:\d{2,3}(?P=mark))*\d{3})"
#: kg, °C, m², mg/dL, sq ft, 円; without a blank before it A of the seat 12A is none.
_UNIT = r"[%‰°]|(?:(?<=\s)|(?=[a-z]|[A-Z]{2}|[^\0-~]))[°µ]?[^\W\d_]{1,8}[²³.]?(?:[/ ][^\W\d_]{1,5}[²³]?)?"
_WRITTEN = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[-+]?)\s*(?P<before>{_CURRENCY})?\s*(?P<open2>\()?\s*(?P<sign2>[-+]?)"
    rf"(?P<number>(?:{_GROUPED}|\d+)(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+)(?P<whole>(?<=\.)-{{1,2}})?"
    rf"\s*(?P<times>[kKMB](?![^\W\d_]))?\s*(?P<after>{_CURRENCY}|{_UNIT})?(?P<sign3>-?)\s*(?P<close>\))?"
)
#: A number without a sign of its own, as YAML and comparisons have it.
PLAIN_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_IS_PLAIN = re.compile(PLAIN_NUMBER).fullmatch
#: A number that needs no reading of its unit, with a point or a comma before the decimals.
_USUAL = re.compile(r"[-+]?[€$£]?\s?\d{1,3}([., ]?\d{3})*([.,]\d+)?\s?[€$£%]?")
#: Latitude and longitude, blood pressures.
_PAIR = re.compile(r"\s*[-+]?\d+([.]\d+)?\s*[,;/]\s*[-+]?\d+([.]\d+)?\s*")
#: In any language: 12 Mar 2024, 12-Mar-24, 12. März 2024, 12MAR2024, Tuesday, March 12, 2024, Mar-24,
#: 03/2024, 2024年3月12日.
_WORD = r"[^\W\d_]{3,10}"
_MONTH = (
    r"(?i:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[^\W\d_]{0,7}"
)
_DATE = re.compile(
    r"(\d{4}([-/.] ?)\d{1,2}\2\d{1,2}|\d{1,2}([-/.] ?)\d{1,2}\3(\d{4}|\d{2})"
    rf"|({_WORD}[.,]* )?(\d{{1,2}}(\. ?|[ -]?)(de )?{_WORD}[.,]?[ -]?(de )?(\d{{4}}|\d{{2}})"
    rf"|{_WORD}\.? \d{{1,2}},? \d{{2,4}})|{_MONTH}[ -](\d{{4}}|\d{{2}})"
    rf"|(19|20)\d{{2}}[-/](0[1-9]|1[0-2]|W\d{{2}}|Q[1-4])|(0[1-9]|1[0-2])/(19|20)\d{{2}}"
    rf"|\d{{4}}[年년] ?\d{{1,2}}[月월]( ?\d{{1,2}}[日일])?|{_WORD} {_MONTH} \d{{1,2}} [\d:]{{5,8}} .*\d{{4}})"
    r"((T|[ ,:]{1,2}([a-zà]{1,3} )?)\d{1,2}[:.h]\d{2}.*)?"
)
#: A time of the day, or minutes and seconds.
_CLOCK = re.compile(
    r"(\d{1,3}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?(?:\s?([AaPp])\.?[Mm]\.?)?"
)


def numbers_of(text: pd.Series, decimal: str = ".") -> pd.Series | None:
    """Convert text to numbers, true to 1; None if it holds other text, or integers too long for a float.

    Besides plain numbers, all values may be written with U+2212, in parentheses for less than 0, with one
    currency, with % or another unit throughout, and with marks between thousands; 12.6% is 12.6.
    """
    import pyarrow

    plain = (
        text.str.translate(str.maketrans(",.", ".,"))
        if decimal == "," and text.dtype != bool
        else text
    )
    try:
        values = (
            pyarrow.array(plain, from_pandas=True)
            .cast("float64")
            .to_numpy(zero_copy_only=False)
        )
    except (pyarrow.ArrowException, AttributeError):
        words = _distinct(plain)
        if _TRUTH.keys() >= {*words}:
            truth = text.map(_TRUTH)
            return truth.astype(float if truth.hasnans else bool)
        return _rewritten(plain, words)
    return as_written(text, values)


def present(text: pd.Series, words: frozenset[str]) -> pd.Series:
    """Strip cells of text of blanks around them; NaN are those that are missing, or one of some words."""
    import pandas as pd
    import pyarrow
    from pyarrow.compute import any as is_any
    from pyarrow.compute import if_else, is_in, utf8_trim_whitespace

    of_text = pyarrow.large_string()
    cells = utf8_trim_whitespace(pyarrow.array(text, of_text, from_pandas=True))
    gaps = is_in(cells, array_of(words))
    if is_any(gaps).as_py():
        cells = if_else(gaps, pyarrow.scalar(None, of_text), cells)
    values = pd.array(cells, dtype=pd.StringDtype(na_value=np.nan))
    return pd.Series(values, text.index, name=text.name)


@cache
def array_of(words: frozenset[str]) -> Any:
    """Make an array of words, which columns are compared with."""
    import pyarrow

    return pyarrow.array(sorted(words), pyarrow.large_string())


def plain_floats(text: pd.Series) -> Floats | None:
    """Convert text to floats if every cell is a plain number, without blanks or a unit; else None."""
    import pyarrow

    try:
        values = pyarrow.array(text).cast("float64").to_numpy(zero_copy_only=False)
    except pyarrow.ArrowException:
        return None
    return values if np.isfinite(values).all() else None


def as_written(text: pd.Series, values: Floats) -> pd.Series | None:
    """Convert to numbers, integers as such; None if they are names, or integers too long for a float."""
    import pandas as pd

    missing = np.isnan(values)
    present_values = values[~missing] if missing.any() else values
    are_large = (
        max(present_values.max(initial=0), -present_values.min(initial=0)) >= 2**53
    )
    if are_large:
        large = np.abs(values) >= 2**53
        if text[large].astype(str).str.fullmatch(r"[-+]?\d+").any():
            # A float would change them.
            exact = pd.to_numeric(text, errors="coerce")
            return exact if exact.dtype.kind in "iu" else None
    if len(pd.unique(present_values[:_ENOUGH])) <= _FEW:
        words = _distinct(text)
        zeros = any(re.fullmatch(r"0\d+", str(word)) for word in words)
        if zeros and len(words) > len(pd.unique(present_values)):
            return None  # 01 and 1 are two names
    # The first tell of most.
    integers = not are_large and all(
        (np.rint(some) == some).all() for some in (values[:_ENOUGH], values)
    )
    numbers = values.astype(np.int64) if integers else values
    return pd.Series(numbers, text.index, name=text.name, copy=False)


def _distinct(text: pd.Series) -> Sequence[str]:
    """List the different values of text that are not missing."""
    import pandas as pd

    return pd.Series(text.unique(), dtype=text.dtype).dropna().array


def written(value: object) -> tuple[str, str] | None:
    """Parse text that a person reads as a number to a plain number and its unit; None for other text.

    A clock's 13:45 is 13.75 of the unit ``:``; that of 1:06:30 is ``::``, as 59:30 beside it is less.
    """
    if not isinstance(value, str):
        return None
    value = _in_ascii(value)
    if clock := _CLOCK.fullmatch(value):
        return _of_clock(clock)
    parts = _WRITTEN.fullmatch(value)
    if parts is None or (parts["before"] and parts["after"]):
        return None
    sign = _sign_of(parts)
    if sign is None:
        return None
    number = re.sub("[,' ]", "", parts["number"])
    if parts["times"]:
        number = repr(float(number) * _TIMES[parts["times"]])
    return sign + number, parts["before"] or parts["after"] or ""


def _sign_of(parts: re.Match[str]) -> str | None:
    """Find the sign of a number, a minus or brackets around it; None if it has several, or half a pair."""
    brackets = (parts["open"] or "") + (parts["open2"] or "")
    signs = parts["sign"] + parts["sign2"] + parts["sign3"]
    if len(brackets) != len(parts["close"] or "") or len(signs + brackets) > 1:
        return None
    return "-" if "-" in signs or brackets else ""


def _in_ascii(value: str) -> str:
    """Replace signs and digits of other scripts by those of ASCII."""
    if value.isascii():
        return value
    value = value.translate(_SIGNS)
    return "".join(str(unicodedata.decimal(sign, sign)) for sign in value)


def _of_clock(clock: re.Match[str]) -> tuple[str, str]:
    """Convert the time of a clock to hours, and name its unit."""
    hour = int(clock[1])
    if clock[4] is not None:
        hour = hour % 12 + 12 * (clock[4] in "pP")
    hours = hour + int(clock[2]) / 60 + float(clock[3] or 0) / 3600
    return repr(hours), "::" if clock[3] else ":"


def _rewritten(text: pd.Series, words: Sequence[str]) -> pd.Series | None:
    """Convert text with units, signs and thousands to numbers if all is written in one way; else None.

    `words` are its different values.
    """
    plain, units = {}, set()
    for value in words:
        if (number := written(value)) is None:
            return None
        plain[value], unit = number
        units.add(unit)
    amounts = all(re.fullmatch(_CURRENCY, unit) for unit in units - {""})
    if (
        len(units - {""}) > 1
        or ("" in units and not amounts)
        or all(a == b for a, b in plain.items())
    ):
        return None
    return numbers_of(text.map(plain))


def plain_number(value: object) -> int | float | None:
    """Convert a value to a number, integers exactly; None if it is not one."""
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if str(value).lower() in ("true", "false"):
        return int(str(value).lower() == "true")
    if isinstance(value, str) and re.fullmatch(PLAIN_NUMBER, value.strip()):
        return (
            int(value) if value.strip().lstrip("+-").isdecimal() else float(value)
        )
    return None


def as_floats(text: pd.Series) -> Floats:
    """Convert plain numbers to floats, NaN for all other text."""
    import pandas as pd

    return pd.to_numeric(text, errors="coerce").to_numpy(
        np.float64, na_value=np.nan
    )


def no_plain_numbers(values: pd.Series) -> pd.Series:
    """Select the values that are present and not plain numbers."""
    return values[np.isnan(as_floats(values)) & values.notna().to_numpy()]


def mostly_numbers(values: Sequence[str]) -> pd.Series | None:
    """Convert text to numbers, with a point or a comma before the decimals, if `FIT` of it is."""
    import pandas as pd

    text = pd.Series(values, dtype=object)
    text = text[text.str.contains(r"\d")] if len(text) > 1 else text
    if len(text) < FIT * len(values):
        return None
    read = (numbers_of(text, decimal) for decimal in ".,")
    return next((n for n in read if n is not None and n.dtype.kind != "b"), None)


def number_of(value: str, decimal: str) -> float | None:
    """Parse the number that a person reads in text, whatever its unit; None of other text."""
    plain = value if decimal == "." else value.translate(str.maketrans(",.", ".,"))
    parts = written(plain)
    return None if parts is None else float(parts[0])


def is_number(value: str) -> bool:
    """Decide whether a person reads a number, with a point or a comma before the decimals."""
    if _IS_PLAIN(value):  # as most are
        return True
    return number_of(value, ".") is not None or number_of(value, ",") is not None


def count_decimals(value: str, decimal: str) -> int:
    """Count the digits after the decimal point."""
    match = re.search(rf"{re.escape(decimal)}(\d+)", value)
    return len(match[1]) if match else 0


def is_pair(value: str) -> bool:
    """Decide whether text is two numbers."""
    return _PAIR.fullmatch(value) is not None


def units_of(values: pd.Series) -> tuple[set[str], int]:
    """Find the units of quantities, but for signs beside usual numbers, and how many values are none."""
    quantities = values[~values.str.fullmatch(_USUAL)].map(written)
    return {quantity[1] for quantity in quantities.dropna() if quantity[1]}, int(
        quantities.isna().sum()
    )


def is_date(text: str) -> bool:
    """Decide whether text is a date: 2026-01-31, 31/01/2026 or 31-Jan-26, with or without a time."""
    return _DATE.fullmatch(text.strip()) is not None


def are_dates(distinct: Iterable[str]) -> bool:
    """Decide whether different texts are dates, but for few."""
    dates = [is_date(text) for text in distinct]
    return 0 < _MOSTLY * len(dates) <= sum(dates)
