"""One training job: fair selection, what is recorded, and that nothing of the test part leaks in."""

import html
import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from attop.experiment import Learner
from attop.extending import Top
from attop.metrics import average_precision, get_metric, precision_at_k
from attop_bench.data.base import Dataset
from attop_bench.files import read_json
from attop_bench.report import build_report
from attop_bench.run.evaluation import evaluate
from attop_bench.run.job import Job, Run
from attop_bench.run.record import Record, RecordError
from attop_bench.run.trace import trace
from attop_bench.run.training import run_job
from support.folds import cut
from support.recorder import Recorder

HERE = "support.recorder"


def dataset(n=90, seed=0, groups=None):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 == 0).astype(int)
    X = rng.normal(size=(n, 3)) * [1, 10, 1] + 5
    X[:, 1] += 15 * y  # column 1 ranks well, the others say nothing
    return Dataset("toy", X, y, groups)


def job(estimator="Recorder", **changes):
    base = {
        "repeat": 0,
        "fold": 1,
        "seed": 7,
        "protocol": {"kind": "stratified", "options": {"n_folds": 3, "inner_folds": 2}},
        "scaling": "none",
        "tops": [Top(k=5), Top(tau=0.2)],
        "scoring": "precision@k",
        "estimator": f"{HERE}.{estimator}",
        "param_grid": {"column": [0, 1, 2]},
    }
    return Job(**{**base, **changes})


def run(job, data):
    return run_job(job, data, fold_of(job, data))


def fold_of(job, data):
    return cut(data, job.split)[job.fold]


def evaluated(data, outcomes, folder, *metrics):
    """Return the tables of (method, outcome)s, written to a folder."""
    files = [(folder / f"{i}.npz", folder / f"{i}.json") for i in range(len(outcomes))]
    for (_, outcome), paths in zip(outcomes, files, strict=True):
        outcome.write(*paths)
    runs = [Run("toy", method, 0, outcome.fold) for method, outcome in outcomes]
    chosen = {"metrics": [get_metric(name) for name in metrics], "scoring": get_metric("precision@k")}
    return evaluate(data, runs, *zip(*files, strict=True), tops=[Top(k=5), Top(tau=0.2)], **chosen)


