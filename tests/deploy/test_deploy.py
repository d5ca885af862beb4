"""A model to take away: chosen as the benchmark chooses, fitted on all rows, scoring rows as they are."""

import contextlib
import itertools
import json
import math
import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import joblib
import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import chisquare

from attop.experiment import HeldOut
from attop.extending import Top, format_hits
from attop.metrics import precision_at_k, scores_of
from attop_bench.cli.main import main
from attop_bench.data.base import DatasetError
from attop_bench.data.build import make
from attop_bench.data.columns.preparation import columns_of
from attop_bench.data.splits.protocols import make_folds
from attop_bench.deploy import deploy as deploying
from attop_bench.deploy.card import card, expectation_sentence
from attop_bench.deploy.contributions import contributions
from attop_bench.deploy.deploy import choose_members, deploy, expect, read, share_kept
from attop_bench.deploy.lists import changes, explore, read_list
from attop_bench.deploy.package import Package, read_package
from attop_bench.deploy.promise import read_held_out, write_held_out
from attop_bench.deploy.reasons import one_column
from attop_bench.deploy.trial import versions_of
from attop_bench.files import write_csv
from attop_bench.run.config import ConfigError
from attop_bench.run.fitting import learner_of, sample_of
from attop_bench.run.job import Run
from attop_bench.run.plan import Plan
from attop_bench.run.training import run_job
from attop_bench.run.up_to_date import digest
from support import ROOT
from support.packages import write_package
from support.small_run import configured
from support.transactions import transactions

pytestmark = pytest.mark.workflow

PARAMS = {
    "path": "mine.csv",
    "label": "fraud",
    "positive": "yes",
    "drop": ["transaction_id", "date", "currency", "limit_copy", "customer_id"],
    "one_hot": True,
    "max_categories": 5,
    "impute": "median",
}
LOGISTIC = {"id": "logistic-regression", "param_grid": {"C": [0.01, 1]}}
FIXED = {"id": "logistic-regression", "param_grid": {"C": [1]}}
TREE = {
    "id": "tree",
    "estimator": "sklearn.tree.DecisionTreeClassifier",
    "params": {"max_depth": 3},
    "param_grid": {"min_samples_leaf": [5, 50]},
}
SGD = {"id": "sgd-avg", "params": {"epochs": 2}, "param_grid": {"eta": [0.1, 1]}}


DATA = {
    "id": "mine",
    "kind": "file",
    "params": PARAMS,
    "protocol": {"kind": "stratified", "options": {"n_folds": 3, "inner_folds": 2}},
    "tops": [{"k": 60}],
}


def config(methods, **data):
    catalogues = {"methods": "config/methods.yaml"}
    return configured(datasets=[{**DATA, **data}], methods=methods, catalogues=catalogues)


def written():
    """Return a configuration as a file has it."""
    catalogues = {name: str(ROOT / f"config/{name}.yaml") for name in ("datasets", "methods")}
    return yaml.safe_dump({"datasets": [DATA], "methods": [LOGISTIC], "catalogues": catalogues})


@contextlib.contextmanager
def made_in(folder):
    """Work in a folder with the table."""
    with contextlib.chdir(folder):
        frame = transactions(1500, share=0.1)
        frame.to_csv("mine.csv", index=False)
        yield frame


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setattr(deploying, "share_kept", lambda *_: math.nan)  # six more trainings; `models` have it
    with made_in(tmp_path) as frame:
        yield frame


def deployed(methods, top=None, tell=lambda line: None, **data):
    """Deploy the best of some methods."""
    names = [method["id"] for method in methods]
    return deploy(config(methods, **data), "mine", names, top, n_jobs=1, tell=tell)


def job_of(method):
    """Return a method's job on the first fold."""
    return Plan(config([method])).job(Run("mine", method["id"], 0, 0))


def cut(data, n_folds=3, inner_folds=2):
    """Return the folds of a run."""
    return make_folds("stratified", data, repeat=0, seed=0, n_folds=n_folds, inner_folds=inner_folds)


def card_of(found, untrusted=()):
    """Return the card of a model, whose methods have their names as titles."""
    return card(found, Path("out"), untrusted, {one.method: one.method for one in found.tried})


def refitted(job, data, train, test, pick, seed=0):
    """Return the scores of some rows by the benchmark's own model of others."""
    (model,), features = learner_of(job, data).fit(sample_of(data), train, [pick], seed)
    return scores_of(model, features(test))


def by_card(text):
    """Return the scores that the lines of a card compute, highest first."""
    names = {}
    exec(text.partition("```python\n")[2].partition("```")[0], names)
    return np.sort(names["scores"])[::-1]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Models of the table, which is in each test's own folder too."""
    with made_in(tmp_path_factory.mktemp("models")):
        return {method["id"]: deployed([method]) for method in (LOGISTIC, TREE, SGD)}


@pytest.fixture(scope="module")
def logistic(models):
    return models["logistic-regression"]


@pytest.fixture(scope="module")
def package(logistic, tmp_path_factory):
    """The folder of a model of the table."""
    folder = tmp_path_factory.mktemp("package") / "out"
    assert write_package(folder, logistic.package) == []
    return folder


@pytest.fixture
def scored(table, capsys, package):
    """A model of the table, and a function that scores a file by ``attop score``."""
    shutil.copytree(package, "out")

    def score(file, *options):
        assert main(["score", "out", file, *options]) == 0
        said = capsys.readouterr()
        Path("list.csv").write_text(said.out)
        return pd.read_csv("list.csv", keep_default_na=False), said.err

    return score


@pytest.fixture
def refused(capsys):
    """Return a function that calls ``attop`` for what cannot be done and returns its message."""

    def refused(command):
        assert main(command.split()) == 1
        return capsys.readouterr().err

    return refused


