"""A table read from its text; a server to download from, waits that take no time, no mirror, a small disk."""

import os
import shutil
import subprocess

import pytest

from attop_bench.data.build import build, make
from attop_bench.data.catalogue import kind_of
from support.downloads import Server


@pytest.fixture
def read(tmp_path):
    """Write a text, and return the data set that it is."""

    def read(text, name="t.csv", **options):
        (tmp_path / name).write_text(text, newline="")
        return make("file", path=tmp_path / name, **{"label": "y", "positive": 1, **options})

    return read


@pytest.fixture
def built(tmp_path):
    """Build the stages of a data set, by default all; return the file of the last."""

    def built(spec, previous=None, stages=None):
        for stage in stages or kind_of(spec["kind"]).stages:
            out = tmp_path / f"{stage}.npz"
            build(spec, stage, previous, out)
            previous = out
        return previous

    return built


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def no_mirror(monkeypatch):
    monkeypatch.delenv("ATTOP_MIRROR", raising=False)


@pytest.fixture
def waits(monkeypatch):
    """Seconds that downloads would have waited."""
    seconds = []
    monkeypatch.setattr("pooch.core.time.sleep", seconds.append)
    return seconds


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
