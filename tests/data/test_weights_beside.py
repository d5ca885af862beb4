"""Weights of rows, in a file beside a table or a column of it: they reach methods and metrics that take them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from attop.extending import Top
from attop.metrics import get_metric
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.build import make
from attop_bench.data.catalogue import input_files
from attop_bench.data.profile.look import look
from attop_bench.data.profile.proposal import parameters, propose
from attop_bench.run.fitting import sample_of
from attop_bench.run.job import Job
from attop_bench.run.training import run_job
from support.folds import cut

N = 240


def written(folder, name="train.csv", weights=None):
    """Write a table, and weights beside it; return its path and the weights."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(N, 2)).round(3)
    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1]})
    frame["won"] = np.where(x[:, 0] + rng.normal(size=N) > 0.8, "yes", "no")
    frame.to_csv(folder / name, index=False)
    weights = rng.integers(0, 5, N) / 2 if weights is None else weights
    (folder / f"{name}.weight").write_text("".join(f"{weight}\n" for weight in weights))
    return folder / name, weights


def test_weights_are_named_and_proposed_with_the_option_that_takes_them(tmp_path):
    path, weights = written(tmp_path)
    found = look(path)
    assert any("train.csv.weight beside it has weights" in line for line in found.complaints)
    params = parameters(found)
    assert (params["reader"], params["weight"], params["label"]) == ({"weights": ".weight"}, "weight", "won")
    assert "weight: weight" in propose(found)
    dataset = make("file", **params)
    np.testing.assert_array_equal(dataset.weight, weights)
    assert dataset.facts["features"] == ["a", "b"]
    assert dataset.facts["weights"].startswith("0 to 2, median 1;")
    assert input_files("file", params) == [str(path), f"{path}.weight"]
    dataset.save(tmp_path / "d.npz")
    np.testing.assert_array_equal(Dataset.load(tmp_path / "d.npz").weight, weights)
    without = parameters(look(path, given={"weights": None}))
    assert "weight" not in without
    assert make("file", **without).weight is None


def test_two_weights_are_no_label(tmp_path):
    path, _ = written(tmp_path, weights=np.arange(N) % 2 + 1)
    found = look(path)
    assert "weight" not in {label.column for label in found.candidates}


@pytest.mark.parametrize("place", ["other file", "column"])
def test_weights_stand_in_any_file_or_column(place, tmp_path):
    path, weights = written(tmp_path)
    params = {"path": str(path), "label": "won", "positive": "yes"}
    other = tmp_path / "w.csv"
    other.write_text("w\n" + "".join(f"{weight}\n" for weight in weights))
    if place == "column":
        pd.read_csv(path).assign(w=weights).to_csv(path, index=False)
        params["weight"] = "w"
        assert parameters(look(path, roles={"w": "weight"}, given={"weights": None}))["weight"] == "w"
    else:
        params |= {"weight": "weight", "reader": {"weights": {"path": str(other)}}}
    dataset = make("file", **params)
    np.testing.assert_array_equal(dataset.weight, weights)
    assert dataset.facts["features"] == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1\n2\n", "weights of 2 rows, the table has 240"),
        ("", "got 'nothing'"),
        ("1\n" * 239 + "-1\n", "got '-1'"),
        ("1\n" * 239 + "much\n", "got 'much'"),
        ("1\n" * 239 + "inf\n", "got 'inf'"),
        ("1,2\n" * 240, "got '1,2'"),
    ],
)
def test_weights_that_are_none_are_said_and_refused(content, message, tmp_path):
    path, _ = written(tmp_path)
    (tmp_path / "train.csv.weight").write_text(content)
    found = look(path)
    assert [line for line in found.complaints if message in line and "not used" in line]
    params = parameters(found)
    assert "weight" not in params
    with pytest.raises(DatasetError, match="weights"):
        make("file", **params, weight="weight", reader={"weights": ".weight"})


def test_a_column_of_weights_is_checked(tmp_path):
    path, weights = written(tmp_path)
    pd.read_csv(path).assign(w=weights - 1, weight=1).to_csv(path, index=False)
    params = {"path": str(path), "label": "won", "positive": "yes"}
    with pytest.raises(DatasetError, match="weights must be finite and at least 0, got -1"):
        make("file", **params, weight="w")
    with pytest.raises(DatasetError, match="column 'weight' already"):
        make("file", **params, weight="weight", reader={"weights": ".weight"})
    with pytest.raises(DatasetError, match="both label and weight"):
        make("file", **params, weight="won")


def test_weights_reach_methods_and_metrics(tmp_path):
    dataset = make("file", **parameters(look(written(tmp_path)[0])))
    job = Job(
        repeat=0,
        fold=0,
        seed=3,
        protocol={"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}},
        scaling="none",
        tops=[Top(k=20)],
        scoring="recall@k",
        estimator="sklearn.linear_model.LogisticRegression",
        param_grid={"C": [1.0]},
    )
    fold = cut(dataset, job.split)[0]
    record = run_job(job, dataset, fold)
    rows = fold.train
    model = LogisticRegression().fit(dataset.X[rows], dataset.y[rows], dataset.weight[rows])
    scores = model.decision_function(dataset.X[fold.test])
    np.testing.assert_allclose(record.scores[0], scores)
    value = sample_of(dataset).measure(get_metric("recall@k"), fold.test, scores, Top(k=20)).value
    worth = dataset.y[fold.test] * dataset.weight[fold.test]
    top = np.argsort(-scores)[:20]
    assert len(np.unique(scores)) == len(scores)
    assert value == pytest.approx(worth[top].sum() / worth.sum())
