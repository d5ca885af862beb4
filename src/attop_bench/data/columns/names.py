"""Columns by their name or number."""

from __future__ import annotations

from collections.abc import Collection

from attop.extending import did_you_mean
from attop_bench.data.errors import DatasetError


def column_of(names: Collection[str], wanted: str | int, where: str) -> str:
    """Find the name of a column among `names` by its name or its number, from 1 or -1."""
    # Blanks around a name are easily overlooked.
    name = " ".join(str(wanted).split())
    if name in names:
        return name
    if type(wanted) is int and 1 <= abs(wanted) <= len(names):
        return [*names][wanted - 1 if wanted > 0 else wanted]
    raise DatasetError(
        f"{where}: no column {wanted!r}; {did_you_mean(wanted, names)}"
    )
