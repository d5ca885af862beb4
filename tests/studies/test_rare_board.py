"""The board: its controls, its two questions, its list of sets, and methods that wrap libraries."""

import csv

import numpy as np
import pandas as pd
import pytest
from studies.board import check_controls, findings, questions, send, set_means
from studies.board.models import AATPOnSample, LambdaMARTLightGBM, LambdaMARTXGBoost

from attop.core.files import write_json
from attop.metrics import get_metric
from attop.statistics import wilcoxon
from attop_bench.data.base import Dataset
from attop_bench.data.splits.protocols import make_folds
from attop_bench.run.config import load_config, read_yaml
from attop_bench.run.folds import write_folds
from attop_bench.run.plan import Plan
from attop_bench.run.rescore import rescore
from attop_bench.run.tables import KEY, TABLES, write_tables
from studies import board
from support import ROOT

TOPS = ("kappa=0.25", "kappa=0.5", "kappa=1.0", "tau=0.01")
METHODS = ("random", "logistic-regression", "linear-svm", "lightgbm", "soft-top", "top-stack")


def tables(change=lambda table: table):
    """Seven sets of two runs, each with 8 of 400 items positive; every method is above the one before it."""
    rng = np.random.default_rng(0)
    rows = [
        (
            f"set-{d}",
            method,
            0,
            fold,
            top,
            "precision@k",
            min(0.02 + 0.1 * m + 0.01 * d + 0.001 * rng.random(), 1),
        )
        for d in range(7)
        for m, method in enumerate(METHODS)
        for fold in range(2)
        for top in TOPS
    ]
    names = ["dataset", "method", "repeat", "fold", "top", "metric", "value"]
    evaluation = change(pd.DataFrame(rows, columns=names))
    runs = evaluation.drop(columns=["metric", "value"]).assign(
        status="ok", n_candidates=1, peak_memory_mb=1.0
    )
    runs = runs.assign(**{f"seconds_{part}": 1.0 for part in ("selection", "training", "scoring", "cpu")})
    roc = evaluation[names[:5]].assign(n_pos=8, n_neg=392)
    return {"evaluation": evaluation, "runs": runs, "roc": roc}


def story():
    titles = {m: {"title": m.title()} for m in (*METHODS, "catboost")}
    return {"methods": titles, "datasets": {"set-0": {"skip": {"catboost": "needs the package catboost"}}}}


def test_the_labels_come_first_and_random_scores_last():
    found = check_controls(tables()["evaluation"], tables()["roc"]).set_index("top")
    np.testing.assert_array_equal(found["labels"], [1, 1, 1, 1])
    assert (found["labels"] > found["best"]).all()
    assert (found["random"] < 0.1).all()


@pytest.mark.parametrize(
    ("method", "value", "words"),
    [
        ("lightgbm", 1.01, "above its own labels"),
        ("top-stack", 0.01, "top-stack finds 0.0100, random scores"),
    ],
)
def test_a_method_beyond_the_controls_fails_the_run(method, value, words):
    def change(table):
        return table.assign(value=table["value"].where(table["method"] != method, value))

    with pytest.raises(ValueError, match=words):
        board.tables(tables(change), story())


def test_without_random_scores_the_run_fails():
    with pytest.raises(ValueError, match="random"):
        board.tables(tables(lambda table: table[table["method"] != "random"]), story())


def test_where_k_exceeds_the_positives_the_labels_have_less_than_1():
    part = tables()
    roc = part["roc"].assign(n_pos=2, n_neg=398)
    low = part["evaluation"].assign(value=part["evaluation"]["value"] / 10)
    assert check_controls(low, roc).set_index("top").at["tau=0.01", "labels"] == pytest.approx(0.5)


