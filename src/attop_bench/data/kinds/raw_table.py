"""A table as it is in its files: which column is what, text and gaps still in it."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from attop.core.typing import Ints
from attop.core.wording import did_you_mean
from attop_bench.data.base import DatasetError
from attop_bench.data.builder_parameters import listed
from attop_bench.data.formats import format_of, read_frame

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RawTable", "cleaned", "column_of", "present", "read_raw_table"]

#: What pandas calls a column without a name; to_csv writes row numbers as one.
_UNNAMED = re.compile(r"Unnamed: \d+|")


@dataclass(frozen=True)
class RawTable:
    """Rows and columns of files, and what the columns are.

    Attributes
    ----------
    frame : DataFrame
        All columns; those with a part to play without blanks around text, a gap where nothing is left.
    label : str
    roles : dict of str to str
        ``group``, ``entity`` and ``day``, where there are any -> column.
    features : list of str
    words : list of str
        Those of `features` that are not numbers.
    part : ndarray of shape (n,), or None
        File of each row, from 0, if there are several.
    """

    frame: pd.DataFrame
    label: str
    roles: dict[str, str]
    features: list[str]
    words: list[str]
    part: Ints | None


def read_raw_table(
    path: str | os.PathLike[str],
    label: str | int | None,
    *,
    validation: str | os.PathLike[str] | None = None,
    test: str | os.PathLike[str] | None = None,
    format: str | None = None,
    reader: Mapping[str, Any] | None = None,
    roles: Mapping[str, str | int | None] | None = None,
    keep: Sequence[str | int] | None = None,
    drop: Sequence[str | int] = (),
    impute: str | None = None,
) -> RawTable:
    """Read files of one form, and find out which column is what; see `file_table` for the parameters.

    `roles` are columns that name things, by what for; None where there are none.

    Raises
    ------
    DatasetError
        If a file or a column is missing, the files differ in their columns, label or a role have gaps, or the
        features have and `impute` is left out.
    """
    import pandas as pd

    where = f"dataset {path}"
    if impute not in (None, "median"):
        raise DatasetError(f"{where}: impute must be median, or left out, got {impute!r}")
    name = format_of(path) if format is None else format
    listed(where, "drop", drop, (str, int), "columns")
    if keep is not None:
        listed(where, "keep", keep, (str, int), "columns")
    frame, part = _read([p for p in (path, validation, test) if p is not None], name, reader)
    if label is None:
        if name != "svmlight":
            raise DatasetError(f"{where}: label is not given: name the column of the labels, or its number")
        label = "label"

    label = column_of(frame, label, where)
    columns = {role: column_of(frame, c, where) for role, c in (roles or {}).items() if c is not None}
    for role, column in columns.items():
        if column == label:
            raise DatasetError(
                f"{where}: column {label!r} cannot be both label and {role}: name another {role}"
            )
    aside = {label, *columns.values(), *(column_of(frame, c, where) for c in drop)}
    if name == "svmlight":
        aside.add("qid")
    features = [c for c in frame.columns if c not in aside]
    if keep is not None:
        features = [column_of(frame, c, where) for c in keep]
        if both := aside & set(features):
            raise DatasetError(
                f"{where}: column {min(both)!r} cannot be a feature and something else as well"
            )
    if not features:
        raise DatasetError(f"{where}: no column is left for the features beside {', '.join(sorted(aside))}")
    unnamed = [c for c in features if _UNNAMED.fullmatch(c)] if keep is None else []
    if unnamed:
        raise DatasetError(
            f"{where}: column {frame.columns.get_loc(unnamed[0]) + 1} has no name, as row numbers written "
            "by pandas: put its number in drop, or name the features in keep"
        )
    named = {c: present(frame[c], where) for c in (label, *columns.values())}
    frame = frame.assign(**{**named, **{c: cleaned(frame[c], where) for c in features}})
    if impute is None:
        _refuse_gaps(frame[features], where)
    words = [c for c in features if not pd.api.types.is_numeric_dtype(frame[c])]
    return RawTable(frame, label, columns, features, words, part)


def column_of(frame: pd.DataFrame, wanted: str | int, where: str) -> str:
    """Return the name of a column given by its name or number."""
    if str(wanted) in frame.columns:
        return str(wanted)
    number = wanted if isinstance(wanted, int) and not isinstance(wanted, bool) else 0
    if 1 <= abs(number) <= frame.shape[1]:
        return frame.columns[number - 1 if number > 0 else number]
    raise DatasetError(f"{where}: no column {wanted!r}; {did_you_mean(wanted, frame.columns)}")


def cleaned(column: pd.Series, where: str) -> pd.Series:
    """Return a column, text without blanks around it and a gap where nothing is left.

    Raises
    ------
    DatasetError
        If it holds complex numbers or no single values.
    """
    import pandas as pd

    name = column.name
    if pd.api.types.is_complex_dtype(column):
        raise DatasetError(f"{where}: column {name!r} has complex numbers: drop it, or take real parts")
    if pd.api.types.is_numeric_dtype(column):  # of those types with a gap of their own, plain ones
        nullable = pd.api.types.is_extension_array_dtype(column) and column.isna().any()
        return column.astype(np.float64) if nullable else column
    column = column.astype(object).map(lambda v: v.strip() if isinstance(v, str) else v)
    odd = next((v for v in column if not isinstance(v, Hashable)), None)
    if odd is not None:
        raise DatasetError(f"{where}: column {name!r} holds lists or mappings, such as {odd!r}: drop it")
    blank = column.isin([""])
    column = column.mask(blank | column.isna(), np.nan)
    if blank.any():  # which alone may have made text of numbers
        numbers = pd.to_numeric(column, errors="coerce")
        if (numbers.isna() == column.isna()).all():
            return numbers
    return column


def present(column: pd.Series, where: str) -> pd.Series:
    """Return a cleaned column that may have no gaps."""
    column = cleaned(column, where)
    if column.isna().any():
        raise DatasetError(f"{where}: {_gaps(column)}: fill them in or drop these rows")
    return column


def _gaps(column: pd.Series) -> str:
    missing = column.isna()
    return (
        f"column {column.name!r} has {int(missing.sum())} missing values, the first in data row "
        f"{int(missing.argmax()) + 1}"
    )


def _refuse_gaps(features: pd.DataFrame, where: str) -> None:
    """Say of each feature with gaps how many, and the lines of YAML that are the remedy."""
    lacking = [c for c in features if features[c].isna().any()]
    if lacking:
        raise DatasetError(
            f"{where}: {'; '.join(_gaps(features[c]) for c in lacking)}. Add to params\n"
            "    impute: median\n"
            "which fills them by what is learnt from training items (numbers: the median; text: the most "
            "frequent value), or leave these columns out:\n"
            f"    drop: [{', '.join(lacking)}]"
        )


def _read(
    paths: Sequence[str | os.PathLike[str]], format: str, reader: Mapping[str, Any] | None
) -> tuple[pd.DataFrame, Ints | None]:
    """Return the rows of all files, and of which file each is if there are several."""
    import pandas as pd

    frames = [read_frame(path, format, reader) for path in paths]
    if len(frames) == 1:
        return frames[0], None
    first = list(frames[0].columns)
    for path, frame in zip(paths[1:], frames[1:], strict=True):
        if list(frame.columns) != first:
            raise DatasetError(
                f"dataset {path}: its {frame.shape[1]} columns are not the {len(first)} of {paths[0]}: "
                "give files of one form (of SVMlight: with n_features)"
            )
    return pd.concat(frames, ignore_index=True), np.repeat(range(len(frames)), [len(f) for f in frames])
