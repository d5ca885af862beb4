"""Two working directories with one folder of results."""

import shutil
import subprocess
import sys

import pytest

from attop_bench.run.output import hold
from support.small_run import SMALL, snakemake

ONE = {**SMALL, "datasets": SMALL["datasets"][:1], "methods": SMALL["methods"][2:], "trace": False}


HOLD = """
import sys, time
from attop_bench.run.output import hold
print(hold(sys.argv[1]) or "held", flush=True)
time.sleep(600)
"""


def holding(folder, working_directory):
    """Start a process that holds a folder of results."""
    working_directory.mkdir()
    command = [sys.executable, "-c", HOLD, str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=working_directory)
    assert process.stdout.readline() == "held\n"
    return process


def test_a_folder_of_results_is_one_runs_at_a_time(tmp_path):
    output, config = tmp_path / "shared", {**ONE, "output": str(tmp_path / "shared")}
    other = holding(output, tmp_path / "b")
    refusal = hold(output)
    for word in (str(output), f"process {other.pid} on", str(tmp_path / "b"), "--config output="):
        assert word in refusal
    status, printed = snakemake(tmp_path / "b", "--cores", "1", config=config)
    assert status != 0
    assert "Another run writes to" in printed
    assert {path.name for path in output.iterdir()} == {".lock", ".attop.json"}
    status, printed = snakemake(tmp_path / "b", "--cores", "1", "-n", config=config)
    assert status == 0, printed
    other.kill()
    other.wait()
    status, printed = snakemake(tmp_path / "b", "--cores", "1", "--until", "check", config=config)
    assert status == 0, printed


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A finished run of the working directory `a` with results in `shared`."""
    folder = tmp_path_factory.mktemp("two")
    status, output = snakemake(folder / "a", "--cores", "2", config=at())
    assert status == 0, output
    return folder


def at(**changes):
    return {**ONE, "output": "../shared", **changes}


def scores(folder):
    return {path.parent: path.read_bytes() for path in folder.glob("shared/train/*/*/*/scores.npz")}


def test_a_second_working_directory_is_refused(shared):
    """Even with the same configuration: Snakemake's memory of the results is in the first."""
    before = scores(shared)
    for changed in ({}, {"seed": 7}):
        status, output = snakemake(shared / "b", "--cores", "1", "-n", config=at(**changed))
        assert status != 0
        words = " ".join(output.split())
        for word in ("../shared", str(shared / "a"), "--config output=FOLDER", "delete"):
            assert word in words
    assert scores(shared) == before
    status, output = snakemake(shared / "a", "--cores", "1", "-n", config=at())
    assert "Nothing to be done" in output


def test_only_the_working_directory_of_the_last_run_goes_on(shared, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(shared, folder, symlinks=True, ignore=lambda *_: ["b"])
    shutil.copytree(folder / "a", folder / "b")
    for name, title, refused in (("b", "One", False), ("a", "Two", True), ("b", "Three", False)):
        status, output = snakemake(folder / name, "--cores", "2", config=at(title=title))
        assert (status != 0) == refused, output
    shutil.rmtree(folder / "b/.snakemake")
    status, output = snakemake(folder / "b", "--cores", "1", "-n", config=at(title="Three"))
    assert status != 0
    assert "does not know" in " ".join(output.split())
