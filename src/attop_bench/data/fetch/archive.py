"""Taking one file out of an archive nobody vouches for.

Nothing is ever written under a name the archive chose: the caller names the output.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, Any, cast

from attop_bench.data.base import DatasetError
from attop_bench.data.fetch.source import safe_name
from attop.core.files import replacing

__all__ = ["BROKEN", "ArchiveError", "Limits", "extract", "is_packed", "open_bytes"]

_BLOCK = 1 << 18
_MAGIC = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
#: What reading a damaged file raises, besides OSError.
BROKEN = (
    EOFError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    NotImplementedError,  # a packing that zipfile does not know
)


class ArchiveError(DatasetError):
    """An archive that is broken, hostile, or without the file looked for."""


@dataclass(frozen=True)
class Limits:
    """What an archive may hold, and how large a download may be.

    Attributes
    ----------
    download : int
        Bytes of a download whose size is not known beforehand.
    bytes : int
        Unpacked, up to and with the file taken out.
    members : int
        Number of entries.
    ratio : float
        Unpacked bytes per packed byte, once more than `free` bytes are unpacked: tables of numbers reach 20,
        archives made to fill a disk 1,000.
    free : int
        Bytes for which the ratio is not asked.
    """

    download: int = 4 << 30
    bytes: int = 16 << 30
    members: int = 20_000
    ratio: float = 200.0
    free: int = 1 << 26


def is_packed(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a zip, a tar, or compressed, by its content."""
    if _opener(path) is not None or zipfile.is_zipfile(path):
        return True
    with open(path, "rb") as file:
        if file.read(4) == b"PK\3\4":  # a zip that is cut off
            return True
        file.seek(0)
        return _is_tar(file)


def extract(
    archive: str | os.PathLike[str],
    member: str,
    out: str | os.PathLike[str],
    limits: Limits | None = None,
) -> None:
    """Take one regular file out of a zip, tar or compressed file, whole or not at all.

    Parameters
    ----------
    archive : path
        Recognised by its content: zip; tar, plain or in gz, bz2, xz; or one file in gz, bz2, xz.
    member : str
        Name in the archive; not looked at for one compressed file.
    out : path
        To be written.
    limits : Limits, optional

    Raises
    ------
    ArchiveError
        If the archive is broken, holds more than the limits allow, has any entry whose name leaves the
        folder, or `member` is missing, encrypted, or anything but a regular file.
    OSError
        If `out` cannot be written.
    """
    with replacing(out) as target:
        for block in _unpacked(archive, member, limits or Limits()):
            target.write(block)


class _Metered:
    """Counts what is unpacked and stops at the limits, whatever the archive claims of its sizes."""

    def __init__(self, file: IO[bytes], packed: int, limits: Limits, what: object):
        self.file, self.packed, self.limits, self.what, self.count = file, packed, limits, what, 0

    def read(self, size: int = _BLOCK) -> bytes:
        block = self.file.read(min(size, _BLOCK))
        self.count += len(block)
        _weigh(self.count, self.packed, self.limits, self.what)
        return block

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.read, b"")


def _weigh(count: int, packed: int, limits: Limits, what: object) -> None:
    if count > limits.bytes:
        raise ArchiveError(
            f"{what} unpacks to more than {limits.bytes} bytes, the most expected: remove it and get it from "
            "a source you trust"
        )
    if count > limits.free and count > limits.ratio * max(packed, 1):
        raise ArchiveError(
            f"{what} unpacks to more than {limits.ratio:g} times its {packed} bytes, as archives made to "
            "fill a disk do: remove it and get it from a source you trust"
        )


def _broken(archive: object, error: Exception) -> ArchiveError:
    said = str(error) or type(error).__name__
    return ArchiveError(f"{archive} is cut off or damaged ({said}): remove it and download it again")


def _unpacked(archive: str | os.PathLike[str], member: str, limits: Limits) -> Iterator[bytes]:
    """Yield the member block by block, whatever a damaged archive raises in one voice."""
    try:
        with open_bytes(archive) as stream:
            yield from _blocks(archive, stream, member, limits)
    except ArchiveError:
        raise
    except Exception as error:
        # bz2 reports bad data as an OSError without a number, a zip with places outside the file as EINVAL.
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        raise _broken(archive, error) from None


