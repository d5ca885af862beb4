"""Minimum detectable leads: after the runs from their error, before them from the rows at the top."""

from __future__ import annotations

import math

from scipy.special import stdtrit

from attop.experiment._interval import CONFIDENCE, Units

#: How often a lead is shown, if it is as large as said.
POWER = 0.8


def needed_lead(error: float, df: float, family: int) -> float:
    """Compute the minimum detectable lead, shown in 8 of 10 cases; NaN where the error is unknown.

    Parameters
    ----------
    error, df : float
        Standard error of a mean difference, and its degrees of freedom.
    family : int
        By how much p is multiplied.
    """
    return error * _reach(df, family) if error > 0 else math.nan


def least_lead(units: Units, runs: int, ratio: float) -> float:
    """Bound the minimum detectable lead before the runs: a share of the units, shown in 8 of 10 cases.

    It is the best case: every unit that differs, differs in favour of the best, and the nearest model is the
    only one in question. NaN where nothing is tested.

    Parameters
    ----------
    units : Units
        Of a test part.
    runs : int
    ratio : float
        Test items per training item.

    Notes
    -----
    The difference d of a unit is 0 or 1, so that a lead has the variance lead (1 - lead); it is to be c
    errors of Nadeau and Bengio above zero, which has a closed form.
    """
    if not units.hits or runs < 2:
        return math.nan
    c = _reach(runs - 1, 2) ** 2 * (1 / runs + ratio) / units.n
    return c / (1 + c)


def _reach(df: float, family: int) -> float:
    return float(stdtrit(df, 1 - (1 - CONFIDENCE) / family) + stdtrit(df, POWER))
