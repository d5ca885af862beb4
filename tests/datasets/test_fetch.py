"""Downloads, archives and pickles that go wrong: one message with the fix, and nothing half-written."""

import bz2
import gzip
import hashlib
import io
import itertools
import json
import os
import pickle
import re
import resource
import shutil
import subprocess
import tarfile
import threading
import time
import urllib.request
import zipfile
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from attop.datasets.base import Dataset, DatasetError, Unavailable, save_unavailable
from attop.datasets.fetch import (
    ArchiveError,
    Limits,
    Patience,
    PickleRefused,
    Source,
    extract,
    load_pickle,
    obtain,
)
from attop.datasets.fetch.transfer import TransferError, _Redirects

DATA = b"1,2,3\n4,5,6\n" * 1000
LONG = bytes(range(256)) * 8192  # 2 MiB: a beginning of it is worth keeping
HTML = b"<!DOCTYPE html>\n<html><body>moved</body></html>"


def sha(data):
    return hashlib.sha256(data).hexdigest()


class Server:
    """Answers each path from a list of behaviours, the last of them for ever."""

    def __init__(self):
        self.pages, self.asked = {}, []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append((self.path, self.headers.get("Range"), self.headers.get("If-Range")))
                page = outer.pages.get(self.path)
                if page is None:
                    self.send_error(404)
                    return
                (page.pop(0) if len(page) > 1 else page[0])(self)

            def log_message(self, *args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def put(self, path, *behaviours):
        self.pages[path] = [whole(b) if isinstance(b, bytes) else b for b in behaviours]
        return self.url + path

    def close(self):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


def whole(data, etag='"a"', ranges=True, send=None, heed_if_range=True):
    """A server of `data` that breaks off after `send` bytes."""

    def answer(handler):
        start, wanted = 0, handler.headers.get("Range")
        same = not heed_if_range or handler.headers.get("If-Range") in (None, etag)
        if wanted and ranges and same:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            handler.send_response(206)
            handler.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        else:
            handler.send_response(200)
        if etag:
            handler.send_header("ETag", etag)
        handler.send_header("Content-Length", str(len(data) - start))
        handler.end_headers()
        handler.wfile.write(data[start : len(data) if send is None else send])

    return answer


def status(code):
    return lambda handler: handler.send_error(code)


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture(autouse=True)
def no_mirror(monkeypatch):
    monkeypatch.delenv("ATTOP_MIRROR", raising=False)


@pytest.fixture
def waits():
    return []


@pytest.fixture
def patience(waits):
    return Patience(attempts=4, timeout=5.0, sleep=waits.append)


def files(folder):
    return sorted(str(p.relative_to(folder)) for p in Path(folder).rglob("*") if p.is_file())


def refused(source, cache, *words, **options):
    """The one message of a failure; nothing may be left in the cache."""
    with pytest.raises(Unavailable) as caught:
        obtain(source, cache, **options)
    for word in words:
        assert word in str(caught.value)
    assert caught.value.remedy
    assert files(cache) == []
    return caught.value


# Sources


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "C:/x", "a\\..\\x", "", ".partial/x"])
def test_names_stay_in_the_cache(path):
    with pytest.raises(DatasetError, match="relative to the cache"):
        Source(path)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://h/x", "/etc/passwd"])
def test_upstream_is_the_web(url):
    with pytest.raises(DatasetError, match="neither http nor https"):
        Source("x", [url])


def test_malformed_digest_is_refused():
    with pytest.raises(DatasetError, match="64 lower-case"):
        Source("x", digest="abc")


def test_mirror_must_be_a_folder_or_the_web(tmp_path):
    with pytest.raises(DatasetError, match="http, https or file"):
        obtain(Source("x"), tmp_path, mirror="ftp://h")


# Downloads


def test_download_and_the_cached_file(server, tmp_path, patience):
    source = Source("a/x.csv", [server.put("/x", DATA)], sha(DATA))
    path = obtain(source, tmp_path, patience=patience)
    assert path == tmp_path / "a/x.csv"
    assert path.read_bytes() == DATA
    assert obtain(source, tmp_path, patience=patience, offline=True) == path
    assert len(server.asked) == 1
    assert files(tmp_path) == ["a/x.csv"]


def test_damaged_cached_file_is_replaced(server, tmp_path, patience):
    (tmp_path / "x").write_bytes(b"damaged")
    obtain(Source("x", [server.put("/x", DATA)], sha(DATA)), tmp_path, patience=patience)
    assert (tmp_path / "x").read_bytes() == DATA


