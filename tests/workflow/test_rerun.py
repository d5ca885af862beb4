"""The jobs that an edit of the sources makes run again; edits of the configuration are in test_workflow."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest
import yaml

from attop_bench.cli.folder import benchmark
from support import ROOT
from support.small_run import SMALL, jobs


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A finished run in a copy of the repository, whose sources may be edited."""
    root = tmp_path_factory.mktemp("clone")
    for name in ("src", "README.md", *benchmark()):  # with compiled code, and times that say it is up to date
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, root / name)
    (root / "small.yaml").write_text(yaml.safe_dump(SMALL))
    status, output = snakemake(root, "--cores", "2")
    assert status == 0, output
    return root


def snakemake(root, *arguments):
    chosen = () if "--configfile" in arguments else ("--configfile", "small.yaml")
    command = [sys.executable, "-m", "snakemake", *chosen, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(root / "src"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


def code(text):
    return text + "\nADDED = 1\n"


def comment(text):
    return text + "\n# Added.\n"


def docstring(text):
    return text.replace('"""', '"""Said otherwise: ', 1)


def all_jobs(output):
    return jobs(output) if "Job stats:" in output else {}


BEFORE = {"check": 1, "compile": 1}
AFTER = {"evaluate": 2, "trace": 2, "report": 1}
MEASURED = {"evaluate": 2, "report": 1}

TABLE = {
    "solver": (
        "src/attop/solvers/_gradient_descent.py",
        code,
        {**BEFORE, "train": 3, **AFTER},
        {"gd-papk-avg"},
    ),
    "solver of other methods": ("src/attop/from_papers/aatp/_box_qp.py", code, {}, set()),
    "comment": ("src/attop/solvers/_gradient_descent.py", comment, {}, set()),
    "docstring": ("src/attop/solvers/_gradient_descent.py", docstring, {}, set()),
    "surrogate": (
        "src/attop/surrogates/_pap_at_k.py",
        code,
        {**BEFORE, "train": 3, **AFTER},
        {"gd-papk-avg"},
    ),
    "kernel": (
        "src/attop/surrogates/_kernels/k_largest.py",
        code,
        {**BEFORE, "compile": 2, "train": 6, **AFTER},
        {"gd-papk-avg", "sgd-avg"},
    ),
    "estimator": (
        "src/attop/from_papers/minibatch/_rankers.py",
        code,
        {**BEFORE, "train": 3, **AFTER},
        {"sgd-avg"},
    ),
    "metric": ("src/attop/metrics/_roc.py", code, MEASURED, set()),
    "metric that selects": (
        "src/attop/metrics/_pap.py",
        code,
        {"check": 1, "train": 3, "trace": 1, **MEASURED},
        {"gd-papk-avg", "sgd-avg", "logistic-regression"},
    ),
    "figure": ("src/attop_bench/report/figures/curves.py", code, {"report": 1}, set()),
    "data set": (
        "src/attop_bench/data/kinds/simulated.py",
        code,
        {"prepare": 1, "split": 1, "check": 1, "train": 3, "evaluate": 1, "trace": 1, "report": 1},
        {"gd-papk-avg", "sgd-avg", "logistic-regression"},
    ),
    "protocol": (
        "src/attop_bench/data/splits/random.py",
        code,
        {"split": 2, "check": 1, "train": 9, **AFTER},
        {"gd-papk-avg", "sgd-avg", "logistic-regression"},
    ),
    "training": (
        "src/attop_bench/run/training.py",
        code,
        {"train": 9, **AFTER},
        {"gd-papk-avg", "sgd-avg", "logistic-regression"},
    ),
    "evaluation": ("src/attop_bench/run/evaluation.py", code, MEASURED, set()),
    "curves": ("src/attop_bench/run/trace.py", code, {"trace": 2, "report": 1}, set()),
    "own metrics": (
        "src/attop/metrics/_custom.py",
        code,
        {**BEFORE, "compile": 3, "train": 9, **AFTER},
        {"gd-papk-avg", "sgd-avg", "logistic-regression"},
    ),
    "check": ("src/attop_bench/run/checks.py", code, {"check": 1}, set()),
    "how jobs are run": ("src/attop_bench/jobs/server.py", code, {}, set()),
    "README": ("README.md", code, {}, set()),
}


@contextmanager
def edited(path, edit):
    """Edit a file, and put it back as it was."""
    before, times = path.read_text(), path.stat()
    assert edit(before) != before
    path.write_text(edit(before))
    try:
        yield
    finally:
        path.write_text(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize(("file", "edit", "expected", "methods"), TABLE.values(), ids=TABLE)
def test_an_edit_runs_again_what_depends_on_it(clone, file, edit, expected, methods):
    with edited(clone / file, edit):
        status, output = snakemake(clone, "--cores", "1", "-n")
    assert status == 0, output
    assert all_jobs(output) == expected
    assert set(re.findall(r"train (\S+) on", output)) == methods


def test_an_edit_of_how_files_are_fetched_fetches_them_again(clone):
    (clone / "mirror").mkdir()
    (clone / "mirror" / "own.csv").write_text("a,y\n1,0\n2,1\n" * 20)
    own = {
        "id": "fetched",
        "kind": "file",
        "params": {"label": "y", "positive": 1},
        "files": {"path": {"path": "own.csv"}},
        "protocol": {"kind": "stratified"},
        "tops": [{"k": 3}],
    }
    config = {**SMALL, "datasets": [own], "output": "fetched", "mirror": "mirror"}
    (clone / "fetched.yaml").write_text(yaml.safe_dump(config))
    fetch = ("--configfile", "fetched.yaml", "--cores", "1", "--until", "fetch")
    status, output = snakemake(clone, *fetch)
    assert status == 0, output
    for file, expected in (("data/fetch.py", {"fetch": 1}), ("run/config.py", {})):
        with edited(clone / "src/attop_bench" / file, code):
            status, output = snakemake(clone, *fetch, "-n")
        assert status == 0, output
        assert all_jobs(output) == expected
    (clone / "fetched.yaml").write_text(yaml.safe_dump({**config, "mirror": "elsewhere"}))
    status, output = snakemake(clone, *fetch, "-n")
    assert all_jobs(output) == {}, "the same bytes from elsewhere are the same data"
