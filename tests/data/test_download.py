"""Downloads that go wrong: one message with the fix, and nothing half-written."""

import io
import itertools
import re
import threading
import time
import urllib.request
from contextlib import suppress

import pytest

from attop_bench.data.base import DatasetError, Unavailable
from attop_bench.data.fetch import Limits, Patience, Source, obtain
from attop_bench.data.fetch.transfer import TransferError, _Redirects
from support.downloads import DATA, HTML, LONG, files, refused, sha, status, whole

pytestmark = pytest.mark.usefixtures("no_mirror")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://h/x", "/etc/passwd"])
def test_upstream_is_the_web(url):
    with pytest.raises(DatasetError, match="neither http nor https"):
        Source("x", [url])


def test_malformed_digest_is_refused():
    with pytest.raises(DatasetError, match="64 lower-case"):
        Source("x", digest="abc")


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
