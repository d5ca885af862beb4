"""Outcomes of a label: which are positive, which negative, and which are not known yet."""

from __future__ import annotations

import re
from collections.abc import Collection

import pandas as pd

from attop_bench.data.profile.names import word_set

#: Most values of a label that are sorted into outcomes.
MOST = 20


def undecided(values: pd.Series) -> list[object]:
    """Find the values of a label that are no outcome yet, if two others are left.

    Of text they are words such as Open, Pending or Inconclusive; of numbers -1, -9, 9, 99 and the like, if
    they are below 0 where all others are not, or over twice the highest of the others.
    """
    distinct = list(values.dropna().unique())
    if not 3 <= len(distinct) <= MOST:
        return []
    if pd.api.types.is_numeric_dtype(values):
        none = [
            value
            for value in (min(distinct), max(distinct))
            if _is_apart(value, distinct)
        ]
    else:
        none = [
            value
            for value in distinct
            if _normal(value) in word_set("no outcome yet")
        ]
    return none if len(distinct) - len(none) >= 2 else []


def is_far(value: float, others: Collection[float]) -> bool:
    """Decide whether a number is below 0 where no other is, or over twice the highest of them."""
    return (
        value < 0 <= min(others, default=value)
        or value > 2 * max(others, default=value) > 0
    )


def _is_apart(value: float, distinct: list[float]) -> bool:
    """Decide whether a number is far from the grades 0, 1, ... and one of those that stand for nothing."""
    others = [other for other in distinct if other != value]
    return (
        is_far(value, others)
        and re.fullmatch("-1|-?9{1,3}", f"{value:.15g}") is not None
    )


def _normal(value: object) -> str:
    """Fold the capitals of a text, and write one blank for all signs other than letters."""
    return " ".join(re.findall(r"[^\W_]+", str(value).casefold()))
