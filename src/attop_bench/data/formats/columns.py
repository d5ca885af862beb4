"""Names of columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from attop_bench.data.base import DatasetError

__all__ = ["refuse_twice"]


def refuse_twice(names: Iterable[object], where: str) -> None:
    """Raise `DatasetError` if two names are the same but for blanks around them: one may be the label."""
    count = Counter(str(name).strip() for name in names)
    twice = [name for name, times in count.items() if times > 1]
    if twice:
        raise DatasetError(f"{where}: column {twice[0]!r} occurs twice: rename one")
