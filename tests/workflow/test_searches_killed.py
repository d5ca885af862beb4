"""A search of 200 candidates that is killed in the middle goes on, and 50 more candidates train 50 more."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import psutil
import pytest
import yaml

from support import ROOT, forked
from support.small_run import ONE

SHIFTED = {
    "id": "shifted",
    "estimator": "support.hostile_methods.Counted",
    "param_distributions": {"shift": {"uniform": [0.0, 100.0]}},
}
DATA = {
    "id": "wdbc",
    "protocol": {"kind": "stratified", "repeats": 1, "options": {"n_folds": 2, "inner_folds": 2}},
    "tops": [{"k": 10}],
}
CONFIG = {**ONE, "datasets": [DATA], "methods": [SHIFTED]}
#: The same method as it is, tuned, and averaged.
ROWS = [
    {"id": "default", "estimator": SHIFTED["estimator"]},
    {**SHIFTED, "id": "tuned", "n_candidates": 4},
    {**SHIFTED, "id": "averaged", "n_candidates": 4, "select": "ap", "ensemble": 5},
]
#: Each candidate is fitted on two inner folds, and what is chosen once on each fold; one is fitted before
#: all, to check the method.
FOLDS, INNER, CHECKED = 2, 2, 1


COMMAND = ["-s", str(ROOT / "Snakefile"), "--configfile", "config.yaml", "--until", "train", "--cores", "1"]


def environment(folder, n_candidates, waits=0):
    """Configure a run with so many candidates; return its environment."""
    (folder / "config.yaml").write_text(yaml.safe_dump({**CONFIG, "budget": {"candidates": n_candidates}}))
    path = os.pathsep.join([str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    counted = {"COUNTED": str(folder / "counted.txt"), "COUNTED_WAITS": str(waits)}
    return {**os.environ, "PYTHONPATH": path} | counted


def start(folder, n_candidates, waits):
    """Start the trainings of a run with so many candidates, in a group of its own."""
    with (folder / "output.txt").open("w") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "snakemake", *COMMAND],
            cwd=folder,
            env=environment(folder, n_candidates, waits),
            start_new_session=True,
            stdout=file,
            stderr=file,
        )


def counts(folder):
    """Return how often each candidate was fitted."""
    path = folder / "counted.txt"
    return Counter(path.read_text().splitlines()) if path.exists() else Counter()


def kill_all(process):
    """End a process and all that it started, as a machine that goes down does."""
    for one in [*psutil.Process(process.pid).children(recursive=True), process]:
        one.send_signal(signal.SIGKILL)
    process.wait(timeout=60)


def finished(folder, n_candidates):
    """Run to the end; return how often each candidate was fitted meanwhile."""
    before = counts(folder)
    status, output = forked.run("snakemake", COMMAND, folder, environment(folder, n_candidates))
    assert status == 0, output
    return counts(folder) - before


def n_new(fitted, before):
    """Return how many candidates were fitted that were not before."""
    return len(set(fitted) - set(before))


@pytest.mark.workflow
def test_a_search_killed_in_the_middle_goes_on_and_more_candidates_train_only_these(tmp_path):
    whole = 99
    middle = CHECKED + whole * INNER + 1  # the first inner fold of the 100th
    running = start(tmp_path, 200, waits=middle)
    deadline = time.monotonic() + 500
    while counts(tmp_path).total() < middle and running.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert running.poll() is None, (tmp_path / "output.txt").read_text()
    kill_all(running)
    first = counts(tmp_path)
    assert (first.total(), len(first)) == (middle, CHECKED + whole + 1)

    rest = finished(tmp_path, 200)
    assert n_new(rest, first) == FOLDS * 200 - whole - 1
    assert rest.total() == (FOLDS * 200 - whole) * INNER + FOLDS  # what was whole is not fitted again

    before = counts(tmp_path)
    more = finished(tmp_path, 250)
    assert n_new(more, before) == FOLDS * 50
    assert more.total() == FOLDS * 50 * INNER + FOLDS
    records = [
        json.loads(path.read_text()) for path in tmp_path.glob("results/train/wdbc/shifted/*/record.json")
    ]
    assert [record["n_candidates"] for record in records] == [250] * FOLDS


def three_rows(folder, n_candidates):
    """Run the three rows with so many candidates; return how often each was fitted, and the records."""
    rows = [row | ({"n_candidates": n_candidates} if "n_candidates" in row else {}) for row in ROWS]
    (folder / "config.yaml").write_text(yaml.safe_dump({**CONFIG, "methods": rows}))
    before = counts(folder)
    path = os.pathsep.join([str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    variables = {**os.environ, "PYTHONPATH": path, "COUNTED": str(folder / "counted.txt")}
    status, output = forked.run("snakemake", COMMAND, folder, variables)
    assert status == 0, output
    paths = folder.glob("results/train/wdbc/*/*/record.json")
    records = {path.parts[-3:-1]: json.loads(path.read_text()) for path in paths}
    return counts(folder) - before, records


@pytest.mark.workflow
def test_default_tuned_and_averaged_are_three_rows_of_one_search(tmp_path):
    first, records = three_rows(tmp_path, 4)
    averaged = [one["tops"][0] for (method, _), one in records.items() if method == "averaged"]
    tested = sum(top["averaged"] for top in averaged)
    assert [sum(one["times"] for one in top["inner"]) for top in averaged] == [5] * FOLDS
    assert len(records) == 3 * FOLDS
    # The search of a fold is trained once, for both; each method is checked, and what is tested fitted.
    searched = first.total() - first["0.0"]
    assert searched == FOLDS * 4 * INNER + 2 * CHECKED + FOLDS + tested
    nothing, _ = three_rows(tmp_path, 4)
    assert not nothing
    more, records = three_rows(tmp_path, 6)
    averaged = [one["tops"][0] for (method, _), one in records.items() if method == "averaged"]
    assert more.total() == FOLDS * 2 * INNER + FOLDS + sum(top["averaged"] for top in averaged)
    assert len(set(more) - set(first)) == FOLDS * 2
