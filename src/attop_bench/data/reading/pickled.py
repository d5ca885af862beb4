"""Pickled tables, which are read by their digest alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attop_bench.data.errors import DatasetError
from attop_bench.data.files.opening import open_bytes, open_member
from attop_bench.data.files.source import check_digest
from attop_bench.files import StrPath

if TYPE_CHECKING:
    import pandas as pd


def read_pickle(
    path: StrPath, digest: str, member: str | None = None
) -> pd.DataFrame:
    """Read a pickled DataFrame, or mapping of columns, if the file has the digest of its `Source`.

    Any other pickle may run anything. `member` names the pickle in an archive.
    """
    import pandas as pd

    if not digest:
        raise DatasetError(
            f"{path}: a pickle is read only with its digest: give it in the catalogue"
        )
    check_digest(path, digest)
    try:
        with open_member(path, member) if member else open_bytes(path) as file:
            return pd.DataFrame(pd.read_pickle(file))
    # Depends on the version of pandas that wrote the file.
    except Exception as error:
        raise DatasetError(
            f"dataset {path}: {member or 'it'} is not a pickled table ({type(error).__name__}: {error}): "
            "save it as Parquet or CSV and use the kind file"
        ) from None
