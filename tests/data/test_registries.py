"""OpenML and PMLB: a name stands for a file that the registry's own record checks, on loopback."""

import gzip
import hashlib
import json

import numpy as np
import pytest

from attop_bench.data.base import DatasetError
from attop_bench.data.build import make
from attop_bench.data.files.fetch import obtain
from attop_bench.data.files.registries import openml_file, pmlb_file
from attop_bench.run.config import ConfigError
from support.downloads import refused, sha
from support.small_run import configured, entry

pytestmark = pytest.mark.usefixtures("no_mirror", "waits")

ARFF = (
    b"@relation x\n@attribute a numeric\n@attribute class {'-1','1'}\n@data\n1.5,'-1'\n2,'1'\n3,'1'\n0,'-1'\n"
)
TSV = gzip.compress(mtime=0, data=b"a\tb\ttarget\n1\t2\t0\n3\t4\t1\n5\t6\t1\n7\t8\t0\n")


def md5(data):
    return hashlib.md5(data).hexdigest()


def openml(server, data=ARFF, **changes):
    """A description as api/v1/json/data/ID gives it: numbers are text, and there is more than is used."""
    url = server.put("/data/v1/download/52214/mammography.arff", data)
    record = {"id": "310", "name": "mammography", "version": "1", "format": "ARFF", "file_id": "52214"}
    record |= {"url": url, "md5_checksum": md5(data), "status": "active", **changes}
    server.put("/json/310", json.dumps({"data_set_description": record}).encode())
    return f"{server.url}/json"


def pointer(data):
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha(data)}\nsize {len(data)}\n".encode()


def test_openml_by_id_and_version(server, tmp_path):
    path = obtain(openml_file(310, 1, registry=openml(server)), tmp_path)
    assert path.read_bytes() == ARFF
    data = make("openml", path=path, label="class", positive=1)
    np.testing.assert_array_equal(data.X, [[1.5], [2], [3], [0]])
    np.testing.assert_array_equal(data.y, [0, 1, 1, 0])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"md5_checksum": md5(b"")}, ["expected md5", md5(b""), md5(ARFF)]),
        ({"md5_checksum": ""}, ["md5_checksum is ''"]),
        ({"version": "2"}, ["version 2, expected 1"]),
        ({"url": None}, ["/json/310", "not the record"]),
        ({"url": "file:///etc/passwd"}, ["neither http"]),
    ],
)
def test_openml_refuses_another_file_version_or_no_digest(server, tmp_path, changes, words):
    refused(openml_file(310, 1, registry=openml(server, **changes)), tmp_path, *words)


def test_the_md5_of_a_configuration_counts_more_than_that_of_the_record(server, tmp_path):
    refused(openml_file(310, 1, md5(b"x"), registry=openml(server)), tmp_path, md5(b"x"))


def test_pmlb_by_name(server, tmp_path):
    server.put("/p/x/x.tsv.gz", pointer(TSV), TSV)  # two hosts of GitHub's, of which one has the pointer
    path = obtain(pmlb_file("x", registry=f"{server.url}/p"), tmp_path)
    assert path == tmp_path / "pmlb/x/x.tsv.gz"
    data = make("pmlb", path=path, label="target", positive=1)
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4], [5, 6], [7, 8]])
    np.testing.assert_array_equal(data.y, [0, 1, 1, 0])
    assert data.facts["features"] == ["a", "b"]


@pytest.mark.parametrize(
    ("pages", "word"),
    [
        ((pointer(TSV), TSV[:-1]), sha(TSV)),
        ((pointer(TSV), gzip.compress(b"x", mtime=0)), sha(TSV)),
        ((TSV,), "pointer of Git LFS"),
    ],
    ids=["cut", "other", "no pointer"],
)
def test_pmlb_refuses_a_file_that_is_not_the_pointers_and_what_is_no_pointer(server, tmp_path, pages, word):
    server.put("/p/x/x.tsv.gz", *pages)
    refused(pmlb_file("x", registry=f"{server.url}/p"), tmp_path, word)


def test_a_configuration_names_a_set_of_a_registry():
    params = {"name": "x", "label": "target", "positive": 1, "sha256": "0" * 64, "bytes": 7}
    [data] = configured(datasets=[entry(kind="pmlb", params=params)]).datasets
    file = data.files["path"]
    assert (file.path, file.mirror_path, file.digest, file.bytes) == ("pmlb/x/x.tsv.gz",) * 2 + ("0" * 64, 7)
    assert file.urls[0].endswith("/datasets/x/x.tsv.gz")
    assert file.record == "git-lfs"
    assert data.params == {"label": "target", "positive": 1}
    with pytest.raises(ConfigError, match="'name' is not given"):
        configured(datasets=[entry(kind="pmlb", params={"label": "target", "positive": 1})])


def test_labels_may_be_in_a_file_of_their_own(read, tmp_path):
    (tmp_path / "y").write_text("-1\n1\n-1\n")
    text, given = "a,b\n1,2\n3,4\n5,6\n", {"labels": tmp_path / "y", "label": None}
    np.testing.assert_array_equal(read(text, **given).y, [0, 1, 0])
    with pytest.raises(DatasetError, match="leave label out"):
        read(text, labels=tmp_path / "y", label="a")
    (tmp_path / "y").write_text("-1\n1\n")
    with pytest.raises(DatasetError, match="2 rows of 1, for 3 rows"):
        read(text, **given)


def test_blocks_are_consecutive_rows(read):
    data = read("a,y\n" + "".join(f"{i},{i % 4}\n" for i in range(7)), positive=[1, 3], blocks=3)
    np.testing.assert_array_equal(data.entity, [0, 0, 0, 1, 1, 2, 2])
    np.testing.assert_array_equal(data.y, [0, 1, 0, 1, 0, 1, 0])
