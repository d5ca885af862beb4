"""Numbers, names and tables as a person reads them."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Sequence
from pathlib import Path

__all__ = ["columns", "existing", "size"]


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


def size(amount: float) -> str:
    """Return a number of bytes in decimal units."""
    for unit, length in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if amount >= length:
            return f"{amount / length:.3g} {unit}"
    return f"{amount:g} bytes"


def existing(folder: Path) -> Path:
    """Return the folder, or the nearest above it that exists."""
    folder = Path(os.path.abspath(folder))
    return next(path for path in (folder, *folder.parents) if path.is_dir())
