"""Files of data sets: from the cache, the user's mirror or the web, checked before anything reads them.

To pooch it adds the mirror, git object ids, members of archives, limits on sizes, and the receipt that stands
for the files in the workflow.
"""

from __future__ import annotations

import errno
import io
import json
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urljoin, urlsplit

from attop_bench.data.errors import DatasetError, Unavailable
from attop_bench.data.files.opening import open_member
from attop_bench.data.files.registries import RECORDS
from attop_bench.data.files.source import Source, digest, kind_of, stays_inside
from attop_bench.files import StrPath, put_in_place, write_text

if TYPE_CHECKING:
    import requests

log = logging.getLogger(__name__)

MIRROR = "ATTOP_MIRROR"  # environment variable

_RETRIES = 3
_BLOCK = 1 << 18
#: Bytes of a download, and of an unpacked file, whose size is not in the configuration.
_CEILING, _UNPACKED_CEILING, _RECORD_CEILING = 4 << 30, 16 << 30, 1 << 20
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
# Client errors that may pass; the others are not worth a retry.
_TEMPORARY = {408, 425, 429}
_HTML = re.compile(
    rb"\s*(<!--.*?-->\s*|<\?xml[^>]*>\s*)*<(!doctype\s+html|html|head|body)\b",
    re.I | re.S,
)


class _Failure(Exception):
    """A place does not give the file; no ValueError, which pooch would retry."""


def obtain(
    source: Source,
    cache: StrPath,
    *,
    mirror: StrPath | None = None,
    offline: bool = False,
) -> Path:
    """Find a file in the cache; get it from the mirror, else from upstream, if it is not there.

    Nothing appears under the file's name before it is whole and its digest right. Archives of members are
    kept in ``archives`` of the cache. `mirror` is a folder or a URL prefix (``http``, ``https`` or ``file``)
    with files named `Source.mirror_path`, by default the environment variable ``ATTOP_MIRROR``. `offline`
    asks no server. Raises `Unavailable`, with a remedy, if no place has the right file or the cache cannot be
    written.
    """
    cache = Path(cache)
    out = cache / source.path
    mirror = str(mirror if mirror is not None else os.environ.get(MIRROR, ""))
    failures = []
    try:
        with _alone(out.parent):
            if out.exists():
                try:
                    _check(out, source)
                    return out
                except _Failure as error:
                    failures.append(f"cache: {error}")
            for place in _places(source, mirror):
                if offline and "://" in place:
                    continue
                try:
                    _get(source, place, cache)
                    return out
                except _Failure as error:
                    log.warning("%s", error)
                    failures.append(str(error))
    except OSError as error:
        raise _disk(error, source, cache) from None
    if offline:
        failures.append("offline: no server was asked")
    elif not source.urls:
        failures.append("no download address is known")
    raise Unavailable(
        f"{source.path}: " + "; ".join(failures), _remedy(source, mirror, out)
    )


def _places(source: Source, mirror: str) -> Iterator[str]:
    """Yield the paths and URLs to try, in order."""
    if mirror and "://" not in mirror:
        yield str(Path(mirror) / source.mirror_path)
    elif mirror.lower().startswith("file://"):
        yield str(Path(unquote(urlsplit(mirror).path)) / source.mirror_path)
    elif mirror.lower().startswith(("http://", "https://")):
        yield f"{mirror.rstrip('/')}/{quote(source.mirror_path)}"
    elif mirror:
        raise DatasetError(
            f"mirror {mirror!r}: expected a folder or a URL of http, https or file"
        )
    yield from source.urls


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process at a time fetch files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        # Without locks two processes may do the same work twice.
        with suppress(ImportError, OSError):
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _get(source: Source, place: str, cache: Path) -> None:
    """Bring the file, or the member of an archive, from one place into the cache."""
    out = cache / source.path
    with tempfile.TemporaryDirectory(
        dir=out.parent, prefix=f".{out.name}."
    ) as folder:
        ready = Path(folder) / "ready"
        if source.record is not None and "://" in place:
            source, place = _follow(source, place, Path(folder) / "record")
        if "://" not in place:
            if not (os.path.isfile(place) and os.access(place, os.R_OK)):
                raise _Failure(f"mirror: no readable file {place}")
            _unpack(Path(place), source, ready, place)
        elif source.member is None:
            _download(place, ready, source.digest, source.bytes or _CEILING)
            _check(ready, source, place)
        else:
            name = PurePosixPath(urlsplit(place).path).name
            archive = out.parent.relative_to(cache) / (
                name if stays_inside(name) else "archive"
            )
            _from_archive(source, place, cache / "archives" / archive, ready)
        put_in_place(ready, out)


