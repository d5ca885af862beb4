"""One file of a data set: its places and its digest."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field
from pathlib import PurePosixPath
from typing import Any, Literal

from attop_bench.data.errors import DatasetError
from attop_bench.files import StrPath


def _described(text: str, default: Any = MISSING) -> Any:
    return field(default=default, metadata={"description": text})


@dataclass(frozen=True)
class Source:
    """One file and its places: an entry of ``files`` in a configuration, whose reference has these texts."""

    path: str = _described("Its place below the cache, with `/` between folders.")
    urls: Sequence[str] = _described(
        "Its addresses, by http or https, tried in this order.", ()
    )
    digest: str | None = _described(
        "That of its content in the cache: 64 digits of SHA-256, 40 of a git object id, or 32 of MD5. Any "
        "content is taken if left out.",
        None,
    )
    bytes: int | None = _described(
        "Its size. More is never written; if left out, no more than 4 GiB are downloaded.",
        None,
    )
    member: str | None = _described(
        "Its name in the archive (zip or tar) that the URLs or the mirror hold; any name will do for a file "
        "that is only compressed (gz, bz2, xz).",
        None,
    )
    mirror: str | None = _described(
        "Its place, or its archive's, below the mirror, if not `path`.", None
    )
    remedy: str = _described(
        "A way to get it by hand, such as terms to be agreed to.", ""
    )
    record: Literal["openml", "git-lfs"] | None = _described(
        "The kind of record at the URLs, which names the file and its digest: OpenML's description of a data "
        "set, or a pointer of Git LFS.",
        None,
    )
    version: int | None = _described(
        "Version that OpenML's description must be of.", None
    )

    def __post_init__(self) -> None:
        object.__setattr__(
            self,
            "urls",
            (self.urls,) if isinstance(self.urls, str) else tuple(self.urls),
        )
        for name in (self.path, self.mirror_path):
            if not stays_inside(name) or PurePosixPath(name).parts[0].startswith(
                "."
            ):
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
        if self.digest and not re.fullmatch(
            "[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32}", self.digest
        ):
            raise DatasetError(
                f"file {self.path}: digest must be 64 lower-case hexadecimal digits (SHA-256), 40 (git "
                f"object id) or 32 (MD5), got {self.digest!r}"
            )
        if self.bytes is not None and self.bytes < 1:
            raise DatasetError(
                f"file {self.path}: bytes must be at least 1, got {self.bytes}"
            )

    @property
    def mirror_path(self) -> str:
        """Name relative to the mirror's root."""
        return self.mirror or self.path


def stays_inside(name: str) -> bool:
    """Decide whether a name stays in its folder on every system."""
    parts = PurePosixPath(name).parts
    return bool(parts) and not (
        name.startswith("/")
        or "\\" in name
        or "\0" in name
        or ".." in parts
        or re.match("[A-Za-z]:", name)
    )


def digest(path: StrPath, expected: str | None = None) -> str:
    """Compute the SHA-256 of a file, or its git object id or MD5 if `expected` is one; see `Source.digest`.

    A git object id is the SHA-1 of ``blob``, the size, a zero byte and the content; no other file of a given
    id can be made.
    """
    name = {32: "md5", 40: "sha1"}.get(len(expected or ""), "sha256")
    start = f"blob {os.path.getsize(path)}\0".encode() if name == "sha1" else b""
    with open(path, "rb") as file:
        return hashlib.file_digest(
            file, lambda: hashlib.new(name, start, usedforsecurity=False)
        ).hexdigest()


def check_digest(path: StrPath, expected: str) -> None:
    """Refuse a file of another digest."""
    if (got := digest(path, expected)) != expected:
        raise DatasetError(
            f"{path}: expected {kind_of(expected)} {expected}, got {got}; it was not read: remove it and "
            "download it again"
        )


def kind_of(digest: str) -> str:
    """Name a digest in messages."""
    return {32: "md5", 40: "git object id"}.get(len(digest), "sha256")
