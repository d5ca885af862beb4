"""What became of the files of a data set: where they lie, or why they cannot be had.

A receipt is a small JSON file that stands for the downloaded files in the workflow. It names their digests,
so that other bytes make the data set anew and the same bytes from elsewhere do not.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attop.datasets.base import DatasetError, Unavailable

__all__ = ["failures", "fetch_files", "read_receipt"]


def fetch_files(
    name: str,
    files: Mapping[str, Mapping[str, Any]],
    cache: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    mirror: str | None = None,
    offline: bool = False,
) -> bool:
    """Get the files of a data set into the cache and write the receipt.

    Parameters
    ----------
    name : str
        Of the data set.
    files : mapping
        Parameter of the builder -> ``path``, ``urls``, ``member``, ``sha256``, ``bytes``, ``remedy``; all
        but the first may be missing.
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
            path = _obtain(file, Path(cache), mirror)
        except Unavailable as error:
            _write(_counter(out), str(failures(out) + 1))
            _write(out, json.dumps({"unavailable": [error.reason, error.remedy]}, indent=1) + "\n")
            return False
        found[parameter] = {"path": str(path), "sha256": file.get("sha256") or _sha256(path)}
    _write(out, json.dumps({"files": found}, indent=1, sort_keys=True) + "\n")
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


def _obtain(file: Mapping[str, Any], cache: Path, mirror: str | None) -> Path:
    """Copy a file from the mirror."""
    import shutil

    place = cache / file["path"]
    if not place.exists():
        if mirror is None or not (Path(mirror) / file["path"]).is_file():
            raise Unavailable(f"{file['path']} is not in the mirror {mirror}", f"put it at {place}")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Path(mirror) / file["path"], place)
    if file.get("sha256") not in (None, _sha256(place)):
        raise Unavailable(f"{place} has another checksum than expected", f"remove {place} and get it anew")
    return place


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(path: str | os.PathLike[str], text: str) -> None:
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)
