"""Checks of the parameters that a configuration gives to a function: name, type and range."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Mapping
from functools import cache, wraps
from types import SimpleNamespace
from typing import Annotated, Any, ParamSpec, TypeVar, get_origin, get_type_hints

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from attop.extending import did_you_mean
from attop_bench.data.errors import DatasetError

_P = ParamSpec("_P")
_R = TypeVar("_R")

Count = Annotated[int, Field(strict=True, ge=1)]
Share = Annotated[float, Field(strict=True, ge=0, le=1)]
_LIST = "a list, in brackets"
#: Errors of pydantic that its words do not explain to a person who writes YAML, of a name.
_WANTED = {
    "missing": "needs {}",
    "extra_forbidden": "takes no {}",
    "path_type": "must be a path",
    "sequence_str": f"must be {_LIST}",
    "dict_type": "must be names with values, in braces",
    "mapping_type": "must be names with values, in braces",
}
_Number = Annotated[float, Field(strict=True)]
Interval = tuple[_Number, _Number]


def increasing(low: float, high: float = float("inf")) -> AfterValidator:
    """Check that a value is two numbers in increasing order in [low, high]."""

    def check(pair: Interval) -> Interval:
        if not low <= pair[0] <= pair[1] <= high:
            raise ValueError(
                f"must be two numbers in increasing order from {low:g} to {high:g}"
            )
        return pair

    return AfterValidator(check)


def checked(where: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Have a function refuse values of another type or range than `Annotated`; `where` is in messages."""

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        # When it is called: a start of the workflow imports all kinds of data, and builds none.
        @cache
        def adapters() -> dict[str, TypeAdapter[Any]]:
            types = {
                n: kind
                for n, kind in inspect.get_annotations(function).items()
                if n != "return"
            }
            # That returned may be for type checkers alone.
            declared = SimpleNamespace(__annotations__=types)
            hints = get_type_hints(
                declared,
                vars(sys.modules[function.__module__]),
                include_extras=True,
            )
            return {
                n: TypeAdapter(hint)
                for n, hint in hints.items()
                if get_origin(hint) is Annotated
            }

        def check(arguments: dict[str, Any]) -> None:
            for name in arguments.keys() & adapters().keys():
                try:
                    arguments[name] = adapters()[name].validate_python(
                        arguments[name]
                    )
                except ValidationError as error:
                    raise refusal(where, name, arguments[name], error) from None

        @wraps(function)
        def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            bound = inspect.signature(function).bind(*args, **kwargs)
            check(bound.arguments)
            return function(*bound.args, **bound.kwargs)

        vars(call)["check"] = check
        return call

    return decorate


def with_on(value: Any) -> Any:
    """Name the key ``on`` of a mapping again, which YAML reads as true."""
    if not isinstance(value, Mapping):
        return value
    return {"on" if key is True else key: one for key, one in value.items()}


def check_values(function: Callable[..., object], given: Mapping[str, Any]) -> None:
    """Refuse values that a function which is `checked` would refuse, without calling it."""
    if check := vars(function).get("check"):
        check(dict(given))


def refusal(
    where: str, name: str, value: object, error: ValidationError
) -> DatasetError:
    """Convert an error of pydantic to one with the parameter, if any, what it must be, and the value."""
    wanted = [
        _WANTED.get(e["type"], "").format(*e["loc"][-1:])
        or e["msg"]
        .removeprefix("Value error, ")
        .replace("Input should", "must")
        .replace("an instance of Sequence", _LIST)
        for e in error.errors()
    ]
    text = " or ".join(dict.fromkeys(wanted))
    if not name:
        return DatasetError(f"{where}: {text}")
    return DatasetError(
        f"{where}: {name}{' ' if text.startswith('must') else ': '}{text}, got {value!r}"
    )


def complete(
    function: Callable[..., object],
    given: Mapping[str, Any],
    where: str,
    *,
    reserved: Collection[str] = (),
) -> dict[str, Any]:
    """Fill in the defaults of `function` where `given` has no value.

    Refuses names that are unknown or `reserved`, such as input arrays, and a parameter without default that
    is not given; `where` names the function in messages.
    """
    parameters = {
        n: p
        for n, p in inspect.signature(function).parameters.items()
        if n not in reserved
    }
    for name in given:
        if name not in parameters:
            raise DatasetError(
                f"{where}: unknown parameter {name!r}; {did_you_mean(name, parameters)}"
            )
    if missing := [
        n for n, p in parameters.items() if p.default is p.empty and n not in given
    ]:
        raise DatasetError(
            f"{where}: parameter {missing[0]!r} is not given and has no default"
        )
    return {n: given.get(n, p.default) for n, p in parameters.items()}


def integer(
    where: str, name: str, value: Any, low: int, high: int | None = None
) -> int:
    """Check that `value` is an integer in [low, high]; raise `DatasetError` if it is not."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        wanted = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise DatasetError(
            f"{where}: {name} must be an integer {wanted}, got {value!r}"
        )
    return value
