"""What became of the files of a data set: where they lie, or why they cannot be had.

A receipt is a small JSON file that stands for the downloaded files in the workflow. It names their digests,
so that other bytes make the data set anew and the same bytes from elsewhere do not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attop_bench.data.base import DatasetError, Unavailable
from attop_bench.data.fetch import Source, obtain
from attop_bench.data.fetch.source import digest
from attop.core.files import write_text

__all__ = ["failures", "fetch_files", "read_receipt"]


def fetch_files(
    files: Mapping[str, Source],
    cache: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    mirror: str | None = None,
    offline: bool = False,
) -> bool:
    """Get the files of a data set into the cache and write the receipt.

    Parameters
    ----------
    files : mapping
        Parameter of the builder -> `Source`.
    cache : path
        Folder of downloaded files.
    out : path
        Receipt to write. Beside it lies a count of the failures so far; see `failures`.
    mirror, offline
        See `obtain`.

    Returns
    -------
    available : bool
        Whether all files are in the cache.
    """
    found: dict[str, Any] = {}
    for parameter, file in files.items():
        try:
            path = obtain(file, cache, mirror=mirror, offline=offline)
        except Unavailable as error:
            write_text(_counter(out), str(failures(out) + 1))
            write_text(out, json.dumps({"unavailable": [error.reason, error.remedy]}, indent=1) + "\n")
            return False
        found[parameter] = {"path": str(path), "sha256": digest(path)}
    write_text(out, json.dumps({"files": found}, indent=1, sort_keys=True) + "\n")
    return True


def read_receipt(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return parameter -> path of the files.

    Raises
    ------
    Unavailable
        If they could not be had.
    DatasetError
        If a file has left the cache since.
    """
    receipt = json.loads(Path(path).read_text(encoding="utf-8"))
    if "unavailable" in receipt:
        raise Unavailable(*receipt["unavailable"])
    paths = {parameter: file["path"] for parameter, file in receipt["files"].items()}
    for file in paths.values():
        if not os.path.exists(file):
            raise DatasetError(f"{file} was fetched and is gone since: remove {path} and run again")
    return paths


def failures(receipt: str | os.PathLike[str]) -> int:
    """Return how often fetching the files of a receipt has failed so far.

    A workflow that makes this number a parameter of the job tries again what failed, and only that.
    """
    counter = _counter(receipt)
    return int(counter.read_text()) if counter.exists() else 0


def _counter(receipt: str | os.PathLike[str]) -> Path:
    return Path(receipt).with_suffix(".failures")
