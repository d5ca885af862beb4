"""Files of data sets: cache, mirror, web, archives; one message with the fix, and nothing half-written."""

import bz2
import gzip
import os
import stat
import subprocess
import tarfile
import threading
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest

from attop_bench.data.base import DatasetError, Unavailable
from attop_bench.data.files import fetch
from attop_bench.data.files.fetch import _why, obtain
from attop_bench.data.files.source import Source
from attop_bench.data.reading.pickled import read_pickle
from support.downloads import DATA, HTML, LONG, files, git_id, refused, sha, status, tarred, whole, zipped

pytestmark = pytest.mark.usefixtures("no_mirror", "waits")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        *(({"path": p}, "relative") for p in ["../x", "/x", "a/../../x", "C:/x", "a\\..\\x", "", ".x"]),
        *(({"urls": [u]}, "neither http") for u in ["file:///etc/passwd", "ftp://h/x", "/etc/passwd"]),
        ({"digest": "abc"}, "digest must be 64 lower-case .* got 'abc'"),
        ({"bytes": 0}, "bytes must be at least 1, got 0"),
    ],
)
def test_a_source_is_checked(options, words):
    with pytest.raises(DatasetError, match=words):
        Source(**{"path": "x", **options})


def test_download_and_the_cached_file(server, tmp_path):
    source = Source("a/x.csv", [server.put("/x", DATA)], sha(DATA))
    path = obtain(source, tmp_path)
    assert path == tmp_path / "a/x.csv"
    assert path.read_bytes() == DATA
    assert obtain(source, tmp_path, offline=True) == path
    assert len(server.asked) == 1
    assert files(tmp_path) == ["a/x.csv"]
    (tmp_path / "new").touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "new").stat().st_mode)
    path.write_bytes(b"damaged")
    assert obtain(source, tmp_path).read_bytes() == DATA


def test_wrong_digest_says_expected_got_where_and_what_to_do(server, tmp_path):
    url = server.put("/x", DATA[:-1] + b"X")
    error = refused(Source("a/x", [url], sha(DATA)), tmp_path, sha(DATA), sha(DATA[:-1] + b"X"), url)
    assert "ATTOP_MIRROR" in error.remedy
    assert "a/x" in error.remedy


def test_a_git_object_id_pins_a_file(server, tmp_path):
    """Ids as `git hash-object` prints them."""
    assert git_id(b"hello world\n") == "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"
    url = server.put("/x", DATA)
    assert obtain(Source("x", [url], git_id(DATA)), tmp_path).read_bytes() == DATA
    words = (f"git object id {git_id(b'')}", f"got {git_id(DATA)}", "its git object id must be")
    refused(Source("y", [url], git_id(b"")), tmp_path / "other", *words)


def test_second_address_serves_when_the_first_is_wrong(server, tmp_path):
    source = Source("x", [server.put("/bad", b"no"), server.put("/good", DATA)], sha(DATA))
    assert obtain(source, tmp_path).read_bytes() == DATA


@pytest.mark.parametrize(
    "page", [HTML, b"\xef\xbb\xbf\n<!-- c --><html>", b"<?xml version='1'?><!doctype HTML>"]
)
@pytest.mark.parametrize("options", [{}, {"digest": sha(DATA)}, {"member": "x"}])
def test_web_page_instead_of_data(server, tmp_path, options, page):
    refused(Source("x", [server.put("/x.zip", page)], **options), tmp_path, "a web page (HTML)", "login")


@pytest.mark.parametrize(
    ("content", "size", "words"),
    [(b"", None, "an empty file"), (DATA, len(DATA) + 1, f"got {len(DATA)}"), (DATA, 100, "expected 100")],
)
def test_sizes(server, tmp_path, content, size, words):
    refused(Source("x", [server.put("/x", content)], bytes=size), tmp_path, words)


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize("member", [None, "x"])
def test_a_download_of_unknown_size_has_a_ceiling(server, tmp_path, monkeypatch, announced, member):
    def endless(handler):
        handler.send_response(200)
        if announced:
            handler.send_header("Content-Length", str(1 << 50))
        handler.end_headers()
        with suppress(OSError):
            while True:
                handler.wfile.write(bytes(1 << 16))

    assert fetch._CEILING == 4 << 30
    monkeypatch.setattr(fetch, "_CEILING", 10**6)
    source = Source("x", [server.put("/x", endless)], sha(DATA), member=member)
    refused(source, tmp_path, "more than the expected 1000000 bytes", "give its size as bytes")


def sends_on(url):
    def answer(handler):
        handler.send_response(302)
        handler.send_header("Location", url)
        handler.end_headers()

    return answer


def test_redirects_are_followed_on_the_web_alone(server, tmp_path):
    server.put("/b", DATA)
    url = server.put("/a", sends_on("/b"))
    assert obtain(Source("x", [url], sha(DATA)), tmp_path).read_bytes() == DATA
    for to in ("ftp://127.0.0.1:9/x", "data:,x", "file:///etc/passwd"):
        refused(Source("x", [server.put("/a", sends_on(to))]), tmp_path / "other", to)