def test_wrong_checksum_says_expected_got_where_and_what_to_do(server, tmp_path, patience, waits):
    url = server.put("/x", DATA[:-1] + b"X")
    source = Source("a/x", [url], sha(DATA))
    error = refused(source, tmp_path, sha(DATA), sha(DATA[:-1] + b"X"), url, patience=patience)
    assert "ATTOP_MIRROR" in error.remedy
    assert "a/x" in error.remedy
    assert waits == []  # the same bytes would come again


def test_second_address_serves_when_the_first_is_wrong(server, tmp_path, patience):
    source = Source("x", [server.put("/bad", b"no"), server.put("/good", DATA)], sha(DATA))
    assert obtain(source, tmp_path, patience=patience).read_bytes() == DATA


@pytest.mark.parametrize("digest", [None, sha(DATA)])
@pytest.mark.parametrize(
    "page", [HTML, b"\xef\xbb\xbf\n<!-- c --><html>", b"<?xml version='1'?><!doctype HTML>"]
)
def test_web_page_instead_of_data(server, tmp_path, patience, digest, page):
    source = Source("x", [server.put("/x", page)], digest)
    refused(source, tmp_path, "a web page (HTML) instead of data", "login", patience=patience)


def test_empty_file_and_wrong_size_without_checksum(server, tmp_path, patience):
    refused(Source("x", [server.put("/x", b"")]), tmp_path, "an empty file", patience=patience)
    source = Source("x", [server.put("/y", DATA)], bytes=len(DATA) + 1)
    refused(source, tmp_path, f"expected {len(DATA) + 1} bytes", patience=patience)


def test_more_bytes_than_expected_are_not_written(server, tmp_path, patience):
    source = Source("x", [server.put("/x", DATA)], bytes=100)
    refused(source, tmp_path, "expected at most 100", patience=patience)


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize("member", [None, "x"])
def test_a_download_of_unknown_size_has_a_ceiling(server, tmp_path, patience, announced, member):
    def endless(handler):
        handler.send_response(200)
        if announced:
            handler.send_header("Content-Length", str(1 << 50))
        handler.end_headers()
        with suppress(OSError):
            while True:
                handler.wfile.write(bytes(1 << 16))

    server.pages["/x"] = [endless]
    source = Source("x", [server.url + "/x"], sha(DATA), member=member)
    words = (
        "expected at most" if announced else "more than the expected",
        "1000000",
        "give its size as bytes",
    )
    refused(source, tmp_path, *words, patience=patience, limits=Limits(download=10**6))
    assert Limits().download == 4 << 30


def test_a_server_that_drips_is_given_up(server, tmp_path, waits):
    def drip(handler):
        handler.send_response(200)
        handler.end_headers()
        with suppress(OSError):
            while True:
                handler.wfile.write(b"x")
                time.sleep(0.01)

    clock = itertools.count(step=10)  # each look at the clock is ten seconds later
    patience = Patience(attempts=2, sleep=waits.append, clock=lambda: next(clock))
    server.pages["/x"] = [drip]
    refused(Source("x", [server.url + "/x"]), tmp_path, "bytes in 40 s", "(2 attempts)", patience=patience)


@pytest.mark.parametrize("begun", [b"", b"HTTP/1.1 200 OK\r\nX: "], ids=["status", "headers"])
def test_a_server_that_drips_headers_is_given_up(server, tmp_path, waits, begun):
    """No single read is late."""

    def drip(handler):
        with suppress(OSError):
            handler.wfile.write(begun)
            while True:
                handler.wfile.write(b"x")
                time.sleep(0.01)

    patience = Patience(attempts=2, timeout=0.3, sleep=waits.append)
    server.pages["/x"] = [drip]
    words = ("headers of the answer took longer than 0.3 s", "(2 attempts)")
    refused(Source("x", [server.url + "/x"]), tmp_path, *words, patience=patience)


def sends_on(url):
    def answer(handler):
        handler.send_response(302)
        handler.send_header("Location", url)
        handler.end_headers()

    return answer


def test_redirects_are_followed_on_the_web(server, tmp_path, patience):
    server.put("/b", DATA)
    url = server.put("/a", sends_on("/b"))
    assert obtain(Source("x", [url], sha(DATA)), tmp_path, patience=patience).read_bytes() == DATA


@pytest.mark.parametrize("to", ["ftp://127.0.0.1:9/x", "data:,x", "file:///etc/passwd"])
def test_redirects_elsewhere_are_not_followed(server, tmp_path, patience, to):
    url = server.put("/a", sends_on(to))
    refused(Source("x", [url]), tmp_path, to, patience=patience)


