"""The one rule of whether a difference is real: the tests behind it, degenerate values, its error."""

import json
import math
import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from studies.claims.simulated_runs import correlated, covariance, resampled, splits

import oracles.statistics as oracle
from attop.experiment._interval import Units, interval
from attop.experiment._judge import default_tolerance, judge, judge_pair
from attop.experiment._pairs import decide
from attop.experiment._power import least_lead, needed_lead
from attop.experiment._verdict import Verdict, legend
from attop.statistics import holm

A = np.array([0.81, 0.85, 0.78, 0.90, 0.84, 0.80])
RUNS = {"a": A, "b": A - [0.01, 0.05, -0.01, 0.07, 0.04, 0.01], "c": A - [0.2, 0.19, 0.21, 0.2, 0.2, 0.18]}
ONES, ZEROS, NAN = np.ones(6), np.zeros(6), math.nan


def judged(runs, ratio=0.2, tolerance=0.01, **more):
    return judge(runs, test_train_ratio=ratio, tolerance=tolerance, **more)


def verdicts(runs, **more):
    return {rival.model: rival.verdict for rival in judged(runs, **more).rivals}


def one_sided(best, runs, others, ratio=0.2):
    """Return p of "the best is not ahead", by the own and by the shared error of pairs that are all alike."""
    d = np.array([np.subtract(best, runs[m]) for m in others])
    squares = (1 / d.shape[1] + ratio) * d.var(axis=1, ddof=1)
    of_all, n = squares.mean(), d.shape[1] - 1
    own = stats.t.sf(d.mean(axis=1) / np.sqrt(squares), n)
    df = n * squares.sum() ** 2 / (squares**2).sum()
    return own, stats.t.sf(d.mean(axis=1) / np.sqrt(np.maximum(squares, of_all)), df)


class TestAgreesWithTheTestsBehindIt:
    def test_two_models_are_compared_by_the_corrected_t_test(self):
        found = judged({"b": RUNS["b"], "a": A})
        (rival,) = found.rivals
        assert (found.best, rival.model, rival.verdict) == ("a", "b", "open")
        expected = oracle.corrected_t(A, RUNS["b"], 0.2)
        assert (rival.difference, rival.low, rival.high, rival.p) == pytest.approx(expected)
        assert (rival.better, rival.equal, rival.n) == (5, 0, 6)
        assert (found.low, found.high) == interval(A, 0.2)
        assert (found.mean, found.std) == pytest.approx((A.mean(), A.std(ddof=1)))

    def test_the_best_is_asked_about_by_the_nearest_and_one_behind_by_all(self):
        """b stands in the way: p is at most that of a pair; c is behind, by Holm, 3 models, 2 errors."""
        own, shared = one_sided(A, RUNS, "bc")
        behind = np.minimum(3 * 2 * holm(np.minimum(own, shared)), 1)
        assert [r.p for r in judged(RUNS).rivals] == pytest.approx(np.minimum(behind, 2 * own[0]))
        assert verdicts(RUNS) == {"b": "open", "c": "ahead"}

    def test_whoever_beats_the_nearest_is_the_best_of_all_whatever_their_number(self):
        """With eleven others alike as with one of them."""
        lead = [0.01, 0.05, 0.03, 0.06, 0.02, 0.04]
        runs = {"a": A, **{f"m{i}": A - np.roll(lead, i) for i in range(11)}}
        (alone,) = judged({"a": A, "b": runs["m0"]}).rivals
        found = judged(runs)
        assert found.is_shown
        assert {r.verdict for r in found.rivals} == {"ahead"}
        assert 0.01 < alone.p < 0.05
        assert found.p == pytest.approx(alone.p)

    def test_equality_is_two_one_sided_tests_at_the_edges_of_the_tolerance(self):
        d = np.array([0.001, -0.001, 0.002, 0.0, 0.001, 0.0])
        (rival,) = judged({"a": A, "b": A - d}).rivals
        error = math.sqrt((1 / 6 + 0.2) * d.var(ddof=1))
        assert rival.verdict == "equal"
        assert rival.p_equal == pytest.approx(stats.t.sf((0.01 - d.mean()) / error, 5))

    def test_differences_of_a_bootstrap(self):
        found = decide([0.03, 0.001, 0.01], [0.01, 0.002, 0.02], [np.inf] * 3, tolerance=0.01)
        assert [d.verdict for d in found] == ["ahead", "equal", "open"]
        assert found[0].p == pytest.approx(3 * stats.norm.sf(3))
        assert decide([], [], [], tolerance=0.01) == []