@pytest.mark.parametrize(
    ("before", "after", "followed"),
    [("https", "http", False), ("https", "https", True), ("http", "https", True), ("http", "http", True)],
)
def test_a_redirect_never_leaves_https(before, after, followed):
    answer = SimpleNamespace(url=f"{before}://example.org/a", status_code=302, is_redirect=True)
    answer.headers = {"location": f"{after}://example.org/b"}
    if followed:
        fetch._Downloader(1)._look(answer)
    else:
        with pytest.raises(fetch._Failure, match="less safe"):
            fetch._Downloader(1)._look(answer)


def test_what_may_pass_is_tried_again(server, tmp_path, waits):
    url = server.put("/x", status(503), whole(DATA, send=5000), whole(b"damaged"), DATA)
    assert obtain(Source("x", [url], sha(DATA)), tmp_path).read_bytes() == DATA
    assert len(waits) == 3
    refused(Source("y", [server.url + "/none"]), tmp_path / "other", "HTTP 404")
    assert len(waits) == 3


def test_no_network(tmp_path, server):
    url = server.url + "/x"
    server.http.socket.close()  # the port refuses from now on
    source = Source("a/x", [url], sha(DATA), remedy="Ask the authors.")
    error = refused(source, tmp_path, "Connection refused")
    assert error.remedy.startswith("Ask the authors; download " + url)


def test_offline_asks_no_server(server, tmp_path):
    refused(Source("x", [server.put("/x", DATA)], sha(DATA)), tmp_path, "offline", offline=True)
    assert server.asked == []


def test_several_fetch_one_file_once(server, tmp_path):
    source = Source("x", [server.put("/x", LONG)], sha(LONG))
    threads = [threading.Thread(target=obtain, args=(source, tmp_path)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "x").read_bytes() == LONG
    assert files(tmp_path) == ["x"]
    assert len(server.asked) == 1


def test_mirror_must_be_a_folder_or_the_web(tmp_path):
    with pytest.raises(DatasetError, match="http, https or file"):
        obtain(Source("x"), tmp_path, mirror="ftp://h")


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


def test_mirror_prefix_before_upstream(server, tmp_path):
    server.put("/m/a/x", DATA)
    source = Source("a/x", [server.put("/up", DATA)], sha(DATA))
    obtain(source, tmp_path, mirror=server.url + "/m/")
    assert server.asked == ["/m/a/x"]


def test_upstream_when_the_mirror_lacks_or_spoils_the_file(server, tmp_path):
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "x").write_bytes(b"spoilt")
    source = Source("x", [server.put("/x", DATA)], sha(DATA))
    assert obtain(source, tmp_path / "cache", mirror=mirror).read_bytes() == DATA
    refused(Source("y", digest=sha(DATA)), tmp_path / "c2", "no download address", str(mirror), mirror=mirror)


@pytest.mark.parametrize("content", [DATA, gzip.compress(DATA)], ids=["file", "archive"])
@pytest.mark.parametrize("where", ["folder", "web"])
def test_mirror_holds_the_file_or_its_archive(tmp_path, server, content, where):
    mirror, cache = tmp_path / "mirror", tmp_path / "cache"
    mirror.mkdir()
    (mirror / "x.gz").write_bytes(content)
    server.put("/x.gz", content)
    source = Source("x", digest=sha(DATA), member="x", mirror="x.gz")
    assert obtain(source, cache, mirror=mirror if where == "folder" else server.url).read_bytes() == DATA


# Archives.


PACKED = {
    "zip": zipped(("d/other", b"-"), ("d/x", DATA)),
    "tar": tarred(("./d/x", DATA), mode="w"),
    "tar.gz": tarred(("d/other", b"-"), ("d/x", DATA)),
    "tar.bz2": tarred(("d/x", DATA), mode="w:bz2"),
    "gz": gzip.compress(DATA),
    "bz2": bz2.compress(DATA),
}


@pytest.mark.parametrize("kind", PACKED)
def test_member_of_an_archive(server, tmp_path, kind):
    source = Source("x", [server.put("/a", PACKED[kind])], member="d/x")
    assert obtain(source, tmp_path).read_bytes() == DATA


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("share", [0.05, 0.55])
def test_truncated_archive(server, tmp_path, kind, share):
    url = server.put("/a", PACKED[kind][: int(len(PACKED[kind]) * share)])
    refused(Source("x", [url], sha(DATA), member="d/x"), tmp_path, "damaged")


