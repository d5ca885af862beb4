"""Files of SVMlight as data sets that stay sparse: no cell is made of a value that the file leaves out."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from attop.extending import Floats, Ints
from attop_bench.data.base import Dataset
from attop_bench.data.columns.categories import as_identifiers
from attop_bench.data.columns.labels import positive_labels
from attop_bench.data.errors import DatasetError
from attop_bench.data.kinds.options import TableOptions
from attop_bench.data.kinds.raw import facts_of_rows, roles_of, weights_of_rows
from attop_bench.data.ledger import parts_of, weight_of
from attop_bench.data.reading.lists import BESIDE, LISTS, WEIGHTS, Beside
from attop_bench.data.reading.svmlight import SparseRows, read_sparse
from attop_bench.data.reading.table import Table
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_array


def sparse_file(options: TableOptions) -> Dataset:
    """Read files of SVMlight as a data set, with their queries as groups, and weights of files beside."""
    import pandas as pd

    paths = options.paths
    reader = dict(options.reader or {})
    places = {source: reader.pop(source.option, None) for source in BESIDE}
    files = [read_sparse(path, **reader) for path in paths]
    frames = [
        _beside(rows, path, places) for rows, path in zip(files, paths, strict=True)
    ]
    if len({tuple(frame) for frame in frames}) > 1:
        raise DatasetError(f"{options.where}: give a qid to all files, or to none")
    table = Table(pd.concat(frames, ignore_index=True), options.where)
    weight = _weights(table, options)
    part, ledger = parts_of([rows.ledger for rows in files])
    X = _joined([rows.X for rows in files])
    ledger = replace(ledger, weight=weight_of(weight))
    return Dataset(
        options.name,
        X,
        positive_labels(table, "label", options.positive).astype(np.int64),
        groups=_groups(table),
        part=part,
        duplicate_group=sparse_copies(X) if options.copies_together else None,
        weight=weight,
        facts=facts_of_rows(options, f"label {options.positive}", ledger, weight),
    )


def _beside(
    rows: SparseRows, path: StrPath, places: Mapping[Beside, object]
) -> pd.DataFrame:
    """Make a table of what a file has of each row besides features, with the values of files beside it."""
    import pandas as pd

    frame = pd.DataFrame({"label": rows.label})
    if len(rows.query):
        frame["qid"] = rows.query
    for source, place in places.items():
        if place is not None:
            frame = source.added(frame, path, place)
    return frame


def _weights(table: Table, options: TableOptions) -> Floats | None:
    """Read the weights of rows, if a file beside has them; they are no feature without a role."""
    roles = roles_of(table.frame.columns, "label", options)
    if WEIGHTS.column in table.frame and not roles:
        raise WEIGHTS.without_role(table.where)
    return weights_of_rows(table, roles)


def _groups(table: Table) -> Ints | None:
    """Number the queries of rows, if they have any."""
    if LISTS.column not in table.frame:
        return None
    query = table.frame[LISTS.column].astype(str)
    return as_identifiers(query, table.where).to_numpy()


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
