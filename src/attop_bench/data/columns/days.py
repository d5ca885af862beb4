"""Days, as dates or as numbers of days."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from attop.extending import Floats, Ints
from attop_bench.data.errors import DatasetError

if TYPE_CHECKING:
    import pandas as pd


#: Days that data may span, some 270 years, and the largest number of a day: seconds, and dates written as one
#: number, are beyond one of them.
_LONGEST, _LARGEST = 100_000, 10_000_000
#: The offset from Greenwich at the end of a time.
_OFFSET = re.compile(r"[T ].*(Z|[-+]\d{2}(:?\d{2})?)$", re.IGNORECASE)


def day_numbers(column: pd.Series, where: str) -> Ints:
    """Convert values to days: days since 1970-01-01, or a number of days rounded down.

    Takes dates, also as text such as ``2024-12-31`` or ``2024-12-31 23:59:00``, and numbers of days counted
    from any day; refuses all else. No value may be missing.
    """
    import pandas as pd

    where = f"{where}: column {column.name!r}"
    if pd.api.types.is_bool_dtype(column):
        raise DatasetError(
            f"{where} is true or false: name one of dates, or of days, as day"
        )
    if pd.api.types.is_numeric_dtype(column):
        return _whole_days(column.to_numpy(np.float64), where)
    try:
        return _days_of_dates(column)
    except (ValueError, TypeError, AttributeError, OverflowError):
        raise DatasetError(
            f"{where} is not of dates, for example {column.iloc[0]!r}: write them as 2024-12-31 or "
            "2024-12-31 23:59:00, all with an offset or none, or give a number of days"
        ) from None


def _whole_days(days: Floats, where: str) -> Ints:
    """Round numbers of days down; refuse numbers that are none."""
    if not np.isfinite(days).all():
        raise DatasetError(f"{where} has infinite values: remove these rows")
    start = (
        f"{where} has numbers from {days.min():.15g} to {days.max():.15g}, which"
    )
    remedy = "write dates as 2024-12-31"
    if np.ptp(days) > _LONGEST or np.abs(days).max() >= _LARGEST:
        raise DatasetError(
            f"{start} are not numbers of days: divide seconds by 86400, {remedy}"
        )
    if looks := _no_days(np.unique(days)):
        raise DatasetError(
            f"{start} look like {looks}, not days: {remedy}, or count from the first day"
        )
    return np.floor(days).astype(np.int64)


def _days_of_dates(column: pd.Series) -> Ints:
    """Count the days from 1970-01-01 to each date: the day where the clock is; of several, of Greenwich."""
    import pandas as pd

    offsets = column.map(
        lambda v: _OFFSET.search(v) if isinstance(v, str) else None
    )
    zones = offsets.map(lambda offset: offset[1] if offset else "")
    is_mixed = zones.nunique() > 1
    if is_mixed and (zones == "").any():
        raise ValueError("some times have an offset and others none")
    dates = pd.to_datetime(column, format="ISO8601", utc=is_mixed).dt.tz_localize(
        None
    )
    return dates.to_numpy().astype("datetime64[D]").astype(np.int64)


def _no_days(numbers: Floats) -> str:
    """Name what sorted numbers seem to be other than days; empty if they may be days."""
    low, high = numbers[0], numbers[-1]
    month, end = numbers // 100 % 100, numbers % 100
    months = ((end >= 1) & (end <= 12)).all()
    dates = ((month >= 1) & (month <= 12) & (end >= 1) & (end <= 31)).all()
    forms = (
        ("years", 1900, 2100, True),
        ("months written as YYYYMM", 190_001, 210_012, months),
        # Days of one month, counted or written so, are as far apart.
        (
            "dates written as YYMMDD",
            10_101,
            991_231,
            dates and low // 100 < high // 100,
        ),
    )
    if (numbers % 1 == 0).all():
        for form, least, most, fits in forms:
            if least <= low and high <= most and fits:
                return form
    # 1990 to 2049; days are counted from 1900 or from the year 0.
    return "hours since 1970" if low >= 175_000 and high <= 700_000 else ""
