"""The board: its controls, its two questions, its list of sets, and methods that wrap libraries."""

import csv
import re
import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies.board import check_controls, findings, fresh, questions, send, set_means
from studies.board.decides import left_out, one_split
from studies.board.models import AATPOnSample, LambdaMARTLightGBM, LambdaMARTXGBoost
from studies.board.propose import replay

from attop.extending import Top
from attop.metrics import get_metric
from attop.statistics import wilcoxon
from attop_bench.cli.main import main
from attop_bench.data.base import Dataset, save_arrays
from attop_bench.data.splits.protocols import make_folds
from attop_bench.files import write_json
from attop_bench.papers.page import read_tables
from attop_bench.run.config import load_config, read_yaml
from attop_bench.run.folds import write_folds
from attop_bench.run.job import Run
from attop_bench.run.plan import Plan
from attop_bench.run.rescore import rescore
from studies import board
from support import ROOT

TOPS = ("kappa=0.25", "kappa=0.5", "kappa=1.0", "tau=0.01")
METHODS = {
    "random": "Random scores",
    "logistic-regression": "Logistic regression",
    "linear-svm": "Linear SVM",
    "lightgbm": "LightGBM",
    "soft-top": "SoftTop",
    "top-stack": "TopStack",
}
STORY = {"methods": {name: {"title": title} for name, title in METHODS.items()}}