@pytest.mark.parametrize("verdict", Verdict)
def test_a_verdict_is_a_word_to_files_and_processes(verdict):
    assert pickle.loads(pickle.dumps(verdict)) is Verdict(verdict.value) is verdict
    assert json.dumps([verdict]) == f'["{verdict}"]' == f'["{verdict.value}"]'
    assert pd.DataFrame({"verdict": [verdict]}).to_csv(index=False) == f"verdict\n{verdict.value}\n"


def test_words_of_a_verdict():
    assert (Verdict.AHEAD.word, Verdict.EQUAL.word) == ("behind", "equal")
    assert Verdict.AHEAD.sentence() == "shown to be behind the best"
    assert Verdict.OPEN.sentence("b", "better than") == "not shown to be better than b"
    said = "bold: the best, or shown to be equal to it; °: not shown"
    assert legend("bold", "°", "†", "none").startswith(said)
    said = "none: shown to be behind it; grey: fewer runs than others, not ranked"
    assert legend("bold", "°", "†", "none", "grey").endswith(said)


class TestWithoutVariance:
    @pytest.mark.parametrize(
        ("runs", "said"),
        [
            ({"a": ONES, "b": ZEROS}, {"b": "ahead"}),
            ({"a": ONES, "b": ONES}, {"b": "open"}),
            ({"a": ONES, "b": ONES - 0.005}, {"b": "ahead"}),  # six times one step of the values
            ({"a": ONES, **dict.fromkeys("bcdefghij", ZEROS)}, dict.fromkeys("bcdefghij", "ahead")),
            ({"a": A, "b": A, "c": RUNS["c"]}, {"b": "open", "c": "ahead"}),
            ({"a": ONES, "b": ZEROS, "c": A}, {"c": "ahead", "b": "ahead"}),
        ],
    )
    def test_a_difference_that_is_the_same_in_every_run(self, runs, said):
        assert verdicts(runs) == said

    def test_one_that_coincides_where_values_come_in_coarse_steps_is_no_lead(self):
        runs = {"a": [1, 1, 0.5, 1, 1, 0.5], "b": [0.5, 0.5, 0, 0.5, 0.5, 0], "c": [0.5, 0, 1, 1, 0, 0.5]}
        assert verdicts(runs)["b"] == "open"

    @pytest.mark.parametrize(("n", "said"), [(49, "open"), (50, "equal")])
    def test_models_of_which_no_run_differs_are_equal_by_three_hundred_rows(self, n, said):
        """Six parts of 50 rows: 0.99 ** 300 is below 5%."""
        twins = {"a": A, "b": A}
        assert verdicts(twins, units=(n, True), bounds=(0, 1)) == {"b": said}
        assert verdicts(twins, units=(n, False), bounds=(0, 1)) == {"b": said}
        (rival,) = judged(twins, units=(n, True), bounds=(0, 1)).rivals
        assert rival.p_equal == pytest.approx(0.99 ** (6 * n))
        level = {"equal": 0.9, "open": 0.95}[said]  # of two one-sided tests at 5%
        reach = stats.binomtest(0, 6 * n).proportion_ci(level, method="exact").high
        assert (rival.low, rival.high) == pytest.approx((-reach, reach))

    def test_a_row_that_differs_takes_more_of_them(self):
        runs = {"a": A, "b": A - [0.01, 0, 0, 0, 0, 0]}
        assert verdicts(runs, units=(50, True), bounds=(0, 1)) == {"b": "open"}
        assert verdicts(runs, units=(100, True), bounds=(0, 1)) == {"b": "equal"}

    def test_without_bounds_there_is_no_tolerance(self):
        assert math.isnan(default_tolerance("dcg"))
        assert default_tolerance("precision@k") == 0.01
        assert verdicts({"a": A, "b": A, "c": RUNS["c"]}, tolerance=NAN) == {"b": "open", "c": "ahead"}