@pytest.mark.parametrize("method", [LOGISTIC, TREE, SGD])
def test_the_pipeline_is_the_benchmarks_own_model_of_all_rows(method, table, models):
    """Of the file as pandas reads it, and of the table that folds are trained on."""
    found = models[method["id"]]
    data = make("file", **PARAMS)
    rows = np.arange(len(data.y))
    seed = found.package.pipeline["model"].get_params()["random_state"]
    expected = refitted(job_of(method), data, rows, rows, (found.top, found.candidate), seed)
    read = pd.read_csv("mine.csv")
    pipeline = found.package.pipeline
    scores = pipeline.decision_function(read) if method is not TREE else pipeline.predict_proba(read)[:, 1]
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)


AVERAGED = {**TREE, "id": "averaged", "param_grid": {"min_samples_leaf": [5, 20, 50]}, "ensemble": 6}


def test_a_deployed_ensemble_has_each_candidate_as_often_as_the_test_parts_had_it(table, monkeypatch):
    monkeypatch.setattr(deploying, "share_kept", share_kept)
    found = deployed([AVERAGED])
    data, job = make("file", **PARAMS), job_of(AVERAGED)
    times = np.sum([[one["times"] for one in r.tops[0]["inner"]] for r in found.tried[0].records], axis=0)
    assert sum(times) == 3 * 6
    leaves = [5, 20, 50]
    wanted = [({"min_samples_leaf": leaf}, n) for leaf, n in zip(leaves, times, strict=True) if n]
    assert found.members == wanted
    assert len(wanted) > 1
    rows, seed = np.arange(len(data.y)), found.tried[0].records[0].seed
    each = [refitted(job, data, rows, rows, (found.top, one), seed) for one, _ in wanted]
    expected = np.average(each, axis=0, weights=[n for _, n in wanted])
    pipeline = found.package.pipeline
    np.testing.assert_allclose(pipeline.decision_function(pd.read_csv("mine.csv")), expected, atol=1e-12)
    text = card_of(found)
    first, number = wanted[0]
    assert f"counts: `min_samples_leaf={first['min_samples_leaf']}` ({number}); " in text
    assert 0 < found.stays <= 1
    write_package(Path("out"), found.package)
    again = joblib.load("out/model.joblib")
    np.testing.assert_array_equal(scores_of(again, data.table), scores_of(pipeline, data.table))
    assert "scikit-learn" in versions_of(pipeline)


@pytest.mark.parametrize(("select", "best"), [("precision@k", 1), ("ap", 0), ("ap-within-1se", 1)])
def test_the_final_setting_is_what_select_names_among_those_all_parts_tried(select, best):
    """A budget of seconds ended the search of the first part before the third candidate."""
    by_ap = [{}, {}] if select == "precision@k" else [{"selected_by": [0.9]}, {"selected_by": [0.5]}]
    candidates = [
        {"candidate": {"C": 0}, "values": [0.1], **by_ap[0]},
        {"candidate": {"C": 1}, "values": [0.8], **by_ap[1]},
        {"candidate": {"C": 2}, "values": [1.0]},
    ]
    parts = [SimpleNamespace(tops=[{"inner": candidates[:tried]}]) for tried in (2, 3)]
    assert choose_members(replace(job_of(LOGISTIC), select=select), parts) == [({"C": best}, 1)]


def test_the_final_setting_is_best_on_the_inner_folds_of_all_parts(table, logistic):
    data, job, means = logistic.dataset, job_of(LOGISTIC), {}
    for C in (0.01, 1):
        pick = logistic.top, {"C": C}
        pairs = [pair for fold in cut(data) for pair in fold.inner]
        values = [precision_at_k(data.y[b], refitted(job, data, a, b, pick), 20) for a, b in pairs]
        means[C] = np.mean(values)
    assert logistic.candidate == {"C": max(means, key=means.get)}


def test_a_finished_run_is_read_and_gives_what_training_would(table, monkeypatch, capsys):
    methods, tops = [TREE, LOGISTIC], [{"tau": 0.1}, {"k": 60, "of": 1500}]
    trained, told, seeds = [], [], {"tree": set(), "logistic-regression": set()}

    def counted(job, dataset, fold):
        trained.append(job.estimator)
        return run_job(job, dataset, fold)

    monkeypatch.setattr(deploying, "_run", counted)
    monkeypatch.setattr(deploying, "share_kept", share_kept)
    fresh = deployed(methods, Top(k=60), tops=tops)
    assert len(trained) == 2 * 3 + 6  # folds, and what stays of a list
    done = [line.split(",")[0] for line in capsys.readouterr().err.splitlines()]
    assert {"tree: 3 of 3 fits", "logistic-regression: 3 of 3 fits", "for the card: 6 of 6 fits"} <= {*done}
    plan, folds = Plan(config(methods, tops=tops)), cut(fresh.dataset)
    for run in plan.runs("mine"):
        record = run_job(plan.job(run), fresh.dataset, folds[run.fold])
        record.write(*plan.results(run), digest(plan, run))
        seeds[run.method].add(record.seed)
    trained.clear()
    read = deployed(methods, Top(k=60), tops=tops, tell=told.append)
    assert len(trained) == 6
    assert all("of the run in" in line for line in told[:2])
    assert [t.value for t in read.tried] == [t.value for t in fresh.tried]
    assert read.expectation.mean == fresh.expectation.mean
    assert expectation_sentence(read) == expectation_sentence(fresh)
    assert read.candidate == fresh.candidate
    pd.testing.assert_frame_equal(read.ranked, fresh.ranked)
    assert {one.seed for one in fresh.tried[0].records} == seeds[fresh.method]
    assert len(seeds[fresh.method]) == 3
    monkeypatch.setattr(deploying, "train", lambda *given: pytest.fail(f"trains {given[-1]}"))
    for change in ({"top": Top(k=61)}, {"scaling": "none"}):  # another top, another configuration
        with pytest.raises(pytest.fail.Exception, match="trains tree"):
            deployed([TREE], **{"top": Top(k=60), "tops": tops, **change})


