"""Two working directories with one folder of results."""

import json
import os
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from attop_bench.data.base import Dataset, save_arrays
from attop_bench.run.carried import made_with
from attop_bench.run.output import hold
from attop_bench.run.record import Record
from attop_bench.run.tables import write_tables
from support.small_run import SMALL, jobs, snakemake

ONE = {**SMALL, "datasets": SMALL["datasets"][:1], "methods": SMALL["methods"][2:], "trace": False}


HOLD = "import sys, time; from attop_bench.run.output import hold; print(hold(sys.argv[1]) or 'held', flush=True)"


def holding(folder):
    """Start a process that holds a folder of results."""
    command = [sys.executable, "-c", HOLD + "; time.sleep(600)", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    return process


def test_a_folder_of_results_is_one_runs_at_a_time(tmp_path):
    output, config = tmp_path / "shared", {**ONE, "output": str(tmp_path / "shared")}
    other = holding(output)
    refusal = hold(output)
    for word in (str(output), f"process {other.pid} on", os.getcwd(), "--config output="):
        assert word in refusal
    status, printed = snakemake(tmp_path / "b", "--cores", "1", config=config)
    assert status != 0
    assert "Another run writes to" in printed
    assert [path.name for path in output.iterdir()] == [".lock"]
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
    status, output = snakemake(folder / "a", "--cores", "2", config=at(folder))
    assert status == 0, output
    return folder


def at(folder, **changes):
    return {**ONE, "output": str(folder / "shared"), **changes}


def scores(folder):
    return {path.parent: path.read_bytes() for path in folder.glob("shared/train/*/*/*/scores.npz")}


CHANGES = {
    "seed": (
        {"seed": 7},
        {"prepare": 1, "split": 1, "check": 1, "train": 2, "evaluate": 1, "trace": 1, "report": 1},
    ),
    "search": (
        {"methods": [{"id": "logistic-regression", "param_grid": {"C": [0.1, 2]}}]},
        {"check": 1, "train": 2, "evaluate": 1, "report": 1},
    ),
    "metrics": ({"metrics": ["ap"]}, {"evaluate": 1, "report": 1}),
    "title": ({"title": "Another"}, {"report": 1}),
}


@pytest.mark.parametrize(("change", "expected"), CHANGES.values(), ids=CHANGES)
def test_results_of_another_configuration_are_made_again(shared, change, expected):
    """Seen from a working directory without Snakemake's memory of them, another one or the same."""
    status, output = snakemake(shared / "b", "--cores", "1", "-n", config=at(shared, **change))
    assert status == 0, output
    assert jobs(output) == expected
    assert "made with another configuration: they are made again" in " ".join(output.split())


def test_the_same_configuration_has_nothing_to_do_from_anywhere(shared):
    status, output = snakemake(shared / "b", "--cores", "1", "-n", config=at(shared))
    assert status == 0, output
    assert "Nothing to be done" in output
    assert "another configuration" not in output


def test_two_working_directories_in_turns(shared, tmp_path):
    """Each finds that the other was here, although Snakemake remembers that all was done."""
    shutil.copytree(shared, tmp_path / "copy", symlinks=True)
    folder, first = tmp_path / "copy", scores(tmp_path / "copy")
    for name, seed in (("a", 3), ("b", 7), ("a", 3)):
        status, output = snakemake(folder / name, "--cores", "2", config=at(folder, seed=seed))
        assert status == 0, output
        assert (scores(folder) == first) == (seed == 3)
        assert json.loads((folder / "shared/manifest.json").read_text())["seed"] == seed
    status, output = snakemake(folder / "a", "--cores", "1", "-n", config=at(folder))
    assert "Nothing to be done" in output


def test_an_own_file_of_the_same_name_is_another_file(tmp_path):
    own = {
        "id": "mine",
        "kind": "file",
        "params": {"path": "mine.csv", "label": "y", "positive": 1},
        "protocol": {"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}},
        "tops": [{"k": 3}],
    }
    config = at(tmp_path, datasets=[own])
    for name, y in (("a", "0,1"), ("b", "1,0")):
        (tmp_path / name).mkdir()
        rows = [f"{i},{y.split(',')[i % 2]}" for i in range(40)]
        (tmp_path / name / "mine.csv").write_text("x,y\n" + "\n".join(rows) + "\n")
        os.utime(tmp_path / name / "mine.csv", (1, 1))
    last = str(tmp_path / "shared/data/mine/dataset.npz")
    for name, first in (("a", 0), ("b", 1)):
        status, output = snakemake(tmp_path / name, "--cores", "1", last, config=config)
        assert status == 0, output
        assert Dataset.load(last).y[0] == first


def test_what_a_file_carries(tmp_path):
    table = pd.DataFrame({"a": [1]})
    write_tables({"runs": table}, tmp_path, made_with="abc")
    save_arrays(tmp_path / "data.npz", {}, {"made_with": "abc"})
    Record(made_with="abc", sizes={"data.npz": (tmp_path / "data.npz").stat().st_size}).write(
        tmp_path / "record.json"
    )
    for path in sorted(tmp_path.iterdir()):
        assert made_with(path) == "abc"
        for length in (0, 7, path.stat().st_size // 2):
            (tmp_path / f"cut{path.suffix}").write_bytes(path.read_bytes()[:length])
            assert made_with(tmp_path / f"cut{path.suffix}") == (None if path.suffix == ".npz" else "")
    assert made_with(tmp_path / "none.json") is None
    (tmp_path / "data.npz").write_bytes(b"")
    assert made_with(tmp_path / "record.json") == ""
