"""Files of SVMlight as data sets that stay sparse: no cell is made of a value that the file leaves out."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np

from attop.extending import Floats, Ints
from attop_bench.data.base import LEDGER, Dataset, DatasetError
from attop_bench.data.formats import Table, sorted_by_index
from attop_bench.data.kinds.columns import as_identifiers, positive_labels
from attop_bench.data.ledger import Aside, Ledger
from attop_bench.data.lines import BLANK, COMMENT
from attop_bench.data.parameters import complete
from attop_bench.data.source import BROKEN, open_bytes
from attop_bench.files import StrPath

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: First byte of a line without a row.
_NO_ROW = {b"": BLANK, b"#": COMMENT}


class SparseOptions(Protocol):
    """Options of the kind ``file`` that a sparse one takes."""

    path: StrPath
    validation: StrPath | None
    test: StrPath | None
    positive: Any
    reader: Mapping[str, Any] | None
    copies_together: bool


@dataclass(frozen=True)
class SparseRows:
    """Rows of a file of SVMlight."""

    X: csr_array
    label: Floats
    #: Empty if the file has none.
    query: Ints
    ledger: Ledger


def sparse_file(options: SparseOptions) -> Dataset:
    """Return the rows of files of SVMlight as a data set, with their queries as groups."""
    import pandas as pd
    from scipy import sparse

    paths = [path for path in (options.path, options.validation, options.test) if path is not None]
    files = [read_sparse(path, **dict(options.reader or {})) for path in paths]
    if len({len(rows.query) > 0 for rows in files}) > 1:
        raise DatasetError(f"dataset {options.path}: give a qid to all files, or to none")
    width = max(rows.X.shape[1] for rows in files)
    for rows in files:  # the last features of one may be 0 throughout another
        rows.X.resize((rows.X.shape[0], width))
    X = files[0].X if len(files) == 1 else sparse.vstack([rows.X for rows in files], format="csr")
    frame = pd.DataFrame({"label": np.concatenate([rows.label for rows in files])})
    table = Table(frame, f"dataset {options.path}")
    query = np.concatenate([rows.query for rows in files])
    groups = None
    if len(query):
        groups = as_identifiers(pd.Series(query).astype(str), table.where).to_numpy()
    part = None
    if len(files) > 1:
        part = np.repeat(range(len(files)), [rows.X.shape[0] for rows in files])
    ledger = sum((rows.ledger for rows in files[1:]), files[0].ledger)
    return Dataset(
        os.path.splitext(os.path.basename(options.path))[0],
        X,
        positive_labels(table, "label", options.positive).astype(np.int64),
        groups=groups,
        part=part,
        duplicate_group=sparse_copies(X) if options.copies_together else None,
        facts={
            "source": str(options.path),
            "licence": "the user's own file",
            "positive": f"label {options.positive}",
            LEDGER: ledger.as_dict(),
        },
    )


def sparse_copies(X: csr_array) -> Ints:
    """Return a number for each row of a sparse matrix, the same for rows with the same values.

    Rows are numbered as they first come; an entry that is written as 0 is as one that is left out.
    """
    X = X.copy()
    X.sum_duplicates()
    X.eliminate_zeros()
    first: dict[tuple[bytes, bytes], int] = {}
    numbers = np.empty(X.shape[0], np.int64)
    for row, (start, end) in enumerate(itertools.pairwise(X.indptr.tolist())):
        values = (X.indices[start:end].tobytes(), X.data[start:end].tobytes())
        numbers[row] = first.setdefault(values, len(first))
    return numbers


def read_sparse(path: StrPath, **options: Any) -> SparseRows:
    """Read lines ``label [qid:q] index:value ... [# comment]``, one at a time.

    For `options` see `read_svmlight`, which reads the same values into a table.
    """
    where = f"dataset {path}"
    named = complete(_parse, options, f"{where}: format 'svmlight', sparse", reserved=("path", "in_order"))
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
            f"{where}: not in SVMlight format with {named['n_features'] or 'any number of'} features: "
            f"{error}; check format, n_features and zero_based"
        ) from None


def _parse(
    path: StrPath, *, in_order: bool, n_features: int | None = None, zero_based: bool = False
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
    return SparseRows(sparse.csr_array(parts, shape=X.shape), label, np.asarray(query, np.int64), ledger)


class _Lines:
    """Lines of a file, counted as they are read, those without a row by their kind."""

    def __init__(self, file: IO[bytes], in_order: bool):
        self.file, self.in_order = file, in_order
        self.count = 0
        #: Kind -> number of lines, number of the first, and its text.
        self.empty: dict[str, tuple[int, int, str]] = {}

    def read(self, size: int = -1) -> bytes:
        """Return bytes, as a file does."""
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
        """Return the entries of the lines without a row."""
        return [Aside(rule, *self.empty[rule]) for rule in (BLANK, COMMENT) if rule in self.empty]
