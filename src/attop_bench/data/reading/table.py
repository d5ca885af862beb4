"""The rows of a file, and numbers, text and names of its columns."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from attop.extending import Ints
from attop_bench.data.errors import DatasetError
from attop_bench.data.ledger import Ledger
from attop_bench.data.reading.cells import (
    GAPS,
    as_floats,
    as_written,
    numbers_of,
    plain_floats,
    present,
)
from attop_bench.data.reading.lines import Suspect

if TYPE_CHECKING:
    import pandas as pd


#: Name of a column without one in pandas; to_csv writes row numbers as such a column.
UNNAMED = re.compile(r"Unnamed: \d+|")


@dataclass(frozen=True)
class Table:
    """Rows as their file has them."""

    #: Columns named by text; of a file without types all values are text.
    frame: pd.DataFrame
    #: Name of the file in messages.
    where: str
    has_types: bool = True
    #: missing, decimal: See `as_written`.
    missing: Any = None
    decimal: str = "."
    #: What the reader passed over; the lines that are, or may be, no rows; the line each row begins with.
    ledger: Ledger = field(default_factory=lambda: Ledger(0, 0))
    suspects: Sequence[Suspect] = ()
    lines: Ints | None = None
    #: What is not used of the file, in words.
    remarks: Sequence[str] = ()
    #: Columns whose values have an order by their type.
    ordered: Collection[str] = ()

    def values(self, name: str) -> pd.Series:
        """Read a column: numbers if all that are present are, else text without blanks around it.

        Missing values are NaN: blanks, or in a file without types one of its marks. Complex numbers, lists
        and mappings are refused.
        """
        import pandas as pd

        column, where = self.frame[name], f"{self.where}: column {name!r}"
        if pd.api.types.is_complex_dtype(column):
            raise DatasetError(
                f"{where} has complex numbers: drop it, or take real parts"
            )
        if pd.api.types.is_numeric_dtype(column) and not _has_long_integers(column):
            # Plain ones, of types that have NA.
            dtype = getattr(column.dtype, "numpy_dtype", column.dtype)
            if column.hasnans:
                dtype = np.float64
            return self._without_gaps(column.astype(dtype))
        numbers = self._plain(column)
        if numbers is not None:
            return numbers
        text = self._stripped(name)
        if not self._is_text(name):
            _refuse_nested(text, where)
            if not all(isinstance(value, str) for value in text.dropna()):
                return text
        numbers = numbers_of(text, self.decimal) if len(text) else None
        if numbers is None or numbers.dtype.kind == "b":
            return text if numbers is None else numbers
        return self._without_gaps(numbers)

    def text(self, name: str) -> pd.Series:
        """Read a column as text without blanks around it, NaN where nothing is left."""
        import pandas as pd

        if not pd.api.types.is_numeric_dtype(self.frame[name]):
            text = self._stripped(name)
            return (
                text
                if self._is_text(name)
                else text.map(_written, na_action="ignore")
            )
        values = self.values(name)
        distinct = values.dropna().drop_duplicates()
        return values.map(dict(zip(distinct, map(_written, distinct), strict=True)))

    def _plain(self, column: pd.Series) -> pd.Series | None:
        """Read a column of text if every cell is a plain number, and none stands for nothing."""
        are_told = self.has_types or self.decimal != "."
        if are_told or _numbers_among(self.words(str(column.name))):
            return None
        plain = plain_floats(column)
        return None if plain is None else as_written(column, plain)

    def numbers(self, name: str) -> pd.Series:
        """Read a column as numbers; refuse one that is not numbers, or cannot be a feature."""
        import pandas as pd

        values = self.values(name)
        numeric = pd.api.types.is_numeric_dtype(values)
        if (
            numbers := values if numeric else numbers_of(values, self.decimal)
        ) is None:
            plain = values.astype(str).str.replace(self.decimal, ".", regex=False)
            unreadable = values[np.isnan(as_floats(plain)) & values.notna()]
            example = ""
            if len(unreadable):
                example = f", got {unreadable.iloc[0]!r} in data row {unreadable.index[0] + 1}"
            raise DatasetError(
                f"{self.where}: column {name!r} must hold numbers{example}: correct it"
            )
        check_numbers(numbers, self.where)
        return numbers

    def words(self, name: str) -> frozenset[str]:
        """List the words that stand for a missing value in a column."""
        marks = self.missing
        if isinstance(marks, Mapping):
            marks = {str(key): words for key, words in marks.items()}.get(name)
        if marks is None:
            return frozenset([""]) if self.has_types else GAPS
        return frozenset() if marks is False else frozenset(["", *map(str, marks)])

    def _without_gaps(self, numbers: pd.Series) -> pd.Series:
        """Replace numbers that stand for a missing value by NaN: -999 stands for -999.0 too."""
        words = _numbers_among(self.words(str(numbers.name)))
        alike = numbers.isin(words) if len(words) else None
        return (
            numbers
            if alike is None or not alike.any()
            else numbers.mask(alike, np.nan)
        )

    def _is_text(self, name: str) -> bool:
        """Decide by the type of a column alone whether all its values are text or missing."""
        import pandas as pd

        if not self.has_types:
            return True
        dtype = self.frame[name].dtype
        return isinstance(dtype, pd.StringDtype) and dtype.na_value is np.nan

    def _stripped(self, name: str) -> pd.Series:
        """Strip a column of text of blanks around it; missing values are NaN."""
        column, words = self.frame[name], self.words(name)
        if not self._is_text(name):
            column = column.astype(object).map(
                lambda v: v.strip() if isinstance(v, str) else v
            )
            return column.mask(
                column.isna()
                | column.map(lambda v: isinstance(v, str) and v in words),
                np.nan,
            )
        return present(column, words)


@cache
def _numbers_among(words: frozenset[str]) -> tuple[float, ...]:
    """Select the numbers among words for a missing value."""
    import pandas as pd

    values = as_floats(pd.Series(sorted(words), dtype=object))
    return tuple(values[~np.isnan(values)])


def check_numbers(column: pd.Series, where: str) -> None:
    """Refuse numbers that features cannot hold."""
    values = column.to_numpy(np.float64)
    if np.isinf(values).any():
        raise DatasetError(
            f"{where}: column {column.name!r} has infinite values: remove these rows"
        )
    if column.dtype.kind in "iu" and np.abs(values).max() >= 2**53:
        raise DatasetError(
            f"{where}: column {column.name!r} has integers of 2**53 or more, which features cannot hold: "
            "drop it if it names things, else divide it"
        )


def _written(value: object) -> str:
    """Write a value as text; a whole number without decimals, as in a column without missing values."""
    return str(
        int(value)
        if isinstance(value, (float, np.floating)) and value.is_integer()
        else value
    )


def _has_long_integers(column: pd.Series) -> bool:
    """Decide whether a column with gaps has integers that a float64 cannot hold."""
    if column.dtype.kind not in "iu" or not column.hasnans:
        return False
    return bool(column.dropna().abs().max() >= 2**53)


def _refuse_nested(text: pd.Series, where: str) -> None:
    """Refuse a column of lists or mappings."""
    for value in text:
        if not isinstance(value, Hashable):
            raise DatasetError(
                f"{where} holds lists or mappings, such as {value!r}: drop it"
            )
