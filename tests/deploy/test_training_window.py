"""The model that is taken away is fitted on a training window as long as those of the tested models."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.splits.protocols import PROTOCOLS, make_folds, rows_for_the_next
from attop_bench.deploy import deploy as deploying
from attop_bench.deploy.card import card
from support.small_run import configured

WINDOWS = {"n_folds": 2, "train": 30, "delay": 5, "test": 10, "inner_folds": 1, "inner_train": 20}
METHOD = {"id": "logistic", "estimator": "sklearn.linear_model.LogisticRegression", "params": {"C": 1.0}}


def turned(n_days=100, a_day=6):
    """Return rows whose feature is a good sign in the last 40 days, and a bad one before."""
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(n_days), a_day)
    x = rng.normal(size=len(day)).round(3)
    sign = np.where(day >= n_days - 40, 1, -1)
    y = (sign * x + 0.3 * rng.normal(size=len(day)) > 0.5).astype(int)
    return pd.DataFrame({"x": x, "z": rng.normal(size=len(day)).round(3), "day": day, "y": y})


def deployed(monkeypatch, kind="prequential", options=WINDOWS, **wanted):
    for name in ("share_kept", "next_list"):
        monkeypatch.setattr(deploying, name, lambda *_, **__: None)
    turned().to_csv("turned.csv", index=False)
    params = {"path": "turned.csv", "label": "y", "positive": "1", "day": "day"}
    data = {"id": "turned", "kind": "file", "params": params, "tops": [{"k": 20}]}
    data["protocol"] = {"kind": kind, "options": options}
    config = configured(datasets=[data], methods=[METHOD], catalogues={})
    said = []
    model = deploying.deploy(config, "turned", ["logistic"], n_jobs=1, tell=said.append, **wanted)
    return model, said


def coefficient(model):
    return model.package.pipeline["model"].coef_[0][0]


def test_the_last_window_is_fitted_where_windows_were_tested(monkeypatch, tmp_path):
    """All 100 days would say that x is a bad sign: it was one for 60 of them."""
    monkeypatch.chdir(tmp_path)
    model, said = deployed(monkeypatch)
    words = "the 180 rows of the last 30 days, as many as each tested model had, of 600"
    assert coefficient(model) > 0
    assert said[-1] == f"chosen: logistic; fitting it on {words} (--all-rows fits on all)"
    assert f"fitted on {words}" in card(model, Path("out"), [], {"logistic": "Logistic"})
    assert len(model.ranked) == model.package.notes["rows"] == 600


def test_all_rows_are_fitted_where_told_or_where_days_were_mixed(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for wanted in (
        {"all_rows": True},
        {"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}},
    ):
        model, said = deployed(monkeypatch, **wanted)
        assert coefficient(model) < 0
        assert said[-1] == "chosen: logistic; fitting it on all 600 rows"


@pytest.mark.parametrize("seed", range(5))
def test_the_window_is_that_of_a_fold_for_the_days_to_come(seed):
    """With as many rows again behind them, the next test part trains on just these rows."""
    rng = np.random.default_rng(seed)
    train, test = int(rng.integers(5, 30)), int(rng.integers(1, 9))
    day = rng.integers(0, 60, 400)
    y = rng.integers(0, 2, 400)
    options = {"train": train, "delay": 0, "test": test, "inner_folds": 1}
    options |= {"inner_train": 5, "inner_delay": 0, "inner_test": 5}
    rows = rows_for_the_next("prequential", Dataset("d", y[:, None], y, day=day), **options)
    later = np.concatenate([day, day.max() + 1 + np.arange(test)])
    # Two rows a day, so that each class is among the days to come.
    y_later = np.concatenate([y, np.arange(test) % 2])
    double = np.concatenate([later, later[400:]])
    y_double = np.concatenate([y_later, 1 - y_later[400:]])
    both = Dataset("d", y_double[:, None], y_double, day=double)
    (fold,) = make_folds("prequential", both, repeat=0, seed=0, n_folds=1, **options)
    np.testing.assert_array_equal(fold.train, rows)


def test_all_other_protocols_fit_all_rows():
    y = np.arange(40) % 2
    data = Dataset("d", y[:, None], y, day=np.arange(40), groups=np.arange(40) // 10)
    for kind in PROTOCOLS.keys() - {"prequential"}:
        np.testing.assert_array_equal(rows_for_the_next(kind, data), np.arange(40))


def test_a_window_of_one_class_is_refused():
    y = np.r_[np.arange(30) % 2, np.zeros(10, int)]
    data = Dataset("d", y[:, None], y, day=np.arange(40))
    with pytest.raises(DatasetError, match="the window of the last 10 days"):
        rows_for_the_next("prequential", data, train=10, delay=0, test=5)
