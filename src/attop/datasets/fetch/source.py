"""Where one file comes from and how it is recognised."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from attop.datasets.base import DatasetError

__all__ = ["Source", "digest", "looks_like_html", "safe_name"]

_HTML = re.compile(rb"\s*(<!--.*?-->\s*|<\?xml[^>]*>\s*)*<(!doctype\s+html|html|head|body)\b", re.I | re.S)


@dataclass(frozen=True)
class Source:
    """One file, the places that have it, and what it must look like.

    Attributes
    ----------
    path : str
        Name in the cache, with ``/`` between folders.
    urls : sequence of str
        Upstream, in the order of trial; ``http`` or ``https``.
    sha256 : str or None
        Of the file as it lies in the cache, that is of the member where `member` is given.
    bytes : int or None
        Size of the same file; more is never written.
    member : str or None
        Name inside the archive (zip or tar) that upstream or the mirror holds; any name will do where that
        is one compressed file (gz, bz2, xz).
    archive_sha256 : str or None
        Of upstream's archive.
    mirror : str or None
        Name relative to the mirror's root if other than `path`. The mirror may hold the file itself or
        the archive.
    remedy : str or None
        What a person must know to get the file by hand, such as terms to be agreed to.

    Raises
    ------
    DatasetError
        For a name that leaves its folder, a URL that is not of the web, or a malformed digest.
    """

    path: str
    urls: Sequence[str] = ()
    sha256: str | None = None
    bytes: int | None = None
    member: str | None = None
    archive_sha256: str | None = None
    mirror: str | None = None
    remedy: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "urls", (self.urls,) if isinstance(self.urls, str) else tuple(self.urls))
        for name in (self.path, self.mirror_path):
            if not safe_name(name) or PurePosixPath(name).parts[0].startswith("."):
                raise DatasetError(
                    f"file {name!r}: expected a name relative to the cache or mirror, without '..', "
                    "backslash or leading dot"
                )
        for url in self.urls:
            if not url.lower().startswith(("http://", "https://")):
                raise DatasetError(
                    f"file {self.path}: URL {url!r} is neither http nor https; name a folder of this "
                    "machine as the mirror instead"
                )
        for value in (self.sha256, self.archive_sha256):
            if value is not None and not re.fullmatch("[0-9a-f]{64}", value):
                raise DatasetError(
                    f"file {self.path}: sha256 must be 64 lower-case hexadecimal digits, got {value!r}"
                )

    @property
    def mirror_path(self) -> str:
        """Name relative to the mirror's root."""
        return self.mirror or self.path


def safe_name(name: str) -> bool:
    """Return whether a name stays in its folder on every system."""
    parts = PurePosixPath(name).parts
    return bool(parts) and not (
        name.startswith("/") or "\\" in name or "\0" in name or ".." in parts or re.match("[A-Za-z]:", name)
    )


def digest(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def looks_like_html(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a web page, as servers send in place of what has moved."""
    with open(path, "rb") as file:
        return _HTML.match(file.read(4096).removeprefix(b"\xef\xbb\xbf")) is not None
