"""Killed at any time, the same command goes on and ends with the same results."""

import json
import os
import subprocess
import sys

import pytest
from benchmarks.endurance.killing import finish, kill_and_resume, results, scores, start

from support.small_run import SMALL

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds processes below /proc")


def test_killed_runs_go_on(tmp_path):
    finish(tmp_path / "whole", SMALL)
    killed = kill_and_resume(tmp_path / "killed", SMALL, times=3, seed=2, longest=9)
    assert len(killed) == 3
    assert scores(tmp_path / "killed") == scores(tmp_path / "whole")
    assert results(tmp_path / "killed") == results(tmp_path / "whole")


def test_full_disk(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("a small file system can be mounted by root only")
    config = {**SMALL, "datasets": SMALL["datasets"][:1], "methods": SMALL["methods"][2:]}
    try:
        (folder / "rest").write_bytes(bytes((8 << 20) - (160 << 10)))
        assert start(folder, config).wait(timeout=300) != 0
        (folder / "rest").unlink()
        for record in folder.glob("results/train/*/*/*/record.json"):
            assert json.loads(record.read_text())["status"] == "ok"
        finish(folder, config)
        finish(tmp_path / "large", config)
        assert scores(folder) == scores(tmp_path / "large")
        assert results(folder) == results(tmp_path / "large")
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
