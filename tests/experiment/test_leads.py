"""The tests of pairs: bystanders, interval and verdict, and the simulation's rule for many at once."""

import math

import numpy as np
import pytest
from scipy.stats import norm
from studies.claims.bound import LEVEL, most_power
from studies.claims.judge import RISK, SPREAD, disagreements, made_up, vectorised

import oracles.statistics as oracle
from attop._core.top import Top
from attop.experiment._headline import judge_top
from attop.experiment._interval import Units
from attop.experiment._judge import judge
from attop.experiment._pairs import Differences, Rows, pairs_of, spreads_of
from attop.metrics import get_metric
from attop.statistics import holm
from attop.statistics._ranks import holm_factors

GOOD = np.array([0.78, 0.75, 0.77, 0.74, 0.77, 0.76, 0.78, 0.75, 0.77, 0.755])
NEXT = GOOD - [0.10, 0.06, 0.08, 0.07, 0.11, 0.08, 0.07, 0.09, 0.06, 0.08]
ERRATIC = np.array([0.05, 0.5, 0.1, 0.45, 0.08, 0.3, 0.4, 0.15, 0.38, 0.2])


def judged(runs, ratio=0.25, tolerance=0.01, **more):
    return judge(runs, test_train_ratio=ratio, tolerance=tolerance, **more)


def nasty(rng):
    """Return the runs of two to eight models, some coarse, alike, erratic or with runs that are missing."""
    m, n = int(rng.integers(2, 9)), int(rng.integers(5, 11))
    means, spreads = rng.choice([0, -0.02, -0.1, -0.3], m), rng.choice([0.02, 0.2, 1, 4], m)
    values = np.clip(made_up(rng, 1, n, means, spreads, rng.choice([0, 0.05, 0.25]))[0], 0, 1)
    if rng.random() < 0.3:
        values[:, -1] = values[:, 0]
    if rng.random() < 0.3:
        values[rng.integers(n), rng.integers(m)] = math.nan
    return {f"m{j}": column for j, column in enumerate(values.T)}


class TestBystanders:
    def test_an_erratic_third_model_widens_no_error_but_its_own(self):
        alone, beside = judged({"a": GOOD, "b": NEXT}), judged({"a": GOOD, "b": NEXT, "c": ERRATIC})
        assert alone.rivals[0].verdict == beside.rivals[0].verdict == "ahead"
        assert beside.is_shown
        assert beside.rivals[0].p <= max(alone.rivals[0].p, beside.rivals[1].p) + 1e-12
        assert (beside.rivals[0].low, beside.rivals[0].high) == pytest.approx(
            (alone.rivals[0].low, alone.rivals[0].high)
        )

    def test_ten_of_them_do_not(self):
        rng = np.random.default_rng(0)
        crowd = {f"c{i}": rng.permutation(ERRATIC) for i in range(10)}
        assert judged({"a": GOOD, "b": NEXT, **crowd}).is_shown

    def test_an_erratic_model_that_may_be_best_is_not_passed_over(self):
        """It lies below the next, and is no more shown to be worse than the best."""
        found = judged({"a": GOOD, "b": NEXT, "c": ERRATIC + 0.35})
        assert [rival.model for rival in found.rivals] == ["b", "c"]
        assert (found.rivals[1].verdict, found.is_shown, found.nearest.model) == ("open", False, "c")

    def test_numbers_do_not_depend_on_the_order_of_the_models(self):
        rng = np.random.default_rng(1)
        for _ in range(20):
            runs = nasty(rng)
            found = judged(runs, units=(20, True), bounds=(0, 1))
            turned = judged(dict(reversed(runs.items())), units=(20, True), bounds=(0, 1))
            if found.best == turned.best:  # else they are equal
                of_name = {rival.model: rival for rival in turned.rivals}
                for rival in found.rivals:
                    other = of_name[rival.model]
                    assert rival.verdict == other.verdict
                    assert (rival.p, rival.low, rival.high) == pytest.approx(
                        (other.p, other.low, other.high), nan_ok=True
                    )

    def test_a_model_with_fewer_runs_is_no_candidate(self):
        few = np.where(np.arange(10) < 2, math.nan, GOOD + 0.05)
        assert judged({"a": GOOD, "b": NEXT, "c": few}).is_shown


