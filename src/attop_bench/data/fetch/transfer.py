"""One file over HTTP: retries, resumption, and no file of the final name before it is whole."""

from __future__ import annotations

import hashlib
import http.client
import json
import logging
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from attop_bench.data.fetch.punctual import Http, Https
from attop.core.files import put_in_place, write_text

__all__ = ["Patience", "TransferError", "transfer", "workplace"]

log = logging.getLogger(__name__)

_BLOCK = 1 << 18
_WORTH_KEEPING = 1 << 20  # bytes; a shorter beginning is simply fetched again
_PASSING = {408, 425, 429, 500, 502, 503, 504}  # statuses that may be different in a moment

_LARGER = "if the file is right, give its size as bytes"


class TransferError(Exception):
    """A file that one address does not give; `again` says whether it may later."""

    def __init__(self, message: str, again: bool = False):
        super().__init__(message)
        self.again = again


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a server to another address, but never from https to http, nor away from the web."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        before, after = (urlsplit(url).scheme.lower() for url in (req.full_url, newurl))
        if after != "https" and (after, before) != ("http", "http"):
            fp.close()
            raise TransferError(f"{req.full_url}: sends on to {newurl}, which is less safe; not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


_OPENER = urllib.request.build_opener(_Redirects, Http, Https)


@dataclass(frozen=True)
class Patience:
    """How long to wait for a server.

    Attributes
    ----------
    attempts : int
        Per address, at least 1.
    timeout : float
        Seconds for the connection, for the headers of the answer as a whole, and for each read.
    pause : float
        Seconds before the second attempt; each further pause is twice as long, at most a minute.
    least : float
        Bytes a second, on average over a download that has taken longer than `timeout`; a slower one is given
        up, since a server that sends a byte now and then would never end.
    report : float
        Seconds between two lines of progress in the log.
    sleep, clock : callable
        For tests.
    """

    attempts: int = 4
    timeout: float = 30.0
    pause: float = 1.0
    least: float = 1000.0
    report: float = 10.0
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


def transfer(
    url: str,
    out: Path,
    work: Path,
    check: Callable[[Path], None],
    patience: Patience,
    limit: int,
) -> None:
    """Download `url` to `out`, whole or not at all.

    Parameters
    ----------
    url : str
    out : Path
    work : Path
        Folder of unfinished files on the same file system. The beginning of a long transfer that broke
        stays there for the next call if the server has said how to recognise the same file.
    check : callable
        Raises TransferError if the file, given by its path, is not the right one.
    patience : Patience
    limit : int
        Most bytes accepted.

    Raises
    ------
    TransferError
        If the address does not give the file.
    OSError
        If the file cannot be written.
    """
    with workplace(work, url) as folder:
        if out.exists():  # another process was faster
            try:
                return check(out)
            except TransferError:
                pass
        part, note = folder / "part", folder / "note.json"
        keep = False
        try:
            for attempt in range(1, patience.attempts + 1):
                resumed = part.exists() and part.stat().st_size > 0
                try:
                    _receive(url, part, note, patience, limit)
                    try:
                        check(part)
                    except TransferError as error:
                        part.unlink()  # never resumed; a whole file of one request is not asked for twice
                        raise TransferError(str(error), again=resumed) from None
                    put_in_place(part, out)
                    return
                except TransferError as error:
                    if not error.again or attempt == patience.attempts:
                        keep = error.again
                        tries = f" ({attempt} attempts)" if attempt > 1 else ""
                        raise TransferError(f"{error}{tries}") from None
                    wait = min(60.0, patience.pause * 2 ** (attempt - 1))
                    log.warning("%s; attempt %d follows in %g s", error, attempt + 1, wait)
                    patience.sleep(wait)
        finally:
            keep = keep and note.exists() and part.exists() and part.stat().st_size >= _WORTH_KEEPING
            if not keep:
                part.unlink(missing_ok=True)
                note.unlink(missing_ok=True)


def _receive(url: str, part: Path, note: Path, patience: Patience, limit: int) -> None:
    """Append to the partial file what is missing, or start it anew."""
    known = _read(note) if part.exists() else {}
    start = part.stat().st_size if known.get("url") == url and known.get("validator") else 0
    headers = {"User-Agent": "attop", "Accept-Encoding": "identity"}
    if start:
        headers |= {"Range": f"bytes={start}-", "If-Range": known["validator"]}
    try:
        answer = _OPENER.open(urllib.request.Request(url, headers=headers), timeout=patience.timeout)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:
            part.unlink(missing_ok=True)
        raise TransferError(
            f"{url}: HTTP {error.code} {error.reason}", error.code in _PASSING or error.code == 416
        ) from None
    except (OSError, http.client.HTTPException) as error:
        said = " ".join(str(getattr(error, "reason", None) or error).split())
        said = said or f"no HTTP answer ({type(error).__name__})"
        raise TransferError(f"{url}: {said}", again=True) from None
    except ValueError as error:  # an address that is none
        raise TransferError(f"{url}: {error}") from None
    with answer:
        validator = _validator(answer.headers)
        if answer.status == 206 and not (
            start and validator == known["validator"] and _starts_at(answer.headers, start)
        ):  # a server that heeds Range and not If-Range, and the file is another by now
            part.unlink(missing_ok=True)
            raise TransferError(f"{url}: another part of the file than asked for", again=True)
        if answer.status != 206:
            start = 0  # the whole file comes
        length = answer.headers.get("Content-Length")
        total = start + int(length) if length is not None and length.isdigit() else None
        if total is not None and total > limit:
            raise TransferError(f"{url}: {total} bytes, expected at most {limit}; {_LARGER}")
        with open(part, "ab" if start else "wb") as file:
            if validator:
                write_text(note, json.dumps({"url": url, "validator": validator}))
            else:
                note.unlink(missing_ok=True)
            got = _copy(url, answer, file, start, total, limit, patience)
    if total is not None and got < total:
        raise TransferError(f"{url}: broke off after {got} of {total} bytes", again=True)


def _copy(
    url: str,
    answer: Any,
    file: BinaryIO,
    got: int,
    total: int | None,
    limit: int,
    patience: Patience,
) -> int:
    """Copy the body and return the size of the file."""
    begun = spoken = patience.clock()
    before = got
    while True:
        try:
            block = answer.read1(_BLOCK)
        except (OSError, http.client.HTTPException) as error:
            raise TransferError(f"{url}: broke off after {got} bytes ({error})", again=True) from None
        if not block:
            return got
        got += len(block)
        if got > limit:
            raise TransferError(f"{url}: more than the expected {limit} bytes; {_LARGER}")
        file.write(block)
        elapsed = patience.clock() - begun
        if elapsed > patience.timeout and got - before < patience.least * elapsed:
            raise TransferError(f"{url}: only {got - before} bytes in {elapsed:.0f} s", again=True)
        if patience.clock() - spoken >= patience.report:
            spoken = patience.clock()
            share = f" of {total / 1e6:.1f} MB ({got / total:.0%})" if total else " MB"
            log.info("%s: %.1f%s", url, got / 1e6, share)


def _validator(headers: Any) -> str | None:
    """Return what recognises the same bytes later: a strong ETag, else the date of change."""
    etag = headers.get("ETag")
    if etag and not etag.startswith("W/"):
        return str(etag)
    return headers.get("Last-Modified")


def _starts_at(headers: Any, start: int) -> bool:
    return str(headers.get("Content-Range", "")).replace(" ", "").startswith(f"bytes{start}-")


def _read(note: Path) -> dict[str, str]:
    try:
        return json.loads(note.read_text())
    except (OSError, ValueError):
        return {}


@contextmanager
def workplace(work: Path, key: str) -> Iterator[Path]:
    """Give a folder for one address to one process at a time; it goes when nothing is left in it."""
    folder = work / hashlib.sha256(key.encode()).hexdigest()[:24]
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:  # the process before has just tidied up
            continue
        _lock(handle)
        if folder.exists() and os.path.samestat(os.fstat(handle), folder.stat()):
            break
        os.close(handle)
    try:
        yield folder
    finally:
        with suppress(OSError):  # not empty: a beginning is kept, or others are at work
            folder.rmdir()
            work.rmdir()
        os.close(handle)


def _lock(handle: int) -> None:
    import fcntl

    with suppress(OSError):  # file systems without locks: two processes may do the same work twice
        fcntl.flock(handle, fcntl.LOCK_EX)
