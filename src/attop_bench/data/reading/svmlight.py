"""SVMlight, a line of indices and values for each row, as a table."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from attop_bench.data.errors import DatasetError
from attop_bench.data.files.opening import BROKEN, open_bytes
from attop_bench.data.ledger import Aside, Ledger
from attop_bench.data.reading.lines import BLANK, COMMENT
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd


_MOST_CELLS = 1 << 29
#: Columns of a table have names, which no one reads beyond so many.
_MOST_COLUMNS = 1 << 20
#: First byte of a line of SVMlight without a row.
_NO_ROW = {BLANK: b"", COMMENT: b"#"}


def read_svmlight(path: StrPath, *, n_features: int | None = None, zero_based: bool = False) -> pd.DataFrame:
    """Read lines ``label [qid:q] index:value ... [# comment]``.

    Parameters
    ----------
    path : path
        Compressed or not.
    n_features : int, optional
        Number of features, by default the highest index.
    zero_based : bool
        The first feature has index 0 instead of 1.

    Returns
    -------
    frame : DataFrame
        Columns ``label``, ``qid`` if the file has it, and the features, named by their indices; 0 where a
        line leaves one out.
    """
    import pandas as pd
    from sklearn.datasets import load_svmlight_file

    where = f"dataset {path}"
    try:
        with open_bytes(path) as file:
            content = io.BytesIO(file.read())
        options = {"n_features": n_features, "zero_based": zero_based, "query_id": True}
        try:
            X, label, query = load_svmlight_file(content, **options)
        except ValueError as error:
            if "sorted" not in str(error):
                raise
            content.seek(0)
            X, label, query = load_svmlight_file(
                io.BytesIO(b"".join(map(sorted_by_index, content))), **options
            )
    except (ValueError, OverflowError, OSError, *BROKEN) as error:
        raise DatasetError(
            f"{where}: not in SVMlight format with {n_features or 'any number of'} features, indices from "
            f"{int(not zero_based)}: {error}; check format, n_features and zero_based"
        ) from None
    if len(query) not in (0, len(label)):
        raise DatasetError(f"{where}: {len(query)} of {len(label)} lines have a qid: give it to all, or none")
    cells = X.shape[0] * X.shape[1]
    if cells > _MOST_CELLS:
        raise DatasetError(
            f"{where}: {X.shape[0]} rows with indices up to {X.shape[1]} are {8 * cells / 1e9:.3g} GB, since "
            f"tables are held in full, at most {8 * _MOST_CELLS / 1e9:.3g} GB: set sparse: true, check the "
            "indices, or keep fewer features"
        )
    if X.shape[1] > _MOST_COLUMNS:
        raise DatasetError(
            f"{where}: indices up to {X.shape[1]:,} are as many columns, at most {_MOST_COLUMNS:,} are read: "
            "set sparse: true, check the indices, or number the features that occur from 1"
        )
    first = int(not zero_based)
    frame = pd.DataFrame(X.toarray(), columns=[str(j + first) for j in range(X.shape[1])])
    frame.insert(0, "label", label)
    if len(query):
        frame.insert(1, "qid", np.asarray(query, dtype=np.int64))
    read, aside = _aside_of_svmlight(content.getvalue())
    frame.attrs["ledger"] = Ledger(read, len(frame), tuple(aside))
    return frame


def _aside_of_svmlight(content: bytes) -> tuple[int, list[Aside]]:
    """Return the number of lines of SVMlight, and those without a row."""
    lines = content.splitlines()
    starts = [line.lstrip()[:1] for line in lines]
    empty = {rule: [i for i, start in enumerate(starts) if start == mark] for rule, mark in _NO_ROW.items()}
    entries = [
        Aside(rule, len(places), places[0] + 1, lines[places[0]].decode("latin-1").strip()[:60])
        for rule, places in empty.items()
        if places
    ]
    return len(lines), entries


def sorted_by_index(line: bytes) -> bytes:
    """Return a line of SVMlight with its indices in order."""
    label, *fields = line.partition(b"#")[0].split() or [b""]
    place = {field: int(field.partition(b":")[0]) for field in fields if not field.startswith(b"qid")}
    fields.sort(key=lambda field: place.get(field, -1))
    return b" ".join([label, *fields]) + b"\n"
