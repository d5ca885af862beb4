"""Metrics of the user's own, named in YAML only: selection, evaluation, report, re-runs, errors."""

import runpy
import sys
from inspect import signature
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from attop.metrics import _registry as registry
from attop.metrics import get_metric
from attop.metrics._custom import custom_metric
from attop_bench.data.base import Dataset
from attop_bench.files import read_json
from attop_bench.run.config import ConfigError, load_config
from attop_bench.run.folds import read_folds
from attop_bench.run.job import Run
from attop_bench.run.plan import Plan
from attop_bench.run.tables import KEY, TABLES, write_tables
from attop_bench.run.training import run_job
from attop_bench.run.up_to_date import Inputs
from support import ROOT
from support.fingerprints import forget
from support.small_run import SMALL, entry

MODULE = '''
import dataclasses
import sys
import numpy as np
from attop.metrics import METRICS

GAIN = dataclasses.replace(METRICS["precision@k"], name="gain", title="The gain")
NUMBER = 3

def misses(y_true, y_score, k):
    """Share of the k best that are negative."""
    return 1 - y_true[np.argsort(-y_score, kind="stable")[:k]].mean()

def spread(y_true, y_score):
    return y_score[y_true == 1].mean() - y_score[y_true == 0].mean()

def raises(y_true, y_score):
    raise KeyError("no such weight")

def nan(y_true, y_score):
    return float("nan")

def text(y_true, y_score):
    return "good"

def two(y_true, y_score):
    return 2.0

class Kind:
    def __init__(self, y_true, y_score):
        pass
'''
MISSES = {"path": "my_metrics.misses", "higher_is_better": False, "needs": ["k", "positive"]}


@pytest.fixture(autouse=True)
def module(tmp_path, monkeypatch):
    """The user's file, on the path of modules; and no metric known from another test."""
    folder = tmp_path / "of the user"
    folder.mkdir()
    file = folder / "my_metrics.py"
    file.write_text(MODULE)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "my_metrics", raising=False)
    monkeypatch.setattr(registry, "_OWN", {})
    forget()
    yield file
    sys.modules.pop("my_metrics", None)
    forget()


def configuration(**changes):
    base = {
        "catalogues": SMALL["catalogues"],
        "datasets": [entry(id="toy", tops=[{"k": 5}])],
        "methods": [{"id": "lr", "estimator": "sklearn.linear_model.LogisticRegression"}],
        "metrics": ["auc"],
    }
    return load_config({**base, **changes}, ROOT)


def sample(n=60):
    rng = np.random.default_rng(0)
    y = (np.arange(n) % 3 == 0).astype(int)
    return y, rng.normal(size=n) + y


def test_a_function_is_called_with_labels_scores_and_k_of_each_group():
    y, scores = sample()
    groups = np.arange(60) % 4
    groups[y == 1] %= 3  # the last group has no positive
    own, built_in = custom_metric("misses", **MISSES), get_metric("precision@k")
    assert own.evaluate(y, scores, 7).value == pytest.approx(1 - built_in.evaluate(y, scores, 7).value)
    of_groups = own.evaluate(y, scores, {"tau": 0.3}, groups)
    by_hand = [own.value(y[groups == g], scores[groups == g], {"tau": 0.3}) for g in range(3)]
    assert of_groups.value == pytest.approx(np.mean(by_hand))
    assert (of_groups.n_groups, of_groups.n_left_out) == (3, 1)
    assert own.evaluate(y, scores, 61).reason == "k > n"
    assert own.definition == "Share of the k best that are negative."
    assert not own.higher_is_better
    spread = custom_metric("spread", "my_metrics.spread")
    assert spread.value(y, scores) == scores[y == 1].mean() - scores[y == 0].mean()
    assert spread.evaluate(np.ones(5, int), np.arange(5)).reason == "no negative"


def test_a_metric_object_is_itself_under_another_name():
    own = custom_metric("mine", "my_metrics.GAIN")
    y, scores = sample()
    assert own.value(y, scores, 5) == get_metric("precision@k").value(y, scores, 5)
    assert (own.name, own.title) == ("mine", "The gain")