def tables(change=lambda table: table):
    """Seven sets of two runs, each with 8 of 400 items positive; every method is above the one before it."""
    rng = np.random.default_rng(0)
    rows = [
        (f"set-{d}", method, 0, fold, top, "precision@k", 0.02 + 0.1 * m + 0.01 * d + rng.random() / 1000)
        for d in range(7)
        for m, method in enumerate(METHODS)
        for fold in range(2)
        for top in TOPS
    ]
    names = ["dataset", "method", "repeat", "fold", "top", "metric", "value"]
    evaluation = change(pd.DataFrame(rows, columns=names))
    runs = evaluation.drop(columns=["metric", "value"]).assign(
        status="ok", n_candidates=1, peak_memory_mb=1.0, n_test=400.0
    )
    runs = runs.assign(**{f"seconds_{part}": 1.0 for part in ("selection", "training", "scoring")})
    runs["seconds_cpu"] = runs["method"].map({"lightgbm": 2.0, "top-stack": 8.0}).fillna(1.0)
    roc = evaluation[names[:5]].assign(n_pos=8, n_neg=392)
    return {"evaluation": evaluation, "runs": runs, "roc": roc}


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A board of the first six sets."""
    folder = tmp_path / "published"
    folder.mkdir()
    monkeypatch.setattr(board, "FOLDER", folder)
    sets = [f"set-{d}" for d in range(7)]
    tested = pd.DataFrame({"set": sets, "repeat": 0, "rows": 800, "tested_in": "0" * 400 + "1" * 400})
    tested.to_csv(folder / "splits.csv.gz", index=False)
    listed = pd.DataFrame({"set": sets, "board": "in", "prevalence": 0.02, "rows": 800})
    listed = listed.assign(
        prevalence_is=["thinned"] + ["natural"] * 6, rows_are=["simulated"] * 2 + ["real"] * 5
    )
    listed.assign(developed_on=["SoftTop"] + [""] * 6).to_csv(folder / "sets.csv", index=False)
    values = set_means(tables(), METHODS).drop("set-6").reset_index()
    values.to_csv(folder / "values.csv", index=False)
    cost = pd.DataFrame({"method": ["LightGBM", "TopStack"], "sets": 6, "times": [1.0, 5.0]})
    cost.to_csv(folder / "cost.csv", index=False)
    return values.set_index(["set", "top"])


def test_a_run_replaces_its_cells_alone(published):
    run = tables(lambda t: t[t["dataset"].isin(["set-5", "set-6"])].assign(value=t["value"] + 0.1))
    lightgbm = {name: t[t["method"].isin(["lightgbm", "random"])] for name, t in run.items()}
    made = board.tables(lightgbm, STORY)["values"].set_index(["set", "top"])
    assert list(made) == list(published)
    again = made.loc[published.index]
    pd.testing.assert_frame_equal(again.drop("set-5"), published.drop("set-5"))
    np.testing.assert_allclose(
        made.at[("set-5", "n+"), "LightGBM"], published.at[("set-5", "n+"), "LightGBM"] + 0.1
    )
    pd.testing.assert_series_equal(again["TopStack"], published["TopStack"])
    assert made.loc["set-6", "LightGBM"].notna().all()
    assert made.loc["set-6", "TopStack"].isna().all()


def test_a_method_on_some_sets_stands_beside_the_leaders_on_them(published):
    def change(table):
        part = table[(table["method"] == "lightgbm") & ~table["dataset"].isin(["set-0", "set-6"])]
        return part.assign(method="catboost", value=part["value"] + 0.05)

    made = board.tables(tables(change), {"methods": {"catboost": {"title": "CatBoost"}}})
    page = findings(made)
    some = next(table.cells for table in page.tables if "some sets" in table.title).set_index("method")
    assert [*page.reasons][:2] == ["Simulated (‡): set-0‡†, set-1‡.", "Positives drawn down (†): set-0‡†."]
    assert list(some.index) == ["TopStack", "CatBoost", "LightGBM"]
    assert set(some["sets"]) == {5}
    behind = dict(zip(some.index, some["n+"].astype(float), strict=True))
    assert behind == pytest.approx({"TopStack": 0, "CatBoost": 15, "LightGBM": 20}, abs=0.15)
    whole = next(table.cells for table in page.tables if table.title == "The board")
    assert set(whole["method"]) == {*METHODS.values()} - {"Random scores"}


def test_rivals_that_were_not_asked_stand_beside_topstack():
    index = pd.MultiIndex.from_product([[f"set-{i}" for i in range(8)], ["n+"]], names=["set", "top"])
    values = pd.DataFrame({"TopStack": 0.5, "LightGBM": 0.4, "Random forest": 0.44}, index=index)
    values["CatBoost"] = [0.52] * 6 + [np.nan] * 2
    cost = pd.DataFrame({"times": {"TopStack": 0.6, "Random forest": 4, "CatBoost": 2}, "sets": 5})
    rows = board._nearest(values, cost).set_index("TopStack beside")
    assert rows.loc["Random forest", ["sets", "more of 100", "its time"]].tolist() == [
        8,
        "+6.0 to +6.0",
        "4.0 (5 sets)",
    ]
    assert rows.loc["CatBoost", ["sets", "more of 100", "its time"]].tolist() == [
        6,
        "-2.0 to -2.0",
        "2.0 (5 sets)",
    ]
    three, four = (f"the best of LightGBM, Random forest{more} on each set" for more in ("", ", CatBoost"))
    assert rows.loc[three, ["sets", "more of 100"]].tolist() == [8, "+6.0 to +6.0"]
    assert rows.loc[four, ["sets", "more of 100"]].tolist() == [6, "-2.0 to -2.0"]
    untimed = board._nearest(values, cost.loc[["TopStack"]]).set_index("TopStack beside")
    assert untimed.loc["Random forest", "its time"] == ""


def test_a_cost_of_more_sets_stays(published):
    few = {name: t[t["dataset"] == "set-0"] for name, t in tables().items()}
    assert board.tables(few, STORY)["cost"].set_index("method").at["TopStack", "times"] == 5
    found = board.tables(tables(), STORY)["cost"].set_index("method")
    assert found["times"].to_dict() == {m: {"TopStack": 4, "LightGBM": 1}.get(m, 0.5) for m in found.index}
    assert set(found["sets"]) == {7}


@pytest.mark.parametrize(
    "change",
    [
        lambda runs: runs.assign(n_test=399.0),
        lambda runs: runs[runs["fold"] == 0],
        lambda runs: runs.assign(dataset="another"),
    ],
)
def test_other_test_parts_are_refused(published, change):
    run = tables()
    with pytest.raises(ValueError, match="use its splits"):
        board.tables(run | {"runs": change(run["runs"])}, STORY)


def test_the_labels_come_first_and_random_scores_last():
    found = set_means(tables(), METHODS)
    check_controls(found)
    np.testing.assert_array_equal(found["Labels as scores"], 1)
    low = {name: t.assign(n_pos=2, n_neg=398) if name == "roc" else t for name, t in tables().items()}
    labels = set_means(low, METHODS)["Labels as scores"]
    np.testing.assert_array_equal(labels.xs("1%", level="top"), 0.5)  # two positives among four


@pytest.mark.parametrize(
    ("method", "value", "words"),
    [
        ("lightgbm", 1.01, "LightGBM is above its own labels"),
        ("top-stack", 0.01, "TopStack finds 0.0100, random scores"),
        ("random", np.nan, "no random scores"),
    ],
)
def test_a_method_beyond_the_controls_fails_the_run(published, method, value, words):
    def change(table):
        return table.assign(value=table["value"].where(table["method"] != method, value))

    with pytest.raises(ValueError, match=words):
        board.tables(tables(change), STORY)


def test_the_better_linear_model_is_taken_on_each_set():
    rng = np.random.default_rng(1)
    names = [*(f"set-{i}" for i in range(8)), "steel-pastry"]
    index = pd.MultiIndex.from_product([names, ["n+"]], names=["set", "top"])
    values = pd.DataFrame(rng.random((9, 5)), columns=list(METHODS.values())[1:], index=index)
    found = questions(values).set_index(["sets", "method"])
    gain = values["SoftTop"] - values[["Logistic regression", "Linear SVM"]].max(axis=1)
    assert found.at[("all", "SoftTop"), "difference"] == pytest.approx(gain.mean())
    assert found.at[("all", "SoftTop"), "p"] == wilcoxon(gain, np.zeros(9)).p
    # TopStack alone was developed on it.
    without = (values["TopStack"] - values["LightGBM"]).drop("steel-pastry")
    assert found.at[("untouched", "TopStack"), "difference"] == pytest.approx(without.mean())
    assert found.at[("untouched", "SoftTop"), "n"] == 9
    p = found.loc["all", "p"]
    assert found.at[("all", p.idxmin()), "p_holm"] == pytest.approx(min(1, 2 * p.min()))


def test_every_method_of_the_suite_has_a_result_or_a_reason():
    made = read_tables(ROOT / "docs/board")
    page = findings(made)
    suite = read_yaml(ROOT / "config/suites/rare.yaml")["methods"]
    titles = {m: its["title"] for m, its in read_yaml(ROOT / "config/methods.yaml").items()}
    titles |= {m["id"]: m["title"] for m in suite if "title" in m}
    not_run = [reason for reason in page.reasons if reason.startswith("Not on the board")]
    for method in (m if isinstance(m, str) else m["id"] for m in suite):
        assert titles[method] in made["values"] or any(titles[method] in reason for reason in not_run), method
    assert 1 <= len(page.verdict) <= 5


def test_the_short_script_gives_the_answers_of_the_page(capsys):
    runpy.run_module("studies.board.answers")
    assert len((ROOT / "studies/board/answers.py").read_text(encoding="utf-8").splitlines()) <= 20
    values = read_tables(ROOT / "docs/board")["values"].set_index(["set", "top"])
    expected = {
        f"{its.sets} {its.method} {its.top} {its.n} sets {100 * its.difference:+.1f} p {its.p_holm:.2g}"
        for its in questions(values).itertuples()
    }
    assert {*capsys.readouterr().out.splitlines()} == expected


def test_a_fresh_set_has_means_over_the_folds_that_all_have():
    rows = [
        {"set": "s", "split": split, "top": "n+", "method": method, "precision": split + number / 100}
        for split in range(3)
        for number, method in enumerate([*fresh.NEEDED, "CatBoost"])
        if (split, method) not in {(2, "SoftTop"), (1, "CatBoost")}
    ]
    found = fresh.cells(pd.DataFrame(rows)).loc[("s", "n+")]
    expected = {method: 0.5 + number / 100 for number, method in enumerate(fresh.NEEDED)}
    assert found.dropna().to_dict() == pytest.approx(expected)


def test_a_method_with_fewer_runs_has_no_mean():
    run = tables(lambda t: t.query("not (dataset == 'set-0' and method == 'soft-top' and fold == 1)"))
    found = set_means(run, METHODS)["SoftTop"]
    assert found["set-0"].isna().all()
    assert found.drop("set-0").notna().all()


def test_one_split_finds_what_decides_and_is_judged_on_other_sets():
    features = pd.DataFrame({"a": [5, 1, 4, 2, 3, 6], "b": [1, 2, 3, 4, 5, 6]}, index=list("uvwxyz"))
    lost = pd.DataFrame({"one": [1.0] * 6, "two": features["b"] - 3.0})
    assert one_split(features, lost) == ("b", 3.5, "two", "one")
    equal = pd.DataFrame({"one": [1.0] * 6, "two": [1.0] * 6}, index=features.index)
    assert one_split(features, equal)[2:] == ("one", "one")
    odd = lost.assign(two=[9, 9, 9, 9, 9, -9])  # the others do not show what is special about the last
    assert left_out(features, odd)["z"] == 1


def test_the_suite_is_the_list():
    listed = list(csv.DictReader((ROOT / "docs/board/sets.csv").open(encoding="utf-8")))
    inside = [row for row in listed if row["board"] == "in"]
    raw = read_yaml(ROOT / "config/config.yaml") | read_yaml(ROOT / "config/suites/rare.yaml")
    config = load_config(raw, ROOT)
    assert {data.id for data in config.datasets} == {row["set"] for row in inside}
    assert len(inside) >= 40
    assert all(row["why_not"] for row in listed if row["board"] == "out")
    for data, row in ((config.dataset(row["set"]), row) for row in inside if row["source"] != "attop"):
        numbers = int(row["rows"]), int(row["positives"])
        assert (data.expect.items, data.expect.positives) == numbers, data.id
        assert all(file.digest for file in data.files.values()), data.id
        assert list(map(str, data.tops)) == list(TOPS)
        assert (data.protocol.options["n_folds"], data.protocol.repeats) == (5, 2)
    assert len({run.dataset for run in Plan(config).runs()}) == len(inside)


def test_the_replay_says_of_each_pair_both_verdicts():
    rng = np.random.default_rng(0)
    names = [f"set-{i:02}" for i in range(12)]
    index = pd.MultiIndex.from_product([names, ["n+/4", "n+/2", "n+", "1%"]], names=["set", "top"])
    base = rng.random(48) / 2
    values = pd.DataFrame({"low": base, "high": base + 0.1 + rng.random(48) / 9}, index)
    values["level"] = base + np.repeat([0.01, -0.01], 4).tolist() * 6
    values["few"] = base.copy() - 0.2
    values.loc[names[5:], "few"] = np.nan
    rows = pd.Series(np.arange(12)[::-1], names)  # the last set has the fewest
    found = replay(values, rows).set_index(["method", "against"])
    assert len(found) == 3  # five sets say nothing
    assert found.loc[("low", "high"), ["board", "propose", "after"]].tolist() == ["behind", "behind", 9]
    assert found.loc[("high", "level"), ["board", "propose"]].tolist() == ["ahead", "ahead"]
    assert found.loc[("low", "level"), ["board", "propose", "after"]].tolist() == ["open", "open", 12]
    last = 100 * (values["low"] - values["high"]).loc[names[3:]].mean()
    assert found.at[("low", "high"), "more_then"] == pytest.approx(last)
    assert (found["contradict_in_other_orders"] == 0).all()


def test_the_page_says_how_often_the_verdicts_agreed():
    found = pd.read_csv(ROOT / "studies/board/replay.csv")
    is_open = found["board"] == "open"
    agree = found["board"] == found["propose"]
    orders = found["agree_in_other_orders"]
    said = " ".join((ROOT / "docs/howto/own-method.md").read_text(encoding="utf-8").split())
    assert f"pairs of {len({*found.method, *found.against})} methods" in said
    assert f"it shows {agree[~is_open].sum()} of the {(~is_open).sum()} differences" in said
    assert f'"open" of {agree[is_open].sum()} of the {is_open.sum()} that' in said
    assert f"in {orders.mean():.2f} of cases, at worst in {orders.min():.2f} of one pair" in said
    assert (orders == orders.min()).sum() == 1
    after = found.loc[~is_open & agree, "after"]
    few, more, most = ((after <= sets).sum() for sets in (15, 18, 22))
    assert f"Of the {len(after)}, {few} are shown after 15 sets, {more} after 18 and {most} after 22" in said
    assert not found["contradict_in_other_orders"].any()


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


def prepare(folder, name, n, n_folds, repeats):
    """Return a configuration of one set, of which data and folds are there, and its data."""
    options = {"n_folds": n_folds, "inner_folds": 2}
    data = {"id": name, "kind": "digit", "params": {"digit": 8}, "tops": [*map(Top.parse, TOPS)]}
    data["protocol"] = {"kind": "stratified", "options": options, "repeats": repeats}
    method = {"id": "m", "estimator": "sklearn.dummy.DummyClassifier"}
    config = load_config({"datasets": [data], "methods": [method], "output": str(folder)})
    X = np.random.default_rng(0).normal(size=(n, 2))
    dataset = Dataset(name, X, (X[:, 0] >= np.sort(X[:, 0])[-n // 50 * 2]).astype(int))
    dataset.save(Plan(config).stage_path(name))
    for repeat in range(repeats):
        folds = make_folds("stratified", dataset, repeat, 0, **options)
        write_folds(Plan(config).folds_path(name, repeat), folds, dataset, config.split(name, repeat))
    return config, dataset


@pytest.fixture
def prepared(tmp_path):
    return prepare(tmp_path / "run", "d", 300, 3, 2)


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
    assert len(tables["evaluation"]) == 24
    assert tables["evaluation"]["value"].mean() > 0.8
    np.testing.assert_array_equal(found["label"], dataset.y[found["row"]])


def test_the_commands_of_the_page_put_a_row_on_the_board(published, tmp_path, monkeypatch):
    """All but those of the workflow; the scores that a run has stored replace those of the class."""
    monkeypatch.chdir(tmp_path)
    config, dataset = prepare(Path("results/rare"), "set-0", 800, 2, 1)
    monkeypatch.setattr(send, "load_config", lambda raw: config)
    monkeypatch.setattr(send, "read_yaml", lambda file: {})
    plan = Plan(config)
    for fold in range(2):
        test = make_folds("stratified", dataset, 0, 0, n_folds=2, inner_folds=2)[fold].test
        y = dataset.y[test] + 0.0
        scores = np.array([y, y, y * (np.cumsum(y) % 2), y])  # at n+ every second positive is lost
        save_arrays(plan.scores_path(Run("set-0", "m", 0, fold)), {"test": test, "scores": scores})
    page = (ROOT / "docs/howto/send-a-row.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    (?:python -m )?(studies\.board\.send|attop) (.*)$", page, re.M)
    assert [words.split()[0] for _, words in commands] == ["splits", "predict", "tuned", "rescore", "row"]
    names = {"package.Class": "sklearn.naive_bayes.GaussianNB", "METHOD": "m", "NAME": "Mine"}
    for program, words in commands:
        given = [names.get(word, word) for word in words.split()]
        (send.main if "send" in program else main)([*given, *["--jobs=1"] * (given[0] == "rescore")])
        if "tuned" in words:
            assert pd.read_parquet("predictions.parquet")["top"].nunique() == 4
    values = pd.read_csv("page/values.csv", index_col=["set", "top"])["Mine"]
    assert values["set-0"].to_dict() == pytest.approx({"n+/4": 1, "n+/2": 1, "n+": 0.5, "1%": 1}, abs=0.02)
    assert values.notna().sum() == 4
    assert Path("page/regret.png").is_file()
    write_json("scored/manifest.json", {"methods": {"LightGBM": {}}})
    with pytest.raises(ValueError, match="'LightGBM' is on the board"):
        send.row(Path("scored"), Path("page"))


def test_the_published_splits_are_of_the_listed_sets():
    found = pd.read_csv(ROOT / "docs/board/splits.csv.gz", dtype={"tested_in": str})
    listed = pd.read_csv(ROOT / "docs/board/sets.csv", index_col="set").query("board == 'in'")["rows"]
    assert set(found["set"]) == set(listed.index)
    assert (found["tested_in"].str.len() == found["rows"]).all()
    for row in found[found["set"] != "fraud-stream"].itertuples():
        assert row.rows == listed[row.set]
        assert set(row.tested_in) == set("01234")  # every row is tested once
