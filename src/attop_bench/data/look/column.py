"""What one column of a table is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from attop_bench.data.kinds.columns import MANY_VALUES, is_dates, is_identifier

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Column", "describe"]

#: Names of what names things, and of those that come back: customers, not orders.
_ID = re.compile(r"(?i:(^|[_ -])(id|ids|uuid|guid|key|number|nr|no|code)$)|(?<=[a-z])(Id|ID)$")
_ENTITY = re.compile(
    r"(.*[_ ])?(customer|client|user|card|account|patient|member|person|subject|device)"
    r"([_ ]?(id|no|nr|number|key|code|hash))?",
    re.IGNORECASE,
)
#: Fewer values than this say little about what a column is.
_FEW = 20
#: Share of rows that differ in a column of identifiers.
_NEARLY = 0.95
#: Values that are no numbers in a column of numbers: marks of what is missing.
_MARKS = 3
_WRITTEN = re.compile(r"[-+]?[€$£]?\s?\d{1,3}([., ]?\d{3})*([.,]\d+)?\s?[€$£%]?")
_COMMA = re.compile(r"[-+]?\d+,\d+")


@dataclass(frozen=True)
class Column:
    """A column and what to do with it.

    Attributes
    ----------
    name : str
    kind : str
        number, yes/no, category, date, identifier, entity, text of numbers, constant, empty or unusable.
    missing : float
        Share of the rows.
    distinct : int
    example : str
    text : bool
        Whether it holds anything but numbers.
    marks : tuple of str
        Values of a column that else holds numbers: they may stand for what is missing.
    comma : bool
        Whether it holds numbers with a comma before the decimals.
    """

    name: str
    kind: str
    missing: float
    distinct: int
    example: str
    text: bool = False
    marks: tuple[str, ...] = ()
    comma: bool = False

    @property
    def is_feature(self) -> bool:
        """Whether a learner can use it as it is, gaps filled and categories encoded."""
        return self.kind in ("number", "yes/no", "category") or bool(self.marks) or self.comma


def describe(values: pd.Series) -> Column:
    """Say what a cleaned column is (see `attop_bench.data.kinds.columns.cleaned`)."""
    import pandas as pd

    present = values.dropna()
    distinct = present.nunique()
    text = not pd.api.types.is_numeric_dtype(values)
    marks: tuple[str, ...] = ()
    comma = False
    if distinct == 0:
        kind = "empty"
    elif distinct == 1:
        kind = "constant"
    elif not text:
        kind = _number_kind(str(values.name), present, distinct)
    else:
        kind, marks, comma = _text_kind(str(values.name), present, distinct)
    example = str(present.iloc[0])[:24] if distinct else ""
    missing = float(values.isna().mean())
    return Column(str(values.name), kind, missing, distinct, example, text, marks, comma)


def _number_kind(name: str, present: pd.Series, distinct: int) -> str:
    numbers = present.astype(float)
    if np.isinf(numbers).any():
        return "unusable"
    if distinct == 2:
        return "yes/no"
    if (numbers % 1 != 0).any():
        return "number"
    return "identifier" if numbers.abs().max() >= 2**53 else _name_kind(name, present, distinct)


def _text_kind(name: str, present: pd.Series, distinct: int) -> tuple[str, tuple[str, ...], bool]:
    """Return the kind, marks of missing values among numbers, and whether these have a comma."""
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(present) or is_dates(present):
        return "date", (), False
    if not all(isinstance(value, (str, Real)) for value in present):
        return "unusable", (), False
    if distinct == 2:
        return "yes/no", (), False
    text = present.astype(str)
    values = pd.Series(text.unique())
    odd = values[pd.to_numeric(values, errors="coerce").isna()]
    if len(values) > _FEW and len(odd) <= _MARKS:
        return "text of numbers", tuple(odd), False
    if len(values) > _FEW and values.str.fullmatch(_WRITTEN).mean() >= _NEARLY:
        return "text of numbers", (), bool(values.str.fullmatch(_COMMA).mean() >= _NEARLY)
    kind = _name_kind(name, text, distinct)
    if kind == "number":
        kind = "identifier" if is_identifier(text) else "category"
    return kind, (), False


def _name_kind(name: str, present: pd.Series, distinct: int) -> str:
    """Return identifier, entity, or number if neither."""
    rows = len(present)
    if distinct > MANY_VALUES and _ENTITY.fullmatch(name) and distinct < _NEARLY * rows:
        return "entity"
    named = _ID.search(name) is not None and distinct > MANY_VALUES
    return "identifier" if named or (distinct == rows > MANY_VALUES) else "number"
