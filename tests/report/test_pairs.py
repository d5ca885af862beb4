"""Methods compared on one data set, fold by fold."""

import math

import numpy as np
import pandas as pd
import pytest

import oracles.statistics as oracle
from attop.experiment import headline, name_models
from attop_bench.report.compute.judgements import (
    FEW,
    _in_brackets,
    highlighted,
    judge_all,
    reading,
    split_ratio,
)
from support.rows import rows

RUNS = {
    "a": [0.81, 0.85, 0.78, 0.90, 0.84, 0.80],
    "b": [0.80, 0.80, 0.79, 0.83, 0.80, 0.79],
    "c": [0.61, 0.66, 0.57, 0.71, 0.63, 0.62],
    "d": [0.81, 0.85, 0.78, 0.90, 0.84, 0.80],
}
TIED = {"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1], "c": [0.1] * 3}
TITLES = {m: m.upper() for m in "abcd"}


def judged_of(methods="abc", runs=RUNS, sizes=(100.0, 20.0), n=6, against=""):
    """Return the comparison of some of the methods, over their first n runs."""
    evaluation, jobs = rows(*((m, runs[m][:n]) for m in methods), top="k=5")
    (judged,) = judge_all(
        evaluation, jobs.assign(n_train=sizes[0], n_test=sizes[1]), against=against
    ).values()
    return judged


def test_verdicts_come_from_the_corrected_test_adjusted_for_rivals_and_choice():
    judged = judged_of("cba")
    assert (judged.best, [r.model for r in judged.rivals]) == ("a", ["b", "c"])
    for rival, alone in zip(judged.rivals, (True, False), strict=True):
        mean, low, high, _ = oracle.corrected_t(RUNS["a"], RUNS[rival.model], 0.2)
        assert rival.difference == pytest.approx(mean)
        if alone:  # b is all that stands between a and the first place
            assert (rival.low, rival.high) == pytest.approx((low, high))
        else:  # several are asked: the interval is wider
            assert 0 < rival.low < low
        assert (rival.better, rival.n) == (np.greater(RUNS["a"], RUNS[rival.model]).sum(), 6)
    assert [judged.state(m) for m in "abcd"] == ["best", "open", "ahead", "absent"]


@pytest.mark.parametrize(
    ("methods", "asked", "words"),
    [
        ("ac", {}, ("A is best, by 0.197", "shown to be better than C (p")),
        ("ad", {}, ("A and D are best", "same value in every run, which does not show that they are equal")),
        ("a", {}, ("no other method",)),
        (
            "cba",
            {},
            ("A is best, by 0.028", "not shown to be better than B", "interval", "ahead of 1 of the 2"),
        ),
        ("abc", {"runs": TIED}, ("A and B have equal means",)),
        ("abc", {"runs": {**RUNS, "b": [math.nan, *RUNS["b"][1:]]}}, ("fewer runs: B",)),
        ("abc", {"n": 4}, ("4 shared runs, 5 needed",)),
        ("abc", {"n": 1}, ("1 shared run, 5 needed",)),
        ("abc", {"sizes": (math.nan, 20.0)}, ("not known",)),
        (
            "abc",
            {"against": "b"},
            ("As asked beforehand, A is not shown to be better than B: with 6 runs a lead below ",),
        ),
    ],
)
def test_readings(methods, asked, words):
    judged = judged_of(methods, **asked)
    said = reading(judged, TITLES)
    assert all(part in said for part in words)
    assert (judged.verdict == "untested") == ("shared run" in said or "not known" in said)
    assert ("Not tested" in headline([judged], TITLES)) == (judged.verdict == "untested")


@pytest.mark.parametrize(
    ("p", "rest", "said"),
    [
        (1.0, [], ""),
        (1.0, ["0 to 1"], " (0 to 1)"),
        (0.5, [], " (p = 0.500)"),
        (0.5, ["x"], " (p = 0.500; x)"),
    ],
)
def test_a_p_that_says_nothing_is_not_said(p, rest, said):
    assert _in_brackets(p, *rest) == said


def test_models_are_named_unless_they_are_many():
    assert name_models("ab", TITLES) == "A and B"
    assert name_models("abcd", TITLES, 3) == "4 methods"


def test_a_rival_named_beforehand_is_answered_beside_the_others():
    judged = judged_of(against="b")
    assert (judged.asked, judged.answer.model, judged.answer.verdict) == ("a", "b", "open")
    assert judged.answer.p == pytest.approx(oracle.corrected_t(RUNS["a"], RUNS["b"], 0.2)[3])  # twice a half
    assert "As asked beforehand, A is not shown to be better than B (4" in headline([judged], TITLES)


def test_ratio_from_the_runs():
    runs = pd.DataFrame({"dataset": "x", "status": "ok", "repeat": 0, "fold": [0, 0, 1], "n_train": 80})
    assert split_ratio(runs.assign(n_test=[20, 20, 40]), "x") == pytest.approx(60 / 160)
    assert math.isnan(split_ratio(runs, "x"))
    assert math.isnan(split_ratio(runs.assign(n_test=20), "y"))


def test_highlighted_are_the_best_and_its_equals_unless_they_are_many():
    names = "abcdefghij"[: FEW + 1]
    runs = {m: [0.5 + 1e-5 * i * j for j in range(5)] for i, m in enumerate(names)}
    many, few = judged_of(names, runs), judged_of(names[:FEW], runs)
    assert len(many.of("equal")) == FEW
    assert highlighted(many) == (many.best,)
    assert set(highlighted(few)) == set(names[:FEW])
