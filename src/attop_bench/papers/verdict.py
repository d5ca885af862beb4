"""A number of ours against a printed one."""

from __future__ import annotations

import math
from typing import Literal

__all__ = ["ABOVE", "BELOW", "LEVEL", "NOT_COMPARABLE", "verdict"]

Verdict = Literal["above", "below", "level", "not comparable"]

ABOVE: Verdict = "above"
BELOW: Verdict = "below"
LEVEL: Verdict = "level"
NOT_COMPARABLE: Verdict = "not comparable"


def verdict(
    ours: float, spread: float, printed: float, printed_spread: float = math.nan
) -> tuple[Verdict, str]:
    """Return the verdict on a mean, and why.

    Parameters
    ----------
    ours, spread : float
        Mean and standard deviation over the runs.
    printed, printed_spread : float
        The paper's. NaN where it prints none.

    Returns
    -------
    verdict : str
        ``"level"`` if the two means differ by no more than the smaller standard deviation, or than the only
        one there is; else ``"above"`` or ``"below"``, of ours; ``"not comparable"`` if a mean is missing
        or there is no spread. A spread of 0, as of a few runs with equal values, is none.
    why : str
        Reason why they cannot be compared, or what the comparison leaned on; may be empty.

    Examples
    --------
    >>> verdict(0.94, 0.02, 0.89, 0.04)
    ('above', '')
    >>> verdict(0.94, 0.06, 0.89, 0.05)
    ('level', '')
    """
    if math.isnan(printed):
        return NOT_COMPARABLE, "the paper prints no number"
    if math.isnan(ours):
        return NOT_COMPARABLE, "no number of ours"
    spreads = [s for s in (spread, printed_spread) if s > 0]
    if not spreads:
        return NOT_COMPARABLE, "neither number has a spread"
    why = ""
    if not printed_spread > 0:
        why = "the paper prints no spread: ours alone decides"
    elif not spread > 0:
        why = "ours has no spread: the paper's alone decides"
    # Printed numbers are rounded: a difference of exactly one spread is not to hang on the last bit.
    if abs(ours - printed) <= min(spreads) + 1e-12:
        return LEVEL, why
    return (ABOVE if ours > printed else BELOW), why
