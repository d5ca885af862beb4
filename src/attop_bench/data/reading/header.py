"""The header: whether a file has one, where it is, and the names of the columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import Annotated, Any

from pydantic import Field, StrictInt, StrictStr

from attop.extending import count_noun
from attop_bench.data.errors import DatasetError
from attop_bench.data.reading.cells import GAPS, is_date, mostly_numbers

_Place = Annotated[int, Field(ge=1)]
Names = Annotated[
    StrictStr | Sequence[StrictStr | StrictInt] | Mapping[_Place, StrictStr] | None,
    Field(),
]
Header = Annotated[bool, Field(strict=True)]
Skip = Annotated[int, Field(strict=True, ge=0)]
LineNumbers = Annotated[Sequence[Annotated[StrictInt, Field(ge=1)]] | None, Field()]


class _Vote(Enum):
    """The vote of a column on the field above it."""

    #: It is neither number nor date where the others are, so it names them.
    NAME = auto()
    ONE_OF_MANY = auto()
    ANOTHER = auto()
    NOTHING = auto()


def header_options(
    rows: list[list[str]], given: Mapping[str, Any], label: str | None
) -> tuple[dict[str, Any], list[str]]:
    """Find options that say where the header is, if there is one, and what is to be said."""
    options: dict[str, Any] = {}
    remarks = []
    if "skip" not in given and (skip := _before(rows)):
        options["skip"] = skip
        remarks.append(f"{count_noun(skip, 'line')} before the header: passed over")
    rows = [
        row
        for row in rows[{**options, **given}.get("skip", 0) :]
        if any(field.strip() for field in row)
    ]
    if "names" in given:
        return options, remarks
    is_told = "header" in given
    if not is_told and len(rows) > 1 and not _is_header(rows[0], rows[1:]):
        options |= {"header": False, "names": "c"}
        remarks.append(
            f"no header: the first line ({', '.join(rows[0])[:40]}) is read as a row, and columns are "
            f"called c1 to c{len(rows[0])}; if it is the header: --reader header=true"
        )
    elif given.get("header", True) and (
        names := _renamed(next(iter(rows), []), label)
    ):
        options["names"] = names
        new = ", ".join(
            f"column {place} is called {name}" for place, name in names.items()
        )
        remarks.append(f"names that occur twice: {new}")
    return options, remarks


def _before(rows: Sequence[Sequence[str]]) -> int:
    """Count the rows before the header: titles, of fewer fields than most rows, and groups."""
    filled = [
        len("\0".join(map(str.strip, row)).rstrip("\0").split("\0")) * any(row)
        for row in rows
    ]
    if not any(filled):
        return 0
    width = Counter(n for n in filled if n).most_common(1)[0][0]
    first = next((i for i, n in enumerate(filled) if n >= width - 1), 0)
    first = first if width > 2 and any(filled[:first]) else 0
    below = rows[first + 1 : first + 50]
    if (
        len(below) > 2
        and len(below[0]) == len(rows[first])
        and _names_groups(rows[first], below)
    ):
        return first + 1
    return first


def _names_groups(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Decide whether a row names groups of columns that the next row names: fewer, and no values."""
    names, groups = ([name.strip() for name in names] for names in (below[0], row))
    if (
        not all(names)
        or len(set(names)) < len(names)
        or len(set(groups) - {""}) == len(names)
    ):
        return False
    return (
        _is_header(names, below[1:])
        and mostly_numbers([name for name in groups if name] or ["0"]) is None
    )


def _is_header(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Decide whether a row names columns, and is not a row of values.

    A name is neither number nor date where all others of its column are. Without such a column, a row is one
    of many by numbers within the range of the others, and by text that comes back.
    """
    names = [name.strip() for name in first]
    columns = zip(
        *(row for row in rows if len(row) == len(first) and row != first),
        strict=True,
    )
    votes: Counter[_Vote] = Counter()
    for name, column in zip(names, columns, strict=False):
        vote = _vote_of(name, [value.strip() for value in column])
        if vote is _Vote.NAME:
            return True
        votes[vote] += 1
    if votes[_Vote.ANOTHER] >= votes[_Vote.ONE_OF_MANY]:
        return True
    return names in ([str(i + j) for i in range(len(names))] for j in (0, 1))


def _vote_of(name: str, column: Sequence[str]) -> _Vote:
    """Decide by the values of a column whether the field above them is one of them."""
    nothing = {*GAPS, "?"}
    values = [value for value in column if value not in nothing]
    if name in nothing or not values:
        return _Vote.NOTHING
    numbers = mostly_numbers(values)
    if numbers is not None:
        number = mostly_numbers([name])
        if number is None:
            return _Vote.NAME
        is_within = numbers.min() <= number[0] <= numbers.max()
        return _Vote.ONE_OF_MANY if is_within else _Vote.ANOTHER
    if all(map(is_date, values)):
        return _Vote.ONE_OF_MANY if is_date(name) else _Vote.NAME
    if len(set(values)) > len(values) / 2:
        return _Vote.NOTHING
    return _Vote.ONE_OF_MANY if name in values else _Vote.ANOTHER


def _renamed(header: Sequence[str], label: str | None) -> dict[int, str]:
    """Choose new names for columns whose name came before, by their place."""
    names = [" ".join(name.split()) for name in header]
    new: dict[int, str] = {}
    for place, name in enumerate(names, 1):
        if name and name in names[: place - 1] and name != label:
            number = next(
                i
                for i in range(2, len(names) + 2)
                if f"{name}_{i}" not in {*names, *new.values()}
            )
            new[place] = f"{name}_{number}"
    return new


def header_of(first: list[str], names: Any, width: int, where: str) -> list[str]:
    """Choose the names of the columns as they are given, or in the file."""
    header = first or list(map(str, range(1, width + 1)))
    if isinstance(names, Mapping):
        if outside := [place for place in names if not 1 <= place <= len(header)]:
            raise DatasetError(
                f"{where}: names: no column {outside[0]} among {len(header)}: count from 1"
            )
        return [names.get(place, name) for place, name in enumerate(header, 1)]
    if names is None:
        return header
    if first:
        raise DatasetError(
            f"{where}: names are for a file without header: set header to false, or give the place of a "
            "column and its name, such as {2: price}"
        )
    header = (
        [names + number for number in header]
        if isinstance(names, str)
        else list(map(str, names))
    )
    if len(header) != width:
        raise DatasetError(
            f"{where}: {width} columns but {len(header)} names: give one a column"
        )
    return header
