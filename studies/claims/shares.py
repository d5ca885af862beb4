"""Shares of draws with their standard errors: the one record of every simulation's table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Share:
    """Frequency of an event in the draws of a cell, or the mean of a number.

    Attributes
    ----------
    table, case, what : str
        Simulation, its cell, and what is counted.
    draws : int
        Those that could tell; 0 for a number that is no mean of draws.
    value, standard_error : float
        In percent where something is counted; NaN where no draw could tell.
    promise : str
        "at most 5" or "at least 93"; empty if none is made.
    """

    table: str
    case: str
    what: str
    draws: int
    value: float
    standard_error: float
    promise: str

    @property
    def kept(self) -> bool:
        """True if the promise holds, but for two standard errors."""
        if not self.promise or math.isnan(self.value):
            return True
        words, limit = self.promise.rsplit(maxsplit=1)
        sign = 1 if words == "at most" else -1
        return sign * (self.value - float(limit)) <= 2 * self.standard_error


def share(table: str, case: str, what: str, happened: ArrayLike, promise: str = "") -> Share:
    """Count in percent; NaN is a draw that could not tell."""
    return mean(table, case, what, 100 * np.asarray(happened, dtype=float), promise)


def mean(table: str, case: str, what: str, numbers: ArrayLike, promise: str = "") -> Share:
    """Return the mean of the numbers that are not NaN."""
    told = np.asarray(numbers, dtype=float)
    told = told[~np.isnan(told)]
    if not len(told):
        return Share(table, case, what, 0, math.nan, math.nan, promise)
    error = float(told.std() / math.sqrt(len(told)))
    return Share(table, case, what, len(told), float(told.mean()), error, promise)


def number(table: str, case: str, what: str, value: float) -> Share:
    """Return a number that is computed, not counted."""
    return Share(table, case, what, 0, float(value), math.nan, "")


#: What a simulation counts in one of its cells: a cell, the number of draws, the seed.
Simulation = Callable[[Any, int, int], list[Share]]


def simulate(cells: Iterable[tuple[Simulation, Any]], draws: int, seed: int, n_jobs: int) -> list[Share]:
    """Count in all cells; each has random numbers of its own, so that `n_jobs` does not matter."""
    calls = (delayed(simulation)(cell, draws, seed) for simulation, cell in cells)
    return [one for found in Parallel(n_jobs=n_jobs)(calls) for one in found]


def as_table(shares: Iterable[Share]) -> pd.DataFrame:
    """Return one row a share, rounded to a digit beyond what the error tells."""
    names = [field.name for field in fields(Share)]
    rows = [{name: getattr(one, name) for name in names} for one in shares]
    table = pd.DataFrame(rows, columns=names)
    return table.assign(value=table["value"].round(2), standard_error=table["standard_error"].round(2))


def in_lines(shares: Sequence[Share]) -> str:
    """Return a block of lines for each table, a line for each share."""
    blocks = []
    for table in dict.fromkeys(one.table for one in shares):
        lines = [_in_words(one) for one in shares if one.table == table]
        blocks.append("\n".join([table, *lines]))
    return "\n\n".join(blocks)


def _in_words(one: Share) -> str:
    line = f"  {one.case:42} {one.what:34} {one.value:7.2f}"
    if one.draws:
        line += f" ({one.standard_error:.2f}) of {one.draws:,}"
    if one.promise:
        line += f", {one.promise}"
    return line if one.kept else line + ": not kept"
