"""Ranges of parameters: one rule a name, as a name means the same in every solver and estimator."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import NamedTuple


class _Rule(NamedTuple):
    """Range of a parameter: a number of at least `low`, or a positive one."""

    low: float = -math.inf
    positive: bool = False
    integer: bool = False
    infinite: bool = False
    none: bool = False

    def admits(self, value: object) -> bool:
        if value is None:
            return self.none
        if isinstance(value, bool) or not isinstance(
            value, Integral if self.integer else Real
        ):
            return False
        number = float(value)
        in_range = number > 0 if self.positive else number >= self.low
        return in_range and (self.infinite or math.isfinite(number))

    def __str__(self) -> str:
        if self.integer:
            words = f"an integer of at least {self.low:g}"
        elif self.positive:
            words = "a positive number"
        else:
            words = "a finite number" + (
                f" of at least {self.low:g}" if self.low > -math.inf else ""
            )
        return words + (" or None" if self.none else "")


_RULES: Mapping[str, _Rule] = {
    "C": _Rule(positive=True),
    "bandwidth": _Rule(positive=True, none=True),
    "batch_groups": _Rule(1, integer=True, none=True),
    "batch_size": _Rule(2, integer=True),
    "batch_users": _Rule(1, integer=True, none=True),
    "beta": _Rule(positive=True),
    "cv": _Rule(2, integer=True),
    "epochs": _Rule(1, integer=True),
    "eta": _Rule(positive=True),
    "inner_folds": _Rule(2, integer=True),
    "k": _Rule(1, integer=True),
    "l2_to_base": _Rule(0, none=True),
    "lam": _Rule(0),
    "learning_rate": _Rule(positive=True),
    "length": _Rule(1, integer=True),
    "max_iter": _Rule(1, integer=True),
    "min_child_samples": _Rule(1, integer=True),
    "min_gain_se": _Rule(infinite=True),
    "n_alphas": _Rule(2, integer=True),
    "n_classifiers": _Rule(1, integer=True),
    "n_estimators": _Rule(1, integer=True),
    "n_factors": _Rule(1, integer=True),
    "n_folds": _Rule(2, integer=True),
    "n_orders": _Rule(1, integer=True),
    "n_thresholds": _Rule(1, integer=True, none=True),
    "num_leaves": _Rule(2, integer=True),
    "radius": _Rule(positive=True, infinite=True),
    "scale": _Rule(positive=True),
    "time_limit": _Rule(positive=True, none=True),
    "tol": _Rule(0),
    "window": _Rule(1, integer=True),
}


def check_number(name: str, value: object) -> None:
    """Refuse a number of the wrong kind or range; a name without a rule may have any value."""
    if name in _RULES and not _RULES[name].admits(value):
        raise ValueError(f"{name} must be {_RULES[name]}, got {value!r}")


def check_numbers(**parameters: object) -> None:
    """Refuse the first of some numbers that is out of range; see `check_number`."""
    for name, value in parameters.items():
        check_number(name, value)


def check_seed(value: object) -> None:
    """Refuse a `random_state` that is not a whole number of at least 0."""
    rule = _Rule(0, integer=True)
    if not rule.admits(value):
        raise ValueError(f"random_state must be {rule}, got {value!r}")


def check_share(name: str, value: object, *, ends: bool = False) -> None:
    """Refuse a value that is not between 0 and 1; 0 and 1 themselves pass only with `ends`."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not (0 < value < 1 or (ends and value in (0, 1))):  # type: ignore[operator]
        words = "from 0 to 1" if ends else "above 0 and below 1"
        raise ValueError(f"{name} must be a number {words}, got {value!r}")