def test_the_list_is_of_models_that_have_not_seen_the_row(table, logistic):
    ranked = logistic.ranked
    assert ranked["rank"].tolist() == list(range(1, 1501))
    assert sorted(ranked["row"]) == list(range(1, 1501))
    rows = table.iloc[ranked["row"] - 1]
    assert ranked["transaction_id"].tolist() == rows["transaction_id"].tolist()
    assert ranked["label"].tolist() == (rows["fraud"] == "yes").tolist()
    np.testing.assert_allclose(ranked["score"], logistic.package.pipeline.decision_function(rows))
    for outcome in logistic.tried[0].records:
        z = outcome.scores[0]
        for row, score in zip(outcome.test[:20], z, strict=False):
            below = ((z < score).sum() + (z == score).sum() / 2) / len(z)
            assert ranked.set_index("row").loc[row + 1, "held_out"] == pytest.approx(below)


def test_from_file_to_file_a_new_table_is_scored_with_what_it_has_never_seen(scored, refused):
    new = transactions(200, seed=1).drop(columns=["fraud", "limit_copy"])
    new.loc[0, "country"] = "never seen"
    new.loc[1, ["age", "country", "v1"]] = None
    new = new.assign(more="0", score_="NA").iloc[:, ::-1]  # unknown columns, and in another order
    new.to_csv("new.csv", index=False)
    top, _ = scored("new.csv", "--top", "7")
    scores = joblib.load("out/model.joblib").decision_function(pd.read_csv("new.csv"))
    assert top["row"].tolist() == (np.argsort(-scores, kind="stable")[:7] + 1).tolist()
    np.testing.assert_allclose(top["score"], np.sort(scores)[::-1][:7])
    assert top["transaction_id"].tolist() == new["transaction_id"].iloc[top["row"] - 1].tolist()
    assert top.columns.tolist()[:3] == ["rank", "row", "transaction_id"]
    assert top["why"].str.count(",").eq(2).all()
    assert len(scored("new.csv", "--all")[0]) == 200
    new.drop(columns=["v3", "hour"]).to_csv("lacking.csv", index=False)
    assert "the file lacks columns of the model: hour, v3" in refused("score out lacking.csv")


def test_a_list_has_the_columns_that_are_named_a_picture_and_opens_in_excel(scored, refused):
    openpyxl = pytest.importorskip("openpyxl", reason="pip install openpyxl")
    new = transactions(60, seed=1)
    new["transaction_id"] = [f"{i:06}" for i in range(60)]
    new.loc[0, "country"] = "=1+1"
    new.to_csv("new.csv", index=False)
    few, _ = scored("new.csv", "--top", "5", "--columns", "amount,country")
    assert few.columns[-4:].tolist() == ["amount", "country", "score", "why"]
    whole, _ = scored("new.csv", "--top", "5", "--columns", "all")
    assert {*new.columns} <= {*whole.columns}
    scored("new.csv", "--all", "--columns", "amount,country", "--output", "list.xlsx", "--picture", "a.svg")
    sheet = openpyxl.load_workbook("list.xlsx").active
    rows = {row[1].value: row for row in sheet.iter_rows(min_row=2)}
    heads = [cell.value for cell in sheet[1]]
    first = dict(zip(heads, rows[1], strict=True))
    assert (first["country"].value, first["country"].data_type) == ("=1+1", "s")
    assert first["transaction_id"].value == "000000"
    assert first["amount"].value == pytest.approx(new["amount"][0])
    assert "60" in Path("a.svg").read_text()
    assert "did you mean 'amount'" in refused("score out new.csv --columns amuont")
    assert "--picture a.jpg" in refused("score out new.csv --picture a.jpg")


def test_skops_is_written_where_it_needs_no_trust(table, models, logistic):
    skops = pytest.importorskip("skops.io", reason="pip install skops")
    assert write_package(Path("out"), logistic.package) == []
    model = skops.load("out/model.skops", trusted=["numpy.dtype"])
    read = pd.read_csv("mine.csv")
    expected = logistic.package.pipeline.decision_function(read)
    np.testing.assert_array_equal(model.decision_function(read), expected)
    own, name = models["sgd-avg"], "attop.from_papers.minibatch._rankers.SGDAtK"
    assert name in write_package(Path("own"), own.package)
    assert not Path("own/model.skops").exists()
    assert name in card_of(own, [name])


def test_data_that_are_no_file_are_read_by_the_names_of_their_features(table):
    conf = configured(datasets=[{"id": "wdbc", "protocol": DATA["protocol"]}], methods=[FIXED])
    found = deploy(conf, "wdbc", ["logistic-regression"], Top(tau=0.2), n_jobs=1)
    assert found.package.notes["features"] == found.dataset.table.columns.tolist()
    assert found.package.pipeline.n_features_in_ == 6


def test_groups_have_a_list_each(table):
    conf = config(
        [SGD],
        params={**PARAMS, "drop": [c for c in PARAMS["drop"] if c != "customer_id"], "group": "channel"},
        protocol={"kind": "within-groups", "options": {"fractions": [0.6, 0.2, 0.2]}},
        tops=[{"k": 5}],
        scoring="micro-pap@k",
    )
    found = deploy(conf, "mine", ["sgd-avg"], n_jobs=1)
    assert found.top == Top(k=5)
    new = transactions(300, seed=2)
    new.to_csv("new.csv", index=False)
    top = found.package.head(found.package.rank("new.csv"))
    assert top.groupby("channel").size().tolist() == [5, 5, 5]
    assert top["rank"].max() == 5

    tau = expectation_sentence(replace(found, top=Top(tau=0.1)))
    mean = found.expectation.mean
    assert f"Of the rows at the top of each group (tau=0.1) expect {mean:.0%} positives" in tau
    alike = replace(found.tried[0].records[0], scores=np.zeros_like(found.tried[0].records[0].scores))
    job = replace(Plan(conf).job(Run("mine", "sgd-avg", 0, 0)), tops=[found.top])
    assert expect(job, found.dataset, [replace(found.tried[0], records=[alike])]).lift == pytest.approx(1)
    assert "Ties decide" not in card_of(found)


