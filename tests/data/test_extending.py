"""A protocol and a kind of data set are each a file and a row in one list; every other place derives."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from attop_bench.data.catalogue import KINDS
from attop_bench.data.splits.protocols import PROTOCOLS
from attop_bench.run.options import json_schema, markdown
from support import ROOT
from support.listings import listings

EVERY_OTHER = """
import numpy as np

from attop.experiment.splits import Fold


def every_other(y, groups=None, *, first: int = 0, seed: int):
    rows = np.arange(len(y))
    train, test = rows[rows % 2 == first], rows[rows % 2 != first]
    return [Fold(train, test, [(train[::2], train[1::2])])]
"""

LINE = """
import numpy as np

from attop_bench.data.base import Dataset


def line(n: int = 20, *, seed: int):
    x = np.arange(n)
    return Dataset("line", x[:, None] + np.random.default_rng(seed).random((n, 1)), (x % 4 < 2).astype(int))
"""

RUN = """
datasets:
  - id: mine
    kind: line
    params: {n: 40}
    expect: {items: 40, features: 1, positives: 20}
    protocol: {kind: every-other, options: {first: 1}}
    tops: [{k: 5}]
methods: [{id: lr, estimator: sklearn.linear_model.LogisticRegression}]
"""

CHECK = """
import sys, yaml
from attop_bench.run.config import load_config
from attop_bench.run.plan import Plan
from attop_bench.run.options import json_schema, markdown
from attop_bench.data import Dataset, build, make_folds

config = load_config(yaml.safe_load(open("run.yaml")))
assert [run.fold for run in Plan(config).runs()] == [0]
data = config.dataset("mine")
build({**data.model_dump(), "params": data.parameters, "seed": 0}, "dataset", None, "out.npz")
[fold] = make_folds(data.protocol.kind, Dataset.load("out.npz"), 0, 0, **data.protocol.options)
assert fold.test.tolist() == list(range(0, 40, 2))
assert "`every-other`: every other item trains" in markdown()
assert "`every-other`: first = 0" in markdown()
assert "line" in json_schema()["$defs"]["DatasetConfig"]["properties"]["kind"]["description"]
assert "every-other" in json_schema()["$defs"]["ProtocolConfig"]["properties"]["kind"]["enum"]
"""


def _insert(path: Path, before: str, line: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1
    path.write_text(text.replace(before, line + before), encoding="utf-8")


def test_a_file_and_a_row_add_a_protocol_and_a_kind(tmp_path):
    source = tmp_path / "src"
    shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
    package = source / "attop_bench/data"
    (package / "splits/every_other.py").write_text(EVERY_OTHER)
    protocols = package / "splits/protocols.py"
    _insert(
        protocols, "from attop.core.seeds", "from attop_bench.data.splits.every_other import every_other\n"
    )
    row = 'Protocol("every-other", every_other, "every other item trains"),\n        '
    _insert(protocols, 'Protocol("holdout"', row)
    (package / "kinds/line.py").write_text(LINE)
    catalogue = package / "catalogue.py"
    _insert(catalogue, "from attop.core.wording", "from attop_bench.data.kinds.line import line\n")
    _insert(catalogue, '_single("wdbc"', '_single("line", line),\n        ')
    (tmp_path / "run.yaml").write_text(RUN)
    env = {"PYTHONPATH": str(source), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", CHECK]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_no_other_place_lists_the_protocols():
    assert set(listings(PROTOCOLS)) == {"src/attop_bench/data/splits/random.py"}  # called after them


@pytest.mark.parametrize("name", PROTOCOLS)
def test_the_reference_says_what_a_protocol_does_and_its_defaults(name):
    protocol = PROTOCOLS[name]
    assert f"`{name}`: {protocol.summary}." in markdown()
    assert protocol.options({}) == protocol.defaults
    options = json_schema()["$defs"]["ProtocolConfig"]["properties"]["options"]["description"]
    own = options.partition(f"`{name}`")[2].partition("`")[0]
    assert all(f"{option} = " in own for option in protocol.defaults)


def test_the_reference_names_every_kind():
    description = json_schema()["$defs"]["DatasetConfig"]["properties"]["kind"]["description"]
    assert all(kind in description for kind in KINDS)
