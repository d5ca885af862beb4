"""Archives that are damaged, lie about their sizes or reach out of their folder."""

import bz2
import gzip
import hashlib
import io
import pickle
import tarfile
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from attop_bench.data.base import DatasetError
from attop_bench.data.fetch import (
    ArchiveError,
    Limits,
    Source,
    extract,
    load_pickle,
    obtain,
)
from support.downloads import (
    DATA,
    HTML,
    Link,
    files,
    refused,
    sha,
    tarred,
    zipped,
)

pytestmark = pytest.mark.usefixtures("no_mirror")


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
        (sparse_tar({"size": "-1099511627776"}), "damaged|claims a size of -1099511627776"),
        (sparse_tar({"size": "-1"}), "x claims a size of -1"),
    ],
    ids=[
        "old",
        "map",
        "text",
        "sparse",
        "huge",
        "negative",
        "minus one",
    ],  # not the bytes, which hold the time
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
