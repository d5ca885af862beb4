"""Tops as the tables write them: ``"k=10"``, ``"k=100 of 30000"``, ``"tau=0.05"``, ``"kappa=0.25"``."""

from __future__ import annotations

from collections.abc import Iterable

from attop.core.top import Top
from attop.core.wording import listed

__all__ = ["main_top", "read_top", "sort_tops", "span"]

_KINDS = ("k", "tau", "kappa")


def read_top(top: str) -> tuple[str, float]:
    """Return kind and value of a top; k of a list is a share of the items, like tau.

    Raises
    ------
    ValueError
        If it is not written as `Top.parse` reads it.
    """
    parsed = Top.parse(top)
    if parsed.out_of is not None:
        return "tau", parsed.as_dict()["k"] / parsed.out_of
    (kind, value), *_ = parsed.as_dict().items()
    return kind, float(value)


def sort_tops(tops: Iterable[str]) -> list[str]:
    """Return the distinct tops by kind and size."""

    def place(top: str) -> tuple[int, float]:
        kind, value = read_top(top)
        return _KINDS.index(kind), value

    return sorted(set(tops), key=place)


def main_top(tops: Iterable[str]) -> str:
    """Return the top shown where there is room for one: the middle one, the smaller of two."""
    ordered = sort_tops(tops)
    return ordered[(len(ordered) - 1) // 2]


def span(tops: list[str]) -> str:
    """Put sorted tops into few words, such as "k = 5 and 10" or "tau = 0.01 to 0.19"."""
    if len(tops) == 1:
        return tops[0]
    kinds = dict.fromkeys(t.partition("=")[0] for t in tops)
    parts = []
    for kind in kinds:
        values = [t.partition("=")[2] for t in tops if t.startswith(kind + "=")]
        parts.append(f"{kind} = {f'{values[0]} to {values[-1]}' if len(values) > 2 else listed(values)}")
    return listed(parts)
