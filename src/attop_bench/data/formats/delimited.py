"""Text with one row a line: comma, tab or blank separated, with or without a header."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attop_bench.data.base import DatasetError
from attop_bench.data.builder_parameters import listed
from attop_bench.data.fetch.archive import BROKEN, open_bytes
from attop_bench.data.formats.columns import refuse_twice

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_delimited"]


def read_delimited(
    path: str | os.PathLike[str],
    *,
    separator: str | None = None,
    header: bool = True,
    names: Sequence[str] | None = None,
    comment: str | None = None,
    missing: Sequence[str] | Mapping[str, Sequence[str]] = (),
    decimal: str = ".",
) -> pd.DataFrame:
    """Read delimited text in UTF-8.

    Parameters
    ----------
    path : path
        Compressed or not.
    separator : str, optional
        One character, ``"tab"``, or ``"whitespace"`` for runs of blanks; the comma if left out, or the
        tab if the name ends in ``.tsv``.
    header : bool
        Whether the first line holds the names of the columns.
    names : sequence of str, optional
        Names of the columns of a file without header; their numbers from 1 if left out.
    comment : str, optional
        Character from which on the rest of a line is ignored.
    missing : sequence of str, or mapping of column to such
        What stands for a missing value besides nothing, NA, NaN, null and their like: such as ``?`` or -999.
    decimal : str
        ``.`` or ``,``, before the decimals of numbers.

    Raises
    ------
    DatasetError
        If the lines cannot be split into equal numbers of fields, or two columns have one name.
    """
    import warnings

    import pandas as pd

    where = f"dataset {path}"
    if names is not None and header:
        raise DatasetError(f"{where}: names are for a file without header: set header to false")
    if separator is None:
        separator = "tab" if ".tsv" in os.path.basename(path).lower() else ","
    if not isinstance(separator, str):
        raise DatasetError(f"{where}: separator must be one character, tab or whitespace, got {separator!r}")
    if comment is not None and (not isinstance(comment, str) or len(comment) != 1):
        raise DatasetError(f"{where}: comment must be one character, got {comment!r}")
    if names is not None:
        listed(where, "names", names, (str, int), "names")
    marks: Any = _marks(missing, where)
    if decimal not in (".", ","):
        raise DatasetError(f"{where}: decimal must be . or , got {decimal!r}")
    pattern = {"tab": "\t", "whitespace": r"\s+"}.get(separator, separator)
    if len(separator) != 1 and pattern == separator:
        raise DatasetError(f"{where}: separator must be one character, tab or whitespace, got {separator!r}")
    kind = {",": "comma", "\t": "tab", r"\s+": "blank"}.get(pattern, repr(pattern))
    try:
        with open_bytes(path) as file, warnings.catch_warnings():
            # A row longer than the header would otherwise be cut off, or its first field become an index.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                file,
                sep=pattern,
                header=0 if header else None,
                comment=comment,
                index_col=False,
                na_values=marks,
                decimal=decimal,
            )
        if header:  # pandas has given a second column of one name another name
            with open_bytes(path) as file:
                first = pd.read_csv(
                    file, sep=pattern, header=None, nrows=1, comment=comment, index_col=False, dtype=str
                )
            refuse_twice(first.iloc[0].dropna(), where)
    except (
        pd.errors.ParserError,
        pd.errors.ParserWarning,
        pd.errors.EmptyDataError,
        UnicodeDecodeError,
        OSError,
        *BROKEN,
    ) as error:
        form = "with a header " if header else ""
        raise DatasetError(f"{where}: not a {kind} separated file {form}in UTF-8: {error}") from None
    if not header:
        if names is not None and len(names) != frame.shape[1]:
            raise DatasetError(
                f"{where}: {frame.shape[1]} columns but {len(names)} names: give one name a column"
            )
        frame.columns = pd.Index(range(1, frame.shape[1] + 1) if names is None else names).map(str)
    return frame


def _marks(missing: Any, where: str) -> list[Any] | dict[str, list[Any]] | None:
    """Return marks of missing values as pandas takes them."""
    if isinstance(missing, Mapping):
        return {
            str(c): listed(where, f"missing of {c!r}", m, (str, int, float), "marks")
            for c, m in missing.items()
        }
    return listed(where, "missing", missing, (str, int, float), "marks") or None
