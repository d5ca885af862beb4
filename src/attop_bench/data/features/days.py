"""The day of each row, from a column of dates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from attop.core.typing import Ints
from attop_bench.data.base import DatasetError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["day_numbers"]

#: Days that data may span, some 270 years, and the largest number of a day: seconds, and dates written as one
#: number, are beyond one of them.
_LONGEST, _LARGEST = 100_000, 10_000_000


def day_numbers(column: pd.Series, where: str) -> Ints:
    """Return the number of the day of each value.

    Parameters
    ----------
    column : Series
        Without missing values: dates, with or without the time of day; text that begins with one, as in
        ``2024-12-31`` or ``2024-12-31 23:59:00``; or numbers of days, counted from any day.
    where : str
        What a message calls the file.

    Returns
    -------
    days : ndarray of shape (n,), int64
        Of dates, days since 1970-01-01; a number of days is rounded down.

    Raises
    ------
    DatasetError
        If it is anything else.
    """
    import pandas as pd

    name = column.name
    if pd.api.types.is_bool_dtype(column):
        raise DatasetError(
            f"{where}: column {name!r} is true or false: name one of dates, or of days, as day"
        )
    if pd.api.types.is_numeric_dtype(column):
        days = column.to_numpy(np.float64)
        if not np.isfinite(days).all():
            raise DatasetError(f"{where}: column {name!r} has infinite values: remove these rows")
        if np.ptp(days) > _LONGEST or np.abs(days).max() >= _LARGEST:
            raise DatasetError(
                f"{where}: column {name!r} has numbers from {days.min():.15g} to {days.max():.15g}, which "
                "are not numbers of days: divide seconds by 86400, write a date as 2024-12-31"
            )
        return np.floor(days).astype(np.int64)
    try:
        dates = pd.to_datetime(column, format="ISO8601")
        return dates.dt.tz_localize(None).to_numpy().astype("datetime64[D]").astype(np.int64)
    except (ValueError, TypeError, AttributeError, OverflowError):
        raise DatasetError(
            f"{where}: column {name!r} is not of dates, for example {column.iloc[0]!r}: write them as "
            "2024-12-31 or 2024-12-31 23:59:00, or give a number of days"
        ) from None
