"""Numbers and tables as a person reads them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

__all__ = ["columns", "counted", "duration", "size"]


def columns(rows: Iterable[Sequence[str]], right: Container[int] = ()) -> str:
    """Return rows of words as aligned columns; those in `right` end at their right edge."""
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(
            word.rjust(width) if i in right else word.ljust(width)
            for i, (word, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    )


def counted(number: int, thing: str) -> str:
    """Return ``1 job`` or ``2 jobs``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """Return a time in the largest unit of which there is at least one."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.2g} s"


def size(amount: float) -> str:
    """Return a number of bytes in decimal units."""
    for unit, length in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if amount >= length:
            return f"{amount / length:.3g} {unit}"
    return f"{amount:g} bytes"