def _follow(source: Source, url: str, out: Path) -> tuple[Source, str]:
    """Find the file that a registry's record names, with the digest that is configured, and its address."""
    _download(url, out, None, _RECORD_CEILING)
    try:
        text = out.read_text(encoding="utf-8", errors="replace")
        address, stated, size = RECORDS[str(source.record)](
            text, url, source.version
        )
        source = replace(
            source, digest=source.digest or stated, bytes=source.bytes or size
        )
        return replace(source, urls=[address], record=None), address
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise _Failure(f"{url}: not the record of this data set: {error}") from None


def _from_archive(source: Source, url: str, archive: Path, out: Path) -> None:
    """Take the member out of an archive, which is downloaded if need be and kept for its other members."""
    kept = archive.exists()
    if not kept:
        _download(url, out, None, _CEILING)
        put_in_place(out, archive)
    try:
        _unpack(archive, source, out, url)
    except BaseException as error:
        archive.unlink(missing_ok=True)
        if not (kept and isinstance(error, _Failure)):
            raise
        out.unlink()
        _from_archive(source, url, archive, out)


def _download(url: str, out: Path, expected: str | None, limit: int) -> None:
    """Download a file by pooch."""
    import pooch
    import requests

    log.info("%s: downloading", url)
    pooch.get_logger().setLevel("WARNING")  # it would name the temporary file
    sha256 = f"sha256:{expected}" if expected and len(expected) == 64 else None
    registry, urls = {out.name: sha256}, {out.name: url}
    store = pooch.Pooch(
        out.parent, "", registry=registry, urls=urls, retry_if_failed=_RETRIES
    )
    try:
        store.fetch(out.name, downloader=_Downloader(limit))
    except (requests.RequestException, ValueError) as error:
        raise _Failure(f"{url}: {_why(error)}") from None


#: The connection that an error of urllib3 begins with: an address in memory, or host and port.
_CONNECTION = re.compile(r"^(<[^>]* object at 0x[0-9a-f]+>|\w+\(host=[^)]*\)): ")


def _why(error: Exception) -> str:
    """Say why a download failed: of a connection that was tried again and again, its last error alone."""
    innermost = getattr(error.args[0], "reason", error) if error.args else error
    return _CONNECTION.sub("", " ".join(str(innermost).split()))


class _Downloader:
    """pooch's downloader, with limits of sizes and redirects."""

    def __init__(self, limit: int):
        self.limit = limit

    def __call__(self, url: str, output_file: str, pooch: object) -> None:
        from pooch import HTTPDownloader

        headers = {"User-Agent": "attop", "Accept-Encoding": "identity"}
        get = HTTPDownloader(
            chunk_size=_BLOCK, headers=headers, hooks={"response": self._look}
        )
        os.remove(output_file)  # made for its owner alone; the umask decides
        with _Limited(output_file, self.limit, url) as file:
            get(url, file, pooch)
        _refuse_html(output_file, url)

    def _look(self, response: requests.Response, **options: object) -> None:
        """Refuse an answer by its headers."""
        url, status = response.url, response.status_code
        if response.is_redirect:
            to = urljoin(url, response.headers["location"])
            if not to.lower().startswith(
                ("https://", url.split(":")[0].lower() + "://")
            ):
                raise _Failure(
                    f"{url}: redirects to {to}, which is less safe; not followed"
                )
        elif 400 <= status < 500 and status not in _TEMPORARY:
            raise _Failure(f"{url}: HTTP {status} {response.reason}")
        elif int(response.headers.get("content-length", 0)) > self.limit:
            raise _too_large(url, self.limit)


