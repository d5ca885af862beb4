"""Checks of columns before they are features: gaps, and text as categories, codes or names of rows."""

from __future__ import annotations

from collections.abc import Container, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from attop_bench.data.errors import DatasetError
from attop_bench.data.reading.cells import are_dates, no_plain_numbers

if TYPE_CHECKING:
    import pandas as pd

#: One-hot columns of a feature that are refused unless a ceiling is set.
MANY_VALUES = 50


def as_identifiers(text: pd.Series, where: str) -> pd.Series:
    """Convert identifiers to integers if all are written canonically, so that 01 is another than 1."""
    text = require_present(text, where)
    return (
        text.astype(np.int64)
        if text.str.fullmatch(r"0|-?[1-9]\d{0,17}").all()
        else text
    )


def is_identifier(distinct: int, rows: int) -> bool:
    """Decide whether most values name one row or two, as order numbers and notes do."""
    return distinct > max(MANY_VALUES, rows / 2)


def check_text(text: pd.DataFrame, where: str) -> None:
    """Refuse columns that are neither text nor plain numbers."""
    for name, values in text.items():
        objects = values.dropna() if values.dtype == object else ()
        other = next((v for v in objects if not isinstance(v, (str, Real))), None)
        if other is not None:
            raise DatasetError(
                f"{where}: column {name!r} holds neither text nor plain numbers, for example {other!r}: drop "
                "it, or encode it as numbers"
            )


def check_categories(
    words: Mapping[str, pd.Series],
    max_categories: int | None,
    where: str,
    own: Container[str],
) -> None:
    """Refuse columns of which `one_hot` would make too many features; `own` are categories for sure."""
    for name, values in words.items():
        distinct = len(values.cat.categories)
        what = f"has {distinct:,} values in {len(values):,} rows"
        remedy = f"drop: [{name}] to params, or replace it by numbers; if it is one, categories: [{name}]"
        if name not in own and are_dates(values.cat.categories.astype(str)):
            what = f"holds dates, such as {values.dropna().iloc[0]!r}, and is no category"
        elif name not in own and is_identifier(distinct, values.count()):
            what += ": it names things, and is no category"
        elif max_categories is None and distinct > MANY_VALUES:
            remedy = f"max_categories: 20 to params, which pools the rare ones, or drop: [{name}]"
        else:
            continue
        many = f"one_hot would make {distinct:,} features of it"
        raise DatasetError(f"{where}: column {name!r} {what}; {many}: add {remedy}")


def to_numbers(
    text: pd.DataFrame, codes: Mapping[Any, float], where: str
) -> pd.DataFrame:
    """Replace text by the numbers that `codes` has for it."""
    for name, values in text.items():
        if unknown := sorted(
            set(values.dropna().astype(str)) - set(map(str, codes))
        ):
            raise DatasetError(
                f"{where}: column {name!r} has the value {unknown[0]!r}, for which codes has no number; "
                f"it has {', '.join(map(str, codes))}: add it"
            )
    number = {str(value): code for value, code in codes.items()}
    return text.map(lambda v: number.get(str(v))).astype(float)


def refuse_text(text: pd.DataFrame, where: str) -> None:
    """Refuse columns of text, with an example of each."""

    def example(column: pd.Series) -> object:
        present = column.dropna()
        numbers = sorted(present, key=lambda v: -len(str(v)))
        return next(iter([*no_plain_numbers(present), *numbers]), None)

    if each := "; ".join(
        f"column {c!r} is not numeric, for example {example(text[c])!r}"
        for c in text
    ):
        raise DatasetError(
            f"{where}: {each}: set one_hot or codes, drop it, or encode it as numbers; attop look shows what "
            "there is"
        )


def require_present(column: pd.Series, where: str) -> pd.Series:
    """Refuse a column with missing values; any other is passed on."""
    if column.isna().any():
        raise DatasetError(
            f"{where}: {_missing(column)}: fill them in or drop these rows"
        )
    return column


def _missing(column: pd.Series) -> str:
    missing = column.isna()
    return (
        f"column {column.name!r} has {int(missing.sum())} missing values, the first in data row "
        f"{int(missing.argmax()) + 1}"
    )


def refuse_missing(features: pd.DataFrame, where: str) -> None:
    """Refuse missing values of features, with the lines of YAML that fill or drop them."""
    if lacking := [c for c in features if features[c].isna().any()]:
        raise DatasetError(
            f"{where}: {'; '.join(_missing(features[c]) for c in lacking)}. Add to params\n    impute: "
            "median\nwhich fills them by what is learnt from training items (numbers: the median; text: the "
            f"most frequent value), or leave these columns out:\n    drop: [{', '.join(lacking)}]"
        )
