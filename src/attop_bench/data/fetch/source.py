"""Where one file comes from and how it is recognised."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field
from io import BufferedReader
from pathlib import PurePosixPath
from typing import Any

from attop_bench.data.base import DatasetError

__all__ = ["Source", "check_digest", "digest", "kind_of_digest", "looks_like_html", "safe_name"]

_HTML = re.compile(rb"\s*(<!--.*?-->\s*|<\?xml[^>]*>\s*)*<(!doctype\s+html|html|head|body)\b", re.I | re.S)


def _said(text: str, default: Any = MISSING) -> Any:
    return field(default=default, metadata={"description": text})


@dataclass(frozen=True)
class Source:
    """One file, the places that have it, and what it must look like.

    This is also an entry of ``files`` in a configuration, whose reference is made of the descriptions here.

    Raises
    ------
    DatasetError
        For a name that leaves its folder, a URL that is not of the web, a malformed digest, or no size.
    """

    path: str = _said("Where it lies below the cache, with `/` between folders.")
    urls: Sequence[str] = _said("Where it is from, by http or https, tried in this order.", ())
    digest: str | None = _said(
        "What its content must be, as it lies in the cache: 64 digits of SHA-256, or the 40 of a git object "
        "id. Any content is taken if left out.",
        None,
    )
    bytes: int | None = _said(
        "Its size. More is never written; if left out, no more than 4 GiB are downloaded.", None
    )
    member: str | None = _said(
        "Its name in the archive (zip or tar) that the URLs or the mirror hold; any name will do for a file "
        "that is only compressed (gz, bz2, xz).",
        None,
    )
    archive_digest: str | None = _said("What the archive of the URLs must be; written as `digest` is.", None)
    mirror: str | None = _said(
        "Where it, or the archive it is in, lies below the mirror, if elsewhere than `path`.", None
    )
    remedy: str = _said("What a person must know to get it by hand, such as terms to be agreed to.", "")

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
        for name in ("digest", "archive_digest"):
            value = getattr(self, name)
            if value is not None and not re.fullmatch("[0-9a-f]{64}|[0-9a-f]{40}", value):
                raise DatasetError(
                    f"file {self.path}: {name} must be 64 lower-case hexadecimal digits (SHA-256) or 40 (git "
                    f"object id), got {value!r}"
                )
        if self.bytes is not None and self.bytes < 1:
            raise DatasetError(f"file {self.path}: bytes must be at least 1, got {self.bytes}")

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


def digest(path: str | os.PathLike[str], like: str | None = None) -> str:
    """Return the SHA-256 of a file, or what is to be compared with `like`: see `Source.digest`.

    A git object id is the SHA-1 of ``blob``, the size, a zero byte and the content. Repositories list it for
    files that nobody states a SHA-256 of. What has been done with SHA-1 is to make two files of one id, not
    to make another file of the id of a given one.
    """
    with open(path, "rb") as file:
        return _digest(file, like)


def _digest(file: BufferedReader, like: str | None) -> str:
    if like is not None and len(like) == 40:
        start = f"blob {os.fstat(file.fileno()).st_size}\0".encode()
        return hashlib.file_digest(file, lambda: hashlib.sha1(start, usedforsecurity=False)).hexdigest()
    return hashlib.file_digest(file, "sha256").hexdigest()


def check_digest(file: BufferedReader, expected: str, name: object) -> None:
    """Raise `DatasetError` unless an open file has the digest; it is at its beginning before and after."""
    got = _digest(file, expected)
    if got != expected:
        raise DatasetError(
            f"{name}: expected {kind_of_digest(expected)} {expected}, got {got}; it was not read: remove it "
            "and download it again"
        )
    file.seek(0)


def kind_of_digest(text: str) -> str:
    """Return what a message calls a digest."""
    return "git object id" if len(text) == 40 else "sha256"


def looks_like_html(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a web page, as servers send in place of what has moved."""
    with open(path, "rb") as file:
        return _HTML.match(file.read(4096).removeprefix(b"\xef\xbb\xbf")) is not None
