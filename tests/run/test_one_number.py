"""One number, ten ways: a run says it alike on the page, in tables, on the terminal, on card and list.

Found: page, TeX, CSV, terminal, comparison, its page, card and curve. Expected and promised of the next list:
card, comparison, score and watch. Of rows, of entities, and of groups, each of which has a list.
"""

import json
import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attop import compare_at_top
from attop.experiment import MULTIPLES, capacity, headline
from attop.extending import format_hits
from attop.metrics import roc_points
from attop_bench.cli.main import main
from attop_bench.data.base import load_arrays
from attop_bench.data.build import make
from attop_bench.data.splits.protocols import make_folds
from attop_bench.deploy.card import card, draw_curve
from attop_bench.deploy.deploy import deploy, expect, summed
from attop_bench.report import write_analysis
from attop_bench.report.compute.judgements import judge_all
from attop_bench.report.page.view import tex_text
from attop_bench.run.config import read_yaml
from attop_bench.run.evaluation import evaluate
from attop_bench.run.fitting import import_estimator
from attop_bench.run.job import Run
from attop_bench.run.manifest import manifest
from attop_bench.run.plan import Plan
from attop_bench.run.record import Record
from attop_bench.run.tables import KEY, TABLES
from attop_bench.run.training import run_job
from attop_bench.run.up_to_date import digest
from support import ROOT
from support.packages import write_package
from support.small_run import configured, without_figures

pytestmark = pytest.mark.workflow

N, TOP = 150, {"k": 30, "of": 150}
#: They take minutes, or packages that are seldom installed.
SLOW = {"realmlp", "tabm", "easy-ensemble", "top-stack", "catboost"}


