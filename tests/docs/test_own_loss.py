"""The tutorial of a loss, line by line: a run of the benchmark on it, and its way into attop."""

import os
import shutil
import subprocess
import sys

import pandas as pd
import pytest
import yaml
from test_docs import blocks, commands, write_files

from support import ROOT
from support.small_run import snakemake

pytestmark = pytest.mark.workflow

PAGE = "docs/howto/own-loss.md"
#: What is asked of the loss once its stub names it, as of any other.
USE = """
import numpy as np
from attop import BundleRanker, GDRanker, Top, get_surrogate
from attop.surrogates import TopHinge
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = X[:, 0] + rng.normal(size=60) > 1
assert isinstance(get_surrogate("top-hinge", Top(k=3)), TopHinge)
assert (BundleRanker("top-hinge", top=3).fit(X, y).coef_ == BundleRanker(TopHinge(3)).fit(X, y).coef_).all()
assert GDRanker("top-hinge", top=3, max_iter=5).fit(X, y).n_iter_ == 5
"""


def test_the_benchmark_runs_on_it(tmp_path):
    """The page's configuration, on two folds and without figures; its command is planned by test_docs.py."""
    write_files(PAGE, tmp_path)
    (command,) = commands(PAGE)
    config = yaml.safe_load((tmp_path / command.split()[-1]).read_text())
    two_folds = {"kind": "stratified", "repeats": 1, "options": {"n_folds": 2, "inner_folds": 2}}
    few = {"protocol": two_folds, "tops": [{"k": 10}]}
    config["datasets"] = [{"id": name, **few} for name in config["datasets"]]
    config["methods"] = config["methods"][1:]
    catalogues = {name: f"config/{name}.yaml" for name in ("datasets", "methods")}
    small = {**config, "catalogues": catalogues, "trace": False}
    status, output = snakemake(tmp_path, "--cores", "1", "trainings", config=small)
    assert status == 0, output
    records = sorted((tmp_path / config["output"]).rglob("top-hinge/**/*.json"))
    assert records, output
    assert {pd.read_json(record, typ="series")["status"] for record in records} == {"ok"}


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
    (line,) = (block.strip() for block in blocks_indented(PAGE))
    with (tmp_path / "attop/surrogates/__init__.pyi").open("a") as stub:
        stub.write(f"{line}\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", USE]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def blocks_indented(page):
    """Return the lines of Python that a list of the page has as text."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.startswith("   from ")]


def test_the_page_has_the_parts_it_speaks_of():
    parts = "\n".join(blocks(PAGE, "python"))
    assert all(f"class {name}(" in parts for name in ("TopHinge", "BoundTopHinge", "TopHingeRanker"))