@pytest.mark.parametrize(
    ("function", "bounds", "words"),
    [
        ("raises", None, "raised KeyError: 'no such weight'"),
        ("nan", None, "returned nan: a finite number is needed"),
        ("text", None, "returned 'good': a number is needed"),
        ("two", [0, 1], r"returned 2.0, outside its bounds \[0.0, 1.0\]"),
    ],
)
def test_an_error_names_the_metric(function, bounds, words):
    own = custom_metric("mine", f"my_metrics.{function}", bounds=bounds)
    with pytest.raises(ValueError, match=f"metric 'mine' on 60 items, 20 positive, {words}"):
        own.value(*sample())


def test_names_and_dotted_paths():
    config = configuration(
        custom_metrics={"misses@k": MISSES},
        metrics=["auc", "misses@k", "my_metrics.GAIN"],
        datasets=[entry(scoring="my_metrics.spread"), entry(id="other", scoring="misses@k")],
    )
    assert config.metrics == ["auc", "misses@k", "my_metrics.GAIN"]
    assert set(config.custom_metrics) == {"misses@k", "my_metrics.GAIN", "my_metrics.spread"}
    assert not config.metric("misses@k").higher_is_better
    assert config.metric("my_metrics.GAIN").needs_top
    raw = {"custom_metrics": {"misses@k": MISSES}, "datasets": ["wdbc"], "methods": ["aatp"]}
    everything = load_config({**raw, "catalogues": SMALL["catalogues"]}, ROOT).metrics
    assert everything == [*registry.DEFAULT_METRICS, "misses@k"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"metrics": ["my_metrix.f"]}, ["'my_metrix.f'", "cannot import my_metrix", "PYTHONPATH"]),
        ({"metrics": ["my_metrics.f"]}, ["'my_metrics.f'", "my_metrics.py) has no f"]),
        ({"metrics": ["my_metrics.NUMBER"]}, ["is 3", "a function f(y_true, y_score) is needed"]),
        ({"metrics": ["my_metrics.Kind"]}, ["Kind", "a function f(y_true, y_score) is needed"]),
        ({"metrics": ["my_metrics.misses"]}, ["cannot be called as f(y_true, y_score)", "needs: [k]"]),
        ({"datasets": [entry(scoring="my_metrics.f")]}, ["'my_metrics.f'", "has no f"]),
        ({"datasets": [entry(scoring="misses")]}, ["datasets: mine: scoring: unknown metric", "'misses'"]),
        (
            {"custom_metrics": {"gain": {"path": "my_metrics.GAIN", "bounds": [0, 1]}}},
            ["'gain'", "a Metric, which defines bounds itself"],
        ),
        ({"custom_metrics": {"auc": MISSES}}, ["'auc' is already the name of one of attop's metrics"]),
        ({"custom_metrics": {"m": {**MISSES, "bounds": [1, 0]}}}, ["'m'", "least and the greatest"]),
        (
            {"custom_metrics": {"m": {**MISSES, "need": "k"}}},
            ["custom_metrics: m: need: unknown key", "'needs'"],
        ),
        ({"custom_metrics": {"m": {**MISSES, "needs": ["l"]}}}, ["custom_metrics: m: needs", "'l'"]),
        ({"custom_metrics": {"m": {}}}, ["custom_metrics: m: path: missing"]),
        ({"custom_metrics": ["my_metrics.GAIN"]}, ["custom_metrics: ", "dictionary"]),
    ],
)
def test_refusals(changes, words):
    with pytest.raises(ConfigError) as caught:
        configuration(**changes)
    for word in words:
        assert word in str(caught.value)


def test_a_module_that_ends_the_process_is_refused(module):
    module.write_text("raise SystemExit(3)")
    with pytest.raises(ConfigError, match="cannot import my_metrics: SystemExit: 3"):
        configuration(metrics=["my_metrics.GAIN"])


@pytest.mark.parametrize("selects", [False, True])
def test_an_edit_of_its_file_runs_evaluation_again_and_training_if_it_selects(module, selects):
    def jobs():
        forget()
        data = entry(id="toy", scoring="misses@k" if selects else "auc")
        config = configuration(custom_metrics={"misses@k": MISSES}, metrics=["misses@k"], datasets=[data])
        return [params(config, rule) for rule in ("evaluate", "train", "split")]

    first = jobs()
    module.write_text(MODULE + "\n# A comment.\n")
    assert jobs() == first
    module.write_text(MODULE.replace("1 - y_true", "1.0 - y_true"))
    edited = jobs()
    assert [a != b for a, b in zip(first, edited, strict=True)] == [True, selects, selects]
    other = configuration(custom_metrics={"misses@k": {**MISSES, "bounds": [0, 1]}}, metrics=["misses@k"])
    assert params(other, "evaluate") != edited[0]