def catalogue():
    """Return the methods that can be run here, each with its first candidate."""
    found = []
    for name, entry in read_yaml(ROOT / "config/methods.yaml").items():
        if name not in SLOW and find_spec(entry["estimator"].partition(".")[0]):
            found.append(
                {"id": name, "param_grid": {k: v[:1] for k, v in entry.get("param_grid", {}).items()}}
            )
    return found


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished run of the catalogue on a small file: configuration, data, folds, tables, words, folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("run"))
        rng = np.random.default_rng(0)
        X = rng.normal(size=(N, 3))
        y = (X[:, 0] + X[:, 1] ** 2 / 2 + rng.normal(size=N) > 1.9).astype(int)
        pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y).to_csv("mine.csv", index=False)
        entry = {
            "id": "data",
            "kind": "file",
            "params": {"path": "mine.csv", "label": "y", "positive": 1},
            "protocol": {"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}},
            "tops": [TOP],
            "scaling": "none",
            "scoring": "precision@k",
        }
        given = configured(datasets=[entry], methods=catalogue(), metrics=["precision@k"])
        plan, data = Plan(given), replace(make("file", **entry["params"]), name="data")
        folds = make_folds("stratified", data, 0, given.seed, **entry["protocol"]["options"])
        runs, (top,) = list(plan.runs()), given.dataset("data").tops
        for one in runs:
            run_job(plan.job(one), data, folds[one.fold]).write(*plan.results(one), digest(plan, one))
        metric = given.metric("precision@k")
        paths = zip(*map(plan.results, runs), strict=True)
        tables = evaluate(data, runs, *paths, tops=[top], metrics=[metric], scoring=metric)
        tables["trace"] = pd.DataFrame(columns=[*KEY, *TABLES["trace"]])
        without_figures(patch)
        said = write_analysis(
            tables, manifest(given, {"data": data}), report="r.html", tables="t", figures="f"
        )
        yield given, data, folds, tables, said, Path.cwd()


def by_method(given):
    """Return the records of each method that went well on all folds."""
    found = {}
    for one in Plan(given).runs():
        record = Record.read(Plan(given).record_path(one))
        arrays, _ = load_arrays(Plan(given).scores_path(one))
        record.test, record.scores = arrays["test"], arrays["scores"]
        found.setdefault(one.method, []).append(record)
    return {name: some for name, some in found.items() if all(record.ok for record in some)}


def compared(run, *names):
    """Compare methods of the configuration as a library's user would."""
    given, data, folds, *_ = run
    models = {}
    for name in names:
        learner = given.method(name)
        first = {k: v[0] for k, v in learner.param_grid.items()}
        models[name] = import_estimator(learner.estimator)(**learner.params).set_params(**first)
    seed = given.seed
    return compare_at_top(models, data.X, data.y, TOP, cv=folds, random_state=seed, verbose=False)


def test_what_was_measured_is_said_alike_of_every_method(run, monkeypatch):
    given, data, _, _, said, folder = run
    monkeypatch.chdir(folder)
    monkeypatch.setattr("attop_bench.deploy.deploy.next_list", lambda *_, **rivals: None)  # the other test's
    known, (top,) = by_method(given), given.dataset("data").tops
    assert len(known) > 25
    summary = pd.read_csv("t/summary.csv").set_index("method")["mean"]
    lines = Path("t/all.tex").read_text().splitlines()
    cells = {line.split(" & ")[0]: line.split(" & ")[1] for line in lines if line.count(" & ") == 3}
    beside = compared(run, *known).table
    best = max(known, key=lambda name: summary[name])
    assert f"{format_hits(TOP['k'] * summary[best], TOP['k'])} of {TOP['k']}" in said
    assert said.partition(".")[0] in Path("r.html").read_text()
    for name, records in known.items():
        job = Plan(given).job(Run("data", name, 0, 0))
        what = expect(job, data, [summed(name, [job], data, records)])  # of the card
        curve = np.mean([capacity(roc_points(data.y[o.test], o.scores[0]), top) for o in records], axis=0)
        assert curve[MULTIPLES == 1] == pytest.approx(what.mean, abs=5e-5), name
        assert summary[name] == pytest.approx(what.mean, abs=5e-5), name
        cell = cells.get(tex_text(given.method(name).title or name))
        if cell:  # titles are cut
            assert float(re.search(r"\d*\.\d+", cell)[0]) == pytest.approx(what.mean, abs=6e-4), name
        if not given.method(name).param_distributions:  # whose first candidate is drawn
            assert beside.loc[name, "precision@k"] == pytest.approx(what.mean, abs=5e-5), name
    assert len(cells) > 20


def test_the_verdict_and_what_is_expected_of_the_next_list_are_said_alike(run, monkeypatch):
    """To the last digit, of report, card and comparison."""
    given, data, _, tables, _, folder = run
    monkeypatch.chdir(folder)
    names = ["logistic-regression", "extra-trees", "soft-top"]
    found, beside = deploy(given, "data", names, n_jobs=1), compared(run, *names)
    of_both = (tables[name][tables[name]["method"].isin(names)] for name in ("evaluation", "runs"))
    about = {"data": {"items": N, "positives": data.n_pos}}
    (judged,) = judge_all(*of_both, about).values()
    assert headline([judged]) == beside.sentence
    means = {judged.best: judged.mean, **{rival.model: rival.mean for rival in judged.rivals}}
    assert [(one.method, one.value) for one in found.tried] == list(means.items())
    assert means == beside.table.loc[list(means), "precision@k"].to_dict()
    card_says = found.expectation
    assert found.method == judged.best
    assert (card_says.mean, card_says.low, card_says.high) == (judged.mean, judged.low, judged.high)
    assert card_says.lift == pytest.approx(judged.mean / data.y.mean())
    assert draw_curve(found).startswith(b"\x89PNG")
    coming = card_says.next
    assert beside.next.sentence == coming.sentence
    assert coming.sentence in card(found, Path("out"), [], dict(zip(names, names, strict=True)))
    write_package(Path("out"), found.package)
    assert main(["score", "out", "mine.csv", "--output", "lists/list.csv"]) == 0
    promise = json.loads(Path("lists/list.promise.json").read_text())
    assert promise["expected"] == pytest.approx(coming.expected, abs=5e-5)
    assert promise["least"] == pytest.approx(coming.least, abs=5e-5)
    assert f"finds {format_hits(judged.mean * TOP['k'], TOP['k'])} of {TOP['k']}, " in beside.sentence


def deployed_with(role, folder):
    """Deploy a model of 240 rows of 12 users, who are what `role` says, and return what it printed."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(240, 2)), columns=["a", "b"])
    frame["y"] = (frame["a"] + rng.normal(size=240) > 1.1).astype(int)
    frame["user"] = np.repeat(np.arange(12), 20)
    frame.to_csv("users.csv", index=False)
    protocol = {"kind": "stratified", "options": {"n_folds": 3, "inner_folds": 2}}
    if role == "group":
        protocol = {"kind": "within-groups", "options": {"fractions": [0.6, 0.2, 0.2]}, "repeats": 3}
    entry = {
        "id": "users",
        "kind": "file",
        "params": {"path": "users.csv", "label": "y", "positive": 1, role: "user"},
        "protocol": protocol,
        "tops": [{"k": 3} if role == "group" else {"k": 60, "of": 240}],
        "scoring": "precision@k",
    }
    method = {"id": "logistic-regression", "param_grid": {"C": [1]}}
    given = configured(datasets=[entry], methods=[method], metrics=["precision@k"])
    found = deploy(given, "users", ["logistic-regression"], n_jobs=1)
    write_package(folder, found.package)
    return found


@pytest.mark.parametrize("role", ["entity", "group"])
def test_card_score_and_watch_say_the_numbers_of_entities_and_groups(role, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    found = deployed_with(role, Path("out"))
    what, k = found.expectation, 36 if role == "group" else 60
    text = card(found, Path("out"), [], {"logistic-regression": "Logistic regression"})
    each = 3 if role == "group" else 60
    mean = format_hits(each * what.mean, each)  # as a report says it
    assert main(["score", "out", "users.csv", "--output", "lists/1.csv"]) == 0
    said, promise = capsys.readouterr().err, json.loads(Path("lists/1.promise.json").read_text())
    if role == "group":
        ends = [format_hits(3 * end, 3) for end in (what.low, what.high)]
        sentence = f"Of the 3 highest of each group expect {mean} positives (95% interval of the mean "
        sentence += f"{ends[0]} to {ends[1]})"
        assert promise["expected"] == pytest.approx(36 * what.mean)
        assert promise["least"] == pytest.approx(36 * what.low)
        assert ends[0] != ends[1]
    else:
        sentence = what.next.sentence
        assert f"Found were {mean} of 60, " in text
    assert sentence in text
    assert sentence in said
    assert promise["k"] == k
    rows = pd.read_csv("lists/1.csv").assign(y=[1] * 20 + [0] * (k - 20))
    rows.to_csv("lists/1.csv", index=False)
    assert main(["watch", "lists", "--model", "out"]) == 0
    expected, least = (format_hits(promise[name], k) for name in ("expected", "least"))
    ends = [format_hits(promise[name], k) for name in ("low", "high")]
    three = f"expected {expected} ({ends[0]} to {ends[1]}), promised at least {least}, found 20 of {k} rows"
    assert three in capsys.readouterr().out
    if role == "entity":
        assert f"expect {expected} positives ({ends[0]} to {ends[1]} in 95%" in said
    assert f"Promised are at least {least}, " in said
