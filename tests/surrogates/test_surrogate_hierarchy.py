"""Which surrogate bounds which, margins, and where the papers err."""

import numpy as np

import oracles.surrogates as oracle
from attop.surrogates import (
    PApKAvg,
    PApKMax,
    PApKRamp,
    PApKTS,
    PApKTSConvex,
    PAUCStruct,
    PrecAtKAvg,
    PrecAtKMax,
    PrecAtKRamp,
    PrecAtKStruct,
)
from oracles.surrogates import split
from support.surrogate_cases import EXACT, PAP, PREC, small_cases, value_of


def test_prec_at_k_hierarchy():
    for _, s, y in small_cases(300, 15, most_pos=6, most_neg=6):
        for k in range(1, int(y.sum()) + 1):
            ramp, avg, high = (value_of(PREC[name](k), s, y) for name in ("ramp", "avg", "max"))
            assert oracle.prec_risk(s, y, k) <= ramp + 1e-12
            assert ramp <= avg + 1e-12
            assert avg <= high + 1e-12


def test_pap_at_k_hierarchy():
    for _, s, y in small_cases(300, 16, most_pos=6, most_neg=6, fewest_neg=1):
        for k in range(1, int((y == 0).sum()) + 1):
            risk = oracle.pap_risk(s, y, k)
            ramp, avg, high, ts, ts_convex = (value_of(cls(k), s, y) for cls in PAP.values())
            assert risk <= ramp + 1e-12
            assert ramp <= min(high, ts) + 1e-12
            assert avg <= high + 1e-12
            assert risk <= ts_convex + 1e-12
            assert ts_convex <= ts + 1e-12
            if y.sum() <= k:
                assert avg <= ramp + 1e-12
                np.testing.assert_allclose(ts, ts_convex, **EXACT)
                np.testing.assert_allclose(ramp, high, **EXACT)
            assert value_of(PAUCStruct(k), s, y) >= np.mean(split(s, y)[0][:, None] <= split(s, y)[1][:k])


def test_prec_max_bounds_the_positives_missed_when_k_exceeds_them():
    for _, s, y in small_cases(200, 17, most_pos=4, most_neg=6, fewest_neg=1):
        for k in range(int(y.sum()) + 1, len(y) + 1):
            avoidable = oracle.prec_risk(s, y, k) - (k - y.sum())
            assert avoidable <= value_of(PrecAtKMax(k), s, y) + 1e-12


# --- Where the papers err ----------------------------------------------------------------------------


def test_pap_avg_bounds_neither_risk_nor_ramp():
    """Propositions 3 and 5 of Hiranandani et al. (2020) claim both."""
    s, y, k = np.array([100.0, 0, 0, 1, 1]), np.array([1, 1, 1, 0, 0]), 2
    assert oracle.pap_risk(s, y, k) == 1 / 2
    assert value_of(PApKRamp(k), s, y) == 1
    assert value_of(PApKAvg(k), s, y) == 0
    assert value_of(PApKMax(k), s, y) == 2
    assert value_of(PApKTS(k), s, y) == 3 / 2


def test_the_beta_margin_does_not_make_the_risk_zero():
    """Proposition 3: avg is zero, as claimed, but the risk is not."""
    s, y, k = np.array([10.0, 0, 1, 1]), np.array([1, 1, 0, 0]), 2
    assert s[y == 1].mean() >= s[y == 0].max() + 1
    assert value_of(PApKAvg(k), s, y) == 0
    assert oracle.pap_risk(s, y, k) == 1 / 2


def test_algorithm_2_does_not_compute_equation_14():
    """Eq. (14) counts the positives ranked highest by the ordering, algorithm 2 those by the scores."""
    s, y = np.array([0.0, 0, -0.5]), np.array([1, 1, 0])
    assert oracle.pap_ts_orderings(s, y, 1) == value_of(PApKTSConvex(1), s, y) == 0
    assert value_of(PApKTS(1), s, y) == 1 / 2
    # Hence eq. (14) does not bound ramp, and what algorithm 2 descends is not convex.
    assert value_of(PApKRamp(1), s, y) == 1 / 2
    ends = [value_of(PApKTS(1), p, y) for p in ([1.0, 0, 0], [0, 1.0, 0])]
    assert ends == [0, 0]
    assert value_of(PApKTS(1), [0.5, 0.5, 0], y) == 1 / 2


def test_a_mean_margin_of_every_k_positives_does_not_make_prec_avg_zero():
    """It takes every n+ - k + 1 positives: the mean of two hides the low one that k' = 1 leaves out."""
    s, y, k = np.array([10.0, 0, 1, 1]), np.array([1, 1, 0, 0]), 2
    assert s[y == 1].mean() >= s[y == 0].max() + 1
    assert value_of(PrecAtKAvg(k), s, y) == oracle.prec_avg(s, y, k) == 2
    assert oracle.prec_risk(s, y, k) == 1


def test_struct_does_not_bound_prec_at_k():
    s, y, k = np.array([2.0, 2, 3]), np.array([1, 1, 0]), 1
    assert oracle.prec_risk(s, y, k) == 1
    assert value_of(PrecAtKStruct(k), s, y) == oracle.prec_struct(s, y, k) == 0


def test_struct_is_ramp_when_k_is_the_number_of_positives():
    for _, s, y in small_cases(100, 19, most_pos=5, most_neg=5):
        k = int(y.sum())
        np.testing.assert_allclose(value_of(PrecAtKStruct(k), s, y), value_of(PrecAtKRamp(k), s, y), **EXACT)
