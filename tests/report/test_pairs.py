"""Methods compared on one data set, fold by fold."""

import math
import re

import numpy as np
import pandas as pd
import pytest

from attop.statistics import corrected_t_test, correlated_t, holm
from attop_bench.report.compute.comparison import FEW, default_rope, leads, split_ratio
from attop_bench.report.compute.comparison_sentences import headline, leader, reading
from support.comparisons import COLUMNS

RUNS = pd.DataFrame(
    {
        "a": [0.81, 0.85, 0.78, 0.90, 0.84, 0.80],
        "b": [0.80, 0.80, 0.79, 0.83, 0.80, 0.79],
        "c": [0.61, 0.66, 0.57, 0.71, 0.63, 0.62],
        "d": [0.81, 0.85, 0.78, 0.90, 0.84, 0.80],
    }
)
TITLES = {m: m.upper() for m in "abcd"}


def runs_table(runs, metric="precision@k"):
    rows = [("x", m, 0, f, "k=5", metric, v, None) for m, vs in runs.items() for f, v in enumerate(vs)]
    return pd.DataFrame(rows, columns=COLUMNS)


def lead_of(runs, metric="precision@k", ratio=0.2, **more):
    (lead,) = leads(runs_table(runs, metric), "x", metric, test_train_ratio=ratio, **more)
    return lead


