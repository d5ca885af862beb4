"""What an entry of the configuration names: its edits train again, or make the data again."""

import re
from types import SimpleNamespace

import pytest

from attop_bench.run.config import ConfigError
from attop_bench.run.plan import Plan
from attop_bench.run.up_to_date import Inputs
from support import ROOT
from support.fingerprints import forget
from support.small_run import configured, entry

OWN = """
from sklearn.linear_model import LogisticRegression
from attop_bench.data.kinds.bundled import wdbc

class Mine(LogisticRegression):
    def __init__(self, weights=None, C=1):
        super().__init__(C=C)
        self.weights = weights

def mine(source="", more=()):
    return wdbc()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory and beside it a folder of code."""
    code, here = tmp_path / "code", tmp_path / "here"
    code.mkdir()
    here.mkdir()
    (code / "own_depends.py").write_text(OWN)
    monkeypatch.syspath_prepend(code)
    monkeypatch.chdir(here)
    forget()
    yield here
    forget()


def codes(method=None, data=None):
    """Return the fingerprints of training, of curves and of preparing the data."""
    forget()
    method = {"id": "m", "estimator": "own_depends.Mine", **(method or {})}
    config = configured(methods=[method], datasets=[entry(**(data or {}))])
    inputs = Inputs(Plan(config), lambda name: ROOT / f"workflow/scripts/{name}.py")
    wildcards = SimpleNamespace(dataset="mine", method="m", stage="dataset", repeat="0")
    train = inputs._of_run("mine", "m")["method"]["code"]
    return train, inputs.trace()["code"](wildcards)["code"], inputs.prepare()["code"](wildcards)["code"]


def changed(edit, **given):
    """Return what another content of a file changes: training, curves, data."""
    edit("x = 1")
    before = codes(**given)
    edit("x = 2")
    return [one != other for one, other in zip(before, codes(**given), strict=True)]


TRAINING, DATA, NOTHING = [True, True, False], [False, False, True], [False, False, False]


@pytest.mark.parametrize(
    ("file", "method"),
    [
        ("here/w.npz", {"params": {"weights": "w.npz"}}),
        ("here/sub/w.npz", {"params": {"weights": "sub/w.npz"}}),
        ("code/w.npz", {"params": {"weights": "w.npz"}}),  # beside the code, from where a method may read it
        ("here/w.npz", {"params": {"weights": [{"first": "w.npz"}]}}),
        ("here/w.npz", {"param_grid": {"weights": ["none", "w.npz"]}}),
        ("code/own_part.py", {"params": {"weights": "own_part.Weights"}}),
        ("here/w.npz", {"depends": ["w.npz"]}),
        ("here/sub/deep/w.npz", {"depends": ["sub"]}),
        ("code/own_part.py", {"depends": ["own_part"]}),
    ],
)
def test_what_a_method_names_trains_again(folder, file, method):
    path = folder.parent / file
    path.parent.mkdir(parents=True, exist_ok=True)
    assert changed(path.write_text, method=method) == TRAINING


@pytest.mark.parametrize(
    "method",
    [
        {},
        {"params": {"weights": "w.npz"}, "depends": []},  # as where the method writes it
        {"params": {"weights": "w.npz"}, "depends": ["other"]},
        {"params": {"weights": "."}},  # a folder may be one for results
    ],
)
def test_what_is_not_named_or_said_not_to_count_trains_nothing(folder, method):
    (folder / "other").write_text("other")
    assert changed((folder / "w.npz").write_text, method=method) == NOTHING


@pytest.mark.parametrize(
    "data",
    [
        {"params": {"source": "a.csv"}},
        {"params": {"more": ["a.csv"]}},
        {"depends": ["a.csv"]},
    ],
)
def test_what_an_own_kind_of_data_names_makes_the_data_again(folder, data):
    assert changed((folder / "a.csv").write_text, data={"kind": "own_depends.mine", **data}) == DATA


def test_a_file_of_weights_is_seen_whatever_its_size_and_time(folder):
    file = folder / "w.npz"
    file.write_bytes(bytes(1000))
    before = codes({"params": {"weights": "w.npz"}})
    file.touch()
    assert codes({"params": {"weights": "w.npz"}}) == before
    file.unlink()
    assert codes({"params": {"weights": "w.npz"}}) != before


@pytest.mark.parametrize("text", ["gone.npz", "own_gone", "sklearn.svm", "json", ""])
def test_what_is_declared_and_not_there_is_refused_before_a_run(folder, text):
    for given in ({"method": {"depends": [text]}}, {"data": {"depends": [text]}}):
        with pytest.raises(ConfigError, match=re.escape(f"depends: {text!r} is neither a file or folder")):
            codes(**given)
