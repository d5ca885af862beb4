"""Surrogates by name."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attop.surrogates
from attop._core.top import Top
from attop._core.wording import did_you_mean
from attop.surrogates._base import Surrogate

_EXPORTED = [getattr(attop.surrogates, name) for name in attop.surrogates.__all__]
#: Surrogates by name: the classes in the stub of `attop.surrogates` that have one.
SURROGATES: Mapping[str, type[Surrogate]] = MappingProxyType(
    {
        kind.name: kind
        for kind in _EXPORTED
        if issubclass(kind, Surrogate) and kind.name
    }
)


def get_surrogate(name: str | Surrogate, top: Top) -> Surrogate:
    """Look up a surrogate by its name, for `top`, which not all of them take; an object stays as it is.

    Examples
    --------
    >>> get_surrogate("pap@k-avg", Top(k=3)).convex
    True
    """
    if isinstance(name, Surrogate):
        return name
    if name not in SURROGATES:
        raise ValueError(
            f"unknown surrogate {name!r}: {did_you_mean(name, SURROGATES)}"
        )
    kind: Any = SURROGATES[name]
    return kind(top) if "top" in inspect.signature(kind).parameters else kind()
