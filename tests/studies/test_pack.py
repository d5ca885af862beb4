"""Held-out scores of a run as one Parquet file, and what is recomputed from it."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from studies.board import pack

from attop.extending import Top
from attop.metrics import METRICS, get_metric
from attop_bench.data.base import Dataset
from attop_bench.data.splits.protocols import make_folds
from attop_bench.run.config import load_config
from attop_bench.run.job import Run
from attop_bench.run.plan import Plan
from attop_bench.run.record import Record
from attop_bench.run.rescore import rescore

TOPS = ["kappa=0.5", "kappa=1.0", "tau=0.1"]
OPTIONS = {"n_folds": 2, "inner_folds": 2}
METHODS = ("tuned", "fixed", "failed")


def run(folder, select="", methods=METHODS):
    """Return the configuration of a run of two sets, whose data and scores are there, and the scores."""
    data = [
        {
            "id": name,
            "kind": "digit",
            "params": {"digit": 8},
            "tops": [*map(Top.parse, TOPS)],
            "protocol": {"kind": "stratified", "options": OPTIONS, "repeats": 1},
        }
        for name in ("one", "two")
    ]
    listed = [{"id": name, "estimator": "sklearn.dummy.DummyClassifier"} for name in methods]
    config = load_config({"datasets": data, "methods": listed, "output": str(folder)})
    plan, stored = Plan(config), {}
    rng = np.random.default_rng(len(select))
    for name in ("one", "two"):
        y = (np.arange(80) % 4 == 0).astype(int)
        dataset = Dataset(name, rng.normal(size=(80, 1)), y)
        dataset.save(plan.stage_path(name))
        for fold, part in enumerate(make_folds("stratified", dataset, 0, 0, **OPTIONS)):
            for method in methods:
                where = Run(name, method, 0, fold)
                scores = rng.normal(size=(3, len(part.test))).round(1) + y[part.test]
                if method == "fixed":
                    scores[:] = scores[0]
                else:
                    scores[2] = scores[1]
                record = Record(
                    test=part.test, scores=scores, tops=[{"top": top, "select": select} for top in TOPS]
                )
                if method == "failed":
                    record.fail("error", "no wish to learn")
                record.write(*plan.results(where))
                stored[name, method, fold] = part.test, y[part.test], scores
    return config, stored


def test_orders_are_kept_with_ties():
    scores = np.array([0.3, -1.0, 0.3, 7.0])
    assert pack.order_of(scores).tolist() == [1, 0, 1, 2]
    assert pack.order_of(scores).dtype == np.uint16
    assert pack.order_of(np.arange(70_000) / 7).dtype == np.uint32
    same = [("all", [1, 0, 1, 2])]
    assert [(top, order.tolist()) for top, order in pack.by_tops([scores, 2 * scores], TOPS[:2])] == same
    named = [top for top, _ in pack.by_tops([scores, -scores, scores], TOPS)]
    assert named == ["kappa=0.5, tau=0.1", "kappa=1.0"]


def test_every_metric_of_order_is_that_of_the_scores_themselves(tmp_path):
    config, stored = run(tmp_path / "run")
    said = pack.pack(tmp_path / "p.parquet", [config])
    assert "of 2 methods on 2 sets" in said
    assert "4 runs without scores" in said
    assert hashlib.sha256((tmp_path / "p.parquet").read_bytes()).hexdigest() in said
    metrics = [get_metric(name) for name in ("precision@k", "ap", "auc", "recall@k", "ndcg@k")]
    tables = rescore([tmp_path / "p.parquet"], [*map(Top.parse, TOPS)], metrics, metrics[0], n_jobs=1).tables
    assert len(tables["evaluation"]) == 2 * 2 * 2 * len(TOPS) * len(metrics)
    for row in tables["evaluation"].itertuples():
        _, y, scores = stored[row.dataset, row.method, row.fold]
        of_top = scores[TOPS.index(row.top)]
        assert row.value == METRICS[row.metric].evaluate(y, of_top, Top.parse(row.top)).value


def test_any_k_is_measured_on_the_scores_for_the_nearest(tmp_path):
    config, stored = run(tmp_path / "run")
    pack.pack(tmp_path / "p.parquet", [config])
    precision = get_metric("precision@k")
    found = rescore([tmp_path / "p.parquet"], [Top(k=9)], [precision], precision, nearest=True, n_jobs=1)
    for row in found.tables["evaluation"].query("method == 'tuned'").itertuples():
        _, y, scores = stored[row.dataset, row.method, row.fold]
        assert row.value == precision.evaluate(y, scores[1], Top(k=9)).value  # those of n+, which is 10


def test_runs_of_other_selectors_add_their_rows(tmp_path):
    configs = [run(tmp_path / "today")[0], run(tmp_path / "ap", "ap", ("tuned",))[0]]
    pack.pack(tmp_path / "p.parquet", [*configs, configs[0]])
    frame = pd.read_parquet(tmp_path / "p.parquet")
    assert set(frame["method"]) == {"tuned", "fixed", "tuned by ap"}
    assert not frame.duplicated(["dataset", "method", "repeat", "fold", "row", "top"]).any()


def test_a_file_that_is_too_large_or_empty_is_refused(tmp_path, monkeypatch):
    config, _ = run(tmp_path / "run")
    monkeypatch.setattr(pack, "MOST_BYTES", 100)
    with pytest.raises(ValueError, match="more than 100: leave out methods or data sets"):
        pack.pack(tmp_path / "p.parquet", [config])
    assert not (tmp_path / "p.parquet").exists()
    with pytest.raises(ValueError, match="no run has scores"):
        pack.pack(tmp_path / "p.parquet", [run(tmp_path / "none", methods=("failed",))[0]])
