"""The ledger of rows: what each stage read, passed over, left out and kept, which must add up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import numpy as np

from attop.extending import Floats, Ints, count_noun

#: Signs of a line that are shown.
_SHOWN = 60
_ENTRIES = ("passed", "left_out", "doubtful")
#: Weights that differ by this share of all are equal: they were added in another order.
_EQUAL = 1e-9


class LedgerError(RuntimeError):
    """Rows that are lost or counted twice: a fault of attop, not of the file."""


@dataclass(frozen=True)
class Aside:
    """Rows that a rule passed over, or an option left out."""

    #: In words that follow "1 row" or "2 rows".
    rule: str
    rows: int
    #: Number of the first of them among the lines of its file, from 1, and its content; of rows of a table
    #: without lines neither is known.
    line: int | None = None
    content: str = ""
    #: Sum of their weights, where rows have weights.
    weight: float | None = None

    def __str__(self) -> str:
        text = f"{count_noun(self.rows, 'row')} {self.rule}{_in_words(self.weight)}"
        if self.line is None:
            return text
        first = "line" if self.rows == 1 else "first line"
        shown = f", {self.content!r}" if self.content else ""
        return f"{text} ({first} {self.line:,}{shown})"


def shown(fields: Iterable[object]) -> str:
    """Shorten the content of a line to what a ledger shows of it, all in one line."""
    text = " ".join(",".join(map(str, fields)).split())
    if not text.strip(","):
        return ""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def weight_of(weights: Floats | None, rows: Any = slice(None)) -> float | None:
    """Add the weights of rows, if they have any; a missing one is 0."""
    return None if weights is None else float(np.nansum(weights[rows]))


def _in_words(weight: float | None) -> str:
    return "" if weight is None else f" of weight {weight:,.6g}"


@dataclass(frozen=True)
class Ledger:
    """Rows of a file from its reading on: ``read == passed over + left out + kept``, of their weights too.

    Raises
    ------
    LedgerError
        If the counts do not add up.
    """

    #: All but the header's.
    read: int
    kept: int
    #: By rules of the reader: they hold no values.
    passed: tuple[Aside, ...] = ()
    #: By options of the data set, such as those without a label.
    left_out: tuple[Aside, ...] = ()
    #: Rows that may be none, such as sums in the middle: they are kept, or left out by an option.
    doubtful: tuple[Aside, ...] = ()
    #: Sum of the weights of all rows that are not passed over, where rows have weights.
    weight: float | None = None

    def __post_init__(self) -> None:
        aside = self._total((*self.passed, *self.left_out))
        if self.read != aside + self.kept or min(self.read, self.kept) < 0:
            raise LedgerError(
                f"rows do not add up: {self.read:,} read, but {self.kept:,} kept and {aside:,} passed over "
                f"or left out ({self}): please report it"
            )

    def leaving(self, entry: Aside, kept: int) -> Self:
        """Enter the rows that an option left out; `kept` rows remain."""
        return replace(
            self,
            kept=kept,
            left_out=(*self.left_out, entry) if entry.rows else self.left_out,
        )

    def __add__(self, other: Ledger) -> Ledger:
        return Ledger(
            self.read + other.read,
            self.kept + other.kept,
            self.passed + other.passed,
            self.left_out + other.left_out,
            self.doubtful + other.doubtful,
            weight=None
            if self.weight is None or other.weight is None
            else self.weight + other.weight,
        )

    @property
    def weight_kept(self) -> float | None:
        """Sum of the weights of the rows kept, where rows have weights."""
        if self.weight is None:
            return None
        return self.weight - sum(entry.weight or 0.0 for entry in self.left_out)

    def require(self, kept: int, where: str, weights: Floats | None = None) -> None:
        """Refuse another number of rows than are kept, and other `weights` than theirs."""
        weight, due = weight_of(weights), self.weight_kept
        is_equal = due is None or math.isclose(
            weight or 0.0, due, rel_tol=0, abs_tol=_EQUAL * abs(self.weight or 0.0)
        )
        if self.kept != kept or not is_equal:
            raise LedgerError(
                f"{where} has {kept:,} rows{_in_words(weight)}, its ledger {self.kept:,}{_in_words(due)} "
                f"({self}): please report it"
            )

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield what a table shows: a word, and how many rows with what."""
        yield "read", f"{self.read:,}{_in_words(self.weight)}"
        for name, entries in (
            ("passed over", self.passed),
            ("left out", self.left_out),
        ):
            words = map(str, entries) if entries else ["0"]
            yield name, "; ".join(words)
        yield "kept", f"{self.kept:,}{_in_words(self.weight_kept)}"
        if self.doubtful:
            yield "that may be none", "; ".join(map(str, self.doubtful))

    def __str__(self) -> str:
        counts = (
            (self._total(self.passed), "passed over"),
            (self._total(self.left_out), "left out"),
        )
        others = [f"{number:,} {name}" for number, name in counts if number]
        return ", ".join(
            [f"{count_noun(self.read, 'row')} read", *others, f"{self.kept:,} kept"]
        )

    @staticmethod
    def _total(entries: Iterable[Aside]) -> int:
        return sum(entry.rows for entry in entries)

    def as_dict(self) -> dict[str, Any]:
        """Convert the ledger to JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Undo `as_dict`."""
        entries = {
            name: tuple(Aside(**entry) for entry in fields[name])
            for name in _ENTRIES
        }
        return cls(**{**fields, **entries})


def parts_of(ledgers: Sequence[Ledger]) -> tuple[Ints | None, Ledger]:
    """Join the ledgers of files, and number each row by its file if there are several."""
    first, *others = ledgers
    part = (
        np.repeat(range(len(ledgers)), [ledger.kept for ledger in ledgers])
        if others
        else None
    )
    return part, sum(others, first)
