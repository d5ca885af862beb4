"""A file in the cache: from the user's mirror, else from upstream."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import tempfile
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from attop_bench.data.base import DatasetError, Unavailable
from attop_bench.data.fetch.archive import ArchiveError, Limits, extract, is_packed
from attop_bench.data.fetch.source import Source, digest, kind_of_digest, looks_like_html, safe_name
from attop_bench.data.fetch.transfer import Patience, TransferError, transfer
from attop.core.files import put_in_place

__all__ = ["MIRROR", "obtain"]

log = logging.getLogger(__name__)

MIRROR = "ATTOP_MIRROR"  # environment variable

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_CLOSED = {errno.EROFS, errno.EACCES, errno.EPERM}


def obtain(
    source: Source,
    cache: str | os.PathLike[str],
    *,
    mirror: str | os.PathLike[str] | None = None,
    offline: bool = False,
    patience: Patience | None = None,
    limits: Limits | None = None,
) -> Path:
    """Return the path of a file in the cache, getting it if need be.

    The cache is asked first, then the mirror, then upstream in order. Nothing appears under the file's
    name before it is whole and its checksum right.

    Parameters
    ----------
    source : Source
    cache : path
        Folder of files; made if missing. Archives that files were taken from are kept in ``archives``,
        beginnings of long transfers that broke in ``.partial``.
    mirror : path or str, optional
        Folder or URL prefix (``http``, ``https`` or ``file``) under which files have `Source.mirror_path`
        as name. Default: the environment variable ``ATTOP_MIRROR``.
    offline : bool, default False
        Ask no server; a mirror that is a folder is used all the same.
    patience : Patience, optional
        Attempts, timeouts and pauses.
    limits : Limits, optional
        For archives.

    Returns
    -------
    path : Path

    Raises
    ------
    Unavailable
        If no place has the right file or the cache cannot be written; the remedy says how to get it by
        hand and where to put it.
    """
    cache = Path(cache)
    mirror = str(mirror if mirror is not None else os.environ.get(MIRROR, "")) or None
    if mirror and "://" in mirror and not mirror.lower().startswith(("http://", "https://", "file://")):
        raise DatasetError(f"mirror {mirror!r}: expected a folder or a URL of http, https or file")
    try:
        return _Search(source, cache, mirror, offline, patience or Patience(), limits or Limits()).run()
    except OSError as error:
        raise _disk(error, source, cache) from None


class _Search:
    """One call of `obtain`: the places asked, and what each of them lacked."""

    def __init__(
        self,
        source: Source,
        cache: Path,
        mirror: str | None,
        offline: bool,
        patience: Patience,
        limits: Limits,
    ):
        self.source, self.cache, self.mirror, self.offline = source, cache, mirror, offline
        self.patience, self.limits = patience, limits
        self.out = cache / source.path
        self.failures: list[str] = []

    def run(self) -> Path:
        if self.out.exists():
            try:
                self._check(self.out, str(self.out))
                return self.out
            except TransferError as error:
                self.failures.append(f"cache: {error}")
        prefix = None
        if self.mirror is not None:
            prefix = self.mirror if "://" in self.mirror else None
            if prefix is None or prefix.lower().startswith("file://"):
                folder = Path(unquote(urlsplit(prefix).path) if prefix else self.mirror)
                if self._from_folder(folder):
                    return self.out
                prefix = None
        urls = list(self.source.urls)
        if prefix is not None:
            urls.insert(0, prefix.rstrip("/") + "/" + quote(self.source.mirror_path))
        if self.offline:
            self.failures.append("offline: no server was asked")
            urls = []
        elif not urls:
            self.failures.append("no download address is known")
        for url in urls:
            try:
                self._from_url(url, from_mirror=prefix is not None and url is urls[0])
                return self.out
            except (TransferError, ArchiveError) as error:
                log.warning("%s", error)
                self.failures.append(str(error))
        raise Unavailable(f"{self.source.path}: " + "; ".join(self.failures), self._remedy())

    def _from_folder(self, folder: Path) -> bool:
        """Copy from a mirror that is a folder."""
        place = folder / self.source.mirror_path
        if not place.is_file() or not os.access(place, os.R_OK):
            self.failures.append(f"mirror: no readable file {place}")
            return False
        try:
            self._settle(place, str(place))
        except (TransferError, ArchiveError) as error:
            self.failures.append(f"mirror: {error}")
            return False
        return True

    def _from_url(self, url: str, from_mirror: bool) -> None:
        """Download the file, or the archive it is taken from."""
        work = self.cache / ".partial"
        source = self.source
        if source.member is None:
            limit = source.bytes or self.limits.download
            transfer(url, self.out, work, lambda p: self._check(p, url), self.patience, limit)
            return
        name = Path(urlsplit(url).path).name
        name = name if name and safe_name(name) else "archive"
        store = self.cache / "archives" / Path(source.path).parent / name

        def check(path: Path) -> None:
            if looks_like_html(path):
                raise _page(url)
            if source.archive_digest is not None and not from_mirror:
                _compare(path, source.archive_digest, url)

        while True:
            old = store.exists()  # kept since another of its files was taken out
            transfer(url, store, work, check, self.patience, self.limits.download)
            try:
                self._settle(store, url)
                if not is_packed(store):  # the mirror had the file itself
                    store.unlink()
                return
            except BaseException as error:
                store.unlink(missing_ok=True)
                if not (old and isinstance(error, TransferError | ArchiveError)):
                    raise

    def _settle(self, found: Path, origin: str) -> None:
        """Bring a file at hand into the cache: as it is, or the member taken out of it."""
        source = self.source
        self.out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.out.parent, prefix=f".{self.out.name}.") as folder:
            copy = Path(folder) / "file"
            plain = source.digest is not None and digest(found, source.digest) == source.digest
            if source.member is not None and not plain and (is_packed(found) or not source.digest):
                if looks_like_html(found):
                    raise _page(origin)
                extract(found, source.member, copy, self.limits)
            else:
                shutil.copyfile(found, copy)
            self._check(copy, origin)
            put_in_place(copy, self.out)

    def _check(self, path: Path, origin: str) -> None:
        """Raise TransferError unless the file is the right one, as far as is known."""
        source = self.source
        if source.digest is not None:
            if looks_like_html(path) and digest(path, source.digest) != source.digest:
                raise _page(origin)
            _compare(path, source.digest, origin)
        elif looks_like_html(path):
            raise _page(origin)
        elif path.stat().st_size == 0:
            raise TransferError(f"{origin}: an empty file")
        elif source.bytes is not None and path.stat().st_size != source.bytes:
            raise TransferError(f"{origin}: expected {source.bytes} bytes, got {path.stat().st_size}")

    def _remedy(self) -> str:
        source, steps = self.source, []
        if source.remedy:
            steps.append(source.remedy.rstrip("."))
        if source.urls:
            inside = f", take {source.member} out of it" if source.member else ""
            steps.append(f"download {' or '.join(source.urls)} by hand{inside}")
        elif not source.remedy:
            steps.append("get the file by hand")
        folder = self.mirror if self.mirror and "://" not in self.mirror else "a folder of yours"
        steps.append(
            f"put it at {source.mirror_path} in {folder} and name that folder as the mirror "
            f"(--config mirror=... or {MIRROR}), or put it at {self.out}"
        )
        if source.digest:
            steps.append(f"its {kind_of_digest(source.digest)} must be {source.digest}")
        return "; ".join(steps)


def _compare(path: Path, expected: str, origin: str) -> None:
    got = digest(path, expected)
    if got != expected:
        raise TransferError(
            f"{origin}: expected {kind_of_digest(expected)} {expected}, got {got} "
            f"({path.stat().st_size} bytes); the file is damaged or was changed at its source: remove it if "
            "it is yours, else take it from another place"
        )


def _page(origin: str) -> TransferError:
    return TransferError(
        f"{origin}: a web page (HTML) instead of data; the file has moved or a login is asked for"
    )


def _disk(error: OSError, source: Source, cache: Path) -> Unavailable:
    """Say what the file system refused."""
    what = f"{source.path}: cannot write to the cache {cache}"
    if error.errno in _FULL:
        size = f" at least {source.bytes} bytes" if source.bytes else " space"
        return Unavailable(
            f"{what}, the disk is full", f"free{size} there or name a cache on another disk, then run again"
        )
    if error.errno in _CLOSED:
        return Unavailable(
            f"{what}, it is read-only ({error.strerror})",
            "make it writable or name a cache folder that you may write to, then run again",
        )
    return Unavailable(
        f"{what} ({error.strerror or error})", "solve this or name another cache folder, then run again"
    )
