"""The workflow as a user runs it: what is built, what runs again, what stops before training."""

import os
import shutil
from functools import partial

import pandas as pd
import pytest

from attop_bench.archives import opened
from attop_bench.run.blocks import clear, files_of, method_of
from support.small_run import SMALL, jobs, snakemake


def changed(**changes):
    return {**SMALL, **changes}


def hidden(folder):
    return {path.name for path in folder.rglob(".*") if path.is_file()}


def test_everything_is_built(finished):
    results = finished / "results"
    assert (results / "report.html").stat().st_size > 10_000
    runs = pd.read_parquet(results / "tables" / "runs.parquet")
    assert len(runs) == 3 * (2 * 2 + 1)
    assert set(runs["status"]) == {"ok"}
    evaluation = pd.read_parquet(results / "tables" / "evaluation.parquet")
    assert set(evaluation["method"]) == {"gd-papk-avg", "sgd-avg", "logistic-regression"}
    chosen = evaluation.query("dataset == 'wdbc' and metric == 'precision@k' and top == 'k=10'")
    assert chosen["value"].between(0.8, 1).all()  # malignant cells are easy to find at the top


def test_training_curves_end_at_the_models_of_the_runs(finished):
    tables = finished / "results" / "tables"
    trace = pd.read_parquet(tables / "trace.parquet")
    assert set(zip(trace["dataset"], trace["method"], strict=True)) == {
        (dataset, method) for dataset in ("wdbc", "many-users") for method in ("gd-papk-avg", "sgd-avg")
    }
    key = ["dataset", "method", "repeat", "fold", "top"]
    evaluation = pd.read_parquet(tables / "evaluation.parquet")
    selecting = evaluation["dataset"].map({"wdbc": "precision@k", "many-users": "micro-pap@k"})
    of_runs = evaluation[evaluation["metric"] == selecting].set_index(key)["value"]
    for at, end in trace.groupby(key).last().iterrows():
        assert end["test"] == of_runs[at]


def test_nothing_half_written(finished):
    assert hidden(finished / "results") == {".attop.json", ".lock", ".snakemake_timestamp"}


@pytest.fixture
def copied(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "copy", symlinks=True)


def test_what_the_jobs_of_each_rule_took_is_a_table_and_on_the_page(finished):
    table = pd.read_csv(finished / "results/tables/rules.csv", keep_default_na=False)
    counts = table.groupby("rule", sort=False)["jobs"].sum().to_dict()
    trained = 3 * (2 + 1)
    others = {"prepare": 2, "split": 2, "compile": 3, "evaluate": 2, "trace": 2}
    assert counts == {**others, "train": trained, "report": 1}
    amounts = table[["seconds", "longest", "seconds_cpu", "peak_memory_mb"]]
    assert (amounts > 0).all(axis=None)
    assert (table["longest"] <= table["seconds"]).all()
    assert table["peak_memory_mb"].between(30, 4000).all()
    page = (finished / "results/report.html").read_text()
    assert "Rule train" in page
    assert f"{trained} jobs, " in page


def test_output_is_deleted_but_for_logs_and_marks(copied):
    status, said = snakemake(copied, "--cores", "1", "--delete-all-output", config=changed())
    assert status == 0, said
    left = {path for path in (copied / "results").rglob("*") if path.is_file()}
    marks = {path.name for path in left if "logs" not in path.parts}
    assert marks == {".attop.json", ".lock"}


def test_second_run_has_nothing_to_do(copied):
    status, said = snakemake(copied, "--cores", "2", config=changed(output="./results/"))
    assert status == 0, said
    assert "Nothing to be done" in said


def test_a_lost_output_is_made_again_and_what_follows(copied):
    (copied / "results/train/wdbc/sgd-avg/repeat0-fold1/scores.npz").unlink()
    status, output = snakemake(copied, "--cores", "1", "-n")
    assert status == 0
    assert jobs(output) == {"train": 1, "evaluate": 1, "report": 1}
    assert "train sgd-avg on wdbc, repeat 0, fold 1" in output


TWICE = {"kind": "within-groups", "repeats": 2}


@pytest.mark.parametrize(
    ("datasets", "expected"),
    [
        (
            [*SMALL["datasets"], "digit-8"],
            {"prepare": 1, "split": 1, "train": 15, "evaluate": 1, "trace": 1, "report": 1},
        ),
        (
            [SMALL["datasets"][0], {**SMALL["datasets"][1], "protocol": TWICE}],
            {"split": 1, "train": 3, "evaluate": 1, "report": 1},
        ),
    ],
    ids=["dataset", "repeat"],
)
def test_what_data_that_are_added_run(copied, datasets, expected):
    status, output = snakemake(copied, "--cores", "1", "-n", config=changed(datasets=datasets))
    assert status == 0, output
    assert jobs(output) == expected


def misspelt(folder):
    return changed(metrix=["ap"]), ["metrix", "did you mean 'metrics'?"]


def data(folder):
    wide = {**SMALL["datasets"][0], "tops": [{"k": 150}]}
    pd.DataFrame({"a": range(60), "label": "no"}).to_csv(folder / "one.csv", index=False)
    params = {"path": str(folder / "one.csv"), "label": "label", "positive": "yes"}
    one_class = {**wide, "id": "mine", "kind": "file", "params": params}
    words = ["wdbc", "k=150", "precision@k", "validation", "items", "mine", "yes"]
    return changed(datasets=[wide, one_class]), words