class TestIntervalAndVerdict:
    @pytest.mark.parametrize("units", [Units(), Units(4, hits=True), Units(100, hits=True), Units(300)])
    def test_they_never_contradict_each_other(self, units):
        rng = np.random.default_rng(2)
        verdicts = set()
        for _ in range(60):
            runs = nasty(rng)
            found = judged(runs, units=units, bounds=(0, 1), tolerance=rng.choice([0.01, 0.1]))
            assert disagreements(found) == 0
            verdicts |= {rival.verdict for rival in found.rivals}
        assert {"ahead", "open"} <= verdicts

    def test_of_several_tests_it_is_the_one_that_gave_the_verdict(self):
        mean, low, high, p = oracle.corrected_t(GOOD, NEXT, 0.25)
        (rival,) = judged({"a": GOOD, "b": NEXT}).rivals
        assert (rival.difference, rival.low, rival.high, rival.p) == pytest.approx((mean, low, high, p))
        assert rival.least == pytest.approx(mean - low)
        assert rival.least < rival.needs < 0.1

    def test_no_lead_beyond_the_range_is_asked_for(self):
        rng = np.random.default_rng(3)
        runs = {f"m{j}": rng.choice([0.0, 1.0], 5) for j in range(12)}
        found = judged(runs, units=(1, True), bounds=(0, 1))
        assert all(not rival.least >= 1 and not rival.needs >= 1 for rival in found.rivals)
        assert any(math.isnan(rival.needs) for rival in found.rivals)

    def test_what_could_have_been_shown_is_said(self):
        top = Top(k=100, out_of=1000)
        about = {"dataset": "d", "test_train_ratio": 0.25, "n": 1000, "share": 0.1, "grouped": False}
        runs = {"a": GOOD, "b": GOOD[::-1] - 0.01}
        found = judge_top(runs, get_metric("precision@k"), top, units=Units(20, hits=True), **about)
        (rival,) = found.rivals
        lead = f"{100 * rival.least:.1f}"
        assert found.beside(rival) == f": with 10 runs a lead below {lead} of 100 cannot be shown"

    def test_a_lead_is_one_of_rows(self):
        """Of 100 rows six more are no lead: 12 lie below the bound on 6. Seven are one."""
        of_rows = [Rows(share=x / 100, n=100, span=1.0, count=True, known=True) for x in (6, 7)]
        assert [r.p_below() < RISK / 2 for r in of_rows] == [False, True]
        assert [r.share > r.reach(RISK / 2) for r in of_rows] == [False, True]
        assert 0.06 < of_rows[0].least(RISK / 2) <= 0.07


def test_many_at_once_are_judged_as_one():
    rng = np.random.default_rng(4)
    for _ in range(100):
        m, n, step = int(rng.integers(2, 9)), int(rng.integers(5, 11)), rng.choice([0, 0.05])
        values = made_up(rng, 1, n, rng.choice([0, -0.05, -0.2], m), rng.choice([0.3, 1, 4], m), step)
        best, others, p, *_ = vectorised(values)
        found = judged({f"m{j}": column for j, column in enumerate(values[0].T)})
        if not found.tied:
            expected = {rival.model: rival.p for rival in found.rivals}
            assert found.best == f"m{best[0]}"
            assert [expected[f"m{j}"] for j in others[0]] == pytest.approx(p[0])


def test_holms_factors_say_what_his_p_values_say():
    rng = np.random.default_rng(5)
    for _ in range(200):
        p = rng.random(int(rng.integers(1, 9))) ** 3
        assert ((p * holm_factors(p, 0.05) < 0.05) == (holm(p) < 0.05)).all()


def test_the_bound_on_power_is_neyman_and_pearsons():
    """Of two models of one spread it has a closed form."""
    effect = 0.1 / (SPREAD * math.sqrt(2 * (0.8 / 5 + 0.2)))
    found = most_power(20_000, 0, 5, 2, 1.0, -0.05)
    assert found == pytest.approx(norm.sf(norm.isf(LEVEL) - effect), abs=0.015)


class TestErratic:
    def test_spreads_are_those_of_the_runs_about_the_mean_of_all_models_in_each(self):
        rng = np.random.default_rng(6)
        for lacks in (0, 7):
            values = rng.normal(size=(9, 5)) * [1, 1, 2, 4, 0.1] + rng.normal(size=(9, 1))
            values.ravel()[rng.choice(np.arange(1, 45, 5), lacks, replace=False)] = np.nan
            spreads = spreads_of([Differences.of(values[:, 0], column) for column in values.T[1:]])
            leads = values - values[:, :1]
            assert spreads == pytest.approx(oracle.spreads_about_the_mean_of_models(leads)[1:])
            if not lacks:
                assert spreads == pytest.approx(oracle.spreads_about_the_mean_of_models(values)[1:])

    def test_one_whose_pair_happens_to_vary_little_has_no_error_but_its_own(self):
        """Its runs follow those of the best, and both vary much: so its pair does not."""
        best, erratic = np.array([1, -1, 2, -2, 0.0]), np.array([1.1, -2.1, 3.1, -2.9, 0.8])
        rest = [np.roll([0.1, -0.1, 0.1, 0, -0.1], i) for i in range(6)]
        runs = {"best": 0.8 + 0.04 * best, "erratic": 0.65 + 0.04 * erratic}
        runs |= {f"m{i}": 0.7 + 0.04 * column for i, column in enumerate(rest)}
        leads = [Differences.of(runs["best"], column) for name, column in runs.items() if name != "best"]
        pairs = pairs_of(leads, 0.25, Units(), 1.0, spreads_of(leads))
        assert pairs_of(leads, 0.25, Units(), 1.0, np.zeros(7))[0].shared.df > 4
        assert pairs[0].shared == pairs[0].own
        assert all(pair.shared.df > 4 for pair in pairs[1:])

    @pytest.mark.parametrize(("spread", "is_alike"), [(2.2, True), (2.3, False)])  # squares 4.84, 5.29
    def test_of_two_pairs_the_wider_is_erratic_by_five_times_the_variance_of_the_other(
        self, spread, is_alike
    ):
        noise = 0.01 * np.array([1, -1, 1, -1, 1, -1])
        leads = [Differences(0.1 + s * noise, np.arange(6)) for s in (1, spread)]
        assert (pairs_of(leads, 0.25, Units(), 1.0, np.zeros(2))[1].shared.df > 5) == is_alike