class TestNamedBeforehand:
    """Nothing that was not asked is corrected for."""

    def test_two_models_are_tested_one_sided(self):
        found = judged({"a": A, "b": RUNS["b"]}, against="b")
        p = oracle.corrected_t(A, RUNS["b"], 0.2)[3]
        assert (found.asked, found.answer.model, found.answer.p) == ("a", "b", pytest.approx(p / 2))
        assert found.rivals[0].p == pytest.approx(p)

    def test_of_several_the_choice_among_the_others_counts(self):
        found = judged(RUNS, against="c")
        assert found.asked == "a"
        assert found.answer.p == pytest.approx(oracle.corrected_t(A, RUNS["c"], 0.2)[3])  # 2 times a half
        turned = judged(RUNS, against="a")  # the named one is best
        assert (turned.best, turned.asked, turned.answer.verdict) == ("a", "b", "open")
        assert turned.answer.difference < 0

    @pytest.mark.parametrize("runs", [{"a": A}, {"b": A}, {}])
    def test_nothing_is_answered_of_a_model_alone_or_absent(self, runs):
        assert (judged(runs, against="a").asked, judged(runs, against="a").answer) == ("", None)

    def test_a_lead_as_large_as_needed_is_shown_in_eight_of_ten_cases(self):
        """Where the test is exact: runs as correlated as it assumes, drawn with a known error."""
        rng, cov = np.random.default_rng(0), np.full((10, 10), 0.2) + 0.8 * np.eye(10)
        error = 0.1 * math.sqrt(2) * math.sqrt(0.1 + 0.9 * 0.2)  # of the mean difference of two models
        lead, n = needed_lead(error, 9, 1), 400
        runs = [correlated(rng, cov, [0.5 + lead, 0.5], 0.1).T for _ in range(n)]
        shown = [judged(dict(zip("ab", v, strict=True)), 0.25, against="b").answer.verdict for v in runs]
        assert shown.count("ahead") == pytest.approx(0.8 * n, abs=0.07 * n)

    @pytest.mark.parametrize("runs", [10, 5])
    def test_below_the_least_lead_nothing_is_shown_in_eight_of_ten_even_in_the_best_case(self, runs):
        units, ratio = Units(20, hits=True), 0.25
        lead = least_lead(units, runs, ratio)
        error = math.sqrt((1 / runs + ratio) * lead * (1 - lead) / units.n)
        assert lead == pytest.approx(needed_lead(error, runs - 1, 2))
        assert math.isnan(least_lead(Units(20), runs, ratio))


