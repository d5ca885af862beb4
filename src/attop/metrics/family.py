"""Metrics that differ in one number, which is part of their name, such as ``"bedroc-20"``."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from attop.metrics.metric import Metric

__all__ = ["Family"]


@dataclass(frozen=True)
class Family:
    """Metrics made from a number.

    Attributes
    ----------
    pattern : str
        Their names, with ``{}`` in place of the number.
    parameter : str
        What the number is called.
    make : callable
        ``make(number)`` is the metric, its name written as in `pattern` with ``{number:.12g}``.
    range : str
        The numbers there may be, in words.
    allowed : callable
        Tells whether a number is one of them.
    """

    pattern: str
    parameter: str
    make: Callable[[float], Metric]
    range: str
    allowed: Callable[[float], bool]

    def at(self, number: float) -> Metric:
        """Return the metric of this number.

        Raises
        ------
        ValueError
            If it is out of range.
        """
        if not self.allowed(float(number)):
            raise ValueError(
                f"{self.parameter} must be {self.range}, got {number!r}, in {self.pattern.format(number)!r}"
            )
        return self.make(float(number))

    def read(self, name: str) -> Metric | None:
        """Return the metric of this name, or None if the name is none of the family's.

        Raises
        ------
        ValueError
            If its number is out of range.
        """
        before, after = map(re.escape, self.pattern.split("{}"))
        found = re.fullmatch(rf"{before}(\d+(?:\.\d+)?){after}", name)
        return None if found is None else self.at(float(found[1]))