def unknown_parameter(folder):
    method = {"id": "logistic-regression", "params": {"Cee": 1}}
    return changed(methods=[method]), ["logistic-regression", "Cee", "max_iter"]


@pytest.mark.parametrize("make", [misspelt, data, unknown_parameter])
def test_what_cannot_work_stops_before_the_first_training_job(tmp_path, make):
    config, words = make(tmp_path)
    status, output = snakemake(tmp_path, "--cores", "2", config=config)
    assert status != 0
    for word in words:
        assert word in output, output
    assert "Traceback" not in output
    results = tmp_path / "results"
    assert not (results / "train").exists()
    assert hidden(results) <= {".attop.json", ".lock"}


#: Two repeats of two folds.
TWO = {**SMALL["datasets"][0], "protocol": {**SMALL["datasets"][0]["protocol"], "repeats": 2}}
KIND = """
import numpy as np

from attop_bench.data.base import Dataset
from attop_bench.data.catalogue import Kind, Stage


def grow(seed):
    return {"signal": np.random.default_rng(seed).normal(size=60)}


def sharpen(signal):
    return {"sharp": 2 * signal}


def cut(sharp):
    return Dataset("cut", sharp[:, None], (sharp > 0).astype(int))


SHARP = Kind(
    "sharp",
    (Stage("grow", grow), Stage("sharpen-it", sharpen, ("signal",)), Stage("dataset", cut, ("sharp",))),
)
"""


def test_a_kind_of_data_with_stages_of_any_name(tmp_path, monkeypatch):
    (tmp_path / "kinds_of_mine.py").write_text(KIND)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("ATTOP_WARM", "0")  # a server of its own would import more than three small jobs
    own = {
        "id": "mine",
        "kind": "kinds_of_mine.SHARP",
        "protocol": {"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}},
        "tops": [{"k": 5}],
    }
    config = changed(datasets=[own], methods=SMALL["methods"][2:])
    last = "results/data/mine/dataset.npz"
    status, output = snakemake(tmp_path, "--cores", "1", last, config=config)
    assert status == 0, output
    made = sorted(path.name for path in (tmp_path / "results/data/mine").glob("*.npz"))
    assert made == ["dataset.npz", "grow.npz", "sharpen-it.npz"]


def content(path):
    with opened(path) as file:
        return file.read()


@pytest.mark.parametrize(("granularity", "block", "other"), [("method", "all", 2), (1, "block1-1", "fold")])
def test_a_job_may_be_a_block_and_all_run_on_one_core(finished, tmp_path, granularity, block, other):
    table = "results/evaluation/wdbc/evaluation.parquet"
    config = changed(granularity=granularity, datasets=SMALL["datasets"][:1], trace=False)

    status, said = snakemake(tmp_path, "--cores", "1", table, config=config)
    assert status == 0, said
    made = [path for path in tmp_path.glob("results/train/*/*/*") if path.suffix != ".made"]
    scores, records = files_of(made)
    assert len(made) == 3 * (1 if granularity == "method" else 2)
    assert len(scores) == 6
    assert (tmp_path / table).read_bytes() == (finished / table).read_bytes()
    for file in scores:
        alone = finished / "results/train/wdbc" / method_of(file) / file.parent.name / "scores.npz"
        assert content(file) == alone.read_bytes(), file
    before = {record: content(record) for record in records}
    lost = tmp_path / f"results/train/wdbc/sgd-avg/{block}.zip/repeat0-fold1/record.json"
    clear(lost)
    status, said = snakemake(tmp_path, "--cores", "2", table, config=config)
    assert status == 0, said
    assert {record for record in records if content(record) != before[record]} == {lost}

    status, said = snakemake(tmp_path, "--cores", "2", "-n", table, config={**config, "datasets": [TWO]})
    assert status == 0, said
    assert jobs(said) == {"split": 1, "train": 3 if granularity == "method" else 6, "evaluate": 1}

    status, said = snakemake(tmp_path, "--cores", "2", "-n", config={**config, "granularity": other})
    assert status != 0
    assert f"results/train/wdbc/sgd-avg was trained with {granularity}: set {granularity} again" in said


def test_a_batch_of_trainings_is_a_share_of_the_jobs_and_all_together_are_all(tmp_path):
    config = changed(datasets=[TWO], methods=SMALL["methods"][2:], trace=False)
    run = partial(snakemake, tmp_path, "--cores", "2", "trainings", config=config)
    status, said = run("-n", "--batch", "trainings=1/4")
    assert status == 0, said
    assert jobs(said)["train"] == 1
    for batch in (1, 2):
        status, said = run("--batch", f"trainings={batch}/2")
        assert status == 0, said
        assert len(list(tmp_path.glob("results/train/*/*/*/record.json"))) == 2 * batch
    status, said = snakemake(tmp_path, "--cores", "2", "-n", config=config)
    assert status == 0, said
    assert jobs(said) == {"evaluate": 1, "trace": 1, "report": 1}