def test_the_card_has_the_parts_of_the_list(table):
    found = deployed([FIXED], params={**PARAMS, "by": "channel"})
    parts, records = found.parts, found.tried[0].records
    channel = table["channel"].to_numpy()
    among = [o.test[np.argsort(-o.scores[0], kind="stable")[:20]] for o in records]
    listed = np.concatenate(among)
    for name, row in parts.iterrows():
        inside = channel == name
        assert row["rows"] == inside.sum()
        assert row["share"] == pytest.approx(inside[listed].mean())
        if inside[listed].any():
            assert row["precision"] == pytest.approx(found.dataset.y[listed[inside[listed]]].mean())
    lines = card_of(found).splitlines()
    start = lines.index("| channel | rows | of all | of the list | precision there |")
    assert [line.split(" | ")[0].strip("| ") for line in lines[start + 2 :][: len(parts)]] == [*parts.index]
    assert deployed([FIXED]).parts is None


def test_a_share_of_the_positives_is_one_of_the_positives(table):
    found = deployed([FIXED], tops=[{"kappa": 0.5}])
    text = card_of(found)
    assert (
        f"Of the 75 highest of 1,500 rows expect {format_hits(found.expectation.next.expected, 75)} positives"
        in text
    )
    assert "attop score out new.csv --top 'k=75 of 1500'" in text
    assert len(found.package.head(found.package.rank("mine.csv"))) == 75


def test_the_list_says_why_where_the_model_does(table, models, logistic):
    X = logistic.dataset.X
    added = contributions(logistic.package.pipeline, X)
    row = logistic.ranked.iloc[0]["row"] - 1
    moved = pd.Series((added - added.mean(axis=0))[row, :-1], index=X.columns)
    first = moved.loc[moved.abs().nlargest(3).index]
    values = {c: X[c].iloc[row] for c in first.index}
    words = {c: f"= {v!r}" if isinstance(v, str) else f"= {v:.12g}" for c, v in values.items()}
    words |= {c: "is missing" for c, v in values.items() if pd.isna(v)}
    assert logistic.ranked.iloc[0]["why"] == ", ".join(f"{c} {words[c]} {v:+.3g}" for c, v in first.items())
    assert "names the three columns" in card_of(logistic)
    tree = models["tree"]
    assert "why" not in tree.ranked
    listed = tree.package.rank("mine.csv")
    assert "why" not in listed
    features = tree.package.notes["features"]
    assert listed.columns[-1 - len(features[:12]) : -1].tolist() == features[:12]
    assert "is left out: this model does not say it" in card_of(tree)


def test_what_stays_and_one_column_are_of_the_same_test_parts(table, logistic):
    data, records = logistic.dataset, logistic.tried[0].records
    job, folds, shares = job_of(LOGISTIC), cut(data), []
    for fold in folds:
        order, tops = np.random.default_rng(0).permutation(fold.train), []
        assert len(order) == 1000
        for rows in (order[167:], order[:834]):  # sixths of 167 rows, and of 166
            pick = logistic.top, logistic.candidate
            tops.append({*np.argsort(refitted(job, data, np.sort(rows), fold.test, pick))[-20:]})
        shares.append(len(tops[0] & tops[1]) / 20)
    assert logistic.stays == pytest.approx(np.mean(shares))
    assert 0.5 < logistic.stays < 1

    alone, categories = logistic.alone, columns_of(data.X).categories
    X = data.X.astype(dict.fromkeys(categories, object))
    chosen = one_column(X, categories, data.y, folds, lambda i, z: precision_at_k(data.y[i], z, 40))
    own = [precision_at_k(data.y[fold.test], z, 20) for fold, (_, z) in zip(folds, chosen, strict=True)]
    model = [precision_at_k(data.y[o.test], o.scores[0], 20) for o in records]
    assert alone.mean == pytest.approx(np.mean(own))
    assert alone.difference == pytest.approx(np.mean(model) - np.mean(own))
    assert alone.low < alone.difference < alone.high
    assert alone.order in {order for order, _ in chosen}

    text = card_of(logistic)
    assert (
        f"it keeps {logistic.stays:.0%} of a list: expect "
        f"{format_hits(logistic.stays * 60, 60)} of these 60 again" in text
    )
    assert f"mostly {alone.order}, has precision {alone.mean:.3f}" in text
    assert ("it is not shown that the model finds more" in text) == (alone.low <= 0)
    first = logistic.differences[0]
    assert f"| {first.what} |" in text
    at_top = X.iloc[logistic.ranked["row"][:60] - 1]
    numbers = {d.what: d.listed for d in logistic.differences if not d.is_share}
    assert numbers == pytest.approx({c: at_top[c].mean() for c in X if c not in categories})


@pytest.mark.parametrize("name", ["rank", "row", "label", "held_out", "score", "why"])
def test_columns_of_the_file_are_not_written_over(name, table):
    table.rename(columns={"customer_id": name}).to_csv("mine.csv", index=False)
    with pytest.raises(DatasetError, match=f"one called '{name}': rename it"):
        deployed([LOGISTIC], params={**PARAMS, "drop": [*PARAMS["drop"][:-1], name]})


def test_a_file_of_which_rows_are_left_out_is_refused_before_training(table):
    with pytest.raises(DatasetError, match=r"the file has 1,500 rows, its parameters leave 1,4"):
        deployed([LOGISTIC], params={**PARAMS, "downsample_positives": 0.05})


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("deploy mine --output mine.csv", "is a file: give a folder"),
        ("deploy mine --output .", "holds other files and no model.json"),
        ("deploy mine --output theirs", "holds other files and no model.json"),
        ("score theirs mine.csv --output /dev/stdout", "is a device or a pipe, not a file"),
        ("score theirs mine.csv --output ./mine.csv", "would replace the input mine.csv"),
        ("score theirs mine.csv --output theirs", "is a folder: give a file"),
        ("score theirs mine.csv --output theirs/model.joblib", "would replace the input theirs/model.joblib"),
        ("look mine.csv --output mine.csv", "would replace the input mine.csv"),
        ("rescore mine.csv --output .", "holds other files and no tables/evaluation.parquet"),
        ("rescore mine.csv --output theirs", "holds other files and no tables/evaluation.parquet"),
    ],
)
def test_no_command_replaces_its_input_or_what_it_did_not_make(command, message, table, refused):
    Path("theirs").mkdir()
    Path("theirs/notes.txt").write_text("mine")
    Path("config").mkdir()
    Path("config/config.yaml").write_text(written())
    before = Path("mine.csv").read_bytes()
    assert message in refused(command)
    assert Path("mine.csv").read_bytes() == before
    assert sorted(map(str, Path().glob("*/*"))) == ["config/config.yaml", "theirs/notes.txt"]


