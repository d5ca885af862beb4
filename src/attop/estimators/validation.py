"""Parameters of estimators: one rule per name, since a name means the same everywhere."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

__all__ = ["check_parameters"]


class _Rule(NamedTuple):
    """A number of at least `low`, or a positive one."""

    low: float = -math.inf
    positive: bool = False
    integer: bool = False
    infinite: bool = False
    none: bool = False

    def admits(self, value: Any) -> bool:
        if value is None:
            return self.none
        if isinstance(value, bool) or not isinstance(value, Integral if self.integer else Real):
            return False
        number = float(value)
        in_range = number > 0 if self.positive else number >= self.low
        return in_range and (self.infinite or math.isfinite(number))

    def __str__(self) -> str:
        if self.integer:
            words = f"an integer of at least {self.low:g}"
        else:
            words = "a positive number" if self.positive else "a finite number"
        return words + (" or None" if self.none else "")


#: Where any finite number is admitted here, the range depends on the solver, which checks it.
_RULES: Mapping[str, _Rule] = {
    "C": _Rule(positive=True),
    "anchor": _Rule(0, none=True),
    "beta": _Rule(positive=True),
    "coef0": _Rule(),
    "cv": _Rule(2, integer=True),
    "eta": _Rule(positive=True),
    "lam": _Rule(),
    "margin": _Rule(infinite=True),
    "learning_rate": _Rule(positive=True),
    "radius": _Rule(positive=True, infinite=True),
    "tol": _Rule(),
    "width": _Rule(positive=True, none=True),
    "time_limit": _Rule(positive=True, none=True),
    "batch_groups": _Rule(1, integer=True, none=True),
    "batch_size": _Rule(2, integer=True),
    "degree": _Rule(1, integer=True),
    "epochs": _Rule(1, integer=True),
    "max_iter": _Rule(1, integer=True),
    "min_child_samples": _Rule(1, integer=True),
    "n_alphas": _Rule(2, integer=True),
    "n_classifiers": _Rule(1, integer=True),
    "n_estimators": _Rule(1, integer=True),
    "n_starts": _Rule(1, integer=True),
    "n_thresholds": _Rule(1, integer=True, none=True),
    "num_leaves": _Rule(2, integer=True),
}


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that are not numbers of the right kind and range, or hold several values.

    Parameters
    ----------
    parameters : mapping of str to object
        As of ``get_params``. Names without a rule are left to the estimator.

    Raises
    ------
    ValueError
        Naming the first wrong parameter, what it must be and what it is.
    """
    for name, value in parameters.items():
        if name in _RULES and not _RULES[name].admits(value):
            raise ValueError(f"{name} must be {_RULES[name]}, got {value!r}")
        if name != "top" and isinstance(value, (list, tuple, set, dict, np.ndarray)):
            raise ValueError(
                f"{name} must be one value, got {value!r}: to try several, use fit_many or GridSearchCV"
            )
