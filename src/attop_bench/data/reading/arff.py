"""ARFF, Weka's format, and its relatives by KEEL."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from attop.extending import count_noun
from attop_bench.data.errors import DatasetError
from attop_bench.data.files.opening import BROKEN, open_text
from attop_bench.data.ledger import Ledger
from attop_bench.data.parameters import checked
from attop_bench.data.reading.cells import numbers_of
from attop_bench.data.reading.lines import BLANK, COMMENT, Suspect, asides
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd

_QUOTED = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
_ATTRIBUTE = re.compile(
    rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(\{{.*\}}|\w+)", re.IGNORECASE
)
_FIELD = re.compile(rf"\s*({_QUOTED}|[^,\t]*?)\s*(?:[,\t]|$)")
_SPARSE = re.compile(rf"\s*(\d+)\s+({_QUOTED}|[^,\s]+)\s*(?:,|$)")
_WEIGHT = re.compile(r"[,\s]\s*\{\s*[\d.eE+-]+\s*\}$")  # of a row, after its fields
_NUMERIC, _TEXT = ("numeric", "real", "integer"), ("string", "date")
_GAPS = ("?", "<null>")  # Weka's, KEEL's


@checked("format arff")
def read_arff(
    path: StrPath, *, encoding: Annotated[str | None, Field(strict=True)] = None
) -> pd.DataFrame:
    """Read an ARFF file, its rows in full or sparse; ``?`` is a missing value, dates and strings are text.

    Parameters
    ----------
    path : path
        Compressed or not.
    encoding : str, optional
        Such as ``cp1252``; by default UTF-8, or UTF-16 with its mark at the start.
    """
    import pandas as pd

    where = f"dataset {path}"
    rows: list[list[str | None]] = []
    empty: list[Suspect] = []
    weighted = 0
    try:
        with open_text(path, encoding) as file:
            lines = enumerate(file, 1)
            kinds = _attributes(text for _, text in lines)
            for number, text in lines:
                line = text.strip()
                if not line or line[0] == "%":
                    empty.append(
                        Suspect(number, line, COMMENT if line else BLANK, True)
                    )
                    continue
                plain = _WEIGHT.sub("", line)
                weighted += plain != line
                rows.append(_row(plain, kinds, number))
        columns = [
            _typed(pd.Series(values), *kind)
            for kind, values in zip(kinds, zip(*rows, strict=True), strict=False)
        ]
    except (ValueError, OSError, *BROKEN) as error:
        raise DatasetError(
            f"{where}: not an ARFF file: {error}; correct the file"
        ) from None
    frame = (
        pd.concat(columns, axis=1)
        if columns
        else pd.DataFrame(columns=[name for name, _ in kinds])
    )
    frame.attrs["ledger"] = Ledger(
        len(rows) + len(empty), len(frame), tuple(asides(empty))
    )
    if weighted:
        frame.attrs["remarks"] = [
            f"{count_noun(weighted, 'row')} with a weight, which is not used"
        ]
    return frame


def _attributes(file: Iterable[str]) -> list[tuple[str, Any]]:
    """Read the head; return name and type of each attribute, a list of the values of a nominal one."""
    kinds: list[tuple[str, Any]] = []
    for line in file:
        word = line.strip().lower()
        if word.startswith("@data"):
            return kinds
        # @relation, comments; @inputs and @outputs by KEEL.
        if not word.startswith("@attribute"):
            continue
        match = _ATTRIBUTE.match(line.strip())
        kind: Any = match[2].lower() if match else ""
        if not match or not (kind.startswith("{") or kind in _NUMERIC + _TEXT):
            raise ValueError(
                f"attribute of a type that is not read: {line.strip()!r}"
            )
        if kind.startswith("{"):
            kind = _fields(match[2].strip("{} \t"))
        kinds.append((_bare(match[1]), kind))
    raise ValueError("it has no line @data: cut off, or of another format")


def _row(line: str, kinds: list[tuple[str, Any]], number: int) -> list[str | None]:
    """Split a row, in the line of this number, into fields; None where one is missing."""
    # What a sparse row leaves out is 0, the first value of a nominal attribute.
    if line.startswith("{"):
        row = [
            kind[0] if isinstance(kind, list) else "0" if kind in _NUMERIC else None
            for _, kind in kinds
        ]
        for place, value in _SPARSE.findall(line.strip("{} ")):
            if int(place) >= len(row):
                raise ValueError(
                    f"line {number} has an index of {place} for {len(row)} attributes: {line[:60]}"
                )
            row[int(place)] = None if value in _GAPS else _bare(value)
        return row
    fields = _fields(line)
    fields = (
        line.split() if len(fields) != len(kinds) and "," not in line else fields
    )
    if len(fields) != len(kinds):
        raise ValueError(
            f"line {number} has {len(fields)} fields for {len(kinds)} attributes: {line[:60]}"
        )
    return [None if field in _GAPS else field for field in fields]


def _fields(line: str) -> list[str]:
    if "'" not in line and '"' not in line:
        return [field.strip() for field in line.replace("\t", ",").split(",")]
    return [
        _bare(field)
        for field in _FIELD.findall(line)[: None if line.endswith(",") else -1]
    ]


def _bare(field: str) -> str:
    """Strip the quotes of a field."""
    return (
        re.sub(r"\\(.)", r"\1", field[1:-1]).strip()
        if field[:1] in "'\"" and len(field) > 1
        else field
    )


def _typed(values: pd.Series, name: str, kind: Any) -> pd.Series:
    """Convert a column to an attribute's type; one of declared numbers as numbers."""
    import pandas as pd

    values = values.astype(object).where(values.notna(), None).rename(name)
    if isinstance(kind, list):
        what, allowed, numeric = (
            "none of the values declared",
            values.isin(kind),
            numbers_of(pd.Series(kind)),
        )
        numbers = None if numeric is None else numbers_of(values)
    else:
        numbers = (
            pd.to_numeric(values, errors="coerce") if kind in _NUMERIC else values
        )
        what, allowed = "no number", numbers.notna()
    if unreadable := list(values[~allowed].dropna()):
        raise ValueError(f"column {name!r} has {unreadable[0]!r}, which is {what}")
    return values if numbers is None else numbers
