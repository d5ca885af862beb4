"""Targets as the tables write them: ``"k=10"``, ``"k=100 of 30000"``, ``"tau=0.05"``, ``"kappa=0.25"``."""

from __future__ import annotations

from collections.abc import Iterable

from attop.top import Top
from attop.wording import listed

__all__ = ["main_target", "read_target", "sort_targets", "span"]

_KINDS = ("k", "tau", "kappa")


def read_target(target: str) -> tuple[str, float]:
    """Return kind and value of a target; k of a list is a share of the items, like tau.

    Raises
    ------
    ValueError
        If it is not written as `Top.parse` reads it.
    """
    top = Top.parse(target)
    if top.out_of is not None:
        return "tau", top.as_dict()["k"] / top.out_of
    (kind, value), *_ = top.as_dict().items()
    return kind, float(value)


def sort_targets(targets: Iterable[str]) -> list[str]:
    """Return the distinct targets by kind and size."""

    def place(target: str) -> tuple[int, float]:
        kind, value = read_target(target)
        return _KINDS.index(kind), value

    return sorted(set(targets), key=place)


def main_target(targets: Iterable[str]) -> str:
    """Return the target shown where there is room for one: the middle one, the smaller of two."""
    ordered = sort_targets(targets)
    return ordered[(len(ordered) - 1) // 2]


def span(targets: list[str]) -> str:
    """Put sorted targets into few words, such as "k = 5 and 10" or "tau = 0.01 to 0.19"."""
    if len(targets) == 1:
        return targets[0]
    kinds = dict.fromkeys(t.partition("=")[0] for t in targets)
    parts = []
    for kind in kinds:
        values = [t.partition("=")[2] for t in targets if t.startswith(kind + "=")]
        parts.append(f"{kind} = {f'{values[0]} to {values[-1]}' if len(values) > 2 else listed(values)}")
    return listed(parts)