def test_the_better_linear_model_is_taken_on_each_set():
    rng = np.random.default_rng(1)
    values = pd.DataFrame(
        rng.random((9, 5)), columns=METHODS[1:], index=[*(f"set-{i}" for i in range(8)), "mammography"]
    )
    found = questions({"kappa=1.0": values}).set_index(["sets", "method"])
    gain = values["soft-top"] - values[["logistic-regression", "linear-svm"]].max(axis=1)
    assert found.at[("all", "soft-top"), "difference"] == pytest.approx(gain.mean())
    assert found.at[("all", "soft-top"), "p"] == wilcoxon(gain, np.zeros(9)).p
    without = gain.drop("mammography")  # on which SoftTop was developed, and TopStack was not
    assert found.at[("untouched", "soft-top"), "difference"] == pytest.approx(without.mean())
    assert found.at[("untouched", "top-stack"), "n"] == 9
    p = found.loc["all", "p"]
    assert found.at[("all", p.idxmin()), "p_holm"] == pytest.approx(min(1, 2 * p.min()))


def test_a_method_that_was_not_run_is_named_with_the_reason():
    made = board.tables(tables(), story())
    page = findings(made)
    assert "Not run, needs the package catboost: Catboost." in page.reasons
    assert page.reasons[-1].endswith(": TabPFN, TabICL.")
    assert 1 <= len(page.verdict) <= 5
    rows = made["board"]
    assert set(rows["method"]) == {m.title() for m in METHODS} - {"Random"}
    best = rows[(rows["sets"] == "all") & (rows["top"] == "n+")].set_index("method")
    assert best.at["Top-Stack", "lead"] == pytest.approx(10, abs=0.2)
    assert best.at["Soft-Top", "lead"] == pytest.approx(-10, abs=0.2)


def test_one_set_has_answers_and_no_board():
    one = {name: table.query("dataset == 'set-0'") for name, table in tables().items()}
    page = findings(board.tables(one, story()))
    assert [table.title for table in page.tables] == ["The two questions"]


def test_a_run_of_some_methods_leaves_the_questions_open():
    made = board.tables(
        tables(lambda table: table[~table["method"].isin(["top-stack", "soft-top"])]), story()
    )
    assert "questions" not in made
    assert findings(made).verdict == ["**No question is answered.**"]


def test_a_method_with_fewer_runs_has_no_mean():
    part = tables()["evaluation"].query("not (dataset == 'set-0' and method == 'soft-top' and fold == 1)")
    means = set_means(part, dict.fromkeys(METHODS, ""))["kappa=1.0"]
    assert np.isnan(means.at["set-0", "soft-top"])
    assert means.drop("set-0").notna().all(axis=None)


def test_the_suite_is_the_list():
    listed = list(csv.DictReader((ROOT / "docs/board/sets.csv").open(encoding="utf-8")))
    inside = [row for row in listed if row["board"] == "in"]
    raw = read_yaml(ROOT / "config/config.yaml") | read_yaml(ROOT / "config/suites/rare.yaml")
    config = load_config(raw, ROOT)
    assert {data.id for data in config.datasets} == {row["set"] for row in inside}
    assert len(inside) >= 40
    assert all(row["why_not"] for row in listed if row["board"] == "out")
    for data, row in ((config.dataset(row["set"]), row) for row in inside if row["positives"]):
        assert (data.expect.items, data.expect.positives) == (int(row["rows"]), int(row["positives"])), (
            data.id
        )
        assert all(file.digest for file in data.files.values()), data.id
        assert list(map(str, data.tops)) == list(TOPS)
        assert (data.protocol.options["n_folds"], data.protocol.repeats) == (5, 2)
    assert len({run.dataset for run in Plan(config).runs()}) == len(inside)


@pytest.mark.parametrize("method", [LambdaMARTLightGBM, LambdaMARTXGBoost])
def test_lambdamart_ranks_one_list(method, monkeypatch):
    pytest.importorskip("lightgbm" if method is LambdaMARTLightGBM else "xgboost")
    monkeypatch.setattr("studies.board.models._LONGEST", 150)  # three lists for LightGBM
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] > 1.2).astype(int)
    scores = method(top={"kappa": 0.5}, n_estimators=20).fit(X, y).decision_function(X)
    assert y[np.argsort(-scores)[:20]].mean() > 0.9


def test_aatp_draws_rows_with_their_share_of_positives():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] > 1).astype(int)
    model = AATPOnSample(top={"kappa": 0.5}, n_rows=100).fit(X, y)
    assert y[np.argsort(-model.decision_function(X))[:20]].mean() > 0.9


