"""The tutorial of a loss, line by line: a training job of the benchmark, and its way into attop."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from sklearn.datasets import load_breast_cancer
from test_docs import blocks, write_files

from attop.extending import Top
from attop_bench.data.base import Dataset
from attop_bench.run.job import Job
from attop_bench.run.training import run_job
from support import ROOT
from support.folds import cut

pytestmark = pytest.mark.workflow

PAGE = "docs/howto/own-loss.md"
#: What is asked of the loss once its stub names it, as of any other.
USE = """
import numpy as np
from attop import GDRanker, Top, get_surrogate
from attop.surrogates import TopHinge
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = X[:, 0] + rng.normal(size=60) > 1
assert isinstance(get_surrogate("top-hinge", Top(k=3)), TopHinge)
model = GDRanker("top-hinge", top=3, max_iter=5).fit(X, y)
assert model.n_iter_ == 5
assert (model.coef_ == GDRanker(TopHinge(3), max_iter=5).fit(X, y).coef_).all()
"""


def test_the_benchmark_trains_it(tmp_path, monkeypatch):
    """A training job of the method as the page's file has it; test_docs.py plans the page's command."""
    write_files(PAGE, tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (file,) = (block for block in blocks(PAGE, "yaml"))
    (method,) = (entry for entry in yaml.safe_load(file)["methods"] if isinstance(entry, dict))
    job = Job(
        repeat=0,
        fold=1,
        seed=7,
        protocol={"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}},
        scaling="standard",
        tops=[Top(k=10)],
        scoring="precision@k",
        estimator=method["estimator"],
        param_grid=method["param_grid"],
    )
    X, benign = load_breast_cancer(return_X_y=True)
    data = Dataset("wdbc", X, (benign == 0).astype(int))
    outcome = run_job(job, data, cut(data, job.split)[job.fold])
    assert outcome.status == "ok", outcome.error
    assert outcome.tops[0]["chosen"]["lam"] in method["param_grid"]["lam"]


def test_its_way_into_attop(tmp_path):
    """On a copy of the library: the file, the line of the stub, and the loss is known by its name."""
    shutil.copytree(ROOT / "src/attop", tmp_path / "attop", ignore=shutil.ignore_patterns("__pycache__"))
    write_files(PAGE, tmp_path)
    classes = (tmp_path / "my_losses.py").read_text().replace("from attop import BundleRanker, Top\n", "")
    without_learner = classes.partition("class TopHingeRanker")[0].replace(
        "from attop.surrogates import BoundSurrogate, Surrogate",
        "from attop._core.top import Top\nfrom attop.surrogates._base import BoundSurrogate, Surrogate",
    )
    (tmp_path / "attop/surrogates/_top_hinge.py").write_text(without_learner)
    (line,) = re.findall(r"^ +(from \._top_hinge .*\n)", (ROOT / PAGE).read_text(), re.MULTILINE)
    with (tmp_path / "attop/surrogates/__init__.pyi").open("a") as stub:
        stub.write(line)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", USE]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
