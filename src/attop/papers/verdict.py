"""A number of ours against a printed one."""

from __future__ import annotations

import math
from typing import Literal

__all__ = ["BETTER", "NOT_COMPARABLE", "WITHIN", "WORSE", "verdict"]

Verdict = Literal["within both spreads", "better", "worse", "not comparable"]

WITHIN: Verdict = "within both spreads"
BETTER: Verdict = "better"
WORSE: Verdict = "worse"
NOT_COMPARABLE: Verdict = "not comparable"


def verdict(
    ours: float,
    spread: float,
    printed: float,
    printed_spread: float = math.nan,
    *,
    higher_is_better: bool = True,
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
        ``"within both spreads"`` if the two means differ by no more than either standard deviation (by no
        more than the only one there is); else ``"better"`` or ``"worse"``, of ours;
        ``"not comparable"`` if a mean or every spread is missing.
    why : str
        Reason why they cannot be compared, or what the comparison leaned on; may be empty.

    Examples
    --------
    >>> verdict(0.94, 0.02, 0.89, 0.04)
    ('better', '')
    >>> verdict(0.94, 0.06, 0.89, 0.05)
    ('within both spreads', '')
    """
    if math.isnan(printed):
        return NOT_COMPARABLE, "the paper prints no number"
    if math.isnan(ours):
        return NOT_COMPARABLE, "no number of ours"
    spreads = [s for s in (spread, printed_spread) if not math.isnan(s)]
    if not spreads:
        return NOT_COMPARABLE, "neither number has a spread"
    why = ""
    if math.isnan(printed_spread):
        why = "the paper prints no spread: ours alone decides"
    elif math.isnan(spread):
        why = "one run of ours has no spread: the paper's alone decides"
    # Printed numbers are rounded: a difference of exactly one spread is not to hang on the last bit.
    if abs(ours - printed) <= min(spreads) + 1e-12:
        return WITHIN, why
    return (BETTER if (ours > printed) == higher_is_better else WORSE), why
