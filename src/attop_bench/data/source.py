"""One file of a data set: its places, its digest, and opening it."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field
from itertools import islice
from pathlib import PurePosixPath
from typing import IO, Any, Literal

from attop.extending import join_first
from attop_bench.data.base import DatasetError
from attop_bench.files import StrPath

#: Exceptions of reading a damaged compressed file, besides OSError.
BROKEN = (EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, NotImplementedError)

#: Most bytes that a compressed file may hold.
MOST_BYTES = 1 << 32

#: Most bytes of a table's file that are held in memory beside its rows.
_MOST_HELD = 1 << 30
_PART = 1 << 20


def _described(text: str, default: Any = MISSING) -> Any:
    return field(default=default, metadata={"description": text})


@dataclass(frozen=True)
class Source:
    """One file and its places: an entry of ``files`` in a configuration, whose reference has these texts."""

    path: str = _described("Its place below the cache, with `/` between folders.")
    urls: Sequence[str] = _described("Its addresses, by http or https, tried in this order.", ())
    digest: str | None = _described(
        "That of its content in the cache: 64 digits of SHA-256, 40 of a git object id, or 32 of MD5. Any "
        "content is taken if left out.",
        None,
    )
    bytes: int | None = _described(
        "Its size. More is never written; if left out, no more than 4 GiB are downloaded.", None
    )
    member: str | None = _described(
        "Its name in the archive (zip or tar) that the URLs or the mirror hold; any name will do for a file "
        "that is only compressed (gz, bz2, xz).",
        None,
    )
    mirror: str | None = _described("Its place, or its archive's, below the mirror, if not `path`.", None)
    remedy: str = _described("A way to get it by hand, such as terms to be agreed to.", "")
    record: Literal["openml", "git-lfs"] | None = _described(
        "The kind of record at the URLs, which names the file and its digest: OpenML's description of a data "
        "set, or a pointer of Git LFS.",
        None,
    )
    version: int | None = _described("Version that OpenML's description must be of.", None)

    def __post_init__(self) -> None:
        object.__setattr__(self, "urls", (self.urls,) if isinstance(self.urls, str) else tuple(self.urls))
        for name in (self.path, self.mirror_path):
            if not stays_inside(name) or PurePosixPath(name).parts[0].startswith("."):
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
        if self.digest and not re.fullmatch("[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32}", self.digest):
            raise DatasetError(
                f"file {self.path}: digest must be 64 lower-case hexadecimal digits (SHA-256), 40 (git "
                f"object id) or 32 (MD5), got {self.digest!r}"
            )
        if self.bytes is not None and self.bytes < 1:
            raise DatasetError(f"file {self.path}: bytes must be at least 1, got {self.bytes}")

    @property
    def mirror_path(self) -> str:
        """Name relative to the mirror's root."""
        return self.mirror or self.path


@contextmanager
def open_member(path: StrPath, member: str) -> Iterator[IO[bytes]]:
    """Open one file of a zip or tar, the content of a compressed file, or a plain file.

    Raises KeyError if the archive has no such file, and any of `BROKEN`, ValueError or OSError if it is
    damaged.
    """
    wanted = PurePosixPath(member)
    with open(path, "rb") as file:
        zipped = file.read(4) == b"PK\3\4"
    with open_bytes(path) as file:
        tarred = file.read(262)[257:] == b"ustar"  # of tars of the last decades
    if zipped:
        with zipfile.ZipFile(path) as box, box.open(_named(box.namelist(), wanted)) as inside:
            yield inside
    elif tarred:
        with tarfile.open(path) as tape:
            opened = tape.extractfile(_named(tape.getnames(), wanted))
            if opened is None:
                raise ValueError(f"{member} is no regular file")
            yield opened
    else:
        with open_bytes(path) as plain:
            yield plain


def _named(names: Sequence[str], wanted: PurePosixPath) -> str:
    for name in names:
        if PurePosixPath(name) == wanted:
            return name
    raise KeyError(f"no {wanted} among {', '.join(names[:5])}")


class Held(str):
    """The path of a file whose content is held: whatever opens it gets a view of what was read once."""

    content: bytes


