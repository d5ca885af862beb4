"""Opening a file, as bytes or text: uncompressed, from an archive, or from what was read once."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import PurePosixPath
from typing import IO, Any

from attop_bench.data.errors import DatasetError
from attop_bench.files import StrPath

#: Exceptions of reading a damaged compressed file, besides OSError.
BROKEN = (
    EOFError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    NotImplementedError,
)
#: Most bytes that a compressed file may hold.
MOST_BYTES = 1 << 32
#: Most bytes of a table's file that are held in memory beside its rows.
_MOST_HELD = 1 << 26
_PART = 1 << 20
#: Marks at the start of a text of two or four bytes a sign; UTF-32's begins as UTF-16's does.
_WIDE = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32"}
_WIDE |= {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", **_WIDE}


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
        with (
            zipfile.ZipFile(path) as box,
            box.open(_named(box.namelist(), wanted)) as inside,
        ):
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
    """Open a file with its uncompressed content, read once; the path where that is too large to hold.

    A path that leads to no file, or to a damaged one, is returned too: what reads it says what is wrong.
    """
    if isinstance(path, Held) or not os.path.isfile(path):
        return path
    if os.path.getsize(path) > _MOST_HELD:  # its content is no smaller
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
    opener: Any = next(
        (opener for magic, opener in _MAGIC.items() if start.startswith(magic)),
        None,
    )
    if opener is None:
        return file
    return io.BufferedReader(_Bounded(opener(file), file, path))


def open_text(path: StrPath, encoding: str | None = None) -> io.TextIOWrapper:
    """Open text, by default in UTF-8, or what the mark at the start says."""
    with open_bytes(path) as file:
        start = file.read(6)
    marked = next(
        (name for mark, name in _MARKS.items() if start.startswith(mark)), "utf-8"
    )
    binary = open_bytes(path)
    if start == 2 * codecs.BOM_UTF8:
        binary.read(3)
    try:
        return io.TextIOWrapper(binary, encoding or marked, newline="")
    except LookupError as error:
        raise DatasetError(
            f"dataset {path}: {error}: name one such as cp1252"
        ) from None


def encoding_of(path: StrPath) -> tuple[str, str] | None:
    """Guess the likely encoding of a file that is not UTF-8, and a word that shows it."""
    with open_bytes(path) as file:
        start = file.read(1 << 16)
        if start.startswith(tuple(_WIDE)):
            return None
        if start.count(0) > len(start) / 5:
            wide = "utf-32-" if start.count(0) > len(start) / 2 else "utf-16-"
            wide += (
                "le"
                if start[1::2].count(0) > start[::2].count(0) or start[:1] != b"\0"
                else "be"
            )
            return wide, start.decode(wide, "replace")[:20]
        decoder, data = codecs.getincrementaldecoder("utf-8")(), start
        while data:
            try:
                decoder.decode(data)
            except UnicodeDecodeError:
                break
            data = file.read(1 << 20)
        else:
            return None
    # Bytes 80 to 9f are letters and quotes of Windows' code page, but for five that it has not.
    name = "latin-1" if re.search(rb"[\x81\x8d\x8f\x90\x9d]", data) else "cp1252"
    word = re.search(rb"[^\s,;\t|\"]*[\x80-\xff][^\s,;\t|\"]*", data)
    return name, word[0].decode(name)[:30] if word else ""


class _Bounded(io.RawIOBase):
    """Content of a compressed file, refused beyond a limit: a small file may grow to any size."""

    def __init__(self, inside: IO[bytes], packed: IO[bytes], path: StrPath):
        self.inside, self.packed, self.path, self.left = (
            inside,
            packed,
            path,
            MOST_BYTES,
        )

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
    names = [
        n
        for n in box.namelist()
        if not n.endswith(("/", ".DS_Store")) and "__MACOSX" not in n
    ]
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
