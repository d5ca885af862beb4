"""A metric, a method and a figure are each a file and a row in one list, reached from a YAML file.

Protocols and kinds of data are in `tests/data/test_extending.py`, surrogates in `tests/surrogates`.
"""

import os
import shutil
import subprocess
import sys

import pytest

from support import ROOT

pytestmark = pytest.mark.workflow


METRIC = '''
"""Share of the positives in the better half."""

import numpy as np

from attop.metrics.metric import Need, metric


@metric("first-half", "Recall of the first half", "Undefined without positives.", (Need.POSITIVE,))
def recall_of_first_half(ranking, k):
    """Share of the positives that fewer than half of the items are above."""
    early = 2 * ranking.before < ranking.n[ranking.group]
    return ranking.total(np.where(early, ranking.pos, 0)) / ranking.n_pos
'''

METHOD = '''
"""The first feature."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class FirstFeature(ClassifierMixin, BaseEstimator):
    def __init__(self, sign=1):
        self.sign = sign

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return self.sign * X[:, 0]
'''

FIGURE = '''
"""How many methods there are."""


def count_figure(scene, runs):
    return scene.sentence("count", f"{runs['method'].nunique()} methods were run here.")
'''

#: File, its text, the list of such things, what stands in it, and the lines before it.
ADDED = (
    (
        "attop/metrics/first_half.py",
        METRIC,
        "attop/metrics/registry.py",
        {
            "from attop.metrics.metric ": "from attop.metrics.first_half import recall_of_first_half\n",
            "    lift_at_k.metric,\n": "    recall_of_first_half.metric,\n",
        },
    ),
    (
        "attop_bench/report/figures/count.py",
        FIGURE,
        "attop_bench/report/figures/__init__.py",
        {
            "from attop_bench.report.figures.across": (
                "from attop_bench.report.figures.count import count_figure\n"
            ),
            '    Drawing("Tuning"': '    Drawing("Counted", ("runs",), count_figure),\n',
        },
    ),
)

RUN = """
catalogues: {methods: methods.yaml}
datasets:
  - id: mine
    kind: wdbc
    protocol: {kind: holdout, options: {train: 0.7, inner_folds: 2}}
    tops: [{k: 5}]
    scoring: first-half
methods: [mine, {id: lr, estimator: sklearn.linear_model.LogisticRegression}]
metrics: [first-half, auc]
"""
CATALOGUE = "mine: {title: My method, estimator: first_feature.FirstFeature, param_grid: {sign: [-1, 1]}}\n"

SCRIPT = """
import yaml
from attop_bench.report import write_analysis
from attop_bench.run.config import load_config
from attop_bench.run.evaluation import evaluate
from attop_bench.run.manifest import manifest
from attop_bench.run.plan import Plan
from attop_bench.run.tables import KEY, TABLES
from attop_bench.run.training import run_job, write_outcome
from attop_bench.data.build import make
from attop_bench.data.splits.protocols import make_folds
import pandas as pd

config = load_config(yaml.safe_load(open("run.yaml")), root=".")
plan, data = Plan(config), make("wdbc")
runs = list(plan.runs())
[fold] = make_folds("holdout", data, 0, config.seed, train=0.7, inner_folds=2)
for run in runs:
    outcome = run_job(plan.spec(run), data, fold)
    print(run.method, outcome.record.status, outcome.record.error or outcome.record.tops[0]["chosen"])
    write_outcome(outcome, *plan.results(run))
paths = [plan.results(run) for run in runs]
metrics = [config.metric(name) for name in config.metrics]
tables = evaluate(
    data, runs, *zip(*paths), tops=plan.spec(runs[0]).tops, metrics=metrics,
    scoring=config.metric("first-half"),
)
tables["trace"] = pd.DataFrame(columns=[*KEY, *TABLES["trace"]])
write_analysis(tables, manifest(config, {"mine": data}), report="report.html", tables="t", figures="f")
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """What a run with the three prints, and its report."""
    folder = tmp_path_factory.mktemp("to-add")
    package = folder / "src"
    shutil.copytree(ROOT / "src", package, ignore=shutil.ignore_patterns("__pycache__"))
    for file, text, registry, rows in ADDED:
        (package / file).write_text(text)
        listed = (package / registry).read_text()
        for before, row in rows.items():
            assert listed.count(before) == 1, (registry, before)
            listed = listed.replace(before, row + before)
        (package / registry).write_text(listed)
    (folder / "first_feature.py").write_text(METHOD)
    (folder / "methods.yaml").write_text(CATALOGUE)
    (folder / "run.yaml").write_text(RUN)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{folder}:{package}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, (folder / "report.html").read_text(encoding="utf-8")


def test_a_metric_is_a_file_and_a_row(run):
    _, page = run
    assert "Recall of the first half" in page
    assert "Share of the positives that fewer than half of the items are above." in page


def test_a_method_is_a_file_and_an_entry(run):
    printed, page = run
    assert "mine ok {'sign': 1}" in printed.splitlines()  # malignant nuclei are large
    assert "My method" in page


def test_a_figure_is_a_file_and_a_row(run):
    _, page = run
    assert "2 methods were run here." in page
