"""Weights of rows, in a file beside a table or a column of it: they reach methods and metrics."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import dump_svmlight_file
from sklearn.linear_model import LogisticRegression

from attop.experiment import Fold
from attop.extending import Top
from attop.metrics import get_metric
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.build import make
from attop_bench.data.catalogue import input_files
from attop_bench.data.ledger import Ledger, LedgerError
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
        ({"weight": "a", "reader": {}}, "weights must be finite and at least 0, got -"),
        ({"weight": "y"}, "both label and weight"),
        ({"reader": {"names": {1: "weight"}, "weights": ".weight"}}, "column 'weight' already"),
    ],
)
def test_other_columns_are_no_weights(changes, message, path):
    with pytest.raises(DatasetError, match=message):
        make("file", path=path, **BESIDE | changes)


LEFT_OUT = {
    "drop_unlabelled": {"drop_unlabelled": True},
    "another outcome": {"drop_unlabelled": True, "negative": 0},
    "downsample": {"drop_unlabelled": True, "downsample_positives": 0.05},
    "joined": {"labels": {"path": "labels.csv", "on": "id"}, "label": "z", "drop": ["y", "id"]},
}


@pytest.mark.parametrize("options", LEFT_OUT.values(), ids=LEFT_OUT)
@pytest.mark.parametrize("column", ["weight", "w"])
def test_a_row_that_is_left_out_takes_its_weight_along(options, column, path, monkeypatch):
    monkeypatch.chdir(path.parent)
    frame = pd.read_csv(path)
    if "labels" in options:
        frame["id"] = range(N)
        frame.rename(columns={"y": "z"})[["id", "z"]].iloc[10:].to_csv("labels.csv", index=False)
    frame["y"] = frame["y"].astype(object)
    frame.loc[3:8, "y"] = [None, None, 2, 2, None, None]
    frame.loc[3, "w"] = None  # nobody needs the weight of a row that is left out
    frame.to_csv(path, index=False)
    reader = BESIDE["reader"] if column == "weight" else {}
    dataset = make("file", path=path, **BESIDE | options | {"weight": column, "reader": reader})
    ledger, every = dataset.ledger, frame["w"].to_numpy() if column == "w" else WEIGHTS
    assert ledger.weight == pytest.approx(np.nansum(every))
    assert ledger.weight_kept == pytest.approx(dataset.weight.sum())
    assert all(entry.weight is not None for entry in ledger.left_out)
    said = dict(ledger.lines())
    assert f"of weight {dataset.weight.sum():,.6g}" in said["kept"]
    assert f"of weight {ledger.weight:,.6g}" in said["read"]
    assert said["left out"].count("of weight") == len(ledger.left_out)
    assert Ledger.from_dict(ledger.as_dict()) == ledger


@pytest.mark.parametrize("odd", ["?", "inf", "5 kg"])
def test_an_odd_weight_of_a_row_that_is_left_out_weighs_nothing(odd, path):
    frame = pd.read_csv(path, dtype=str)
    frame.loc[[3, 4], "y"] = ""
    frame.loc[3, "w"] = odd
    frame.to_csv(path, index=False)
    options = BESIDE | {"drop_unlabelled": True, "weight": "w", "reader": {}, "path": path}
    ledger, every = make("file", **options).ledger, frame["w"].drop(3).astype(float)
    assert ledger.weight == pytest.approx(every.sum())
    assert ledger.weight_kept == pytest.approx(every.drop(4).sum())
    frame.loc[9, "w"] = odd
    frame.to_csv(path, index=False)
    with pytest.raises(DatasetError, match="'w'"):
        make("file", **options)


def test_lost_weight_is_a_fault(path):
    dataset = make("file", path=path, **BESIDE)
    for weight in (None, WEIGHTS + 1e-6):
        with pytest.raises(LedgerError, match="its ledger 240 of weight 240"):
            replace(dataset, weight=weight)
    assert "weight" not in str(dict(make("file", path=path, label="y", positive=1).ledger.lines()))


def test_weights_below_0_are_compared_and_added():
    ledger = Ledger(2, 2, weight=-3.0)
    ledger.require(2, "rows", np.array([-1.0, -2.0]))
    with pytest.raises(LedgerError, match="of weight -3"):
        ledger.require(2, "rows", np.array([-1.0, -1.0]))
    assert (ledger + ledger).weight == -6.0
    assert (ledger + Ledger(1, 1)).weight is None


def sparse_files(path):
    """Write rows of SVMlight with lists and weights beside them, in two parts."""
    rng = np.random.default_rng(6)
    X = np.where(rng.random((N, 5)) < 0.6, rng.normal(size=(N, 5)).round(3), 0)
    for name, rows in (("a.svm", slice(0, 80)), ("b.svm", slice(80, N))):
        dump_svmlight_file(
            X[rows], X[rows] @ [1, 0, 1, 0, 0] > 0.5, str(path.with_name(name)), zero_based=False
        )
        np.savetxt(path.with_name(f"{name}.weight"), WEIGHTS[rows])
        sizes = "10\n" * (len(X[rows]) // 10)
        path.with_name(f"{name}.query").write_text(sizes)
    params = {"path": path.with_name("a.svm"), "test": path.with_name("b.svm"), "positive": 1}
    return params | {"reader": {"weights": ".weight"}, "weight": "weight"}


def record_of(dataset):
    """Train logistic regression on the first part, and measure it on the second."""
    rows = np.arange(N)
    fold = Fold(rows[:80], rows[80:], [(rows[:50], rows[50:80])])
    protocol = {"kind": "predefined", "options": {}}
    model = "sklearn.linear_model.LogisticRegression"
    job = Job(0, 0, 3, protocol, "standard", [Top(k=20)], "recall@k", model)
    return run_job(job, dataset, fold, contain=False)


def test_weights_of_a_sparse_file_are_those_of_the_table(path):
    params = sparse_files(path)
    kept, full = (make("file", **params, sparse=sparse) for sparse in (True, False))
    kept.save(path.with_name("d.npz"))
    kept = Dataset.load(path.with_name("d.npz"))
    np.testing.assert_array_equal(kept.X.toarray(), full.X)
    np.testing.assert_array_equal(kept.weight, WEIGHTS)
    assert kept.ledger == full.ledger
    assert kept.facts["weights"] == full.facts["weights"]
    # Logistic regression is scaled alike here: features of a sparse matrix are never centred.
    full = replace(full, X=kept.X.toarray() + 0)
    one, other = (record_of(replace(data, X=csr_array(data.X))) for data in (kept, full))
    np.testing.assert_array_equal(one.scores, other.scores)
    unweighted = record_of(replace(kept, weight=None, facts={}))
    assert np.abs(np.subtract(one.scores, unweighted.scores)).max() > 1e-3
    measured = [
        sample_of(data).measure(get_metric("recall@k"), np.arange(80, N), one.scores[0], Top(k=20)).value
        for data in (kept, full)
    ]
    assert measured[0] == measured[1]


def test_lists_beside_a_sparse_file_are_its_groups(path):
    params = sparse_files(path)
    params["reader"] = {**params["reader"], "groups": ".query"}
    kept = make("file", **params, sparse=True)
    full = make("file", **params, group="qid")
    np.testing.assert_array_equal(kept.groups, full.groups)
    path.with_name("b.svm.query").unlink()
    with pytest.raises(DatasetError, match=r"b\.svm\.query.* no file with the sizes"):
        make("file", **params, sparse=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weight": None}, "set weight: weight, or leave weights out"),
        ({"reader": {}}, "no column 'weight'"),
        ({"weight": "label"}, "both label and weight"),
    ],
)
def test_weights_of_a_sparse_file_have_a_role(changes, message, path):
    with pytest.raises(DatasetError, match=message):
        make("file", **sparse_files(path) | changes, sparse=True)


@pytest.mark.parametrize("form", ["t.csv", "t.svm"])
def test_what_a_file_beside_gives_rows_is_no_feature_without_a_role(form, tmp_path):
    rows = [(i % 7, i % 3, i % 2) for i in range(60)]
    line = "{2} 1:{0} 2:{1}" if form == "t.svm" else "{0},{1},{2}"
    head = ["a,b,y"] * (form == "t.csv")
    path = tmp_path / form
    path.write_text("\n".join([*head, *(line.format(*row) for row in rows)]) + "\n")
    (tmp_path / f"{form}.weight").write_text("0.5\n2.5\n" * 30)
    (tmp_path / f"{form}.query").write_text("20\n" * 3)
    params = {"path": path, "positive": 1, "reader": {"weights": ".weight"}}
    params |= {"label": "y"} if form == "t.csv" else {}
    with pytest.raises(DatasetError, match=r"reader has weights.* set weight: weight, or leave weights out"):
        make("file", **params)
    assert make("file", **params, weight="weight").X.shape == (60, 2)
    assert make("file", **params, drop=["weight"]).X.shape == (60, 2)
    for weight in ("weight", -1):
        assert make("file", **params, keep=["a" if form == "t.csv" else 1, weight]).X.shape == (60, 2)
        assert make("file", **params, categories=[weight], one_hot=True).X.shape == (60, 3)
    with pytest.raises(DatasetError, match=r"reader has groups.* set group: qid, or leave groups out"):
        make("file", **params | {"reader": {"groups": ".query"}})
    found = look(path, label=params.get("label"))
    proposed = parameters(found)
    assert (proposed["group"], proposed["weight"]) == ("qid", "weight")
    assert make("file", **proposed).X.shape == (60, 2)


def test_weights_reach_methods_and_metrics(path):
    (other := path.with_name("weights.csv")).write_text("w\n" + path.with_name("t.csv.weight").read_text())
    path.with_name("t.csv.weight").unlink()
    remark = f"""'weights={{"path": "{other}"}}'"""
    assert any(remark in line for line in look(path).complaints)
    assert not any(remark in c for c in look(path, given={"weights": {"path": str(other)}}).complaints)
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