def test_a_new_metric_runs_evaluation_and_report_again_only():
    before, after = configuration(), configuration(metrics=["auc", "my_metrics.spread"])
    for rule in ("evaluate", "report"):
        assert params(before, rule) != params(after, rule)
    for rule in ("split", "compile", "train"):
        assert params(before, rule) == params(after, rule)


def params(config, rule):
    """Return the parameters of the only job of a rule."""
    wildcards = SimpleNamespace(dataset="toy", method=config.methods[0].id, repeat="0")
    found = getattr(Inputs(Plan(config), lambda name: ROOT / f"workflow/scripts/{name}.py"), rule)()
    return [_asked(value, wildcards) if callable(value) else value for value in found.values()]


def _asked(function, wildcards):
    """Return what a function of the wildcards gives, or of the outputs too."""
    return function(wildcards, []) if "output" in signature(function).parameters else function(wildcards)


def script(name, monkeypatch, config, **about):
    """Run a job's script as in a process of its own: one that knows no metric yet."""
    monkeypatch.setattr(registry, "_OWN", {})
    snakemake = SimpleNamespace(params=params(config, name), log=[f"{name}.log"], **about)
    try:
        runpy.run_path(str(ROOT / f"workflow/scripts/{name}.py"), {"snakemake": snakemake})
    except SystemExit:
        pytest.fail(Path(f"{name}.log").read_text())


def test_every_job_knows_it_from_the_configuration(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("attop_bench.report.figures.to_pdf", lambda canvas: b"")  # half of the time
    y, signal = sample(90)
    rng = np.random.default_rng(1)
    dataset = Dataset("toy", np.column_stack([signal + 2 * y, rng.normal(size=90)]), y)
    dataset.save(tmp_path / "toy.npz")
    protocol = {"kind": "holdout", "options": {"train": 60}}
    data = entry(id="toy", protocol=protocol, tops=[{"k": 5}], scoring="misses@k")
    method = {"estimator": "support.recorder.Recorder", "param_grid": {"column": [1, 0]}}
    config = configuration(
        custom_metrics={"misses@k": MISSES},
        metrics=["precision@k", "misses@k", "my_metrics.GAIN"],
        datasets=[data],
        methods=[{"id": "column", **method}],
    )
    spec = Plan(config).job(Run("toy", "column", 0, 0))
    trained = tmp_path / "results/train/toy/column/repeat0-fold0"
    trained.mkdir(parents=True)
    scores, record = str(trained / "scores.npz"), str(trained / "record.json")
    folder = Path("results/evaluation/toy")
    folder.mkdir(parents=True)

    script(
        "split",
        monkeypatch,
        config,
        input=SimpleNamespace(data="toy.npz"),
        output=["folds.npz", "folds.made"],
    )
    folds = read_folds("folds.npz", dataset, spec.split)

    monkeypatch.setattr(registry, "_OWN", {})
    run_job(spec, dataset, folds[0]).write(scores, record)
    (top,) = read_json(record)["tops"]
    assert top["chosen"] == {"column": 0}  # the fewest misses, not the most

    inputs = SimpleNamespace(data="toy.npz", trained=[scores, record])
    about = SimpleNamespace(dataset="toy")
    script("evaluate", monkeypatch, config, input=inputs, output=[folder / "x"], wildcards=about)
    values = pd.read_parquet(folder / "evaluation.parquet").set_index("metric")["value"]
    assert values["my_metrics.GAIN"] == values["precision@k"] == 1 - values["misses@k"]

    write_tables({"trace": pd.DataFrame(columns=[*KEY, *TABLES["trace"]])}, folder)
    inputs = SimpleNamespace(data=["toy.npz"])
    outputs = ["report.html", "manifest.json", "report.made"]
    script("report", monkeypatch, config, input=inputs, output=outputs, threads=1)
    page = Path("report.html").read_text()
    for words in ("misses@k", "The gain", "Share of the k best that are negative."):
        assert words in page