@pytest.mark.parametrize(
    ("before", "after", "followed"),
    [("https", "http", False), ("https", "https", True), ("http", "https", True), ("http", "http", True)],
)
def test_a_redirect_never_leaves_https(before, after, followed):
    request = urllib.request.Request(f"{before}://example.org/a")
    call = (request, io.BytesIO(), 302, "Found", {}, f"{after}://example.org/b")
    if followed:
        assert _Redirects().redirect_request(*call).full_url == call[-1]
    else:
        with pytest.raises(TransferError, match="less safe"):
            _Redirects().redirect_request(*call)


def test_an_answer_that_is_no_http_has_a_reason(server, tmp_path, patience):
    url = server.put("/a", lambda handler: handler.wfile.write(b"\r\n"))
    error = refused(Source("x", [url]), tmp_path, patience=patience)
    assert re.search(r"/a: \S", error.reason)


def test_missing_page_is_asked_for_once(server, tmp_path, patience, waits):
    refused(Source("x", [server.url + "/none"]), tmp_path, "HTTP 404", patience=patience)
    assert waits == []


def test_flaky_server(server, tmp_path, patience, waits):
    url = server.put("/x", status(503), status(500), DATA)
    assert obtain(Source("x", [url], sha(DATA)), tmp_path, patience=patience).read_bytes() == DATA
    assert waits == [1.0, 2.0]


def test_no_network(tmp_path, patience, waits, server):
    url = server.url + "/x"
    server.http.socket.close()  # the port refuses from now on
    source = Source("a/x", [url], sha(DATA), remedy="Ask the authors.")
    error = refused(source, tmp_path, "Connection refused", "4 attempts", patience=patience)
    assert error.remedy.startswith("Ask the authors; download " + url)
    assert waits == [1.0, 2.0, 4.0]


def test_offline_asks_no_server(server, tmp_path, patience):
    source = Source("x", [server.put("/x", DATA)], sha(DATA))
    refused(source, tmp_path, "offline", patience=patience, offline=True)
    assert server.asked == []


def test_resume_after_a_break(server, tmp_path, patience):
    url = server.put("/x", whole(DATA, send=5000), DATA)
    assert obtain(Source("x", [url], sha(DATA)), tmp_path, patience=patience).read_bytes() == DATA
    assert server.asked[1] == ("/x", "bytes=5000-", '"a"')
    assert files(tmp_path) == ["x"]


@pytest.mark.parametrize(
    "second",
    [
        whole(DATA, ranges=False),  # ignores Range
        whole(DATA, etag='"b"'),  # the file changed and If-Range is heeded
        whole(DATA, etag='"b"', heed_if_range=False),  # changed, another part comes
    ],
)
def test_resume_starts_anew_when_it_must(server, tmp_path, patience, second):
    old = b"old" * 4000
    url = server.put("/x", whole(old, send=5000), second)
    assert obtain(Source("x", [url], sha(DATA)), tmp_path, patience=patience).read_bytes() == DATA


def test_no_resume_without_a_way_to_know_the_file(server, tmp_path, patience):
    url = server.put("/x", whole(DATA, etag=None, send=5000), whole(DATA, etag=None))
    assert obtain(Source("x", [url], sha(DATA)), tmp_path, patience=patience).read_bytes() == DATA
    assert server.asked[1][1] is None


def test_long_beginning_is_resumed_by_the_next_call(server, tmp_path, patience):
    url = server.put("/x", whole(LONG, send=3 << 19), status(503))
    source = Source("x", [url], sha(LONG))
    with pytest.raises(Unavailable):
        obtain(source, tmp_path, patience=patience)
    assert all(name.startswith(".partial/") for name in files(tmp_path))
    server.put("/x", LONG)
    assert obtain(source, tmp_path, patience=patience).read_bytes() == LONG
    assert server.asked[-1][1] == f"bytes={3 << 19}-"
    assert files(tmp_path) == ["x"]


def test_short_beginning_leaves_nothing(server, tmp_path, patience):
    url = server.put("/x", whole(DATA, send=50), status(503))
    refused(Source("x", [url], sha(DATA)), tmp_path, "HTTP 503", patience=patience)


def test_progress_goes_to_the_log(server, tmp_path, caplog):
    ticks = iter(range(0, 10**6, 20))
    patience = Patience(report=10, clock=lambda: next(ticks))
    with caplog.at_level("INFO"):
        obtain(Source("x", [server.put("/x", LONG)], sha(LONG)), tmp_path, patience=patience)
    assert "of 2.1 MB" in caplog.text