def hold(path: StrPath) -> StrPath:
    """Return a file with its uncompressed content, read once; the path where that is too large to hold.

    A path that leads to no file, or to a damaged one, is returned too: what reads it says what is wrong.
    """
    if isinstance(path, Held) or not os.path.isfile(path):
        return path
    try:
        with open_bytes(path) as file:
            parts = iter(lambda: file.read(_PART), b"")
            content = b"".join(islice(parts, _MOST_HELD // _PART + 1))
    except (OSError, *BROKEN):
        return path
    if len(content) > _MOST_HELD:
        return path
    held = Held(os.fspath(path))
    held.content = content
    return held


def open_bytes(path: StrPath) -> IO[bytes]:
    """Open a file for reading, uncompressed (gz, bz2, xz, zst, zip of one file) by its first bytes."""
    if isinstance(path, Held):
        return io.BytesIO(path.content)
    file = open(path, "rb")  # noqa: SIM115 - whoever opens it closes it
    start = file.read(6)
    file.seek(0)
    opener: Any = next((opener for magic, opener in _MAGIC.items() if start.startswith(magic)), None)
    if opener is None:
        return file
    return io.BufferedReader(_Bounded(opener(file), file, path))


class _Bounded(io.RawIOBase):
    """Content of a compressed file, refused beyond a limit: a small file may grow to any size."""

    def __init__(self, inside: IO[bytes], packed: IO[bytes], path: StrPath):
        self.inside, self.packed, self.path, self.left = inside, packed, path, MOST_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self.inside.read(len(buffer))
        self.left -= len(content)
        if self.left < 0:
            raise DatasetError(
                f"dataset {self.path}: it grows to more than {MOST_BYTES / 1e9:.3g} GB when it is unpacked, "
                "which is not read: unpack it and check what it holds, or give fewer rows"
            )
        buffer[: len(content)] = content
        return len(content)

    def close(self) -> None:
        self.inside.close()
        self.packed.close()
        super().close()


def _open_zst(file: IO[bytes]) -> IO[bytes]:
    import pyarrow

    stream: Any = pyarrow.CompressedInputStream(file, "zstd")
    return io.BufferedReader(stream)


def _open_zip(file: IO[bytes]) -> IO[bytes]:
    """Open the only file of a zip archive, besides what macOS adds; of several, the archive itself."""
    box = zipfile.ZipFile(file)
    names = [n for n in box.namelist() if not n.endswith(("/", ".DS_Store")) and "__MACOSX" not in n]
    if len(names) == 1:
        return box.open(names[0])
    file.seek(0)
    return file


_MAGIC = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"\x28\xb5\x2f\xfd": _open_zst,
    b"PK\3\4": _open_zip,
}


#: First bytes of formats that are read, and of others, with the reader of pandas that has them.
_READ = (
    ("parquet", rb"PAR1"),
    ("excel", rb"PK\x03\x04|\xd0\xcf\x11\xe0"),
    ("arff", rb"(?i)(\s*%[^\n]*\n)*\s*@(relation|attribute)\s"),
    ("svmlight", rb"[-+]?\d+(\.\d+)?( qid:\d+)? \d+:[-+\d.eE]+ \d+:"),
)
_FOREIGN = (
    ("a Feather file", rb"ARROW1|FEA1", "read_feather"),
    ("JSON lines", rb"\s*\{[^\n]*\}\s*\n\s*\{", "read_json(lines=True)"),
    ("JSON", rb"\s*(\{\s*[\"}]|\[\s*[\[{])", "read_json"),
    ("HTML", rb"(?i)\s*<(!doctype|html|table|head|body|div)", "read_html"),
    ("XML", rb"\s*<\?xml", "read_xml"),
    ("a pickle", rb"\x80[\x02-\x05]", "read_pickle"),
    ("a Stata file", rb"<stata_dta>|[\x6c-\x73][\x01\x02]\x01\x00", "read_stata"),
    ("an SPSS file", rb"\$FL[23]", "read_spss"),
    ("a SAS file", rb"\x00{12}\xc2\xea\x81\x60", "read_sas"),
    ("an HDF5 file", rb"\x89HDF", "read_hdf"),
    ("an SQLite database", rb"SQLite format 3", "read_sql"),
    ("an R file", rb"(RD[XA]\d\n)?[XA]\n(\x00\x00\x00|[23]\n)", ""),
    ("a PDF", rb"%PDF", ""),
    ("an image", rb"\x89PNG|\xff\xd8\xff|GIF8", ""),
    ("a NumPy array", rb"\x93NUMPY", ""),
    ("an archive", rb"7z\xbc\xaf|Rar!|.{257}ustar|PK\x05\x06", ""),
)


def refuse_foreign(path: StrPath, form: str = "csv") -> None:
    """Refuse a file of another format than `form` by its first bytes, and say what it is."""
    where = f"dataset {path}"
    try:
        with open_bytes(path) as file:
            start = file.read(1 << 12).removeprefix(b"\xef\xbb\xbf")
            names = _names_in(start + file.read()) if start.startswith(b"PK\3\4") else []
    except (OSError, *BROKEN):
        return  # its reader says more
    if form == "npz":
        return
    if names and not {"[Content_Types].xml", "mimetype"} & {*names}:
        held = f"{len(names)} files, {join_first(names, 3)}"
        raise DatasetError(f"{where}: this is an archive of {held}: unpack it and give one of them")
    for other, pattern in _READ:
        if other != form and re.match(pattern, start):
            raise DatasetError(f"{where}: this is of the format {other}: set format (--format) to {other}")
    for what, pattern, reader in _FOREIGN:
        if re.match(pattern, start, re.DOTALL):
            how = f", as by pandas.{reader} and to_csv(index=False)" if reader else ""
            raise DatasetError(
                f"{where}: this is {what}, which is not read: save the table in it as CSV{how}"
            )


def _names_in(archive: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(archive)) as box:
        return box.namelist()


def stays_inside(name: str) -> bool:
    """Return whether a name stays in its folder on every system."""
    parts = PurePosixPath(name).parts
    return bool(parts) and not (
        name.startswith("/") or "\\" in name or "\0" in name or ".." in parts or re.match("[A-Za-z]:", name)
    )


def digest(path: StrPath, expected: str | None = None) -> str:
    """Return the SHA-256 of a file, or its git object id or MD5 if `expected` is one; see `Source.digest`.

    A git object id is the SHA-1 of ``blob``, the size, a zero byte and the content; no other file of a given
    id can be made.
    """
    name = {32: "md5", 40: "sha1"}.get(len(expected or ""), "sha256")
    start = f"blob {os.path.getsize(path)}\0".encode() if name == "sha1" else b""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.new(name, start, usedforsecurity=False)).hexdigest()


def check_digest(path: StrPath, expected: str) -> None:
    """Refuse a file of another digest."""
    if (got := digest(path, expected)) != expected:
        raise DatasetError(
            f"{path}: expected {kind_of(expected)} {expected}, got {got}; it was not read: remove it and "
            "download it again"
        )


def kind_of(digest: str) -> str:
    """Return the name of a digest in messages."""
    return {32: "md5", 40: "git object id"}.get(len(digest), "sha256")
