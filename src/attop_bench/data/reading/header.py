"""Names of columns from the header, and lines that are no rows of the table below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field, StrictInt, StrictStr

from attop.extending import Ints
from attop_bench.data.errors import DatasetError
from attop_bench.data.ledger import Aside, Ledger, shown
from attop_bench.data.reading.lines import (
    BLANK,
    GIVEN,
    Suspect,
    asides,
    blank_rows,
    suspects_of,
)

if TYPE_CHECKING:
    import pandas as pd


_Place = Annotated[int, Field(ge=1)]
Names = Annotated[
    StrictStr | Sequence[StrictStr | StrictInt] | Mapping[_Place, StrictStr] | None,
    Field(),
]
Header = Annotated[bool, Field(strict=True)]
Skip = Annotated[int, Field(strict=True, ge=0)]
LineNumbers = Annotated[Sequence[Annotated[StrictInt, Field(ge=1)]] | None, Field()]


@dataclass(frozen=True)
class Lined:
    """Rows of text and their numbers among the lines of the file."""

    frame: pd.DataFrame
    lines: Ints
    #: Of the lines before the first row.
    passed: tuple[Aside, ...]
    comments: Sequence[Suspect]

    def without(self, rows: Ints) -> Lined:
        """Drop some rows, by their places."""
        if not len(rows):
            return self
        places = np.delete(np.arange(len(self.frame)), rows)
        return replace(
            self,
            frame=self.frame.iloc[places].reset_index(drop=True),
            lines=self.lines[places],
        )


def named_rows(
    text: Lined,
    first: list[str],
    names: Any,
    pass_over: Sequence[int] | None,
    where: str,
) -> pd.DataFrame:
    """Give rows the names of their columns; `first` is the header, if there is one."""
    header = _header_of(first, names, text.frame.shape[1], where)
    read = len(text.frame)
    blank = blank_rows(text.frame)
    begin = int(text.lines[0]) if read else 0
    comments = [line for line in text.comments if line.line >= begin]
    are_comments = np.isin(text.lines[blank], [line.line for line in comments])
    empty = [
        Suspect(int(line), "", BLANK, True)
        for line in text.lines[blank[~are_comments]]
    ]
    text = text.without(blank)
    shown_names = first or None
    if first:
        frame, header, shown_names = _under(header, first, text.frame, where)
        text = replace(text, frame=frame)
    suspects = suspects_of(text.frame, shown_names, text.lines)
    if pass_over is None:
        aside = [suspect for suspect in suspects if suspect.certain]
    else:
        aside = _given(pass_over, text, where)
    out = np.flatnonzero(np.isin(text.lines, [suspect.line for suspect in aside]))
    rest = text.without(out)
    passed = (*text.passed, *asides([*comments, *empty, *aside]))
    before = sum(entry.rows for entry in text.passed)
    doubts = (
        []
        if pass_over is not None
        else [suspect for suspect in suspects if not suspect.certain]
    )
    frame = rest.frame
    frame.columns = header
    frame.attrs["ledger"] = Ledger(
        before + read, len(frame), passed, doubtful=tuple(asides(doubts))
    )
    frame.attrs["suspects"] = suspects
    frame.attrs["lines"] = rest.lines
    return frame


def _given(pass_over: Sequence[int], text: Lined, where: str) -> list[Suspect]:
    """Find the lines that are named as not being rows; refuse lines that do not exist."""
    places = {int(line): row for row, line in enumerate(text.lines)}
    if other := [line for line in pass_over if line not in places]:
        held = f"from {text.lines[0]:,} to {text.lines[-1]:,}" if places else "none"
        raise DatasetError(
            f"{where}: pass_over: no row begins in line {other[0]:,}; there are {held}"
        )
    return [
        Suspect(line, shown(text.frame.iloc[places[line]]), GIVEN, True)
        for line in sorted(set(pass_over))
    ]


def _header_of(first: list[str], names: Any, width: int, where: str) -> list[str]:
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


def _under(
    header: list[str], first: list[str], frame: pd.DataFrame, where: str
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Fit rows to a header of a field more or less: separators at the end, R's names of rows.

    Returns the rows, the names of their columns, and the same as they are in the file.
    """

    def nothing(j: int) -> bool:
        return bool(frame[j].str.strip().eq("").all())

    width = frame.shape[1]
    named = [j for j, name in enumerate(header) if name.strip()]
    # Names for all fields: a blank one beside them is of none.
    if len(named) == width < len(header):
        header, first = [header[j] for j in named], [first[j] for j in named]
    if len(header) == width - 1 and _has_names_of_rows(frame):
        header, first = ["", *header], ["", *first]
    if not all(nothing(j) for j in range(len(header), width)):
        raise _more_fields(frame, len(header), where)
    frame = frame.reindex(columns=range(len(header)), fill_value="")
    places = [j for j, name in enumerate(header) if name.strip() or not nothing(j)]
    names = [_name_of(header, j) for j in places]
    return frame[places], names, [first[j] for j in places]


def _name_of(header: Sequence[str], place: int) -> str:
    return header[place] if header[place].strip() else f"Unnamed: {place}"


def _more_fields(frame: pd.DataFrame, n_names: int, where: str) -> DatasetError:
    """Say in which rows there are more fields than names."""
    more = frame[frame[range(n_names, frame.shape[1])].ne("").any(axis=1)]
    remedy = "attop look finds how it is written"
    if 2 * len(more) < len(frame):
        remedy = "of two tables in one file keep one"
    return DatasetError(
        f"{where}: {n_names} names in the header, but more fields in {len(more):,} of {len(frame):,} "
        f"rows, first in row {more.index[0] + 1}, {', '.join(more.iloc[0])[:80]}: put a field that holds "
        'the separator in double quotes, quotes in it as "", not \\", name all in the header, or set '
        f"header to false if it is a row; {remedy}"
    )


def _has_names_of_rows(frame: pd.DataFrame) -> bool:
    """Decide whether the first column may hold R's names of rows, and the last is filled.

    Each name comes once, and none is a decimal number.
    """
    if not frame[frame.shape[1] - 1].str.strip().ne("").all():
        return False
    names = frame[0]
    return bool(
        names.is_unique and not names.str.fullmatch(r"\s*-?\d+[.,]\d+\s*").any()
    )
