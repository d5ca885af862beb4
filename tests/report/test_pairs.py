"""Methods compared on one data set, fold by fold."""

import math

import numpy as np
import pandas as pd
import pytest

import oracles.statistics as oracle
from attop.experiment._lead import headline
from attop_bench.report.compute.leads import FEW, all_leads, leader, leaders, reading, split_ratio
from support.rows import rows

RUNS = {
    "a": [0.81, 0.85, 0.78, 0.90, 0.84, 0.80],
    "b": [0.80, 0.80, 0.79, 0.83, 0.80, 0.79],
    "c": [0.61, 0.66, 0.57, 0.71, 0.63, 0.62],
    "d": [0.81, 0.85, 0.78, 0.90, 0.84, 0.80],
}
TITLES = {m: m.upper() for m in "abcd"}


def leads_of(methods="abcd", runs=RUNS, tops=("k=5",), metric="precision@k", sizes=(100.0, 20.0), n=6):
    """Return the comparison of some of the methods, over their first n runs, at each top."""
    series = [(m, [math.nan if v is None else v for v in runs[m][:n]]) for m in methods]
    tables = [rows(*series, top=top, metric=metric) for top in tops]
    evaluation, jobs = (pd.concat(part) for part in zip(*tables, strict=True))
    return list(all_leads(evaluation, jobs.assign(n_train=sizes[0], n_test=sizes[1])).values())


def test_verdicts_come_from_the_corrected_test_adjusted_for_rivals_and_choice():
    (lead,) = leads_of("cba")
    assert (lead.best, [r.model for r in lead.rivals]) == ("a", ["b", "c"])
    for rival in lead.rivals:
        expected = oracle.corrected_t(RUNS["a"], RUNS[rival.model], 0.2)
        assert (rival.mean, rival.low, rival.high) == pytest.approx(expected[:3])
        assert (rival.better, rival.n) == (np.greater(RUNS["a"], RUNS[rival.model]).sum(), 6)
    assert [lead.state(m) for m in "abcd"] == ["best", "open", "ahead", "absent"]
    assert lead.mean == pytest.approx(np.mean(RUNS["a"]))
    assert lead.std == pytest.approx(np.std(RUNS["a"], ddof=1))
    for part in ("A is best", "difference to B, 0.028", "not shown", "95% interval", "ahead of 1 of the 2"):
        assert part in reading(lead, TITLES)


@pytest.mark.parametrize(
    ("methods", "words"),
    [
        ("ac", ("A is best", "C, 0.197", "is shown (p")),
        ("ad", ("A and D are best", "same value in every run")),
        ("a", ("no other method",)),
    ],
)
def test_readings(methods, words):
    (lead,) = leads_of(methods)
    assert all(part in reading(lead, TITLES) for part in words)


def test_equal_methods_are_tied_whatever_the_order_of_summation():
    (lead,) = leads_of("abc", {"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1], "c": [0.1] * 3})
    assert (lead.best, lead.tied, lead.of("untested")) == ("a", ("b",), ("c",))  # three runs are too few
    assert "A and B have equal means" in reading(lead, TITLES)
    assert leader(lead, TITLES) == "A and B"
    assert leader(leads_of("abcd", dict.fromkeys("abcd", [0.5] * 5))[0], TITLES) == "4 methods"


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"n": 4}, "5 shared runs are needed"),
        ({"n": 1}, "there is 1"),
        ({"sizes": (math.nan, 20.0)}, "not known"),
    ],
)
def test_what_cannot_be_tested_is_untested_with_the_reason(asked, reason):
    (lead,) = leads_of("abc", **asked)
    assert lead.verdict == "untested"
    assert all(r.verdict == "untested" and reason in r.reason for r in lead.rivals)
    assert reason in reading(lead, TITLES)
    assert "Not tested" in headline([lead], TITLES)


def test_a_method_with_fewer_runs_is_not_ranked():
    (lead,) = leads_of("abc", {**RUNS, "b": [math.nan, *RUNS["b"][1:]]})
    assert [(r.model, r.n) for r in lead.rivals] == [("c", 6), ("b", 5)]
    assert (lead.unranked, lead.state("b"), lead.m) == (("b",), "unranked", 6)
    assert "fewer runs: B" in reading(lead, TITLES)


def test_ratio_from_the_runs():
    runs = pd.DataFrame({"dataset": "x", "status": "ok", "repeat": 0, "fold": [0, 0, 1], "n_train": 80})
    assert split_ratio(runs.assign(n_test=[20, 20, 40]), "x") == pytest.approx(60 / 160)
    assert math.isnan(split_ratio(runs, "x"))
    assert math.isnan(split_ratio(runs.assign(n_test=20), "y"))


def test_leaders_are_the_best_and_its_equals_unless_they_are_many():
    names = "abcdefghij"[: FEW + 1]
    runs = {m: [0.5 + 1e-5 * i * j for j in range(5)] for i, m in enumerate(names)}
    (many,), (few,) = leads_of(names, runs), leads_of(names[:FEW], runs)
    assert len(many.of("equal")) == FEW
    assert leaders(many) == (many.best,)
    assert set(leaders(few)) == set(names[:FEW])