def test_processes_do_not_disturb_each_other(server, tmp_path, patience):
    source = Source("x", [server.put("/x", LONG)], sha(LONG))
    threads = [threading.Thread(target=obtain, args=(source, tmp_path)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "x").read_bytes() == LONG
    assert files(tmp_path) == ["x"]


# Mirrors


@pytest.mark.parametrize("how", ["folder", "file", "environment"])
def test_mirror_folder(tmp_path, monkeypatch, how):
    mirror, cache = tmp_path / "my mirror", tmp_path / "cache"
    (mirror / "a").mkdir(parents=True)
    (mirror / "a/x").write_bytes(DATA)
    given = mirror.as_uri() if how == "file" else mirror
    if how == "environment":
        monkeypatch.setenv("ATTOP_MIRROR", str(mirror))
        given = None
    path = obtain(Source("a/x", digest=sha(DATA)), cache, mirror=given, offline=True)
    assert path.read_bytes() == DATA
    assert (mirror / "a/x").exists()


def test_mirror_prefix_before_upstream(server, tmp_path, patience):
    server.put("/m/a/x", DATA)
    source = Source("a/x", [server.put("/up", DATA)], sha(DATA))
    obtain(source, tmp_path, mirror=server.url + "/m/", patience=patience)
    assert [path for path, *_ in server.asked] == ["/m/a/x"]


def test_upstream_when_the_mirror_lacks_or_spoils_the_file(server, tmp_path, patience):
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "x").write_bytes(b"spoilt")
    source = Source("x", [server.put("/x", DATA)], sha(DATA))
    cache = tmp_path / "cache"
    assert obtain(source, cache, mirror=mirror, patience=patience).read_bytes() == DATA
    refused(Source("y", digest=sha(DATA)), tmp_path / "c2", "no download address", str(mirror), mirror=mirror)


# Disks


@pytest.fixture
def disk(tmp_path):
    """A file system of 256 KiB."""
    mount = shutil.which("mount")
    if os.geteuid() != 0 or mount is None:
        pytest.skip("mounting a small file system takes root")
    folder = tmp_path / "disk"
    folder.mkdir()
    done = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"mount refuses: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("way", ["download", "mirror", "archive"])
def test_full_disk(server, tmp_path, disk, patience, waits, way):
    source, mirror = Source("x", [server.put("/x", LONG)], sha(LONG)), None
    if way == "mirror":
        mirror = tmp_path / "mirror"
        mirror.mkdir()
        (mirror / "x").write_bytes(LONG)
    elif way == "archive":
        source = Source("x", [server.put("/x.gz", gzip.compress(LONG))], sha(LONG), member="x")
    error = refused(source, disk, "the disk is full", patience=patience, mirror=mirror)
    assert "cache on another disk" in error.remedy
    assert waits == []


def test_read_only_cache(server, disk, patience):
    source = Source("x", [server.put("/x", DATA)], sha(DATA))
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    refused(source, disk, "read-only", "make it writable", patience=patience)


# Archives


class Link:
    def __init__(self, kind):
        self.kind = kind


def zipped(*entries):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as box:
        for name, content in entries:
            box.writestr(name, content)
    return buffer.getvalue()


def tarred(*entries, mode="w:gz"):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as tape:
        for name, content in entries:
            info = tarfile.TarInfo(name)
            if not isinstance(content, Link):
                info.size = len(content)
                tape.addfile(info, io.BytesIO(content))
            else:
                info.type, info.linkname = content.kind, "/etc/passwd"
                tape.addfile(info)
    return buffer.getvalue()


PACKED = {
    "zip": zipped(("d/other", b"-"), ("d/x", DATA)),
    "tar": tarred(("./d/x", DATA), mode="w"),
    "tar.gz": tarred(("d/other", b"-"), ("d/x", DATA)),
    "tar.bz2": tarred(("d/x", DATA), mode="w:bz2"),
    "gz": gzip.compress(DATA),
    "bz2": bz2.compress(DATA),
}


