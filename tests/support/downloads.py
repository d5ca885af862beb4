"""A server that misbehaves as it is told, archives, and the one message of a download that fails."""

import hashlib
import io
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from attop_bench.data.base import Unavailable
from attop_bench.data.files.fetch import obtain

DATA = b"1,2,3\n4,5,6\n" * 1000
LONG = bytes(range(256)) * 8192  # 2 MiB
HTML = b"<!DOCTYPE html>\n<html><body>moved</body></html>"


def sha(data):
    return hashlib.sha256(data).hexdigest()


def git_id(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class Server:
    """Answers each path from a list of behaviours, the last of them for ever."""

    def __init__(self):
        self.pages, self.asked = {}, []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append(self.path)
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


def whole(data, send=None):
    """A server of `data` that breaks off after `send` bytes."""

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data[:send])

    return answer


def status(code):
    return lambda handler: handler.send_error(code)


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


def zipped(*entries):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as box:
        for name, content in entries:
            box.writestr(name, content)
    return buffer.getvalue()


def tarred(*entries, mode="w:gz"):
    """A tar; an entry whose content is a type of tarfile is of that type."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as tape:
        for name, content in entries:
            info = tarfile.TarInfo(name)
            if len(content) > 1 or not content.isdigit():
                info.size = len(content)
                tape.addfile(info, io.BytesIO(content))
            else:
                info.type, info.linkname = content, "/etc/passwd"
                tape.addfile(info)
    return buffer.getvalue()
