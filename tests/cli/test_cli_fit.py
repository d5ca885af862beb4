"""`attop fit`: one training job of the benchmark, in the foreground."""

import json
import pdb
from pathlib import Path

import numpy as np
import pytest
from joblib import cpu_count

from attop.metrics import get_metric
from attop_bench.cli.main import main
from attop_bench.data.base import Dataset, Unavailable, load_arrays, save_unavailable
from attop_bench.data.build import build
from attop_bench.run.folds import write_folds
from attop_bench.run.job import Run
from attop_bench.run.training import run_job
from support.folds import cut

MINE = """
output: out
datasets:
  - {id: wdbc, tops: [{k: 10}, {tau: 0.1}], skip: {always-raises: fails}}
  - {id: seen, extends: wdbc, tops: [{k: 10}], selection: optimistic}
methods: [linear-svm, {id: always-raises, estimator: test_cli_fit.AlwaysRaises}]
metrics: [auc]
"""


class AlwaysRaises:
    def __init__(self, top=None):
        self.top = top

    def get_params(self, deep=True):
        return {"top": self.top}

    def set_params(self, **params):
        return self

    def fit(self, X, y):
        secret = 42
        raise ZeroDivisionError(f"{secret}")


@pytest.fixture
def plan(plan):
    """The plan of a small configuration, its data sets prepared."""
    for data in plan.config.datasets:
        build(plan.stage_spec(data.id, "dataset"), "dataset", None, plan.stage_path(data.id))
        dataset, split = Dataset.load(plan.stage_path(data.id)), plan.config.split(data.id, 0)
        write_folds(plan.folds_path(data.id, 0), cut(dataset, split), dataset, split)
    return plan


def fit(*arguments):
    return main(["fit", *arguments, "--configfile", "mine.yaml"])


def words(capsys):
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_it_is_the_benchmarks_own_job(plan, capsys):
    run = Run("wdbc", "linear-svm", 0, 3)
    dataset = Dataset.load(plan.stage_path("wdbc"))
    fold = cut(dataset, plan.config.split("wdbc", 0))[3]
    expected = run_job(plan.job(run), dataset, fold)
    expected.write(plan.scores_path(run), plan.record_path(run))
    before = {path: path.stat().st_mtime_ns for path in Path("out").rglob("*")}
    assert fit("wdbc", "linear-svm", "--fold", "3") == 0
    assert {path: path.stat().st_mtime_ns for path in Path("out").rglob("*")} == before
    lines = words(capsys)
    auc = [get_metric("auc").evaluate(dataset.y[expected.test], s).value for s in expected.scores]
    assert ["auc,", "test", *(f"{value:.4f}" for value in auc)] in lines
    chosen = [f"C={t['chosen']['C']}" for t in expected.tops]
    assert ["chosen", *chosen] in lines
    assert any(line[:5] == ["These", "are", "the", "same", "scores"] for line in lines)
    assert "Nothing" in lines[-1]


def test_tops_that_are_asked_for_are_saved_and_do_not_depend_on_each_other(plan):
    assert fit("wdbc", "linear-svm", "--save", "own") == 0
    assert fit("wdbc", "linear-svm", "--top", "k=7", "--top", "k=10", "--save", "asked") == 0
    (own, _), (asked, _) = (load_arrays(f"{name}/scores.npz") for name in ("own", "asked"))
    assert asked["scores"].shape == (2, len(asked["test"]))
    assert [t["top"] for t in json.loads(Path("asked/record.json").read_text())["tops"]] == ["k=7", "k=10"]
    assert np.array_equal(own["scores"][0], asked["scores"][1])


def test_optimistic_selection_says_so(plan, capsys):
    assert fit("seen", "linear-svm") == 0
    lines = words(capsys)
    seen = next(line[-1] for line in lines if line[:4] == ["precision@k,", "test", "part", "itself"])
    assert ["precision@k,", "test", seen] in lines


def test_what_a_method_raises_is_raised(plan, capsys, monkeypatch):
    with pytest.raises(ZeroDivisionError, match="42"):
        fit("wdbc", "always-raises")
    assert "The benchmark leaves this pair out: always-raises fails." in capsys.readouterr().out
    looked = []

    def post_mortem(trace):
        while trace.tb_next:
            trace = trace.tb_next
        looked.append(trace.tb_frame.f_locals["secret"])

    monkeypatch.setattr(pdb, "post_mortem", post_mortem)
    assert fit("wdbc", "always-raises", "--pdb") == 1
    assert looked == [42]
    assert "ZeroDivisionError: 42" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["wdcb", "linear-svm"], "unknown dataset 'wdcb'; did you mean 'wdbc'?"),
        (["wdbc", "linear-swm"], "unknown method 'linear-swm'; did you mean 'linear-svm'?"),
        (["wdbc", "linear-svm", "--fold", "10"], "--fold 10: wdbc has 10 folds, numbered from 0"),
        (["wdbc", "linear-svm", "--repeat", "-1"], "--repeat -1: wdbc has 1 repeat, numbered from 0"),
        (["wdbc", "linear-svm", "--save", "./out/train"], "--save ./out/train is within the results in out"),
        (
            ["digit-8", "linear-svm"],
            f"snakemake --cores {cpu_count()} out/data/digit-8/folds/repeat0.npz --configfile mine.yaml",
        ),
    ],
)
def test_what_cannot_be_done_is_one_message(arguments, message, folder, capsys):
    assert fit(*arguments) == 1
    assert message in capsys.readouterr().err


def test_a_class_that_cannot_be_imported(folder, capsys):
    text = Path("mine.yaml").read_text(encoding="utf-8").replace("test_cli_fit.", "no_such_module.")
    Path("mine.yaml").write_text(text, encoding="utf-8")
    assert fit("wdbc", "always-raises") == 1
    assert "No module named 'no_such_module'; its folder must be on PYTHONPATH" in capsys.readouterr().err


@pytest.mark.parametrize(("dataset", "part"), [("wdbc", "test"), ("seen", "test")])
def test_a_top_that_no_part_has(dataset, part, plan, capsys):
    """As rule check refuses it."""
    assert fit(dataset, "linear-svm", "--top", "99999") == 1
    said = capsys.readouterr().err
    start = (
        f"datasets: {dataset}: top k=99999 cannot be selected by precision@k, undefined in the {part} part of"
    )
    assert f"{start} repeat 0, fold 0 (398 items" in said


def test_data_that_cannot_be_had(plan, capsys):
    save_unavailable(plan.stage_path("wdbc"), "wdbc", Unavailable("no network", "ask for it"))
    assert fit("wdbc", "linear-svm") == 1
    assert "the data are unavailable: no network: ask for it" in capsys.readouterr().err


def test_folds_of_another_protocol_are_refused(plan, capsys):
    text = Path("mine.yaml").read_text(encoding="utf-8").replace("out\n", "out\nseed: 8\n")
    Path("mine.yaml").write_text(text, encoding="utf-8")
    assert fit("wdbc", "linear-svm") == 1
    said = capsys.readouterr().err
    assert "folds of another split" in said
    assert f"snakemake --cores {cpu_count()} out/data/wdbc/folds/repeat0.npz --configfile mine.yaml" in said
