"""Columns of text: what they look like, and as codes or as a 0/1 column for each value."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from attop_bench.data.base import DatasetError
from attop_bench.data.builder_parameters import listed

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "MANY_VALUES",
    "as_codes",
    "check_categories",
    "check_text",
    "is_dates",
    "is_identifier",
    "one_column_each",
    "refuse_text",
    "to_numbers",
]

#: One-hot columns of a feature that are refused unless a ceiling is set.
MANY_VALUES = 50
#: Share of the values that must look like dates.
_MOSTLY = 0.95
_DATE = re.compile(
    r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3(\d{4}|\d{2})|\d{1,2}[ -][A-Za-z]{3,9}[ -]\d{2,4})"
    r"([T ]\d{1,2}:\d{2}.*)?"
)


def is_dates(values: pd.Series) -> bool:
    """Whether text is mostly dates, such as 2026-01-31, 31/01/2026 or 31-Jan-26, with a time or without."""
    distinct = values.dropna().astype(str).unique()
    dates = sum(_DATE.fullmatch(v.strip()) is not None for v in distinct)
    return len(distinct) > 0 and dates >= _MOSTLY * len(distinct)


def is_identifier(values: pd.Series) -> bool:
    """Whether a column has so many values that most name one row or two: a number of an order, a note."""
    return values.nunique() > max(MANY_VALUES, values.notna().sum() / 2)


def check_text(features: pd.DataFrame, words: Sequence[str], where: str) -> None:
    """Refuse columns that are neither text nor plain numbers."""
    for name in words:
        given = features[name].dropna()
        other = next((v for v in given if not isinstance(v, (str, Real))), None)
        if other is not None:
            raise DatasetError(
                f"{where}: column {name!r} holds neither text nor plain numbers, for example {other!r}: drop "
                "it, or encode it as numbers"
            )


def check_categories(
    features: pd.DataFrame, words: Sequence[str], max_categories: int | None, where: str
) -> None:
    """Refuse columns that `one_hot` would make too many features of."""
    for name in words:
        values = features[name]
        size = f"{values.nunique():,} values in {len(values):,} rows"
        if is_dates(values):
            what = f"holds dates, such as {values.dropna().iloc[0]!r}, and is no category"
        elif is_identifier(values):
            what = f"has {size}: it names things, and is no category"
        elif max_categories is None and values.nunique() > MANY_VALUES:
            raise DatasetError(
                f"{where}: column {name!r} has {size}, and one_hot makes a feature of each: add "
                f"max_categories: 20 to params, which pools the rare ones, or drop: [{name}]"
            )
        else:
            continue
        raise DatasetError(
            f"{where}: column {name!r} {what}; one_hot would make {values.nunique():,} features of it: "
            f"add drop: [{name}] to params, or replace it by numbers"
        )


def to_numbers(
    features: pd.DataFrame, words: Sequence[str], codes: Mapping[str, float], where: str
) -> pd.DataFrame:
    """Return features with the numbers that `codes` has for the values of all text."""
    for name in words:
        unknown = sorted(set(features[name].dropna().astype(str)) - set(map(str, codes)))
        if unknown:
            raise DatasetError(
                f"{where}: column {name!r} has the value {unknown[0]!r}, for which codes has no number; "
                f"it has {', '.join(map(str, codes))}: add it"
            )
    listed(where, "codes", list(codes.values()), (int, float), "numbers, one a value")
    number = {str(value): code for value, code in codes.items()}
    return features.assign(**{c: features[c].map(lambda v: number.get(str(v))).astype(float) for c in words})


def one_column_each(features: pd.DataFrame, words: Sequence[str]) -> pd.DataFrame:
    """Return features with a 0/1 column for each value of each text, in sorted order, after the numbers."""
    import pandas as pd

    return pd.get_dummies(features, columns=list(words), prefix_sep="=", dtype=np.float64)


def as_codes(features: pd.DataFrame, words: Sequence[str]) -> tuple[pd.DataFrame, dict[int, tuple[str, ...]]]:
    """Return features with text replaced by numbers 0, 1, ... in sorted order, and what they stand for."""
    import pandas as pd

    categories = {}
    coded = {}
    for name in words:
        code, values = pd.factorize(features[name].map(str, na_action="ignore"), sort=True)
        coded[name] = np.where(code < 0, np.nan, code)
        categories[features.columns.get_loc(name)] = tuple(values)
    return features.assign(**coded), categories


def refuse_text(features: pd.DataFrame, words: Sequence[str], where: str) -> None:
    """Say of each column of text that it holds no numbers, and what to do."""
    import pandas as pd

    def example(column: pd.Series) -> Any:
        odd = column[pd.to_numeric(column, errors="coerce").isna()].dropna()
        return (*odd, *column.dropna(), None)[0]

    if words:
        each = "; ".join(f"column {c!r} is not numeric, for example {example(features[c])!r}" for c in words)
        raise DatasetError(
            f"{where}: {each}: set one_hot or codes, drop it, or encode it as numbers; attop look shows what "
            "there is"
        )
