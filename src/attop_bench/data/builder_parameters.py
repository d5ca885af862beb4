"""Parameters a configuration file gives to a function: known, complete, and in range."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any

from attop.core.wording import did_you_mean
from attop_bench.data.base import DatasetError

__all__ = ["complete", "fraction", "integer", "interval", "listed"]


def complete(
    function: Callable[..., Any], given: Mapping[str, Any], where: str, *, reserved: Collection[str] = ()
) -> dict[str, Any]:
    """Return `given` with the defaults of `function` filled in.

    Parameters
    ----------
    function : callable
    given : mapping
        Values by name of parameter.
    where : str
        What the message calls the function.
    reserved : collection of str
        Parameters of `function` that are not the caller's to give, such as its input arrays.

    Raises
    ------
    DatasetError
        If a name is unknown, or a parameter without default is not given.
    """
    parameters = {n: p for n, p in inspect.signature(function).parameters.items() if n not in reserved}
    for name in given:
        if name not in parameters:
            raise DatasetError(f"{where}: unknown parameter {name!r}; {did_you_mean(name, parameters)}")
    missing = [n for n, p in parameters.items() if p.default is p.empty and n not in given]
    if missing:
        raise DatasetError(f"{where}: parameter {missing[0]!r} is not given and has no default")
    return {n: given.get(n, p.default) for n, p in parameters.items()}


def integer(where: str, name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return `value` if it is an integer in [low, high], else raise `DatasetError`."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        wanted = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise DatasetError(f"{where}: {name} must be an integer {wanted}, got {value!r}")
    return value


def fraction(where: str, name: str, value: Any) -> float:
    """Return `value` if it is a number in [0, 1], else raise `DatasetError`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise DatasetError(f"{where}: {name} must be a number from 0 to 1, got {value!r}")
    return float(value)


def listed(where: str, name: str, value: Any, kinds: type | tuple[type, ...], what: str) -> list[Any]:
    """Return `value` if it is a list of `kinds`, in a message `what`, else raise `DatasetError`."""
    if not isinstance(value, (list, tuple)) or not all(
        isinstance(v, kinds) and not isinstance(v, bool) for v in value
    ):
        raise DatasetError(f"{where}: {name} must be a list of {what}, got {value!r}")
    return list(value)


def interval(
    where: str, name: str, value: Any, low: float, high: float = float("inf")
) -> tuple[float, float]:
    """Return `value` if it is a pair of numbers with ``low <= value[0] <= value[1] <= high``.

    Raises
    ------
    DatasetError
        If it is anything else.
    """
    try:
        first, last = map(float, value)
    except (TypeError, ValueError):
        first, last = float("nan"), float("nan")
    if not low <= first <= last <= high:
        raise DatasetError(
            f"{where}: {name} must be two numbers in increasing order from {low:g} to {high:g}, got {value!r}"
        )
    return first, last