def test_what_tears_entities_within_a_fit_stands_in_record_table_and_report(tmp_path):
    data = dataset()
    data = replace(data, entity=np.repeat(np.arange(30), 3))
    protocol = {"kind": "whole-entities", "options": {"n_folds": 3, "inner_folds": 2}}
    early = job(
        estimator="unused",
        protocol=protocol,
        params={"early_stopping": True, "loss": "log_loss"},
        param_grid={"alpha": [0.1, 1.0]},
    )
    early = replace(early, estimator="sklearn.linear_model.SGDClassifier")
    whole = replace(early, params={"loss": "log_loss"})
    outcomes = [("early", run(early, data)), ("whole", run(whole, data))]
    (said,) = outcomes[0][1].torn
    assert said.startswith("SGDClassifier splits rows within its fit by early_stopping")
    assert outcomes[1][1].torn == []
    tables = evaluated(data, outcomes, tmp_path, "precision@k")
    table = tables["runs"].set_index("method")["torn"]
    assert set(table["early"]) == {json.dumps([said])}
    assert set(table["whole"]) == {"[]"}
    build_report(tables, {}, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "1 method may tear entities" in page
    assert f"{said}." in html.unescape(page)


def test_selects_what_ranks_best_on_the_inner_splits_and_scores_the_test_part():
    data = dataset()
    outcome, fold = run(job(), data), fold_of(job(), data)
    assert outcome.status == "ok", outcome
    assert [t["chosen"] for t in outcome.tops] == [{"column": 1}] * 2
    np.testing.assert_array_equal(outcome.scores, [data.X[outcome.test, 1]] * 2)
    np.testing.assert_array_equal(outcome.test, fold.test)
    for kept in outcome.tops:
        top = {"k=5": Top(k=5), "tau=0.2": Top(tau=0.2)}[kept["top"]]
        for row in kept["inner"]:
            column = row["candidate"]["column"]
            expected = [precision_at_k(data.y[v], data.X[v, column], top) for _, v in fold.inner]
            np.testing.assert_allclose(row["values"], expected)


def test_only_training_rows_are_seen_and_the_seed_is_the_same_for_every_method():
    Recorder.seen.clear()
    data = dataset()
    outcome = run(job(), data)
    test_rows = {tuple(row) for row in data.X[outcome.test]}
    assert Recorder.seen
    for X, _, seed in Recorder.seen:
        assert not test_rows & {tuple(row) for row in X}
        assert seed == outcome.seed
    assert run(job("Diverging"), data).seed == outcome.seed


def test_scaling_is_fitted_on_the_training_part():
    data = dataset()
    path = "sklearn.linear_model.LogisticRegression"
    outcome = run(replace(job(scaling="standard", param_grid={"C": [0.1]}), estimator=path), data)
    fold = fold_of(job(), data)
    scale = StandardScaler().fit(data.X[fold.train])
    model = LogisticRegression(C=0.1).fit(scale.transform(data.X[fold.train]), data.y[fold.train])
    expected = model.decision_function(scale.transform(data.X[fold.test]))
    np.testing.assert_allclose(outcome.scores[0], expected, rtol=1e-9)


def test_logarithms_are_standardised_and_need_counts():
    data = dataset()
    path = "sklearn.linear_model.LogisticRegression"
    spec = replace(job(scaling="log1p", param_grid={"C": [0.1]}), estimator=path)
    counts = replace(data, X=np.floor(np.exp(np.abs(data.X))))
    logs = replace(data, X=np.log1p(counts.X))
    expected = run(replace(spec, scaling="standard"), logs).scores
    np.testing.assert_allclose(run(spec, counts).scores, expected, rtol=1e-9)
    record = run(spec, data)
    assert record.status == "error"
    assert "log1p is for counts" in record.error


def test_within_groups_the_selected_model_is_final():
    groups = np.repeat(np.arange(6), 15)
    data = dataset(groups=groups)
    Recorder.seen.clear()
    protocol = {"kind": "within-groups", "options": {}}
    grouped = job(fold=0, protocol=protocol, scoring="micro-pap@k", tops=[Top(k=2)])
    outcome = run(grouped, data)
    assert outcome.status == "ok", outcome
    assert len(Recorder.seen) == 3  # one fit per candidate, none after the selection
    assert {len(X) for X, _, _ in Recorder.seen} == {len(fold_of(grouped, data).train)}


@pytest.mark.parametrize(
    ("estimator", "status", "words"),
    [
        ("Diverging", "diverged", "NaN or infinite"),
        ("Wrong", "error", "shape (3,)"),
        ("Complex", "error", "scores of dtype complex128"),
        ("Text", "error", "scores of dtype <U"),
        ("Large", "error", "Large: scores must lie between -2**53"),
        ("Nothing", "error", "has no Nothing"),
    ],
)
def test_a_method_that_fails_leaves_a_record(estimator, status, words):
    outcome = run(job(estimator), dataset())
    assert outcome.status == status
    assert words in outcome.error
    assert outcome.scores.shape == (0, len(outcome.test))


def test_a_ranker_whose_weights_overflow_diverged():
    data = dataset()
    data = replace(data, X=data.X * 1e300)
    outcome = run(replace(job(param_grid={}), estimator="attop.from_papers.PerceptronAtK"), data)
    assert outcome.status == "diverged"
    assert "PerceptronAtK diverged" in outcome.error


def test_a_metric_undefined_on_every_split_is_said():
    outcome = run(job(tops=[Top(k=70)]), dataset())
    assert outcome.status == "error"
    assert "undefined on every inner fold" in outcome.error


def test_candidates_are_all_combinations_in_order():
    made = [Learner("x", None, grid).candidates for grid in ({"b": [1, 2], "a": [3, 4]}, None)]
    assert made == [[{"a": a, "b": b} for a in (3, 4) for b in (1, 2)], [{}]]


def test_evaluation_reads_what_a_job_wrote(tmp_path):
    data = dataset()
    outcome = run(job(), data)
    outcomes = [("recorder", outcome), ("diverging", run(job("Diverging"), data))]
    tables = evaluated(data, outcomes, tmp_path, "precision@k", "ap", "pauc@k")
    assert read_json(tmp_path / "0.json")["tops"][0]["chosen"] == {"column": 1}
    environments = [json.loads(text) for text in tables["runs"]["environment"]]
    assert all(one["versions"]["scikit-learn"] and one["blas"] and one["cpu"] for one in environments)
    # Written beside the training curves, which are another job's.
    assert "trace" not in tables
    assert tables["runs"]["status"].tolist() == ["ok", "ok", "diverged", "diverged"]
    assert set(tables["evaluation"]["method"]) == {"recorder"}
    assert len(tables["evaluation"]) == 2 * 3
    y, scores = data.y[outcome.test], outcome.scores[0]
    first = tables["evaluation"].set_index(["top", "metric"])["value"]
    assert first["k=5", "precision@k"] == precision_at_k(y, scores, 5)
    assert first["k=5", "ap"] == pytest.approx(average_precision(y, scores))
    cross = tables["cross"].set_index(["top", "at"])["value"]
    assert len(cross) == 2 * 2
    assert cross["k=5", "tau=0.2"] == precision_at_k(y, scores, Top(tau=0.2))
    roc = tables["roc"].iloc[0]
    assert (roc["fp"][-1], roc["tp"][-1]) == (roc["n_neg"], roc["n_pos"]) == (20, 10)
    assert len(tables["selection"]) == 2 * 3 * 2


@pytest.mark.parametrize("selection", ["nested", "optimistic"])
def test_a_model_that_ranks_nothing_is_marked(selection, tmp_path):
    data = dataset()
    data.X[:, 2] = 1.0
    outcomes = [
        (f"column {column}", run(job(param_grid={"column": [column]}, selection=selection), data))
        for column in (1, 2)
    ]
    table = evaluated(data, outcomes, tmp_path, "auc")["runs"]
    assert table["constant"].tolist() == [False, False, True, True]


def test_optimistic_selection_is_the_best_mean_over_the_test_parts(tmp_path):
    data = dataset()
    outcomes = [run(job(fold=fold, selection="optimistic"), data) for fold in range(3)]
    assert all(outcome.scores.shape == (2, 3, len(outcome.test)) for outcome in outcomes)
    tables = evaluated(data, [("recorder", outcome) for outcome in outcomes], tmp_path, "precision@k")
    for t, top in enumerate([Top(k=5), Top(tau=0.2)]):
        values = [[precision_at_k(data.y[o.test], row, top) for row in o.scores[t]] for o in outcomes]
        best = int(np.argmax(np.mean(values, axis=0)))
        mine = tables["runs"].query("top == @top.__str__()")
        assert mine["chosen"].tolist() == [f'{{"column": {best}}}'] * 3
        assert mine["selection"].tolist() == ["optimistic"] * 3
        np.testing.assert_allclose(mine["validation"], np.mean(values, axis=0)[best])
        reported = tables["evaluation"].query("top == @top.__str__()")["value"]
        np.testing.assert_allclose(reported, np.array(values)[:, best])
    assert set(tables["selection"]["part"]) == {"test"}
    assert_that_the_chosen_ones_are_members(tables)


@pytest.mark.parametrize("steps", [1, 7])
def test_the_table_of_selection_has_the_members_of_a_model_and_how_often(steps, tmp_path):
    data = dataset()
    ensemble = {"ensemble": steps} if steps > 1 else {}
    outcomes = [("recorder", run(job(fold=fold, **ensemble), data)) for fold in range(3)]
    tables = evaluated(data, outcomes, tmp_path, "precision@k")
    assert_that_the_chosen_ones_are_members(tables)
    of_model = ["fold", "top", "inner_fold"]
    assert set(tables["selection"].groupby(of_model)["times"].sum()) == {steps}
    sizes = tables["selection"].query("times > 0").groupby(of_model[:2])["candidate"].nunique()
    assert sizes.tolist() == tables["runs"].set_index(of_model[:2])["averaged"].sort_index().tolist()


def assert_that_the_chosen_ones_are_members(tables):
    """Find what each run chose among the candidates that its model has."""
    of_run = ["fold", "top"]
    members = tables["selection"].query("times > 0").groupby(of_run)["candidate"].agg(set)
    for *place, chosen in tables["runs"][[*of_run, "chosen"]].itertuples(index=False):
        assert chosen in members[tuple(place)]


def test_a_trace_is_the_chosen_setting_stopped_ever_later():
    data = dataset()
    push = {"estimator": "attop.from_papers.PNormPush", "params": {"p": 1, "max_iter": 6}}
    chosen = replace(job(), **push, param_grid={}, tops=[Top(k=5)])
    outcome, fold = run(chosen, data), fold_of(chosen, data)
    assert outcome.status == "ok"
    rows = trace(chosen, data, fold, outcome, "k=5")
    assert [row["iterations"] for row in rows] == [1, 2, 4, 6]
    objectives = [row["objective"] for row in rows]
    assert objectives == sorted(objectives, reverse=True)
    assert rows[-1]["test"] == precision_at_k(data.y[outcome.test], outcome.scores[0], 5)
    assert trace(job(), data, fold, run(job(), data), "k=5") == [], "no iterations to stop"
    failed = replace(outcome, status="error", tops=[])
    assert trace(chosen, data, fold, failed, "k=5") == []


def test_a_record_is_read_as_it_was_written_or_refused(tmp_path):
    path = tmp_path / "record.json"
    record = run(job(), dataset())
    record.write(tmp_path / "scores.npz", path)
    again = Record.read(path)
    facts = ("tops", "seconds", "cpu_seconds", "seed")
    assert [getattr(again, name) for name in facts] == [getattr(record, name) for name in facts]
    assert 0 < record.cpu_seconds < 60
    assert again.ok
    path.write_text('{"status": "timeout", "error": "", "of_a_later_version": 1}')
    assert Record.read(path).failed
    half_a_pair = r'{"status": "ok", "error": "\ud800"}'
    for text in ('{"status": "done"}', '{"status": "o', "[]", "", half_a_pair):
        path.write_text(text)
        with pytest.raises(RecordError, match=r"record\.json .*delete it, and its run is repeated"):
            Record.read(path)


_COMPILED_LATER = """
import numba.core.event as event, numpy as np
from attop.from_papers import GDPApK
from attop_bench.run.fitting import compile_method

params, grid = {"surrogate": "ramp", "max_iter": 9}, {"lam": [0.1, 0.001], "eta": [0.1, 0.5, 2, 10]}
compile_method({"estimator": "attop.from_papers.GDPApK", "params": params, "param_grid": grid})
X = np.random.default_rng(0).normal(size=(90, 2))
y, groups = (X[:, 0] > 0).astype(int), np.arange(90) % 3
with event.install_recorder("numba:compile") as seen:
    for candidates in (grid["lam"], np.arange(1.0, 9)):
        GDPApK(**params).fit_many(X, y, groups, candidates=[{"lam": lam} for lam in candidates])
print([str(event.data["dispatcher"]) for _, event in seen.buffer])
"""


def test_a_method_is_compiled_before_its_training_jobs_begin(tmp_path):
    """What is missing, each of its first jobs would compile: the kernel for many models, say."""
    command = [sys.executable, "-W", "ignore", "-c", _COMPILED_LATER]
    env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout == "[]\n"