def test_a_method_that_fails_is_told_and_passed_over(table):
    broken = {"id": "broken", "estimator": "sklearn.linear_model.LogisticRegression", "params": {"C": -1.0}}
    told = []
    found = deployed([broken, FIXED], tell=told.append)
    assert found.method == "logistic-regression"
    assert "C" in found.tried[-1].error
    assert told[0].startswith("broken: ")
    with pytest.raises(ConfigError, match="no method could be trained on mine: broken"):
        deployed([broken])


@pytest.mark.parametrize("params", [{"codes": {"a": 1}}, {"thresholds": {"v": [0]}}, {"query_norm": "v"}])
def test_features_no_pipeline_has_are_refused(params, tmp_path):
    (tmp_path / "t.csv").write_text("v,y\n1,yes\n2,no\n")
    given = {"path": str(tmp_path / "t.csv"), "label": "y", "positive": "yes"}
    with pytest.raises(DatasetError, match=f"{next(iter(params))} cannot be one of its steps"):
        read("t", "file", {**given, **params})


def test_the_card_says_what_to_expect_and_how_to_use_it(table):
    found = deployed([LOGISTIC, TREE], Top(k=100))
    text = card(found, Path("out"), [], {"logistic-regression": "Logistic regression", "tree": "Tree"})
    what = found.expectation
    said = what.next
    assert said.expected + said.optimism == pytest.approx(what.mean * 100, abs=1.5)
    assert said.low < said.least < said.expected < said.high
    assert text.count("95% interval") == 2  # the other is of one column alone
    assert "[^mean]: The report's 95% interval" in text
    assert (
        f"Of the 100 highest of 1,500 rows expect {format_hits(said.expected, 100)} positives "
        f"({said.low} to {said.high}" in text
    )
    found_there = f"Found were {format_hits(100 * what.mean, 100)} of 100, {what.lift:.2g} times chance: "
    assert f"{found_there}precision at the top (k=100 of 1500) {what.mean:.4f}, the mean of 3 test" in text
    assert "than were found are expected" in text
    assert "attop score out new.csv --top k=100" in text
    for word in ("Logistic regression |", "Tree |", "sha256", "scikit-learn", "Ties decide", "fraud = yes"):
        assert word in text
    assert "`C=" in text


@pytest.mark.parametrize(
    ("blank", "reader", "write"),
    [
        ("", {}, {}),
        (" ", {}, {}),
        ("", {"separator": ";", "decimal": ","}, {"sep": ";", "decimal": ","}),
        ("", {"separator": "tab", "missing": {"age": ["none"]}}, {"sep": "\t"}),
        ("", {"header": False, "separator": ";"}, {"header": False, "sep": ";"}),
    ],
)
def test_the_lines_of_the_card_read_a_file_written_like_the_data(blank, reader, write, table):
    table["age"] = table["age"].astype(object).where(table["age"].notna(), "none")
    table["channel"] = blank + table["channel"].map({"web": "7", "shop": "07", "phone": "x"})
    if "missing" not in reader:
        table = table.drop(columns="age")
    table.to_csv("mine.csv", index=False, **write)
    number = {name: i + 1 for i, name in enumerate(table.columns)}
    columns = number if reader.get("header") is False else dict(zip(number, number, strict=True))
    params = {**PARAMS, "reader": reader, "drop": [columns[c] for c in PARAMS["drop"]]}
    found = deployed([FIXED], params={**params, "label": columns["fraud"]})
    write_package(Path(), found.package)
    text = card_of(found)
    table[table["channel"] != "x"].to_csv("new.csv", index=False, **write)
    np.testing.assert_allclose(by_card(text), read_package(".").rank("new.csv")["score"])


def test_a_top_that_cannot_be_and_files_that_are_not_there(table):
    with pytest.raises(ConfigError, match="k=5000 asks for 5000 of the 1500 items"):
        deployed([LOGISTIC], Top(k=5000))
    conf = configured(datasets=["ionosphere"], methods=[LOGISTIC])
    with pytest.raises(ConfigError, match=r"^the files of ionosphere are not fetched yet; first:\nsnakemake"):
        deploy(conf, "ionosphere", ["logistic-regression"], n_jobs=1)


@pytest.mark.parametrize("entity", [None, np.array([3, 3])])
def test_held_out_scores_are_kept_with_their_entities(entity, tmp_path):
    part = HeldOut(np.array([4, 7]), np.array([1, 0]), np.array([0.5, 0.25]), entity)
    write_held_out(tmp_path / "held-out.npz", [[part, part]])
    ((_, read),) = read_held_out(tmp_path / "held-out.npz")
    for name in ("rows", "y_true", "y_score", "entity"):
        assert np.array_equal(getattr(read, name), getattr(part, name))


