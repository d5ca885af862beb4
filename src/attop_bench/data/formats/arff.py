"""Weka's attribute-relation files.

With SciPy's reader in its place a user would lose files with text attributes, with quoted values that have a
blank, or with anything but ASCII, and the message where a row has too many fields.
"""

from __future__ import annotations

import io
import os
import re
from typing import TYPE_CHECKING

from attop_bench.data.base import DatasetError
from attop_bench.data.fetch.archive import BROKEN, open_bytes
from attop_bench.data.formats.columns import refuse_twice

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_arff"]

_ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"[^\"]*\"|\S+)\s+(.+)", re.IGNORECASE)


def read_arff(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a dense ARFF file in UTF-8; ``?`` is a missing value.

    Raises
    ------
    DatasetError
        If a line of the header is not understood, the data are in the sparse form, or a row has another
        number of fields than there are attributes.
    """
    import pandas as pd

    where = f"dataset {path}"
    names: list[str] = []
    numeric: list[str] = []
    try:
        with open_bytes(path) as file:
            text = io.TextIOWrapper(file, encoding="utf-8")
            for line in text:
                line = line.strip()
                if not line or line.startswith("%") or line.lower().startswith("@relation"):
                    continue
                if line.lower().startswith("@data"):
                    break
                found = _ATTRIBUTE.fullmatch(line)
                if found is None:
                    raise DatasetError(f"{where}: not a line of an ARFF header: {line[:60]!r}")
                name = found[1].strip("'\"")
                names.append(name)
                if found[2].strip().lower() in ("numeric", "real", "integer"):
                    numeric.append(name)
            else:
                raise DatasetError(f"{where}: no line @data: the file is cut off or is not ARFF")
            rows = [line for line in text if line.strip() and not line.lstrip().startswith("%")]
    except (UnicodeDecodeError, OSError, *BROKEN) as error:
        raise DatasetError(f"{where}: not an ARFF file in UTF-8: {error}") from None
    if rows and rows[0].lstrip().startswith("{"):
        raise DatasetError(f"{where}: sparse ARFF is not read: save it in the dense form or as LIBSVM")
    try:
        frame = pd.read_csv(
            io.StringIO("".join(rows)),
            header=None,
            quotechar="'",
            escapechar="\\",
            skipinitialspace=True,
            na_values=["?"],
            keep_default_na=False,
            index_col=False,
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise DatasetError(f"{where}: not the rows of an ARFF file: {error}") from None
    if frame.shape[1] != len(names):
        raise DatasetError(
            f"{where}: {len(names)} attributes but rows of {frame.shape[1]} fields: one of each is needed"
        )
    refuse_twice(names, where)
    frame.columns = pd.Index(names)
    for name in numeric:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            bad = frame[name][pd.to_numeric(frame[name], errors="coerce").isna() & frame[name].notna()].iloc[
                0
            ]
            raise DatasetError(f"{where}: attribute {name!r} is numeric but has the value {bad!r}")
    return frame
