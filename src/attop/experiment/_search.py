"""Candidates drawn from distributions of parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from scipy import stats
from sklearn.model_selection import ParameterSampler

#: Draws for each candidate that is wanted, at most: the rest of a space that is used up comes up rarely.
_MOST_DRAWS = 50


class Distribution(Protocol):
    """A distribution of a parameter, as scikit-learn's searches take it."""

    def rvs(self, *, random_state: Any = None) -> object:
        """Draw a value."""


class Choice:
    """Each of some values with the same probability."""

    def __init__(self, values: Sequence[object]):
        self.values = values

    def rvs(self, *, random_state: Any = None) -> object:
        """Draw one of the values."""
        return self.values[int(random_state.randint(len(self.values)))]


class LogInteger:
    """Whole numbers from `low` to `high`, the last one out, evenly on the scale of logarithms."""

    def __init__(self, low: int, high: int):
        self.low, self.high = low, high

    def rvs(self, *, random_state: Any = None) -> int:
        """Draw a whole number."""
        number = int(
            np.exp(random_state.uniform(np.log(self.low), np.log(self.high)))
        )
        return min(
            max(number, self.low), self.high - 1
        )  # rounding may leave the range


#: Names of distributions, and what each takes.
DISTRIBUTIONS: Mapping[str, str] = {
    "uniform": "[low, high]: numbers between the two",
    "loguniform": "[low, high], above 0: the same on the scale of logarithms",
    "randint": "[low, high]: whole numbers, high itself left out",
    "lograndint": "[low, high], from 1: the same on the scale of logarithms",
    "choice": "values, each with the same probability",
}


def read_distribution(entry: object) -> Distribution:
    """Make the distribution that a mapping such as ``{"loguniform": [0.01, 1]}`` names.

    A ValueError where it names none of `DISTRIBUTIONS`, or its bounds are none.
    """
    if (
        not isinstance(entry, Mapping)
        or len(entry) != 1
        or not set(entry) <= set(DISTRIBUTIONS)
    ):
        raise ValueError(
            f"a distribution is one of {', '.join(DISTRIBUTIONS)} with its values, such as "
            f"{{loguniform: [0.01, 1]}}, got {entry!r}"
        )
    ((name, values),) = entry.items()
    if not isinstance(values, Sequence) or isinstance(values, str) or not values:
        raise ValueError(f"{name} takes {DISTRIBUTIONS[name]}, got {values!r}")
    if name == "choice":
        return Choice(values)
    low, high = _bounds(name, values)
    if name == "uniform":
        return stats.uniform(low, high - low)
    if name == "loguniform":
        return stats.loguniform(low, high)
    return (
        stats.randint(low, high)
        if name == "randint"
        else LogInteger(int(low), int(high))
    )


def _bounds(name: str, values: Sequence[Any]) -> tuple[float, float]:
    """Check the bounds of a distribution of numbers."""
    kind = int if name.endswith("randint") else (int, float)
    are_numbers = all(
        isinstance(v, kind) and not isinstance(v, bool) and np.isfinite(v)
        for v in values
    )
    least = {"loguniform": 0.0, "lograndint": 1.0}.get(name, -np.inf)
    if (
        len(values) != 2
        or not are_numbers
        or not least <= values[0] < values[1]
        or values[0] == 0.0 == least
    ):
        raise ValueError(
            f"{name} takes {DISTRIBUTIONS[name]}, got {list(values)!r}"
        )
    return values[0], values[1]


def has_distributions(grid: Mapping[str, object]) -> bool:
    """Test whether a value of a grid is a distribution."""
    return any(hasattr(values, "rvs") for values in grid.values())


def check_n_candidates(n_candidates: int) -> None:
    """Refuse a number of candidates below 1."""
    if n_candidates < 1:
        raise ValueError(f"n_candidates must be at least 1, got {n_candidates!r}")


def draw_candidates(
    space: Mapping[str, Any], n_candidates: int, seed: int, *, fewer: bool = False
) -> list[dict[str, object]]:
    """Draw different candidates from a space: the first N of N + 50 are those of N.

    Parameters
    ----------
    space : mapping of str to distribution or sequence
        At least one distribution among them, see `DISTRIBUTIONS`.
    n_candidates : int, at least 1
    seed : int
    fewer : bool
        Whether fewer will do, where the space has no more.

    Raises
    ------
    ValueError
        If the space has fewer different candidates.
    """
    check_n_candidates(n_candidates)
    space = {
        name: values if hasattr(values, "rvs") else Choice(values)
        for name, values in space.items()
    }
    candidates: list[dict[str, object]] = []
    for drawn in ParameterSampler(
        space, _MOST_DRAWS * n_candidates, random_state=seed
    ):
        candidate = {name: _plain(value) for name, value in drawn.items()}
        if candidate not in candidates:
            candidates.append(candidate)
        if len(candidates) == n_candidates:
            return candidates
    if fewer:
        return candidates
    raise ValueError(
        f"n_candidates is {n_candidates}, but {', '.join(space)} gave {len(candidates)} different ones in "
        f"{_MOST_DRAWS * n_candidates:,} draws: lower it, or give wider distributions"
    )


def _plain(value: object) -> object:
    """Convert a number of NumPy to one of Python, which a record can hold."""
    return value.item() if isinstance(value, np.generic) else value