@pytest.mark.parametrize("seed", range(20))
def test_damaged_bytes_of_an_archive_are_one_kind_of_error(tmp_path, seed):
    rng = np.random.default_rng(seed)
    packed = bytearray(PACKED[list(PACKED)[seed % len(PACKED)]][:3000])
    for place in rng.integers(0, len(packed), rng.integers(1, 9)):
        packed[place] = rng.integers(256)
    (tmp_path / "a").write_bytes(packed)
    with suppress(Unavailable):
        obtain(Source("x", member="d/x", mirror="a"), tmp_path / "cache", mirror=tmp_path)


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "..\\evil"])
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_an_archive_chooses_no_names(server, tmp_path, name, pack):
    url = server.put("/a", pack((name, b"evil"), ("x", DATA)))
    obtain(Source("x", [url], sha(DATA), member="x"), tmp_path / "deep/cache")
    assert files(tmp_path) == ["deep/cache/archives/a", "deep/cache/x"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_not_files(server, tmp_path, kind):
    refused(Source("x", [server.put("/a", tarred(("x", kind)))], member="x"), tmp_path, "damaged or another")


@pytest.mark.parametrize("pack", [lambda d: zipped(("x", d)), lambda d: tarred(("x", d)), gzip.compress])
def test_an_archive_fills_no_disk(server, tmp_path, pack):
    url = server.put("/a", pack(bytes(4 << 20)))
    refused(Source("x", [url], member="x", bytes=1 << 20), tmp_path, "more than the expected 1048576")


def test_missing_member(server, tmp_path):
    for pack in (zipped, tarred):
        url = server.put("/a", pack(("f0", b"-")))
        refused(Source("x", [url], member="x"), tmp_path, "no x among f0")


def test_archive_is_fetched_once_for_its_files(server, tmp_path):
    url = server.put("/a.zip", zipped(("d/x", DATA), ("d/y", b"y")))
    for name, data in [("x", DATA), ("y", b"y")]:
        source = Source(f"a/{name}", [url], sha(data), member=f"d/{name}")
        assert obtain(source, tmp_path).read_bytes() == data
    assert len(server.asked) == 1
    assert files(tmp_path) == ["a/x", "a/y", "archives/a/a.zip"]


def test_an_archive_of_before_that_is_another_is_downloaded_again(server, tmp_path):
    url = server.put("/a.zip", zipped(("x", DATA)))
    (tmp_path / "archives").mkdir()
    (tmp_path / "archives/a.zip").write_bytes(zipped(("x", b"old")))
    obtain(Source("x", [url], sha(DATA), member="x"), tmp_path)
    assert (tmp_path / "x").read_bytes() == DATA


@pytest.mark.parametrize("way", ["download", "mirror", "archive"])
def test_full_disk(server, tmp_path, disk, waits, way):
    source, mirror = Source("x", [server.put("/x", LONG)], sha(LONG)), None
    if way == "mirror":
        mirror = tmp_path / "mirror"
        mirror.mkdir()
        (mirror / "x").write_bytes(LONG)
    elif way == "archive":
        source = Source("x", [server.put("/x.gz", gzip.compress(LONG))], sha(LONG), member="x")
    error = refused(source, disk, "the disk is full", mirror=mirror)
    assert "cache on another disk" in error.remedy
    assert waits == []


def test_read_only_cache(server, disk):
    source = Source("x", [server.put("/x", DATA)], sha(DATA))
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    refused(source, disk, "read-only".capitalize(), "make it writable")


class Runs:
    """A pickle of it makes a folder when it is read."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


def test_a_pickle_is_read_after_its_digest(tmp_path):
    import pickle

    content = pickle.dumps({"a": np.arange(3), "b": ["x", "y", "z"]})
    (tmp_path / "p").write_bytes(content)
    for digest in (sha(content), git_id(content)):
        assert read_pickle(tmp_path / "p", digest)["a"].tolist() == [0, 1, 2]
    (tmp_path / "p").write_bytes(pickle.dumps(Runs(tmp_path / "made")))
    with pytest.raises(DatasetError, match="only with its digest"):
        read_pickle(tmp_path / "p", "")
    with pytest.raises(DatasetError, match=f"expected sha256 {sha(content)}, got .*download it again"):
        read_pickle(tmp_path / "p", sha(content))
    assert not (tmp_path / "made").exists()
    (tmp_path / "p").write_bytes(content[:-9])
    with pytest.raises(DatasetError, match="not a pickled table"):
        read_pickle(tmp_path / "p", sha(content[:-9]))


@pytest.mark.parametrize("address", [" object at 0x7f3a", ""])
def test_why_no_connection_came_about_is_the_last_error_alone(address):
    """In the words of urllib3 1 and 2: the same at each attempt, without an address in memory."""
    from requests import ConnectionError
    from urllib3.exceptions import MaxRetryError

    connection = (
        f"<urllib3.connection.HTTPSConnection{address}>" if address else "HTTPSConnection(host='h', port=443)"
    )
    last = OSError(f"{connection}: Failed to resolve 'h' ([Errno -3] Temporary failure in name resolution)")
    error = ConnectionError(MaxRetryError(None, "/x", last))
    assert _why(error) == "Failed to resolve 'h' ([Errno -3] Temporary failure in name resolution)"
    assert _why(ValueError("SHA256 hash of the\n  file is wrong")) == "SHA256 hash of the file is wrong"
