"""Methods compared on one data set, fold by fold."""

import math

import numpy as np
import pandas as pd
import pytest

import oracles.statistics as oracle
from attop.experiment._headline import headline, name_models
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
TITLES = {m: m.upper() for m in "abcd"}


def judged_tops(methods="abcd", runs=RUNS, tops=("k=5",), metric="precision@k", sizes=(100.0, 20.0), n=6):
    """Return the comparison of some of the methods, over their first n runs, at each top."""
    series = [(m, [math.nan if v is None else v for v in runs[m][:n]]) for m in methods]
    tables = [rows(*series, top=top, metric=metric) for top in tops]
    evaluation, jobs = (pd.concat(part) for part in zip(*tables, strict=True))
    return list(judge_all(evaluation, jobs.assign(n_train=sizes[0], n_test=sizes[1])).values())


def test_verdicts_come_from_the_corrected_test_adjusted_for_rivals_and_choice():
    (judged,) = judged_tops("cba")
    assert (judged.best, [r.model for r in judged.rivals]) == ("a", ["b", "c"])
    for rival in judged.rivals:
        expected = oracle.corrected_t(RUNS["a"], RUNS[rival.model], 0.2)
        assert (rival.difference, rival.low, rival.high) == pytest.approx(expected[:3])
        assert (rival.better, rival.n) == (np.greater(RUNS["a"], RUNS[rival.model]).sum(), 6)
    assert [judged.state(m) for m in "abcd"] == ["best", "open", "ahead", "absent"]
    assert judged.mean == pytest.approx(np.mean(RUNS["a"]))
    assert judged.std == pytest.approx(np.std(RUNS["a"], ddof=1))
    for part in (
        "A is best",
        "is best, by 0.028",
        "not shown to be better than B",
        "95% interval",
        "ahead of 1 of the 2",
    ):
        assert part in reading(judged, TITLES)


@pytest.mark.parametrize(
    ("methods", "words"),
    [
        ("ac", ("A is best, by 0.197", "shown to be better than C (p")),
        ("ad", ("A and D are best", "same value in every run, which does not show that they are equal")),
        ("a", ("no other method",)),
    ],
)
def test_readings(methods, words):
    (judged,) = judged_tops(methods)
    assert all(part in reading(judged, TITLES) for part in words)


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


def test_equal_methods_are_tied_whatever_the_order_of_summation():
    (judged,) = judged_tops("abc", {"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1], "c": [0.1] * 3})
    assert (judged.best, judged.tied, judged.of("untested")) == (
        "a",
        ("b",),
        ("c",),
    )  # three runs are too few
    assert "A and B have equal means" in reading(judged, TITLES)
    assert name_models(judged.first, TITLES) == "A and B"
    assert name_models("abcd", TITLES, 3) == "4 methods"


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"n": 4}, "4 shared runs, 5 needed"),
        ({"n": 1}, "1 shared run, 5 needed"),
        ({"sizes": (math.nan, 20.0)}, "not known"),
    ],
)
def test_what_cannot_be_tested_is_untested_with_the_reason(asked, reason):
    (judged,) = judged_tops("abc", **asked)
    assert judged.verdict == "untested"
    assert all(r.verdict == "untested" and reason in r.reason for r in judged.rivals)
    assert reason in reading(judged, TITLES)
    assert "Not tested" in headline([judged], TITLES)


def test_a_rival_named_beforehand_is_answered_beside_the_others():
    series = [(m, RUNS[m]) for m in "abc"]
    evaluation, jobs = rows(*series, top="k=5")
    found = judge_all(evaluation, jobs.assign(n_train=100.0, n_test=20.0), against="b")
    (judged,) = found.values()
    assert (judged.asked, judged.answer.model, judged.answer.verdict) == ("a", "b", "open")
    assert judged.answer.p < judged.rivals[0].p
    assert "As asked beforehand, A is not shown to be better than B: that takes a lead of " in reading(
        judged, TITLES
    )
    assert "As asked beforehand, A is not shown to be better than B (4" in headline([judged], TITLES)


def test_a_method_with_fewer_runs_is_not_ranked():
    (judged,) = judged_tops("abc", {**RUNS, "b": [math.nan, *RUNS["b"][1:]]})
    assert [(r.model, r.n) for r in judged.rivals] == [("c", 6), ("b", 5)]
    assert (judged.unranked, judged.state("b"), judged.m) == (("b",), "unranked", 6)
    assert "fewer runs: B" in reading(judged, TITLES)


def test_ratio_from_the_runs():
    runs = pd.DataFrame({"dataset": "x", "status": "ok", "repeat": 0, "fold": [0, 0, 1], "n_train": 80})
    assert split_ratio(runs.assign(n_test=[20, 20, 40]), "x") == pytest.approx(60 / 160)
    assert math.isnan(split_ratio(runs, "x"))
    assert math.isnan(split_ratio(runs.assign(n_test=20), "y"))


def test_highlighted_are_the_best_and_its_equals_unless_they_are_many():
    names = "abcdefghij"[: FEW + 1]
    runs = {m: [0.5 + 1e-5 * i * j for j in range(5)] for i, m in enumerate(names)}
    (many,), (few,) = judged_tops(names, runs), judged_tops(names[:FEW], runs)
    assert len(many.of("equal")) == FEW
    assert highlighted(many) == (many.best,)
    assert set(highlighted(few)) == set(names[:FEW])
