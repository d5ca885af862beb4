"""The scale of a certified gap: what is gained over w = 0, the model that ranks nothing."""

from __future__ import annotations

import math

__all__ = ["NOTHING", "relative_gap"]

#: Where no more than this share of ``J(0)`` can be gained, ``w = 0`` is the optimum up to rounding.
NOTHING = 1e-12


def relative_gap(start: float, objective: float, lower: float) -> float:
    """Return the share of the gain over ``w = 0`` that a model may lack.

    The objective itself is no measure: with strong regularisation ``J(0)`` exceeds the optimum by a small
    part of its size, and a model that gives all items one score would pass for solved.

    Parameters
    ----------
    start : float
        ``J(0)``.
    objective : float
        ``J(w)`` of a model, at most ``J(0)``.
    lower : float
        A lower bound of the optimum; -inf where there is none yet.

    Returns
    -------
    gap : float
        ``(J(w) - lower) / (J(0) - lower)``, in [0, 1]: of ``J(0) - min J``, at most this share is not gained
        at w. It is 1 at ``w = 0``, unless this is the optimum: 0 then, and wherever no more than
        ``1e-12 |J(0)|`` can be gained.
    """
    if lower == -math.inf:
        return 1.0
    gain = start - lower
    if gain <= NOTHING * abs(start):
        return 0.0
    return max(objective - lower, 0.0) / gain
