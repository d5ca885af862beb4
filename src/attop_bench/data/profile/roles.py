"""The role of a column, by its values first and its name second, with the reason and the alternative."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from attop_bench.data.profile.readers import Values, role_of

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
        return self.kind in ("number", "yes/no", "category", "text") or bool(
            self.marks
        )


def describe(frame: pd.DataFrame, name: str, example: str) -> Column:
    """Describe a column of a table by its values, its name and the rows; `example` is one as written."""
    values = frame[name]
    present = values.dropna()
    distinct = present.nunique()
    role = role_of(Values(frame, name, present, distinct))
    return Column(
        name=name,
        missing=float(values.isna().mean()),
        distinct=distinct,
        example=example,
        text=not pd.api.types.is_numeric_dtype(values),
        **vars(role),
    )