class TestPairs:
    def test_agrees_with_statistics(self):
        lead = lead_of(RUNS[["c", "b", "a"]])
        assert (lead.best, [r.method for r in lead.rivals]) == ("a", ["b", "c"])
        p = []
        for rival in lead.rivals:
            a, b = RUNS["a"], RUNS[rival.method]
            assert rival.test == corrected_t_test(a, b, test_train_ratio=0.2)
            assert rival.posterior == correlated_t(a, b, rope=0.01, test_train_ratio=0.2)
            assert rival.mean == pytest.approx((a - b).mean())
            assert (rival.better, rival.n, rival.m) == ((a > b).sum(), 6, 6)
            p.append(rival.test.p)
        assert [r.p_adjusted for r in lead.rivals] == pytest.approx(holm(p))
        assert reading(lead, TITLES) == (
            "A is best; the difference to B, 0.028, is not distinguishable from chance (that it is more than "
            f"0.01: P = {lead.rivals[0].posterior.better:.2f}; that B is better by as much: P = "
            f"{lead.rivals[0].posterior.worse:.3f}). Really better than 1 of the 2 others."
        )

    @pytest.mark.parametrize(
        ("methods", "rope", "words"),
        [
            (
                "ac",
                None,
                r"^A is best; the difference to C, 0\.197, is real \(P > 0\.99 that it is more than 0\.01",
            ),
            ("ab", 0.5, r"is practically none \(P > 0\.99 that it is at most 0\.5\)"),
            ("ad", None, r"^A and D are best, equal in every run\."),
            ("a", None, r"^A has no other method to be compared with\."),
        ],
    )
    def test_readings(self, methods, rope, words):
        assert re.search(words, reading(lead_of(RUNS[list(methods)], rope=rope), TITLES))

    def test_level_is_what_the_test_does_not_tell_apart(self):
        lead = lead_of(RUNS)
        assert (lead.best, lead.tied, lead.verdict) == ("a", ("d",), "refused")
        assert [(r.method, r.verdict) for r in lead.rivals] == [
            ("d", "refused"),
            ("b", "open"),
            ("c", "better"),
        ]
        assert lead.level == ("a", "d", "b")
        assert lead.untested == ()
        assert (lead.mean, lead.n, lead.m) == (pytest.approx(RUNS["a"].mean()), 6, 6)
        assert lead.std == pytest.approx(RUNS["a"].std())
        assert leader(lead, TITLES) == "A and D"
        assert leader(lead_of(RUNS[["a", "b"]].assign(c=RUNS["a"], d=RUNS["a"])), TITLES) == "A, C and D"

    def test_equal_means_whatever_the_order_of_summation(self):
        lead = lead_of(pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1], "c": [0.1] * 3}))
        assert (lead.best, lead.tied) == ("a", ("b",))
        assert lead.untested == ("c",)  # three runs are too few
        assert reading(lead, TITLES).startswith("A and B have equal means; a difference is not tested.")

    def test_one_run_is_no_test(self):
        lead = lead_of(pd.DataFrame({"a": [0.8], "b": [0.8 - 1e-6]}))
        assert (lead.level, lead.untested, lead.verdict) == (("a",), ("b",), "refused")
        assert math.isnan(lead.std)

    def test_headline_joins_tops_with_the_same_best_and_counts_the_real_leads(self):
        parts = [
            runs_table(RUNS[["a", "c"]]).assign(top="k=5"),
            runs_table(RUNS[["a", "c"]]).assign(top="k=10"),
            runs_table(RUNS[["a", "d"]]).assign(top="k=20"),
        ]
        found = leads(pd.concat(parts), "x", "precision@k", test_train_ratio=0.2)
        words = "A at k = 5 and 10; A and D at k=20. Shown to be ahead of the next at 2 of 3 tops."
        assert headline(found, TITLES) == words
        where = "A at every top (k = 5 and 10). Shown to be ahead of the next at 2 of 2 tops."
        assert headline(found[:2], TITLES) == where
        assert headline(found[2:], TITLES) == "A and D at k=20. Not shown to be ahead of the next."
        assert headline(
            leads(runs_table(RUNS * np.nan), "x", "precision@k", test_train_ratio=0.2), TITLES
        ) == ("No method has a defined value.")

    def test_n_of_m_and_unranked(self):
        runs = RUNS[["a", "b", "c"]].copy()
        runs.loc[0, "b"] = np.nan
        lead = lead_of(runs)
        assert [(r.method, r.n, r.m) for r in lead.rivals] == [("c", 6, 6), ("b", 5, 6)]
        assert lead.unranked == ("b",)
        assert reading(lead, TITLES).endswith("Not ranked, values on fewer runs: B.")

    def test_refusals(self):
        few = lead_of(RUNS[:4])
        assert all("At least 5 shared runs are needed, and there are 4" in r.test.refused for r in few.rivals)
        unknown = lead_of(RUNS[["a", "b"]], ratio=math.nan).rivals[0]
        assert "not known" in unknown.test.refused
        assert unknown.mean == pytest.approx(0.028333, abs=1e-6)
        shifted = lead_of(RUNS[["a"]].assign(b=RUNS["a"] - 0.125))
        assert "is not tested. All 6 differences are 0.125" in reading(shifted, TITLES)
        for runs in (RUNS * np.nan, RUNS[:0]):
            assert all(
                reading(lead, TITLES) == "No method has a defined value."
                for lead in leads(runs_table(runs), "x", "precision@k", test_train_ratio=0.2)
            )

    def test_rope(self):
        assert default_rope("precision@k") == 0.01
        assert math.isnan(default_rope("dcg"))
        lead = lead_of(20 * RUNS[["a", "c"]], "dcg")
        assert "no rope was stated" in lead.rivals[0].posterior.refused
        assert "is real (corrected resampled t-test, p < 0.001)" in reading(lead, TITLES)
        assert lead_of(20 * RUNS[["a", "c"]], "dcg", rope=0.2).rivals[0].verdict == "better"

    def test_ratio_from_the_runs(self):
        runs = pd.DataFrame(
            {
                "dataset": "x",
                "status": "ok",
                "repeat": 0,
                "fold": [0, 0, 1],
                "n_train": 80,
                "n_test": [20, 20, 40],
            }
        )
        assert split_ratio(runs, "x") == pytest.approx(60 / 160)
        assert math.isnan(split_ratio(runs, "y"))
        assert math.isnan(split_ratio(runs.drop(columns="n_test"), "x"))


def test_leaders_at_one_top_are_those_level_with_its_best_unless_they_are_many():
    rng = np.random.default_rng(0)
    runs = {m: 0.5 + 0.1 * rng.random(5) for m in "abcdefghij"[: FEW + 1]}
    many, few = lead_of(runs), lead_of(dict(list(runs.items())[:FEW]))
    assert len(many.level) == FEW + 1
    assert many.leaders == (many.best,)
    assert few.leaders == few.level
    assert len(few.level) == FEW
