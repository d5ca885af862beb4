"""Checks of parameters: how scikit-learn makes, copies and changes an estimator."""

from __future__ import annotations

import inspect

from sklearn.base import clone

from attop_bench.conformance.method import Method, easy_sample, expect, refuses

__all__ = ["clones", "is_made", "refuses_unknown_parameters", "says_its_parameters"]


def is_made(method: Method) -> None:
    """It can be made, without arguments but those given."""
    for needed in ("get_params", "set_params", "fit"):
        estimator = method.kind(**method.params)
        expect(hasattr(estimator, needed), f"no method {needed}: derive it from sklearn.base.BaseEstimator")


def says_its_parameters(method: Method) -> None:
    """get_params has every argument of the constructor, as it was given."""
    estimator = method.new()
    known = estimator.get_params(deep=False)
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    for name, argument in inspect.signature(method.kind).parameters.items():
        if argument.kind not in variadic:
            expect(name in known, f"{name} is missing")
    copy = method.kind(**known).get_params(deep=False)
    for name, value in known.items():
        expect(copy[name] is value, f"{name}={value!r} became {copy[name]!r} in the constructor")


def clones(method: Method) -> None:
    """Clone copies the parameters and nothing that was learnt."""
    fitted = method.fit(easy_sample())
    copy = clone(fitted)
    expect(type(copy) is type(fitted), f"it gives a {type(copy).__name__}")
    wanted, found = (estimator.get_params(deep=False) for estimator in (fitted, copy))
    for name, value in wanted.items():
        expect(repr(found[name]) == repr(value), f"{name}={value!r} became {found[name]!r}")
    learnt = [name for name in vars(copy) if name.endswith("_") and not name.endswith("__")]
    expect(not learnt, f"the copy has {', '.join(learnt)}: leave that to fit")


def refuses_unknown_parameters(method: Method) -> None:
    """set_params refuses what is no parameter."""
    refuses(lambda: method.new().set_params(no_such_parameter=1), "set_params(no_such_parameter=1)")
