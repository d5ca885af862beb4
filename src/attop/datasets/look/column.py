"""What one column of a table is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attop.datasets.features.text import MANY_VALUES, is_dates, is_identifier

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
        number, yes/no, category, date, identifier, entity, text of numbers, constant or empty.
    missing : float
        Share of the rows.
    distinct : int
    example : str
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
    marks: tuple[str, ...] = ()
    comma: bool = False

    @property
    def is_feature(self) -> bool:
        """Whether a learner can use it as it is, gaps filled and categories encoded."""
        return self.kind in ("number", "yes/no", "category") or bool(self.marks) or self.comma


def describe(values: pd.Series) -> Column:
    """Say what a cleaned column is (see `attop.datasets.kinds.raw_table.cleaned`)."""
    present = values.dropna()
    distinct = present.nunique()
    marks: tuple[str, ...] = ()
    comma = False
    if distinct == 0:
        kind = "empty"
    elif distinct == 1:
        kind = "constant"
    elif distinct == 2:
        kind = "yes/no"
    else:
        kind, marks, comma = _kind(str(values.name), present, distinct)
    example = str(present.iloc[0])[:24] if distinct else ""
    return Column(str(values.name), kind, float(values.isna().mean()), distinct, example, marks, comma)


def _kind(name: str, present: pd.Series, distinct: int) -> tuple[str, tuple[str, ...], bool]:
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(present) or _are_dates(present):
        return "date", (), False
    if pd.api.types.is_numeric_dtype(present):
        return (_name_kind(name, present, distinct) if _whole(present) else "number"), (), False
    text = present.astype(str)
    values = pd.Series(text.unique())
    odd = values[pd.to_numeric(values, errors="coerce").isna()]
    if len(values) > _FEW and len(odd) <= _MARKS:
        return "text of numbers", tuple(odd), False
    if len(values) > _FEW and values.str.fullmatch(_WRITTEN).mean() >= _NEARLY:
        return "text of numbers", (), bool(values.str.fullmatch(_COMMA).mean() >= _NEARLY)
    kind = _name_kind(name, text, distinct)
    return ("identifier" if is_identifier(text) else "category") if kind == "number" else kind, (), False


def _are_dates(present: pd.Series) -> bool:
    import pandas as pd

    return not pd.api.types.is_numeric_dtype(present) and is_dates(present)


def _whole(present: pd.Series) -> bool:
    """Whether all numbers are whole."""
    return bool((present.astype(float) % 1 == 0).all())


def _name_kind(name: str, present: pd.Series, distinct: int) -> str:
    """Return identifier, entity, or number if neither."""
    rows = len(present)
    if distinct > MANY_VALUES and _ENTITY.fullmatch(name) and distinct < _NEARLY * rows:
        return "entity"
    named = _ID.search(name) is not None and distinct > MANY_VALUES
    return "identifier" if named or (distinct == rows > MANY_VALUES) else "number"
