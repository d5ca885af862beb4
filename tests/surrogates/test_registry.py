"""One file and one line of the stub make a surrogate, reached from a configuration by its name."""

import os
import shutil
import subprocess
import sys

import pytest

import attop.surrogates
from attop import surrogates
from attop.core.top import Top
from attop.surrogates import AccuracyAtTop, BoundSurrogate, PApKAvg, Surrogate
from attop.surrogates.registry import SURROGATES, get_surrogate
from support import ROOT
from support.surrogate_cases import TOP, WITHOUT_TOP

NEW = """
from attop.surrogates.pointwise import LogisticLoss

class MyLoss(LogisticLoss):  # no kernel, which would be compiled anew
    name = "my-loss"
"""

RUN = '''
import numpy as np
import yaml
from attop_bench.run.config import load_config
from attop_bench.run.fitting import import_estimator

method = yaml.safe_load("""
id: mine
estimator: attop.GDRanker
params: {surrogate: my-loss}
""")
data = {"id": "wdbc", "kind": "wdbc", "tops": [{"k": 3}], "scoring": "precision@k"}
data["protocol"] = {"kind": "stratified"}
config = load_config({"catalogues": {}, "datasets": [data], "methods": [method], "metrics": ["auc"]})
chosen = config.methods[0]
model = import_estimator(chosen.estimator)(**chosen.params)
X = np.random.default_rng(0).normal(size=(30, 2))
print(model._stages(), model.fit(X, X[:, 0] > 1).coef_.shape)
'''


def test_a_surrogate_is_one_file_and_one_line(tmp_path):
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "src/attop/surrogates/my_loss.py").write_text(NEW)
    with open(tmp_path / "src/attop/surrogates/__init__.pyi", "a") as stub:
        stub.write("from .my_loss import MyLoss as MyLoss\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}
    done = subprocess.run(
        [sys.executable, "-c", RUN], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    assert done.stdout.strip() == "[MyLoss()] (2,)", done.stderr


def test_every_public_surrogate_has_a_name_of_its_own():
    exported = {getattr(attop.surrogates, name) for name in attop.surrogates.__all__}
    # AccuracyAtTop is made of a threshold item, which no configuration knows.
    assert set(SURROGATES.values()) == exported - {AccuracyAtTop, BoundSurrogate, Surrogate}
    assert all(name == kind.name for name, kind in SURROGATES.items())


@pytest.mark.parametrize("name", SURROGATES)
def test_a_name_and_a_top_make_a_surrogate(name):
    surrogate = get_surrogate(name, Top(k=2))
    assert type(surrogate) is SURROGATES[name]
    assert getattr(surrogate, "top", Top(k=2)) == Top(k=2)
    assert surrogate.bind([1, 1, 0, 0, 0]).surrogate is surrogate
    assert get_surrogate(surrogate, Top(k=9)) is surrogate


def test_the_two_tight_struct_losses_have_two_names():
    ours, convex = SURROGATES["pap@k-ts"], SURROGATES["pap@k-ts-convex"]
    assert (ours.convex, convex.convex) == (False, True)


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'pap@k-ts-convex'"):
        get_surrogate("pap@k-tsconvex", Top(k=2))


def test_importing_the_layer_does_not_import_numba():
    code = (
        "import sys, attop.surrogates as s\n"
        "for name in s.__all__: getattr(s, name)\n"
        "s.PApKAvg(2)\n"
        "assert 'numba' not in sys.modules\n"
        "s.PApKAvg(2).bind([1, 0, 0])\n"
        "assert 'numba' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_declarations():
    smooth = {c.__name__ for c in TOP + WITHOUT_TOP if c.smooth}
    assert smooth == {"LogisticLoss", "PatMat", "PatMatNP", "SoftPrecAtK"}
    assert repr(PApKAvg(3)) == "PApKAvg(top=Top(k=3))"
    with pytest.raises(AttributeError, match="no attribute 'PApKMedian'"):
        _ = surrogates.PApKMedian