def test_what_is_no_model_is_refused(scored, refused, package, logistic):
    assert "nowhere does not hold a model of attop deploy" in refused("score nowhere mine.csv")
    with pytest.raises(DatasetError, match="no model"):
        read_package("mine.csv")
    other = replace(logistic.package, held_out=[], trial=logistic.package.trial[:2])
    write_package(Path("other"), other)
    for name, content, whose in (
        ("model.joblib", b"cut short", "model.joblib"),
        ("model.skops", b"cut short", "model.skops"),
        # As after a kill while files were put in place.
        ("held-out.npz", Path("other/held-out.npz").read_bytes(), "held-out.npz"),
        ("trial.json", Path("other/trial.json").read_bytes(), "trial.json"),
        ("model.json", Path("other/model.json").read_bytes(), ""),
        ("ranked.csv", b"of another fit", "ranked.csv"),
        ("card.md", b"of another fit", "card.md"),
        ("capacity.png", b"of another fit", "capacity.png"),
    ):
        Path("out", name).write_bytes(content)
        file = f"out/{name}" if name == "model.skops" else "out"
        assert f"{whose} is not that of out/model.json" in refused(f"score {file} mine.csv")
        if (package / name).exists():
            shutil.copy(package / name, "out")
        else:
            Path("out", name).unlink()
    for change in ({"middle": [0.0]}, {"digests": {}}, {"top": {"k": "x"}}, {"rows": -1}, {"label": None}):
        notes = json.loads((package / "model.json").read_text())
        Path("out/model.json").write_text(json.dumps({**notes, **change}))
        assert "deploy again" in refused("score out mine.csv")


def test_a_folder_that_cannot_be_written_is_refused_before_training(table, monkeypatch, refused, capsys):
    Path("mine.yaml").write_text(written())
    monkeypatch.setattr("attop_bench.cli.deploy.deploy", lambda *given, **how: pytest.fail("it trains"))
    Path("out/card.md").mkdir(parents=True)
    Path("out/model.json").write_text("{}")
    Path("full/.attop-unfinished-0").mkdir(parents=True)  # of a process that was killed
    Path("loop").symlink_to("loop")
    Path("link").symlink_to("out")
    call = "deploy mine --configfile mine.yaml --output"
    for place, said in (
        ("out", "out/card.md: it is a folder where a file is to be"),
        ("link", "out/card.md: it is a folder where a file is to be"),
        ("mine.csv/below", "cannot use mine.csv/below: Not a directory"),
        ("loop", "Too many levels of symbolic links"),
        ("/proc/nothing", "cannot use /proc/nothing: "),
        ("x" * 300, "File name too long"),
    ):
        assert said in refused(f"{call} {place}")
    assert sorted(path.name for path in Path("out").iterdir()) == ["card.md", "model.json"]
    with pytest.raises(pytest.fail.Exception, match="it trains"):
        main([*call.split(), "full"])
    for command, place in (("score out mine.csv", "/proc/x/list.csv"), ("rescore mine.csv", "/proc/x")):
        assert "cannot use /proc/x: " in refused(f"{command} --output {place}")


def test_an_interrupted_deploy_changes_nothing(table, models, monkeypatch, capsys):
    Path("mine.yaml").write_text(written())
    call = ["deploy", "mine", "--configfile", "mine.yaml", "--jobs", "2", "--output", "out"]

    def full(*given):
        raise OSError(28, "No space left on device", "card.md")

    with monkeypatch.context() as patch:
        patch.setattr("attop_bench.cli.deploy.deploy", lambda *given, **how: models["logistic-regression"])
        assert main(call) == 0
        Path("out/my-list.csv").write_text("mine")
        before = {path.name: path.read_bytes() for path in Path("out").iterdir()}
        patch.setattr("attop_bench.cli.deploy.deploy", lambda *given, **how: models["sgd-avg"])
        patch.setattr("attop_bench.cli.deploy.card", full)  # after the model
        assert main(call) == 1
    assert "No space left" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == before
    assert not [path for path in Path().iterdir() if path.name.startswith(".out")]
    assert main([*call, "--top", "30"]) == 0
    assert Path("out/my-list.csv").read_text() == "mine"
    assert "Of the 30 highest" in Path("out/card.md").read_text()


def passed_over(command, capsys):
    """Return what ``attop watch`` says where it judges some lists and passes others over."""
    assert main(command.split()) == 0
    said = capsys.readouterr().out
    assert re.search(r"Not judged: .*\d+ passed over", said)
    return said


ID = ("--id", "transaction_id")


def test_a_list_is_marked_against_the_last_one(scored, table, refused):
    before, _ = scored("mine.csv", "--top", "50")
    before.astype({"rank": float}).to_csv("before.csv", index=False, sep=";")  # as a spreadsheet may
    new = table.iloc[::-1].copy()
    kept = before["transaction_id"].tolist()
    new = new[~new["transaction_id"].isin(kept[:3])]
    changed = new["transaction_id"].isin(kept[3:10])
    new.loc[changed, [c for c in new if c.startswith("v")]] = -9.0
    new.to_csv("new.csv", index=False)
    after, err = scored("new.csv", "--top", "50", "--previous", "before.csv", *ID)
    assert "3 of the 50 rows of before.csv are not among the new rows" in err
    marks = after.set_index("transaction_id")["change"]
    head = after[after["rank"] <= 50]
    old, now = set(kept), set(head["transaction_id"])
    assert {*marks.index[marks == "stayed"]} == old & now
    assert {*marks.index[marks == "entered"]} == now - old
    assert {*marks.index[marks == "left"]} == (old - now) & set(new["transaction_id"])
    assert (marks == "left").any()
    again, _ = scored("mine.csv", "--top", "50", "--all", "--previous", "before.csv", *ID)
    assert len(again) == 1500
    assert (again["change"] == "stayed").sum() == 50
    table.assign(transaction_id=1).to_csv("same.csv", index=False)
    for file, last, id, word in (
        ("same.csv", "before.csv", "transaction_id", "several rows have the same"),
        ("mine.csv", "mine.csv", "transaction_id", "mine.csv has no column rank"),
        ("mine.csv", "before.csv", "id", "no --id id"),
    ):
        assert word in refused(f"score out {file} --previous {last} --id {id}")


HARD = ["@u", "=1+1", "-x", "+49 30", "'=a", "''@b", "'c", "007", "7", " 7 ", "1e5", "100000", "NA", "a,b;c"]
HARD += ['say "hi"', "x\ny", "naïve ☃", "12345678901234567890", "12345678901234567891", ""]


