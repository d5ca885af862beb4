"""Weights of rows, in a file beside a table or a column of it: they reach methods and metrics."""

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
from attop_bench.data.profile.proposal import parameters
from attop_bench.run.fitting import sample_of
from attop_bench.run.job import Job
from attop_bench.run.training import run_job
from support.folds import cut

N = 240
WEIGHTS = np.arange(N) % 5 / 2
BESIDE = {"label": "y", "positive": 1, "weight": "weight", "reader": {"weights": ".weight"}}


@pytest.fixture
def path(tmp_path):
    """Write a table with a column of weights, and other weights beside it."""
    x = np.random.default_rng(4).normal(size=(N, 3)).round(3)
    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "w": WEIGHTS + 1, "y": (x @ [1, 0, 1] > 1).astype(int)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    pd.Series(WEIGHTS).to_csv(tmp_path / "t.csv.weight", index=False, header=False)
    return tmp_path / "t.csv"


def test_weights_are_named_and_proposed(path):
    found = look(path)
    assert any("t.csv.weight beside it has weights" in line for line in found.complaints)
    params = parameters(found)
    assert BESIDE.items() <= params.items()
    assert input_files("file", params) == [str(path), f"{path}.weight"]
    make("file", **params).save(path.with_name("d.npz"))
    dataset = Dataset.load(path.with_name("d.npz"))
    np.testing.assert_array_equal(dataset.weight, WEIGHTS)
    assert dataset.facts["features"] == ["a", "b", "w"]
    assert dataset.facts["weights"].startswith("0 to 2, median 1;")
    without = parameters(look(path, roles={"w": "weight"}, given={"weights": None}))
    np.testing.assert_array_equal(make("file", **without).weight, WEIGHTS + 1)


@pytest.mark.parametrize(("name", "asked"), [("WEIGHT", "weight"), ("svy weight", "weight"), ("x", "")])
def test_numbers_of_mean_1_that_are_named_weight_are_asked(name, asked, path):
    pd.read_csv(path).assign(**{name: WEIGHTS})[[name, "a", "y"]].to_csv(path, index=False)
    column = look(path, given={"weights": None}).column(name)
    assert (column.kind, column.otherwise) == ("number", asked)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1\n2\n", "weights of 2 rows, the table has 240"),
        ("", "got 'nothing'"),
        *(("1\n" * (N - 1) + f"{word}\n", f"got '{word}'") for word in ("-1", "much", "inf", "1,2")),
    ],
)
def test_weights_that_are_none_are_said_and_refused(content, message, path):
    path.with_name("t.csv.weight").write_text(content)
    found = look(path)
    assert [line for line in found.complaints if message in line and "not used" in line]
    assert "weight" not in parameters(found)
    with pytest.raises(DatasetError, match="weights"):
        make("file", path=path, **BESIDE)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weight": "a"}, "weights must be finite and at least 0, got -"),
        ({"weight": "y"}, "both label and weight"),
        ({"reader": {"names": {1: "weight"}, "weights": ".weight"}}, "column 'weight' already"),
    ],
)
def test_other_columns_are_no_weights(changes, message, path):
    with pytest.raises(DatasetError, match=message):
        make("file", path=path, **BESIDE | changes)


def test_weights_reach_methods_and_metrics(path):
    (other := path.with_name("weights.csv")).write_text("w\n" + path.with_name("t.csv.weight").read_text())
    path.with_name("t.csv.weight").unlink()
    said = look(path, given={"weights": {"path": str(other)}}).complaints
    assert any(f"'weights={{path: {other}}}'" in line for line in said)
    dataset = make("file", path=path, **BESIDE | {"reader": {"weights": {"path": str(other)}}})
    job = Job(
        repeat=0,
        fold=0,
        seed=3,
        protocol={"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}},
        scaling="none",
        tops=[Top(k=20)],
        scoring="recall@k",
        estimator="sklearn.linear_model.LogisticRegression",
        param_grid={},
    )
    (fold, _) = cut(dataset, job.split)
    train, test = fold.train, fold.test
    model = LogisticRegression().fit(dataset.X[train], dataset.y[train], WEIGHTS[train])
    scores = model.decision_function(dataset.X[test])
    np.testing.assert_allclose(run_job(job, dataset, fold).scores[0], scores)
    worth = dataset.y[test] * WEIGHTS[test]
    value = sample_of(dataset).measure(get_metric("recall@k"), test, scores, Top(k=20)).value
    assert value == pytest.approx(worth[np.argsort(-scores)[:20]].sum() / worth.sum())
