"""Sizes of lists, and weights of rows, in files beside a table."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from attop.extending import count_noun
from attop_bench.data.errors import DatasetError
from attop_bench.data.files.opening import open_bytes
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Beside:
    """A file beside a table that gives each row a value."""

    #: Option of the reader that names it, and column of the values.
    option: str
    column: str
    #: Role of the column, which no feature has.
    role: str
    #: Ends of its name, after the table's.
    ends: tuple[str, ...]
    #: What it holds, one a line, and how one is written.
    holds: str
    written: str
    #: Each value is of so many rows in a row, and not of one row.
    are_sizes: bool = False

    def file(self, path: StrPath, place: object) -> str:
        """Locate the file of a table: ``{path: FILE}``, or the end of its name."""
        if isinstance(place, Mapping) and set(place) == {"path"}:
            return str(place["path"])
        if place in self.ends:
            return f"{os.fspath(path)}{place}"
        wanted = f"must be one of {', '.join(self.ends)}, or {{path: FILE}}, got {place!r}"
        raise DatasetError(f"dataset {path}: {self.option}: {wanted}")

    def added(
        self, frame: pd.DataFrame, path: StrPath, place: object
    ) -> pd.DataFrame:
        """Add the value of each row to a table, as text; a line before them that is a word is their name."""
        file = self.file(path, place)
        where = f"dataset {path}: {self.option}: {file}"
        if self.column in frame:
            raise DatasetError(
                f"{where}: there is a column {self.column!r} already: leave {self.option} out"
            )
        if not os.path.isfile(file):
            raise DatasetError(
                f"{where}: there is no file with the {self.holds}: write it"
            )
        with open_bytes(file) as content:
            words = content.read().decode("latin-1").split()
        if len(words) > 1 and re.fullmatch(r"[^\W\d]\w*", words[0]):
            words = words[1:]  # a header
        wrong = [word for word in words if not re.fullmatch(self.written, word)]
        if wrong or not words:
            example = wrong[0][:40] if wrong else "nothing"
            raise DatasetError(
                f"{where} must hold {self.holds}, one a line, got {example!r}"
            )
        values = np.array(words)
        if self.are_sizes:
            values = np.arange(1, len(words) + 1).repeat(values.astype(int))
        if len(values) != len(frame):
            raise DatasetError(
                f"{where} has {self.holds} of {len(values):,} rows, the table has {len(frame):,}: correct it"
            )
        return frame.assign(**{self.column: values.astype(str)})

    def without_role(self, where: str) -> DatasetError:
        """Say that the column would be a feature, as nothing says what it is."""
        return DatasetError(
            f"{where}: reader has {self.option}, and their column has no role: set {self.role}: "
            f"{self.column}, or leave {self.option} out"
        )

    def beside(self, path: str) -> str | None:
        """Find the end of the name of a file beside a table, if there is one."""
        return next((end for end in self.ends if os.path.isfile(path + end)), None)

    def found(
        self, frame: pd.DataFrame, path: StrPath, end: str
    ) -> tuple[pd.DataFrame | None, str]:
        """Add what the file beside a table holds and say what it is; None if not each row has a value."""
        name = Path(f"{path}{end}").name
        try:
            new = self.added(frame, path, end)
        except DatasetError as error:
            return None, f"{name} beside it is not used: {error}"
        what = self.holds
        if self.are_sizes:
            what = f"the sizes of {count_noun(new[self.column].nunique(), 'list')}"
        remedy = f"read as {self.column}; or not: --reader {self.option}="
        return new, f"{name} beside it has {what}: {remedy}"


LISTS = Beside(
    option="groups",
    column="qid",
    role="group",
    ends=(".query", ".group"),
    holds="sizes of lists",
    written=r"0*[1-9]\d*",
    are_sizes=True,
)
WEIGHTS = Beside(
    option="weights",
    column="weight",
    role="weight",
    ends=(".weight", ".weights"),
    holds="weights",
    written=r"(\d+\.?|\d*\.\d+)([eE][-+]?\d+)?",
)
#: Files beside a table that its reader takes.
BESIDE = (LISTS, WEIGHTS)