@pytest.mark.parametrize("kind", PACKED)
def test_member_of_an_archive(tmp_path, kind):
    archive = tmp_path / "archive"
    archive.write_bytes(PACKED[kind])
    extract(archive, "d/x", tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == DATA


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("share", [0.05, 0.3, 0.55])
def test_truncated_archive(server, tmp_path, patience, kind, share):
    packed = PACKED[kind]
    url = server.put("/a", packed[: int(len(packed) * share)])
    refused(Source("x", [url], sha(DATA), member="d/x"), tmp_path, "cut off", "again", patience=patience)


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "gz", "bz2"])
def test_damaged_archive(tmp_path, kind):
    packed = bytearray(PACKED[kind])
    middle = len(packed) // 2
    packed[middle : middle + 4] = bytes(b ^ 0xFF for b in packed[middle : middle + 4])
    archive = tmp_path / "archive"
    archive.write_bytes(packed)
    with pytest.raises(ArchiveError, match=r"damaged|outside|has no|more than"):
        extract(archive, "d/x", tmp_path / "out")
    assert files(tmp_path) == ["archive"]


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "a/../../evil", "C:/evil", "..\\evil"])
@pytest.mark.parametrize("pack", [zipped, tarred])
@pytest.mark.parametrize("first", [True, False])
def test_names_that_leave_the_folder(server, tmp_path, patience, name, pack, first):
    entries = [("x", DATA), (name, b"evil")]
    url = server.put("/a", pack(*(entries[::-1] if first else entries)))
    cache = tmp_path / "deep/cache"
    refused(Source("x", [url], sha(DATA), member="x"), cache, "outside its folder", patience=patience)
    assert files(tmp_path) == []


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_not_files(server, tmp_path, patience, kind):
    url = server.put("/a", tarred(("x", Link(kind))))
    refused(Source("x", [url], member="x"), tmp_path, "expected a regular file", patience=patience)


def test_link_in_a_zip(tmp_path):
    info = zipfile.ZipInfo("x")
    info.create_system, info.external_attr = 3, 0o120777 << 16
    (tmp_path / "a").write_bytes(zipped((info, b"/etc/passwd")))
    with pytest.raises(ArchiveError, match="expected a regular file"):
        extract(tmp_path / "a", "x", tmp_path / "out")


@pytest.mark.parametrize(
    "pack", [lambda d: zipped(("x", d)), lambda d: tarred(("y", d), ("x", b"-")), gzip.compress, bz2.compress]
)
def test_bombs(tmp_path, pack):
    (tmp_path / "a").write_bytes(pack(bytes(4 << 20)))
    for limits, words in [(Limits(free=1 << 20), "times its"), (Limits(bytes=1 << 20), "the most expected")]:
        with pytest.raises(ArchiveError, match=words):
            extract(tmp_path / "a", "x", tmp_path / "out", limits)
    assert files(tmp_path) == ["a"]