class _Limited(io.BufferedWriter):
    """A file that refuses to grow beyond its limit."""

    def __init__(self, path: StrPath, limit: int, origin: str):
        super().__init__(io.FileIO(path, "w"))
        self.limit, self.origin = limit, origin

    def write(self, block: Any) -> int:
        if self.tell() + len(block) > self.limit:
            raise _too_large(self.origin, self.limit)
        return super().write(block)


def _too_large(origin: str, limit: int) -> _Failure:
    return _Failure(
        f"{origin}: more than the expected {limit} bytes; if it is right, give its size as bytes"
    )


def _unpack(packed: Path, source: Source, out: Path, origin: str) -> None:
    """Copy the member of an archive, or the file itself if that lies there, and check it."""
    _refuse_html(packed, origin)
    member = source.member
    if source.digest is not None and digest(packed, source.digest) == source.digest:
        member = None
    try:
        with (
            open_member(packed, member) if member else open(packed, "rb") as file,
            _Limited(out, source.bytes or _UNPACKED_CEILING, origin) as target,
        ):
            shutil.copyfileobj(file, target, _BLOCK)
    except (_Failure, MemoryError):
        raise
    # bz2 reports bad data as an OSError without a number, zip as EINVAL.
    except Exception as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        raise _Failure(
            f"{origin}: {str(error) or type(error).__name__}; the archive is damaged or another"
        ) from None
    _check(out, source, origin)


def _refuse_html(path: StrPath, origin: object) -> None:
    """Refuse a web page, which servers send in place of a file that has moved."""
    with open(path, "rb") as file:
        if _HTML.match(file.read(4096).removeprefix(b"\xef\xbb\xbf")):
            raise _Failure(
                f"{origin}: a web page (HTML), not data; the file has moved or asks for a login"
            )


def _check(path: Path, source: Source, origin: object = None) -> None:
    """Refuse a file of another digest or size, an empty file or a web page."""
    origin, size = origin or path, path.stat().st_size
    _refuse_html(path, origin)
    if source.digest is not None:
        if (got := digest(path, source.digest)) != source.digest:
            raise _Failure(
                f"{origin}: expected {kind_of(source.digest)} {source.digest}, got {got} ({size} bytes); "
                "damaged, or changed at its source: remove it if it is yours, else take it from another place"
            )
    elif size == 0:
        raise _Failure(f"{origin}: an empty file")
    elif source.bytes is not None and size != source.bytes:
        raise _Failure(f"{origin}: expected {source.bytes} bytes, got {size}")


def _remedy(source: Source, mirror: str, out: Path) -> str:
    steps = [source.remedy.rstrip(".")] if source.remedy else []
    if source.urls:
        inside = f", take {source.member} out of it" if source.member else ""
        steps.append(f"download {' or '.join(source.urls)} by hand{inside}")
    elif not steps:
        steps.append("get the file by hand")
    folder = mirror if mirror and "://" not in mirror else "a folder of yours"
    steps.append(
        f"put it at {source.mirror_path} in {folder} and name that folder as the mirror "
        f"(--config mirror=... or {MIRROR}), or put it at {out}"
    )
    if source.digest:
        steps.append(f"its {kind_of(source.digest)} must be {source.digest}")
    return "; ".join(steps)


