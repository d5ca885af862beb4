"""SVMlight, a line of indices and values for each row: sparse, or as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from attop.extending import Floats, Ints
from attop_bench.data.errors import DatasetError
from attop_bench.data.files.opening import BROKEN, open_bytes
from attop_bench.data.ledger import Aside, Ledger
from attop_bench.data.parameters import complete
from attop_bench.data.reading.lines import BLANK, COMMENT
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_array

_MOST_CELLS = 1 << 29
#: Columns of a table have names, which no one reads beyond so many.
_MOST_COLUMNS = 1 << 20
#: First byte of a line without a row.
_NO_ROW = {b"": BLANK, b"#": COMMENT}


@dataclass(frozen=True)
class SparseRows:
    """Rows of a file of SVMlight."""

    X: csr_array
    label: Floats
    #: Empty if the file has none.
    query: Ints
    ledger: Ledger


def read_svmlight(
    path: StrPath, *, n_features: int | None = None, zero_based: bool = False
) -> pd.DataFrame:
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

    where = f"dataset {path}"
    rows = read_sparse(path, n_features=n_features, zero_based=zero_based)
    X = rows.X
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
    frame = pd.DataFrame(
        X.toarray(), columns=[str(j + first) for j in range(X.shape[1])]
    )
    frame.insert(0, "label", rows.label)
    if len(rows.query):
        frame.insert(1, "qid", rows.query)
    frame.attrs["ledger"] = rows.ledger
    return frame


def sorted_by_index(line: bytes) -> bytes:
    """Sort a line of SVMlight by its indices."""
    label, *fields = line.partition(b"#")[0].split() or [b""]
    place = {
        field: int(field.partition(b":")[0])
        for field in fields
        if not field.startswith(b"qid")
    }
    fields.sort(key=lambda field: place.get(field, -1))
    return b" ".join([label, *fields]) + b"\n"


def read_sparse(path: StrPath, **options: Any) -> SparseRows:
    """Read lines ``label [qid:q] index:value ... [# comment]``, one at a time.

    For `options` see `read_svmlight`, which reads the same values into a table.
    """
    where = f"dataset {path}"
    named = complete(
        _parse,
        options,
        f"{where}: format 'svmlight', sparse",
        reserved=("path", "in_order"),
    )
    try:
        try:
            return _parse(path, in_order=False, **named)
        except ValueError as error:
            if "sorted" not in str(error):
                raise
        return _parse(path, in_order=True, **named)
    except (ValueError, OverflowError, OSError, *BROKEN) as error:
        if isinstance(error, DatasetError):
            raise
        raise DatasetError(
            f"{where}: not in SVMlight format with {named['n_features'] or 'any number of'} features, "
            f"indices from {int(not named['zero_based'])}: {error}; check format, n_features and zero_based"
        ) from None


def _parse(
    path: StrPath,
    *,
    in_order: bool,
    n_features: int | None = None,
    zero_based: bool = False,
) -> SparseRows:
    from scipy import sparse
    from sklearn.datasets import load_svmlight_file

    with open_bytes(path) as file:
        lines = _Lines(file, in_order)
        X, label, query = load_svmlight_file(
            lines, n_features=n_features, zero_based=zero_based, query_id=True
        )
    if len(query) not in (0, len(label)):
        raise DatasetError(
            f"dataset {path}: {len(query)} of {len(label)} lines have a qid: give it to all, or none"
        )
    if not len(label):
        raise DatasetError(f"dataset {path}: the file has no rows")
    small = X.nnz < 2**31 and X.shape[1] < 2**31
    index = np.int32 if small else np.int64
    parts = (X.data, X.indices.astype(index), X.indptr.astype(index))
    ledger = Ledger(lines.count, len(label), tuple(lines.asides()))
    return SparseRows(
        sparse.csr_array(parts, shape=X.shape),
        label,
        np.asarray(query, np.int64),
        ledger,
    )


class _Lines:
    """Lines of a file, counted as they are read, those without a row by their kind."""

    def __init__(self, file: IO[bytes], in_order: bool):
        self.file, self.in_order = file, in_order
        self.count = 0
        #: Kind -> number of lines, number of the first, and its text.
        self.empty: dict[str, tuple[int, int, str]] = {}

    def read(self, size: int = -1) -> bytes:
        """Read bytes, as a file does."""
        return self.file.read(size)

    def __iter__(self) -> Iterator[bytes]:
        for line in self.file:
            self.count += 1
            rule = _NO_ROW.get(line.lstrip()[:1])
            if rule is not None:
                text = line.decode("latin-1").strip()[:60]
                count, first, shown = self.empty.get(rule, (0, self.count, text))
                self.empty[rule] = count + 1, first, shown
            yield sorted_by_index(line) if self.in_order else line

    def asides(self) -> Sequence[Aside]:
        """List the entries of the lines without a row."""
        return [
            Aside(rule, *self.empty[rule])
            for rule in (BLANK, COMMENT)
            if rule in self.empty
        ]
