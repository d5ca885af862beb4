"""A metric, surrogate, method, protocol, kind of data and figure are each a file and a row, named in YAML."""

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

from attop.metrics._metric import Need, metric


@metric("first-half", "Recall of the first half", "Undefined without positives.", (Need.POSITIVE,))
def recall_of_first_half(ranking, k):
    """Share of the positives that fewer than half of the items are above."""
    early = 2 * ranking.before < ranking.n[ranking.group]
    return ranking.total(np.where(early, ranking.pos, 0)) / ranking.n_pos
'''

SURROGATE = """
from attop.surrogates._pointwise import LogisticLoss

class MyLoss(LogisticLoss):  # without a kernel, which would be compiled
    name = "my-loss"
"""

EVERY_OTHER = """
import numpy as np

from attop.experiment._splits import Fold


def every_other(y, groups=None, *, first: int = 0, seed: int):
    rows = np.arange(len(y))
    train, test = rows[rows % 2 == first], rows[rows % 2 != first]
    return [Fold(train, test, [(train[::2], train[1::2])])]
"""

LINE = """
import numpy as np

from attop_bench.data.base import Dataset


def line(n: int = 20, *, seed: int):
    y = (np.arange(n) // 2 % 4 < 2).astype(int)
    return Dataset("line", y[:, None] + np.random.default_rng(seed).random((n, 1)), y)
"""

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


import pandas as pd

from attop_bench.report.figures.scene import Drawn, blank


def count_figure(scene, runs):
    canvas, (axes,) = blank(1, height=2)
    methods = runs["method"].unique()
    axes.bar(["methods"], [len(methods)])
    return Drawn(canvas, f"{len(methods)} methods were run here.", pd.DataFrame({"method": methods}))
'''

DATA, FIGURES = "attop_bench/data", "attop_bench/report/figures"
#: File, its text, the list of such things, and what stands in it, by the lines before which it does.
ADDED = (
    (
        "attop/metrics/first_half.py",
        METRIC,
        "attop/metrics/_registry.py",
        {
            "from attop.metrics._metric ": "from attop.metrics.first_half import recall_of_first_half\n",
            "    lift_at_k.metric,\n": "    recall_of_first_half.metric,\n",
        },
    ),
    (
        "attop/surrogates/my_loss.py",
        SURROGATE,
        "attop/surrogates/__init__.pyi",
        {"\n__all__": "from .my_loss import MyLoss as MyLoss\n"},
    ),
    (
        f"{DATA}/splits/every_other.py",
        EVERY_OTHER,
        f"{DATA}/splits/protocols.py",
        {
            "from attop.extending": "from attop_bench.data.splits.every_other import every_other\n",
            "Protocol(holdout,": 'Protocol(every_other, "every other item trains"),\n',
        },
    ),
    (
        f"{DATA}/kinds/line.py",
        LINE,
        f"{DATA}/catalogue.py",
        {
            "from attop.extending": "from attop_bench.data.kinds.line import line\n",
            '_single("wdbc"': '_single("line", line),\n',
        },
    ),
    (
        f"{FIGURES}/count.py",
        FIGURE,
        f"{FIGURES}/__init__.py",
        {
            f"from {FIGURES.replace('/', '.')}.across": (
                f"from {FIGURES.replace('/', '.')}.count import count_figure\n"
            ),
            '    Drawing("budget", "Tuning"': '    Drawing("counted", "Counted", ("runs",), count_figure),\n',
        },
    ),
)

RUN = """
catalogues: {methods: methods.yaml}
datasets:
  - id: mine
    kind: line
    params: {n: 40}
    expect: {items: 40, features: 1, positives: 20}
    protocol: {kind: every-other, options: {first: 1}}
    tops: [{k: 5}]
    scoring: first-half
methods: [mine, {id: gd, estimator: attop.GDRanker, params: {surrogate: my-loss}}]
metrics: [first-half, auc]
"""
CATALOGUE = "mine: {title: My method, estimator: first_feature.FirstFeature, param_grid: {sign: [-1, 1]}}\n"

SCRIPT = """
import pandas as pd
import yaml
from attop_bench.data.base import Dataset
from attop_bench.data.build import build
from attop_bench.data.splits.protocols import make_folds
from attop_bench.report.page import report
from attop_bench.run.config import load_config
from attop_bench.run.evaluation import evaluate
from attop_bench.run.manifest import manifest
from attop_bench.run.plan import Plan
from attop_bench.run.tables import KEY, TABLES
from attop_bench.run.training import run_job
from docs._ext.options import json_schema, markdown

config = load_config(yaml.safe_load(open("run.yaml")), root=".")
plan, entry = Plan(config), config.dataset("mine")
build({**entry.model_dump(), "params": entry.parameters, "seed": 0}, "dataset", None, "out.npz")
data, runs = Dataset.load("out.npz"), list(plan.runs())
[fold] = make_folds(entry.protocol.kind, data, 0, config.seed, **entry.protocol.options)
for run in runs:
    outcome = run_job(plan.job(run), data, fold)
    print(run.method, outcome.status, outcome.error or outcome.tops[0]["chosen"])
    outcome.write(*plan.results(run))
paths = [plan.results(run) for run in runs]
metrics = [config.metric(name) for name in config.metrics]
tables = evaluate(
    data, runs, *zip(*paths), tops=plan.job(runs[0]).tops, metrics=metrics,
    scoring=config.metric("first-half"),
)
tables["trace"] = pd.DataFrame(columns=[*KEY, *TABLES["trace"]])
report.PER_DATASET = [drawing for drawing in report.PER_DATASET if drawing.name == "counted"]
report.build_report(tables, manifest(config, {"mine": data}), "report.html")
print("tested", fold.test.tolist())
print(markdown(""), json_schema()["$defs"]["DatasetConfig"]["properties"]["kind"]["description"])
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """What a run with all of them prints, and its report."""
    folder = tmp_path_factory.mktemp("to-add")
    package = folder / "src"
    shutil.copytree(ROOT / "src", package, ignore=shutil.ignore_patterns("*.pyc.*", "*.tmp.*"))  # half-made
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
    environment = {**os.environ, "PYTHONPATH": f"{folder}:{package}:{ROOT}"}
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("what", "printed", "shown"),
    [
        ("metric", "", "Recall of the first half"),
        ("metric", "", "Share of the positives that fewer than half of the items are above."),
        ("method", "mine ok {'sign': 1}\n", "My method"),
        ("surrogate", "gd ok {}\n", "my-loss"),
        ("protocol", f"tested {list(range(0, 40, 2))}\n", "very other item trains"),
        ("protocol", "`every-other`: every other item trains", ""),
        ("protocol", "`every-other`: first = 0", ""),
        ("kind", "line, wdbc, ", ""),
        ("figure", "", "2 methods were run here."),
    ],
)
def test_a_file_and_a_row_add(run, what, printed, shown):
    assert printed in run[0]
    assert shown in run[1]
