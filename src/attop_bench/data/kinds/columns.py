"""Columns of a table: names, text, missing values, labels, days and queries."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attop.extending import Floats, Ints, did_you_mean
from attop_bench.data.base import DatasetError
from attop_bench.data.cells import PLAIN_NUMBER, is_date, no_plain_numbers, plain_number
from attop_bench.data.preparation import columns_of, has_fixed_features

if TYPE_CHECKING:
    import pandas as pd

    from attop_bench.data.formats import Table

#: One-hot columns of a feature that are refused unless a ceiling is set.
MANY_VALUES = 50
#: Share of the values that must look like dates.
_MOSTLY = 0.95
#: Days that data may span, some 270 years, and the largest number of a day: seconds, and dates written as one
#: number, are beyond one of them.
_LONGEST, _LARGEST = 100_000, 10_000_000
#: The offset from Greenwich at the end of a time.
_OFFSET = re.compile(r"[T ].*(Z|[-+]\d{2}(:?\d{2})?)$", re.IGNORECASE)
_COMPARISON = re.compile(rf"\s*(>=|<=|>|<)\s*({PLAIN_NUMBER})\s*")


def column_of(frame: pd.DataFrame, wanted: str | int, where: str) -> str:
    """Return the name of a column given by its name or number."""
    if (name := " ".join(str(wanted).split())) in frame.columns:
        return name  # blanks around a name are easily overlooked
    number = wanted if isinstance(wanted, int) and not isinstance(wanted, bool) else 0
    if 1 <= abs(number) <= frame.shape[1]:
        return frame.columns[number - 1 if number > 0 else number]
    raise DatasetError(f"{where}: no column {wanted!r}; {did_you_mean(wanted, frame.columns)}")


def require_present(column: pd.Series, where: str) -> pd.Series:
    """Return a column; refuse one with missing values."""
    if column.isna().any():
        raise DatasetError(f"{where}: {_missing(column)}: fill them in or drop these rows")
    return column


def as_identifiers(text: pd.Series, where: str) -> pd.Series:
    """Return identifiers: integers if all are written canonically, so that 01 stays another than 1."""
    text = require_present(text, where)
    return text.astype(np.int64) if text.str.fullmatch(r"0|-?[1-9]\d{0,17}").all() else text


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


def positive_labels(table: Table, name: str, positive: object) -> NDArray[np.bool_]:
    """Return which rows are positive: of a value, of one of a list, or by a comparison such as ``">= 1"``."""
    comparison = comparison_with(table, name, positive)
    y = is_positive(table, name, positive)
    if not y.any():
        values = ", ".join(map(str, table.values(name).unique().tolist()[:5]))
        wanted = f"{name} {positive}" if comparison else f"{name} = {positive!r}"
        raise DatasetError(f"{table.where}: no row has {wanted}; values are {values}: set positive to one")
    return y


def is_positive(table: Table, name: str, positive: object) -> NDArray[np.bool_]:
    """Return which rows are positive, as `positive_labels`, also if none is."""
    import pandas as pd

    comparison = comparison_with(table, name, positive)
    if comparison is None:
        any_of, text = positive if isinstance(positive, list) else [positive], table.text(name)
        rows = np.logical_or.reduce([_equals(text, value) for value in any_of])
        if not rows.any() and pd.api.types.is_numeric_dtype(column := table.values(name)):  # 100 of 100%
            rows = column.isin([plain_number(value) for value in any_of]).to_numpy()
        return rows
    column = table.values(name)
    if not pd.api.types.is_numeric_dtype(column):  # text, or numbers that may be names: 01 beside 1
        column = pd.to_numeric(column.astype(object), errors="coerce")
    if (column.isna() & table.values(name).notna()).any():
        raise DatasetError(
            f"{table.where}: positive is the comparison {positive!r} but column {name!r} is not "
            "numeric: give the value that is positive"
        )
    value, (sign, limit) = column.to_numpy(np.float64), comparison
    return {">=": value >= limit, "<=": value <= limit, ">": value > limit, "<": value < limit}[sign]


def decided(table: Table, name: str, positive: object, negative: object) -> NDArray[np.bool_]:
    """Return the rows whose label is positive or negative; refuse one that is both, and if none is negative.

    Parameters
    ----------
    table
        The rows, as they are written.
    name
        The column of the labels.
    positive, negative
        A value, a list of values, or a comparison such as ``">= 1"``.
    """
    yes, no = is_positive(table, name, positive), is_positive(table, name, negative)
    both = table.text(name)[yes & no]
    if len(both):
        raise DatasetError(
            f"{table.where}: {name} = {both.iloc[0]!r} is both positive and negative: name it in one of them"
        )
    if not no.any():
        values = ", ".join(map(str, table.text(name).dropna().unique()[:5]))
        raise DatasetError(
            f"{table.where}: no row has {name} = {negative!r}; values are {values}: set negative to some"
        )
    return yes | no


def comparison_with(table: Table, name: str, positive: object) -> tuple[str, float] | None:
    """Return a comparison as `comparison_of`; None where it is a value of the column, such as ``<30``."""
    comparison = comparison_of(positive)
    return None if comparison and (table.text(name) == str(positive).strip()).any() else comparison


def downsampled(y: NDArray[np.bool_], share: float, where: str) -> Ints:
    """Return all negatives and as many positives, drawn at random, as make up `share` of these rows."""
    rows = np.flatnonzero(y)
    count = round(share / (1 - share) * (len(y) - len(rows)))
    if not 1 <= count <= len(rows):
        raise DatasetError(
            f"{where}: downsample_positives={share!r} needs {count} of the {len(rows)} positives, which are "
            f"{len(rows) / len(y):.3g} of the rows: give a share below that, of at least one positive"
        )
    drawn = np.random.default_rng(0).choice(rows, count, replace=False)
    return np.sort(np.concatenate([drawn, np.flatnonzero(~y)]))


def copies(X: pd.DataFrame, max_categories: int | None) -> Ints:
    """Return a number for each row of a table, the same for rows with the same values; see `alike`.

    Rows are counted in the order of their features, see `has_fixed_features`: their numbers, then the last
    value of a category first; else in the order of the columns. Splits are drawn by these numbers, so another
    order is another split.
    """
    kinds = columns_of(X)
    codes = {c: X[c].cat.codes.replace(-1, np.nan).astype(np.float64) for c in kinds.categories}
    codes |= {c: X[c].astype("category").cat.codes.astype(np.float64) for c in kinds.texts}
    if has_fixed_features(X, max_categories):
        codes = {c: -code for c, code in codes.items()}
        X = X[[*kinds.numbers, *kinds.categories]]
    return alike(X.assign(**codes).to_numpy(np.float64))


def alike(X: Floats) -> Ints:
    """Return a number for each row, the same for rows with the same values; all missing values are alike.

    It counts the different rows in their order, as `numpy.unique`, which is slow where rows are long.
    """
    X = np.where(np.isnan(X), np.inf, X)
    order = np.lexsort(X.T[::-1])
    other = (X[order[1:]] != X[order[:-1]]).any(axis=1)
    numbers = np.empty(len(X), np.int64)
    numbers[order] = np.concatenate([[0], np.cumsum(other)])
    return numbers


def comparison_of(positive: object) -> tuple[str, float] | None:
    """Return sign and limit of a comparison; None for a value."""
    match = _COMPARISON.fullmatch(positive) if isinstance(positive, str) else None
    return None if match is None else (match[1], float(match[2]))


def _equals(text: pd.Series, value: object) -> NDArray[np.bool_]:
    """Return the rows with a value: of text the same text; else, or where none is, the same number."""
    import pandas as pd

    row, distinct = pd.factorize(text)
    same = [v == str(value).strip() for v in distinct]
    if not any(same) or not isinstance(value, str):  # 1 stands for 1.0 and true
        number = plain_number(value)
        same = [
            alike or (number is not None and plain_number(v) == number)
            for alike, v in zip(same, distinct, strict=True)
        ]
    return np.array([*same, False])[row]


def is_dates(values: pd.Series) -> bool:
    """Return whether text is mostly dates: 2026-01-31, 31/01/2026 or 31-Jan-26, with or without a time."""
    distinct = values.dropna().astype(str).unique()
    dates = sum(is_date(v) for v in distinct)
    return len(distinct) > 0 and dates >= _MOSTLY * len(distinct)


def is_identifier(values: pd.Series) -> bool:
    """Return whether most values name one row or two, as order numbers and notes do."""
    return values.nunique() > max(MANY_VALUES, values.notna().sum() / 2)


def check_text(text: pd.DataFrame, where: str) -> None:
    """Refuse columns that are neither text nor plain numbers."""
    for name, values in text.items():
        other = next((v for v in values.dropna() if not isinstance(v, (str, Real))), None)
        if other is not None:
            raise DatasetError(
                f"{where}: column {name!r} holds neither text nor plain numbers, for example {other!r}: drop "
                "it, or encode it as numbers"
            )


def check_categories(text: pd.DataFrame, max_categories: int | None, where: str, own: Container[str]) -> None:
    """Refuse columns of which `one_hot` would make too many features; `own` are categories for sure."""
    for name, values in text.items():
        what = f"has {values.nunique():,} values in {len(values):,} rows"
        remedy = f"drop: [{name}] to params, or replace it by numbers; if it is one, categories: [{name}]"
        if name not in own and is_dates(values):
            what = f"holds dates, such as {values.dropna().iloc[0]!r}, and is no category"
        elif name not in own and is_identifier(values):
            what += ": it names things, and is no category"
        elif max_categories is None and values.nunique() > MANY_VALUES:
            remedy = f"max_categories: 20 to params, which pools the rare ones, or drop: [{name}]"
        else:
            continue
        many = f"one_hot would make {values.nunique():,} features of it"
        raise DatasetError(f"{where}: column {name!r} {what}; {many}: add {remedy}")


def to_numbers(text: pd.DataFrame, codes: Mapping[Any, float], where: str) -> pd.DataFrame:
    """Replace text by the numbers that `codes` has for it."""
    for name, values in text.items():
        if unknown := sorted(set(values.dropna().astype(str)) - set(map(str, codes))):
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
        return (*no_plain_numbers(present), *sorted(present, key=lambda v: -len(str(v))), None)[
            0
        ]  # or the longest number

    if each := "; ".join(f"column {c!r} is not numeric, for example {example(text[c])!r}" for c in text):
        raise DatasetError(
            f"{where}: {each}: set one_hot or codes, drop it, or encode it as numbers; attop look shows what "
            "there is"
        )


def day_numbers(column: pd.Series, where: str) -> Ints:
    """Return the day of each value: days since 1970-01-01, or a number of days rounded down.

    Takes dates, also as text such as ``2024-12-31`` or ``2024-12-31 23:59:00``, and numbers of days counted
    from any day; refuses all else. No value may be missing.
    """
    import pandas as pd

    where = f"{where}: column {column.name!r}"
    if pd.api.types.is_bool_dtype(column):
        raise DatasetError(f"{where} is true or false: name one of dates, or of days, as day")
    if pd.api.types.is_numeric_dtype(column):
        days = column.to_numpy(np.float64)
        if not np.isfinite(days).all():
            raise DatasetError(f"{where} has infinite values: remove these rows")
        start = f"{where} has numbers from {days.min():.15g} to {days.max():.15g}, which"
        remedy = "write dates as 2024-12-31"
        if np.ptp(days) > _LONGEST or np.abs(days).max() >= _LARGEST:
            raise DatasetError(f"{start} are not numbers of days: divide seconds by 86400, {remedy}")
        if looks := _no_days(np.unique(days)):
            raise DatasetError(f"{start} look like {looks}, not days: {remedy}, or count from the first day")
        return np.floor(days).astype(np.int64)
    try:
        offsets = column.map(lambda v: _OFFSET.search(v) if isinstance(v, str) else None)
        zones = offsets.map(lambda offset: offset[1] if offset else "")
        if zones.nunique() > 1 and (zones == "").any():
            raise ValueError("some times have an offset and others none")
        # The day where the clock is; of several clocks, that of Greenwich.
        dates = pd.to_datetime(column, format="ISO8601", utc=zones.nunique() > 1)
        return dates.dt.tz_localize(None).to_numpy().astype("datetime64[D]").astype(np.int64)
    except (ValueError, TypeError, AttributeError, OverflowError):
        raise DatasetError(
            f"{where} is not of dates, for example {column.iloc[0]!r}: write them as 2024-12-31 or "
            "2024-12-31 23:59:00, all with an offset or none, or give a number of days"
        ) from None


def _no_days(numbers: Floats) -> str:
    """Name what sorted numbers seem to be other than days; empty if they may be days."""
    low, high = numbers[0], numbers[-1]
    whole = bool((numbers % 1 == 0).all())
    month, end = numbers // 100 % 100, numbers % 100
    if whole and low >= 1900 and high <= 2100:
        return "years"
    if whole and low >= 190_001 and high <= 210_012 and ((end >= 1) & (end <= 12)).all():
        return "months written as YYYYMM"
    # Days of one month, counted or written so, are as far apart.
    dates = (month >= 1) & (month <= 12) & (end >= 1) & (end <= 31)
    if whole and low >= 10_101 and high <= 991_231 and dates.all() and low // 100 < high // 100:
        return "dates written as YYMMDD"
    if low >= 175_000 and high <= 700_000:  # 1990 to 2049; days are counted from 1900 or from the year 0
        return "hours since 1970"
    return ""


def query_level_norm(X: Floats, query: NDArray) -> Floats:
    """Scale each feature to [0, 1] within each query.

    A value becomes ``(x - min) / (max - min)`` over the rows of its query, 0 where these are equal. No label
    and no other query is looked at, so it may be done before the data are split.

    References
    ----------
    Liu, Xu, Qin, Xiong & Li (2007), LETOR: the "QueryLevelNorm" version of its files.
    """
    import pandas as pd

    of_query = pd.DataFrame(X).groupby(query)
    low = of_query.transform("min").to_numpy()
    span = of_query.transform("max").to_numpy() - low
    return np.divide(X - low, span, out=np.zeros_like(X), where=span > 0)


def parts_by_bounds(query: NDArray, bounds: Sequence[float], where: str = "data") -> Ints:
    """Return the part of each row, from 0, by the number of its query.

    `bounds` are the highest query of each part but the last, increasing.
    """
    try:
        limits = np.asarray(bounds, dtype=np.float64)
        numbers = query.astype(np.float64)
    except (TypeError, ValueError):
        raise DatasetError(f"{where}: bounds of parts and the column they are for must be numbers") from None
    if limits.ndim != 1 or (np.diff(limits) <= 0).any():
        raise DatasetError(f"{where}: bounds of parts must be increasing numbers, got {bounds!r}")
    return np.searchsorted(limits, numbers, side="left").astype(np.int64)
