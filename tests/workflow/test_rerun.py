"""The jobs that an edit of the sources makes run again; edits of the configuration are in test_workflow."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml

from support import ROOT
from support.small_run import SMALL, jobs

FOLDERS = ("src", "rules", "workflow", "config", "profiles")
FILES = ("Snakefile", "README.md")


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A finished run in a copy of the repository, whose sources may be edited."""
    root = tmp_path_factory.mktemp("clone")
    for folder in FOLDERS:  # with the compiled code, and the times that say it is up to date
        shutil.copytree(ROOT / folder, root / folder)
    for file in FILES:
        shutil.copy2(ROOT / file, root / file)
    (root / "small.yaml").write_text(yaml.safe_dump(SMALL))
    status, output = snakemake(root, "--cores", "2")
    assert status == 0, output
    return root


def snakemake(root, *arguments):
    command = [sys.executable, "-m", "snakemake", "--configfile", "small.yaml", *arguments]
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


AFTER = {"evaluate": 2, "trace": 2, "report": 1}
MEASURED = {"evaluate": 2, "report": 1}

TABLE = {
    "solver": ("src/attop/solvers/descent/gradient_descent.py", code, {"train": 3, **AFTER}, {"gd-papk-avg"}),
    "solver of other methods": ("src/attop/solvers/aatp/box_qp.py", code, {}, set()),
    "comment": ("src/attop/solvers/descent/gradient_descent.py", comment, {}, set()),
    "docstring": ("src/attop/solvers/descent/gradient_descent.py", docstring, {}, set()),
    "surrogate": ("src/attop/surrogates/pap_at_k.py", code, {"train": 3, **AFTER}, {"gd-papk-avg"}),
    "kernel": (
        "src/attop/surrogates/kernels/k_largest.py",
        code,
        {"train": 6, **AFTER},
        {"gd-papk-avg", "sgd-avg"},
    ),
    "estimator": ("src/attop/estimators/sgd_at_k.py", code, {"train": 3, **AFTER}, {"sgd-avg"}),
    "metric": ("src/attop/metrics/roc_area.py", code, MEASURED, set()),
    "metric that selects": (
        "src/attop/metrics/pap.py",
        code,
        {"train": 3, "trace": 1, **MEASURED},
        {"gd-papk-avg", "sgd-avg", "logistic-regression"},
    ),
    "figure": ("src/attop/analysis/figures/target.py", code, {"report": 1}, set()),
    "data set": (
        "src/attop/datasets/kinds/simulation.py",
        code,
        {"dataset": 1, "check": 1, "train": 3, "evaluate": 1, "trace": 1, "report": 1},
        {"gd-papk-avg", "sgd-avg", "logistic-regression"},
    ),
    "evaluation": ("src/attop/bench/evaluation.py", code, MEASURED, set()),
    "curves": ("src/attop/bench/trace.py", code, {"trace": 2, "report": 1}, set()),
    "how jobs are run": ("src/attop/jobs/client.py", code, {}, set()),
    "README": ("README.md", code, {}, set()),
}


@pytest.mark.parametrize(("file", "edit", "expected", "methods"), TABLE.values(), ids=TABLE)
def test_an_edit_runs_again_what_depends_on_it(clone, file, edit, expected, methods):
    path = clone / file
    before, times = path.read_text(), path.stat()
    edited = edit(before)
    assert edited != before
    path.write_text(edited)
    try:
        status, output = snakemake(clone, "--cores", "1", "-n")
    finally:
        path.write_text(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert status == 0, output
    assert all_jobs(output) == expected
    assert set(re.findall(r"train (\S+) on", output)) == methods
