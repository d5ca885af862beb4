"""Numbers and gaps as people write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

#: Text that stands for a missing value in a file without types, as for pandas.
GAPS = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>"]
) | {"N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"}
#: Different numbers that may be names, and values that are looked at for more.
_FEW, _ENOUGH = 50, 1000
_TRUTH = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}
#: Minus signs, blanks and apostrophes beside those of a keyboard.
_SIGNS = str.maketrans(
    {"\u2212": "-", "\u2013": "-", "\xa0": " ", "\u202f": " ", "\u2009": " ", "\u2019": "'"}
)
_CURRENCY = r"[€$£¥₹]|EUR|USD|GBP|CHF|JPY|INR"
#: Digits in threes between marks, or in twos before the last three, as in India.
_GROUPED = r"[1-9]\d{0,2}(?:(?P<mark>[,' ])(?:\d{2,3}(?P=mark))*\d{3})"
_WRITTEN = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[-+]?)\s*(?P<before>{_CURRENCY})?\s*(?P<sign2>[-+]?)"
    rf"(?P<number>(?:{_GROUPED}|\d+)(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+)"
    rf"\s*(?P<after>%|{_CURRENCY}|(?<=\s)[^\W\d_]{{1,4}}[²³]?)?(?P<sign3>-?)\s*(?P<close>\))?"
)


def numbers_of(text: pd.Series, decimal: str = ".") -> pd.Series | None:
    """Return text as numbers, true as 1; None if it holds other text, or integers too long for a float.

    Besides plain numbers, all values may be written with U+2212, in parentheses for less than 0, with one
    currency, with % or another unit throughout, and with marks between thousands; 12.6% is 12.6.
    """
    import pandas as pd
    import pyarrow

    plain = text.str.translate(str.maketrans(",.", ".,")) if decimal == "," and text.dtype != bool else text
    try:
        values = pyarrow.array(plain, from_pandas=True).cast("float64").to_numpy(zero_copy_only=False)
    except (pyarrow.ArrowException, AttributeError):
        truth = text.map(_TRUTH)
        if truth.isna().equals(text.isna()):
            return truth.astype(float if truth.hasnans else bool)
        return _rewritten(plain)
    if text[np.abs(values) >= 2**53].astype(str).str.fullmatch(r"[-+]?\d+").any():
        exact = pd.to_numeric(text, errors="coerce")  # a float would change them
        return exact if exact.dtype.kind in "iu" else None
    known = values[~np.isnan(values)]
    words = text.dropna().unique() if len(pd.unique(known[:_ENOUGH])) <= _FEW else []
    if len(words) > len(pd.unique(known)) and any(re.fullmatch(r"0\d+", str(word)) for word in words):
        return None  # 01 and 1 are two names
    integers = (np.rint(values) == values).all() and np.abs(values).max(initial=0) < 2**53
    return pd.Series(values.astype(np.int64) if integers else values, text.index, name=text.name)


def _rewritten(text: pd.Series) -> pd.Series | None:
    """Return numbers of text with units, signs and thousands, in one way throughout; else None."""
    plain, units = {}, set()
    for value in text.dropna().unique():
        found = _WRITTEN.fullmatch(value.translate(_SIGNS)) if isinstance(value, str) else None
        if found is None or bool(found["open"]) != bool(found["close"]):
            return None
        signs = found["sign"] + found["sign2"] + found["sign3"]
        number = re.sub("[,' ]", "", found["number"])
        if len(signs) + bool(found["open"]) > 1 or (found["before"] and found["after"]):
            return None
        plain[value] = f"-{number}" if "-" in signs or found["open"] else number
        units.add(found["before"] or found["after"] or "")
    amounts = all(re.fullmatch(_CURRENCY, unit) for unit in units - {""})
    if not plain or len(units - {""}) > 1 or ("" in units and not amounts):
        return None
    return numbers_of(text.map(plain))