class TestWhatIsCompared:
    def test_the_best_of_those_with_most_runs_and_those_with_its_mean(self):
        runs = {**RUNS, "d": A[::-1], "e": [NAN, *ONES[1:]], "f": [NAN] * 6, "g": ONES}
        found = judged(runs)
        assert (found.best, found.tied, found.verdict) == ("g", (), "ahead")
        found = judged({m: v for m, v in runs.items() if m != "g"})
        assert (found.best, found.tied, found.first) == ("a", ("d",), ("a", "d"))
        assert [r.model for r in found.rivals] == ["d", "b", "c", "e"]
        assert found.unranked == ("e",)
        assert [found.state(m) for m in "adbcef"] == ["best", "best", "open", "ahead", "unranked", "absent"]
        assert found.not_behind == ("a", "d", "b")
        assert (found.rivals[-1].n, found.n, found.m) == (5, 6, 6)

    def test_lower_may_be_better(self):
        found = judged({"a": A, "c": RUNS["c"]}, higher_is_better=False)
        assert (found.best, found.mean) == ("c", pytest.approx(RUNS["c"].mean()))
        assert found.rivals[0].difference > 0
        assert found.scores == {model: -mean for model, mean in found.means.items()}

    @pytest.mark.parametrize(
        ("n", "ratio", "why"),
        [(4, 0.2, "4 shared runs, 5"), (1, 0.2, "1 shared run,"), (6, NAN, "not known")],
    )
    def test_too_little_is_untested(self, n, ratio, why):
        found = judged({m: v[:n] for m, v in RUNS.items()}, ratio)
        assert {r.verdict for r in found.rivals} == {"untested"}
        assert all(why in r.reason and math.isnan(r.p) for r in found.rivals)

    def test_nothing(self):
        for runs in ({}, {"a": [NAN, NAN]}, {"a": []}):
            found = judged(runs)
            assert (found.best, found.rivals, found.verdict, found.state("a")) == ("", (), "", "absent")
        with pytest.raises(ValueError, match="tolerance must be at least 0"):
            judged(RUNS, tolerance=-1)

    def test_a_frame_of_runs_by_models_will_do(self):
        assert judged(pd.DataFrame(RUNS)) == judged(RUNS)


class TestError:
    """A small version of studies/claims/verdicts.py, its seed fixed."""

    @pytest.mark.parametrize("m", [2, 10])
    def test_equal_models_are_seldom_called_different(self, m):
        rng = np.random.default_rng(0)
        cov = covariance(splits(rng, 200), 200, 0.5)
        simulated = [correlated(rng, cov, [0.5] * m, 0.1) for _ in range(300)]
        simulated += [resampled(rng, [0.5] * m) for _ in range(100)]
        wrong = sum("ahead" in verdicts(dict(enumerate(v.T)), ratio=0.25).values() for v in simulated)
        assert wrong <= 0.05 * len(simulated)

    @pytest.mark.parametrize("m", [2, 5])
    def test_models_apart_by_the_tolerance_are_seldom_called_equal(self, m):
        rng = np.random.default_rng(1)
        cov = np.full((10, 10), 0.2) + 0.8 * np.eye(10)
        wrong = 0
        for _ in range(300):
            runs = correlated(rng, cov, [0.51] + [0.5] * (m - 1), 0.003).T
            found = judged(dict(enumerate(runs)), ratio=0.25)
            equal = [r.model for r in found.rivals if r.verdict == "equal"]
            wrong += 0 in equal or (found.best == 0 and bool(equal))
        assert wrong <= 0.06 * 300


class TestAPairChosenAfterwards:
    def test_of_two_models_it_is_the_judgement(self):
        runs = {m: RUNS[m] for m in "bc"}
        found = judged(runs)
        for pair in ("bc", "cb"):
            assert judge_pair(runs, *pair, 0.2, found) == (found.best, found.rivals[0])

    def test_of_the_best_it_is_the_judgement_and_of_others_all_pairs_count_in_both_directions(self):
        pairs = list(combinations("abc", 2))  # the first of each is better
        d = np.array([RUNS[a] - RUNS[b] for a, b in pairs])
        own, shared = one_sided(np.zeros(6), dict(enumerate(-d)), range(3))
        expected = dict(zip(pairs, np.minimum(4 * holm(np.minimum(own, shared)), 1), strict=True))
        found = judged(RUNS)
        expected |= {("a", rival.model): rival.p for rival in found.rivals}
        for pair, p in expected.items():
            for asked in (pair, pair[::-1]):
                better, rival = judge_pair(RUNS, *asked, 0.2, found)
                assert (better, rival.model) == pair
                assert rival.p == pytest.approx(p)

    def test_too_few_runs_are_untested(self):
        runs = {m: v[:4] for m, v in RUNS.items()}
        assert judge_pair(runs, "b", "c", 0.2, judged(runs))[1].reason == "4 shared runs, 5 needed"