def sparse_tar(pax=None):
    """A tar whose one member claims to be sparse, or has other headers."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", format=tarfile.PAX_FORMAT) as tape:
        info = tarfile.TarInfo("x")
        info.size, info.pax_headers = 5, pax
        tape.addfile(info, io.BytesIO(b"12345"))
    return buffer.getvalue()


def old_sparse_tar():
    """As `tar --sparse` makes of 20 GB of nothing."""
    header = bytearray(tarfile.TarInfo("x").tobuf(tarfile.GNU_FORMAT)[:512])
    header[156:157] = tarfile.GNUTYPE_SPARSE
    header[257:265] = b"ustar  \0"
    header[386:410] = b"%011o\0" % (20 << 30) + b"%011o\0" % 0  # one stretch of data, empty, at the end
    header[483:495] = b"%011o\0" % (20 << 30)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return gzip.compress(bytes(header) + bytes(1024))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (old_sparse_tar(), "x is a sparse file"),
        (sparse_tar({"GNU.sparse.size": "99999999999999", "GNU.sparse.map": "0,5"}), "x is a sparse file"),
        (sparse_tar({"GNU.sparse.map": "a,b"}), "damaged"),
        (sparse_tar({"GNU.sparse.size": "5", "GNU.sparse.map": "0,5"}), "x is a sparse file"),
        (sparse_tar({"size": str(2**70)}), "unpacks to more than"),
        (sparse_tar({"size": "-1099511627776"}), "damaged"),
    ],
    ids=["old", "map", "text", "sparse", "huge", "negative"],  # not the bytes, which hold the time
)
def test_sizes_a_tar_claims_fill_no_disk_and_take_no_time(tmp_path, content, message):
    (tmp_path / "a").write_bytes(content)
    for member in ("x", "y"):
        with pytest.raises(ArchiveError, match=message + ("|has no y" if member == "y" else "")):
            extract(tmp_path / "a", member, tmp_path / "out")
    assert files(tmp_path) == ["a"]


@pytest.mark.parametrize("seed", range(60))
def test_damaged_bytes_of_an_archive_are_one_kind_of_error(tmp_path, seed):
    rng = np.random.default_rng(seed)
    kind = list(PACKED)[seed % len(PACKED)]
    packed = bytearray(PACKED[kind] if kind != "tar" else PACKED[kind][:3000])
    for place in rng.integers(0, len(packed), rng.integers(1, 9)):
        packed[place] = rng.integers(256)
    (tmp_path / "a").write_bytes(packed)
    with suppress(ArchiveError):
        extract(tmp_path / "a", "d/x", tmp_path / "out")
    assert set(files(tmp_path)) <= {"a", "out"}


def test_too_many_entries_and_missing_member(tmp_path):
    for pack in (zipped, tarred):
        (tmp_path / "a").write_bytes(pack(*((f"f{i}", b"") for i in range(10))))
        with pytest.raises(ArchiveError, match="more than 5 entries"):
            extract(tmp_path / "a", "f1", tmp_path / "out", Limits(members=5))
        with pytest.raises(ArchiveError, match="has no x, it has: f0"):
            extract(tmp_path / "a", "x", tmp_path / "out")


def test_archive_is_fetched_once_for_its_files(server, tmp_path, patience):
    url = server.put("/a.zip", zipped(("d/x", DATA), ("d/y", b"y")))
    for name, data in [("x", DATA), ("y", b"y")]:
        source = Source(f"a/{name}", [url], sha(data), member=f"d/{name}")
        assert obtain(source, tmp_path, patience=patience).read_bytes() == data
    assert len(server.asked) == 1
    assert files(tmp_path) == ["a/x", "a/y", "archives/a/a.zip"]


def test_stale_archive_in_the_cache_is_fetched_anew(server, tmp_path, patience):
    url = server.put("/a.zip", zipped(("x", DATA)))
    (tmp_path / "archives").mkdir()
    (tmp_path / "archives/a.zip").write_bytes(zipped(("x", b"old")))
    obtain(Source("x", [url], sha(DATA), member="x"), tmp_path, patience=patience)
    assert (tmp_path / "x").read_bytes() == DATA


def test_checksums_of_archive_and_member(server, tmp_path, patience):
    packed = zipped(("x", b"changed"))
    url = server.put("/a.zip", packed)
    refused(Source("x", [url], sha(DATA), member="x"), tmp_path, sha(b"changed"), patience=patience)
    source = Source("x", [url], member="x", archive_digest=sha(DATA))
    refused(source, tmp_path, sha(packed), patience=patience)


def git_id(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def test_a_git_object_id_pins_a_file(server, tmp_path, patience):
    """Ids as `git hash-object` prints them."""
    assert git_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert git_id(b"hello world\n") == "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"
    url = server.put("/x", DATA)
    path = obtain(Source("x", [url], git_id(DATA)), tmp_path, patience=patience)
    path.write_bytes(b"damaged")
    assert obtain(Source("x", [url], git_id(DATA)), tmp_path, patience=patience).read_bytes() == DATA
    words = (f"expected git object id {git_id(b'')}", f"got {git_id(DATA)}", "its git object id must be")
    refused(Source("y", [url], git_id(b"")), tmp_path / "other", *words, patience=patience)
    packed = zipped(("x", DATA))
    source = Source("z", [server.put("/a.zip", packed)], member="x", archive_digest=git_id(packed))
    assert obtain(source, tmp_path, patience=patience).read_bytes() == DATA
    content = pickle.dumps([1, 2])
    (tmp_path / "p").write_bytes(content)
    assert load_pickle(tmp_path / "p", git_id(content)) == [1, 2]
    with pytest.raises(DatasetError, match="expected git object id"):
        load_pickle(tmp_path / "p", git_id(DATA))


def test_web_page_instead_of_an_archive(server, tmp_path, patience):
    source = Source("x", [server.put("/a.zip", HTML)], sha(DATA), member="x")
    refused(source, tmp_path, "a web page (HTML) instead of data", patience=patience)


@pytest.mark.parametrize("content", [DATA, gzip.compress(DATA)], ids=["file", "archive"])
def test_mirror_holds_the_file_or_its_archive(tmp_path, content):
    mirror, cache = tmp_path / "mirror", tmp_path / "cache"
    mirror.mkdir()
    (mirror / "x.gz").write_bytes(content)
    source = Source("x", digest=sha(DATA), member="x", mirror="x.gz")
    assert obtain(source, cache, mirror=mirror).read_bytes() == DATA


# Pickles


def pickled(tmp_path, content):
    path = tmp_path / "p"
    path.write_bytes(content)
    return path, sha(content)


PLAIN = {
    "a": [1, 2.5, None, True, 1 << 80],
    "b": ({1, 2}, frozenset("x"), "é", b"\xff", 1j),
    "c": bytearray(b"z"),
}
ARRAYS = [
    np.arange(6.0).reshape(2, 3),
    np.asfortranarray(np.arange(6).reshape(2, 3)),
    np.array([1, 2], ">i4"),
    np.array(["a", "bc"]),
    np.array([b"a", b"bc"]),
    np.array([True, False]),
    np.array([[1], None, "x"], dtype=object),
]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_plain_pickles(tmp_path, protocol):
    data = {"plain": PLAIN, "arrays": ARRAYS, "scalars": [np.float64(1.5), np.int32(3), np.bool_(True)]}
    got = load_pickle(*pickled(tmp_path, pickle.dumps(data, protocol)))
    assert got["plain"] == PLAIN
    assert got["scalars"] == data["scalars"]
    for ours, theirs in zip(got["arrays"], ARRAYS, strict=True):
        assert ours.dtype == theirs.dtype.newbyteorder("=") or protocol == 5
        assert_array_equal(ours, theirs)


def test_pickle_of_python_2(tmp_path):
    # what Python 2.7 with NumPy 1.16 wrote for {u'a': np.array([1, 258], '<i2'), 's': 'b\xe9'}
    content = (
        b"\x80\x02}(X\x01\x00\x00\x00acnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
        b"(K\x01K\x02\x85cnumpy\ndtype\nU\x02i2K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
        b"\x89U\x04\x01\x00\x02\x01tbU\x01sU\x02b\xe9u."
    )
    got = load_pickle(*pickled(tmp_path, content))
    assert got["a"].tolist() == [1, 258]
    assert got["s"] == "bé"


class Calls:
    def __init__(self, function, *args):
        self.what = function, args

    def __reduce__(self):
        return self.what


def nested(path):
    return [1, {"deep": (Calls(getattr, Calls(__import__, "os"), "system"), path)}]


HOSTILE = {
    "posix.system": lambda path: Calls(os.system, f"touch {path}"),
    "builtins.getattr": nested,
    "builtins.eval": lambda path: Calls(eval, f"open({path!r}, 'w')"),
    "subprocess.Popen": lambda path: np.array([Calls(subprocess.Popen, ["touch", path])], dtype=object),
    "builtins.list": lambda path: list,
    "numpy.load": lambda path: Calls(np.load, path),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("protocol", [2, 4])
def test_hostile_pickle_is_named_and_not_run(tmp_path, name, protocol):
    trace = tmp_path / "trace"
    content = pickle.dumps(HOSTILE[name](str(trace)), protocol)
    with pytest.raises(PickleRefused, match="get it from a source you trust") as caught:
        load_pickle(*pickled(tmp_path, content))
    assert name.split(".")[-1] in str(caught.value)
    assert not trace.exists()


@pytest.mark.parametrize(
    "content",
    [
        # attributes reached through a dotted name
        b"\x80\x04\x8c\x07_codecs\x8c\x0fencode.__call__\x93.",
        # a new body for a function of the reader
        b"c_codecs\nencode\n(N}(S'__defaults__'\n(S'zlib'\ntutb.",
        b"c_codecs\nencode\n(S'x'\nS'zlib'\ntR.",
        # bytes that would pass for pointers: as an array of objects, of records, and as a scalar
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n(I1\nt"
        b"cnumpy\ndtype\n(S'O8'\nI0\nI1\ntRI00\nS'AAAAAAAA'\ntb.",
        b"cnumpy\ndtype\n(S'V8'\nI0\nI1\ntR.",
        b"cnumpy\ndtype\n(S'f8'\nI0\nI1\ntR(I3\nS'|'\nN(S'a'\nt}S'a'\n(cnumpy\ndtype\n(S'O8'\ntRI0\ntsI8\nI1\nI0\ntb.",
        b"cnumpy.core.multiarray\nscalar\n(cnumpy\ndtype\n(S'O8'\ntRS'AAAAAAAA'\ntR.",
        b"\x80\x02X\x01\x00\x00\x00aQ.",
    ],
)
def test_tricks_on_what_is_allowed(tmp_path, content):
    with pytest.raises(PickleRefused, match="nothing was run"):
        load_pickle(*pickled(tmp_path, content))


def short_array(shape, objects):
    """A pickle of an array of objects whose list of them does not suit its shape."""
    content = pickle.dumps(np.arange(objects).astype(object), 2)
    before = b"K" + bytes([objects]) + b"\x85"  # the shape, a tuple of one small integer
    assert content.count(before) == 1
    return content.replace(
        before, b"".join(b"J" + n.to_bytes(4, "little", signed=True) for n in shape) + b"\x85"
    )


@pytest.mark.parametrize(("shape", "objects"), [((5000,), 1), ((4,), 3), ((3,), 4), ((-3,), 3)])
def test_an_array_with_fewer_objects_than_its_shape_is_refused(tmp_path, shape, objects):
    with pytest.raises(PickleRefused, match="content of another size"):
        load_pickle(*pickled(tmp_path, short_array(shape, objects)))
    assert load_pickle(*pickled(tmp_path, short_array((objects,), objects))).tolist() == list(range(objects))


@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7fK\x01.",  # a frame of 2**63 - 1 bytes
        b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7f1.",  # so many bytes
        b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\x00\x001.",
    ],
)
def test_a_pickle_that_lies_about_its_size_is_a_message(tmp_path, content):
    with pytest.raises(DatasetError, match="cut off or no pickle"):
        load_pickle(*pickled(tmp_path, content))


DOUBLED = b")" + b"2\x86" * 60  # a tuple that holds a smaller one twice, 60 times: 2**60 items to walk
ARRAY = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR"
DTYPE = b"cnumpy\ndtype\n(S'%s'\ntR"


@pytest.mark.parametrize(
    "content",
    {
        "key": b"}" + DOUBLED + b"I1\ns.",
        "keys": b"}(" + DOUBLED + b"I1\nu.",
        "keys of the first protocol": b"(" + DOUBLED + b"I1\nd.",
        "member": b"\x8f(" + DOUBLED + b"\x90.",
        "member of a frozenset": b"(" + DOUBLED + b"\x91.",
        "member of an older set": b"c__builtin__\nset\n((" + DOUBLED + b"ltR.",
        "member of an older frozenset": b"c__builtin__\nfrozenset\n((" + DOUBLED + b"ltR.",
        "set of a tuple": b"c__builtin__\nset\n(" + DOUBLED + b"tR.",
        "large key": b"}L" + b"9" * 50 + b"L\nI1\ns.",
        "code of a dtype": b"cnumpy\ndtype\n(" + DOUBLED + b"tR.",
        "encoding": b"c_codecs\nencode\n(S'x'\n" + DOUBLED + b"tR.",
        "unit of time": DTYPE % b"M8" + b"(I4\nS'<'\nNNNI-1\nI-1\nI0\n(N(I%d\nI1\nI1\nI1\ntttb." % 10**11,
        "shape": ARRAY + b"(I1\n(" + DOUBLED + b"t" + DTYPE % b"f8" + b"I0\nS''\ntb.",
        "items without size": ARRAY + b"(I1\n(I%d\nt" % 10**15 + DTYPE % b"S0" + b"I0\nS''\ntb.",
        "key of an array": ARRAY + DOUBLED + b"I1\ns.",
        "bytes": b"c__builtin__\nbytes\n(I%d\ntR." % 10**11,
        "bytearray": b"c__builtin__\nbytearray\n(I%d\ntR." % 10**11,
    }.items(),
    ids=lambda item: item[0],
)
def test_a_small_pickle_asks_for_no_endless_work(tmp_path, content):
    with pytest.raises(PickleRefused, match="nothing was run"):
        load_pickle(*pickled(tmp_path, b"\x80\x04" + content[1]))


def test_a_place_far_away_in_the_memo_takes_no_memory(tmp_path):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert load_pickle(*pickled(tmp_path, b"\x80\x02]r\xff\xff\xff\x0f.")) == []
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # kB, of 4 GB


def test_pickle_needs_its_checksum(tmp_path):
    path, digest = pickled(tmp_path, pickle.dumps(PLAIN))
    with pytest.raises(TypeError):
        load_pickle(path)
    with pytest.raises(DatasetError, match="only with its digest"):
        load_pickle(path, "")
    with pytest.raises(DatasetError, match=f"expected sha256 {sha(b'')}, got {digest}"):
        load_pickle(path, sha(b""))


@pytest.mark.parametrize("content", [pickle.dumps(PLAIN)[:-9], b"", b"no pickle"])
def test_broken_pickle(tmp_path, content):
    with pytest.raises(DatasetError, match="cut off or no pickle"):
        load_pickle(*pickled(tmp_path, content))


# The note in place of data


def test_note_of_unavailable_data(tmp_path):
    save_unavailable(tmp_path / "d.npz", "x", Unavailable("no server", "ask for it"))
    with pytest.raises(Unavailable) as caught:
        Dataset.load(tmp_path / "d.npz")
    assert (caught.value.reason, caught.value.remedy) == ("no server", "ask for it")
    assert json.dumps(str(caught.value)) == '"no server: ask for it"'