def _blocks(
    archive: str | os.PathLike[str], stream: IO[bytes], member: str, limits: Limits
) -> Iterator[bytes]:
    packed = os.path.getsize(archive)
    tar = _is_tar(stream)
    stream.seek(0)
    if tar:
        # every name is looked at before anything is taken out, so twice through
        with _tape(_Metered(stream, packed, limits, archive)) as tape:
            _check_tar(archive, tape, member, limits)
        stream.seek(0)
        with _tape(_Metered(stream, packed, limits, archive)) as tape:
            info = next(info for info in tape if _same(info.name, member))
            yield from _Metered(cast("IO[bytes]", tape.extractfile(info)), packed, limits, archive)
    elif _opener(archive):
        yield from _Metered(stream, packed, limits, archive)
    elif zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as box:
            entry = _in_zip(archive, box, member, limits)
            with box.open(entry) as file:
                yield from _Metered(file, min(packed, entry.compress_size), limits, archive)
    else:
        raise ArchiveError(
            f"{archive} is cut off or no archive (zip, tar, gz, bz2, xz): remove it and download it again"
        )


def _tape(stream: _Metered) -> tarfile.TarFile:
    return tarfile.open(fileobj=stream, mode="r|")  # type: ignore[call-overload]


def _is_tar(stream: Any) -> bool:
    """Return whether a stream begins as tars of the last decades do."""
    return stream.read(262)[257:] == b"ustar"


def open_bytes(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a file for reading, uncompressed (gz, bz2, xz) by what its first bytes say, whatever its name."""
    return (_opener(path) or open)(path, "rb")


def _opener(path: str | os.PathLike[str]) -> Any:
    with open(path, "rb") as file:
        start = file.read(6)
    return next((opener for magic, opener in _MAGIC.items() if start.startswith(magic)), None)


def _in_zip(archive: object, box: zipfile.ZipFile, member: str, limits: Limits) -> zipfile.ZipInfo:
    entries = box.infolist()
    found = None
    for number, info in enumerate(entries, 1):
        _accept(archive, info.orig_filename, number, limits)
        if _same(info.filename, member):
            found = info
    if found is None:
        raise _missing(archive, member, [info.filename for info in entries])
    kind = found.external_attr >> 16 & 0o170000
    if found.is_dir() or kind not in (0, 0o100000):
        raise _irregular(archive, member)
    if found.flag_bits & 1:
        raise ArchiveError(f"{archive}: {member} is encrypted: get the file without a password")
    return found


def _check_tar(archive: object, tape: tarfile.TarFile, member: str, limits: Limits) -> None:
    names = []
    for number, info in enumerate(tape, 1):
        _accept(archive, info.name, number, limits)
        names.append(info.name)
        if info.issparse():
            raise ArchiveError(
                f"{archive}: {info.name} is a sparse file, which may unpack to any size: pack it without"
            )
        if info.size < 0:
            raise ArchiveError(
                f"{archive}: {info.name} claims a size of {info.size}: remove it and download it again"
            )
        _weigh(info.size, info.size, limits, archive)
        if _same(info.name, member) and not info.isreg():
            raise _irregular(archive, member)
    if not any(_same(name, member) for name in names):
        raise _missing(archive, member, names)


def _accept(archive: object, name: str, number: int, limits: Limits) -> None:
    if number > limits.members:
        raise ArchiveError(
            f"{archive} has more than {limits.members} entries: remove it and get it from a source you trust"
        )
    if not safe_name(name) and PurePosixPath(name) != PurePosixPath("."):
        raise ArchiveError(
            f"{archive} has an entry {name!r} that would be written outside its folder; nothing was "
            "unpacked: remove it and get it from a source you trust"
        )


def _same(name: str, member: str) -> bool:
    return PurePosixPath(name) == PurePosixPath(member)


def _irregular(archive: object, member: str) -> ArchiveError:
    return ArchiveError(
        f"{archive}: {member} is a link, folder or device, expected a regular file: get it from a source "
        "you trust"
    )


def _missing(archive: object, member: str, names: list[str]) -> ArchiveError:
    shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    return ArchiveError(f"{archive} has no {member}, it has: {shown or 'nothing'}; correct the member's name")