@pytest.fixture
def prepared(tmp_path):
    """A configuration of one set, its data and its folds."""
    protocol = {"kind": "stratified", "options": {"n_folds": 3, "inner_folds": 2}, "repeats": 2}
    data = {
        "id": "d",
        "kind": "digit",
        "params": {"digit": 8},
        "protocol": protocol,
        "tops": [{"kappa": 1.0}],
    }
    method = {"id": "m", "estimator": "sklearn.dummy.DummyClassifier"}
    config = load_config({"datasets": [data], "methods": [method], "output": str(tmp_path / "run")})
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    dataset = Dataset("d", X, (X[:, 0] > 1).astype(int))
    dataset.save(Plan(config).stage_path("d"))
    for repeat in range(2):
        folds = make_folds("stratified", dataset, repeat, 0, n_folds=3, inner_folds=2)
        write_folds(Plan(config).folds_path("d", repeat), folds, dataset, config.split("d", repeat))
    return config, dataset


def test_published_splits_are_the_test_rows(prepared):
    config, dataset = prepared
    found = send.splits(config)
    assert list(found["repeat"]) == [0, 1]
    for repeat, text in zip(found["repeat"], found["tested_in"], strict=True):
        for number, fold in enumerate(make_folds("stratified", dataset, repeat, 0, n_folds=3, inner_folds=2)):
            assert [i for i, char in enumerate(text) if char == str(number)] == sorted(fold.test)


def test_predictions_are_what_rescore_reads(prepared, tmp_path):
    config, dataset = prepared
    found = send.predictions(config, "sklearn.naive_bayes.GaussianNB", "bayes")
    found.to_parquet(tmp_path / "p.parquet", index=False)
    precision = get_metric("precision@k")
    tables = rescore(
        [tmp_path / "p.parquet"], config.datasets[0].tops, [precision], precision, n_jobs=1
    ).tables
    assert len(tables["evaluation"]) == 6
    assert tables["evaluation"]["value"].mean() > 0.8
    np.testing.assert_array_equal(found["label"], dataset.y[found["row"]])


def stored(folder, tables):
    empty = {name: pd.DataFrame(columns=[*KEY, *columns]) for name, columns in TABLES.items()}
    write_tables({**empty, **tables}, folder / "tables")
    write_json(folder / "manifest.json", story())


def test_a_sent_method_has_its_row(tmp_path):
    run = tables()
    run["runs"]["n_test"] = 400.0
    stored(tmp_path / "run", run)
    part = {
        name: run[name].query("method == 'lightgbm'").assign(method="Mine") for name in ("evaluation", "runs")
    }
    part["evaluation"]["value"] += 0.5
    stored(tmp_path / "sent", part)
    send.row(tmp_path / "run", tmp_path / "sent", tmp_path / "page")
    board = pd.read_csv(tmp_path / "page" / "board.csv")
    assert set(board.groupby("top")["method"].first()) == {"Mine"}
    assert (tmp_path / "page" / "regret.png").is_file()
    stored(tmp_path / "small", {**part, "runs": part["runs"].assign(n_test=399.0)})
    with pytest.raises(ValueError, match="is not a part of"):
        send.row(tmp_path / "run", tmp_path / "small", tmp_path / "page")
    stored(tmp_path / "twice", {name: t.assign(method="lightgbm") for name, t in part.items()})
    with pytest.raises(ValueError, match="'lightgbm' is a method of"):
        send.row(tmp_path / "run", tmp_path / "twice", tmp_path / "page")


def test_the_published_splits_are_of_the_listed_sets():
    found = pd.read_csv(ROOT / "docs/board/splits.csv.gz", dtype={"tested_in": str})
    with (ROOT / "docs/board/sets.csv").open(encoding="utf-8") as file:
        listed = {row["set"]: row["rows"] for row in csv.DictReader(file) if row["board"] == "in"}
    assert set(found["set"]) == set(listed)
    assert (found["tested_in"].str.len() == found["rows"]).all()
    for row in found[found["set"] != "fraud-stream"].itertuples():
        assert row.rows == int(listed[row.set])
        assert set(row.tested_in) == set("01234")  # every row is tested once