def test_ids_of_a_list_are_read_back_as_they_are_in_the_file(scored, table):
    ids = [*HARD, *(f"u{i}" for i in range(1500 - len(HARD)))]
    table.assign(transaction_id=ids).to_csv("hard.csv", index=False)
    scored("hard.csv", "--all")
    after, err = scored("hard.csv", "--top", "1400", "--previous", "list.csv", *ID)
    assert "not among" not in err
    assert set(after["change"]) == {"stayed"}
    assert read_list("list.csv")["transaction_id"].isin(ids).all()


@pytest.mark.parametrize("top", ["3", "tau=0.2"])
def test_the_last_list_of_each_group_has_as_many_rows_as_the_new_one(top, tmp_path, monkeypatch):
    """Groups of 4, 15 and 30 rows; a group that is new, and one that is gone."""
    monkeypatch.chdir(tmp_path)
    sizes = {"a": 4, "b": 15, " c": 30}
    ranked = pd.concat(
        pd.DataFrame({"rank": range(1, n + 1), "user": u, "id": [f"{u}{i}" for i in range(n)]})
        for u, n in sizes.items()
    ).reset_index(drop=True)
    model = Package(None, {"top": Top.parse(top if "=" in top else f"k={top}").as_dict()}, [])
    head, told = model.head(ranked), []
    for last in (ranked, head):
        write_csv("last.csv", last)
        found = changes(ranked, head, "last.csv", "id", "user", ["user", "id"], told.append)
        assert (found[head.index] == "stayed").all()
        assert (found.drop(head.index) == "").all()
    assert not told
    write_csv("last.csv", ranked[ranked["user"] != "b"].assign(user=lambda f: f["user"].replace("a", "d")))
    found = changes(ranked, head, "last.csv", "id", "user", ["user", "id"], told.append)
    assert set(found[head["user"].eq("b").index[head["user"] == "b"]]) == {"entered"}


def test_explored_rows_stand_for_the_rest(scored, refused):
    found, _ = scored("mine.csv", "--top", "50", "--explore", "5", "--seed", "3")
    assert found["stands_for"].tolist() == [1.0] * 50 + [290.0] * 5
    assert found["listed"].tolist() == [1] * 50 + [0] * 5
    assert (found["rank"][50:] > 50).all()
    other, _ = scored("mine.csv", "--top", "50", "--explore", "5", "--seed", "4")
    assert found["row"].tolist() != other["row"].tolist()
    assert "there are 1,450 rows below the top" in refused("score out mine.csv --top 50 --explore 1451")
    rest, _ = scored("mine.csv", "--top", "50", "--explore", "1450")  # each drawn, and stands for itself
    assert (rest["stands_for"] == 1).all()
    assert rest["listed"].sum() == 50
    assert len(scored("mine.csv", "--all", "--top", "kappa=0.5")[0]) == 1500


@pytest.mark.parametrize("number", [1, 2])
def test_weighted_counts_are_unbiased_over_all_draws(number):
    """Each subset of the rest is drawn equally often, and over all of them the mean is the true count."""
    ranked = pd.DataFrame({"rank": range(1, 7), "label": [1, 0, 1, 0, 0, 1]})
    counts = {}
    for seed in range(300):
        stands_for = explore(ranked, ranked[:2], number, seed)
        drawn = tuple(ranked.index[2:][stands_for[2:] > 0])
        counts.setdefault(drawn, [0, stands_for @ ranked["label"]])[0] += 1
    assert sorted(counts) == list(itertools.combinations(range(2, 6), number))
    assert np.mean([count for _, count in counts.values()]) == pytest.approx(3)
    assert chisquare([times for times, _ in counts.values()]).pvalue > 0.001


def test_a_file_written_otherwise_says_so(scored, table, refused, capsys):
    table.to_csv("other.csv", sep=";", index=False)
    assert main(["score", "out", "other.csv"]) == 0
    assert "other.csv: fields are separated by ';', unlike the data's" in capsys.readouterr().err
    table.iloc[:, 2:].to_csv("other.csv", sep="^", index=False)
    assert "^merchant^country^" in refused("score out other.csv")
    Path("loop.csv").symlink_to("loop.csv")
    for call in ("score out loop.csv --output new.csv", "look loop.csv"):
        assert "loop.csv: it is a link that leads to no file" in refused(call)


def test_a_column_of_the_file_is_not_written_over(scored, table, refused):
    notes = json.loads(Path("out/model.json").read_text())
    Path("out/model.json").write_text(json.dumps({**notes, "beside": [*notes["beside"], "listed"]}))
    table.assign(listed=2.5).to_csv("theirs.csv", index=False)
    assert scored("theirs.csv")[0]["listed"].unique().tolist() == [2.5]
    assert "a column 'listed': rename that of theirs.csv" in refused("score out theirs.csv --explore 5")


