"""The folder downloads end in, the mirror they come from instead, and the note in place of data."""

import gzip
import json
import subprocess

import pytest

from attop_bench.data.base import Dataset, DatasetError, Unavailable, save_unavailable
from attop_bench.data.fetch import Source, obtain
from support.downloads import (
    DATA,
    LONG,
    refused,
    sha,
)

pytestmark = pytest.mark.usefixtures("no_mirror")


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "C:/x", "a\\..\\x", "", ".partial/x"])
def test_names_stay_in_the_cache(path):
    with pytest.raises(DatasetError, match="relative to the cache"):
        Source(path)


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


@pytest.mark.parametrize("content", [DATA, gzip.compress(DATA)], ids=["file", "archive"])
def test_mirror_holds_the_file_or_its_archive(tmp_path, content):
    mirror, cache = tmp_path / "mirror", tmp_path / "cache"
    mirror.mkdir()
    (mirror / "x.gz").write_bytes(content)
    source = Source("x", digest=sha(DATA), member="x", mirror="x.gz")
    assert obtain(source, cache, mirror=mirror).read_bytes() == DATA


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


def test_note_of_unavailable_data(tmp_path):
    save_unavailable(tmp_path / "d.npz", "x", Unavailable("no server", "ask for it"))
    with pytest.raises(Unavailable) as caught:
        Dataset.load(tmp_path / "d.npz")
    assert (caught.value.reason, caught.value.remedy) == ("no server", "ask for it")
    assert json.dumps(str(caught.value)) == '"no server: ask for it"'
