"""A comparison is a run of the benchmark without files: the same folds, seeds, choices and numbers."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from attop import GDPApK, SoftTop, compare_at_top
from attop._core.top import Top
from attop.experiment._learner import Learner, Sample
from attop_bench.data.base import Dataset
from attop_bench.data.splits.protocols import make_folds
from attop_bench.run.job import Job
from attop_bench.run.training import run_job

pytestmark = pytest.mark.workflow

#: Name -> estimator of the comparison, its path, and the grid of both.
MODELS = {
    "forest": (RandomForestClassifier(5), "sklearn.ensemble.RandomForestClassifier", {"max_depth": [1, 3]}),
    "soft": (SoftTop(cv=2), "attop.SoftTop", {"min_gain_se": [-np.inf]}),
    "users": (GDPApK(max_iter=20), "attop.GDPApK", {"lam": [0.01, 1.0], "eta": [0.1]}),
}


def data(grouped):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(360, 3))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=360) > 1.8).astype(int)
    return Dataset("data", X, y, np.arange(360) // 12 if grouped else None)


def benchmark(dataset, folds, repeat, top, name):
    estimator, path, grid = MODELS[name]
    default = type(estimator)().get_params()
    params = {k: v for k, v in estimator.get_params().items() if default[k] != v}
    for f, fold in enumerate(folds):
        job = Job(repeat, f, 7, {"kind": "x"}, "none", [Top.of(top)], "precision@k", path, params, grid)
        outcome = run_job(job, dataset, fold, contain=False)
        groups = None if dataset.groups is None else dataset.groups[fold.test]
        value = job.metric.evaluate(dataset.y[fold.test], outcome.scores[0], Top.of(top), groups).value
        yield value, outcome.tops[0]["chosen"]


@pytest.mark.parametrize(("grouped", "names"), [(False, ["forest", "soft"]), (True, ["forest", "users"])])
@pytest.mark.parametrize("given", [False, True])
def test_a_comparison_and_a_run_of_the_benchmark_give_the_same_numbers(grouped, names, given):
    dataset, top = data(grouped), {"k": 3} if grouped else {"k": 40, "of": 360}
    kind = "whole-groups" if grouped else "stratified"
    repeats = [make_folds(kind, dataset, r, 7, n_folds=2, inner_folds=3) for r in range(1 if given else 2)]
    models = {name: MODELS[name][::2] for name in names}
    k = top["k"]
    found = compare_at_top(
        models, dataset.X, dataset.y, k, groups=dataset.groups, metric="precision@k",
        cv=repeats[0] if given else 2, random_state=7, verbose=False,
    )  # fmt: skip
    for name in names:
        of_model = found.runs[found.runs["model"] == name]
        runs = [run for r, folds in enumerate(repeats) for run in benchmark(dataset, folds, r, top, name)]
        assert list(zip(of_model["value"], of_model["candidate"], strict=True)) == runs


def test_a_model_is_trained_for_the_top_unless_it_has_one_of_its_own():
    dataset = data(False)
    pick, rows = [(Top(k=40, out_of=360), {})], np.arange(360)
    models = {
        "left open": SoftTop(),
        "own": SoftTop(top=9),
        "nested": make_pipeline(StandardScaler(), SoftTop()),
        "searched": GridSearchCV(make_pipeline(SoftTop()), {"softtop__cv": [2]}, cv=2),
    }
    tops = {
        name: Learner(name, model).fit(Sample(dataset.X, dataset.y), rows, pick, 0)[0][0].get_params()
        for name, model in models.items()
    }
    assert tops["left open"]["top"] == tops["nested"]["softtop__top"] == pick[0][0]
    assert tops["searched"]["estimator__softtop__top"] == pick[0][0]
    assert tops["own"]["top"] == 9
