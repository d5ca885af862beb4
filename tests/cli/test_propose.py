"""`attop propose`: sets in a fixed order, stored values, and a verdict that stops early."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from attop.extending import Top
from attop.metrics import precision_at_k
from attop_bench.cli import propose
from attop_bench.data.base import Unavailable
from attop_bench.data.splits.protocols import make_folds
from attop_bench.run.config import load_config
from attop_bench.run.propose import as_published, get_files, look_at_tops, measure, prepare

TOPS = [{"kappa": 0.25}, {"kappa": 1.0}]
N_SETS = 10
LATER = 4e9  # seconds since 1970
LOGISTIC = ["propose", "sklearn.linear_model.LogisticRegression", "--jobs", "1"]


def config(estimator="sklearn.linear_model.LogisticRegression", sizes=()):
    """Digits as sets: the first ones have the fewest items by what is expected."""
    protocol = {"kind": "stratified", "options": {"n_folds": 3, "inner_folds": 2}}
    about = {"kind": "digit", "protocol": protocol, "tops": TOPS}
    sets = [{"id": f"digit-{d}", "params": {"digit": d, "pool": 4}, **about} for d in reversed(range(N_SETS))]
    for one in sets:
        one["expect"] = {"items": dict(sizes).get(one["id"])}
    files = {"path": {"path": "gone/gone.csv", "remedy": "ask its authors"}}
    gone = {**about, "id": "gone", "kind": "file", "params": {"label": "y", "positive": 1}, "files": files}
    return load_config({"datasets": [*sets, gone], "methods": [{"id": "it", "estimator": estimator}]})


@pytest.fixture
def board(tmp_path, monkeypatch):
    """Stored values at which the first set is level, and the others are as far behind as can be."""
    monkeypatch.chdir(tmp_path)
    known = pd.DataFrame(0.0, [f"digit-{d}" for d in range(N_SETS)] + ["gone"], ["n+/4", "n+"])
    monkeypatch.setattr(propose, "_configuration", lambda options: config(options.path))
    monkeypatch.setattr(propose, "_values_of", lambda rival: known)
    return known


def test_sets_out_of_reach_are_named_and_the_others_go_on(board, ask):
    out = ask(*LOGISTIC)
    assert "Left out, for 1 set cannot be reached: gone.\ngone: gone/gone.csv: no download address" in out
    assert "LogisticRegression is ahead of LightGBM" in out
    assert "over 9 sets" in out, "of ten, eight on one side are enough at 1%"
    assert "in error in at most 1% of cases" in out, "with two tops"


def test_without_a_difference_it_is_open_and_says_what_would_tell(board, ask):
    for found in measure(config(), {name: {} for name in board.index[:-1]}, LATER, 1):
        ahead = found.dataset in ("digit-1", "digit-4", "digit-7")
        board.loc[found.dataset] = found.means + (0.02 if ahead else -0.01)
    out = ask(*LOGISTIC)
    assert "LogisticRegression is open against LightGBM: it finds 0.1 of 100 more, over 10 sets" in out
    assert "To know more: 10 sets show a lead of 2.1 of 100 in 8 of 10 cases; one of 0.1 takes" in out
    assert "No set is left." in out


@pytest.mark.parametrize(
    ("signs", "expected"),
    [
        ((1, 0, 0, 0), (12, 0)),
        ((1, 1, 0, 0), (9, 1)),
        ((-1, 0, -1, -1), (9, -1)),
        ((1, -1, 0, 0), (12, 0)),
        ((1, -1, -1, 1), (12, 0)),
    ],
)
def test_a_sign_takes_two_tops_and_no_contradiction(signs, expected):
    gains = np.arange(1, 13)[:, None] * np.array([sign or 0.1 for sign in signs])
    gains[::2, [not sign for sign in signs]] *= -1  # of either sign
    assert look_at_tops(gains, 12) == expected


def test_when_the_time_is_over_it_stops(board, ask):
    assert "0 sets cannot tell.\nThe 0 seconds were over" in ask(*LOGISTIC, "--seconds", "0")


def test_precision_is_that_of_a_run(tmp_path):
    """By scikit-learn alone, on the folds that a run cuts."""
    its = config()
    [found] = measure(its, {"digit-3": {}}, LATER, 1)
    data = prepare(its, "digit-3", {})
    values = []
    for fold in make_folds("stratified", data, 0, its.seed, n_folds=3, inner_folds=2):
        model = make_pipeline(StandardScaler(), LogisticRegression())
        scores = model.fit(data.X[fold.train], data.y[fold.train]).decision_function(data.X[fold.test])
        values.append([precision_at_k(data.y[fold.test], scores, top=top) for top in TOPS])
    np.testing.assert_allclose(found.means, np.mean(values, axis=0))


def test_fewest_rows_come_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    its = config(sizes={"digit-2": 5, "digit-5": 9})
    files, missing = get_files(its, ["digit-0", "digit-5", "digit-2", "gone"])
    assert list(files) == ["digit-2", "digit-5", "digit-0"]
    assert isinstance(missing["gone"], Unavailable)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.Mine"], "its folder must be on PYTHONPATH"),
        (
            ["sklearn.svm.LinearSVC", "--against", "LightBGM"],
            "'LightBGM' is not on the board; did you mean 'LightGBM'",
        ),
    ],
)
def test_a_wrong_call_is_told(arguments, words, tmp_path, monkeypatch, ask):
    monkeypatch.chdir(tmp_path)
    assert re.search(words, ask("propose", *arguments, status=1))


def test_a_method_that_fails_is_told(board, ask):
    path = "sklearn.decomposition.PCA"
    assert f"{path} fails on digit-9" in ask("propose", path, "--jobs", "1", status=1)


def test_a_top_is_cut_as_the_values_of_the_board_were():
    assert as_published(Top(k=65, out_of=11183), 2237) == Top(k=14)  # 13.003
    assert as_published(Top(k=10, out_of=40), 20) == Top(k=5)
    for top in (Top(tau=0.01), Top(k=7)):
        assert as_published(top, 2237) == top
