"""Files of SVMlight as data sets that stay sparse: no cell is made of a value that the file leaves out."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from attop.extending import Ints
from attop_bench.data.base import LEDGER, Dataset
from attop_bench.data.columns.categories import as_identifiers
from attop_bench.data.columns.labels import positive_labels
from attop_bench.data.errors import DatasetError
from attop_bench.data.ledger import parts_of
from attop_bench.data.reading.svmlight import read_sparse
from attop_bench.data.reading.table import Table
from attop_bench.files import StrPath

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class SparseOptions(Protocol):
    """Options of the kind ``file`` that a sparse one takes."""

    path: StrPath
    validation: StrPath | None
    test: StrPath | None
    positive: Any
    reader: Mapping[str, Any] | None
    copies_together: bool


def sparse_file(options: SparseOptions) -> Dataset:
    """Read files of SVMlight as a data set, with their queries as groups."""
    import pandas as pd

    paths = [
        path
        for path in (options.path, options.validation, options.test)
        if path is not None
    ]
    files = [read_sparse(path, **dict(options.reader or {})) for path in paths]
    if len({len(rows.query) > 0 for rows in files}) > 1:
        raise DatasetError(
            f"dataset {options.path}: give a qid to all files, or to none"
        )
    X = _joined([rows.X for rows in files])
    frame = pd.DataFrame({"label": np.concatenate([rows.label for rows in files])})
    table = Table(frame, f"dataset {options.path}")
    query = np.concatenate([rows.query for rows in files])
    groups = (
        as_identifiers(pd.Series(query).astype(str), table.where).to_numpy()
        if len(query)
        else None
    )
    part, ledger = parts_of([rows.ledger for rows in files])
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


def _joined(parts: list[csr_array]) -> csr_array:
    """Stack the rows of several files; the last features of one may be 0 throughout another."""
    from scipy import sparse

    width = max(X.shape[1] for X in parts)
    for X in parts:
        X.resize((X.shape[0], width))
    return parts[0] if len(parts) == 1 else sparse.vstack(parts, format="csr")


def sparse_copies(X: csr_array) -> Ints:
    """Number the rows of a sparse matrix so that rows with the same values have the same number.

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