def test_a_list_says_what_it_promises_and_watch_reads_it(scored, capsys, refused, logistic):
    """From the card to the verdict no number is typed."""
    coming, watch = logistic.expectation.next, "watch lists --model out"
    assert main(["score", "out", "mine.csv", "--output", "lists/week-1.csv"]) == 0
    err = capsys.readouterr().err
    assert coming.sentence in err
    assert f"Promised are at least {format_hits(coming.least, 60)}, the mean of many such lists" in err
    promise = json.loads(Path("lists/week-1.promise.json").read_text())
    for name in ("k", "length", "expected", "low", "high", "least"):
        assert promise[name] == getattr(coming, name)
    transactions(400, seed=1, share=0.1).to_csv("new.csv", index=False)
    assert main(["score", "out", "new.csv", "--top", "60", "--output", "lists/week-2.csv"]) == 0
    said = capsys.readouterr().err
    assert "That is deeper, 15.0% of the rows, than the card's 60 of 1,500, 4.0%" in said
    beside = Path("lists/week-2.promise.json")
    deep = json.loads(beside.read_text())
    assert deep["expected"] < promise["expected"]
    assert deep["least"] < deep["expected"] < deep["high"]
    yes = round(deep["expected"])

    def label(week, hits):
        rows = pd.read_csv(f"lists/week-{min(week, 2)}.csv")
        rows = rows.assign(fraud=["yes"] * hits + ["no"] * (60 - hits), week=week)
        rows.to_csv(f"lists/week-{week}.csv", index=False)
        if week > 2:
            shutil.copy(beside, f"lists/week-{week}.promise.json")
        return rows

    for week in range(1, 10):
        label(week, yes)
    assert main(watch.split()) == 0
    due, likely = (format_hits(promise[name] + 8 * deep[name], 540) for name in ("least", "expected"))
    said = f": expected {likely}, promised at least {due}, found {9 * yes} of 540 rows of 9 lists."
    assert said in capsys.readouterr().out
    for week in range(10, 16):
        rows = label(week, 1)
    assert main(watch.split()) == 0
    assert capsys.readouterr().out.startswith("worse since week-10.csv: ")
    rows.assign(fraud="Yes").to_csv("lists/week-3.csv", index=False)
    passed = passed_over(watch, capsys)
    assert re.search("week-3.csv.*must hold '(no|yes)', '(no|yes)' or nothing, got 'Yes'", passed)
    Path("lists/week-3.promise.json").unlink()
    rows.assign(fraud=1).to_csv("lists/week-3.csv", index=False)  # as 1 and 0, too
    assert "week-3.csv has no promise beside it" in passed_over(watch, capsys)
    week_2, kept = Path("lists/week-2.csv").read_bytes(), beside.read_text()
    Path("lists/week-3.csv").write_bytes(week_2)
    assert "week-3.csv is passed over: it is week-2.csv again" in passed_over(watch, capsys)
    broken = [
        kept[:20],
        "[" * 100_000,
        kept.replace('"least"', '"most"'),
        re.sub(r'"k": \d+', '"k": 1', kept),
    ]
    broken += [
        re.sub('"least": [0-9.]+', f'"least": {odd}', kept) for odd in ("true", '"5"', "NaN", "-1", "61")
    ]
    for content in broken:
        beside.write_text(content)
        assert "week-2.promise.json is no promise of attop score" in passed_over(watch, capsys)
    beside.write_text(kept)
    pd.read_csv("lists/week-2.csv")[:-1].to_csv("lists/week-2.csv", index=False)
    reason = "week-2.csv has 59 rows, its promise is of 60: rows without a label stay"
    assert reason in passed_over(watch, capsys)
    for more in (b"1,2,3\n", b"1" + b"," * 30 + b"\n"):
        Path("lists/week-2.csv").write_bytes(week_2 + more)
        assert "week-2.csv is no list of attop score" in passed_over(watch, capsys)


def test_another_prevalence_is_reckoned_with(scored, refused, logistic):
    model, rows = logistic.package, pd.DataFrame({"score": np.arange(1500.0)})
    told = []
    usual, more = (model.expect(rows, rows[:60], share, told.append) for share in (None, 0.3))
    assert more.expected > usual.expected + 3
    assert (usual.prevalence, more.prevalence) == (None, 0.3)
    first = [line for line in told if line.startswith("Of the")]
    assert first[0].endswith("if the share of positives is 0.1, as of the data (else --prevalence)")
    assert first[1].endswith("if the share of positives is 0.3")
    said = refused("score out mine.csv --prevalence 3")
    assert "prevalence must be a number above 0 and below 1" in said


def test_a_model_that_is_perfect_in_all_parts_is_a_warning(table, logistic):
    assert "WARNING" not in card_of(logistic)
    (parts,) = logistic.expectation.held_out
    perfect = [replace(part, y_score=part.y_true + 0.5) for part in parts]
    expectation = replace(logistic.expectation, held_out=[perfect])
    assert "**WARNING: in every test part all positives stand" in card_of(
        replace(logistic, expectation=expectation)
    )
    but_one = replace(logistic.expectation, held_out=[[*perfect[1:], parts[0]]])
    assert "WARNING" not in card_of(replace(logistic, expectation=but_one))


def test_rows_tied_at_the_cut_are_told(table, models):
    package, told = models["tree"].package, []
    ranked = package.rank("mine.csv")
    package.expect(ranked, package.head(ranked), None, told.append)
    tied = ranked["score"] == ranked["score"][59]
    places = 60 - (ranked["score"] > ranked["score"][59]).sum()
    said = f"{tied.sum():,} rows are tied at the cut, for {places:,} of the places ("
    assert any(line.startswith(said) for line in told)


def test_watch_reads_lists_as_their_labels_come(scored, capsys, refused):
    found, _ = scored("mine.csv", "--top", "50", "--explore", "5")
    watch = "watch lists --promised 0.5"
    Path("lists").mkdir()
    for week, hits in enumerate([25, 24, 26, 25]):
        one = found.assign(label=[1] * hits + [0] * (55 - hits), listed=found["listed"].astype(float))
        one["week"] = week
        one.to_csv(f"lists/{week}.csv", index=False, sep=",;\t,"[week])
    found.assign(label=[1] * 54 + [""]).to_csv("lists/4.csv", index=False)
    assert main(watch.split()) == 0
    said = capsys.readouterr().out
    assert "promised at least 125, found 150 of 250 rows of 5 lists" in said
    found.assign(label="").to_csv("lists/4.csv", index=False)
    assert main(watch.split()) == 0
    said = capsys.readouterr().out
    assert "Waiting for labels: 4.csv" in said
    assert "promised at least 100, found 100 of 200 rows of 4 lists. Their mean precision is 0.5 (" in said
    assert said.rstrip().endswith("Not judged: 1 waiting.")
    assert "out holds no list (*.csv) that can be judged" in refused("watch out --promised 0.5")
    assert "--promised must be" in refused("watch lists --promised 1.5")
    for last, said in (
        (found.assign(label=1, listed="yes"), "column 'listed' of the list must hold numbers, got 'yes'"),
        (found.assign(label=1)[:0], "lists/5.csv: the file has no rows"),
        (found, "no column 'label'"),
    ):
        last.to_csv("lists/5.csv", index=False)
        assert said in passed_over(watch, capsys)
