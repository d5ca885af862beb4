"""Which format a file has, and its reader."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from attop_bench.data.base import DatasetError
from attop_bench.data.builder_parameters import complete
from attop_bench.data.formats.arff import read_arff
from attop_bench.data.formats.columns import refuse_twice
from attop_bench.data.formats.delimited import read_delimited
from attop_bench.data.formats.npz import read_npz
from attop_bench.data.formats.parquet import read_parquet
from attop_bench.data.formats.svmlight import read_svmlight
from attop.core.wording import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FORMATS", "format_of", "read_frame"]

#: Readers by the name of the format.
FORMATS: Mapping[str, Callable[..., pd.DataFrame]] = {
    "csv": read_delimited,
    "parquet": read_parquet,
    "svmlight": read_svmlight,
    "npz": read_npz,
    "arff": read_arff,
}
_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".npz": "npz",
    ".arff": "arff",
}


def format_of(path: str | os.PathLike[str]) -> str:
    """Return the format that the end of a name stands for; ``.gz``, ``.bz2``, ``.xz`` are looked through.

    Raises
    ------
    DatasetError
        If it stands for none.
    """
    name = PurePath(path)
    while name.suffix.lower() in (".gz", ".bz2", ".xz"):
        name = name.with_suffix("")
    try:
        return _SUFFIXES[name.suffix.lower()]
    except KeyError:
        raise DatasetError(
            f"dataset {path}: cannot tell the format from the name: set format to one of {', '.join(FORMATS)}"
        ) from None


def read_frame(
    path: str | os.PathLike[str], format: str | None = None, options: Mapping[str, Any] | None = None
) -> pd.DataFrame:
    """Read a table from a file.

    Parameters
    ----------
    path : path
    format : str, optional
        A key of `FORMATS`; the end of the file's name decides if left out.
    options : mapping, optional
        Parameters of the reader.

    Returns
    -------
    frame : DataFrame
        Columns named by text.

    Raises
    ------
    DatasetError
        If the format or an option is unknown, or the file is missing or not of that format.
    """
    name = format_of(path) if format is None else format
    where = f"dataset {path}"
    if not isinstance(name, str) or name not in FORMATS:
        raise DatasetError(f"{where}: unknown format {name!r}; {did_you_mean(name, FORMATS)}")
    reader = FORMATS[name]
    if not os.path.isfile(path):
        raise DatasetError(f"{where}: there is no such file in {os.getcwd()}: give the path from there")
    filled = complete(reader, options or {}, f"{where}: format {name!r}", reserved=("path",))
    frame = reader(path, **filled)
    frame.columns = frame.columns.map(str)
    refuse_twice(frame.columns, where)
    if len(frame) == 0:
        raise DatasetError(f"{where}: the file has no rows")
    return frame