def _disk(error: OSError, source: Source, cache: Path) -> Unavailable:
    reason = f"{source.path}: cannot write to the cache {cache} ({error.strerror or error})"
    if error.errno in _FULL:
        size = f"{source.bytes} bytes" if source.bytes else "space"
        return Unavailable(
            f"{reason}, the disk is full",
            f"free {size} or name a cache on another disk, then run again",
        )
    return Unavailable(
        reason, "make it writable or name another cache folder, then run again"
    )


def fetch_files(
    files: Mapping[str, Source],
    cache: StrPath,
    out: StrPath,
    *,
    mirror: str | None = None,
    offline: bool = False,
    turn: int = 0,
) -> bool:
    """Get the files of a data set into the cache, write the receipt, and return whether all are there.

    The receipt, JSON, stands for the files in the workflow: it has their paths and digests, or the reason why
    they are unavailable. `files` are the sources by parameter of the builder, `out` is the receipt, `turn`
    the `next_turn` before the receipt was removed; for the others see `obtain`.
    """
    receipt: dict[str, dict[str, str]] = {}
    try:
        for parameter, file in files.items():
            path = obtain(file, cache, mirror=mirror, offline=offline)
            receipt[parameter] = {"path": str(path), "sha256": digest(path)}
        content: dict[str, object] = {"files": receipt}
    except Unavailable as error:
        turn, content = turn + 1, {"unavailable": [error.reason, error.remedy]}
    write_text(_counter(out), str(turn))
    write_text(out, json.dumps(content, indent=1, sort_keys=True) + "\n")
    return "files" in content


def read_receipt(path: StrPath) -> dict[str, str]:
    """Read the paths of the files by parameter; raise `Unavailable` if the receipt says so."""
    receipt = json.loads(Path(path).read_text(encoding="utf-8"))
    if "unavailable" in receipt:
        raise Unavailable(*receipt["unavailable"])
    paths = {
        parameter: file["path"] for parameter, file in receipt["files"].items()
    }
    for file in paths.values():
        if not os.path.exists(file):
            raise DatasetError(
                f"{file} was fetched and is gone since: remove {path} and run again"
            )
    return paths


def end_without_data(receipts: Sequence[StrPath]) -> None:
    """End a job where all the files of its run were tried and no data set is available; say so in its log.

    `receipts` are those of all data sets of the run; none, where one needs no file. One that is still to be
    written may be of data that are available. Of each file the job that tried it has said what to do.
    """
    if receipts and all(map(_says_unavailable, receipts)):
        print("no data set of this run is available, so that nothing is trained")
        raise SystemExit(1)


def _says_unavailable(receipt: StrPath) -> bool:
    try:
        return "unavailable" in json.loads(
            Path(receipt).read_text(encoding="utf-8")
        )
    except (OSError, ValueError):
        return False


def next_turn(receipt: StrPath) -> int:
    """Count how often the files of a receipt could not be fetched, or were edited in the cache, so far.

    As a parameter of the job it has the workflow fetch these again.
    """
    counter = _counter(receipt)
    return (int(counter.read_text()) if counter.exists() else 0) + bool(
        edited(receipt)
    )


def edited(receipt: StrPath) -> dict[str, str]:
    """Find the paths, by parameter, of the files whose content is not the one that was fetched.

    It is read only if they were touched since. One that is gone is not edited.
    """
    try:
        files = json.loads(Path(receipt).read_text(encoding="utf-8"))["files"]
        written = os.stat(receipt).st_mtime_ns
    except (OSError, ValueError, KeyError):
        return {}
    found = {}
    for parameter, file in files.items():
        with suppress(OSError):
            # The time of a copy may be an old one.
            touched = os.stat(file["path"]).st_ctime_ns
            if (
                touched >= written
                and _digest_at(file["path"], touched) != file["sha256"]
            ):
                found[parameter] = file["path"]
    return found


@cache
def _digest_at(path: str, time: int) -> str:
    return digest(path)


def _counter(receipt: StrPath) -> Path:
    return Path(receipt).with_suffix(".turn")
