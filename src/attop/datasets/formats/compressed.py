"""Files as they are, or compressed by gzip or bzip2."""

from __future__ import annotations

import bz2
import gzip
import os
from typing import IO, cast

__all__ = ["open_bytes"]


def open_bytes(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a file for reading, uncompressed by what its first bytes say, whatever its name."""
    with open(path, "rb") as file:
        start = file.read(3)
    if start[:2] == b"\x1f\x8b":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    if start == b"BZh":
        return bz2.open(path, "rb")
    return open(path, "rb")
