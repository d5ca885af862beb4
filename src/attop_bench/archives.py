"""Archives: a path that leads into one is that of a member, and is read as a file is.

File systems of clusters count files. So a block of folds keeps those of its folds in one archive
(`attop_bench.run.blocks`), and whoever reads results need not know whether they lie in one.
"""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import IO

from attop_bench.files import StrPath, replacing

#: What marks an archive: not that of NumPy's files, which are archives too.
SUFFIX = ".zip"
#: What reading an archive raises of which a byte was changed, or which is not whole.
DAMAGED = EOFError, RuntimeError, zipfile.BadZipFile, zlib.error


def archive_of(path: StrPath) -> Path | None:
    """Find the archive that a path leads into; None for the path of a file."""
    parents = (parent for parent in Path(path).parents if parent.suffix == SUFFIX)
    return next((parent for parent in parents if not parent.is_dir()), None)


def opened(path: StrPath) -> IO[bytes]:
    """Open a file, or a member of an archive, for reading.

    Raises
    ------
    OSError
        If it is not there, or the archive is damaged.
    """
    archive = archive_of(path)
    if archive is None:
        return open(path, "rb")
    try:
        return io.BytesIO(_zip_file(archive).read(_name(path, archive)))
    except KeyError:
        raise FileNotFoundError(
            f"{archive} has no member {_name(path, archive)}"
        ) from None
    except DAMAGED as error:
        raise OSError(f"{archive} is damaged ({error})") from None


def exists(path: StrPath) -> bool:
    """Tell whether a file, or a member of an archive, exists."""
    archive = archive_of(path)
    if archive is None:
        return os.path.exists(path)
    return archive.exists() and _name(path, archive) in members(archive)


def members(archive: Path) -> list[str]:
    """List the members of an archive in their order; none of one that is damaged or gone."""
    try:
        return _zip_file(archive).namelist()
    except (OSError, *DAMAGED):
        return []


def pack(archive: StrPath, content: Mapping[str, bytes]) -> None:
    """Write an archive, whole or not at all; the same content has the same bytes."""
    with replacing(archive) as file, zipfile.ZipFile(file, "w") as packed:
        for name, data in content.items():
            packed.writestr(zipfile.ZipInfo(name), data)


def unpacked(archive: Path) -> dict[str, bytes]:
    """Read all members of an archive; none of one that is damaged or gone."""
    content = {}
    for name in members(archive):
        with opened(archive / name) as file:
            content[name] = file.read()
    return content


def remove(*paths: StrPath) -> None:
    """Remove files, or members of archives, that may be gone already."""
    gone: dict[Path, set[str]] = {}
    for path in paths:
        archive = archive_of(path)
        if archive is None:
            Path(path).unlink(missing_ok=True)
        elif exists(path):
            gone.setdefault(archive, set()).add(_name(path, archive))
    for archive, names in gone.items():
        pack(
            archive,
            {
                name: data
                for name, data in unpacked(archive).items()
                if name not in names
            },
        )


def _name(path: StrPath, archive: Path) -> str:
    return Path(path).relative_to(archive).as_posix()


def _zip_file(archive: Path) -> zipfile.ZipFile:
    status = os.stat(archive)
    return _zip_file_of(
        str(archive), status.st_mtime_ns, status.st_ino, status.st_size
    )


@lru_cache(maxsize=4)
def _zip_file_of(archive: str, *version: int) -> zipfile.ZipFile:
    """Open an archive and keep it open: to find its members takes longer than to read one of many."""
    return zipfile.ZipFile(archive)
