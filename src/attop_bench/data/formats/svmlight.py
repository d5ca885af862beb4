"""SVMlight and LIBSVM files, also with query identifiers (LETOR)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from attop_bench.data.base import DatasetError
from attop_bench.data.fetch.archive import BROKEN, open_bytes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_svmlight"]

_MOST_CELLS = 1 << 29


def read_svmlight(
    path: str | os.PathLike[str], *, n_features: int | None = None, zero_based: bool = False
) -> pd.DataFrame:
    """Read lines ``label [qid:q] index:value ... [# comment]``.

    Parameters
    ----------
    path : path
        Compressed or not.
    n_features : int, optional
        Number of features, where the last ones may not occur; the highest index if left out.
    zero_based : bool
        Whether the first feature has index 0 instead of 1.

    Returns
    -------
    frame : DataFrame
        Columns ``label``, ``qid`` if the file has them, and the features, named by their indices. What a
        line leaves out is 0.

    Raises
    ------
    DatasetError
        If a line has another form, or an index is out of range or so large that the table is.
    """
    import pandas as pd
    from sklearn.datasets import load_svmlight_file

    where = f"dataset {path}"
    try:
        with open_bytes(path) as file:
            X, label, query = load_svmlight_file(
                file, n_features=n_features, zero_based=zero_based, query_id=True
            )
    except (ValueError, OverflowError, OSError, *BROKEN) as error:
        raise DatasetError(
            f"{where}: not in SVMlight format with {n_features or 'any number of'} features, indices from "
            f"{int(not zero_based)}: {error}; check format, n_features and zero_based"
        ) from None
    if len(query) not in (0, len(label)):
        raise DatasetError(
            f"{where}: {len(query)} of {len(label)} lines have a qid: give every line one, or none"
        )
    cells = X.shape[0] * X.shape[1]
    if cells > _MOST_CELLS:
        raise DatasetError(
            f"{where}: {X.shape[0]} rows with indices up to {X.shape[1]} are {8 * cells / 1e9:.3g} GB, since "
            f"tables are held in full, at most {8 * _MOST_CELLS / 1e9:.3g} GB: check the indices, or keep "
            "fewer features"
        )
    first = int(not zero_based)
    frame = pd.DataFrame(X.toarray(), columns=[str(j + first) for j in range(X.shape[1])])
    frame.insert(0, "label", label)
    if len(query):
        frame.insert(1, "qid", np.asarray(query, dtype=np.int64))
    return frame
