"""Past lists with their labels: read one by one, compared with what was expected and promised of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attop.extending import count_noun, format_hits
from attop.statistics import MOST_FURTHER, Watched, watch
from attop_bench.data.base import DatasetError
from attop_bench.deploy.lists import lists_in, read_list
from attop_bench.deploy.promise import (
    Promise,
    labels_of,
    promise_path,
    read_promise,
)


@dataclass(frozen=True)
class PastList:
    """A list of which labels are known."""

    name: str
    #: Rows with a label, and the positives among them.
    rows: int
    hits: int
    #: Rows of the list that have no label yet.
    waiting: int
    promise: Promise

    @property
    def part(self) -> float:
        """The share of the list's rows that have a label."""
        return self.rows / self.promise.k

    @property
    def promised(self) -> float:
        """The hits promised of the rows with a label."""
        return (self.promise.least or 0.0) * self.part

    @property
    def expected(self) -> float | None:
        """The hits expected of the rows with a label."""
        return (
            None
            if self.promise.expected is None
            else self.promise.expected * self.part
        )


@dataclass(frozen=True)
class Folder:
    """The lists of a folder: those that can be judged, and the others with the reason."""

    judged: list[PastList]
    #: Name -> what is wrong with it.
    passed: dict[str, str]
    #: Names of those without any label yet.
    waiting: list[str]
    #: Name -> why it promises nothing.
    without_promise: dict[str, str]

    def lines(self) -> list[str]:
        """Say of each list that is not judged, or not whole, why."""
        remarks = [
            f"{name} is passed over: {reason}"
            for name, reason in self.passed.items()
        ]
        remarks += [
            f"{name} promises nothing, and is not judged: {r}"
            for name, r in self.without_promise.items()
        ]
        if self.waiting:
            remarks.append(f"Waiting for labels: {', '.join(self.waiting)}")
        for one in self.judged:
            if one.waiting:
                remarks.append(
                    f"{one.name}: {count_noun(one.waiting, 'row')} of {one.promise.k:,} without a label yet"
                )
        return remarks

    @property
    def counts(self) -> str:
        """Count the lists that are not judged; empty if none."""
        parts = {
            "passed over": self.passed,
            "without a promise": self.without_promise,
            "waiting": self.waiting,
        }
        counted = [f"{len(names)} {word}" for word, names in parts.items() if names]
        return f" Not judged: {', '.join(counted)}." if counted else ""


def read_folder(
    folder: str | Path, column: str, how: dict[str, Any], promised: float | None
) -> Folder:
    """Read all lists of a folder; what is wrong with one is said of it, and the others are read.

    `how` has the options of `labels_of`, `promised` is the precision to keep where it is given.
    """
    lists = Folder([], {}, [], {})
    contents: dict[bytes, str] = {}
    stems: dict[str, str] = {}
    for path in lists_in(folder):
        try:
            if (other := stems.setdefault(path.stem, path.name)) != path.name:
                raise DatasetError(
                    f"{other} is there, which has the same promise: take one of them away"
                )
            if first := _copied(path, contents):
                raise DatasetError(f"it is {first} again")
            _read_one(path, column, how, promised, lists)
        except (DatasetError, OSError) as error:
            lists.passed[path.name] = str(error)
    return lists


def _copied(path: Path, contents: dict[bytes, str]) -> str:
    """Name the list that this is a copy of; the name is empty if it is none.

    Scores tell lists apart. Without them two lists may well be written alike.
    """
    if "score" not in read_list(path):
        return ""
    first = contents.setdefault(path.read_bytes(), path.name)
    return first if first != path.name else ""


def _read_one(
    path: Path,
    column: str,
    how: dict[str, Any],
    promised: float | None,
    lists: Folder,
) -> None:
    labels = labels_of(path, column, **how)
    promise = (
        _given(promised, len(labels))
        if promised is not None
        else _beside(path, len(labels))
    )
    if not labels.notna().any():
        lists.waiting.append(path.name)
    elif not promise.holds:
        lists.without_promise[path.name] = promise.reason or "its least is 0"
    else:
        rows, hits = int(labels.notna().sum()), int(labels.sum())
        lists.judged.append(
            PastList(path.name, rows, hits, len(labels) - rows, promise)
        )


def _given(precision: float, k: int) -> Promise:
    """Make a promise of so much precision, of which nothing else is known."""
    return Promise(
        k=k, length=k, expected=None, low=None, high=None, least=precision * k
    )


def _beside(path: Path, k: int) -> Promise:
    """Read the promise that was written beside a list."""
    promise = read_promise(path)
    if promise is None:
        raise DatasetError(
            f"{path} has no promise beside it ({promise_path(path).name}): attop score --output writes it, "
            "or give --promised"
        )
    if promise.k != k:
        raise DatasetError(
            f"{path} has {k:,} rows, its promise is of {promise.k:,}: rows without a label stay, empty"
        )
    return promise


def verdict_of(lists: Sequence[PastList]) -> Watched:
    """Judge lists, in their order, against what each promised."""
    hits, rows = [one.hits for one in lists], [one.rows for one in lists]
    rates = [one.promised / one.rows for one in lists]
    return watch(hits, rows, rates)


def verdict_sentence(lists: Sequence[PastList]) -> str:
    """Say whether lists keep their promise, by three numbers, and how many lists would tell."""
    result = verdict_of(lists)
    since = f" since {lists[result.since - 1].name}" if result.since else ""
    return (
        f"{result.status}{since}: {three_numbers(lists)}. Their mean precision is {result.precision:.4g} "
        f"(at any time {result.low:.4g} to {result.high:.4g} with 95%)."
        + _what_would_tell(result)
        + _about_dependence(result)
    )


def three_numbers(lists: Sequence[PastList]) -> str:
    """Say what was expected of lists, what was promised and what was found."""
    total = sum(one.rows for one in lists)
    due = sum(one.promised for one in lists)
    words = f"promised at least {format_hits(due, total)}, found {sum(one.hits for one in lists):,}"
    expected = [one.expected for one in lists if one.expected is not None]
    if len(expected) == len(lists):
        words = f"expected {format_hits(sum(expected), total)}{_interval(lists)}, {words}"
    return f"{words} of {total:,} rows of {count_noun(len(lists), 'list')}"


def _interval(lists: Sequence[PastList]) -> str:
    """Compute the interval of the one list there is, if all its labels are there."""
    promise = lists[0].promise
    if (
        len(lists) > 1
        or lists[0].waiting
        or promise.low is None
        or promise.high is None
    ):
        return ""
    return f" ({format_hits(promise.low, promise.k)} to {format_hits(promise.high, promise.k)})"


def _what_would_tell(result: Watched) -> str:
    """Say how many more lists like these would give a verdict; empty if there is one."""
    if result.status != "cannot tell":
        return ""
    if result.lists_to_tell is None:
        return f" Even {MOST_FURTHER} more lists like these would not tell."
    return (
        f" {count_noun(result.lists_to_tell, 'more list')} like these would tell."
    )


def _about_dependence(result: Watched) -> str:
    """Say where lists are not what the verdict assumes; empty if nothing speaks against it."""
    if result.assumption != "not met":
        return ""
    return (
        f" Lists do not vary independently: successive ones are correlated by {result.dependence:.2f}, as in "
        "a season or a slow change. An alarm may be of these."
    )
